"""An explorer on the screen: knobs on the left, the picture on the right, below it what it says and the code that makes it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from html import escape
from typing import Any

from ppdp_lab.errors import PPDPError, comes_with
from ppdp_lab.explore import widgets as pictures
from ppdp_lab.explore.base import Explorer, Knob, Shown, Stopped, Work
from ppdp_lab.explore.widgets import WIDE, control_of, next_stop, reshape
from ppdp_lab.explore.worker import Worker
from ppdp_lab.plotting import Places

with comes_with("explore"):
    import ipywidgets as widgets

SHOWN_AFTER = 0.4  # seconds: what is quicker needs no progress bar
QUICK = 0.5  # seconds: answers that take longer are not tried before somebody asks for them
TEXT = "max-width:62em;line-height:1.45;margin:4px 0"
# Knobs and facts beside the picture; where the cell is narrow, all in one column, and the picture right below the knobs.
_STYLE = """<style>
.ppdp-explorer { container-type: inline-size; }
.ppdp-explorer .ppdp-body { display: grid; grid-template: "knobs picture" auto "facts picture" 1fr / 380px minmax(0, 1fr);
  column-gap: 16px; width: 100%; overflow: visible; }
.ppdp-body > .ppdp-knobs { grid-area: knobs; padding-right: 8px; } .ppdp-body > .ppdp-picture { grid-area: picture; }
.ppdp-body > .ppdp-facts { grid-area: facts; overflow-x: auto; }
.ppdp-explorer .ppdp-stale { opacity: 0.3; }
.ppdp-facts .ppdp-lab.ppdp-lab table .short { white-space: normal; }
.ppdp-explorer :is(select, input, button, .noUi-handle):focus-visible {
  outline: 2px solid #0072B2 !important; outline-offset: 1px; }
@container (max-width: 800px) { .ppdp-explorer .ppdp-body { grid-template: "knobs" auto "picture" auto "facts" auto
  / minmax(0, 1fr); } }
</style>"""
_COPY = (
    "<button type='button' class='jupyter-button' aria-label='copy as code' onclick=\"const box="
    "this.closest('.ppdp-explorer').querySelector('.ppdp-code textarea'); box.select(); "
    "(navigator.clipboard ? navigator.clipboard.writeText(box.value) : Promise.reject())"
    ".catch(() => document.execCommand('copy')); this.textContent='copied'; "
    "setTimeout(() => {this.textContent='copy as code'}, 1500)\">copy as code</button>"
)


class Question(dict[str, Any]):
    """A state of the knobs to be answered, and what the controls said ``before`` the answer."""

    before: Mapping[str, Any]


class Panel(widgets.VBox):
    """A widget around an explorer.

    ``state`` are the knobs' values, ``shown`` the answer to them, ``code`` its Python. ``turn(k=5)`` turns knobs and waits for
    the answer. What is shown or can be saved always belongs to the knobs: after an error there is no picture, sentence, file
    or code, and while a long computation runs the picture before is dimmed and its files cannot be saved.
    """

    def __init__(self, explorer: Explorer, given: Mapping[str, Any]) -> None:
        self.explorer = explorer
        self.shown: Shown | None = None
        self._setting: set[int] = set()
        self._tried: set[str] = set()
        self._places: Places = {}
        start = explorer.state(**given)
        self._of = {knob.name: knob.of for knob in explorer.knobs()}
        self._open = {name for name, value in start.items() if value is None and self._of[name]}
        self.controls = {knob.name: control_of(knob.kept(start[knob.name])) for knob in explorer.knobs()}
        for control in self.controls.values():
            control.observe(self._turned, names="value")
        self.picture = widgets.HTML(layout=WIDE)
        self.says = widgets.HTML(layout=WIDE)
        self.facts = widgets.HTML(layout=WIDE)
        self.problem = widgets.HTML(layout=WIDE)
        self.bar = widgets.FloatProgress(min=0, max=1, layout={"width": "180px", "visibility": "hidden"})
        self.doing = widgets.HTML()
        self.halt = widgets.Button(description="stop", tooltip="give up this computation", disabled=True)
        self.halt.layout = {"width": "70px"}
        self._worker = Worker(self._show, self._answered, self._told, self._ahead)
        self.halt.on_click(lambda _: self._worker.stop())
        self.text = widgets.Textarea(rows=12, layout=WIDE, continuous_update=False)
        self.text.add_class("ppdp-code")
        self.files = widgets.HTML(layout=WIDE)
        self._timer: threading.Timer | None = None
        self._busy, self._doing = False, (0.0, "")
        self._progress = threading.Lock()
        super().__init__(self._children(), layout={"width": "100%"})
        self.add_class("ppdp-explorer")
        try:
            # Waited for: a page that is loading itself misses what is sent to it meanwhile.
            self._worker.now(self._asking(start))
            if any(value not in (None, self.controls[name].value) for name, value in start.items()):
                self._worker.now(self._asking(self.state))  # with the nearest values that the knobs can have
        except KeyboardInterrupt:  # the notebook's own way to stop
            self._worker.stop()
            raise

    def _children(self) -> list[widgets.Widget]:
        status = widgets.HBox([self.bar, self.halt, self.doing], layout={"align_items": "center"})
        parts = {
            "ppdp-knobs": widgets.VBox([*self.controls.values(), status]),
            "ppdp-picture": widgets.VBox([self.problem, self.picture, self.says, self.files]),
            "ppdp-facts": self.facts,
        }
        for name, part in parts.items():
            part.add_class(name)
        body = widgets.Box(list(parts.values()))
        body.add_class("ppdp-body")
        code = widgets.VBox([widgets.HTML(_COPY), self.text], layout={"display": "none"})
        behind = widgets.ToggleButton(description="the Python behind it", layout={"width": "200px"})  # keys reach it
        behind.observe(lambda _: setattr(code.layout, "display", "" if behind.value else "none"), names="value")
        look = f"{_STYLE}<p style='{TEXT}'>{escape(self.explorer.look)}</p>"
        return [widgets.HTML(look, layout=WIDE), body, widgets.VBox([behind, code])]

    # ------------------------------------------------------------------ for whoever holds it
    @property
    def state(self) -> dict[str, Any]:
        """The knobs' values; None for one that waits for a value that fits a new file or table."""
        return {name: None if name in self._open else control.value for name, control in self.controls.items()}

    @property
    def code(self) -> str:
        """The Python that makes the picture."""
        return str(self.text.value)

    def turn(self, **knobs: Any) -> Shown | None:
        """Turn knobs and wait for the answer; None if there is none, and ``problem`` then says why."""
        self.explorer.state(**knobs)  # refuses unknown names
        before = {name: self.controls[name].value for name in knobs}
        with self._by_itself():
            for name, value in knobs.items():
                self.controls[name].value = value
        self._changed(*(name for name, value in before.items() if value != self.controls[name].value))
        self._open -= set(knobs)
        self._worker.now(self._asking(self.state))
        return None if self.problem.value else self.shown

    # ------------------------------------------------------------------ asking and answering
    @contextmanager
    def _by_itself(self) -> Iterator[None]:
        """Controls that this thread sets are no questions; those that a reader turns at the same time are."""
        me = threading.get_ident()
        self._setting.add(me)
        try:
            yield
        finally:
            self._setting.discard(me)

    def _turned(self, change: Any) -> None:
        if threading.get_ident() not in self._setting:
            self._changed(*(name for name, control in self.controls.items() if control is change["owner"]))
            question = self._asking(self.state)
            self.files.value = ""  # what can be saved belongs to the knobs as they were
            self._worker.ask(question)

    def _asking(self, state: dict[str, Any]) -> Question:
        """A question for the worker, remembered as the latest one."""
        self._latest = Question(state)
        self._latest.before = {name: control.value for name, control in self.controls.items()}
        return self._latest

    def _changed(self, *names: str) -> None:
        """What was chosen for a file or table is not carried over to the next one."""
        self._open -= set(names)
        self._open |= {name for name, of in self._of.items() if set(of) & set(names)} - set(names)

    def _show(self, question: Any, work: Work) -> Shown:
        self._answering: Question = question
        return self.explorer.show(question, work)

    def _told(self, share: float, what: str) -> None:
        """Progress, from the worker's thread; it is shown only if it takes a while."""
        with self._progress:
            busy, self._doing = share < 1, (share, what)
            if busy and not self._busy:
                self._timer = threading.Timer(SHOWN_AFTER, self._show_progress)
                self._timer.daemon = True
                self._timer.start()
            elif not busy and self._timer is not None:
                self._timer.cancel()
            self._busy = busy
            if not self.halt.disabled:
                self._put_progress(busy)

    def _show_progress(self) -> None:
        with self._progress:
            if self._busy:
                self._put_progress(True)

    def _put_progress(self, busy: bool) -> None:
        share, what = self._doing
        self.bar.value, self.doing.value = share, escape(what)
        self.bar.layout.visibility, self.halt.disabled = "visible" if busy else "hidden", not busy
        for part in (self.picture, self.says, self.facts):
            (part.add_class if busy else part.remove_class)("ppdp-stale")

    def _ahead(self, state: Mapping[str, Any], work: Work) -> None:
        """Try each slider once, one stop further: what is used for the first time is read in before somebody waits for it."""
        beside = {name: next_stop(control) for name, control in self.controls.items() if name not in self._tried}
        beside = {name: value for name, value in beside.items() if value is not None}
        if beside and self._is_quick(state, work):
            for name, value in beside.items():
                with suppress(PPDPError, OSError):  # told when somebody asks for it
                    pictures.picture(self.explorer.show({**state, name: value}, work), self._places)
                self._tried.add(name)
        self._tried.update(beside)
        self.explorer.ahead(state, work)

    def _is_quick(self, state: Mapping[str, Any], work: Work) -> bool:
        """Whether what was just answered would now be answered quickly."""
        began = time.monotonic()
        self.explorer.show(state, work)
        return time.monotonic() - began < QUICK

    def _answered(self, found: Any) -> None:
        if isinstance(found, Stopped):
            self._complain("Stopped. Change a setting to start again.")
        elif isinstance(found, (PPDPError, OSError)):
            self._complain(" ".join(str(found).split()))
            with suppress(PPDPError, OSError):  # one complaint is enough
                self._fit(self.explorer.fitted(self.state))
        elif isinstance(found, BaseException):
            self._complain(f"This should not happen ({type(found).__name__}: {found}); please report it.")
        else:
            self.problem.value = ""
            self._put(found)

    def _complain(self, sentence: str) -> None:
        """One red sentence, and nothing else: what was there before belongs to other knobs."""
        self.shown = None
        for part in (self.picture, self.says, self.facts, self.files, self.text):
            part.value = ""
        self.problem.value = f"<p role='alert' style='color:#B00020;{TEXT}'>{escape(sentence)}</p>"

    def _put(self, shown: Shown) -> None:
        drawn = pictures.picture(
            shown, self._places
        )  # first of all: what is read and what is seen change at the same moment
        self.shown = shown
        self._fit(shown.knobs)
        self.text.value = shown.code
        self.says.value = f"<p aria-live='polite' style='{TEXT}'>{escape(shown.says)}</p>"
        self.facts.value = pictures.table(shown.facts)
        self.files.value = pictures.links(shown.files) if self._answering is self._latest else ""
        if self._answering is not self._latest:  # a knob was turned in between
            self.files.value = ""
        self.picture.value = drawn

    def _fit(self, knobs: Sequence[Knob]) -> None:
        """Give knobs the ranges and options that they have now."""
        asked = self._answering
        with self._by_itself():
            for knob in knobs:
                control = self.controls[knob.name]
                if any(asked[source] != self.controls[source].value for source in self._of[knob.name]):
                    continue  # there is another file by now, and its answer comes
                # The reader may have turned it since: what it says now counts, where it still can be had.
                turned = control.value != asked.before[knob.name]
                reshape(control, knob.kept(control.value if turned else asked[knob.name]))
                self._open.discard(knob.name)
