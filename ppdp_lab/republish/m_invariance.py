"""m-invariance: a record is always published among the same set of sensitive values.

References
----------
.. [1] X. Xiao, Y. Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007.
.. [2] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011:
   sections III and IV-A.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np

from ppdp_lab.errors import DataFileError, InfeasibleError, SchemaError
from ppdp_lab.registry import OneOf, Seed, Within
from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.release.forms import FORMS
from ppdp_lab.republish.buckets import assign, eligible_with, excess, first_of, most_takes, spread
from ppdp_lab.republish.buckets import signatures as counterfeits
from ppdp_lab.republish.buckets.auditor import LAYOUT as AUDIT_LAYOUT
from ppdp_lab.republish.buckets.auditor import audit_values
from ppdp_lab.republish.buckets.signatures import (
    Signatures,
    bucket_matrix,
    canonical,
    check_unique,
    check_unmoved,
    split,
)
from ppdp_lab.republish.memory import Stored
from ppdp_lab.republish.publisher import PUBLISHERS, Publisher
from ppdp_lab.republish.stream import Snapshot
from ppdp_lab.table import Domain, Microdata

FINE, MERGED = "fine", "merged"
MOST_CELLS = 2**25  # entries of the table of buckets by values: about 1 GB while a release is made
MOST_FAKES = 100  # counterfeits per record: beyond that nearly nothing that is published is true


@PUBLISHERS.add(
    accepts="tables with one sensitive column, no value of which has more than one m-th of the records",
    promises="everybody is always published among the same m or more sensitive values",
    paper="Xiao and Tao, SIGMOD 2007",
)
class MInvariance(Publisher):
    """Publishes every record, in all its releases, among one and the same set of at least m sensitive values [1]_.

    That set is the record's *signature*: the values of the class it was first published in. Whoever intersects the
    releases finds the signature again and again, and links no one to a value with a probability above 1/m.

    *Division*: records of earlier releases go to the bucket of their signature. *Balancing*: every bucket must hold each
    value of its signature equally often; what is missing comes from the new records, as long as these do not get
    further from m-eligibility (no value in more than one m-th of them), else a counterfeit is invented. *Assignment*: the
    new records that are left fill buckets of m or more values each. *Split*: every bucket is cut, recursively, into
    classes that hold each value once.

    Parameters
    ----------
    m : int
        Values per signature, at least.
    partition : {"fine", "merged"}
        Publish the classes of the split, or every bucket as one class (section IV-A of [2]_).
    style : {"generalized", "anatomized"}
    seed : int, optional
        Which new records meet, and the quasi-identifiers of counterfeits, are chance: the system's entropy unless given. A seeded
        series is reproducible and not private.
    on_invalid : {"raise", "suppress"}
        What to do with a record that changed to a value outside its signature, or whose value is missing: no class may hold
        it.
    audit : bool
        Show every release to an adversary who intersects all releases so far, and refuse one that falls to the attack.

    Notes
    -----
    A person who left and comes back has the old signature. A table is refused if neither its new records nor all of its
    records are m-eligible: if only one of the two is, counterfeits can make up for it. Counterfeits stay, with their
    invented quasi-identifiers, for as long as their bucket needs them. The split tries every cut between equal numbers of records
    of each value, along every quasi-identifier, and takes the one with the least normalized extent over all records;
    hierarchies and sets count by the range of their codes there.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [35, 49, 42, 49, 43, 41, 45, 42],
    ...                       "illness": ["cancer", "flu", "cancer", "flu", "measles", "cancer", "flu", "cancer"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> publisher = MInvariance(2)
    >>> publisher.publish(table.select(range(6)))
    <Release of 6 records in 3 classes, by MInvariance(2)>
    >>> publisher.publish(table.select([0, 2, 4, 6, 7]))  # flu is rare now
    <Release of 5 records in 3 classes, 1 counterfeit, by MInvariance(2)>
    """

    layout: ClassVar[Mapping[str, Stored]] = {
        "signature": Stored(np.int32, "person", empty=-1, low=-1, high="signature"),  # -1: never placed
        "seen": Stored(np.uint64, "person"),  # the value set of the last published class, as a hash; 0: none
        "signature_begins": Stored(np.int64, "signature", more=1, low=0),
        "signature_values": Stored(np.int32, "signature value", codes="sensitive"),
        **counterfeits.LAYOUT,
        **AUDIT_LAYOUT,
    }
    _reuses = True  # a counterfeit that is needed again is the same as before

    def __init__(
        self,
        m: Annotated[int, Within(at_least=2)],
        *,
        partition: Annotated[str, OneOf(FINE, MERGED)] = FINE,
        style: Annotated[str, OneOf(FORMS)] = "generalized",
        seed: Seed = None,
        on_invalid: Annotated[str, OneOf("raise", "suppress")] = "raise",
        audit: bool = False,
    ) -> None:
        super().__init__(seed=seed, on_invalid=on_invalid, audit=audit)
        self.m = m
        self.partition = partition
        self.style = style

    # ------------------------------------------------------------------ the four steps
    def _publish(self, snapshot: Snapshot, persons: np.ndarray) -> tuple[Release, np.ndarray]:
        table = snapshot.table
        values, domain = self._sensitive(table)
        signatures = Signatures.remembered(self.memory, len(domain))
        self._require_few_cells(len(signatures), len(domain))
        bucket = self.memory["signature"][persons]  # division
        left_out = self._left_out(table, persons, bucket, values, signatures)
        fresh = np.flatnonzero((bucket < 0) & ~left_out)
        bucket[left_out] = -1
        counts = bucket_matrix(bucket, values, (len(signatures), len(domain)))
        fresh_counts = np.bincount(values[fresh], minlength=len(domain))
        self._require_eligible(fresh_counts, counts.sum(axis=0), domain)

        placed = np.zeros(self.n_persons, dtype=bool)
        placed[persons[~left_out]] = True
        real, fake = self._plan(counts, fresh_counts, signatures, placed)
        self._require_few_fakes(int(fake.sum()), len(table))
        fresh = table.shuffled_order(self.rng, fresh)
        fresh = canonical(fresh, [values], [len(domain)])  # by value; who comes first within a value is chance
        bucket[fresh] = spread(real)
        self.memory["signature"][persons[fresh]] = bucket[fresh]
        if self._reuses:
            fake = counterfeits.keep_needed(self.memory, fake)
        counterfeits.invent(self.memory, fake, self.number + 1, bucket, table.qi_codes, self.rng, self._pseudonyms)
        signatures.remember(self.memory)
        self._entered(persons[fresh])
        release = self._release(table, persons, bucket)
        self._check(release, persons)
        return release, persons

    def _plan(
        self, counts: np.ndarray, fresh: np.ndarray, signatures: Signatures, placed: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Balancing and assignment: new records, and counterfeits, per bucket and value."""
        needs, bound = self._needs(counts, signatures, placed)
        given = first_of(needs, most_takes(fresh, needs.sum(axis=0), self.m))
        rest = fresh - given.sum(axis=0)
        invented = eligible_with(rest, self.m)
        steps: list[tuple[int, np.ndarray, int]] = []
        for values, height in assign(rest + invented, self.m):
            steps.append((signatures.number(values), values, height))
            self._require_few_cells(max(len(steps), len(signatures)), len(fresh))
        filled = np.zeros((len(signatures), len(fresh)), dtype=np.int64)
        for number, values, height in steps:
            filled[number, values] += height
        real = first_of(filled, rest)
        fake = filled - real
        real[: len(given)] += given
        fake[: len(given)] += needs - given
        bound = np.concatenate([bound, np.zeros(len(filled) - len(bound), dtype=np.int64)])
        rounds = self._rounds(bound + filled.sum(axis=1), signatures)
        return real, fake + rounds[:, None] * signatures.holds

    def _needs(self, counts: np.ndarray, signatures: Signatures, placed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What every bucket misses, and how tightly it will then be bound to the present.

        ``counts`` are the records of earlier releases per bucket and value, ``placed`` tells which persons are published.
        """
        height = counts.max(axis=1, initial=0)
        return np.where(signatures.holds, height[:, None] - counts, 0), np.zeros(len(signatures), dtype=np.int64)

    def _rounds(self, bound: np.ndarray, signatures: Signatures) -> np.ndarray:
        """How many whole signatures each bucket needs beyond what m-invariance asks for."""
        return np.zeros(len(signatures), dtype=np.int64)

    def _entered(self, persons: np.ndarray) -> None:
        """Told who is published for the first time."""

    # ------------------------------------------------------------------ what is refused
    def _sensitive(self, table: Microdata) -> tuple[np.ndarray, Domain]:
        if len(table.schema.sensitive) != 1:
            raise SchemaError(
                f"{type(self).__name__} needs exactly one sensitive column; this table has {len(table.schema.sensitive)}"
            )
        return table.sensitive_codes[0], table.sensitive_domains[0].counted

    def _require_eligible(self, fresh: np.ndarray, old: np.ndarray, domain: Domain) -> None:
        whole = fresh + old
        if not excess(fresh, self.m) or not excess(whole, self.m):
            return
        top = int(np.argmax(whole))
        raise InfeasibleError(
            f"{self.specification} needs every value of {domain.name!r} in at most 1/{self.m} of the records, but "
            f"{domain.labels[top]!r} has {whole[top]} of {whole.sum()} ({whole[top] / whole.sum():.1%}) in release "
            f"{self.number}; lower m or leave out some of these records"
        )

    def _require_few_cells(self, n_buckets: int, n_values: int) -> None:
        if n_buckets * n_values > MOST_CELLS:
            raise InfeasibleError(
                f"{self.specification} counts every sensitive value in every bucket, and {n_values:,} distinct values need "
                f"{n_buckets:,} buckets or more: over the limit of {MOST_CELLS:,} counts; use a sensitive column with fewer "
                f"distinct values, for example by grouping rare ones"
            )

    def _require_few_fakes(self, n_fakes: int, n_records: int) -> None:
        if n_fakes > MOST_FAKES * max(n_records, 1):
            raise InfeasibleError(
                f"{self.specification} would add {n_fakes:,} counterfeits to {n_records:,} records, more than {MOST_FAKES} for "
                f"each of them; use smaller parameters or more records"
            )

    def _left_out(
        self, table: Microdata, persons: np.ndarray, bucket: np.ndarray, values: np.ndarray, signatures: Signatures
    ) -> np.ndarray:
        """Mask of the records that cannot be placed; refuses them unless they are to be suppressed."""
        gone = self._without_value(table)
        strange = np.zeros(len(bucket), dtype=bool)
        known = np.flatnonzero((bucket >= 0) & ~gone)
        strange[known] = ~signatures.holds[bucket[known], values[known]]
        if strange.any() and self.on_invalid == "raise":
            raise InfeasibleError(
                f"{int(strange.sum())} record(s) changed to a value outside their signature, so no class may hold them; use "
                f"on_invalid='suppress' to leave them out (this error's ids says which they are)",
                ids=table.ids[strange],
            )
        return strange | gone

    # ------------------------------------------------------------------ the release
    def _release(self, table: Microdata, persons: np.ndarray, bucket: np.ndarray) -> Release:
        memory = self.memory
        every = np.concatenate([bucket, memory[counterfeits.BUCKET]])
        if self.partition == FINE:
            values = np.concatenate([table.sensitive_codes[0], memory[counterfeits.VALUE]])
            every_qi = np.concatenate([table.qi_codes, memory[counterfeits.QI]], axis=1)
            invented = len(table) + self.rng.permutation(len(every) - len(table))
            tie_order = np.concatenate([table.shuffled_order(self.rng), invented])
            class_of = split(every, values, len(table.sensitive_domains[0]), every_qi, table.qi_domains, tie_order)
        else:
            present = np.bincount(every[every >= 0], minlength=1) > 0
            class_of = np.where(every >= 0, (np.cumsum(present) - 1)[every], -1).astype(np.int32)
        fakes = Counterfeits(
            class_of[len(table) :],
            memory[counterfeits.VALUE][None, :],
            memory[counterfeits.QI],
            memory[counterfeits.NUMBER],
            memory[counterfeits.NAME],
        )
        return self._make(table, persons, class_of[: len(table)], style=self.style, grouped=True, counterfeits=fakes)

    def _check(self, release: Release, persons: np.ndarray) -> None:
        """Count the finished release anew: m-unique, and everyone among the same values as when last published."""
        sets = check_unique(release, self.m, fine=self.partition == FINE)
        check_unmoved(release, sets, persons, self.memory["seen"])

    def _audit(self, release: Release, persons: np.ndarray) -> None:
        audit_values(self.memory, release, persons, self.n_persons, self.m)

    # ------------------------------------------------------------------ memory
    def _limits(self) -> dict[str, int]:
        return super()._limits() | {"signature": len(self.memory["signature_begins"]) - 2}

    def _check_memory(self) -> None:
        begins = self.memory["signature_begins"]
        if begins[0] != 0 or (np.diff(begins) < 1).any() or begins[-1] != len(self.memory["signature_values"]):
            raise DataFileError("its signatures have no values, or values belong to none of them")
