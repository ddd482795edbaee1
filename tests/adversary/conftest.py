"""At the end of a run: how many cases of each family were tried, refused by right, and failed."""

from __future__ import annotations

from pathlib import Path

import pytest
from adversary.cases import CASES, NOTES, TALLY, count


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """The folder takes about a minute: `make check` leaves it out, `make test` does not."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.slow)


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
    for what, row in sorted(TALLY.items()):
        terminalreporter.line(_line(what, row))
    for note in sorted(NOTES):
        terminalreporter.line(note)
    total = [sum(column) for column in zip(*TALLY.values())]
    terminalreporter.line(_line(f"in all, {total[3]:.0f} s", total))


def _line(what, row):
    tried, refused, failed, seconds = row
    return f"{tried:8} tried {refused:7} refused {failed:7} failed {1000 * seconds / tried:8.2f} ms each   {what}"
