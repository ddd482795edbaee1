"""Progress of a notebook or a sweep: a bar on a terminal or in a notebook, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from tqdm.auto import tqdm

from ppdp_lab.text import counted, seconds

EVERY = 20.0
LOOK = 1.0  # seconds between two looks at whether it is time to say something


class Progress:
    """Shows how far a notebook is: call ``watch(done, total)`` before each cell and ``close()`` at the end.

    Lines are written at the start, at the end, and every 20 seconds in between, also during a long cell: a thread watches
    the clock, and keeps the time of a bar going.
    """

    unit = "cell"
    bar_format: str | None = None  # tqdm's own

    def __init__(self, label: str, say: Callable[[str], None], *, bar: bool | None = None) -> None:
        self.label, self.say = label, say
        self.start = self.said = time.monotonic()
        self.done = self.total = 0
        self.use_bar = shows_bars() if bar is None else bar
        self.bar: Any = None
        self._writing, self._closed = threading.Lock(), threading.Event()

    def watch(self, done: int, total: int) -> None:
        """Take note that ``done`` of ``total`` cells are done."""
        if not self.total:
            self.total = total
            self.begin()
            if self.use_bar:
                self.bar = tqdm(total=total, desc=self.label, unit=self.unit, leave=False, bar_format=self.bar_format)
            threading.Thread(target=self._keep_going, daemon=True).start()
        self.done = done
        if self.bar is not None:
            self.bar.update(done - self.bar.n)
        else:
            self._line()

    __call__ = watch

    def _line(self) -> None:
        with self._writing:
            if (now := time.monotonic()) - self.said >= EVERY:
                self.said = now
                self.say(f"{self.label}: {self.line(now - self.start)}")

    def _keep_going(self) -> None:
        while not self._closed.wait(LOOK):
            if self.bar is None:
                self._line()
            else:
                self.bar.refresh()

    def interject(self, line: str) -> None:
        """Say a line at once, above the bar if there is one."""
        with tqdm.external_write_mode() if self.bar is not None else contextlib.nullcontext():
            self.say(f"{self.label}: {line}")

    def begin(self) -> None:
        """The first line."""
        self.say(f"{self.label}: {self.total} {self.unit}s")

    def line(self, took: float) -> str:
        """The text of a line in between."""
        return f"{self.unit} {self.done + 1} of {self.total}, {seconds(took)}"

    def close(self) -> float:
        """Remove the bar; return the seconds since the start."""
        self._closed.set()
        if self.bar is not None:
            self.bar.close()
        return time.monotonic() - self.start


class PointProgress(Progress):
    """The same for the points of a sweep, which take about as long as each other, so that finished ones predict the rest.

    ``at_once`` is how many of them run side by side. The first point of each process includes starting, compiling and loading;
    the prediction rests on the points after those.
    """

    unit = "point"
    bar_format = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]"  # tqdm's time left counts the first points

    def __init__(self, label: str, say: Callable[[str], None], *, at_once: int, bar: bool | None = None) -> None:
        super().__init__(label, say, bar=bar)
        self.at_once = at_once
        self.warm = self.start  # when the first points were done
        self.announced = False

    def begin(self) -> None:
        """Nothing: whoever starts a sweep has said how many points it has."""

    def watch(self, done: int, total: int, failed: int = 0) -> None:
        """Take note that ``done`` of ``total`` points are done, ``failed`` of them in vain."""
        if done <= self.at_once:
            self.warm = time.monotonic()
        super().watch(done, total)
        left = self.left()
        if self.bar is not None:
            said = [f"about {seconds(left)} left" if left else "", f"{failed} failed" if failed else ""]
            self.bar.set_postfix_str(", ".join(filter(None, said)))
        elif left and not self.announced and done >= 2 * self.at_once:  # about one more point of each process
            self.announced, self.said = True, time.monotonic()
            self.say(f"{self.label}: about {seconds(left)} for the remaining {counted(total - done, 'point')}")

    def left(self) -> float | None:
        """Seconds for the points that remain, at the pace since the first point of each process; None while it is unknown."""
        timed = self.done - self.at_once
        return (time.monotonic() - self.warm) * (self.total - self.done) / timed if timed > 0 else None

    def line(self, took: float) -> str:
        """Points done, time, time left."""
        left = self.left()
        return f"{self.done} of {self.total} points, {seconds(took)}" + (
            f", about {seconds(left)} left" if left else ""
        )


def shows_bars() -> bool:
    """Whether bars can be drawn: on a terminal, and in a notebook."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return sys.stderr.isatty() or getattr(shell, "kernel", None) is not None
