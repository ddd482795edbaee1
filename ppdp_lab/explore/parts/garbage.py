"""When the garbage of old pictures is collected: while nobody asks.

To look through all objects of a process takes a quarter second and would come in the middle of an answer. What is young is
collected as ever; a look through all waits until nothing was asked for a while, or until many answers have left theirs.
"""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

QUIET = 2.0  # seconds without a question
MANY = 50  # answers, which leave about 3 MB each
_NEVER = 1 << 30


class Garbage:
    """Puts full collections off. Settings of the collector belong to the process, so all explorers in it share one."""

    def __init__(self, collector: Any = gc, *, quiet: float = QUIET, many: int = MANY) -> None:
        self._gc, self._quiet, self._many = collector, quiet, many
        self._lock = threading.Lock()
        self._usual: tuple[int, int, int] | None = None
        self._asked, self._answers = 0.0, 0

    def asked(self) -> None:
        """Something is asked for: full collections wait from now on."""
        with self._lock:
            self._asked = time.monotonic()
            if self._usual is None:
                self._usual = self._gc.get_threshold()
                self._gc.set_threshold(*self._usual[:2], _NEVER)

    def answered(self) -> None:
        """An answer is on the screen; after many of them it is time, whoever is asking."""
        with self._lock:
            self._answers += 1
            late = self._answers >= self._many
        if late:
            self._collect()

    def rest(self) -> None:
        """Wait for some quiet, then collect and leave it to Python again; whoever asked last does it, the others need not."""
        with self._lock:
            mine = self._asked
        time.sleep(self._quiet)
        with self._lock:
            if self._asked != mine or self._usual is None:
                return
            self._gc.set_threshold(*self._usual)
            self._usual = None
        self._collect()

    def _collect(self) -> None:
        with self._lock:
            self._answers = 0
        self._gc.collect()


GARBAGE = Garbage()
