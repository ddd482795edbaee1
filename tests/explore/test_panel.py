"""The widget: one answer for many questions, progress, stop, one red sentence, and nothing shared between two of them."""

from __future__ import annotations

import base64
import re
import threading
import time

import pytest
from matplotlib.figure import Figure

import ppdp_lab as pl
from ppdp_lab import explore
from ppdp_lab.errors import ParameterError, SchemaError, UnknownNameError
from ppdp_lab.explore import base
from ppdp_lab.explore.worker import Garbage, Worker


class Slow(base.Explorer):
    """Takes as long as it is told, in many steps or in one."""

    title, look = "Slow", "One. Two."

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.held = threading.Event()
        self.gate = threading.Lock()

    def knobs(self):
        more = (base.Knob(name, name, False) for name in ("loop", "wrong", "kernel"))
        return (base.Whole("n", "n", 0, 0, 100), *more)

    def show(self, state, work):
        self.asked.append(state["n"])
        if state["wrong"]:
            raise ParameterError("this <b>cannot</b>\nbe; do something else")
        work.step(0, 2, "half")
        while state["loop"]:
            self.held.set()
        if state["kernel"]:
            self.held.set()
            self.gate.acquire()  # nothing can be raised in here
            self.gate.release()
        files = {"n.txt": str(state["n"]).encode()}
        return base.Shown(Figure(), "alt", f"n is {state['n']}", [("a",)], "n = 1", knobs=self.knobs()[:1], files=files)


def panel(**knobs):
    from ppdp_lab.explore.panel import Panel

    return Panel(Slow(), knobs)


def test_the_first_picture_is_there_at_once():
    made = panel(n=7)
    assert made.shown.says == "n is 7" and made.code == "n = 1" and made.state["n"] == 7
    with pytest.raises(UnknownNameError, match="unknown knob of Slow: 'm'"):
        panel(m=3)


def test_a_slider_that_is_dragged_gets_its_last_answer():
    made, answered = panel(), []  # on the screen: while nobody asks, the next stop is tried as well
    made.says.observe(lambda change: answered.append(int(re.search(r"n is (\d+)", change["new"])[1])), names="value")
    for value in range(1, 60):
        made.controls["n"].value = value
    assert made._worker.wait(30) and made.shown.says == "n is 59" and made.controls["n"].value == 59
    assert answered == sorted(answered) and answered[-1] == 59 and len(answered) <= 59


def test_what_is_refused_is_one_red_sentence():
    made = panel()
    assert made.turn(wrong=True) is None
    assert (
        "color:#B00020" in made.problem.value
        and "this &lt;b&gt;cannot&lt;/b&gt; be; do something else" in made.problem.value
    )
    assert nothing_is_shown(made)
    assert made.turn(wrong=False, n=3).says == "n is 3" and not made.problem.value and not nothing_is_shown(made)


def nothing_is_shown(made) -> bool:
    """No picture, sentence, facts, file to save or code: what was there before belongs to other settings."""
    parts = (made.picture, made.says, made.facts, made.files, made.text)
    return made.shown is None and not any(part.value for part in parts)


WRONG = {
    "partition": {"table": "no such table"},
    "lattice": {"table": "no such table"},
    "series": {"data": "stream", "table": "no such table"},
    "bucket_graph": {"data": "stream", "table": "no such table"},
    "tradeoff": {"source": "no-such-sweep.parquet"},
    "own_table": {"file": ("broken.csv", b"age,age\n1,2\n")},
}


@pytest.mark.parametrize("name", [entry.name for entry in explore.EXPLORERS.entries()])
def test_no_explorer_keeps_a_picture_that_belongs_to_other_settings(name):
    made = getattr(explore, name)()
    assert made.picture.value and made.turn(**WRONG[name]) is None
    assert made.problem.value and nothing_is_shown(made)


@pytest.mark.parametrize(("name", "given"), [("partition", {"k": 500}), ("own_table", {"k": 500})])
def test_a_start_beyond_a_slider_is_shown_at_its_end(name, given):
    made = getattr(explore, name)(**given)
    assert made.state["k"] == made.controls["k"].max < 500
    assert f"k={made.state['k']}" in made.code or f"KAnonymity({made.state['k']})" in made.code


def test_a_start_that_only_the_answer_makes_possible_is_kept():
    made = explore.series(victim="Julia", release=2)
    assert made.state["victim"] == "Julia" and "Julia" in made.shown.says
    made = explore.bucket_graph(data="stream", after=5)
    assert made.state["after"] == 5 and "After release 5" in made.shown.says


