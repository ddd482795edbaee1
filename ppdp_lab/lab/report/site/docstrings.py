"""Docstrings as Markdown: the few marks of reStructuredText that numpy's style uses, for pages that do not know them."""

from __future__ import annotations

import re
from collections.abc import Callable

from ppdp_lab.lab.report.text import markdown_table

_ROLE = re.compile(r":(?:attr|class|data|func|meth|mod|exc):`(?:(~?)([\w.]+)|([^`<]+?) <([\w.]+)>)`")
_CITED = re.compile(r"\[(\d+)\]_")
_SOURCE = re.compile(r"^( *)\.\. \[(\d+)\] (.*(?:\n\1 {2,}\S.*)*)", re.MULTILINE)
_CODE = re.compile(r"^( *)\.\. code-block:: *\w*\n", re.MULTILINE)
_LITERAL = re.compile(r"::$(?=\n\n +\S)", re.MULTILINE)
_RULE = r"^ *=+(?:  +=+)+ *$"
_TABLE = re.compile(rf"({_RULE})\n(.*?){_RULE}", re.MULTILINE | re.DOTALL)
_TRIED = re.compile(r"^( *)>>> .*(?:\n\1\S.*)*", re.MULTILINE)  # an example, up to the next empty line
_PARAMETERS = re.compile(r"(?<=^Parameters\n----------\n).*?(?=^\S[^\n]*\n-{3,}$|\Z)", re.MULTILINE | re.DOTALL)
_TOGETHER = re.compile(r"^(\w+(?:, \w+)+)( ?:.*)?\n((?:    .*\n?|\n)*)", re.MULTILINE)
_CHOICES = re.compile(r"^(\w+ ?: )\{(.+)\}(?:, optional)?$", re.MULTILINE)
_EXAMPLES = re.compile(r"^ *Examples\n *-+$", re.MULTILINE)

Link = Callable[[str, str], str]


def as_code(name: str, words: str) -> str:
    """A name that is shown in its words and leads nowhere."""
    return f"`{words}`"


def to_markdown(text: str, link: Link = as_code) -> str:
    """A docstring in Markdown; ``link`` makes what is shown of a name that the text refers to, and of its words.

    >>> print(to_markdown("See :func:`load`, and [1]_ for more.\\n\\n.. [1] A. Author,\\n   2001."))
    See `load`, and \\[1\\] for more.
    <BLANKLINE>
    - \\[1\\] A. Author, 2001.
    """
    text = _ROLE.sub(lambda found: _referred(found, link), text)
    text = _SOURCE.sub(lambda found: rf"{found[1]}- \[{found[2]}\] {' '.join(found[3].split())}", text)
    text = _CITED.sub(r"\\[\1\\]", text)
    text = _CODE.sub("", text)
    text = _LITERAL.sub(":", text)
    text = _TABLE.sub(lambda found: _table(found[1], found[2]), text)
    text = _PARAMETERS.sub(lambda found: _CHOICES.sub(_one_of, _TOGETHER.sub(_apart, found[0])), text)
    before, *examples = _EXAMPLES.split(text, maxsplit=1)  # what stands there is known to be code
    return "".join([_TRIED.sub(_fenced, before), *(f"Examples\n--------{after}" for after in examples)])


def missing_sources(text: str, *further: str) -> str:
    """The sources that a docstring cites and that stand only in one of the ``further`` texts, such as that of its module.

    >>> missing_sources("As in [1]_.", "Nothing here.", ".. [1] A. Author, 2001.\\n.. [2] B. Author, 2002.")
    '.. [1] A. Author, 2001.'
    """
    own = {found[2] for found in _SOURCE.finditer(text)}
    wanted = dict.fromkeys(number for number in _CITED.findall(text) if number not in own)
    lines = []
    for number in wanted:
        sources = (found for other in further for found in _SOURCE.finditer(other) if found[2] == number)
        found = next(sources, None)
        lines += [found[0].strip()] if found else []
    return "\n".join(lines)


def with_note(text: str, note: str) -> str:
    """A docstring with a paragraph after its first one.

    >>> with_note("First.\\n\\nSecond.", "Note."), with_note("First.", "")
    ('First.\\n\\nNote.\\n\\nSecond.', 'First.')
    """
    first, _, rest = text.partition("\n\n")
    return "\n\n".join(filter(None, (first, note, rest)))


def _referred(found: re.Match[str], link: Link) -> str:
    """A reference by its name, by the last part of the name after a tilde, or by words of its own."""
    tilde, name, words, target = found.groups()
    return link(target, words) if target else link(name, name.rpartition(".")[2] if tilde else name)


def _apart(found: re.Match[str]) -> str:
    """Parameters that are explained together, one by one: each has a type and a default of its own."""
    words = found[3].rstrip("\n")
    entries = [f"{name}{found[2] or ''}\n{words}".rstrip("\n") for name in found[1].split(", ")]
    return "\n".join(entries) + found[3][len(words) :]


def _one_of(found: re.Match[str]) -> str:
    """Choices as a union: of choices in braces, griffe shows the first one as the default, whatever the signature says."""
    return f"{found[1]}{found[2].replace(', ', ' | ')}"


def _fenced(found: re.Match[str]) -> str:
    """An example as a block of code, without what is meant for doctest alone."""
    lines = [re.sub(r" *# doctest: .*$", "", line[len(found[1]) :]) for line in found[0].splitlines()]
    return "\n".join(["```pycon", *lines, "```"])


def _table(rule: str, body: str) -> str:
    """A table of two or more columns without a header; a row that begins with blanks goes on with the one before it."""
    starts = [found.start() for found in re.finditer("=+", rule)]
    rows: list[list[str]] = []
    for line in body.splitlines():
        cells = [line[start:end].strip() for start, end in zip(starts, [*starts[1:], None])]
        if cells[0] or not rows:
            rows.append(cells)
        else:
            rows[-1] = [f"{before} {more}".strip() for before, more in zip(rows[-1], cells)]
    return markdown_table([""] * len(starts), rows)
