"""Texts that stand elsewhere in the repository and are shown on a page: each has one source."""

from __future__ import annotations

import re
from pathlib import Path

from ppdp_lab.errors import DataFileError

_LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
_SPAN = re.compile(r"```.*?^ *```|`[^`\n]*`", re.MULTILINE | re.DOTALL)

PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "license.md",
    "figures/SCORECARD.md": "gallery/index.md",
}
"""Files of the repository that a page stands for."""


def page_of(path: str) -> str:
    """Where a file of the repository is found among the pages, seen from the front page.

    >>> page_of("SECURITY.md"), page_of("notebooks/tour.ipynb"), page_of("docs/recipes.md"), page_of("figures/tour/idea.png")
    ('security.md', 'notebooks/tour.md', 'recipes.md', 'figures/tour/idea.png')
    """
    if path in PAGES:
        return PAGES[path]
    path = path.removeprefix("docs/")
    return re.sub(r"\.ipynb$", ".md", path)


def linked(text: str) -> str:
    """A text of the repository's top folder whose links lead to pages; code stays as it is.

    >>> linked("See [the holes](SECURITY.md#reporting-a-hole), not `[a](LICENSE)`.")
    'See [the holes](security.md#reporting-a-hole), not `[a](LICENSE)`.'
    """
    code = [(found.start(), found.end()) for found in _SPAN.finditer(text)]

    def lead(found: re.Match[str]) -> str:
        outside = not any(start <= found.start() < end for start, end in code)
        here = outside and not re.match(r"\w+:", found[2])
        return f"{found[1]}{page_of(found[2])}{found[3]}" if here else found[0]

    return _LINK.sub(lead, text)


def whole(root: Path, name: str) -> str:
    """A file of the top folder, its links leading to pages."""
    path = root / name
    if not path.is_file():
        raise DataFileError(f"no file {name!r} in {root} for a page to show")
    return linked(path.read_text(encoding="utf-8"))
