"""Speed of full-domain search: k = 5, no suppression, on real ADULT rows and the other benchmark sets.

Times are compared with those of ARX 3.9.2 [1]_, a Java system that also runs Flash, on a two-core machine where one bincount of
539,253 keys took 0.6 ms; they are scaled by what a bincount takes here. ARX saw other rows of CUP, FARS, ATUS and IHIS than
the stand-ins, so the mean time of a check is measured, too, in bincounts of as many keys as the set has rows.

References
----------
.. [1] F. Prasser, F. Kohlmayer, R. Lautenschlaeger, K. Kuhn, "ARX - a comprehensive tool for anonymizing biomedical
   data", AMIA 2014.
"""

from __future__ import annotations

from functools import partial

from ppdp_lab.anonymize.lattice import Flash, LatticeSearch, Speedy
from ppdp_lab.datasets import load
from ppdp_lab.lab.bench.base import Measurement, best, best_in_turn, one_bincount
from ppdp_lab.principles import KAnonymity
from ppdp_lab.table import Microdata

ARX_BINCOUNT = 0.6e-3
ARX_KEYS = 539_253
# ARX's milliseconds by number of quasi-identifiers; the share of the last one that is allowed; bincounts per check
SETS: dict[str, tuple[dict[int, float], float, float]] = {
    "adult-arx": ({4: 4.3, 5: 9.2, 6: 9.9, 9: 33}, 1 / 4, 2),
    "cup": ({4: 30, 5: 31, 6: 38, 8: 60}, 1 / 5, 4),
    "fars": ({4: 20, 5: 31, 6: 43, 8: 128}, 1 / 6, 1),
    "atus": ({4: 34, 5: 52, 6: 86, 9: 2_884}, 1 / 12, 0.5),
    "ihis": ({4: 42, 5: 195, 6: 1_430, 9: 9_700}, 1 / 15, 1),
}
SPEED_UP = {"atus": 1.6, "ihis": 1.8}  # of two threads without roll-up
RULE = KAnonymity(5)


def run(repeat: int = 5) -> list[Measurement]:
    """Whole searches, single checks of raw rows, and two threads against one."""
    scale = one_bincount(ARX_KEYS) / ARX_BINCOUNT
    lines: list[Measurement] = []
    for name, (arx, share, per_check) in SETS.items():
        table = load(name)
        bincount = one_bincount(len(table))
        for count, milliseconds in arx.items():
            part = table.project(table.schema.quasi_identifiers[:count])
            whole = count == max(arx)
            seconds = _search(Flash(RULE), part, repeat)
            title = f"{name}, {count} QIs"
            allowed = share if whole else 1
            lines.append(Measurement(f"{title}: search", seconds, "ARX", milliseconds / 1e3 * scale, allowed))
            if whole:
                checks = Flash(RULE).search(part).checks
                lines.append(Measurement(f"{title}: mean check", seconds / checks, "bincount", bincount, per_check))
            if count == 6 and name in SPEED_UP:
                search = Flash(RULE, rollup=False)
                mean = _search(search, part, repeat) / search.search(part).checks
                lines.append(Measurement(f"{title}: raw check", mean, "bincount", bincount, 2))
        if name in SPEED_UP:
            lines += _two_threads(name, table, repeat)
    return lines


def _two_threads(name: str, table: Microdata, repeat: int) -> list[Measurement]:
    lines = []
    for rollup, what, allowed in ((False, "scanning rows", 1 / SPEED_UP[name]), (True, "roll-up", 1.05)):
        searches = [partial(Speedy(RULE, threads=t, rollup=rollup).search, table) for t in (1, 2)]
        one, two = best_in_turn(*searches, repeat=repeat)
        lines.append(Measurement(f"{name}: 2 threads, {what}", two, "1 thread", one, allowed))
    return lines


def _search(search: LatticeSearch, table: Microdata, repeat: int) -> float:
    return best(lambda: search.search(table), repeat=repeat, warm=2)
