"""What the reader decided, for people to check."""

from __future__ import annotations

from dataclasses import dataclass, field

from ppdp_lab.errors import PPDPWarning
from ppdp_lab.registry import OneLine
from ppdp_lab.table.files.options import Reading
from ppdp_lab.table.schema import CATEGORY, DROP, MISSING, VALUE

_SIGNS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "|", " ": "blank"}


class ReadingWarning(PPDPWarning):
    """The reader chose between several ways to understand a file."""


@dataclass
class FileReport(OneLine):
    """How one file was read: what was found, what was given, and what a person should look at.

    Attributes
    ----------
    file, form : str
        The file, and ``"CSV"``, ``"parquet"`` or ``"Arrow"``.
    rows : int
        Rows that were kept.
    separator, decimal, encoding : str or None
        Of a CSV file; ``given`` names those that the user gave.
    columns : dict of str to str
        What each column was taken for, and why if that may surprise.
    missing : dict of str to int
        Missing cells per column, where there are any.
    rows_dropped : int
    notes : list of str
        What may be wrong.
    """

    file: str
    form: str
    options: Reading
    rows: int = 0
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    given: tuple[str, ...] = ()
    columns: dict[str, str] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    rows_dropped: int = 0
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"read {self.file} as {self.form}: {self.rows:,} rows"]
        if self.form == "CSV":
            said = {
                "separator": _SIGNS.get(str(self.separator), repr(self.separator)),
                "decimal": f"decimal {_SIGNS.get(str(self.decimal), 'point')}",
                "encoding": str(self.encoding),
            }
            shown = [f"{words} ({'given' if name in self.given else 'found'})" for name, words in said.items()]
            lines.append(f"  separator {', '.join(shown)}")
        by_kind: dict[str, list[str]] = {}
        for name, kind in self.columns.items():
            by_kind.setdefault(kind, []).append(name)
        lines += [f"  {kind}: {_shortened(names)}" for kind, names in by_kind.items()]
        lines.append(f"  missing: {self._missing_words()}")
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)

    def _missing_words(self) -> str:
        marks = " or ".join(["an empty cell", *map(repr, self.options.missing_values)])
        if not self.missing:
            return f"nothing ({marks} would be)"
        counts = ", ".join(f"{count:,} of {name}" for name, count in self.missing.items())
        if self.options.missing == DROP:
            return f"{counts} ({marks}); {self.rows_dropped:,} rows dropped"
        if self.options.missing in (VALUE, CATEGORY):
            counted = " and counted as a value" if self.options.missing == CATEGORY else ""
            return f"{counts} ({marks}); published as {MISSING}{counted}"
        return f"{counts} ({marks})"


def _shortened(names: list[str], limit: int = 12) -> str:
    rest = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {rest} more" if rest > 0 else "")
