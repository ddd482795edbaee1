"""What mkdocs calls while it builds: pages from docs.builder, docstrings as Markdown. Nothing is made here."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any

import griffe
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the mkdocs command does not look for modules in the working folder

from docs.builder.pages import Site, nav  # noqa: E402
from docs.builder.reference import default_of, missing_sources, place_of, to_markdown, with_note  # noqa: E402


@cache
def site() -> Site:
    """The pages, made once for each build."""
    return Site(ROOT, commands())


def commands() -> str:
    """What the command line says of itself."""
    import typer
    from typer.cli import get_docs_for_click

    from ppdp_lab.cli import app

    command = typer.main.get_command(app)
    say_whole(command)
    text = get_docs_for_click(obj=command, ctx=typer.Context(command, info_name="ppdp-lab"), name="ppdp-lab")
    return re.sub(r"^# .*\n", "", text, count=1)


def say_whole(command: Any) -> None:
    """Let a list of commands show the whole first sentence of each, not its first 45 letters."""
    for each in getattr(command, "commands", {}).values():
        each.short_help = " ".join((each.help or "").partition("\n\n")[0].split())
        say_whole(each)


def on_config(config: Any) -> Any:
    """Nothing is remembered from the build before, so that `mkdocs serve` sees what changed."""
    site.cache_clear()
    return config


def on_files(files: Any, config: Any) -> Any:
    """Enter the pages and pictures that do not lie in docs/, and fill the table of contents."""
    for place, content in site().made().items():
        files.append(File.generated(config, place, content=content))
    for place, path in site().pictures().items():
        files.append(File.generated(config, place, abs_src_path=str(path)))
    config.nav = nav(config.nav, [file.src_uri for file in files.documentation_pages()])
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fill the marks of a page that was written by hand."""
    return markdown if page.file.generated_by else site().filled(markdown)


class Docstrings(griffe.Extension):
    """Docstrings as Markdown, before mkdocstrings reads them, and defaults by their values.

    A source that only the module names stands with each citation; what the registries know of a member, with the member.
    """

    def on_package(self, *, pkg: Any, **_: Any) -> None:
        said = {thing.path: thing.docstring.value for thing in walk(pkg) if thing.docstring is not None}
        notes = {member.defined: member.note() for member in site().members()}
        for thing in walk(pkg):
            for parameter in thing.parameters if thing.is_function else ():
                if parameter.default is not None:
                    parameter.default = default_of(thing.path, parameter.name) or parameter.default
            if thing.docstring is not None:
                text = said[thing.path]
                more = missing_sources(text, *(said.get(place, "") for place in above(thing)))
                text += f"\n\nReferences\n----------\n{more}" if more else ""
                text = with_note(text, notes.get(thing.path, ""))
                thing.docstring.value = to_markdown(text, partial(linked, thing))


def walk(thing: Any) -> Iterator[Any]:
    """A thing and all that is defined in it."""
    yield thing
    for member in thing.members.values():
        if not member.is_alias:
            yield from walk(member)


def above(thing: Any) -> Iterator[str]:
    """What a thing is defined in, from the inside out."""
    while (thing := thing.parent) is not None:
        yield thing.path


def linked(thing: Any, name: str, words: str) -> str:
    """A name that a docstring refers to, linked to its place in the reference; a private one, which has none, as code."""
    if name.rpartition(".")[2].startswith("_"):
        return f"<code>{escape(words)}</code>"
    try:
        path = thing.resolve(name)
    except griffe.NameResolutionError:
        path = place_of(name, site().rooms) or name
    with suppress(KeyError, griffe.AliasResolutionError):
        found = thing.modules_collection[path]
        if (
            found.is_attribute and found.parent.is_class and not found.has_docstring
        ):  # explained in the table of its class
            path = found.parent.path
    return f'<autoref identifier="{escape(path)}" optional><code>{escape(words)}</code></autoref>'
