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
    """Says how far a notebook is: ``watch(done, total)`` before each cell, ``tell(said)`` within one, ``close()`` at the end.

    Lines are written at the start, at the end, and in between at most every 20 seconds.
    """

    def __init__(self, label: str, say: Callable[[str], None], *, bar: bool | None = None) -> None:
        self.label, self.say = label, say
        self.start = self.said = time.monotonic()
        self.done = self.total = 0
        self.use_bar = sys.stderr.isatty() if bar is None else bar
        self.bar: Any = None

    def watch(self, done: int, total: int) -> None:
        """Take note that ``done`` of ``total`` cells are done."""
        if not self.total:
            self.total = total
            self.say(f"{self.label}: {total} cells")
            if self.use_bar:
                self.bar = tqdm(total=total, desc=self.label, unit="cell", leave=False)
        self.done = done
        if self.bar is not None:
            self.bar.set_postfix_str("", refresh=False)
            self.bar.update(done - self.bar.n)
        else:
            self._line()

    __call__ = watch

    def tell(self, said: str) -> None:
        """Take note of what the running cell says about its own progress."""
        if self.bar is not None:
            self.bar.set_postfix_str(said)
        else:
            self._line(said)

    def _line(self, *said: str) -> None:
        if (now := time.monotonic()) - self.said >= EVERY:
            self.said = now
            cell = f"cell {self.done + 1} of {self.total}"
            self.say(f"{self.label}: {', '.join([cell, *said, seconds(now - self.start)])}")

    def close(self) -> float:
        """Remove the bar; return the seconds since the start."""
        if self.bar is not None:
            self.bar.close()
        return time.monotonic() - self.start
