"""A table that nobody has seen: own columns, numbers, text, hierarchies, and a TOML file that describes it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

WORK = {"nurse": "care", "doctor": "care", "cook": "service", "waiter": "service", "clerk": "office"}
DESCRIPTION = """
title = "Ward 7"
file = "ward.csv"
quasi_identifiers = ["town", "years", "work", "nickname", "stay"]
sensitive = "illness"
id = "patient"
[hierarchies]
town = { mask = 3 }
years = { widths = [5, 20] }
work = "work.csv"
"""


def write(folder: Path, rows: int = 2400, *, illnesses: int = 16, **said: str) -> Path:
    """Write the table into a folder, and return the path of its TOML file; ``said`` replaces lines of the description."""
    chance = np.random.default_rng(7)
    towns = [f"{a}{b}{c}" for a in "AB" for b in "1234" for c in "xyz"]
    frame = pd.DataFrame(
        {
            "patient": [f"p{i}" for i in range(rows)],
            "years": chance.integers(18, 80, rows),
            "stay": chance.integers(1, 40, rows) / 2,
            "town": chance.choice(towns, rows),
            "work": chance.choice(list(WORK), rows),
            "nickname": chance.choice(["ada", "bo", "cy"], rows),
            "illness": [f"illness {i:02d}" for i in chance.integers(0, illnesses, rows)],
        }
    )
    folder.mkdir(exist_ok=True)
    frame.to_csv(folder / "ward.csv", index=False)
    (folder / "work.csv").write_text("".join(f"{job};{field};*\n" for job, field in WORK.items()))
    text = DESCRIPTION
    for old, new in said.items():
        (line,) = (line for line in text.splitlines() if line.startswith(old))
        text = text.replace(line, new)
    path = folder / "ward.toml"
    path.write_text(text)
    return path
