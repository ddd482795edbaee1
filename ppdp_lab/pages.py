"""The one maker of self-contained HTML: what objects show in a notebook, and the pages of a report.

Everything here returns :class:`Html`, text that is HTML already; any other text is escaped when it is put into some. Nothing is
loaded from elsewhere, no script is written, and the style follows JupyterLab's light and dark themes. Fragments are well formed:
every element is closed, every attribute quoted.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from ppdp_lab.text import readable

GENERATOR, SHORT = "ppdp_lab report", 24
LONGEST, MOST_COLUMNS = 200, 25  # letters of a cell, and columns of a table, unless it is asked for more
# Letters that no page may hold: control characters, and halves of pairs that cannot be encoded.
_STRANGE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

# The class stands twice where JupyterLab has rules of its own, which would win otherwise.
STYLE = """
.ppdp-lab { color: inherit; font-size: 13px; line-height: 1.45; max-width: 60em; text-align: left; }
.ppdp-lab > header { font-weight: 600; margin: 0 0 .3em; }
.ppdp-lab p { margin: .3em 0; white-space: pre-line; }
.ppdp-lab table { border-collapse: collapse; table-layout: auto; margin: .4em 0; font-size: 12px;
  background: transparent; color: inherit; }
.ppdp-lab.ppdp-lab table th, .ppdp-lab.ppdp-lab table td {
  border-bottom: 1px solid rgba(128, 128, 128, .3); padding: .15em .7em .15em 0;
  text-align: left; vertical-align: top; background: transparent; color: inherit; white-space: normal; }
