"""Points on a dask cluster: every point stores itself, so that nothing is lost or run twice when a worker dies."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba

from ppdp_lab.errors import ParameterError, PPDPError, comes_with
from ppdp_lab.sweep.point import Job, Task, difference, failure, run_point, versions
from ppdp_lab.sweep.store import Outcome, Store, StoreError

if TYPE_CHECKING:
    from distributed import Client


WAIT = 15  # seconds for a scheduler to answer


class ClusterError(PPDPError, RuntimeError):
    """A cluster does not answer, or its workers are not fit for a sweep."""


@contextlib.contextmanager
def connected(cluster: Any) -> Iterator[Client]:
    """A client of a cluster that is given by its address, by a client or as an object; closed again if it was made here."""
    with comes_with("cluster"):
        from distributed import Client
    if isinstance(cluster, Client):
        yield cluster
        return
    try:
        client = Client(cluster, timeout=WAIT)
    except (OSError, ValueError, TypeError) as error:
        what = " ".join(str(error).split()) or type(error).__name__
        raise ClusterError(
            f"no cluster answers at {cluster!r} ({what}); start one with: dask scheduler, and dask worker ADDRESS"
        ) from None
    with client:
        yield client


def check_workers(client: Client, job: Job) -> list[str]:
    """Refuse a cluster that has no workers, other versions than we have, or does not see the store; remarks on the rest."""
    threads = {
        address: worker["nthreads"] for address, worker in client.scheduler_info(n_workers=-1)["workers"].items()
    }
    where = client.scheduler.address  # type: ignore[union-attr]
    if not threads:
        raise ClusterError(f"the cluster at {where} has no workers; start some with: dask worker {where}")
    store = Store(job.store, job.name)
    store.prepare()
    probe = store.folder / f".probe-{secrets.token_hex(6)}"
    try:
        probe.touch()
        found: dict[str, Any] = client.run(about_worker, str(probe))
    except (ImportError, AttributeError) as error:
        raise ClusterError(f"workers of {where} lack what a sweep needs: {error}; install ppdp_lab there") from None
    finally:
        probe.unlink(missing_ok=True)
    for address, about in found.items():
        wrong = difference(job.versions, about["versions"])
        if wrong:
            raise ClusterError(
                f"worker {address} has other versions, so its numbers might differ: {wrong}; install the same on all machines"
            )
        if not about["sees the store"]:
            raise ClusterError(
                f"worker {address} does not see {str(store.folder)!r}; give a store in a folder that all machines share"
            )
    many = [address for address, count in threads.items() if count > 1]
    return [f"{len(many)} workers have several threads, and run one point at a time: use --nthreads 1"] if many else []


def about_worker(probe: str) -> dict[str, Any]:
    """Asked of every worker before anything starts."""
    return {"versions": versions(), "sees the store": Path(probe).is_file()}


def run_there(client: Client, job: Job, tasks: Sequence[Task], say: Callable[[str], None]) -> Iterator[Outcome]:
    """Outcomes as they come; a result that has arrived is let go of at once.

    A future that is kept is computed again when the worker that holds its result dies. Here a result is only a note: the
    tables are in the store by then, and a worker that is asked again finds them there.
    """
    from distributed import as_completed

    token = secrets.token_hex(4)  # the same point in two sweeps is two tasks
    asked = {f"sweep-{task.key}-{token}": task for task in tasks}
    futures = [client.submit(run_in_one_thread, job, task, key=key, pure=False) for key, task in asked.items()]
    arriving = as_completed(futures)
    del futures
    try:
        for future in arriving:
            task = asked.pop(future.key)
            try:
                yield _outcome(future, job, task)
            finally:
                future.release()
    except BaseException:
        left = [client.futures[key] for key in asked if key in client.futures]
        if left:
            say(f"{len(left)} points are called off; those that run at this moment end and are kept")
        client.cancel(list(arriving.futures), force=True)
        raise


def run_in_one_thread(job: Job, task: Task) -> Outcome:
    """Run a point; whoever started the worker need not know of numba's threads."""
    numba.set_num_threads(1)
    return run_point(job, task)


def _outcome(future: Any, job: Job, task: Task) -> Outcome:
    if future.status == "finished":
        outcome: Outcome = future.result()
        return outcome
    if future.status != "error":
        raise ClusterError(
            f"the cluster was lost ({future.status}); what is finished is kept, and the same sweep goes on from there"
        )
    error = future.exception()
    if isinstance(error, StoreError):
        raise error
    if isinstance(
        error, PPDPError
    ):  # the worker joined later and is not fit: no fault of the point, so nothing is kept
        return failure(task, 0.0, error)
    died = type(error).__name__ == "KilledWorker"
    words = "every worker that ran it died" if died else f"{type(error).__name__}: {error}"
    return Store(job.store, job.name).keep(failure(task, 0.0, words))


def check_address(cluster: Any) -> None:
    """Refuse what cannot be a cluster, before anything is computed."""
    if isinstance(cluster, str) and "://" not in cluster:
        raise ParameterError(f"a cluster's address looks like tcp://host:8786, not {cluster!r}")
