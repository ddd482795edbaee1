"""What the thesis that brings Speedy printed in its tables, to be drawn beside what is measured."""

from __future__ import annotations

# Table 17 of the thesis: quasi-identifiers, records, megabytes.
TABLE_17 = {
    "adult-arx": (9, 30_162, 2.52),
    "cup": (8, 63_441, 7.11),
    "fars": (9, 100_937, 7.19),
    "atus": (9, 539_253, 84.03),
    "ihis": (9, 1_193_504, 107.56),
}
# Table 18 of the thesis, by number of threads.
TABLE_18 = {
    "ihis": {2: 1.938, 3: 2.949, 4: 3.858, 5: 4.794, 6: 5.513},
    "atus": {2: 1.913, 3: 2.842, 4: 3.551, 5: 4.366, 6: 5.012},
    "fars": {2: 1.916, 3: 2.808, 4: 3.593, 5: 4.139, 6: 4.432},
    "cup": {2: 1.728, 3: 2.387, 4: 2.792, 5: 3.067, 6: 3.251},
    "adult-arx": {2: 1.920, 3: 2.807, 4: 3.673, 5: 3.709, 6: 3.791},
}
