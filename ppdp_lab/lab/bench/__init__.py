"""Benchmarks: one module per suite, each with ``run() -> list[Measurement]``."""

from ppdp_lab.lab.bench.base import Measurement

SUITES = {
    "core": "ppdp_lab.lab.bench.core",
}

__all__ = ["SUITES", "Measurement"]