.ppdp-lab.ppdp-lab table thead th { border-bottom: 1px solid rgba(128, 128, 128, .8); font-weight: 600; }
.ppdp-lab.ppdp-lab table tbody th { font-weight: 400; opacity: .75; }
.ppdp-lab.ppdp-lab table .short { white-space: nowrap; }
.ppdp-lab.ppdp-lab table td.number { text-align: right; font-variant-numeric: tabular-nums; }
.ppdp-lab details { margin: .1em 0; }
.ppdp-lab summary { cursor: pointer; } .ppdp-lab ul { padding: 0 0 0 1.1em; list-style: none; margin: 0; }
.ppdp-lab small, .ppdp-lab figcaption { font-size: 11px; opacity: .75; }
.ppdp-lab figure { margin: .6em 0; } .ppdp-lab img { background: white; max-width: 100%; height: auto; }
.ppdp-lab .good::before { content: "\\2713\\00a0"; color: #2a9d6f; }
.ppdp-lab .bad::before { content: "\\2717\\00a0"; color: #d55e00; }
"""
_PAGE = """
:root { color-scheme: light dark; }
body { font-family: system-ui, sans-serif; margin: 2em auto; padding: 0 1.2em; max-width: 64em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 2em; } h3 { font-size: 1em; margin-bottom: .2em; }
"""


class Html(str):
    """Text that is HTML already and is not escaped again."""

    __slots__ = ()


def text(value: object) -> Html:
    """A value as HTML: escaped, unless it is HTML already.

    >>> text("a < b"), text(Html("<b>a</b>"))
    ('a &lt; b', '<b>a</b>')
    """
    return value if isinstance(value, Html) else Html(html.escape(_STRANGE.sub("\ufffd", str(value))))


def element(name: str, *content: object, **attributes: str) -> Html:
    """An element around its content; ``class_`` stands for the attribute of that name.

    >>> element("p", "1 < 2", class_="note")
    '<p class="note">1 &lt; 2</p>'
    """
    said = "".join(f' {key.rstrip("_")}="{text(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{said}>{''.join(map(text, content))}</{name}>")


def paragraph(*content: object) -> Html:
    """Some text; its line breaks stay."""
    return element("p", *content)


def verdict(holds: bool, *content: object) -> Html:
    """A sentence with a mark that says whether all is well."""
    return element("p", *content, class_="good" if holds else "bad")


def pairs(said: Mapping[str, object]) -> Html:
    """Names and what belongs to them, one pair a line.

    >>> pairs({"records": 3})
    '<table><tbody><tr><th class="short">records</th><td>3</td></tr></tbody></table>'
    """
    rows = [element("tr", _heading(name), element("td", value)) for name, value in said.items()]
    return element("table", element("tbody", *rows)) if rows else Html("")


def _heading(name: str) -> Html:
    return element("th", name, class_="short" if len(name) <= SHORT else "long")


def table(
    header: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    limit: int | None = None,
    longest: int | None = LONGEST,
    columns: int | None = MOST_COLUMNS,
    last: Collection[object] = (),
) -> Html:
    """A small table; of more than ``limit`` rows the first ones, and how many more there are. Numbers stand to the right.

    So it stays small whatever a table holds: of more ``columns`` the first ones are shown and after them those named in
    ``last``, and texts of more than ``longest`` letters are cut. What is HTML already stays whole.
    """
    every = list(rows)
    shown = every if limit is None else every[:limit]
    kept, moved = _columns(header, len(header) if columns is None else columns, last)
    head = element("thead", element("tr", *(element("th", shortened(header[i], longest)) for i in kept)))
    body = element("tbody", *(element("tr", *(_cell(row[i], longest) for i in kept)) for row in shown))
    rest, beside = len(every) - len(shown), len(header) - len(kept)
    where = f" before the last {moved}" if moved else ""
    more = [f"and {rest} more"] * bool(rest) + [f"and {beside} more columns{where}"] * bool(beside)
    return Html(element("table", head, body) + "".join(element("small", words) for words in more))


def _columns(header: Sequence[object], most: int, last: Collection[object]) -> tuple[list[int], int]:
    """Which columns are shown, and how many of them stand at the end because they are named."""
    named = [i for i in range(most, len(header)) if header[i] in last][: most - 1]
    return [*range(min(most - len(named), len(header))), *named], len(named)


def shortened(value: object, longest: int | None = LONGEST) -> object:
    """A text of at most so many letters, and a mark where more of it was; anything else as it is.

    >>> shortened("a long story", 8), shortened("short", 8)
    ('a lon...', 'short')
    """
    if longest is None or isinstance(value, Html) or not isinstance(value, str) or len(value) <= longest:
        return value
    return value[: longest - 3] + "..."


def _cell(value: object, longest: int | None) -> Html:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return element("td", readable(value) if isinstance(value, float) else value, class_="number")
    if isinstance(value, datetime):  # as intervals of dates are written: without a time if it is midnight
        value = value.isoformat().removesuffix("T00:00:00")
    return element("td", shortened(value, longest), class_="short" if len(str(value)) <= SHORT else "long")


def folded(summary: object, *content: object, opened: bool = False) -> Html:
    """Content that a click on its summary shows and hides."""
    start = Html('<details open="open">' if opened else "<details>")
    return Html(f"{start}{element('summary', summary)}{''.join(map(text, content))}</details>")


def listing(items: Iterable[object]) -> Html:
    """A list without marks."""
    return element("ul", *(element("li", item) for item in items))


def section(title: object, *content: object, level: int = 2) -> Html:
    """A heading and what stands under it."""
    return element("section", element(f"h{level}", title), *content)


def picture(content: bytes, caption: object = "", *, alt: object = "", width: int | None = None) -> Html:
    """A PNG or SVG, within the page, and its caption; ``alt`` is for those who cannot see it, the caption unless given."""
    kind = "png" if content.startswith(b"\x89PNG") else "svg+xml"
    source = f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"
    size = f' width="{width}"' if width else ""
    image = Html(f'<img alt="{text(alt or caption)}"{size} src="{source}" />')
    return element("figure", image, element("figcaption", caption) if caption else "")


def card(title: object, *content: object) -> Html:
    """What an object shows of itself in a notebook: a title, and a few lines under it."""
    return element("div", element("style", Html(STYLE)), element("header", title), *content, class_="ppdp-lab")


def page(title: object, *content: object) -> str:
    """A whole page, as a file holds it."""
    head = element(
        "head",
        Html('<meta charset="utf-8" />'),
        Html(f'<meta name="generator" content="{GENERATOR}" />'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1" />'),
        element("title", title),
        element("style", Html(_PAGE + STYLE.replace("max-width: 60em", "max-width: none"))),
    )
    body = element("body", element("main", element("h1", title), *content, class_="ppdp-lab"))
    return "<!DOCTYPE html>\n" + element("html", head, body, lang="en") + "\n"


def is_report(content: bytes) -> bool:
    """Whether a file's beginning says that :func:`page` wrote it."""
    return f'name="generator" content="{GENERATOR}"'.encode() in content[:400]
