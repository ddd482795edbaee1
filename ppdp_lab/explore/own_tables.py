"""A file that somebody drops on a page: its columns, which roles they may play, and the table that comes of it."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ppdp_lab import holder, plotting
from ppdp_lab.anonymize import ANONYMIZERS, Anonymizer
from ppdp_lab.anonymize.lattice import LatticeSearch
from ppdp_lab.anonymize.lattice.base import default_intervals
from ppdp_lab.errors import DefaultHierarchyWarning, PPDPError, SchemaError
from ppdp_lab.explore.base import (
    EXPLORERS,
    Explorer,
    File,
    Knob,
    Pick,
    Several,
    Shown,
    Stops,
    Whole,
    Work,
    call,
    remaining_risk,
    script,
)
from ppdp_lab.explore.tables import Tables
from ppdp_lab.holder import OwnTable
from ppdp_lab.io import Reading, read_file
from ppdp_lab.io.reading import NEARLY, doubtful_columns
from ppdp_lab.release import Release
from ppdp_lab.table import Microdata, Schema

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


# --------------------------------------------------------------------
# How many people share somebody's published row, before and after.


BOUNDS = (1, 2, 3, 5, 10, 20, 50, 100)
BEFORE, AFTER = plotting.COLOURS[1], plotting.COLOURS[0]


def shares_by_size(release: Release) -> dict[str, float]:
    """Share of the people in groups of each size, as words for the size.

    >>> from ppdp_lab import datasets
    >>> shares_by_size(holder.untouched(datasets.load("adult", rows=12)))["1 (alone)"]
    1.0
    """
    sizes = release.published().sizes
    bins = np.searchsorted(BOUNDS, sizes, side="right") - 1
    people = np.bincount(bins, weights=sizes, minlength=len(BOUNDS)) / max(sizes.sum(), 1)
    words = [
        f"{low}+" if i + 1 == len(BOUNDS) else f"{low}" if BOUNDS[i + 1] == low + 1 else f"{low}-{BOUNDS[i + 1] - 1}"
        for i, low in enumerate(BOUNDS)
    ]
    words[0] += " (alone)"
    return {word: float(share) for word, share in zip(words, people)}


def before_and_after(release: Release) -> Figure:
    """Share of people in groups of each size: in the table as it was, and in the release."""
    with plotting.look():
        figure, ax = plotting.figure(width=7.6, height=3.6)
        both = {"before": shares_by_size(holder.untouched(release.table)), "after": shares_by_size(release)}
        places = np.arange(len(BOUNDS))
        for i, (when, colour, hatch) in enumerate((("before", BEFORE, "//"), ("after", AFTER, ""))):
            shares = list(both[when].values())
            bars = ax.bar(
                places + (i - 0.5) * 0.4, shares, 0.38, color=colour, hatch=hatch, edgecolor="white", label=when
            )
            for bar, share in zip(bars, shares):
                if share > 0:
                    at = (bar.get_x() + bar.get_width() / 2, share)
                    text = f"{share:.0%}" if share >= 0.01 else "<1%"
                    ax.annotate(text, at, (0, 2), textcoords="offset points", ha="center", fontsize=7)
        ax.set_xticks(places, list(both["after"]))
        ax.set_ylim(0, 1.12)
        ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        ax.grid(axis="x", visible=False)
        alike = (
            "people in the same published group" if release.form.exact else "people whose published rows look the same"
        )
        plotting.label(ax, x=alike, y="share of people", legend=False)
        return plotting.legend_above(figure, ax, columns=2)


# --------------------------------------------------------------------
# Own table: drop a file, say the roles, see risk before and after, take release and code along.


NO_T = "none"
PUBLISHED = "published.csv"
MOST = 30_000_000  # bytes that a page is given to save
GAPS = {
    "refuse": "refuse the file",
    "drop": "leave such rows out",
    "value": "publish as (missing), which protects nobody",
    "category": "publish as (missing), counted as a value",
}


class OwnTables(Explorer):
    """One's own file, anonymized."""

    title = "Own table"
    look = (
        "Drop a CSV or parquet file and mark the columns that somebody might know about a person, and those that must stay "
        "secret; the file stays on this machine. Compare how many people are unique before and after, what that costs, and what "
        "a group still reveals."
    )

    def __init__(self, table: Any = None, schema: Schema | None = None) -> None:
        self._tables = Tables(table, schema, default="adult", rows=2_000)
        self._file: Dropped | None = None

    def knobs(self) -> tuple[Knob, ...]:
        """The file, its roles, the rule and the algorithm."""
        quasi, secret = self._roles(self._tables[self._tables.first])
        return (
            File("file", "drop a file here, or pick one", None, kinds=".csv,.txt,.tsv,.parquet"),
            self._tables.knob(),
            quasi,
            secret,
            Pick("missing", "missing cells", "refuse", options=tuple(GAPS), words=GAPS, of=("file",)),
            Whole("k", "k (people)", 5, 2, 100),
            Whole("l", "l (values)", 1, 1, 10),
            Stops("t", "t (distance)", NO_T, options=(0.1, 0.2, 0.3, 0.4, 0.5, 0.7, NO_T)),
            Pick("algorithm", "algorithm", "Mondrian", options=tuple(ANONYMIZERS)),
        )

    def fitted(self, state: Mapping[str, Any]) -> tuple[Knob, ...]:
        """The columns to choose from, which of k, l and t the algorithm promises, and what belongs to a file or a table."""
        try:
            roles = self._roles_of(self._dropped(state)) if state["file"] else self._roles(self._tables[state["table"]])
        except (PPDPError, OSError):  # show says why; columns of another file or table are no choice here
            roles = self._columns("quasi", (), (), idle=True), self._columns("secret", (), (), idle=True)
        first = ANONYMIZERS.entry(state["algorithm"]).parameters[0].name
        unused = {name: first not in ("rule", name) for name in ("k", "l", "t")}
        known = {knob.name: knob for knob in self.idle(**unused)}
        if first == "l":  # one value is no diversity
            known["l"] = replace(known["l"], value=2, low=2)  # type: ignore[call-arg]
        return (
            *(knob.kept(state[knob.name]) for knob in (*roles, *known.values())),
            *self.idle(table=state["file"] is not None, missing=state["file"] is None),
        )

    # ------------------------------------------------------------------ what is anonymized
    @staticmethod
    def _columns(role: str, chosen: tuple[str, ...], options: tuple[str, ...], **more: Any) -> Several:
        """The knob of a role. It belongs to a file or table: the next one gets roles of its own."""
        label = {"quasi": "may be known", "secret": "must stay secret"}[role]
        return Several(role, label, chosen, options=options, of=("file", "table"), **more)

    def _roles(self, table: Microdata) -> tuple[Several, Several]:
        quasi, secret = table.schema.quasi_identifiers, table.schema.sensitive
        both = self._columns("secret", secret, secret, least=len(secret), idle=True)
        return self._columns("quasi", quasi[:GUESSED], quasi), both

    def _roles_of(self, file: Dropped) -> tuple[Several, Several]:
        quasi, secret = file.guess()
        return self._columns("quasi", quasi, file.columns), self._columns("secret", secret, file.columns, least=0)

    def _dropped(self, state: Mapping[str, Any]) -> Dropped:
        name, content = state["file"]
        file = self._file
        if file is None or (file.name, file.content) != (name, content):
            self._file = file = Dropped(name, content)
        return file

    def _read(self, state: Mapping[str, Any], roles: Mapping[str, list[str]]) -> tuple[Microdata, list[str], str]:
        """The table, the code that makes it, and what is to be said about the file."""
        quasi, secret = roles["quasi"], roles["secret"]
        if state["file"] is None:
            table = self._tables[state["table"]].project(quasi)
            return table, [self._tables.code(state["table"]), f"table = table.project({quasi!r})"], _doubts(table)
        file, missing = self._dropped(state), state["missing"] or "refuse"
        own = file.table(quasi, secret, missing)
        options = "" if missing == "refuse" else f", holder.reading_options(missing={missing!r})"
        lines = [f"table = holder.read_own_file({file.name!r}, Schema({quasi!r}, {secret!r}), {{}}{options}).table"]
        report = "; ".join(" ".join(line.split()) for line in str(own.report).splitlines())
        left = f" Not published: {', '.join(own.left_out)}." if own.left_out else ""
        return own.table, lines, f"{_doubts(own.table)}{report[:1].upper()}{report[1:]}.{left}"

    # ------------------------------------------------------------------ the picture
    def show(self, state: Mapping[str, Any], work: Work) -> Shown:
        """Risk before and after, and what to take along."""
        work.step(0, 4, "reading the table")
        knobs = self.fitted(state)
        table, lines, report = self._read(state, {k.name: list(k.value) for k in knobs if isinstance(k, Several)})
        said = measures_of(state["algorithm"], state)
        maker = holder.make_anonymizer(state["algorithm"], **said)
        work.step(1, 4, "anonymizing")
        with warnings.catch_warnings():  # what they announce stands below the picture
            warnings.simplefilter("ignore", DefaultHierarchyWarning)
            release = maker.anonymize(table)
        work.step(2, 4, "measuring")
        facts = holder.risk_and_loss(release)
        code = script(
            *lines,
            f"release = {call('holder.make_anonymizer', name=state['algorithm'], **said)}.anonymize(table)",
            f"holder.write_release(release, Path({PUBLISHED!r}))",
            "figure = explore.own_tables.before_and_after(release)",
            "plotting.show(figure)",
            imports=("from pathlib import Path",),
        )
        work.step(3, 4, "drawing")
        files = _files(release, code)
        says = self._says(state["file"][0] if state["file"] else state["table"], release, maker, report)
        if len(files) == 1:
            says += f" The release is too large for a page: the code writes it to {PUBLISHED}."
        return Shown(
            figure=before_and_after(release),
            alt=f"Bars: share of people in groups of each size, before and after. {says}",
            says=says,
            facts=[("", "before", "after"), *facts],
            code=code,
            knobs=knobs,
            files=files,
        )

    @staticmethod
    def _says(name: str, release: Release, maker: Anonymizer, report: str) -> str:
        """Whose release it is, what it achieves, what it still reveals, and how it was made."""
        table = release.table
        known = ", ".join(table.schema.quasi_identifiers)
        alone, smallest = int((holder.untouched(table).sizes == 1).sum()), int(release.published().sizes.min())
        if release.form.exact:
            now = (
                f"The release publishes these values unchanged{', so these people can be recognized' if alone else ''}; "
                f"it hides only whose secret is whose, in groups of at least {smallest:,} people."
            )
        else:
            others = f"{smallest - 1:,} other {'person' if smallest == 2 else 'people'}"
            now = f"In the release everyone shares these values with at least {others}."
        drawn = "seed" in inspect.signature(type(maker).__init__).parameters and not getattr(maker, "strict", False)
        intervals = default_intervals(table) if isinstance(maker, LatticeSearch) else ""
        parts = [
            f"{name}: {alone:,} of {len(table):,} people are unique in {known}.",
            now,
            remaining_risk(release),
            f"{len(release.suppressed):,} people are left out." if len(release.suppressed) else "",
            f"{intervals[:1].upper()}{intervals[1:]}." if intervals else "",
            "The algorithm chooses at random: running the code gives a different release." if drawn else "",
            report,
        ]
        return " ".join(filter(None, parts))


def _doubts(table: Microdata) -> str:
    return "".join(f"Check {sentence}. " for sentence in doubtful_columns(table))


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
