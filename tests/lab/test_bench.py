"""Benchmarks: suites are found by themselves; one that cannot be imported is not listed."""

from __future__ import annotations

import sys

from ppdp_lab.lab import bench


def test_suites_are_found(tmp_path, monkeypatch):
    (tmp_path / "fine.py").write_text("def run():\n    return []\n")
    (tmp_path / "early.py").write_text("from ppdp_lab.no_such_room import thing\n\ndef run():\n    return []\n")
    (tmp_path / "helper.py").write_text("x = 3\n")
    monkeypatch.setattr(bench, "__path__", [*bench.__path__, str(tmp_path)])
    found = bench.suites()
    assert {"core", "fine"} <= set(found) and not {"base", "early", "helper"} & set(found)
    assert found["fine"]() == []
    for name in ("fine", "helper"):
        sys.modules.pop(f"ppdp_lab.lab.bench.{name}", None)
        vars(bench).pop(name, None)


def test_a_measurement_knows_its_ratio_and_verdict():
    assert bench.Measurement("m", 0.4, "lexsort", 0.1, 4).verdict == "ok"
    assert bench.Measurement("m", 0.41, "lexsort", 0.1, 4).verdict == "over"
    assert bench.Measurement("m", 0.4, "lexsort", 0.1).verdict == ""
