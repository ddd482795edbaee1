"""A file that somebody drops on a page: its columns, which roles they may play, and the table that comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ppdp_lab import holder
from ppdp_lab.errors import PPDPError, SchemaError
from ppdp_lab.holder import OwnTable
from ppdp_lab.table import Schema
from ppdp_lab.table.files import Reading, read_file
from ppdp_lab.table.from_files import NEARLY

GUESSED = 4  # quasi-identifiers, at first


class Dropped:
    """A dropped file; it is read once for its columns, and once for every choice of roles.

    >>> rows = "".join(f"P{i},{20 + i % 7},{'flu' if i % 2 else 'cold'},{1000 + i}\\n" for i in range(30))
    >>> file = Dropped("people.csv", f"name,age,illness,number\\n{rows}".encode())
    >>> file.guess(), sorted(file.naming)
    ((('age',), ('illness',)), ['name', 'number'])
    """

    def __init__(self, name: str, content: bytes) -> None:
        self.name, self.content = name, content
        with self._on_disk() as path:
            frame = read_file(path, Reading(missing="value")).frame  # gaps matter only in columns that get a role
        self.columns = tuple(map(str, frame.columns))
        self.naming = frozenset(str(c) for c in frame.columns if frame[c].nunique() >= NEARLY * len(frame))
        self._latest: tuple[object, OwnTable] | None = None

    @contextmanager
    def _on_disk(self) -> Iterator[Path]:
        """The file as a file, for as long as it is read; nobody else can open the folder, and no error names it."""
        with TemporaryDirectory(prefix="ppdp_lab-") as folder:
            path = Path(folder) / Path(self.name).name
            path.write_bytes(self.content)
            try:
                yield path
            except PPDPError as error:
                error.args = tuple(str(word).replace(str(path), self.name) for word in error.args)
                raise

    def guess(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Quasi-identifiers and sensitive columns: the last column that does not name people is the secret."""
        *others, last = [c for c in self.columns if c not in self.naming] or [self.columns[0]]
        return (tuple(others[:GUESSED]), (last,)) if others else ((last,), ())

    def table(self, quasi: list[str], secret: list[str], missing: str) -> OwnTable:
        """The table for some roles, the same one as long as they stay."""
        both = [column for column in quasi if column in secret]
        if both:
            raise SchemaError(f"{both[0]!r} is marked twice: somebody may know it, or it stays secret; choose one")
        asked = (tuple(quasi), tuple(secret), missing)
        if self._latest is None or self._latest[0] != asked:
            with self._on_disk() as path:
                own = holder.read_own_file(path, Schema(quasi, secret), {}, Reading(missing=missing))
            self._latest = asked, own
        return self._latest[1]
