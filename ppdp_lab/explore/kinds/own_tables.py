"""Own table: drop a file, say the roles, see risk before and after, take release and code along."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from ppdp_lab import holder
from ppdp_lab.anonymize import ANONYMIZERS, Anonymizer
from ppdp_lab.errors import SchemaError
from ppdp_lab.explore import drawings
from ppdp_lab.explore.base import EXPLORERS, Explorer, File, Knob, Pick, Several, Shown, Stops, Whole, Work
from ppdp_lab.explore.code import call, script
from ppdp_lab.explore.given import Tables
from ppdp_lab.release import Release
from ppdp_lab.table import Microdata, Schema
from ppdp_lab.table.files import read_file

NO_T = "none"
PUBLISHED = "published.csv"
EXACT = "Quasi-identifiers are published as they are: that is the risk of linking a person to a secret. "
MOST = 30_000_000  # bytes that a page is given to save


class OwnTables(Explorer):
    """One's own file, anonymized."""

    title = "Own table"
    look = (
        "Drop a CSV or parquet file and mark the columns that somebody might know of a person, and those that must stay secret; "
        "the file stays on this machine. Look how many people stood alone before, and what it costs that nobody does any more."
    )

    def __init__(self, table: Any = None, schema: Schema | None = None) -> None:
        self._tables = Tables(table, schema, default="adult", rows=2_000)
        self._frames: dict[bytes, pd.DataFrame] = {}

    def knobs(self) -> tuple[Knob, ...]:
        """The file, its roles, the rule and the algorithm."""
        quasi, secret = self._roles(self._tables[self._tables.first])
        return (
            File("file", "drop a file here, or pick one", None, kinds=".csv,.txt,.tsv,.parquet"),
            self._tables.knob(),
            quasi,
            secret,
            Whole("k", "k (people)", 5, 2, 100),
            Whole("l", "l (values)", 1, 1, 10),
            Stops("t", "t (distance)", NO_T, options=(0.1, 0.2, 0.3, 0.4, 0.5, 0.7, NO_T)),
            Pick("algorithm", "algorithm", "Mondrian", options=tuple(ANONYMIZERS)),
        )

    # ------------------------------------------------------------------ what is anonymized
    @staticmethod
    def _roles(table: Microdata) -> tuple[Several, Several]:
        quasi, secret = table.schema.quasi_identifiers, table.schema.sensitive
        first = quasi[:4]
        return (
            Several("quasi", "may be known", first, options=quasi),
            Several("secret", "must stay secret", secret, options=secret, least=0),
        )

    def _file_roles(self, content: bytes, name: str) -> tuple[Several, Several]:
        """A guess: the last column is the secret, and what nearly everybody has alone is no quasi-identifier."""
        if content not in self._frames:
            with _on_disk(name, content) as path:
                self._frames = {content: read_file(path).frame}
        frame = self._frames[content]
        columns = tuple(map(str, frame.columns))
        few = [c for c in columns[:-1] if frame[c].nunique() < 0.8 * len(frame)]
        first = tuple(few[:4]) or columns[:1]
        return (
            Several("quasi", "may be known", first, options=columns),
            Several("secret", "must stay secret", columns[-1:] if len(columns) > 1 else (), options=columns, least=0),
        )

    def _read(self, state: Mapping[str, Any]) -> tuple[Microdata, list[str], tuple[Several, Several], str]:
        """The table, the code that makes it, the roles, and how the file was read."""
        if state["file"] is None:
            table = self._tables[state["table"]]
            roles = tuple(knob.kept(state[knob.name]) for knob in self._roles(table))
            part = table.project(roles[0].value)
            lines = [self._tables.code(state["table"]), f"table = table.project({list(roles[0].value)!r})"]
            return part, lines, roles, ""  # type: ignore[return-value]
        name, content = state["file"]
        roles = tuple(knob.kept(state[knob.name]) for knob in self._file_roles(content, name))
        quasi, secret = (list(knob.value) for knob in roles)
        both = [column for column in quasi if column in secret]
        if both:
            raise SchemaError(f"{both[0]!r} is marked twice: somebody may know it, or it stays secret; choose one")
        with _on_disk(name, content) as path:
            own = holder.read_own_file(path, Schema(quasi, secret), {})
        lines = [f"table = holder.read_own_file({name!r}, Schema({quasi!r}, {secret!r}), {{}}).table"]
        return own.table, lines, roles, str(own.report).replace(str(path), name)  # type: ignore[return-value]

    # ------------------------------------------------------------------ the picture
    def show(self, state: Mapping[str, Any], work: Work) -> Shown:
        """Risk before and after, and what to take along."""
        work.step(0, 4, "reading the table")
        table, lines, roles, report = self._read(state)
        said = measures_of(state["algorithm"], state)
        maker = holder.make_anonymizer(state["algorithm"], **said)
        work.step(1, 4, "anonymizing")
        release = maker.anonymize(table)
        work.step(2, 4, "measuring")
        facts = holder.risk_and_loss(release)
        code = script(
            *lines,
            f"release = {call('holder.make_anonymizer', name=state['algorithm'], **said)}.anonymize(table)",
            f"holder.write_release(release, Path({PUBLISHED!r}))",
            "figure = explore.drawings.before_and_after(release)",
            "plotting.show(figure)",
            imports=("from pathlib import Path",),
        )
        work.step(3, 4, "drawing")
        says = self._says(table, release, maker, report)
        return Shown(
            figure=drawings.before_and_after(release),
            alt=f"Bars: among how many people everybody hides, before and after. {says}",
            says=says,
            facts=[("", "before", "after"), *facts],
            code=code,
            knobs=(*roles, *self.idle(table=state["file"] is not None)),
            files=_files(release, code),
        )

    @staticmethod
    def _says(table: Microdata, release: Release, maker: Anonymizer, report: str) -> str:
        alone = int((holder.untouched(table).sizes == 1).sum())
        drawn = "seed" in inspect.signature(type(maker).__init__).parameters and not getattr(maker, "strict", False)
        return (
            f"Of {len(table):,} people {alone:,} stood alone with what somebody may know of them; now everybody hides among "
            f"at least {release.published().sizes.min():,} rows. "
            + (EXACT if release.form.exact else "")
            + ("Lots were drawn: the code draws others and makes another release. " if drawn else "")
            + "; ".join(" ".join(line.split()) for line in report.splitlines())
        ).strip()