def test_long_work_shows_progress_and_can_be_stopped():
    made = panel()
    made.controls["loop"].value = True
    assert made.explorer.held.wait(30)
    for _ in range(600):
        if not made.halt.disabled:
            break
        time.sleep(0.02)
    assert made.bar.layout.visibility == "visible" and made.doing.value == "half"
    assert "ppdp-stale" in made.picture._dom_classes and not made.files.value  # it is that of the settings before
    made.halt.click()
    assert made._worker.wait(30) and "Stopped" in made.problem.value and nothing_is_shown(made)
    assert "ppdp-stale" not in made.picture._dom_classes
    assert made.halt.disabled and made.bar.layout.visibility == "hidden"
    assert made.turn(loop=False, n=2).says == "n is 2" and not made.problem.value


def test_stop_does_not_wait_for_a_kernel():
    made = panel()
    with made.explorer.gate:
        made.controls["kernel"].value = True
        assert made.explorer.held.wait(30)
        abandoned = made._worker._job.thread
        made.halt.click()
        assert "Stopped" in made.problem.value and abandoned.is_alive()
        assert made.turn(kernel=False, n=2).says == "n is 2" and abandoned.is_alive()
    abandoned.join(30)
    assert not abandoned.is_alive() and made.shown.says == "n is 2" and not made.problem.value


def test_stop_without_work_says_nothing():
    made = panel(n=3)
    made.halt.click()
    assert not made.problem.value and made.turn(n=4).says == "n is 4"


def test_an_interrupted_notebook_stops_its_explorer(monkeypatch):
    halted = []

    def interrupted(worker, seconds=None):
        raise KeyboardInterrupt

    monkeypatch.setattr(Worker, "wait", interrupted)
    monkeypatch.setattr(Worker, "stop", lambda worker: halted.append(worker))
    with pytest.raises(KeyboardInterrupt):
        panel()
    assert len(halted) == 1


def test_a_knob_turned_while_an_answer_is_put_is_not_lost(monkeypatch):
    made = panel()
    entered, go_on = threading.Event(), threading.Event()

    def held(control, knob):
        entered.set()
        go_on.wait(30)

    monkeypatch.setattr("ppdp_lab.explore.panel.reshape", held)
    made.controls["n"].value = 1
    assert entered.wait(30)
    made.controls["n"].value = 2
    files = []
    made.files.observe(lambda change: files.append(change["new"]), names="value")
    go_on.set()
    assert made._worker.wait(30) and made.shown.says == "n is 2"
    assert [base64.b64decode(re.search('base64,([^"]+)', new)[1]) for new in files if new] == [b"2"]  # and never 1


def test_what_is_made_ready_is_left_for_a_question():
    begun, left, answers = threading.Event(), threading.Event(), []

    def ahead(state, work):
        begun.set()
        try:
            while state == 1:
                work.step(0, 1, "")
        finally:
            left.set()

    worker = Worker(lambda state, work: state, answers.append, lambda share, what: None, ahead)
    worker.now(1)
    assert begun.wait(30) and answers == [1] and not left.is_set()
    worker.now(2)
    assert left.wait(30) and answers == [1, 2]


def test_newer_questions_end_long_work_at_its_next_step():
    begun, answers = threading.Event(), []

    def answer(state, work):
        begun.set()
        while state["long"]:
            work.step(0, 1, "")
        return state

    worker = Worker(answer, answers.append, lambda share, what: None)
    worker.ask({"long": True})
    assert begun.wait(30)
    worker.ask({"long": False})
    assert worker.wait(30) and answers == [{"long": False}]


class Collector:
    """Stands for Python's garbage collector, which other explorers of the process may have put off just now."""

    def __init__(self, frozen: int = 0) -> None:
        self.threshold, self.frozen, self.did, self.usual = (700, 10, 10), frozen, [], threading.Event()

    def get_threshold(self):
        return self.threshold

    def set_threshold(self, *threshold):
        self.threshold = threshold
        if threshold[2] < 10**6:
            self.usual.set()

    def get_freeze_count(self):
        return self.frozen

    def freeze(self):
        self.did.append("freeze")
        self.frozen = 1000

    def unfreeze(self):
        self.did.append("unfreeze")
        self.frozen = 0

    def collect(self):
        assert self.frozen, "a look through all objects, while somebody may ask"
        self.did.append("collect")


def answering(collector: Collector, fails: bool = False, quiet: float = 1.0) -> tuple[Worker, list]:
    """A worker that answers with the question, or whose answers nobody can take."""
    answers: list = []

    def done(answer):
        if fails:
            raise SystemExit  # ends a thread without a word
        answers.append(answer)

    garbage = Garbage(collector, quiet=quiet)
    return Worker(lambda state, work: state, done, lambda share, what: None, garbage=garbage), answers


