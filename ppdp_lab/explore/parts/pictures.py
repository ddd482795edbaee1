"""Figures as HTML: drawings that fit their place, and whose parts, where they have words, show them on hovering."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from ppdp_lab import pages, plotting

if TYPE_CHECKING:
    from ppdp_lab.explore.base import Shown

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
