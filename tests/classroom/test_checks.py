"""Every exercise, its checks called directly: right answers pass, wrong ones are told apart, and nothing is given away."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import warnings
from random import Random

import pytest

from ppdp_lab.classroom.checking import Raised, Returned, call, right_answer, search
from ppdp_lab.classroom.course import EXERCISES
from ppdp_lab.classroom.feedback import NotYet
from ppdp_lab.errors import ParameterError, UnknownNameError

TASKS = [
    pytest.param(exercise, task, id=f"{exercise.name}-{task.name}")
    for exercise in EXERCISES.values()
    for task in exercise.tasks
]


def told(exercise, function, step, **how):
    """What is said of a wrong answer; None if it is right."""
    try:
        exercise.check(function, step, **how)
    except NotYet as said:
        return said
    return None


def test_there_are_eight_exercises_as_listed():
    minutes = {exercise.name: exercise.minutes for exercise in EXERCISES.values()}
    assert minutes == {
        "diversity": 20, "skewness": 25, "plane": 30, "pruning": 25, "republication": 20, "invariance": 35,
        "separation": 35, "updating": 40,
    }  # fmt: skip
    functions = [task.name for exercise in EXERCISES.values() for task in exercise.tasks]
    assert functions == ["certain", "gain", "distance", "cut", "tag", "candidates", "balance", "separable", "risk"]
    assert all(len(task.mistakes) >= 4 and len(task.right_too) >= 2 for e in EXERCISES.values() for task in e.tasks)


@pytest.mark.slow
@pytest.mark.parametrize(("exercise", "task"), TASKS)
def test_right_answers_pass_however_they_are_written(exercise, task, capsys):
    for function in (task.answer, *task.right_too):
        for step in task.steps:
            exercise.check(function, step)
    assert f"{task.name}, step {step!r}: right on 80 random cases." in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(("exercise", "task"), TASKS)
def test_each_wrong_answer_gets_a_sentence_of_its_own_and_no_answer(exercise, task):
    sentences, kept = set(), []
    for mistake in task.mistakes:
        said = {step: told(exercise, mistake.answer, step) for step in task.steps}
        wrong = [one for one in said.values() if one is not None]
        assert {one.sentence for one in wrong} == {f"Your answers agree with {mistake.sentence}"}, mistake.name
        sentences.add(wrong[0].sentence)
        kept += [mistake] if len(wrong) < len(said) else []
        for text, right in ((str(one), right_answer(task, one.case)) for one in wrong):
            assert "Concerned: " in text and "A small case that shows it" in text
            assert max(map(len, text.splitlines())) < 160
            assert "right answer" not in text and repr(right) not in text
            assert not [n for n in fractions_of(right) if f"{n:.4g}" in text.replace(own_answer(text), "")]
    assert len(sentences) == len(task.mistakes)
    assert kept or len(task.steps) == 1  # several steps mean partial credit


def fractions_of(right):
    """Numbers of a right answer that would give it away; 0 and whole numbers stand in every table."""
    parts = right if isinstance(right, (list, tuple)) else [right]
    numbers = [number for part in parts for number in (part.values() if isinstance(part, dict) else [part])]
    return [number for number in numbers if isinstance(number, float) and number % 1 > 0]


def own_answer(text):
    return text.partition("Your answer: ")[2].partition("\n\n")[0]


def test_no_two_sentences_of_an_exercise_are_the_same():
    for exercise in EXERCISES.values():
        sentences = [mistake.sentence for task in exercise.tasks for mistake in task.mistakes]
        assert len(set(sentences)) == len(sentences) and all(sentence.endswith((".", "?")) for sentence in sentences)


@pytest.mark.slow
@pytest.mark.parametrize(("exercise", "task"), TASKS)
def test_a_hidden_check_tells_no_table(exercise, task, capsys):
    for mistake in task.mistakes[:2]:
        texts = [told(exercise, mistake.answer, step, seed=5, hidden=True) for step in task.steps]
        for said in filter(None, texts):
            assert mistake.sentence in said.sentence and "on a hidden table" in str(said)
            assert "Concerned" not in str(said) and "Your answer:" not in str(said) and "small case" not in str(said)
    exercise.check(task.answer, next(iter(task.steps)), seed=5, hidden=True)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("exercise", "task"), TASKS)
def test_not_written_not_returned_failing_and_of_another_kind(exercise, task):
    step = next(iter(task.steps))

    def empty(*arguments):
        raise NotImplementedError

    def failing(*arguments):
        return {}["zip"]

    assert str(told(exercise, empty, step)) == f"{task.name} is not written yet."
    assert f"{task.name} ended in an error (KeyError: 'zip')" in told(exercise, failing, step).sentence
    hidden = told(exercise, failing, step, hidden=True)
    assert "(KeyError)" in hidden.sentence and "zip" not in str(hidden)
    for answer, kind in ((print, "a function"), ("Ann", "a text")):
        said = told(exercise, lambda *a, answer=answer: answer, step).sentence
        assert f"{task.name} must return {task.returns}; yours returned {kind}." in said
    said = told(exercise, lambda *arguments: None, step)
    assert "is a return missing?" in said.sentence or "yours returned nothing. Is the return missing?" in said.sentence


def test_an_endless_loop_is_stopped_also_away_from_the_main_thread():
    exercise = EXERCISES["skewness"]

    def endless(*arguments):
        while True:
            pass

    said = []
    began = time.monotonic()
    thread = threading.Thread(target=lambda: said.append(told(exercise, endless, "gain")))
    thread.start()
    thread.join(60)
    assert not thread.is_alive() and time.monotonic() - began < 60
    assert said[0].sentence.startswith("gain did not come to an end in time")


def test_a_stopped_call_leaves_nothing_behind():
    def swallowing():
        try:
            while True:
                pass
        except Exception:  # what students write; it does not swallow the stop
            return 1

    assert call(swallowing, [], seconds=0.05) == Raised(None)
    for _ in range(200):
        assert call(lambda: sum(range(2000)), [], seconds=0.0005) in (Returned(1999000), Raised(None))
    assert call(sum, [[1, 2]]) == Returned(3)


def test_a_debugger_works_after_a_call():
    """In a process of its own: where an exception is looked for in vain, the first traced call hangs (CPython 3.11)."""
    program = """