def test_garbage_is_collected_after_each_answer_and_what_was_there_before_is_left_out():
    collector = Collector()
    worker, answers = answering(collector)
    for question in range(4):
        worker.now(question)
    assert answers == [0, 1, 2, 3] and collector.did == ["freeze", *["collect"] * 4]
    assert collector.usual.wait(30) and collector.did[5:] == ["unfreeze"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("fails", [False, True])
def test_no_full_collection_falls_into_an_answer(fails):
    collector = Collector()
    worker, _ = answering(collector, fails)
    worker.now(1)
    assert collector.threshold[:2] == (700, 10) and collector.threshold[2] > 10**6
    assert collector.usual.wait(30) and collector.threshold == (700, 10, 10) and not collector.frozen
    for thread in threading.enumerate():  # its last words are heard in this test
        if "_run" in thread.name and fails:
            thread.join(5)


def test_who_set_objects_aside_before_keeps_them_there():
    collector = Collector(frozen=7)
    worker, _ = answering(collector, quiet=0.1)
    worker.now(1)
    assert collector.usual.wait(30) and collector.did == ["collect"] and collector.frozen == 7


def test_garbage_of_pictures_does_not_pile_up():
    gone: list = []

    class Picture:
        def __init__(self) -> None:
            self.axes = self  # figures and their axes know each other

        def __del__(self) -> None:
            gone.append(1)

    garbage = Garbage(quiet=0.1)
    worker = Worker(lambda state, work: Picture() and None, lambda found: None, lambda *said: None, garbage=garbage)
    for question in range(5):
        worker.now(question)
    assert len(gone) == 5


def test_two_explorers_do_not_disturb_each_other():
    one, other = explore.partition(k=10), explore.partition(k=40)
    assert one.turn(k=100).code != other.turn(l=3).code
    assert "KAnonymity(100)" in one.code and "KAnonymity(40) & DistinctLDiversity(3)" in other.code
    assert one.explorer is not other.explorer and one._worker is not other._worker


def test_knobs_follow_what_is_found():
    made = explore.lattice()
    assert made.controls["step"].max == len(_checks("Flash"))
    made.turn(search="Incognito")
    assert made.controls["step"].max == len(_checks("Incognito"))
    assert made.turn(columns=("race",)).figure is not None and made.controls["columns"].value == ("race",)
    assert made.turn(table="no such table") is None and "unknown data set" in made.problem.value


def _checks(search: str) -> list:
    table = pl.datasets.load("adult-arx").project(["sex", "age", "education"])
    return getattr(pl, search)(pl.KAnonymity(5)).search(table).checked


def test_what_cannot_be_shown_is_refused_in_words():
    with pytest.raises(ParameterError, match="an explorer shows a data set's name, a TOML file"):
        explore.partition(3)
    with pytest.raises(SchemaError, match="say which column plays which"):
        explore.partition(pl.datasets.load("adult", rows=10).frame)


def test_the_panel_can_be_read_without_seeing_it():
    made = explore.partition()
    assert 'role="img" aria-label="' in made.picture.value and "aria-live" in made.says.value
    behind, code = made.children[2].children
    assert "copy as code" in code.children[0].value and code.layout.display == "none"
    behind.value = True  # a button, so that keys open and close it
    assert code.layout.display is None or code.layout.display == ""
    behind.value = False
    assert code.layout.display == "none"


@pytest.mark.parametrize("name", ["series", "bucket_graph"])
def test_after_a_refusal_knobs_are_idle_as_the_data_says(name):
    """A worked example has no stream: its knobs are grey, also where no picture can be made of the example."""
    panel = getattr(explore, name)()
    assert panel.turn(data="stream") is not None and not panel.controls["table"].disabled
    refused = {"m": 6, "publisher": "MInvariance"} if name == "series" else {"m": 6}
    assert panel.turn(data="hospital", **refused) is None and "1/6 of the records" in panel.problem.value
    assert panel.controls["table"].disabled


def test_each_slider_is_tried_once_while_nobody_asks(monkeypatch):
    """What is used for the first time is read in then, and not when somebody waits for it."""
    made = panel(n=7)
    made._worker.wait(30)
    assert wait_for(lambda: made.explorer.asked == [7, 7, 8])  # the answer, whether it is quick, and the next stop
    made.turn(n=9)
    assert wait_for(lambda: made.explorer.asked[3:] == [9]) and not wait_for(lambda: len(made.explorer.asked) > 4, 0.5)
    monkeypatch.setattr("ppdp_lab.explore.panel.QUICK", -1.0)
    slow = panel(n=3)
    assert wait_for(lambda: slow.explorer.asked == [3, 3]) and not wait_for(lambda: len(slow.explorer.asked) > 2, 0.5)


def wait_for(holds, seconds: float = 30) -> bool:
    """Whether something comes to hold within so many seconds."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()
