"""The built pages: links lead somewhere, nothing is loaded from elsewhere, all that there is has its place."""

from __future__ import annotations

import ast
import functools
import html
import http.server
import inspect
import pkgutil
import re
import shutil
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from docs.conftest import ROOT

from docs.builder.pages import Site

pytestmark = pytest.mark.slow
LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "link": "href",
    "object": "data",
    "embed": "src",
}
PATIENCE = 300_000  # milliseconds: a loaded machine takes long to lay out a page
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Page(HTMLParser):
    """What a page loads, where it leads, and which places on it can be led to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        self.places |= {said[key] or "" for key in ("id", "name") if key in said}
        if LOADED.get(tag) in said:
            self.loads.append(said[LOADED[tag]] or "")
        if tag == "a" and "href" in said:
            self.leads.append(said["href"] or "")


@pytest.fixture(scope="module")
def pages(built: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(built.rglob("*.html")) if path.name != "404.html"}


def test_nothing_is_loaded_from_elsewhere(built: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        assert page.loads and not [url for url in page.loads if re.match(r"(\w+:)?//", url)], path
    for path in built.rglob("*.css"):
        urls = re.findall(r"(?:url\(|@import\s+)[\"']?([^\"')\s]+)", path.read_text(encoding="utf-8"))
        assert not [url for url in urls if re.match(r"(https?:)?//", url)], path


def test_every_link_leads_to_a_page_and_a_place_on_it(pages: dict[Path, Page]) -> None:
    wrong = []
    for path, page in pages.items():
        for link in page.leads + page.loads:
            target, _, place = unquote(link).partition("#")
            if re.match(r"\w+:", target):
                continue
            there = (path.parent / target).resolve() if target else path
            there = there / "index.html" if there.is_dir() else there
            if not there.is_file() or (place and there in pages and place not in pages[there].places | {"__top"}):
                wrong.append(f"{path.name}: {link}")
    assert not wrong


def test_every_member_and_public_name_can_be_led_to(pages: dict[Path, Page], site: Site) -> None:
    places = set().union(*(page.places for page in pages.values()))
    for room in site.rooms:
        for name in room.names:
            assert f"ppdp_lab.{room.name}.{name}" in places, f"{room.name}.{name}"


def test_docstrings_are_shown_as_they_are_meant(built: Path) -> None:
    for path in (built / "reference").glob("*.html"):
        text = re.sub(r"<(code|pre)\b.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        left = re.findall(r":(?:class|func|meth|attr|data|mod):|\[\d\]_|\.\. \[|&gt;&gt;&gt;|^::: ", text, re.MULTILINE)
        assert not left, (path.name, left[:5])
    attacks = (built / "reference" / "attacks.html").read_text(encoding="utf-8")
    knowledge = attacks.partition('id="ppdp_lab.attacks.background_knowledge"')[2].partition("Examples:")[0]
    (row,) = [row for row in re.findall(r"<tr.*?</tr>", knowledge, re.DOTALL) if "<code>background</code>" in row]
    assert "Background" in row and "None" in row and "required" not in row, "explained with another, of its own type"
    commands = (built / "reference" / "commands.html").read_text(encoding="utf-8")
    assert not re.findall(r"[\w,]\.\.\.</li>", commands), "the list of commands says whole sentences"
    mondrian = (built / "reference" / "anonymize.html").read_text(encoding="utf-8")
    assert "Mondrian multidimensional k-anonymity" in mondrian, "cited by the class, named by its module"


def shown_as_text(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup))


def documented(built: Path) -> Iterator[tuple[str, str]]:
    """Every name that the reference has a heading for, with what the page says about it, up to the next heading."""
    for path in sorted((built / "reference").glob("*.html")):
        text = path.read_text(encoding="utf-8")
        parts = re.split(r'<h\d id="(ppdp_lab\.[\w.]+)"[^>]*class="doc doc-heading"', text)
        yield from zip(parts[1::2], parts[2::2])


def is_same(shown: str, default: object) -> bool:
    """Whether a page shows a default: by its value, or by its source if it is no plain value."""
    try:
        plain = ast.literal_eval(repr(default))
    except (SyntaxError, ValueError):  # a function, a member of an enumeration
        return True
    try:
        return bool(ast.literal_eval(shown) == plain)
    except ValueError:  # the name of a constant
        return False


def test_defaults_are_those_of_the_signature(built: Path) -> None:
    counted, wrong = 0, []
    for path, body in documented(built):
        try:
            signature = inspect.signature(pkgutil.resolve_name(path))
        except (AttributeError, TypeError, ValueError):  # no function, or an attribute of instances
            continue
        shown = {}
        section = re.search(r"Parameters:</span>.*?<tbody>(.*?)</tbody>", body, re.DOTALL)
        for row in re.findall(r"<tr\b.*?</tr>", section[1] if section else "", re.DOTALL):
            cells = [shown_as_text(cell).strip() for cell in re.findall(r"<td.*?>(.*?)</td>", row, re.DOTALL)]
            shown["table", cells[0]] = None if cells[-1] == "required" else cells[-1]
        written = re.search(r'<div class="doc-signature.*?<code>(.*?)</code>', body, re.DOTALL)
        source = shown_as_text(written[1]).strip() if written else ""
        if re.match(r"\w+\(", source):  # not the value of a constant
            made = ast.parse(f"def {source}: ...").body[0]
            assert isinstance(made, ast.FunctionDef)
            args = made.args
            plain = [*args.posonlyargs, *args.args]
            values = [*[None] * (len(plain) - len(args.defaults)), *args.defaults, *args.kw_defaults]
            both = zip([*plain, *args.kwonlyargs], values, strict=True)
            shown |= {("signature", arg.arg): value and ast.unparse(value) for arg, value in both}
        for (place, name), said in shown.items():
            if name not in signature.parameters:  # handed on as **keywords
                continue
            default = signature.parameters[name].default
            counted += 1
            required = default is inspect.Parameter.empty
            if (said is None) != required or (said is not None and not is_same(said, default)):
                wrong.append(f"{path} {name}: {place} has {said}, not {default!r}")
    assert counted > 800 and not wrong, "\n".join(wrong)


def test_docstrings_refer_only_to_what_the_reference_documents(built: Path) -> None:
    wrong = []
    for path in (built / "reference").glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "<autoref" not in text
        # What autorefs finds nowhere is left as a span; docstrings write references as code.
        wrong += [f"{path.name}: {name}" for name in re.findall(r'<span title="([^"]*)"><code>', text)]
    assert not wrong, wrong
    page = (built / "reference" / "anonymize.html").read_text(encoding="utf-8")
    assert page.count('href="anonymize.lattice.html#ppdp_lab.anonymize.lattice.LatticeSearch"') > 20


def test_a_member_stands_with_its_paper_its_notebooks_and_its_verdicts(built: Path, site: Site) -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (built / "reference").glob("*.html")}
    members = [member for member in site.members() if member.defined]
    assert len(members) > 50
    for member in members:
        room = member.place.split(".")[1]
        _, _, text = texts[room].partition(f'id="{member.place}"')
        text = text.partition('class="doc doc-object doc-')[0]
        papers = html.escape(member.entry.paper, quote=False)
        assert f"<em>Paper:</em> {papers}" in text, member.place
        for name in member.verdicts:
            assert f'href="../gallery/{name}.html"' in text, (member.place, name)


def test_every_page_is_in_the_table_of_contents(built: Path, site: Site) -> None:
    front = (built / "index.html").read_text(encoding="utf-8")
    wanted = [*site.made(), *(p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md"))]
    for place in wanted:
        page = re.sub(r"\.md$", ".html", place)
        assert (built / page).is_file() and (page == "index.html" or f'href="{page}"' in front), place


@pytest.fixture
def served(built: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(built)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.skipif(not CHROMIUM, reason="no chromium on the path")
def test_a_browser_asks_nobody_else_finds_what_it_searches_and_fits_a_phone(served: str) -> None:
    play = pytest.importorskip("playwright.sync_api")
    quiet = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync"
    with play.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=[*quiet.split(), "--disable-component-update"])
        tab = browser.new_page(viewport={"width": 390, "height": 800})
        tab.set_default_timeout(PATIENCE)
        asked: list[str] = []
        tab.on("request", lambda request: asked.append(request.url))
        for place in ("gallery/index.html", "reference/anonymize.html", "implemented.html", "notebooks/tour.html", ""):
            tab.goto(served + place)
            assert tab.evaluate("document.documentElement.scrollWidth") <= 390, f"{place} is wider than a phone"
        tab.set_viewport_size({"width": 1280, "height": 800})
        tab.goto(served + "reference/republish.html")
        right = "Math.max(...[...document.querySelectorAll('article table')].map(t => t.getBoundingClientRect().right))"
        edge = "document.querySelector('article').getBoundingClientRect().right"
        assert tab.evaluate(right) <= tab.evaluate(edge) + 1, (
            "all of a parameter can be read: name, type, words, default"
        )
        tab.locator("input.md-search__input").fill("counterfeit")
        tab.wait_for_selector(".md-search-result__item")
        browser.close()
    assert len(asked) > 10 and all(url.startswith((served, "data:", "blob:")) for url in asked), set(asked)
