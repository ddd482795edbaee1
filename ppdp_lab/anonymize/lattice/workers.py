"""Threads that share one task."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any


class Workers:
    """The calling thread and some others, which are started when first needed and then wait for tasks.

    A check takes well under a millisecond, and an executor's futures would be a noticeable part of that; two queues do.

    Examples
    --------
    >>> workers = Workers()
    >>> workers.each(lambda t: 10 * t, 2), workers.each(lambda t: -t, 3)
    ([0, 10], [0, -1, -2])
    >>> workers.close()
    """

    def __init__(self) -> None:
        self._tasks: list[SimpleQueue[Callable[[int], Any] | None]] = []
        self._done: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()

    def _work(self, number: int) -> None:
        tasks = self._tasks[number - 1]
        while (task := tasks.get()) is not None:
            try:
                self._done.put((number, task(number), None))
            except BaseException as error:
                self._done.put((number, None, error))
            del task

    def each(self, task: Callable[[int], Any], threads: int) -> list[Any]:
        """Do a task for 0, 1, ..., threads - 1, each number in its own thread; the calling thread takes 0."""
        while len(self._tasks) < threads - 1:
            self._tasks.append(SimpleQueue())
            Thread(target=self._work, args=(len(self._tasks),), daemon=True).start()
        for tasks in self._tasks[: threads - 1]:
            tasks.put(task)
        results = [None] * threads
        try:
            results[0] = task(0)
        finally:
            others = [self._done.get() for _ in range(threads - 1)]
        for number, result, error in others:
            if error is not None:
                raise error
            results[number] = result
        return results

    def close(self) -> None:
        """Let the threads go."""
        for tasks in self._tasks:
            tasks.put(None)
