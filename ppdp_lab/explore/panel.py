"""An explorer on the screen: knobs on the left, the picture on the right, below it what it says and the code that makes it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from html import escape
from typing import Any

import ipywidgets as widgets

from ppdp_lab.errors import PPDPError
from ppdp_lab.explore import pictures
from ppdp_lab.explore.base import Explorer, File, Knob, Pick, Several, Shown, Stopped, Stops, Typed, Whole, Work
from ppdp_lab.explore.worker import Worker

SHOWN_AFTER = 0.4  # seconds: what is quicker needs no progress bar
WIDE = {"width": "100%"}
_COPY = (
    "<button type='button' class='jupyter-button' aria-label='copy as code' onclick=\"const box="
    "this.closest('.ppdp-explorer').querySelector('textarea'); box.select(); "
    "(navigator.clipboard ? navigator.clipboard.writeText(box.value) : Promise.reject())"
    ".catch(() => document.execCommand('copy')); this.textContent='copied'; "
    "setTimeout(() => {this.textContent='copy as code'}, 1500)\">copy as code</button>"
)


class Panel(widgets.VBox):
    """A widget around an explorer.

    ``state`` are the knobs' values, ``shown`` the latest answer, ``code`` its Python. ``turn(k=5)`` turns knobs and waits for
    the answer.
    """

    def __init__(self, explorer: Explorer, given: Mapping[str, Any]) -> None:
        self.explorer = explorer
        self.shown: Shown | None = None
        self._quiet = False
        self._shapes = {knob.name: knob for knob in explorer.knobs()}
        start = explorer.state(**given)
        self.controls = {name: _control(knob.kept(start[name])) for name, knob in self._shapes.items()}
        for control in self.controls.values():
            control.observe(self._turned, names="value")
        self.picture = widgets.HTML(layout=WIDE)
        self.says = widgets.HTML(layout=WIDE)
        self.problem = widgets.HTML(layout=WIDE)
        self.bar = widgets.FloatProgress(min=0, max=1, layout={"width": "180px", "visibility": "hidden"})
        self.doing = widgets.HTML()
        self.halt = widgets.Button(description="stop", tooltip="give up this computation", disabled=True)
        self.halt.layout = {"width": "70px"}
        self.halt.on_click(lambda _: self._worker.stop())
        self.text = widgets.Textarea(rows=12, layout=WIDE, continuous_update=False)
        self.files = widgets.HTML(layout=WIDE)
        self._timer: threading.Timer | None = None
        self._busy = False
        self._worker = Worker(explorer.show, self._answered, self._told)
        super().__init__(self._children(), layout={"width": "100%"})
        self.add_class("ppdp-explorer")
        self._worker.now(start)

    def _children(self) -> list[widgets.Widget]:
        status = widgets.HBox([self.bar, self.halt, self.doing], layout={"align_items": "center"})
        left = widgets.VBox(
            [*self.controls.values(), status], layout={"flex": "0 1 340px", "min_width": "260px", "padding": "0 16px 0 0"}
        )
        right = widgets.VBox([self.problem, self.picture, self.says, self.files])
        right.layout = {"flex": "1 1 420px", "min_width": "280px"}
        code = widgets.Accordion([widgets.VBox([widgets.HTML(_COPY), self.text])], titles=["the Python behind it"])
        head = f"<h3 style='margin:0'>{escape(self.explorer.title)}</h3><p style='max-width:60em'>"
        return [
            widgets.HTML(f"{head}{escape(self.explorer.look)}</p>", layout=WIDE),
            widgets.HBox([left, right], layout={"flex_flow": "row wrap", "width": "100%"}),
            code,
        ]

    # ------------------------------------------------------------------ for whoever holds it
    @property
    def state(self) -> dict[str, Any]:
        """The knobs' values."""
        return {name: _value(self._shapes[name], control) for name, control in self.controls.items()}

    @property
    def code(self) -> str:
        """The Python that makes the picture."""
        return str(self.text.value)

    def turn(self, **knobs: Any) -> Shown | None:
        """Turn knobs and wait for the answer; None if there is none, and ``problem`` then says why."""
        self.explorer.state(**knobs)  # refuses unknown names
        self._quiet = True
        try:
            for name, value in knobs.items():
                self.controls[name].value = value
        finally:
            self._quiet = False
        self._worker.now(self.state)
        return None if self.problem.value else self.shown

    # ------------------------------------------------------------------ asking and answering
    def _turned(self, _: Any) -> None:
        if not self._quiet:
            self._worker.ask(self.state)

    def _told(self, share: float, what: str) -> None:
        """Progress, from the worker's thread; a bar comes only if it takes a while."""
        busy = share < 1
        if busy and not self._busy:
            self._timer = threading.Timer(SHOWN_AFTER, self._show_progress)
            self._timer.daemon = True
            self._timer.start()
        elif not busy and self._timer is not None:
            self._timer.cancel()
            self.bar.layout.visibility, self.halt.disabled = "hidden", True
        self._busy = busy
        self.bar.value, self.doing.value = share, escape(what)

    def _show_progress(self) -> None:
        if self._busy:
            self.bar.layout.visibility, self.halt.disabled = "visible", False

    def _answered(self, found: Any) -> None:
        if isinstance(found, Stopped):
            self._complain("Stopped; the picture is the one before. Turn a knob to go on.")
        elif isinstance(found, (PPDPError, OSError)):
            self._complain(" ".join(str(found).split()))
        elif isinstance(found, BaseException):
            self._complain(f"This should not happen ({type(found).__name__}: {found}); please report it.")
        else:
            self.problem.value = ""
            self._put(found)

    def _complain(self, sentence: str) -> None:
        self.problem.value = f"<p role='alert' style='color:#B00020;max-width:60em'>{escape(sentence)}</p>"

    def _put(self, shown: Shown) -> None:
        self.shown = shown
        self._quiet = True
        try:
            for knob in shown.knobs:
                control = self.controls[knob.name]
                # The reader may have turned it since: what it says now counts, where it still can be had.
                self._shapes[knob.name] = knob = knob.kept(_value(self._shapes[knob.name], control))
                _reshape(control, knob)
        finally:
            self._quiet = False
        self.text.value = shown.code
        says = f"<p aria-live='polite' style='max-width:60em'>{escape(shown.says)}</p>"
        self.says.value = says + pictures.table(shown.facts)
        self.files.value = pictures.links(shown.files)
        self.picture.value = pictures.picture(shown)


