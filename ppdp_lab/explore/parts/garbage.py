"""The garbage of old pictures is collected after every answer, and the rest of the process is left out of it.

To look through all objects of a process takes a quarter second and would come in the middle of an answer; to look through
those that one picture left takes five thousandths. So whatever is there when somebody begins to ask is set aside
(``gc.freeze``) until nothing was asked for a while.
"""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

QUIET = 2.0  # seconds without a question
_NEVER = 1 << 30


class Garbage:
    """Keeps collections short. Settings of the collector belong to the process, so all explorers in it share one."""

    def __init__(self, collector: Any = gc, *, quiet: float = QUIET) -> None:
        self._gc, self._quiet = collector, quiet
        self._lock = threading.Lock()
        self._usual: tuple[int, int, int] | None = None
        self._frozen = False
        self._asked = 0.0

    def asked(self) -> None:
        """Something is asked for: no collection looks through what is there already, from now on."""
        with self._lock:
            self._asked = time.monotonic()
            if self._usual is None:
                self._usual = self._gc.get_threshold()
                self._gc.set_threshold(*self._usual[:2], _NEVER)
                self._frozen = not self._gc.get_freeze_count()  # who set objects aside before us keeps them there
                if self._frozen:
                    self._gc.freeze()

    def answered(self) -> None:
        """An answer is on the screen: what the one before has left can go."""
        self._gc.collect()

    def rest(self) -> None:
        """Wait for some quiet, then leave it to Python again; whoever asked last does it, the others need not."""
        with self._lock:
            mine = self._asked
        time.sleep(self._quiet)
        with self._lock:
            if self._asked != mine or self._usual is None:
                return
            if self._frozen:
                self._gc.unfreeze()
            self._gc.set_threshold(*self._usual)
            self._usual = None


GARBAGE = Garbage()
