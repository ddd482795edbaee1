"""The scorecard: paper value, measured value and verdict side by side, for all experiments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ppdp_lab.lab.experiment.claims import FAILS, HOLDS, NOT_MEASURABLE, NOT_TESTED, ClaimVerdict
from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.report.text import label_of, markdown_table, table
from ppdp_lab.lab.run.record import Run, latest

HEADER = ("claim", "source", "paper", "measured", "verdict")
WIDTHS = (44, 14, 24, 30, 16)
NOT_RUN = "no finished run"


@dataclass(frozen=True)
class Scored:
    """An experiment and its run, if there is one."""

    experiment: Experiment
    run: Run | None

    @property
    def heading(self) -> str:
        """Title, and from which scale, data and seed the values come."""
        if self.run is None:
            return f"{self.experiment.name}: {self.experiment.title} ({NOT_RUN})"
        notes = self.run.environment
        made = [f"scale {label_of(notes['scale'], notes['given'])}"]
        made += [f"data {notes['provenance']}"] if notes.get("provenance") else []
        made += [f"seed {notes['seed']}"] if notes.get("seed") is not None else []
        return f"{self.experiment.name}: {self.experiment.title} ({'; '.join(made)})"

    @property
    def verdicts(self) -> list[ClaimVerdict]:
        """Its verdicts."""
        return [] if self.run is None else self.run.verdicts


def collect(experiments: Iterable[Experiment], results: Path, scale: str) -> list[Scored]:
    """Every experiment with its newest finished run at a scale."""
    return [Scored(experiment, latest(experiment.name, results, scale)) for experiment in experiments]


def plain(scored: Sequence[Scored]) -> str:
    """For a terminal."""
    blocks = []
    for entry in scored:
        block = [entry.heading]
        if entry.verdicts:
            rows = [_row(v) for v in entry.verdicts]
            block += ["", table(HEADER, rows, widths=WIDTHS)]
            block += [f"  {v.id}: {v.reason}" for v in entry.verdicts if v.reason]
        blocks.append("\n".join(block))
    return "\n\n".join([*blocks, summary(scored)])


def markdown(scored: Sequence[Scored], *, figures: bool = False) -> str:
    """For a file; with links to the figures if they lie beside it, in a folder per experiment."""
    parts = ["# Scorecard", summary(scored)]
    for entry in scored:
        parts.append(f"## {entry.heading}")
        if entry.verdicts:
            parts.append(markdown_table(HEADER, [_row(v) for v in entry.verdicts]))
        reasons = [f"- `{v.id}` ({v.verdict}): {v.reason}" for v in entry.verdicts if v.reason]
        parts += ["\n".join(reasons)] if reasons else []
        if figures and entry.run is not None:
            name = entry.experiment.name
            parts += [f"![{f.caption}]({name}/{f.name}.png)" for f in entry.experiment.figures]
    return "\n\n".join(parts) + "\n"


def summary(scored: Sequence[Scored]) -> str:
    """All verdicts counted, in one line."""
    counts = Counter(v.verdict for entry in scored for v in entry.verdicts)
    parts = [f"{counts[v]} {v}" for v in (HOLDS, FAILS, NOT_TESTED, NOT_MEASURABLE) if counts[v]]
    missing = sum(entry.run is None for entry in scored)
    parts += [f"{missing} experiment(s) with {NOT_RUN}"] if missing else []
    return f"{sum(counts.values())} claims: {', '.join(parts)}." if parts else "No claims yet."


def _row(verdict: ClaimVerdict) -> tuple[str, ...]:
    return (verdict.text, verdict.source, verdict.paper, verdict.measured, verdict.verdict)
