"""The widget of each kind of knob."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from ppdp_lab import pages, plotting
from ppdp_lab.errors import comes_with
from ppdp_lab.explore.base import File, Knob, Pick, Several, Stops, Typed, Whole

if TYPE_CHECKING:
    from ppdp_lab.explore.base import Shown


with comes_with("explore"):
    import ipywidgets as widgets
    import traitlets

WIDE = {"width": "100%"}


class Drop(widgets.VBox):
    """A place to drop a file, a button to pick one, one to forget it; ``value`` is its name and content, or None."""

    value = traitlets.Any(None, allow_none=True)
    disabled = traitlets.Bool(False)

    def __init__(self, knob: File) -> None:
        self._button = widgets.FileUpload(accept=knob.kinds, multiple=False, description="pick a file")
        self._text = widgets.Textarea(layout={"display": "none"})
        self._words = knob.label
        self._zone = widgets.HTML(_zone(knob.label))
        self.forget = widgets.Button(description="forget it", tooltip="go back to the table", disabled=True)
        self.forget.layout = {"width": "90px"}
        self.forget.on_click(self._forgotten)
        super().__init__([self._zone, widgets.HBox([self._button, self.forget]), self._text], layout=WIDE)
        self.add_class("ppdp-drop")
        self._button.observe(self._picked, names="value")
        self._text.observe(self._dropped, names="value")
        if knob.value is not None:
            self._take(*knob.value)

    def _picked(self, _: Any) -> None:
        if self._button.value:
            self._take(self._button.value[0]["name"], bytes(self._button.value[0]["content"]))

    def _dropped(self, _: Any) -> None:
        name, _, data = self._text.value.partition("\n")
        if data:
            self._take(name, base64.b64decode(data.partition(",")[2]))

    def _take(self, name: str, content: bytes) -> None:
        self._zone.value = _zone(f"{name}: {len(content):,} bytes", kept=f"Still in use: {name}")
        self.forget.disabled = False
        self.value = (name, content)

    def _forgotten(self, _: Any) -> None:
        self._zone.value = _zone(self._words)
        self.forget.disabled = True
        self._text.value, self._button.value = "", ()  # the same file may come again
        self.value = None


def _zone(words: str, kept: str = "") -> str:
    """The place to drop a file: what is dropped goes, as text, into the field beside it, whose changes come to Python.

    ``kept`` names the file that stays in use if what is dropped next is no single file.
    """
    take = (
        "event.preventDefault(); const file = event.dataTransfer.files[0], zone = this; "
        "const refuse = why => { zone.innerText = why + '; drop one CSV or parquet file. ' + zone.dataset.kept; }; "
        "if (event.dataTransfer.files.length !== 1) return refuse(file ? 'these are several files' : 'this is no file'); "
        "const reader = new FileReader(); reader.onerror = () => refuse(file.name + ' cannot be read'); "
        "const box = zone.closest('.ppdp-drop').querySelector('textarea'); reader.onload = () => "
        "{ box.value = file.name + '\\n' + reader.result; "
        "for (const kind of ['input', 'change']) box.dispatchEvent(new Event(kind, {bubbles: true})); }; "
        "reader.readAsDataURL(file);"
    )
    return (
        f'<div class="ppdp-zone" data-kept="{escape(kept)}" ondragover="event.preventDefault()" ondrop="{escape(take)}" '
        f'style="border:2px dashed #888;border-radius:6px;padding:14px;text-align:center;line-height:1.4">{escape(words)}</div>'
    )


def control_of(knob: Knob) -> Any:
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
        return widgets.SelectionSlider(options=_words(knob), value=knob.value, **shape)
    if isinstance(knob, Typed):
        return widgets.Combobox(value=knob.value, options=tuple(knob.options), continuous_update=False, **shape)
    if isinstance(knob, File):
        return Drop(knob)
    return widgets.Checkbox(knob.value, indent=True, **shape)


def _rows(knob: Several) -> int:
    return min(max(len(knob.options), 2), 8)


def _words(knob: Stops) -> list[tuple[str, Any]]:
    return [
        (knob.words.get(option, f"{option:g}" if isinstance(option, float) else str(option)), option)
        for option in knob.options
    ]


def next_stop(control: Any) -> Any:
    """The value beside that of a slider; None for other widgets, and for those that cannot be turned now."""
    if control.disabled or not isinstance(control, (widgets.IntSlider, widgets.SelectionSlider)):
        return None
    if isinstance(control, widgets.IntSlider):
        beside = control.value + 1 if control.value < control.max else control.value - 1
        return beside if beside >= control.min else None
    values = [value for _, value in control.options]
    at = values.index(control.value)
    return values[at - 1] if at else (values[1] if len(values) > 1 else None)


def reshape(control: Any, knob: Knob) -> None:
    """Give a widget the range or options of a knob, and grey it where it changes nothing.

    A value that is right already is not set again: the reader may be turning the widget just now.
    """
    was = control.value
    control.disabled = knob.idle
    if isinstance(knob, Whole):
        control.min, control.max = min(knob.low, control.max), max(knob.high, control.min)  # never crossed
        control.min, control.max = knob.low, knob.high
        if knob.value != was:
            control.value = knob.value
    elif isinstance(knob, Stops):
        options: list[Any] = list(knob.options) if isinstance(knob, Several) else _words(knob)
        others = list(control.options) != options
        if others:
            control.options = options
        if isinstance(knob, Several):
            control.rows = _rows(knob)
        if others or knob.value != was:
            control.value = knob.value
    elif not isinstance(knob, File) and knob.value != was:
        control.value = knob.value


# --------------------------------------------------------------------
# Figures as HTML: drawings that fit their place, and whose parts, where they have words, show them on hovering.


# Never so small that its letters cannot be read: where the place is narrower, the picture is moved sideways in it.
STYLE = "width:100%;height:auto;min-width:520px;max-width:{width}px;display:block;fill:#000"  # letters, in any theme
FONTS = ("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")  # letters are as wide in both
MOVED = '<div style="overflow-x:auto">{}</div>'


def picture(shown: Shown, places: plotting.Places | None = None) -> str:
    """The figure as HTML with its words for those who cannot see it; ``places`` remembers how pictures are laid out."""
    width = int(shown.figure.get_size_inches()[0] * 120)
    style, alt = STYLE.format(width=width), escape(shown.alt, quote=True)
    drawing = plotting.image(shown.figure, "svg", letters=True, places=places).decode().replace(*FONTS)
    body = drawing[drawing.index("<svg") :]
    box = re.search(r'viewBox="[^"]+"', body)
    head = f'<svg role="img" aria-label="{alt}" style="{style}" {box[0] if box else ""} '
    head += 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg" version="1.1">'
    body = _titled(body[body.index(">") + 1 :], shown.hover)
    return MOVED.format(head + body)


def _titled(drawing: str, hover: Mapping[str, str | Sequence[str]]) -> str:
    """A drawing whose groups, or the marks of a group, have titles; browsers show them where the pointer rests."""
    pieces = re.split(r'(<g id="([^"]+)">)', drawing)
    out = [pieces[0]]
    for opening, name, rest in zip(pieces[1::3], pieces[2::3], pieces[3::3]):
        words = hover.get(name, ())
        out += [opening, f"<title>{escape(words)}</title>{rest}" if isinstance(words, str) else _marked(rest, words)]
    return "".join(out)


def _marked(group: str, words: Sequence[str]) -> str:
    """A group in which each of the first marks has its title; where there are few, each is drawn by itself."""
    kind, titles = "use" if "<use" in group else "path", iter(words)

    def title(mark: re.Match[str]) -> str:
        return f"<{kind}{mark[1]}><title>{escape(next(titles))}</title></{kind}>"

    return re.sub(rf"<{kind}\b([^>]*)/>", title, group, count=len(words)) if words else group


def table(rows: Sequence[Sequence[str]]) -> str:
    """A small table; the first row is its header."""
    return pages.card("", pages.table(rows[0], rows[1:])) if rows else ""


def links(files: Mapping[str, bytes]) -> str:
    """Links that save files; their contents go along, nothing is left on a disk."""
    out = []
    for name, content in files.items():
        kind = "text/csv" if name.endswith(".csv") else "text/plain"
        data = base64.b64encode(content).decode()
        look = "color:inherit;text-decoration:underline"  # Voila's and JupyterLab's links look like any other word
        out.append(f'<a download="{escape(name)}" style="{look}" href="data:{kind};base64,{data}">{escape(name)}</a>')
    return f"take along: {', '.join(out)}" if out else ""