# ---------------------------------------------------------------------- knobs as widgets
def _control(knob: Knob) -> Any:
    """The widget of a knob."""
    shape: dict[str, Any] = {
        "description": knob.label,
        "style": {"description_width": "110px"},
        "layout": {"width": "100%"},
    }
    if isinstance(knob, Whole):
        return widgets.IntSlider(knob.value, knob.low, knob.high, **shape)
    if isinstance(knob, Several):
        rows = min(max(len(knob.options), 2), 8)
        return widgets.SelectMultiple(options=list(knob.options), value=tuple(knob.value), rows=rows, **shape)
    if isinstance(knob, Pick):
        return widgets.Dropdown(options=_words(knob), value=knob.value, **shape)
    if isinstance(knob, Stops):
        return widgets.SelectionSlider(options=_numbers(knob), value=knob.value, **shape)
    if isinstance(knob, Typed):
        return widgets.Combobox(value=knob.value, options=tuple(knob.options), continuous_update=False, **shape)
    if isinstance(knob, File):
        return widgets.FileUpload(accept=knob.kinds, multiple=False, **(shape | {"description": knob.label}))
    return widgets.Checkbox(knob.value, indent=True, **shape)


def _words(knob: Pick) -> list[tuple[str, Any]]:
    return [(knob.words.get(option, str(option)), option) for option in knob.options]


def _numbers(knob: Stops) -> list[tuple[str, Any]]:
    return [(f"{option:g}" if isinstance(option, float) else str(option), option) for option in knob.options]


def _value(knob: Knob, control: Any) -> Any:
    """What a widget says, as the state has it."""
    if isinstance(knob, File):
        return None if not control.value else (control.value[0]["name"], bytes(control.value[0]["content"]))
    return control.value


def _reshape(control: Any, knob: Knob) -> None:
    """Give a widget the range or options of a knob."""
    if isinstance(knob, Whole):
        control.min, control.max = min(knob.low, control.max), max(knob.high, control.min)  # never crossed
        control.min, control.max = knob.low, knob.high
        control.value = knob.value
    elif isinstance(knob, Stops):
        options = list(knob.options) if isinstance(knob, Several) else None
        options = options or (_words(knob) if isinstance(knob, Pick) else _numbers(knob))
        if list(control.options) != options:
            control.options = options
        control.value = knob.value
    elif not isinstance(knob, File):
        control.value = knob.value
