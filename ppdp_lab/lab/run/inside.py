"""How far a cell is: what its progress bars say, read off the messages of the kernel while it runs."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from typing import Any

_SHARE = re.compile(r"^(?:(?P<what>.*?):)?\s*(?P<share>\d+)%")


class CellProgress:
    """Tells what the bars of the running cell say, such as ``seed 33%, k 67%``; an outer bar stands before an inner one.

    tqdm draws widgets in a notebook, and text on stderr where there are none; both say ``name: 33%``. A bar that is full
    says nothing any more.

    >>> told = []
    >>> progress = CellProgress(told.append)
    >>> progress.see({"msg_type": "stream", "content": {"name": "stderr", "text": "\\rseed:  33%|###       | 1/3"}})
    >>> told
    ['seed 33%']
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self.bars: dict[str, str] = {}

    def begin(self) -> None:
        """A new cell: the bars of the last one are gone."""
        self.bars.clear()

    def see(self, message: Mapping[str, Any]) -> None:
        """Look at one message."""
        kind, content = message.get("msg_type", ""), message.get("content", {})
        if kind == "stream" and content.get("name") == "stderr":
            self._says("stderr", re.split(r"[\r\n]", content.get("text", "").rstrip())[-1])
        elif kind in ("comm_open", "comm_msg"):
            value = content.get("data", {}).get("state", {}).get("value")
            if isinstance(value, str):
                self._says(content.get("comm_id", ""), html.unescape(value))

    def _says(self, bar: str, text: str) -> None:
        found = _SHARE.match(text.strip())
        if found is None:
            return
        before = dict(self.bars)
        if int(found["share"]) >= 100:
            self.bars.pop(bar, None)
        else:
            self.bars[bar] = f"{(found['what'] or '').strip()} {found['share']}%".strip()
        if self.bars and self.bars != before:
            self.tell(", ".join(self.bars.values()))
