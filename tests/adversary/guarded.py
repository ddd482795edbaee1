"""Cases that might bring the interpreter down are run in a forked child: a crash is then one failed case, not the end."""

from __future__ import annotations

import faulthandler
import os
import pickle
import resource
import select
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from adversary.cases import NOTES, Refused, chance_of, count, how_many

CRASHED = "the process ended"
PATIENCE = 60.0
"""Seconds that one case may take before it counts as hanging."""


def attempt_guarded(what: str, one: Callable, *, share: float = 1.0) -> None:
    """As :func:`adversary.cases.attempt`, in children; a case that crashes one is skipped by the next."""
    n, number, refused = how_many(share), 0, 0
    start = _children_seconds()
    failures: list[tuple[int, str]] = []
    while number < n:
        for outcome in _child(what, one, number, n):
            if outcome == "refused":
                refused += 1
            elif outcome:
                failures.append((number, outcome))
            number += 1
    count(what, n, refused, len(failures), _children_seconds() - start)
    crashes = sum(CRASHED in why for _, why in failures)
    if crashes:
        NOTES.append(f"{what}: {crashes} of {n} cases brought the process down")
    if failures:
        raise AssertionError(
            f"{what}: {len(failures)} of {n} cases failed\n" + "\n".join(f"case {i}: {why}" for i, why in failures[:5])
        )


def _child(what: str, one: Callable, first: int, n: int) -> list[str]:
    """Outcomes of cases from ``first`` on, as far as one child gets; the last one may be that it crashed."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        faulthandler.disable()  # a crash is counted, not printed
        _bound_memory()
        for number in range(first, n):
            os.write(writing, _framed(_outcome(what, one, number)))
        os._exit(0)
    os.close(writing)
    content, last = b"", time.monotonic()
    while True:
        ready, _, _ = select.select([reading], [], [], 1.0)
        if ready:
            piece = os.read(reading, 65536)
            if not piece:
                break
            content, last = content + piece, time.monotonic()
        elif time.monotonic() - last > PATIENCE:
            os.kill(pid, signal.SIGKILL)
            break
    os.close(reading)
    _, status = os.waitpid(pid, 0)
    outcomes = []
    while len(content) >= 4:
        size = int.from_bytes(content[:4], "big")
        outcomes.append(pickle.loads(content[4 : 4 + size]))
        content = content[4 + size :]
    if status:
        outcomes.append(f"{CRASHED} with status {status} (a signal if below 256)")
    return outcomes


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _bound_memory() -> None:
    """A hostile number must not ask for all memory of the machine: 2 GB more than the child has now will do."""
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    if pages:
        most = pages * resource.getpagesize() + 2 * 2**30
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _framed(outcome: str) -> bytes:
    data = pickle.dumps(outcome[-3000:])
    return len(data).to_bytes(4, "big") + data


def _outcome(what: str, one: Callable, number: int) -> str:
    try:
        one(chance_of(what, number))
    except Refused:
        return "refused"
    except BaseException as error:
        return "".join(traceback.format_exception(error)[-4:]) or type(error).__name__
    return ""
