"""What every static anonymizer has: a rule, and ``anonymize``, which returns a checked release or raises."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from ppdp_lab.errors import InfeasibleError, ParameterError
from ppdp_lab.principles import Principle
from ppdp_lab.registry import Plain, Registry
from ppdp_lab.release import Release
from ppdp_lab.table import ClassCounts, Microdata
from ppdp_lab.table.checks import check_codes


class Anonymizer(Plain, ABC):
    """Turns one table into one release.

    A subclass says :meth:`_release`; the base checks the input before and the release afterwards, by counting it anew. Like a
    principle it can be written down: ``Mondrian(KAnonymity(5), strict=False)`` is its text, and stands in
    :data:`ANONYMIZERS`.
    """

    rule: Principle
    style: ClassVar[str] = "generalized"
    """The form in which its releases are published."""

    def anonymize(self, table: Microdata) -> Release:
        """The release of a table; it keeps :attr:`rule`, or an error says why there is none."""
        self._require_feasible(table)
        return self._release(table).checked(self.rule)

    def _require_feasible(self, table: Microdata) -> None:
        """Refuse what is no table, has no records, or cannot meet the rule at all."""
        self._require_table(table)
        if not len(table):
            raise InfeasibleError("the table has no records; there is nothing to anonymize")
        self.rule.require_feasible(whole_counts(table))

    def _require_table(self, table: Microdata) -> None:
        if not isinstance(table, Microdata):
            raise ParameterError(
                f"{type(self).__name__} needs a ppdp_lab.Microdata, not {type(table).__name__}; wrap the frame first"
            )

    def anonymize_within(self, table: Microdata, part_of: np.ndarray) -> np.ndarray:
        """Class of each record if every part of the table is anonymized by itself; -1 for a suppressed one.

        ``part_of`` numbers the parts 0, 1, ...; records of part -1 are passed over and get -1. A part that cannot be
        anonymized, or not be divided, is one class, safe or not: whoever asks has to look.

        >>> import pandas as pd, ppdp_lab as pl
        >>> table = pl.Microdata(pd.DataFrame({"age": [21, 22, 58, 59, 23, 40, 60]}), pl.Schema("age"))
        >>> pl.KMember(3).anonymize_within(table, np.array([0, 0, 0, 0, 1, -1, 1])).tolist()
        [0, 0, 0, 0, 1, -1, 1]
        """
        self._require_table(table)
        part_of = check_codes("part_of", part_of, len(table) + 1, low=-1, n=len(table))
        class_of = np.full(len(table), -1, dtype=np.int32)
        order = np.argsort(part_of, kind="stable")[int((part_of < 0).sum()) :]
        begins = np.flatnonzero(np.diff(part_of[order], prepend=-1))
        count = 0
        for rows in np.split(order, begins[1:]) if len(order) else []:
            classes = np.zeros(len(rows), dtype=np.int32)
            if len(rows) >= 2 * self.rule.minimum_size:
                with suppress(InfeasibleError):
                    classes = self.anonymize(table.select(rows)).class_of
            class_of[rows] = np.where(classes >= 0, classes + count, -1)
            count += int(classes.max(initial=-1)) + 1
        return class_of

    @abstractmethod
    def _release(self, table: Microdata) -> Release:
        """The release, not yet checked."""

    def _said(self, *, seeded: bool = True) -> dict[str, Any]:
        """What a release says of how it was made; ``seeded`` if a seed, where one was given, decided anything."""
        return {"method": repr(self), "seeded": seeded and getattr(self, "seed", None) is not None}


ANONYMIZERS: Registry[type[Anonymizer]] = Registry("anonymizer")


def whole_counts(table: Microdata) -> ClassCounts:
    """Counts of a table as one single class."""
    one = np.zeros(len(table), dtype=np.int32)
    return ClassCounts.count(one, 1, table.sensitive_codes, table.sensitive_domains, table.totals())


def without_value(table: Microdata, who: str) -> InfeasibleError | None:
    """The error of a method that needs the sensitive value of every record; None if no value is missing."""
    (name,) = table.schema.sensitive
    gone = table.without_value(name)
    if not gone.any():
        return None
    return InfeasibleError(
        f"{int(gone.sum())} record(s) have no known value of {name!r}, and {who} places records by their value; leave them out "
        f"(missing='drop'), or let missing values count as any other (missing='category')",
        ids=table.ids[gone],
    )


def check_rule(rule: object) -> Principle:
    """A principle that partitioning can follow; anything else is refused."""
    if not isinstance(rule, Principle):
        raise ParameterError(f"the rule must be a principle such as KAnonymity(5), not {rule!r}")
    if not (rule.union_closed or rule.superset_closed):
        raise ParameterError(
            f"{rule} is neither superset-closed nor union-closed, so a failing table may have safe partitions that top-down "
            f"partitioning cannot find; use a closed rule"
        )
    return rule
