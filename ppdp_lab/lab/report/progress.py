"""Progress of a notebook: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from tqdm import tqdm

from ppdp_lab.lab.report.text import seconds

EVERY = 20.0


class Progress:
    """Says how far a notebook is: ``watch(done, total)`` before each cell, ``close()`` at the end.

    Lines are written at the start, at the end, and in between at most every 20 seconds.
    """

    def __init__(self, label: str, say: Callable[[str], None], *, bar: bool | None = None) -> None:
        self.label, self.say = label, say
        self.start = self.said = time.monotonic()
        self.total = 0
        self.use_bar = sys.stderr.isatty() if bar is None else bar
        self.bar: Any = None

    def watch(self, done: int, total: int) -> None:
        """Take note that ``done`` of ``total`` cells are done."""
        if not self.total:
            self.total = total
            self.say(f"{self.label}: {total} cells")
            if self.use_bar:
                self.bar = tqdm(total=total, desc=self.label, unit="cell", leave=False)
        if self.bar is not None:
            self.bar.update(done - self.bar.n)
        elif (now := time.monotonic()) - self.said >= EVERY:
            self.said = now
            self.say(f"{self.label}: cell {done + 1} of {total}, {seconds(now - self.start)}")

    def close(self) -> float:
        """Remove the bar; return the seconds since the start."""
        if self.bar is not None:
            self.bar.close()
        return time.monotonic() - self.start