import sys
from ppdp_lab.classroom.checking import call

def endless():
    while True: pass

def traced(): return "traced"

print(call(lambda: 1, []), call(endless, [], seconds=0.05))
sys.settrace(lambda *what: None)
print(traced())
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.stdout.split("\n") == ["Returned(value=1) Raised(error=None)", "traced", ""], ended.stderr


def test_prints_warnings_and_changed_arguments_do_no_harm(capfd):
    given = [1, 2]

    def noisy(rows):
        print("here")
        warnings.warn("old pandas", FutureWarning, stacklevel=1)
        rows.append(3)
        return len(rows)

    assert call(noisy, [given]) == Returned(3) and given == [1, 2]
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_the_same_seed_finds_the_same_case_and_cases_get_small():
    for exercise in EXERCISES.values():
        for task in exercise.tasks:
            step = list(task.steps)[-1]
            texts = ((mistake, told(exercise, mistake.answer, step)) for mistake in task.mistakes)
            mistake, said = next((mistake, said) for mistake, said in texts if said is not None)
            again = search(task, step, mistake.answer, seed=0)
            assert task.show(*again.case) == task.show(*said.case)
            drawn = sorted(len(task.show(*task.steps[step](Random(seed)))) for seed in range(40))
            assert len(task.show(*said.case)) < drawn[len(drawn) // 2]


def test_a_wrong_call_of_check_is_refused_in_words():
    check = EXERCISES["skewness"].check
    with pytest.raises(
        ParameterError, match="check the function itself, gain or distance, without calling it; this is a number"
    ):
        check(3.5)
    with pytest.raises(UnknownNameError, match="unknown step 'gains'; did you mean 'gain'"):
        check(max, "gains")
    with pytest.raises(UnknownNameError, match="unknown function of this exercise 'max'"):
        check(max)


def test_an_unknown_mistake_gets_the_table_and_a_plain_sentence():
    exercise = EXERCISES["diversity"]
    said = told(exercise, lambda frame, *rest: set(frame.index), "members")
    assert "compare what it does with the case above" in said.sentence and "still has a choice" in " ".join(
        str(said).split()
    )


def test_in_a_notebook_the_message_stands_alone():
    said = told(EXERCISES["diversity"], EXERCISES["diversity"].tasks[0].mistakes[0].answer, "members")
    assert said._render_traceback_() == str(said).splitlines()
