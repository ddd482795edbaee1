"""The command that serves the explorers."""

from __future__ import annotations

from typing import Annotated

import typer

from ppdp_lab.cli.base import DataFolder, app, root_folder, say, use_data
from ppdp_lab.errors import comes_with


@app.command()
def explore(
    port: Annotated[int, typer.Option("--port", help="A port of this machine; a free one unless given.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, open nothing.")] = False,
    data_dir: DataFolder = None,
) -> None:
    """Open the explorers in a browser; they are served on this machine only, behind a token."""
    with comes_with("explore"):
        import ipywidgets  # noqa: F401
        import voila  # noqa: F401
    from ppdp_lab.explore.serving import serve
    from ppdp_lab.lab.catalogue import notebooks

    use_data(data_dir)
    serve(notebooks("explore", root_folder()), port=port, browser=not no_browser, say=say)