def measures_of(algorithm: str, state: Mapping[str, Any]) -> dict[str, Any]:
    """Those of k, l and t that an algorithm can promise.

    >>> measures_of("Anatomy", {"k": 5, "l": 3, "t": "none"}), measures_of("Mondrian", {"k": 5, "l": 1, "t": 0.2})
    ({'l': 3}, {'k': 5, 't': 0.2})
    """
    said = {
        "k": state["k"],
        "l": state["l"] if state["l"] > 1 else None,
        "t": None if state["t"] == NO_T else state["t"],
    }
    first = ANONYMIZERS.entry(algorithm).parameters[0].name
    if first != "rule":
        return {first: max(state[first], 2)}
    return {name: value for name, value in said.items() if value is not None}


@contextmanager
def _on_disk(name: str, content: bytes) -> Iterator[Path]:
    """A dropped file as a file, for as long as it is read; nobody else can open the folder."""
    with TemporaryDirectory(prefix="ppdp_lab-") as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        yield path


def _files(release: Release, code: str) -> dict[str, bytes]:
    """What may leave the house, and the code; tables that are too large for a page are left to the code."""
    with TemporaryDirectory(prefix="ppdp_lab-") as folder:
        written = holder.write_release(release, Path(folder) / PUBLISHED)
        contents = {path.name: path.read_bytes() for path in written}
    fits = sum(map(len, contents.values())) <= MOST
    return (contents if fits else {}) | {"anonymize.py": code.encode()}


@EXPLORERS.add(
    accepts="a CSV or parquet file, or any table", promises=OwnTables.look, paper="LeFevre et al., ICDE 2006"
)
def own_table(table: Any = None, schema: Schema | None = None, **knobs: Any) -> Any:
    """Drop a CSV file, say the roles of its columns, see risk before and after, take release and code along.

    Parameters
    ----------
    table : str, path, Microdata or DataFrame, optional
        What is shown until a file is dropped: a data set's name, a TOML file, a table, or a frame with its ``schema``.
    schema : Schema, optional
    **knobs
        Knobs turned from the start, such as ``k=10``.
    """
    from ppdp_lab.explore.panel import Panel  # widgets are an extra: everything else here does without

    return Panel(OwnTables(table, schema), knobs)
