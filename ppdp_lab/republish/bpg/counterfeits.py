"""Counterfeits of BPG: each is a person from then on, with a pseudonym, a neighbourhood and a signature of its own.

A counterfeit that is made now was in no earlier release. So it can help those who are published for the first time, and
nobody else: not one of the sets that earlier releases define gets any larger by it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppdp_lab.errors import SchemaError
from ppdp_lab.principles import Principle
from ppdp_lab.release import Counterfeits
from ppdp_lab.republish.bpg._bpg import lists_of
from ppdp_lab.republish.bpg.listing1 import Scene, newcomers_safe
from ppdp_lab.republish.memory import Stored, fresh_pseudonyms
from ppdp_lab.table import ClassCounts, Microdata
from ppdp_lab.text import OneLine

HOME, SIGNATURE, VALUE, QI, NAME = "fake_neighbourhood", "fake_signature", "fake_value", "fake_qi", "fake_pseudonym"

LAYOUT = {
    HOME: Stored(np.int32, "counterfeit", low=0, high="neighbourhood", optional=True),
    SIGNATURE: Stored(np.int32, "counterfeit", low=0, high="signature", optional=True),
    VALUE: Stored(np.int32, "counterfeit", codes="sensitive", optional=True),
    QI: Stored(np.int32, "counterfeit", rows="qi", codes="qi", optional=True),
    NAME: Stored(np.int64, "counterfeit", low=0, optional=True),
}
"""What is remembered of every counterfeit ever made; nothing unless there are some."""


@dataclass(frozen=True, eq=False)
class Fakes(OneLine):
    """Counterfeits in the order in which they were made."""

    home: np.ndarray
    signature: np.ndarray
    value: np.ndarray
    qi: np.ndarray
    name: np.ndarray

    @staticmethod
    def remembered(memory: dict[str, np.ndarray], n_qi: int) -> Fakes:
        """Those of the releases before."""
        none = np.zeros(0, dtype=np.int32)
        return Fakes(
            memory.get(HOME, none),
            memory.get(SIGNATURE, none),
            memory.get(VALUE, none),
            memory.get(QI, np.zeros((n_qi, 0), dtype=np.int32)),
            memory.get(NAME, none.astype(np.int64)),
        )

    def remember(self, memory: dict[str, np.ndarray]) -> None:
        """Write them to a publisher's memory, if there are any."""
        if len(self):
            memory |= {HOME: self.home, SIGNATURE: self.signature, VALUE: self.value, QI: self.qi, NAME: self.name}

    def sensitive(self, n_columns: int) -> np.ndarray:
        """Their sensitive codes, columns by counterfeits."""
        return self.value[None, :] if n_columns == 1 else np.zeros((n_columns, 0), dtype=np.int32)

    def shown(self, class_of: np.ndarray, n_columns: int) -> Counterfeits:
        """Those that are published in one of the classes; -1 for one that is not."""
        ids = np.flatnonzero(class_of >= 0)
        return Counterfeits(class_of[ids], self.sensitive(n_columns)[:, ids], self.qi[:, ids], ids, self.name[ids])

    def __len__(self) -> int:
        return len(self.home)


def plan(scene: Scene, rule: Principle, n: int, rng: np.random.Generator) -> dict[int, np.ndarray]:
    """Values of the counterfeits that would make the newcomers of each of n classes safe, for classes that need some.

    One after the other is added until the rule holds: first values that the newcomers lack, drawn by their frequency in
    the snapshot, then any. A class that no counterfeits can save is left out.
    """
    if len(scene.domains) != 1:
        raise SchemaError(
            f"BPG with counterfeits needs exactly one sensitive column; this table has {len(scene.domains)}; use another variant"
        )
    begins, units = lists_of(np.where(scene.home < 0, scene.now, -1), n)
    frequency = np.array(scene.totals[0], dtype=float)
    frequency[len(scene.domains[0].counted) :] = 0  # a counterfeit without a value protects nobody
    if not frequency.any():
        return {}
    out = {}
    for c in np.flatnonzero(~newcomers_safe(scene, rule, n)).tolist():
        held = scene.sensitive[0, units[begins[c] : begins[c + 1]]]
        lacking = frequency.copy()
        lacking[held] = 0
        new = np.zeros(0, dtype=np.int64)
        if lacking.any():
            new = rng.choice(len(lacking), int((lacking > 0).sum()), replace=False, p=lacking / lacking.sum())
        more = rng.choice(len(frequency), rule.minimum_size, p=frequency / frequency.sum())
        drawn = np.concatenate([new, more]).astype(np.int32)
        # every number of counterfeits at once: class i has the newcomers and the first i + 1 of what was drawn
        rows = [np.concatenate([held, drawn[: i + 1]]) for i in range(len(drawn))]
        offsets = np.r_[0, np.cumsum([len(row) for row in rows])]
        counts = ClassCounts.count_segments(offsets, np.concatenate(rows)[None, :], scene.domains, scene.totals)
        enough = np.flatnonzero(rule.safe(counts))
        if len(enough):
            out[c] = drawn[: enough[0] + 1]
    return out


def invent(
    old: Fakes,
    planned: dict[int, np.ndarray],
    table: Microdata,
    class_of: np.ndarray,
    rng: np.random.Generator,
    taken: np.ndarray,
) -> tuple[Fakes, np.ndarray]:
    """The counterfeits with those that are planned for some classes, and the classes of the new ones.

    Each quasi-identifier is that of a random member of the class, drawn for each anew; ``class_of`` names the class of each
    record of the table, and ``taken`` the pseudonyms in use.
    """
    values = [planned[c] for c in sorted(planned)]
    where = np.repeat(sorted(planned), [len(v) for v in values]).astype(np.int32)
    rows = table.shuffled_order(rng)
    rows = rows[np.argsort(class_of[rows], kind="stable")]
    low = np.searchsorted(class_of[rows], where, side="left")
    high = np.searchsorted(class_of[rows], where, side="right")
    drawn = rng.integers(low, high, size=(len(table.qi_codes), len(where)))
    qi = np.take_along_axis(table.qi_codes, rows[drawn], axis=1)
    none = np.full(len(where), -1, dtype=np.int32)
    fakes = Fakes(
        np.concatenate([old.home, none]),
        np.concatenate([old.signature, none]),
        np.concatenate([old.value, *values]),
        np.concatenate([old.qi, qi], axis=1),
        np.concatenate([old.name, fresh_pseudonyms(len(where), np.concatenate([taken, old.name]))]),
    )
    return fakes, where
