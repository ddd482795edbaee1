"""At the end of a run: how many cases of each family were tried, refused by right, and failed."""

from __future__ import annotations

import pytest
from adversary.cases import CASES, NOTES, TALLY, count


def pytest_sessionfinish(session):
    """A worker of pytest-xdist hands its numbers to whoever prints them."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["adversary"] = [TALLY, NOTES]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """The numbers of one worker."""
    tally, notes = getattr(node, "workeroutput", {}).get("adversary", [{}, []])
    for what, row in tally.items():
        count(what, *row)
    NOTES.extend(notes)


def pytest_terminal_summary(terminalreporter):
    """One line per family."""
    if not TALLY:
        return
    terminalreporter.section(f"adversary: up to {CASES} cases each")
    for what, (tried, refused, failed) in sorted(TALLY.items()):
        terminalreporter.line(f"{tried:8} tried {refused:7} refused {failed:7} failed   {what}")
    for note in sorted(NOTES):
        terminalreporter.line(note)
    total = [sum(column) for column in zip(*TALLY.values())]
    terminalreporter.line(f"{total[0]:8} tried {total[1]:7} refused {total[2]:7} failed   in all")
