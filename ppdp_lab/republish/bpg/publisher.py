"""BPG: a static anonymizer extended to a series of releases."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np

from ppdp_lab.anonymize import Mondrian
from ppdp_lab.anonymize.base import Anonymizer, whole_counts
from ppdp_lab.errors import (
    DataFileError,
    DirtyRecordsWarning,
    InfeasibleError,
    ParameterError,
    listed,
)
from ppdp_lab.principles import Principle
from ppdp_lab.registry import OneOf, Seed, Within
from ppdp_lab.release import Release
from ppdp_lab.republish.bpg import counterfeits
from ppdp_lab.republish.bpg._bpg import number_classes
from ppdp_lab.republish.bpg.checking import (
    AUDIT_LAYOUT,
    audit_histories,
    refined,
    require_safe_cells,
    require_sound,
    values_hash,
)
from ppdp_lab.republish.bpg.counterfeits import Fakes, invent, plan
from ppdp_lab.republish.bpg.listing1 import (
    COUNTERFEITS,
    DIRTY,
    ONE_BY_ONE,
    REASONS,
    VARIANTS,
    Outcome,
    Scene,
    printed_listing,
    repair,
)
from ppdp_lab.republish.memory import Stored
from ppdp_lab.republish.publisher import PUBLISHERS, Publisher
from ppdp_lab.republish.stream import Snapshot
from ppdp_lab.table import Microdata


def check_monotonous(rule: object) -> Principle:
    """A superset-closed principle; anything else is refused."""
    if not isinstance(rule, Principle):
        raise ParameterError(f"the rule must be a principle such as KAnonymity(5), not {rule!r}")
    if not rule.superset_closed:
        raise ParameterError(
            f"{rule} is not superset-closed (monotonous, in the paper's words): a safe class may become unsafe when a record "
            f"joins it, and BPG has no other way to mend one; use KAnonymity, DistinctLDiversity or both"
        )
    return rule


def check_base(base: object) -> Anonymizer | None:
    """An anonymizer without a seed of its own, or None; anything else is refused."""
    if base is None:
        return None
    if not isinstance(base, Anonymizer):
        raise ParameterError(f"base must be an anonymizer such as Mondrian(KAnonymity(5)), not {base!r}")
    if getattr(base, "seed", None) is not None:
        raise ParameterError(
            f"base {base} has a seed of its own, and would repeat its chance; give BPG the seed instead"
        )
    return base


def candidate_classes(
    base: Anonymizer, table: Microdata, part: np.ndarray | None, rng: np.random.Generator
) -> np.ndarray:
    """The class of each record, -1 for one that the base suppresses, if the base is given every part by itself.

    ``part`` numbers the parts from 0, newcomers being 0; None means all records at once. A part that is too small to be
    divided is one class, safe or not, as is one that the base cannot anonymize.
    """
    base = copy.copy(base)
    if hasattr(base, "seed"):
        base.seed = int(rng.integers(2**63))
    if part is None:
        return base.anonymize_within(table, np.zeros(len(table), dtype=np.int32))
    sizes = np.bincount(part)
    large = sizes >= 2 * base.rule.minimum_size
    dense = np.where(large, np.cumsum(large) - 1, -1).astype(np.int32)
    class_of = base.anonymize_within(table, dense[part])
    small = ~large & (sizes > 0)
    rest = class_of.max(initial=-1) + np.cumsum(small)
    return np.where(large[part], class_of, rest[part])


# --------------------------------------------------------------------
# BPG: any static anonymizer, made fit for a series of releases or queries.
#
# References
# ----------
# .. [1] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive queries",
# CIKM 2012, section 6 and Listing 1.


NEIGHBOURHOOD, SIGNATURE, NONE = DIVISIONS = ("neighbourhood", "signature", "none")
_TALLY = (*REASONS, "dirty", "suppressed", "counterfeits")


@PUBLISHERS.add(
    accepts="any table; any superset-closed rule; any anonymizer as its base",
    promises="records with the same history of published classes keep the rule together, even if rows are tracked",
    paper="Barbosa et al., CIKM 2012",
)
class BPG(Publisher):
    """Post-processes the releases of a static anonymizer so that their differences and intersections are safe, too [1]_.

    Whoever follows rows from release to release (``to_frame(track=True)``) learns of a record that it is one of those which
    were published with the same classes throughout: its *neighbourhood*. All members of one have been in the same
    releases, which is their *signature*. BPG stores both and publishes a class only if every neighbourhood that this leaves
    is empty or keeps the rule. Where it does not, members of the neighbourhood who are in no class of this release are
    published along; if they left the table, they are *dirty* records. Where that does not help either, the class is
    rejected and its records are suppressed.

    A snapshot may be any subset of the table: queries are releases, too. ``publish(table.select(mask))`` answers one.

    Parameters
    ----------
    rule : Principle
        Any superset-closed principle ("monotonous" in the paper), such as k-anonymity and distinct l-diversity.
    base : Anonymizer, optional
        Makes the classes of each release: Mondrian with the same rule unless given. Its own rule may be another one: classes
        that break this publisher's are repaired or suppressed like all others.
    variant : {"dirty", "no-dirty", "with-counterfeits", "one-by-one"}
        The paper's default: all available members of a neighbourhood are pulled in. Nobody is, classes are rejected. As
        the default, and newcomers who are too few get counterfeits. Members are pulled in singly, until they suffice.
    divide_by : {"neighbourhood", "signature", "none"}
        What the base is given: the records of each stored neighbourhood by themselves, of each signature, or all at once.
        The paper does not say; only the first is compatible with its Figure 3.
    max_dirty : int, optional
        At most so many dirty records per release; classes that need more than are left are rejected.
    repairs : bool
        False publishes by Listing 1 as it is printed, which leaks: for teaching only.
    seed : int, optional
        For the turns that classes take, and for all that the base leaves to chance: the system's entropy unless given. A
        seeded series is reproducible and not private.
    audit : bool
        Show every release, beside the series so far, to the package's auditor who follows rows, and refuse one that fails.

    Notes
    -----
    Members of a neighbourhood who alone break the rule, and a part that the base cannot anonymize (too few newcomers), are
    one class each, which is repaired like any other, or else suppressed and counted. If nothing at all can be published
    the snapshot is refused. Boxes are the smallest that cover a class, whatever the base's own were.

    Under ``with-counterfeits`` a counterfeit is a person from then on. One that is made now was in no earlier release, so it
    helps newcomers only; to spare old neighbourhoods, dirty records are still needed (``max_dirty=0`` forbids them). Unlike
    those of m-invariance, ``counterfeit_statistics()`` must stay in the house: they tell how few of a class are real.

    A sensitive value may change. As earlier releases show the old one, a neighbourhood is not divided any more after a
    member's value has changed: it is published as a whole or not at all. Quasi-identifiers may change freely.

    Departures from Listing 1, whose invariant fails as printed: ``reject`` is reset for every class; every distinct
    neighbourhood of a class is looked at and updated; newcomers must be safe by themselves; what is left of a neighbourhood
    is tested again after records were pulled in; records of rejected classes are available to later ones.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [21, 25, 27, 38, 43, 46, 57, 60], "illness": ["flu", "HIV", "cold", "flu"] * 2})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> publisher = BPG(pl.KAnonymity(2), variant="no-dirty")
    >>> publisher.publish(table.select([0, 1, 2, 3]))
    <Release of 4 records in 2 classes, by BPG(KAnonymity(2), variant='no-dirty')>
    >>> publisher.publish(table.select([1, 2, 3, 4, 5, 6, 7]))  # alone, the second record would give the first away
    <Release of 6 records in 3 classes, 1 suppressed, by BPG(KAnonymity(2), variant='no-dirty')>
    """

    layout: ClassVar[Mapping[str, Stored]] = {
        "neighbourhood": Stored(np.int32, "person", empty=-1, low=-1, high="neighbourhood"),  # -1: never published
        "signature": Stored(np.int32, "person", empty=-1, low=-1, high="signature"),  # number of a distinct history
        "shown": Stored(np.uint64, "person"),  # the values last published, as a hash; 0: none
        "whole": Stored(np.uint8, "neighbourhood", low=0, high=1),  # 1: a value has changed, so it is not divided
        "tally": Stored(np.int64, length=len(_TALLY), low=0),
        **counterfeits.LAYOUT,
        **AUDIT_LAYOUT,
    }
    _answers_queries = True

    def __init__(
        self,
        rule: Principle,
        *,
        base: Anonymizer | None = None,
        variant: Annotated[str, OneOf(*VARIANTS)] = DIRTY,
        divide_by: Annotated[str, OneOf(*DIVISIONS)] = NEIGHBOURHOOD,
        max_dirty: Annotated[int, Within(at_least=0)] | None = None,
        repairs: bool = True,
        seed: Seed = None,
        audit: bool = False,
    ) -> None:
        super().__init__(seed=seed, audit=audit)
        self.rule, self.base = check_monotonous(rule), check_base(base)
        self.variant = variant
        self.divide_by = divide_by
        self.max_dirty = max_dirty
        if not isinstance(repairs, bool):
            raise ParameterError(f"repairs must be True or False, not {repairs!r}")
        if not repairs and (self.variant != DIRTY or self.max_dirty is not None):
            raise ParameterError("repairs=False is the listing as printed, which knows no variants and no max_dirty")
        self.repairs = repairs
        self._base = Mondrian(rule) if base is None else base

    @property
    def tally(self) -> dict[str, int]:
        """Of the last release: classes published untouched and repaired; classes rejected for their newcomers, for pieces
        of neighbourhoods, for the limit of dirty records; records dirty and suppressed, and counterfeits."""
        return dict(zip(_TALLY, self.memory["tally"].tolist()))

    # ------------------------------------------------------------------ publishing
    def _publish(self, snapshot: Snapshot, persons: np.ndarray) -> tuple[Release, np.ndarray]:
        table, memory, n = snapshot.table, self.memory, self.n_persons
        fakes = Fakes.remembered(memory, len(table.qi_codes))
        scene = self._scene(table, persons, fakes)
        count = number_classes(scene.now)
        order = self.rng.permutation(count)
        # Counterfeits have a chance of their own: how much of it is used depends on sensitive values, and must decide nothing.
        fake_rng = np.random.default_rng(int(self.rng.integers(2**63)))
        planned = plan(scene, self.rule, count, fake_rng) if self.variant == COUNTERFEITS else {}
        outcome, homes = self._decide(scene, order, planned)
        final = outcome.final
        if (final < 0).all():
            self.rule.require_feasible(whole_counts(table))
            raise InfeasibleError(
                f"nothing of this snapshot can be published: every class that {self._base} makes of it breaks {self.rule}, by "
                f"itself or compared with the {self.number} releases so far; publish more records at once, or allow (more) "
                f"dirty ones: this is {self.specification}"
            )
        published = np.bincount(final[final >= 0]) > 0
        planned = {c: values for c, values in planned.items() if c < len(published) and published[c]}
        if planned:
            fakes, where = invent(fakes, planned, table, final[persons], fake_rng, self._pseudonyms)
            final = np.concatenate([final, where])
        number = np.append(np.cumsum(published) - 1, -1).astype(np.int32)
        final = number[final]
        self._remember(table, final, fakes, scene, homes)

        shown = final[:n].copy()
        shown[persons] = -1
        dirty = np.flatnonzero(shown >= 0)
        everybody = np.concatenate([persons, dirty])
        release = self._make(
            self._with_dirty(table, dirty),
            everybody,
            final[everybody],
            style=self._base.style,
            counterfeits=fakes.shown(final[n:], len(scene.domains)),
            dirty=self._ids[dirty],
        )
        counts = (*outcome.why.values(), len(dirty), int((final[persons] < 0).sum()), release.n_counterfeits)
        memory["tally"] = np.array(counts, dtype=np.int64)
        release = release.checked(self.rule)
        if len(dirty):
            _warn(len(dirty))
        return release, everybody

    def _scene(self, table: Microdata, persons: np.ndarray, fakes: Fakes) -> Scene:
        """All units, those of the snapshot in the classes that the base makes of it."""
        memory, n, n_qi = self.memory, self.n_persons, len(table.qi_codes)
        total = n + len(fakes)
        now = np.full(total, -1, dtype=np.int32)
        part = None if self.divide_by == NONE else memory[self.divide_by][persons] + 1  # 0 holds the newcomers
        now[persons] = candidate_classes(self._base, table, part, self.rng)
        asked, person = np.zeros(total, dtype=bool), np.zeros(total, dtype=bool)
        asked[persons] = person[:n] = True
        whole = memory["whole"].astype(bool)
        before = memory["shown"][persons]
        changed = persons[(before != 0) & (before != values_hash(table.sensitive_codes, table.sensitive_domains))]
        whole[memory["neighbourhood"][changed]] = True
        home = np.concatenate([memory["neighbourhood"], fakes.home])
        sensitive = self._codes[n_qi:]
        if len(fakes):
            sensitive = np.concatenate([sensitive, fakes.sensitive(len(sensitive))], axis=1)
        return Scene(home, now, asked, person, whole, sensitive, table.sensitive_domains, table.totals())

    def _decide(
        self, scene: Scene, order: np.ndarray, planned: dict[int, np.ndarray]
    ) -> tuple[Outcome, np.ndarray | None]:
        """Who is published with whom; and the neighbourhoods that the printed listing then believes in."""
        if not self.repairs:
            return printed_listing(scene, self.rule, order)
        completed = np.zeros(len(order), dtype=bool)
        completed[list(planned)] = True
        tie_order = self.rng.permutation(len(scene.home)) if self.variant == ONE_BY_ONE else None
        outcome = repair(
            scene,
            self.rule,
            order=order,
            tie_order=tie_order,
            variant=self.variant,
            most_dirty=self.max_dirty,
            completed=completed,
        )
        return outcome, None

    def _with_dirty(self, table: Microdata, dirty: np.ndarray) -> Microdata:
        """The table, and after its records those of dirty persons as they were last seen."""
        if not len(dirty):
            return table
        n_qi = len(table.qi_codes)
        qi = np.concatenate([table.qi_codes, self._codes[:n_qi, dirty]], axis=1)
        sensitive = np.concatenate([table.sensitive_codes, self._codes[n_qi:, dirty]], axis=1)
        return table.with_records(table.ids.append(self._ids[dirty]), qi, sensitive)

    # ------------------------------------------------------------------ memory
    def _remember(
        self, table: Microdata, final: np.ndarray, fakes: Fakes, scene: Scene, homes: np.ndarray | None
    ) -> None:
        """Refine neighbourhoods and signatures by what is published, after counting every neighbourhood anew."""
        memory, n, n_qi = self.memory, self.n_persons, len(table.qi_codes)
        home = np.concatenate([memory["neighbourhood"], fakes.home])
        if homes is None:
            cells, before = refined(home, final)
            sensitive = np.concatenate([self._codes[n_qi:], fakes.sensitive(len(scene.domains))], axis=1)
            require_safe_cells(self.rule, cells, before, final >= 0, sensitive, scene.domains)
            memory["whole"] = np.append(scene.whole, False)[before].astype(np.uint8)
        else:
            cells, before = refined(homes, np.full(len(homes), -1))
            memory["whole"] = np.zeros(len(before), dtype=np.uint8)
        signature, _ = refined(np.concatenate([memory["signature"], fakes.signature]), np.where(final >= 0, 0, -1))
        memory["neighbourhood"], memory["signature"] = cells[:n], signature[:n]
        Fakes(cells[n:], signature[n:], fakes.value, fakes.qi, fakes.name).remember(memory)
        shown = np.flatnonzero(final[:n] >= 0)
        memory["shown"][shown] = values_hash(self._codes[n_qi:, shown], scene.domains)

    def _audit(self, release: Release, persons: np.ndarray) -> None:
        fakes = Fakes.remembered(self.memory, len(release.table.qi_codes))
        invented = fakes.sensitive(len(release.table.sensitive_domains)), fakes.qi
        past = self.records_of(np.arange(self.n_persons), release.table)
        audit_histories(self.memory, release, past, persons, (self._pseudonyms, fakes.name), invented, self.rule)

    def _limits(self) -> dict[str, int]:
        units = self.n_persons + len(self.memory.get(counterfeits.HOME, ()))
        return super()._limits() | {"neighbourhood": len(self.memory["whole"]) - 1, "signature": units - 1}

    def _check_memory(self) -> None:
        none = np.zeros(0, dtype=np.int32)
        known = [name for name in counterfeits.LAYOUT if name in self.memory]
        if len(known) not in (0, len(counterfeits.LAYOUT)):
            raise DataFileError(f"of its counterfeits it knows {listed(known)} only")
        fakes = [self.memory.get(name, none) for name in (counterfeits.HOME, counterfeits.SIGNATURE)]
        if (self.codes < 0).any():
            raise DataFileError("it does not know the values of some persons")
        require_sound(self.memory, *fakes, one_signature=self.repairs)


def _warn(n: int) -> None:
    warnings.warn(
        f"{n} dirty record(s): persons who are not in this snapshot, such as deleted ones, are put back into print, because "
        f"others would be given away without them; release.dirty lists them. If that must not be, use variant='no-dirty' or "
        f"max_dirty=...",
        DirtyRecordsWarning,
        stacklevel=5,
    )
