"""Verdicts: a claim is judged as it was written, and the paper's value is printed beside the measured one.

A query that selects nothing, or that meets missing values, is an error that says so, never a verdict.
"""

from __future__ import annotations

import re
from functools import partial

from ppdp_lab.anonymize.lattice.check import CORES
from ppdp_lab.errors import PPDPError
from ppdp_lab.lab.experiment.claims import (
    FAILS,
    HOLDS,
    NOT_MEASURABLE,
    NOT_TESTED,
    NOTHING,
    PAIRS,
    Claim,
    ClaimVerdict,
)
from ppdp_lab.lab.experiment.model import Experiment
from ppdp_lab.lab.report.judging.kinds import KINDS
from ppdp_lab.lab.report.judging.points import LEFT_OUT, ClaimError, select
from ppdp_lab.lab.report.text import data_name, number
from ppdp_lab.lab.run.machine import memory_gb
from ppdp_lab.lab.run.tables import Tables


def judge(claim: Claim, results: Tables, scale: str, *, strict: bool = True) -> ClaimVerdict:
    """The verdict on one claim.

    With ``strict=False``, for runs whose parameters were changed by hand, a query that selects nothing makes the claim not
    tested instead of an error: the parameters may have left out what it asks for.
    """
    give = partial(
        ClaimVerdict, id=claim.id, text=claim.text, source=claim.source, kind=claim.kind, paper=paper_says(claim)
    )
    if scale not in claim.scales:
        return give(measured="", verdict=NOT_TESTED)
    lacking = lacks(claim)
    if lacking:
        return give(measured="", verdict=NOT_MEASURABLE, reason=lacking)
    try:
        points = select(claim, results)
        if len(points) == 0:
            return give(measured="both 0 at every point", verdict=NOTHING)
        found = KINDS[claim.kind](points, claim)
        empty = points.attrs.get(LEFT_OUT)
        measured = found.measured + (f"; nothing to judge at {', '.join(empty)}" if empty else "")
    except ClaimError as error:
        if strict:
            raise ClaimError(f"claim {claim.id!r}: {error}") from None
        return give(measured="", verdict=NOT_TESTED, reason=f"with these parameters: {error}")
    verdict, reason = (HOLDS, "") if found.holds else (FAILS, reason_for(claim, measured))
    return give(measured=measured, verdict=verdict, reason=reason, share=found.share, points=found.points)


def reason_for(claim: Claim, measured: str) -> str:
    """The reason that was written for what was measured; one that was written for something else says so."""
    for reason in claim.reason:
        if reason.measured and alike(reason.measured, measured):
            return reason.text
    if not claim.reason:
        return "no reason found yet"
    first = claim.reason[0]
    said = f"for a run that measured {first.measured}" if first.measured else "for no run in particular"
    return f"no reason found yet for this run. Written {said}: {first.text}"


_NUMBER = r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?"
LIKENESS = 0.25


def alike(written: str, measured: str) -> bool:
    """Whether two measurements are the same but for noise: same words, same counts of points, numbers within a quarter.

    >>> alike("at 4 of 5 points (80%); first / second 0.57 to 1.05", "at 4 of 5 points (80%); first / second 0.63 to 1.1")
    True
    >>> alike("at 4 of 5 points (80%)", "at 3 of 5 points (60%)")
    False
    """
    if re.sub(_NUMBER, "#", written) != re.sub(_NUMBER, "#", measured):
        return False
    counts = rf"({_NUMBER}) of ({_NUMBER})"
    if re.findall(counts, written) != re.findall(counts, measured):
        return False
    both = [[float(n.replace(",", "")) for n in re.findall(_NUMBER, text)] for text in (written, measured)]
    return all(abs(a - b) <= LIKENESS * max(abs(a), abs(b)) for a, b in zip(*both, strict=True))


def judge_all(experiment: Experiment, results: Tables, scale: str, *, strict: bool = True) -> list[ClaimVerdict]:
    """Verdicts on all claims, in the order of the file; all errors at once, if there are any."""
    verdicts, errors = [], []
    for claim in experiment.claims:
        try:
            verdicts.append(judge(claim, results, scale, strict=strict))
        except PPDPError as error:
            errors.append(str(error))
    if errors:
        raise ClaimError(f"{experiment.path.name}: {'; '.join(errors)}")
    return verdicts


def paper_says(claim: Claim) -> str:
    """The paper's value as the scorecard prints it."""
    paper = claim.paper
    if isinstance(paper, str):
        return paper
    if claim.kind == "between":
        return f"{number(paper[0])} to {number(paper[1])}"
    if claim.kind in ("at_most", "at_least"):
        return f"{claim.kind.replace('_', ' ')} {number(paper)}"
    if claim.kind == "about":
        return ", ".join(map(number, paper)) if isinstance(paper, list) else f"about {number(paper)}"
    if claim.kind == "zero":
        return "0"
    if claim.kind in PAIRS:
        first, second = map(data_name, claim.compare)
        return f"{first} {'close to' if claim.kind == 'close' else claim.kind} {second}"
    return claim.kind + (f" with {claim.x[0]}" if claim.x and claim.kind != "flat" else "")


def lacks(claim: Claim) -> str:
    """What this machine lacks for a claim; empty if nothing."""
    if claim.needs_cores > CORES:
        return f"needs {claim.needs_cores} cores; there are {CORES}"
    if claim.needs_memory_gb and memory_gb() < claim.needs_memory_gb:
        return f"needs {number(claim.needs_memory_gb)} GB of memory; there are {memory_gb():.1f}"
    return ""
