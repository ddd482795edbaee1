"""m-Distinct: values may change between releases, and old and new ones both stay hidden.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np

from ppdp_lab.attacks import UpdateModel
from ppdp_lab.errors import (
    DataFileError,
    InfeasibleError,
    ParameterError,
    SchemaError,
    listed,
)
from ppdp_lab.registry import OneOf, Seed, Within
from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.release.forms import FORMS
from ppdp_lab.republish.buckets import signatures
from ppdp_lab.republish.buckets.filling import (
    Filled,
    check_apart,
    check_legal,
    fill_buckets,
    name_all,
    new_buckets,
    remember_classes,
    split_groups,
    value_sets,
)
from ppdp_lab.republish.buckets.signatures import check_unique
from ppdp_lab.republish.buckets.update_sets import UpdateSets, require_eligible, signature_buckets, with_intersections
from ppdp_lab.republish.memory import Stored, fresh_pseudonyms
from ppdp_lab.republish.publisher import PUBLISHERS, Publisher
from ppdp_lab.republish.stream import Snapshot
from ppdp_lab.table import Microdata

APART, SCORED = "apart", "scored"


@PUBLISHERS.add(
    accepts="tables with one sensitive column whose values change as an update model says",
    promises="no update rules out any of the m or more values that anybody is published among, in any release",
    paper="Li and Zhou, 2008",
)
class MDistinct(Publisher):
    """Publishes records whose values change, so that no release rules out a value of an earlier one, or the reverse [1]_.

    Every class holds at least m values, each once. The values of the class that a record was last published in may have
    become others since: their candidate update sets are the record's *update set signature*. The next class of the record must
    be a *legal update instance* of it (Definition 14): as many values, each of them in one of these sets, and one of them in
    each set. Then nothing is pruned from anybody's update graph, and at least m values stay possible for every version
    (Lemma 3).

    Records of earlier releases go to the bucket of their signature, or to an intersection of two signatures. New ones go
    where their value has a place, to the entry with the highest score; those whom no bucket takes form buckets of their own.
    Counterfeits balance the buckets, which are then split into classes.

    Parameters
    ----------
    m : int
        Values per class, at least.
    model : UpdateModel, optional
        Which value may become which; without one, values never change.
    star : bool
        m-Distinct* (section IV-B): values of a class that a record is first published in can never become the same value, which
        keeps the re-publication risk at 1/m or below where updates are equally likely (Lemma 4). Needs m values that never
        meet: with blocks of d, as many blocks.
    new_records : {"apart", "scored"}
        What to do with a new record that would cost a counterfeit in every bucket: put it into a bucket with others like it,
        or, as Algorithm 3 is printed, where its score is the least bad.
    style : {"generalized", "anatomized"}
    seed : int, optional
        Which records meet, and what counterfeits look like, is chance: the system's entropy unless given. A seeded series is
        reproducible and not private.
    on_invalid : {"raise", "suppress"}
        What to do with a record that changed as the model does not allow: whoever believes the model rules out its value.

    Notes
    -----
    Departures from the paper. A record that was away for k releases is held to what its old values may become within k
    steps, so that models need not be transitive (the paper's footnote 8); one that a value cannot stay under is refused, since
    a class may then have no legal successor. A new record that would raise the number of counterfeits counts as one that no
    bucket takes, unless ``new_records="scored"``: on census rows that leaves none, where Algorithm 3 as printed needs one for
    every second or third class. Of entries with equal scores, that in the bucket counts which lacks fewest
    records: it decides how many counterfeits there are. A bucket is split without going back: a class takes first the values
    that are left as often as there are classes left. Under ``star``, values that are linked by others count as meeting.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> def table(*illness):
    ...     frame = pd.DataFrame({"age": [35, 49, 42, 44], "illness": illness})
    ...     return pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> model = pl.UpdateModel.blocks([["flu", "pneumonia"], ["gastritis", "dyspepsia"]])
    >>> publisher = MDistinct(2, model=model)
    >>> publisher.publish(table("flu", "gastritis", "flu", "gastritis"))
    <Release of 4 records in 2 classes, by MDistinct(2, model=4 values, each of which may become 2 of them)>
    >>> release = publisher.publish(table("pneumonia", "gastritis", "flu", "dyspepsia"))
    >>> release.n_classes, len(release.counterfeits)
    (2, 0)
    """

    layout: ClassVar[Mapping[str, Stored]] = {
        "signature": Stored(np.int32, "person", empty=-1, low=-1, high="signature"),  # -1: never published
        "published": Stored(
            np.int32, "person", low=0, high="release"
        ),  # the last release that held them, counted from 1
        "value": Stored(np.int32, "person", codes="sensitive"),  # their value in it
        "signature_begins": Stored(np.int64, "signature", more=1, low=0),
        "signature_values": Stored(np.int32, "signature value", codes="sensitive"),
        "fakes_made": Stored(np.int64, length=1, low=0, high=2**62),
    }

    def __init__(
        self,
        m: Annotated[int, Within(at_least=2)],
        *,
        model: UpdateModel | None = None,
        star: bool = False,
        new_records: Annotated[str, OneOf(APART, SCORED)] = APART,
        style: Annotated[str, OneOf(FORMS)] = "generalized",
        seed: Seed = None,
        on_invalid: Annotated[str, OneOf("raise", "suppress")] = "raise",
    ) -> None:
        super().__init__(seed=seed, on_invalid=on_invalid)
        self.m = m
        if model is not None and not isinstance(model, UpdateModel):
            raise ParameterError(f"model must be a ppdp_lab.UpdateModel, not {type(model).__name__}")
        if model is not None and model.leaving:
            raise ParameterError(
                f"by its model {listed(model.leaving)} cannot stay; MDistinct needs values that may stay, or a class could be "
                f"left without any legal successor; let each become itself, too"
            )
        self.model = model
        if not isinstance(star, bool):
            raise ParameterError(f"star must be True or False, not {star!r}")
        self.star = star
        self.new_records = new_records
        self.style = style

    # ------------------------------------------------------------------ the three phases
    def _publish(self, snapshot: Snapshot, persons: np.ndarray) -> tuple[Release, np.ndarray]:
        table = snapshot.table
        if len(table.schema.sensitive) != 1:
            raise SchemaError(
                f"MDistinct needs exactly one sensitive column; this table has {len(table.schema.sensitive)}"
            )
        domain, values = table.sensitive_domains[0].counted, table.sensitive_codes[0].astype(np.int64)
        sets = UpdateSets(self.model if self.model is not None else UpdateModel.constant(domain), domain)
        last = self.memory["published"][persons]
        steps = np.where(last > 0, self.number + 1 - last, 0)
        left_out = self._left_out(table, persons, values, steps, sets)
        filled = self._fill(table, persons, values, np.where(left_out, -1, steps), sets)

        fake_bucket, fake_slot = filled.lacking()
        fake_qi = signatures.of_members(fake_bucket, filled.bucket, table.qi_codes, self.rng)
        bucket = np.concatenate([filled.bucket, fake_bucket])
        slot = np.concatenate([filled.slot, fake_slot])
        every = np.concatenate([values, np.full(len(fake_bucket), -1)])
        every_qi = np.concatenate([table.qi_codes, fake_qi], axis=1)
        invented = len(table) + self.rng.permutation(len(fake_bucket))
        tie_order = np.concatenate([table.shuffled_order(self.rng), invented])
        class_of = split_groups(filled, sets, bucket, slot, every, every_qi, table.qi_domains, tie_order)
        every = name_all(filled, sets, class_of, bucket, slot, every, self.rng)
        release = self._release(table, persons, class_of, every, fake_qi)
        self._check(release, persons, steps, sets)
        remember_classes(self.memory, release, persons, values, self.number + 1)
        return release, persons

    def _fill(
        self, table: Microdata, persons: np.ndarray, values: np.ndarray, steps: np.ndarray, sets: UpdateSets
    ) -> Filled:
        """Phases 1 and 2: ``steps`` since everybody's last release, 0 for new records, -1 for those left out."""
        old = np.flatnonzero(steps > 0)
        signature = self.memory["signature"][persons[old]].astype(np.int64)
        longest = int(steps.max(initial=0)) + 1
        pairs, of_pair = np.unique(signature * longest + steps[old], return_inverse=True)
        begins, held = value_sets(self.memory, pairs // longest)
        buckets, of_set = signature_buckets(sets, begins, held, pairs % longest)
        of_set = of_set.astype(np.int64)
        records = np.bincount(of_set[of_pair], minlength=len(buckets))
        buckets = with_intersections(buckets, sets, records)
        buckets, of_set = buckets.shuffled(self.rng, of_set)
        home = np.full(len(values), -1, dtype=np.int64)
        home[old] = of_set[of_pair]
        order = table.shuffled_order(self.rng, np.flatnonzero(steps >= 0))
        filled = fill_buckets(buckets, sets, order, home, values, table.qi_codes, spare=self.new_records == APART)
        rest = order[filled.bucket[order] < 0]
        units = sets.apart() if self.star else np.arange(len(sets.domain))
        require_eligible(self, sets.domain, units, values[rest], values[values < len(sets.domain)])
        return new_buckets(filled, sets, rest, values, units, self.m) if len(rest) else filled

    # ------------------------------------------------------------------ what is refused
    def _left_out(
        self, table: Microdata, persons: np.ndarray, values: np.ndarray, steps: np.ndarray, sets: UpdateSets
    ) -> np.ndarray:
        """Mask of the records that changed as the model does not allow; refuses them unless they are to be suppressed."""
        gone = self._without_value(table)
        strange = np.zeros(len(persons), dtype=bool)
        before = self.memory["value"][persons]
        for gap in np.unique(steps[steps > 0]).tolist():
            here = np.flatnonzero((steps == gap) & ~gone)
            strange[here] = ~sets.reach(gap)[before[here], values[here]]
        if strange.any() and self.on_invalid == "raise":
            raise InfeasibleError(
                f"{int(strange.sum())} record(s) changed to a value that theirs cannot become by the update model, so that "
                f"whoever knows the model would rule the truth out; use on_invalid='suppress' to leave them out, or mend the "
                f"model (this error's ids says which they are)",
                ids=table.ids[strange],
            )
        return strange | gone

    # ------------------------------------------------------------------ the release
    def _release(
        self, table: Microdata, persons: np.ndarray, class_of: np.ndarray, values: np.ndarray, fake_qi: np.ndarray
    ) -> Release:
        n = len(class_of) - len(table)
        made = int(self.memory["fakes_made"][0])
        self.memory["fakes_made"] = np.array([made + n], dtype=np.int64)
        fakes = Counterfeits(
            class_of[len(table) :],
            values[None, len(table) :].astype(np.int32),
            fake_qi,
            made + np.arange(n),
            fresh_pseudonyms(n, self._pseudonyms),
        )
        return self._make(table, persons, class_of[: len(table)], style=self.style, grouped=True, counterfeits=fakes)

    def _check(self, release: Release, persons: np.ndarray, steps: np.ndarray, sets: UpdateSets) -> None:
        """Count the finished release anew: m-unique, and a legal update instance of everybody's last published class."""
        check_unique(release, self.m, fine=True)
        check_legal(release, sets.model, self.memory, self.memory["signature"][persons], steps)
        if self.star:
            check_apart(release, sets.model, self.memory["published"][persons] == 0)

    @property
    def specification(self) -> str:
        """The call that makes such a publisher, with the model in words."""
        parts = [str(self.m), *([] if self.model is None else [f"model={self.model}"])]
        said = {"star": False, "new_records": APART, "style": "generalized", "seed": None, "on_invalid": "raise"}
        parts += [f"{name}={getattr(self, name)!r}" for name, usual in said.items() if getattr(self, name) != usual]
        return f"{type(self).__name__}({', '.join(parts)})"

    # ------------------------------------------------------------------ memory
    def _limits(self) -> dict[str, int]:
        return super()._limits() | {"signature": len(self.memory["signature_begins"]) - 2}

    def _check_memory(self) -> None:
        memory, begins = self.memory, self.memory["signature_begins"]
        if begins[0] != 0 or (np.diff(begins) < self.m).any() or begins[-1] != len(memory["signature_values"]):
            raise DataFileError("its signatures have fewer than m values, or values belong to none of them")
        if ((memory["signature"] >= 0) != (memory["published"] > 0)).any():
            raise DataFileError("some persons have a signature without a release, or the reverse")
