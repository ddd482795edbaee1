"""``ppdp-lab explore``: all explorers in a browser, on this machine only, behind a token."""

from __future__ import annotations

import json
import logging
import secrets
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ppdp_lab import pages
from ppdp_lab.errors import DataFileError
from ppdp_lab.explore.base import EXPLORERS
from ppdp_lab.registry import Entry

HOST = "127.0.0.1"
LARGEST = 256 * 2**20  # bytes of a file that is dropped on a page


def notebook_of(entry: Entry[Any], folder: Path) -> Path:
    """The notebook of an explorer."""
    return folder / f"{entry.name}.ipynb"


def title_of(notebook: Path) -> str:
    """The heading that a notebook begins with; the file's name, where somebody has taken it out."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        first = "".join(cells[0]["source"]).partition("\n")[0] if cells else ""
    except (OSError, ValueError, KeyError, TypeError):  # Voila says what is wrong, to whoever opens it
        first = ""
    return first.removeprefix("# ") if first.startswith("# ") else notebook.stem


def start_page(folder: Path, base: str = "/") -> str:
    """The page that lists the explorers whose notebooks lie in a folder."""
    rows = []
    for entry in EXPLORERS.entries():
        about = (entry.member.__doc__ or "").strip().splitlines()[0]
        link = pages.element("a", title_of(notebook_of(entry, folder)), href=f"{base}voila/render/{entry.name}.ipynb")
        rows.append((link, about, entry.paper))
    words = (
        "Turn the knobs and see what happens to risk, loss and what an adversary learns. Each page has a Python of its own, so "
        "two pages do not disturb each other; it starts within a few seconds."
    )
    return pages.page("Explorers", pages.paragraph(words), pages.table(("explorer", "what it shows", "paper"), rows))


def serve(folder: Path, *, port: int = 0, browser: bool = True, say: Callable[[str], None] = print) -> None:
    """Serve the notebooks of a folder until interrupted; port 0 takes a free one."""
    lacking = [entry.name for entry in EXPLORERS.entries() if not notebook_of(entry, folder).is_file()]
    if lacking:
        raise DataFileError(
            f"no notebook of {', '.join(lacking)} in {str(folder)!r}; run this in the repository, or name it with --root"
        )
    from tornado.httpserver import HTTPServer
    from tornado.netutil import bind_sockets

    token = secrets.token_urlsafe(24)
    try:
        sockets = bind_sockets(port, HOST)
    except OverflowError:
        raise DataFileError(f"a port is a number from 1 to 65535, not {port}") from None
    except OSError as error:
        raise DataFileError(f"port {port} cannot be had: {error.strerror}; choose another with --port") from None
    app = _application(folder, token, sockets[0].getsockname()[1])

    def listen() -> None:
        HTTPServer(app.app).add_sockets(sockets)
        url = f"http://{HOST}:{app.port}/?token={token}"
        say(f"{url}\nThe explorers are served on this machine only. Ctrl-C ends it.")
        if browser:
            webbrowser.open(url)
        _until_interrupted(app)

    app.listen = listen
    app.start()
    say("\nEnded.")


def _until_interrupted(app: Any) -> None:
    from tornado.ioloop import IOLoop

    app.ioloop = IOLoop.current()
    try:
        app.ioloop.start()
    except KeyboardInterrupt:
        pass
    finally:
        app.stop()


def _headers(port: int) -> dict[str, str]:
    """Pages load what this server has, and nothing else: Voila's would fetch icons, which it brings along, from elsewhere."""
    own = f"'self' ws://{HOST}:{port}"
    return {
        "Content-Security-Policy": f"default-src {own} 'unsafe-inline' 'unsafe-eval' data: blob:; frame-ancestors 'self'"
    }


def _application(folder: Path, token: str, port: int) -> Any:
    """Voila over the folder, with a start page of our own."""
    from jupyter_server.base.handlers import JupyterHandler
    from tornado import web
    from voila.app import Voila

    class Start(JupyterHandler):
        """The start page."""

        @web.authenticated
        def get(self) -> None:
            self.finish(start_page(folder, self.base_url))

    class Explorers(Voila):
        """Voila, which would list files otherwise."""

        def init_handlers(self) -> list[Any]:
            return [("/", Start), *super().init_handlers()]

    app = Explorers()
    app.initialize([])
    app.log.setLevel(logging.WARNING)
    app.root_dir, app.ip, app.port, app.token = str(folder), HOST, port, token
    app.open_browser = False
    app.tornado_settings = {"websocket_max_message_size": LARGEST, "headers": _headers(port)}
    return app
