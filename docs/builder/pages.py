"""Texts that stand elsewhere in the repository and are shown on a page: each has one source."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from docs.builder import gallery, reference
from docs.builder import members as implemented
from docs.builder.reference import to_markdown
from docs.builder.scores import PAPERS, Card, read_scorecard
from ppdp_lab.errors import DataFileError, unknown
from ppdp_lab.lab import catalogue
from ppdp_lab.lab.catalogue import PACKAGE
from ppdp_lab.lab.experiment import Experiment
from ppdp_lab.text import markdown_table

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


# --------------------------------------------------------------------
# All pages put together: those that are made whole, and what fills the marks of those that are written by hand.
#
# A mark is a line such as ``{{ whole SECURITY.md }}`` in a page under ``docs/``; :data:`MARKS` says which there are.


_MARK = re.compile(r"^\{\{ (\w+)((?: [^{}]*)?) \}\}$", re.MULTILINE)


FOLDERS = {"": "Experiments", "exercises": "Exercises", "explore": "Explorers"}  # of notebooks


class Site:
    """The pages of a source tree; ``commands`` is what the command line says of itself, as Markdown."""

    def __init__(self, root: Path, commands: str = "") -> None:
        self.root, self.commands = root.resolve(), commands
        self.figures = self.root / "figures"
        self.notebooks = gallery.found_in(self.root / "notebooks")

    @cached_property
    def experiments(self) -> list[Experiment]:
        """All experiments, those of the papers as well as others."""
        return catalogue.experiments(self.root)

    @cached_property
    def cards(self) -> dict[str, Card]:
        """The committed scorecard."""
        return read_scorecard(self.figures / "SCORECARD.md")

    @cached_property
    def rooms(self) -> list[reference.Room]:
        """The rooms of the package."""
        return reference.rooms(PACKAGE)

    def members(self) -> list[implemented.Member]:
        """Every member of every family, with what is known about it."""
        explorers = (path for path in self.notebooks if path.parent.name == "explore")
        return implemented.members(self.rooms, self.experiments, self.cards, explorers)

    def made(self) -> dict[str, str]:
        """Every page that nobody writes, by its place: experiments, notebooks, rooms."""
        owner = {experiment.notebook.resolve(): experiment for experiment in self.experiments}
        pages = {}
        for each in self.experiments:
            notebook = "../" + page_of(each.notebook.resolve().relative_to(self.root).as_posix())
            pages[f"gallery/{each.name}.md"] = gallery.page(each, self.cards.get(each.name), notebook)
        for path in self.notebooks:
            place = path.relative_to(self.root)
            up = "../" * len(place.parent.parts)
            experiment = owner.get(path.resolve())
            card = self.cards.get(experiment.name) if experiment else None
            pages[page_of(place.as_posix())] = gallery.notebook_page(path, experiment, card, up)
        first = {member.place for member in self.members()}
        return pages | {f"reference/{room.name}.md": reference.page(room, first) for room in self.rooms}

    def pictures(self) -> dict[str, Path]:
        """The files of the gallery, by their place among the pages."""
        found = (path for path in sorted(self.figures.rglob("*")) if path.suffix in (".png", ".svg"))
        return {path.relative_to(self.root).as_posix(): path for path in found}

    def filled(self, text: str) -> str:
        """A page that was written by hand, its marks filled."""
        return _MARK.sub(lambda found: self._fill(found[1], found[2].strip()), text)

    def _fill(self, mark: str, said: str) -> str:
        if mark not in MARKS:
            raise unknown("mark", mark, list(MARKS))
        return MARKS[mark](self, *([said] if said else []))

    def titles(self) -> str:
        """All notebooks with their titles, folder by folder, those of the experiments first."""
        folders: dict[str, list[tuple[str, str]]] = {"": []}
        for path in self.notebooks:
            place = path.relative_to(self.root / "notebooks").with_suffix("")
            first = next((c["source"] for c in gallery.cells_of(path) if c["cell_type"] == "markdown"), "")
            title = first.partition("\n")[0].lstrip("# ")
            folder = "" if place.parent == Path() else place.parent.as_posix()
            folders.setdefault(folder, []).append((f"[{place.name}]({place.as_posix()}.md)", title))
        return "\n\n".join(
            f"## {FOLDERS.get(folder, folder)}\n\n{markdown_table(('notebook', 'what it is about'), rows)}"
            for folder, rows in folders.items()
        )

    def experiment(self, name: str) -> Experiment:
        """An experiment by its name."""
        known = {experiment.name: experiment for experiment in self.experiments}
        if name not in known:
            raise unknown("experiment", name, list(known))
        return known[name]

    def shown(self, name: str) -> str:
        """The figures of one experiment, and how its claims were judged in all."""
        found, card = self.experiment(name), self.cards.get(name)
        said = f"{card.summary()}; {card.made}." if card else f"{gallery.NOT_JUDGED.capitalize()}."
        pictures = [gallery.picture(found, figure, card, "") for figure in found.figures]
        return "\n\n".join([f"[{found.title}](gallery/{name}.md): {said}", *pictures])

    def claims(self, said: str) -> str:
        """Some claims of an experiment, by their ids, or all of them; what was measured, and the verdicts."""
        name, *ids = said.split()
        every = {claim.id: claim for claim in self.experiment(name).claims}
        for missing in (id for id in ids if id not in every):
            raise unknown(f"claim of {name}:", missing, list(every))
        return "\n\n".join(gallery.claims([every[id] for id in ids or every], self.cards.get(name)))


def nav(said: list[Any], pages: list[str]) -> list[Any]:
    """The table of contents: an entry that ends in ``/`` becomes all pages of that folder, one without a page is left out.

    >>> nav([{"Home": "index.md"}, {"Course": "classroom.md"}, {"Rooms": "r/"}], ["index.md", "r/b.md", "r/c/d.md", "r/index.md"])
    [{'Home': 'index.md'}, {'Rooms': ['r/index.md', {'b': 'r/b.md'}, {'c': [{'d': 'r/c/d.md'}]}]}]
    """
    out: list[Any] = []
    for entry in said:
        ((title, place),) = entry.items()
        if isinstance(place, list):
            out.append({title: nav(place, pages)})
        elif place.endswith("/"):
            out.append({title: _folder(place, pages)})
        elif place in pages:
            out.append(entry)
    return out


def _folder(place: str, pages: list[str]) -> list[Any]:
    """All pages of a folder: the one about it first, then single ones, then folders within it."""
    inside = sorted(page[len(place) :] for page in pages if page.startswith(place))
    single = [page for page in inside if "/" not in page and page != "index.md"]
    within = dict.fromkeys(page.partition("/")[0] for page in inside if "/" in page)
    first = [f"{place}index.md"] if "index.md" in inside else []
    named = [{page.removesuffix(".md").replace("_", " "): place + page} for page in single]
    return [*first, *named, *({name: _folder(f"{place}{name}/", pages)} for name in within)]


def _publishers(site: Site) -> str:
    from ppdp_lab.republish import PUBLISHERS

    rows = [
        (reference.link(f"ppdp_lab.republish.{entry.name}"), entry.promises, entry.accepts, entry.paper)
        for entry in PUBLISHERS.entries()
    ]
    return markdown_table(("publisher", "promises", "accepts", "paper"), rows)


MARKS: Mapping[str, Callable[..., str]] = {
    "whole": lambda site, name: whole(site.root, name),
    "papers": lambda site: "\n".join(f"- {paper}" for paper in PAPERS.values()),
    "docstring": lambda site, name: to_markdown(inspect.getdoc(resolve_name(name)) or ""),
    "gallery": lambda site: gallery.index(site.experiments, site.cards),
    "figures": Site.shown,
    "claims": Site.claims,
    "notebooks": Site.titles,
    "rooms": lambda site: reference.index(site.rooms, {member.place for member in site.members()}),
    "implemented": lambda site: implemented.tables(site.members()),
    "publishers": _publishers,
    "commands": lambda site: site.commands,
}
"""What a mark in a page stands for, by its first word; further words are handed on."""
