"""One process that runs points: asked through its input, answering through its output, ending when nobody asks any more."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import sys
import threading
from types import FrameType
from typing import IO, Any

COMMAND = "from ppdp_lab.sweep.process import serve; serve()"


class Stopped(BaseException):
    """Whoever started this process wants it to end: no error of a point, so nothing that catches errors may catch it."""


def serve() -> None:
    """Take a job, then one task after the other, until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a function prints must not get between the answers
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C reaches the whole group; our parent ends us
    signal.signal(signal.SIGTERM, _stop)
    asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
    with contextlib.suppress(Stopped):
        from ppdp_lab.sweep.point import run_point, take_up
        from ppdp_lab.sweep.store import StoreError

        job = pickle.load(sys.stdin.buffer)
        take_up(job)
        pickle.dump("ready", answers)
        answers.flush()
        threading.Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
        while (task := asked.get()) is not None:
            try:
                answer: Any = run_point(job, task)
            except StoreError as error:
                answer = error
            pickle.dump(answer, answers)
            answers.flush()
    os._exit(0)  # threads of anybody's function must not keep it alive


def _listen(asking: IO[bytes], asked: queue.SimpleQueue[Any]) -> None:
    """Hand on tasks; without a parent, end at once instead of working on for nobody."""
    while True:
        try:
            task = pickle.load(asking)
        except (EOFError, OSError):
            os._exit(1)
        asked.put(task)
        if task is None:
            return


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped
