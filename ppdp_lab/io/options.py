"""What a user may say about how a file is read."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from ppdp_lab.errors import ParameterError, PPDPWarning, check_choice, check_separator, listed, unknown
from ppdp_lab.table.schema import CATEGORY, DROP, GAPS, MISSING, REFUSE, VALUE
from ppdp_lab.text import OneLine

PYTHON, TOML, COMMAND_LINE = "Python", "TOML", "command line"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a file is read; what is not said is found in the file.

    Parameters
    ----------
    separator : str, optional
        Between the fields of a CSV file; found among comma, semicolon, tab and ``|`` unless given.
    decimal : str, optional
        ``"."`` or ``","``; found unless given.
    encoding : str, optional
        Such as ``"cp1252"``. Unless given: UTF-8, with or without a byte order mark, UTF-16 or UTF-32 with one, else cp1252
        (Western European), which is pointed out.
    missing : str
        What to do with a missing cell of a quasi-identifier or sensitive column. ``"refuse"`` it; publish it as the
        ``"value"`` ``(missing)``, which protects nobody: privacy rules judge the known values of a sensitive column alone; as
        a ``"category"``, published alike, which counts as any other value; or ``"drop"`` its row. Columns keep their type.
    missing_values : list of str
        What means "missing", to the letter. An empty cell is always missing, and ``(missing)`` where missing cells are
        published so; NA, null, NaN, ``?`` and the like are values unless they are listed here.
    text : list of str
        Columns that are text, whatever they look like.
    numbers : list of str
        Columns that are numbers, even if they look like codes, such as 007; what is no number there is refused.
    guarded : bool
        Whether the file was written with ``guard``: the mark before cells that a spreadsheet takes for formulas is
        taken off.

    Examples
    --------
    >>> Reading(separator=";", missing_values=["NA", "?"]).missing_values
    ('NA', '?')
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: str = REFUSE
    missing_values: Any = ()
    text: Any = ()
    numbers: Any = ()
    guarded: bool = False

    _door: ClassVar[str] = PYTHON  # where the options were given; see spelled

    def __post_init__(self) -> None:
        if self.separator is not None:
            check_separator(self.separator)
            if not self.separator.isascii() or self.separator.isalnum() or self.separator == "\0":
                raise ParameterError(f"separator must be a sign such as ';' or a tab, not {self.separator!r}")
        if self.decimal is not None:
            check_choice("decimal", self.decimal, (".", ","))
        check_choice("missing", self.missing, GAPS)
        for name in ("missing_values", "text", "numbers"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        both = [name for name in self.text if name in self.numbers]
        if both:
            raise ParameterError(f"text and numbers both name {listed(both)}; choose one")
        if not isinstance(self.guarded, bool):
            raise ParameterError(f"guarded must be true or false, not {self.guarded!r}")
        if self.encoding is not None:
            _check_encoding(self.encoding)

    @classmethod
    def of(cls, said: Mapping[str, Any], where: str) -> Reading:
        """The options that a description or a command line gives; ``where`` begins the words of a refusal.

        >>> Reading.of({"decimal": "."}, "my.toml: ").decimal
        '.'
        """
        for key in said:
            if key not in OPTIONS:
                raise ParameterError(f"{where}{unknown('reading option', key, OPTIONS)}")
        try:
            options = cls(**said)
        except ParameterError as error:
            raise ParameterError(f"{where}{error}") from None
        object.__setattr__(options, "_door", COMMAND_LINE if where == "--" else TOML)
        return options

    def spelled(self, name: str, value: str = "") -> str:
        """How to set an option where these came from: in Python, in a TOML file or on the command line.

        >>> Reading().spelled("missing", "drop")
        'missing="drop"'
        >>> Reading.of({}, "my.toml: ").spelled("missing", "drop"), Reading.of({}, "--").spelled("missing_values")
        ('missing = "drop"', '--missing-values')
        """
        if self._door == COMMAND_LINE:
            return f"--{name.replace('_', '-')}{' ' + value if value else ''}"
        if not value:
            return name
        return f'{name} = "{value}"' if self._door == TOML else f'{name}="{value}"'


OPTIONS = tuple(field.name for field in fields(Reading))


def _texts(name: str, values: Any) -> tuple[str, ...]:
    given = (values,) if isinstance(values, str) else values
    if not isinstance(given, Iterable):
        raise ParameterError(f"{name} must be a list of texts, not {values!r}")
    out = tuple(given)
    strange = [value for value in out if not isinstance(value, str)]
    if strange:
        raise ParameterError(f"{name} must be a list of texts, but holds {listed(strange)}; put quotes around each")
    return out


def _check_encoding(encoding: Any) -> None:
    try:
        found = codecs.lookup(encoding)
        "a".encode(encoding)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise ParameterError(
            f"encoding must be the name of a text encoding, such as 'utf-8' or 'cp1252', not {encoding!r}"
        ) from None
    if not getattr(found, "_is_text_encoding", True):
        raise ParameterError(f"encoding {encoding!r} is no encoding of text; use one such as 'utf-8' or 'cp1252'")


# --------------------------------------------------------------------
# What the reader decided, for people to check.


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
