"""Benchmarks: suites by name, and what a measurement says of its target."""

from __future__ import annotations

from ppdp_lab.lab import bench


def test_every_suite_of_the_module_is_listed() -> None:
    made = {name.removeprefix("bench_") for name in vars(bench) if name.startswith("bench_")}
    assert set(bench.suites()) == made and all(map(callable, bench.suites().values()))


def test_a_measurement_is_over_its_target_or_not() -> None:
    assert bench.Measurement("m", 0.4, "lexsort", 0.1, 4).verdict == "ok"
    assert bench.Measurement("m", 0.41, "lexsort", 0.1, 4).verdict == "over"
    assert bench.Measurement("m", 0.4, "lexsort", 0.1).verdict == ""
