"""Benchmarks: one module per suite, each with ``run() -> list[Measurement]``; a module put here is found by itself."""

from ppdp_lab.lab.bench.base import Measurement, suites

__all__ = ["Measurement", "suites"]
