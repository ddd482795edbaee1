"""The scorecard: paper value, measured value and verdict side by side, for all experiments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ppdp_lab.lab.experiment import FAILS, HOLDS, NOT_MEASURABLE, NOT_TESTED, NOTHING, Experiment
from ppdp_lab.lab.figures import fill, words_of
from ppdp_lab.lab.runs import Run, by_data
from ppdp_lab.text import OneLine, label_of, markdown_table, table

HEADER = ("claim", "source", "paper")
COLUMN = ("measured", "verdict")
WIDTHS = (40, 10, 22)
NOT_RUN = "no finished run"
STAND_IN, REAL = "stand-in", "real rows"
COUNTED = {  # how one verdict, and how several are counted
    HOLDS: (HOLDS, "hold"),
    FAILS: (FAILS, "do not hold"),
    NOTHING: (f"with {NOTHING}",) * 2,
    NOT_TESTED: (NOT_TESTED,) * 2,
    NOT_MEASURABLE: (NOT_MEASURABLE,) * 2,
}


@dataclass(frozen=True)
class Scored(OneLine):
    """An experiment and its run, if there is one; and its run on real rows, where the first had to do with a stand-in."""

    experiment: Experiment
    run: Run | None
    real: Run | None = None

    @property
    def columns(self) -> dict[str, Run]:
        """The runs under the names of their columns; a single one needs no name."""
        if self.run is None:
            return {}
        return {"": self.run} if self.real is None else {STAND_IN: self.run, REAL: self.real}

    @property
    def heading(self) -> str:
        """Title, and from which scale, data and seed the values come."""
        runs = list(self.columns.values())
        if not runs:
            return f"{self.experiment.name}: {self.experiment.title} ({NOT_RUN})"
        notes = runs[0].environment
        data = " and ".join(run.environment.get("provenance") or "" for run in runs)
        made = [f"scale {label_of(notes['scale'], notes['given'])}"]
        made += [f"data {data}"] if data.strip() else []
        made += [f"seed {notes['seed']}"] if notes.get("seed") is not None else []
        return f"{self.experiment.name}: {self.experiment.title} ({'; '.join(made)})"

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the table's columns."""
        return HEADER + tuple(f"{what}, {name}" if name else what for name in self.columns for what in COLUMN)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """One row per claim."""
        found: dict[str, list[str]] = {}
        for i, run in enumerate(self.columns.values()):
            for v in run.verdicts:
                row = found.setdefault(v.id, [v.text, v.source, v.paper])
                row += [""] * (len(HEADER) + i * len(COLUMN) - len(row)) + [v.measured, v.verdict]
        return [tuple(row + [""] * (len(self.header) - len(row))) for row in found.values()]

    @property
    def reasons(self) -> list[str]:
        """Why claims do not hold; a reason that both columns share stands once."""
        found: dict[tuple[str, str, str], list[str]] = {}
        for name, run in self.columns.items():
            for v in run.verdicts:
                if v.reason:
                    found.setdefault((v.id, v.verdict, v.reason), []).append(name)
        return [
            f"`{claim}` ({verdict}{f'; {names[0]}' if len(names) < len(self.columns) else ''}): {reason}"
            for (claim, verdict, reason), names in found.items()
        ]


def collect(experiments: Iterable[Experiment], results: Path, scale: str) -> list[Scored]:
    """Every experiment with its newest finished run at a scale, and with that on real rows if there is one."""
    return [Scored(experiment, *by_data(experiment.name, results, scale)) for experiment in experiments]


def plain(scored: Sequence[Scored]) -> str:
    """For a terminal."""
    blocks = []
    for entry in scored:
        block = [entry.heading]
        if entry.rows:
            more = (26, 14) if len(entry.columns) > 1 else (34, 16)
            block += ["", table(entry.header, entry.rows, widths=WIDTHS + more * len(entry.columns))]
            block += [f"  {reason}" for reason in entry.reasons]
        blocks.append("\n".join(block))
    return "\n\n".join([*blocks, summary(scored)])


def markdown(scored: Sequence[Scored], *, figures: bool = False) -> str:
    """For a file; with links to the figures if they lie beside it, in a folder per experiment."""
    parts = ["# Scorecard", summary(scored)]
    for entry in scored:
        parts.append(f"## {entry.heading}")
        if entry.rows:
            parts.append(markdown_table(entry.header, entry.rows))
        parts += ["\n".join(f"- {reason}" for reason in entry.reasons)] if entry.reasons else []
        if figures and entry.columns:
            name, words = entry.experiment.name, words_of(next(iter(entry.columns.values())))
            parts += [f"![{fill(f.caption, words)}]({name}/{f.name}.png)" for f in entry.experiment.figures]
    return "\n\n".join(parts) + "\n"


def summary(scored: Sequence[Scored]) -> str:
    """All verdicts counted, in one line; a second line for real rows, where they differ from the first column's."""
    first = [next(iter(entry.columns.values())) for entry in scored if entry.columns]
    missing = sum(not entry.columns for entry in scored)
    parts = _counted(first) + ([f"{missing} experiment{'s' * (missing > 1)} with {NOT_RUN}"] if missing else [])
    claims = sum(len(run.verdicts) for run in first)
    lines = [f"{claims} claim{'s' * (claims != 1)}: {', '.join(parts)}." if parts else "No claims yet."]
    both = [entry for entry in scored if len(entry.columns) > 1]
    if both:
        names = ", ".join(entry.experiment.name for entry in both)
        for column in (STAND_IN, REAL):
            runs = [entry.columns[column] for entry in both]
            lines.append(f"{names}, {column}: {', '.join(_counted(runs))}.")
    return "\n".join(lines)


def _counted(runs: Sequence[Run]) -> list[str]:
    counts = Counter(v.verdict for run in runs for v in run.verdicts)
    return [f"{counts[v]} {one if counts[v] == 1 else several}" for v, (one, several) in COUNTED.items() if counts[v]]
