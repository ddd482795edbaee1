"""Sweeps on a dask cluster of two workers: one of them is killed, and no point is lost or run twice."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from ppdp_lab.errors import DataFileError, MissingExtraError
from ppdp_lab.sweep import cluster as clusters
from ppdp_lab.sweep import sweep
from ppdp_lab.sweep.cluster import ClusterError

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow
POINTS = Path(__file__).parent / "points.py"
N = 30


def function(name: str) -> str:
    return f"{POINTS}:{name}"


def executed(folder: Path) -> list[int]:
    return sorted(map(int, (folder / "executed.txt").read_text().split()))


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1", silence_logs=50
    ) as made:
        yield made


def test_a_killed_worker_costs_no_point_and_none_is_run_twice(cluster, tmp_path):
    lines: list[str] = []
    grid = {"i": list(range(N)), "folder": str(tmp_path)}
    done = sweep(function("killed_once"), grid, store=tmp_path, cluster=cluster.scheduler_address, say=lines.append)
    assert (tmp_path / "killed").exists()  # a worker was killed in the middle of point 3
    assert (done.executed, done.failed) == (N, 0) and done.frame["killed_once"].tolist() == [i * i for i in range(N)]
    assert executed(tmp_path) == list(range(N))  # every point to its end, once
    assert f"{N} points, 0 in the store, {N} to run in 2 workers of the cluster" in lines[0]
    again = sweep(function("killed_once"), grid, store=tmp_path, cluster=cluster.scheduler_address, say=lines.append)
    assert (again.executed, again.found) == (0, N)


def test_futures_are_let_go_of_and_workers_look_in_the_store(cluster, tmp_path):
    grid = {"i": list(range(4)), "folder": str(tmp_path)}
    with distributed.Client(cluster.scheduler_address) as client:
        left = [1, 0]  # what is held when an answer is read, besides itself
        real = clusters._outcome

        def looked(*answer):
            expected, until = left.pop(0) + 1, time.monotonic() + 30
            while len(client.futures) > expected and time.monotonic() < until:  # another thread lets go of them
                time.sleep(0.01)
            assert len(client.futures) <= expected
            return real(*answer)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(clusters, "_outcome", looked)
            done = sweep(function("killed_once"), grid | {"i": [0, 1]}, store=tmp_path, cluster=client, say=None)
        assert done.executed == 2 and not left and not client.futures
        # Another sweep has run two of these points after we looked: a worker finds them.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ppdp_lab.sweep.store.Store.look", lambda self, key: None)
            done = sweep(function("killed_once"), grid | {"i": [0, 1, 2]}, store=tmp_path, cluster=client, say=None)
        assert (done.executed, done.found) == (1, 2) and executed(tmp_path) == [0, 1, 2]


def test_other_versions_are_refused_before_anything_starts(cluster, tmp_path, monkeypatch):
    real = clusters.versions()
    monkeypatch.setattr("ppdp_lab.sweep.point.versions", lambda: real | {"numpy": "1.0", "ppdp_lab source": "x"})
    grid = {"i": [1], "folder": str(tmp_path)}
    with pytest.raises(
        ClusterError, match=r"has other versions.*ppdp_lab source is .* there and x here, numpy is .* and 1.0 here"
    ):
        sweep(function("slowly"), grid, store=tmp_path, cluster=cluster.scheduler_address, say=None)
    assert not (tmp_path / "executed.txt").exists()


def test_a_store_that_workers_do_not_see_is_refused(cluster, tmp_path, monkeypatch):
    """As if the workers had another disk: the file by which they are asked is not there."""
    monkeypatch.setattr(clusters.Path, "touch", lambda self: None)
    grid = {"i": [1], "folder": str(tmp_path)}
    with pytest.raises(ClusterError, match=r"does not see .* all machines share"):
        sweep(function("slowly"), grid, store=tmp_path, cluster=cluster.scheduler_address, say=None)
    assert not (tmp_path / "executed.txt").exists()


def test_failures_on_a_cluster_keep_their_point(cluster, tmp_path):
    def fails(k):
        return 1 // k

    done = sweep(fails, {"k": [0, 1]}, store=tmp_path, cluster=cluster, say=None)
    assert done.failures["k"].tolist() == [0] and "ZeroDivisionError" in done.failures["error"][0]


def test_a_disk_that_is_full_for_a_worker_stops_the_sweep(cluster, tmp_path):
    with pytest.raises(DataFileError, match=r"\.parquet' cannot be written: No space left .*0 of 1 points are stored"):
        sweep(function("fills_the_disk"), {"i": [1]}, store=tmp_path, cluster=cluster, say=None)
    assert not list((tmp_path / "points" / "fills_the_disk").glob("*.json")), "no failure is stored"


def test_a_cluster_without_workers_or_answer_is_said(tmp_path, monkeypatch):
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", host="127.0.0.1") as empty,
        pytest.raises(ClusterError, match="has no workers; start some with: dask worker"),
    ):
        sweep(function("slowly"), {"i": [1], "folder": "x"}, store=tmp_path, cluster=empty, say=None)
    monkeypatch.setattr(clusters, "WAIT", 0.5)
    with pytest.raises(ClusterError, match=r"no cluster answers at 'tcp://127\.0\.0\.1:9'"):
        sweep(function("slowly"), {"i": [1], "folder": "x"}, store=tmp_path, cluster="tcp://127.0.0.1:9", say=None)


def test_without_the_extra_one_line_names_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"distributed is not installed; .* 'ppdp_lab\[cluster\]'"):
        sweep(function("slowly"), {"i": [1], "folder": "x"}, store=tmp_path, cluster="tcp://127.0.0.1:9", say=None)
