"""UpdateModel: which value may become which from one release to the next, and with what probability.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008:
   Definitions 7 and 12.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.attacks.updates.checking import checked_chances, checked_targets, checked_values, names_of
from ppdp_lab.errors import ParameterError, SchemaError, check_integer, check_items, listed
from ppdp_lab.registry import Plain, Registry
from ppdp_lab.registry.one_line import WIDTH
from ppdp_lab.table import Domain, Microdata
from ppdp_lab.table.files.kinds import text_of

MOST_VALUES = 5_000  # a matrix of 200 MB

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
        from ppdp_lab.attacks.updates.reading import model_from_toml  # it makes what this module describes

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
        from ppdp_lab.attacks.updates.learning import learned

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
