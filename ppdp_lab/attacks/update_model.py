"""UpdateModel: which sensitive value may become which from one release to the next."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import DataFileError, ParameterError, PPDPError, SchemaError, check_integer, check_items, listed
from ppdp_lab.registry import Plain, Registry
from ppdp_lab.table import Domain, Microdata, common_domains
from ppdp_lab.text import WIDTH, text_of

_NEAR = 1e-6  # how far the probabilities of a row may be from adding up to 1


def names_of(values: Any) -> list[str]:
    """Values as text, from a domain or a list of values."""
    if isinstance(values, Domain):
        return [str(label) for label in values.labels]
    return [text_of(value) for value in check_items("values", values)]


def checked_values(given: Any) -> tuple[str, ...]:
    """The values, each once."""
    values = tuple(names_of(given))
    if not values:
        raise ParameterError("an update model needs at least one value")
    if len(set(values)) < len(values):
        doubled = sorted({value for value in values if values.count(value) > 1})
        raise ParameterError(f"value(s) {listed(doubled)} stand more than once in the update model; name each once")
    return values


def checked_targets(values: tuple[str, ...], given: Any) -> tuple[tuple[int, ...], ...]:
    """For each value the positions of what it may become."""
    out = []
    for value, row in zip(values, _rows("targets", values, given)):
        name, last = f"what {value!r} may become", len(values) - 1
        found = tuple(check_integer(name, t, at_least=0, at_most=last) for t in check_items("targets", row))
        if not found:
            raise ParameterError(
                f"{value!r} may become nothing, not even stay; name it as its own target if it never changes"
            )
        if len(set(found)) < len(found):
            raise ParameterError(f"{name} names a value twice; name each once")
        out.append(found)
    return tuple(out)


def checked_chances(
    values: tuple[str, ...], targets: tuple[tuple[int, ...], ...], given: Any
) -> tuple[tuple[float, ...], ...]:
    """For each value the probabilities of its targets."""
    out = []
    for value, target, row in zip(values, targets, _rows("chances", values, given)):
        where = f"the probabilities of {value!r}"
        try:
            shares = tuple(float(p) for p in check_items("chances", row))
        except (TypeError, ValueError):
            raise ParameterError(f"{where} must be numbers") from None
        if len(shares) != len(target):
            raise ParameterError(f"{where}: {len(shares)} for {len(target)} values that it may become; give one each")
        if not all(0 < p <= 1 + _NEAR for p in shares) or abs(sum(shares) - 1) > _NEAR:
            raise ParameterError(
                f"{where} must be above 0 and add up to 1, not to {sum(shares):g}; leave out what cannot happen"
            )
        out.append(shares)
    return tuple(out)


def _rows(name: str, values: tuple[str, ...], given: Any) -> list[Any]:
    rows = check_items(name, given)
    if len(rows) != len(values):
        raise ParameterError(f"{name} has {len(rows)} rows for {len(values)} values; give one row for each value")
    return rows


# --------------------------------------------------------------------
# Update models learned from past tables of the same persons.


def learned(tables: Iterable[Microdata], *, column: str | None = None, stay: bool = True) -> UpdateModel:
    """How often each value became which other value; see :meth:`ppdp_lab.attacks.UpdateModel.learned`.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> def table(*illness):
    ...     return pl.Microdata(pd.DataFrame({"age": 30, "illness": illness}), pl.Schema("age", sensitive="illness"))
    >>> model = learned([table("flu", "flu", "cold"), table("flu", "cold", "cold")])
    >>> model.probability("flu", "cold"), model.absorbing
    (0.5, ['cold'])
    """
    tables = check_items("tables", tables)
    for table in tables:
        if not isinstance(table, Microdata):
            raise ParameterError(f"an update model is learned from Microdata, not from {type(table).__name__}")
    if len(tables) < 2:
        raise ParameterError("an update model is learned from at least two tables that follow each other")
    if not isinstance(stay, bool):
        raise ParameterError(f"stay must be True or False, not {stay!r}")
    name = _column(tables[0], column)
    for table in tables[1:]:
        if name not in table.domains:
            raise SchemaError(f"a table lacks the column {name!r}; all tables need the same columns")
    (domain,) = common_domains((f"table {i}", [table.domains[name]]) for i, table in enumerate(tables))
    counts = np.zeros((len(domain), len(domain)))
    codes = [table.domains[name].map_to(domain)[table.codes(name)] for table in tables]
    for (before, then), (after, now) in pairwise(zip(tables, codes)):
        where = before.ids.get_indexer(after.ids)
        stayed = where >= 0
        np.add.at(counts, (then[where[stayed]], now[stayed]), 1)
    alone = counts.sum(axis=1) == 0
    keep = np.diag(counts) == 0
    counts[np.diag_indices(len(domain))] += alone | (keep & stay)
    return UpdateModel.from_matrix(counts / counts.sum(axis=1, keepdims=True), domain)


def _column(table: Microdata, column: str | None) -> str:
    """The column that is meant: the one sensitive column, or the one that is named."""
    if column is not None:
        if not isinstance(column, str) or column not in table.domains:
            raise SchemaError(f"no column {column!r}; known are {listed(table.domains)}")
        return column
    if len(table.schema.sensitive) != 1:
        raise SchemaError(f"name the column to learn: the table has {len(table.schema.sensitive)} sensitive columns")
    return table.schema.sensitive[0]


# --------------------------------------------------------------------
# UpdateModel: which value may become which from one release to the next, and with what probability.
#
# References
# ----------
# .. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008:
# Definitions 7 and 12.


MOST_VALUES = 5_000  # a matrix of 200 MB

# A family of one: a saved MDistinct finds its model again by this name.
UPDATE_MODELS: Registry[type[UpdateModel]] = Registry("update model")


@UPDATE_MODELS.add(
    accepts="the values of one column",
    promises="which of them may become which within one release, with what probability",
    paper="Li and Zhou, 2008",
)
class UpdateModel(Plain):
    """Which value may become which from one release to the next, and with what probability [1]_.

    The values that a value may become are its *candidate update set* (Definition 12). Values are known by their text, so one
    model serves tables whose domains differ. Usual makers: :meth:`blocks`, :meth:`in_blocks`, :meth:`from_matrix`,
    :meth:`from_toml`, :meth:`learned`, :meth:`constant`.

    Parameters
    ----------
    values : sequence
        All values, each once.
    targets : sequence of sequences of int
        For each value the positions, in ``values``, of what it may become: itself only if it may stay.
    chances : sequence of sequences of float, optional
        Their probabilities; all equally likely unless given (the random worlds of the paper's Example 3).

    Notes
    -----
    The paper takes it that b in CUS(a) implies CUS(b) within CUS(a) (its footnote 8), which is so if an update may take any
    number of steps. Here a model describes *one* release: over k releases the matrix is multiplied k times with itself, so
    that a model need not be transitive (:attr:`transitive` says whether it is), nor need values be able to stay.

    Examples
    --------
    >>> model = UpdateModel.blocks([["flu", "cold"], ["HIV"]])
    >>> model.may_become("flu"), model.may_become("HIV"), model.absorbing
    (['cold', 'flu'], ['HIV'], ['HIV'])
    >>> model.probability("flu", "cold")
    0.5
    >>> print(model)
    3 values, each of which may become 1 to 2 of them (1 never changes)
    """

    def __init__(self, values: Sequence[Any], targets: Sequence[Any], chances: Sequence[Any] | None = None) -> None:
        self.values = checked_values(values)
        self.targets = checked_targets(self.values, targets)
        self.chances = None if chances is None else checked_chances(self.values, self.targets, chances)

    # ------------------------------------------------------------------ makers
    @classmethod
    def constant(cls, values: Any) -> UpdateModel:
        """No value ever changes.

        >>> UpdateModel.constant(["flu", "HIV"]).is_constant
        True
        """
        names = names_of(values)
        return cls(names, [[i] for i in range(len(names))])

    @classmethod
    def blocks(cls, blocks: Iterable[Iterable[Any]]) -> UpdateModel:
        """Values stay within their block, each value of which is equally likely; one alone in its block never changes."""
        parts = [names_of(block) for block in check_items("blocks", blocks)]
        ends = np.cumsum([0, *map(len, parts)]).tolist()
        targets = [list(range(a, b)) for a, b in pairwise(ends) for _ in range(b - a)]
        return cls([value for part in parts for value in part], targets)

    @classmethod
    def in_blocks(cls, values: Any, d: int) -> UpdateModel:
        """Blocks of ``d`` neighbours: the paper's experiment, where d is the *internal update diameter* (section VI-A).

        Equal sizes, staying and footnote 8 together force the candidate update sets to be such blocks, so d divides the
        number of values; where it does not, the last block is smaller here.

        >>> UpdateModel.in_blocks(["a", "b", "c", "d", "e"], 2).may_become("d")
        ['c', 'd']
        """
        names = names_of(values)
        d = check_integer("d", d, at_least=1)
        return cls.blocks([names[i : i + d] for i in range(0, len(names), d)])

    @classmethod
    def from_matrix(cls, matrix: Any, values: Any = None) -> UpdateModel:
        """From a square matrix of probabilities: row = value before, column = value after; each row adds up to 1.

        >>> frame = pd.DataFrame([[0.9, 0.1], [0, 1]], ["single", "married"], ["single", "married"])
        >>> UpdateModel.from_matrix(frame).absorbing
        ['married']
        """
        if values is None and isinstance(matrix, pd.DataFrame):
            if sorted(map(text_of, matrix.index)) != sorted(map(text_of, matrix.columns)):
                raise ParameterError("rows and columns of the matrix must name the same values")
            values, matrix = matrix.index, matrix[list(matrix.index)] if matrix.columns.is_unique else matrix
        names = names_of(values if values is not None else ())
        try:
            array = np.asarray(matrix, dtype=float)
        except (TypeError, ValueError):
            raise ParameterError("the matrix must hold numbers, one row and one column per value") from None
        if array.shape != (len(names), len(names)) or not np.isfinite(array).all() or (array < 0).any():
            raise ParameterError(
                f"the matrix has shape {array.shape} and must be {len(names)} by {len(names)}, without negative or missing "
                f"numbers: one row and one column per value"
            )
        targets = [np.flatnonzero(row).tolist() for row in array]
        return cls(names, targets, [row[row > 0].tolist() for row in array])

    @classmethod
    def from_toml(cls, path: str | Path) -> UpdateModel:
        """From a small TOML file.

        .. code-block:: toml

            blocks = [["dyspepsia", "gastritis"], ["flu", "pneumonia"]]   # each becomes any of its block, itself included
            absorbing = ["lung cancer"]                                   # never changes

            [updates]                                                     # what a value may become, all equally likely
            glaucoma = ["glaucoma", "cataract"]

            [chances.married]                                             # what it may become, with what probability
            married = 0.95
            divorced = 0.05

        List each value under one heading only. A value that others may become, but that has no heading, never changes.
        """
        pass  # it makes what this module describes

        return model_from_toml(path)

    @classmethod
    def learned(cls, tables: Iterable[Microdata], *, column: str | None = None, stay: bool = True) -> UpdateModel:
        """From past tables of the same persons, matched by id: how often each value became which other value.

        A value that nobody was seen to leave is assumed to stay. A change that was never seen is assumed to be impossible; if
        you know better, use a matrix or a TOML file.

        Parameters
        ----------
        tables : sequence of Microdata
            At least two, in the order of their releases.
        column : str, optional
            A column other than the sensitive one.
        stay : bool
            Whether every value may stay even if nobody was seen to keep it; this counts as seen once.
        """
        pass

        return learned(tables, column=column, stay=stay)

    def with_absorbing(self, values: Iterable[Any]) -> UpdateModel:
        """The same model, but these values never change once they are there."""
        at = {self._place(value) for value in check_items("values", values)}
        targets = [[i] if i in at else list(row) for i, row in enumerate(self.targets)]
        kept = self.chances
        chances = None if kept is None else [[1.0] if i in at else list(row) for i, row in enumerate(kept)]
        return UpdateModel(self.values, targets, chances)

    # ------------------------------------------------------------------ looking at it
    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def _position(self) -> dict[str, int]:
        return {value: i for i, value in enumerate(self.values)}

    def _place(self, value: Any) -> int:
        if text_of(value) not in self._position:
            raise ParameterError(f"the update model does not know the value {value!r}")
        return self._position[text_of(value)]

    @cached_property
    def matrix(self) -> np.ndarray:
        """Probability of each value (column) after each value (row), one release later."""
        if len(self) > MOST_VALUES:
            raise ParameterError(
                f"an update model compares every value with every other one, and {len(self):,} values are more than the limit "
                f"of {MOST_VALUES:,}; use a column with fewer distinct values, for example by grouping rare ones"
            )
        out = np.zeros((len(self), len(self)))
        for i, row in enumerate(self.targets):
            out[i, list(row)] = 1 / len(row) if self.chances is None else self.chances[i]
        return out

    def may_become(self, value: Any) -> list[str]:
        """The candidate update set of a value (Definition 12), in alphabetical order."""
        return sorted(self.values[t] for t in self.targets[self._place(value)])

    def probability(self, before: Any, after: Any) -> float:
        """Probability that one value becomes another within one release."""
        return float(self.matrix[self._place(before), self._place(after)])

    @property
    def absorbing(self) -> list[str]:
        """Values that never change."""
        return [self.values[i] for i, row in enumerate(self.targets) if row == (i,)]

    @property
    def is_constant(self) -> bool:
        """Whether no value ever changes."""
        return len(self.absorbing) == len(self)

    @property
    def leaving(self) -> list[str]:
        """Values that cannot stay: they must change with every release."""
        return [self.values[i] for i, row in enumerate(self.targets) if i not in row]

    @property
    def transitive(self) -> bool:
        """Whether two releases allow no update that one does not (footnote 8 of the paper)."""
        return not (self.reach(2) & ~self.reach(1)).any()

    def reach(self, steps: int = 1) -> np.ndarray:
        """Boolean matrix: what each value may have become after so many releases; 0 steps change nothing."""
        once = self.matrix > 0
        if check_integer("steps", steps, at_least=0) == 0:
            return np.eye(len(self), dtype=bool)
        out = once
        for _ in range(steps - 1):
            out, before = _product(out, once), out
            if np.array_equal(out, before):  # nothing new will come
                break
        return out

    def closure(self) -> np.ndarray:
        """Boolean matrix: what each value may be now or ever become."""
        out = (self.matrix > 0) | np.eye(len(self), dtype=bool)
        while True:
            more = _product(out, out)
            if np.array_equal(more, out):
                return out
            out = more

    def meeting(self) -> np.ndarray:
        """Boolean matrix: which two values may ever become the same one."""
        closure = self.closure()
        return _product(closure, closure.T)

    def over(self, domain: Domain, matrix: np.ndarray) -> np.ndarray:
        """One of this model's matrices over the codes of a domain; refuses a domain with values that it does not know."""
        unknown = [label for label in domain.labels.tolist() if label not in self._position]
        if unknown:
            raise SchemaError(
                f"the update model does not say what {listed(unknown)} of column {domain.name!r} may become; add these values "
                f"to the model (one that never changes is its own and only target)"
            )
        at = np.array([self._position[label] for label in domain.labels.tolist()], dtype=np.int64)
        return np.ascontiguousarray(matrix[np.ix_(at, at)])

    def chances_after(self, steps: int) -> np.ndarray:
        """Probability of each value after each value, so many releases later."""
        return np.linalg.matrix_power(self.matrix, check_integer("steps", steps, at_least=0))

    def __repr__(self) -> str:
        """The call that makes it, as long as it fits on a line."""
        call = super().__repr__()
        return call if len(call) <= WIDTH else f"<UpdateModel of {self}>"

    def __str__(self) -> str:
        sizes = sorted({len(row) for row in self.targets})
        many = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        fixed = len(self.absorbing)
        rest = f" ({fixed} never change{'s' if fixed == 1 else ''})" if fixed else ""
        return f"{len(self)} values, each of which may become {many} of them{rest}"


def _product(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The product of two boolean matrices, by way of floats: numpy multiplies booleans without BLAS, a hundred times slower."""
    found: np.ndarray = one.astype(np.float32) @ other.astype(np.float32) > 0
    return found


# --------------------------------------------------------------------
# Update models in TOML files.


_KEYS = ("blocks", "absorbing", "updates", "chances")


def model_from_toml(path: str | Path) -> UpdateModel:
    """The update model in a TOML file; see :meth:`ppdp_lab.attacks.UpdateModel.from_toml`."""
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(f"path must be the path of a TOML file that describes an update model, not {path!r}")
    path = Path(path)
    where = repr(str(path))
    if not path.is_file():
        raise DataFileError(f"no update model {where}; give the path of a TOML file")
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataFileError(f"{where} is not UTF-8 text ({error}); save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise DataFileError(f"{where} is not valid TOML: {error}") from None
    strange = [key for key in said if key not in _KEYS]
    if strange:
        raise DataFileError(f"{where} has unknown key(s) {listed(strange)}; known are {listed(_KEYS)}")
    try:
        return _model(said, where)
    except DataFileError:
        raise
    except PPDPError as error:
        raise DataFileError(f"{where}: {error}") from None


def _model(said: dict[str, Any], where: str) -> UpdateModel:
    rows: dict[str, dict[str, float]] = {}

    def enter(value: Any, row: dict[str, float]) -> None:
        if text_of(value) in rows:
            raise DataFileError(f"{where}: {value!r} stands under more than one heading, or twice; name it once")
        rows[text_of(value)] = row

    for block in _list(said, "blocks", where):
        names = [text_of(value) for value in _list({"blocks": block}, "blocks", where)]
        for value in names:
            enter(value, {name: 1 / len(names) for name in names})
    for value in _list(said, "absorbing", where):
        enter(value, {text_of(value): 1.0})
    for value, targets in _table(said, "updates", where).items():
        names = [text_of(target) for target in _list({value: targets}, value, where)]
        enter(value, {name: 1 / len(names) for name in names})
    for value, shares in _table(said, "chances", where).items():
        wrong = [
            p
            for p in _table({value: shares}, value, where).values()
            if isinstance(p, bool) or not isinstance(p, (int, float))
        ]
        if wrong:
            raise DataFileError(f"{where}: the chances of {value!r} must be numbers, not {listed(wrong)}")
        enter(value, {text_of(name): float(p) for name, p in shares.items()})
    for row in list(rows.values()):
        for name in row:
            rows.setdefault(name, {name: 1.0})
    if not rows:
        raise DataFileError(f"{where} names no value; give blocks, absorbing, [updates] or [chances.VALUE]")
    place = {value: i for i, value in enumerate(rows)}
    return UpdateModel(
        list(rows),
        [[place[name] for name in row] for row in rows.values()],
        [list(row.values()) for row in rows.values()],
    )


def _list(said: dict[str, Any], key: str, where: str) -> list[Any]:
    given = said.get(key, [])
    if not isinstance(given, list):
        raise DataFileError(f"{where}: {key} must be a list, not {given!r}")
    return given


def _table(said: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    given = said.get(key, {})
    if not isinstance(given, dict):
        raise DataFileError(f"{where}: {key} must be a table with one line per value, not {given!r}")
    return given
