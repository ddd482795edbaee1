"""Progress: a line at the start and the end, lines in between when it takes long, a bar on a terminal."""

from __future__ import annotations

import threading
from types import SimpleNamespace

from ppdp_lab.lab import progress


def test_lines_appear_when_it_takes_long(monkeypatch):
    lines: list[str] = []
    now = iter([0.0, 5.0, 25.0, 26.0, 30.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(now)))
    shown = progress.Progress("demo", lines.append, bar=False)
    for done in range(3):
        shown.watch(done, 3)
    assert lines == ["demo: 3 cells", "demo: cell 2 of 3, 25 s"]
    assert shown.close() == 30


def test_a_terminal_gets_a_bar(capsys):
    lines: list[str] = []
    shown = progress.Progress("demo", lines.append, bar=True)
    for done in range(3):
        shown.watch(done, 3)
    assert shown.bar.n == 2
    shown.close()
    assert lines == ["demo: 3 cells"] and "demo" in capsys.readouterr().err


def test_a_cell_that_says_nothing_is_heard_of_too(monkeypatch):
    lines: list[str] = []
    heard = threading.Event()
    monkeypatch.setattr(progress, "EVERY", 0.02)
    monkeypatch.setattr(progress, "LOOK", 0.01)
    shown = progress.Progress("demo", lambda line: (lines.append(line), len(lines) > 3 and heard.set()), bar=False)
    shown(0, 3)
    assert heard.wait(30)
    shown.close()
    assert lines[0] == "demo: 3 cells" and all(line.startswith("demo: cell 1 of 3, ") for line in lines[1:])


def test_time_left_is_predicted_without_the_first_point_of_each_process(monkeypatch):
    clock, lines = [0.0], []
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    shown = progress.PointProgress("demo", lines.append, at_once=2, bar=False)
    shown.watch(0, 12)
    for done, now in enumerate([10.0, 11.0, 11.5, 12.0], start=1):  # compiling takes ten seconds, a point one
        clock[0] = now
        shown.watch(done, 12)
        assert lines == ([] if done < 4 else ["demo: about 4 s for the remaining 8 points"])
    assert shown.line(12.0) == "4 of 12 points, 12 s, about 4 s left"
    shown.close()


def test_the_bar_of_a_sweep_shows_the_same_time_left(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    shown = progress.PointProgress("demo", print, at_once=1, bar=True)
    for done, now in enumerate([0.0, 10.0, 11.0]):
        clock[0] = now
        shown.watch(done, 5, failed=done // 2)
    assert shown.bar.postfix == "about 3 s left, 1 failed" and "<" not in str(shown.bar)
    shown.close()
