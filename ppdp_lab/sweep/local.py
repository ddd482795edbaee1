"""Points in processes of this machine: each with one thread, and none that takes others with it when it dies."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from ppdp_lab.errors import PPDPError, comes_with
from ppdp_lab.lab.kernel import same_package
from ppdp_lab.sweep.point import LINES, ONE_THREAD, Job, Task, failure
from ppdp_lab.sweep.process import COMMAND
from ppdp_lab.sweep.store import Outcome, Store, StoreError

PATIENCE = 5.0  # seconds that a process gets to end by itself


class WorkerDied(Exception):
    """A process ended while it ran a point."""


class Worker:
    """A process that runs the points of a job, one after the other."""

    def __init__(self, job: Job, *, threads: bool) -> None:
        self.noise = tempfile.TemporaryFile()  # noqa: SIM115 (what its points print; closed when it ends)
        self.process = subprocess.Popen(
            [sys.executable, "-c", COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.noise,
            env=os.environ | same_package() | ({} if threads else ONE_THREAD),
        )
        self.job = job

    def begin(self) -> None:
        """Hand over the job, and wait until it is taken."""
        try:
            self._send(self.job)
            self._answer()
        except WorkerDied as died:
            raise PPDPError(f"no process could take up {self.job.name}: {died}: {self.last_words()}") from None

    def run(self, task: Task) -> Outcome:
        """What came of a point; :class:`WorkerDied` if nothing came, StoreError if the process could not store it."""
        self._send(task)
        answer: Outcome | StoreError = self._answer()
        if isinstance(answer, StoreError):
            raise answer
        return answer

    def _send(self, what: object) -> None:
        assert self.process.stdin is not None
        try:
            pickle.dump(what, self.process.stdin)
            self.process.stdin.flush()
        except OSError:
            raise WorkerDied(self._how()) from None

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        try:
            return pickle.load(self.process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise WorkerDied(self._how()) from None

    def _how(self) -> str:
        code = self.process.wait()
        if code >= 0:
            return f"its process ended by itself with exit code {code}"
        name = signal.Signals(-code).name
        return f"its process was killed by {name}" + (", perhaps for lack of memory" if name == "SIGKILL" else "")

    def last_words(self) -> str:
        """The end of what the process printed."""
        self.noise.seek(0)
        return "\n".join(self.noise.read().decode(errors="replace").splitlines()[-LINES:])

    def end(self) -> None:
        """End it and all that it started, and wait until it is gone."""
        import psutil

        family = []
        with contextlib.suppress(psutil.Error):
            family = psutil.Process(self.process.pid).children(recursive=True)
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:  # within compiled code, which hears nothing
            self.process.kill()
            self.process.wait()
        for child in family:
            with contextlib.suppress(psutil.Error):
                child.kill()
        for stream in (self.process.stdin, self.process.stdout, self.noise):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]


def run_here(job: Job, tasks: Sequence[Task], processes: int, *, threads: bool = False) -> Iterator[Outcome]:
    """Outcomes as they come. Whoever stops asking, by an error or Ctrl-C, ends all processes.

    ``threads`` leaves libraries the threads that they take by themselves, for points that run one after the other.
    """
    with comes_with("lab"):
        import psutil  # noqa: F401 - what ends the processes again
    waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    crew = _Crew(job, waiting, threads)
    people = [threading.Thread(target=crew.serve, daemon=True) for _ in range(min(processes, len(tasks)))]
    try:
        for one in people:
            one.start()
        for _ in tasks:
            yield crew.next()
    finally:
        crew.stop()
        for one in people:
            one.join()


class _Crew:
    """Threads that each hand points to a process of their own, and start another where one dies."""

    def __init__(self, job: Job, waiting: queue.SimpleQueue[Task], threads: bool) -> None:
        self.job, self.waiting, self.threads = job, waiting, threads
        self.came: queue.SimpleQueue[Outcome | BaseException] = queue.SimpleQueue()
        self.store = Store(job.store, job.name)
        self.workers: list[Worker] = []
        self.stopping, self.lock = False, threading.Lock()

    def next(self) -> Outcome:
        """The next outcome; an error that is no point's is raised."""
        while True:
            with contextlib.suppress(queue.Empty):
                came = self.came.get(timeout=0.2)  # not for ever: Ctrl-C must get through on every system
                if isinstance(came, BaseException):
                    raise came
                return came

    def serve(self) -> None:
        """Run points until there are none left."""
        worker = None
        try:
            while not self.stopping:
                try:
                    task = self.waiting.get_nowait()
                except queue.Empty:
                    break
                worker = worker or self._start()
                start = time.perf_counter()
                try:
                    self.came.put(worker.run(task))
                except WorkerDied as died:
                    if self.stopping:
                        break
                    words = worker.last_words()
                    self._let_go(worker)
                    worker = None
                    self.came.put(self.store.keep(failure(task, time.perf_counter() - start, str(died), words)))
        except BaseException as error:
            self.came.put(error)
        finally:
            if worker is not None:
                self._let_go(worker)

    def _start(self) -> Worker:
        with self.lock:
            if self.stopping:
                raise PPDPError("the sweep was stopped")
            worker = Worker(self.job, threads=self.threads)
            self.workers.append(worker)
        worker.begin()
        return worker

    def _let_go(self, worker: Worker) -> None:
        worker.end()
        with self.lock:
            if worker in self.workers:
                self.workers.remove(worker)

    def stop(self) -> None:
        """End all processes."""
        with self.lock:
            self.stopping = True
            left, self.workers = self.workers, []
        ending = [threading.Thread(target=worker.end) for worker in left]
        for one in ending:
            one.start()
        for one in ending:
            one.join()
