"""An explorer on the screen: knobs on the left, the picture on the right, below it what it says and the code that makes it."""

from __future__ import annotations

import base64
import threading
from collections.abc import Mapping
from html import escape
from typing import Any

from ppdp_lab.errors import PPDPError, comes_with
from ppdp_lab.explore import pictures
from ppdp_lab.explore.base import Explorer, File, Knob, Pick, Several, Shown, Stopped, Stops, Typed, Whole
from ppdp_lab.explore.worker import Worker

with comes_with("explore"):
    import ipywidgets as widgets
    import traitlets

SHOWN_AFTER = 0.4  # seconds: what is quicker needs no progress bar
WIDE = {"width": "100%"}
TEXT = "max-width:62em;line-height:1.45;margin:4px 0"
_COPY = (
    "<button type='button' class='jupyter-button' aria-label='copy as code' onclick=\"const box="
    "this.closest('.ppdp-explorer').querySelector('.ppdp-code textarea'); box.select(); "
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
        self.facts = widgets.HTML(layout=WIDE)
        self.problem = widgets.HTML(layout=WIDE)
        self.bar = widgets.FloatProgress(min=0, max=1, layout={"width": "180px", "visibility": "hidden"})
        self.doing = widgets.HTML()
        self.halt = widgets.Button(description="stop", tooltip="give up this computation", disabled=True)
        self.halt.layout = {"width": "70px"}
        self._worker = Worker(explorer.show, self._answered, self._told)
        self.halt.on_click(lambda _: self._worker.stop())
        self.text = widgets.Textarea(rows=12, layout=WIDE, continuous_update=False)
        self.text.add_class("ppdp-code")
        self.files = widgets.HTML(layout=WIDE)
        self._timer: threading.Timer | None = None
        self._busy = False
        super().__init__(self._children(), layout={"width": "100%"})
        self.add_class("ppdp-explorer")
        self._worker.now(start)

    def _children(self) -> list[widgets.Widget]:
        status = widgets.HBox([self.bar, self.halt, self.doing], layout={"align_items": "center"})
        left = widgets.VBox(
            [*self.controls.values(), status, self.facts],
            layout={"flex": "0 1 380px", "min_width": "280px", "padding": "0 16px 0 0"},
        )
        right = widgets.VBox([self.problem, self.picture, self.says, self.files])
        right.layout = {"flex": "1 1 560px", "min_width": "280px"}
        code = widgets.Accordion([widgets.VBox([widgets.HTML(_COPY), self.text])], titles=["the Python behind it"])
        return [
            widgets.HTML(f"<p style='{TEXT}'>{escape(self.explorer.look)}</p>", layout=WIDE),
            widgets.HBox([left, right], layout={"flex_flow": "row wrap", "width": "100%"}),
            code,
        ]

    # ------------------------------------------------------------------ for whoever holds it
    @property
    def state(self) -> dict[str, Any]:
        """The knobs' values."""
        return {name: control.value for name, control in self.controls.items()}

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
        self.problem.value = f"<p role='alert' style='color:#B00020;{TEXT}'>{escape(sentence)}</p>"

    def _put(self, shown: Shown) -> None:
        self.shown = shown
        self._quiet = True
        try:
            for knob in shown.knobs:
                control = self.controls[knob.name]
                # The reader may have turned it since: what it says now counts, where it still can be had.
                self._shapes[knob.name] = knob = knob.kept(control.value)
                _reshape(control, knob)
        finally:
            self._quiet = False
        self.text.value = shown.code
        self.says.value = f"<p aria-live='polite' style='{TEXT}'>{escape(shown.says)}</p>"
        self.facts.value = pictures.table(shown.facts)
        self.files.value = pictures.links(shown.files)
        self.picture.value = pictures.picture(shown)


# ---------------------------------------------------------------------- knobs as widgets
class Drop(widgets.VBox):
    """A place to drop a file, and a button to pick one; ``value`` is its name and content, or None."""

    value = traitlets.Any(None, allow_none=True)
    disabled = traitlets.Bool(False)

    def __init__(self, knob: File) -> None:
        self._button = widgets.FileUpload(accept=knob.kinds, multiple=False, description="pick a file")
        self._text = widgets.Textarea(layout={"display": "none"})
        self._zone = widgets.HTML(_zone(knob.label))
        super().__init__([self._zone, self._button, self._text], layout=WIDE)
        self.add_class("ppdp-drop")
        self._button.observe(self._picked, names="value")
        self._text.observe(self._dropped, names="value")

    def _picked(self, _: Any) -> None:
        if self._button.value:
            self._take(self._button.value[0]["name"], bytes(self._button.value[0]["content"]))

    def _dropped(self, _: Any) -> None:
        name, _, data = self._text.value.partition("\n")
        if data:
            self._take(name, base64.b64decode(data.partition(",")[2]))

    def _take(self, name: str, content: bytes) -> None:
        self._zone.value = _zone(f"{name}: {len(content):,} bytes")
        self.value = (name, content)


def _zone(words: str) -> str:
    """The place to drop a file: what is dropped goes, as text, into the field beside it, whose changes come to Python."""
    take = (
        "event.preventDefault(); const file = event.dataTransfer.files[0]; if (!file) return; const reader = new FileReader(); "
        "const box = this.closest('.ppdp-drop').querySelector('textarea'); reader.onload = () => "
        "{ box.value = file.name + '\\n' + reader.result; "
        "for (const kind of ['input', 'change']) box.dispatchEvent(new Event(kind, {bubbles: true})); }; "
        "reader.readAsDataURL(file);"
    )
    return (
        f'<div class="ppdp-zone" ondragover="event.preventDefault()" ondrop="{escape(take)}" style="border:2px dashed #888;'
        f'border-radius:6px;padding:14px;text-align:center;line-height:1.4">{escape(words)}</div>'
    )


def _control(knob: Knob) -> Any:
    """The widget of a knob."""
    shape: dict[str, Any] = {
        "description": knob.label,
        "style": {"description_width": "128px"},
        "layout": {"width": "100%"},
    }
    if isinstance(knob, Whole):
        return widgets.IntSlider(knob.value, knob.low, knob.high, **shape)
    if isinstance(knob, Several):
        return widgets.SelectMultiple(options=list(knob.options), value=tuple(knob.value), rows=_rows(knob), **shape)
    if isinstance(knob, Pick):
        return widgets.Dropdown(options=_words(knob), value=knob.value, **shape)
    if isinstance(knob, Stops):
        return widgets.SelectionSlider(options=_numbers(knob), value=knob.value, **shape)
    if isinstance(knob, Typed):
        return widgets.Combobox(value=knob.value, options=tuple(knob.options), continuous_update=False, **shape)
    if isinstance(knob, File):
        return Drop(knob)
    return widgets.Checkbox(knob.value, indent=True, **shape)


def _rows(knob: Several) -> int:
    return min(max(len(knob.options), 2), 8)


def _words(knob: Pick) -> list[tuple[str, Any]]:
    return [(knob.words.get(option, str(option)), option) for option in knob.options]


def _numbers(knob: Stops) -> list[tuple[str, Any]]:
    return [(f"{option:g}" if isinstance(option, float) else str(option), option) for option in knob.options]


def _reshape(control: Any, knob: Knob) -> None:
    """Give a widget the range or options of a knob, and grey it where it changes nothing."""
    control.disabled = knob.idle
    if isinstance(knob, Whole):
        control.min, control.max = min(knob.low, control.max), max(knob.high, control.min)  # never crossed
        control.min, control.max = knob.low, knob.high
        control.value = knob.value
    elif isinstance(knob, Stops):
        options = list(knob.options) if isinstance(knob, Several) else None
        options = options or (_words(knob) if isinstance(knob, Pick) else _numbers(knob))
        if list(control.options) != options:
            control.options = options
        if isinstance(knob, Several):
            control.rows = _rows(knob)
        control.value = knob.value
    elif not isinstance(knob, File):
        control.value = knob.value
