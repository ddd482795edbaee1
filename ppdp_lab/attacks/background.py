"""Background: what an adversary is assumed to know besides the published tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.attacks.update_model import UpdateModel
from ppdp_lab.errors import IdError, ParameterError, check_integer, check_items, listed
from ppdp_lab.release import Release
from ppdp_lab.table import Domain, Microdata, common_domains
from ppdp_lab.text import OneLine, counted


@dataclass(frozen=True, eq=False)
class Presence(OneLine):
    """Who is in one release, with which quasi-identifiers and, if that is known, in which published group.

    ``persons`` are positions in :attr:`Background.ids`; column j of ``qi`` and entry j of ``groups`` belong to
    ``persons[j]``.

    ``states`` is the holder's note on which values are equal, per sensitive column: the number of the person's value among
    the person's own values, so that two releases with different numbers show a change, but never which value it is. No
    attack reads it; :func:`~ppdp_lab.attacks.audit.audit_series` tells by it whether an update model is missing.
    """

    persons: np.ndarray
    qi: np.ndarray
    groups: np.ndarray | None = None
    states: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, dimensions in (("persons", 1), ("qi", 2), ("groups", 1)):
            array = getattr(self, name)
            if name == "groups" and array is None:
                continue
            fits = isinstance(array, np.ndarray) and array.ndim == dimensions
            if not fits or (array.size and array.dtype.kind not in "iu"):
                raise ParameterError(f"{name} must be a numpy array of whole numbers with {dimensions} dimension(s)")

    def __len__(self) -> int:
        return len(self.persons)

    def take(self, rows: np.ndarray) -> Presence:
        """Some of the persons."""
        groups = None if self.groups is None else self.groups[rows]
        states = {name: numbers[rows] for name, numbers in self.states.items()}
        return Presence(self.persons[rows], self.qi[:, rows], groups, states)


class Background:
    """Which persons are in which release, with which quasi-identifiers, and in the worst case in which group.

    Of every person it names, the adversary knows in which releases of the series they are *published* and in which not
    (section 4 of [1]_; the external knowledge tables of Definition 6 of [2]_). It need not name everybody: rows that no
    named person accounts for belong to strangers. Sensitive values are taken to stay the same over the series, unless it
    carries an update model (Definition 7 of [2]_: the probability of an update is known to the public).

    Use :meth:`of` for one table, :meth:`of_series` for several, :meth:`worst_case` for the adversary who also knows
    everyone's group.

    Parameters
    ----------
    ids : pandas.Index
        The persons, each once; every one of them is in some release.
    releases : sequence of Presence
        One entry per release, in the order of the series.
    qi_domains : sequence of Domain
        Domains of the quasi-identifiers, the same as in the published tables.
    model : UpdateModel, optional
        How sensitive values change from one release to the next; they do not unless given. See :meth:`with_model`.
    times : sequence of int, optional
        When each release came out, in releases of the whole series: where some are missing, an update had more time.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [34, 51, 29, 33], "disease": ["flu", "flu", "HIV", "flu"]}, index=list("abcd"))
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> Background.of_series([table.select([0, 1]), table.select([1, 2, 3])])
    <Background on 4 persons in 2 releases: quasi-identifiers known>
    >>> Background.worst_case([Release(table, np.array([0, 1, 0, 1]))]).to_frame(0)
       age  group
    a   34      0
    b   51      1
    c   29      0
    d   33      1

    References
    ----------
    .. [1] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive
       queries", CIKM 2012.
    .. [2] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008.
    """

    def __init__(
        self,
        ids: Any,
        releases: Sequence[Presence],
        qi_domains: Sequence[Domain],
        *,
        model: UpdateModel | None = None,
        times: Sequence[int] | None = None,
    ) -> None:
        try:
            self.ids = ids if isinstance(ids, pd.Index) else pd.Index(check_items("ids", ids), tupleize_cols=False)
            hash(self.ids[0] if len(self.ids) else None)  # an array within it
            unique = self.ids.is_unique
        except (TypeError, ValueError):
            raise IdError("ids must be a plain list of ids, one per person") from None
        self.releases = tuple(check_items("releases", releases))
        self.qi_domains = tuple(check_items("qi_domains", qi_domains))
        if not unique:
            doubled = self.ids[self.ids.duplicated()].unique()
            raise IdError(f"a background names {listed(doubled)} more than once; name each person once")
        if not self.releases:
            raise ParameterError("a background needs at least one release; give one table or presence per release")
        seen = np.zeros(len(self.ids), dtype=bool)
        for number, presence in enumerate(self.releases):
            if not isinstance(presence, Presence):
                raise ParameterError(f"releases must hold a Presence each, not {type(presence).__name__}")
            self._check(number, presence)
            seen[presence.persons] = True
        if not seen.all():
            raise IdError(f"{int((~seen).sum())} persons of the background are in no release; leave them out")
        if model is not None and not isinstance(model, UpdateModel):
            raise ParameterError(f"model must be a ppdp_lab.UpdateModel, not {type(model).__name__}")
        self.model = model
        given = range(len(self.releases)) if times is None else check_items("times", times)
        self.times = tuple(check_integer("each of times", time, at_least=0) for time in given)
        if len(self.times) != len(self.releases):
            raise ParameterError(f"{len(self.times)} times do not fit {len(self.releases)} releases; give one for each")

    def _check(self, number: int, presence: Presence) -> None:
        n, where = len(presence), f"{release_name(number, len(self.releases))} of the background"
        if presence.qi.shape != (len(self.qi_domains), n):
            raise ParameterError(
                f"{where}: quasi-identifier codes have shape {presence.qi.shape}, not {(len(self.qi_domains), n)}: "
                f"one row per quasi-identifier, one column per person"
            )
        if n and not (presence.persons.min() >= 0 and presence.persons.max() < len(self.ids)):
            raise IdError(f"{where}: persons are positions 0 to {len(self.ids) - 1} in the ids")
        if n and np.bincount(presence.persons).max() > 1:
            raise IdError(f"{where}: a person stands in it more than once; a release holds each person once")
        for codes, domain in zip(presence.qi, self.qi_domains):
            if n and not (codes.min() >= 0 and codes.max() < len(domain)):
                raise ParameterError(f"{where}: codes of {domain.name!r} must lie in 0 to {len(domain) - 1}")
        if presence.groups is not None and (presence.groups.shape != (n,) or (n and presence.groups.min() < 0)):
            raise ParameterError(f"{where}: groups must be {n} numbers from 0 on, one per person")

    # ------------------------------------------------------------------ constructors
    @classmethod
    def of(cls, table: Microdata) -> Background:
        """Everybody's quasi-identifiers, for one release of this table."""
        return cls.of_series([table])

    @classmethod
    def of_series(cls, tables: Iterable[Microdata], *, model: UpdateModel | None = None) -> Background:
        """Everybody's quasi-identifiers and presence; persons are matched by id, one table per release.

        Give the update ``model`` of a series in which sensitive values change.

        A table must hold the persons that were published: leave suppressed records out, or take :meth:`worst_case` and
        then :meth:`without_groups`.
        """
        tables = in_a_list("tables", tables)
        for table in tables:
            if not isinstance(table, Microdata):
                raise ParameterError(f"a background is made of Microdata, one per release, not {type(table).__name__}")
        if not tables:
            raise ParameterError("a background needs at least one table, one per release")
        domains = common_domains((f"table {number}", table.qi_domains) for number, table in enumerate(tables))
        ids = tables[0].ids
        for table in tables[1:]:
            if table.ids is not ids:
                ids = ids.append(table.ids[ids.get_indexer(table.ids) < 0])
        persons = [ids.get_indexer(table.ids).astype(np.int64) for table in tables]
        releases = [
            Presence(who, _recoded(table.qi_codes, table.qi_domains, domains), None, states)
            for who, table, states in zip(persons, tables, _value_states(tables, persons, len(ids)))
        ]
        return cls(ids, releases, domains, model=model)

    @classmethod
    def worst_case(cls, releases: Iterable[Release], *, model: UpdateModel | None = None) -> Background:
        """Everybody's quasi-identifiers, presence and published group, with the holder's help.

        Parameters
        ----------
        releases : sequence of Release
            The series on the holder's side. A suppressed record counts as absent from its release.
        model : UpdateModel, optional
            How sensitive values change between releases, which is public: ``publisher.model`` of the publisher that made the
            series. None for values that stay the same.
        """
        releases = in_a_list("releases", releases)
        for release in releases:
            if not isinstance(release, Release):
                raise ParameterError(
                    f"the worst case is made of releases on the holder's side, not {type(release).__name__}; "
                    f"for published tables give the groups by with_groups()"
                )
        shown = [release.class_of >= 0 for release in releases]
        tables = [release.table if mask.all() else release.table.select(mask) for release, mask in zip(releases, shown)]
        groups = [release.group_of_class[release.class_of[mask]] for release, mask in zip(releases, shown)]
        return cls.of_series(tables, model=model).with_groups(groups)

    # ------------------------------------------------------------------ making others of it
    def with_groups(self, groups: Sequence[Any]) -> Background:
        """The same knowledge and everybody's published group.

        Parameters
        ----------
        groups : sequence of int arrays
            One array per release with one published group per person, in the order of the release's persons (for
            backgrounds made of tables: the order of the rows); -1 for a person who is known not to be published in it.
        """
        groups = in_a_list("groups", groups)
        if len(groups) != len(self.releases):
            raise ParameterError(f"groups for {len(groups)} releases do not fit a background of {len(self.releases)}")
        releases = []
        for number, (presence, given) in enumerate(zip(self.releases, groups)):
            try:
                array = np.asarray(given)
            except ValueError:  # lists within it, of different lengths
                array = np.empty(())
            if array.shape != (len(presence),) or array.dtype.kind not in "iu":
                where = release_name(number, len(groups))
                raise ParameterError(f"{where}: give one group number for each of its {len(presence)} persons")
            releases.append(replace(presence, groups=array.astype(np.int32)).take(np.flatnonzero(array >= 0)))
        return self._of_present(releases)

    def with_model(self, model: UpdateModel | None) -> Background:
        """The same knowledge, and how sensitive values change between releases; None for values that stay.

        >>> import ppdp_lab as pl
        >>> frame = pd.DataFrame({"age": [34, 51], "disease": ["flu", "HIV"]})
        >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
        >>> Background.of_series([table, table]).with_model(pl.UpdateModel.blocks([["flu", "cold"], ["HIV"]]))
        <Background on 2 persons in 2 releases: quasi-identifiers known, values may change>
        """
        return Background(self.ids, self.releases, self.qi_domains, model=model, times=self.times)

    @property
    def changes(self) -> UpdateModel | None:
        """The update model, if by it any value can change."""
        return None if self.model is None or self.model.is_constant else self.model

    def changed(self, columns: Iterable[str]) -> np.ndarray:
        """Persons whose value in one of these sensitive columns is not the same in all releases, as the holder notes.

        All False for a background that was not made of the holder's tables.
        """
        found = np.zeros(len(self.ids), dtype=bool)
        for name in columns:
            first = np.full(len(self.ids), -1, dtype=np.int64)
            for presence in self.releases:
                if name in presence.states:
                    who, now = presence.persons, presence.states[name]
                    found[who] |= (first[who] >= 0) & (first[who] != now)
                    first[who] = np.where(first[who] < 0, now, first[who])
        return found

    def recode(self, qi_domains: Sequence[Domain]) -> Background:
        """The same knowledge coded over other domains, which have at least the values that occur."""
        if all(mine is other for mine, other in zip(self.qi_domains, qi_domains)):
            return self
        releases = [replace(p, qi=_recoded(p.qi, self.qi_domains, qi_domains)) for p in self.releases]
        return Background(self.ids, releases, qi_domains, model=self.model, times=self.times)

    def without_groups(self) -> Background:
        """The same persons, presence and quasi-identifiers, but no knowledge of groups."""
        return self._of_present([replace(p, groups=None) for p in self.releases])

    def about(self, ids: Any) -> Background:
        """What is known of some persons only; all others become strangers."""
        named_ids = ids if isinstance(ids, pd.Index) else pd.Index(in_a_list("ids", ids))
        try:
            wanted = self.ids.get_indexer(named_ids)
        except TypeError:  # lists within it
            raise ParameterError(f"ids must be a plain list of ids, not {listed(named_ids[:3])}") from None
        if (wanted < 0).any():
            raise IdError(f"the background does not name {listed(named_ids[wanted < 0])}; leave them out")
        named = np.zeros(len(self.ids), dtype=bool)
        named[wanted] = True
        return self._of_present([p.take(np.flatnonzero(named[p.persons])) for p in self.releases])

    def __getitem__(self, which: int | slice | Sequence[int]) -> Background:
        """What is known of some releases: ``background[1:]`` is for the attacker who missed the first."""
        if isinstance(which, slice):
            try:
                which = range(len(self))[which]
            except (TypeError, ValueError):
                raise ParameterError(f"{which} is no slice of releases; use whole numbers, and no step of 0") from None
        several = isinstance(which, Iterable) and getattr(which, "shape", 1) != ()
        numbers: list[Any] = check_items("numbers of releases", which) if several else [which]
        return self._of_present(
            [self._presence(number) for number in numbers], [self.times[number] for number in numbers]
        )

    def __iter__(self) -> Iterator[Background]:
        """What is known of each release, one after the other."""
        return (self[number] for number in range(len(self)))

    def _presence(self, number: int) -> Presence:
        n = len(self.releases)
        return self.releases[check_integer("the number of a release", number, at_least=-n, at_most=n - 1)]

    def _of_present(self, releases: list[Presence], times: Sequence[int] | None = None) -> Background:
        """A background of these releases, without the persons who are in none of them; times as before unless given."""
        times = self.times if times is None else times
        present = np.zeros(len(self.ids), dtype=bool)
        for presence in releases:
            present[presence.persons] = True
        if present.all():
            return Background(self.ids, releases, self.qi_domains, model=self.model, times=times)
        position = np.cumsum(present) - 1
        moved = [replace(presence, persons=position[presence.persons]) for presence in releases]
        return Background(self.ids[present], moved, self.qi_domains, model=self.model, times=times)

    # ------------------------------------------------------------------ looking at it
    def __len__(self) -> int:
        return len(self.releases)

    @property
    def n_persons(self) -> int:
        """Number of persons that are named."""
        return len(self.ids)

    @property
    def knows_groups(self) -> bool:
        """Whether the group of every named person is known in every release."""
        return all(presence.groups is not None for presence in self.releases)

    def present(self) -> np.ndarray:
        """Boolean matrix, persons by releases."""
        matrix = np.zeros((len(self.ids), len(self.releases)), dtype=bool)
        for number, presence in enumerate(self.releases):
            matrix[presence.persons, number] = True
        return matrix

    def to_frame(self, number: int = 0) -> pd.DataFrame:
        """What is known of one release, readable: one row per person."""
        presence = self._presence(number)
        columns: dict[str, Any] = {d.name: d.decode(codes) for d, codes in zip(self.qi_domains, presence.qi)}
        if presence.groups is not None:
            columns["group"] = presence.groups
        return pd.DataFrame(columns, index=self.ids[presence.persons])

    def __repr__(self) -> str:
        what = "quasi-identifiers and groups known" if self.knows_groups else "quasi-identifiers known"
        what += "" if self.changes is None else ", values may change"
        number = counted(len(self), "release")
        return f"<Background on {counted(self.n_persons, 'person')} in {number}: {what}>"


def release_name(number: int, count: int) -> str:
    """What a message calls a release: its number within a series, which a single release does not have.

    >>> release_name(0, 3), release_name(0, 1)
    ('release 0', 'the release')
    """
    return f"release {number}" if count > 1 else "the release"


def in_a_list(what: str, given: Any) -> list[Any]:
    """What was given, as a list; a single thing is refused."""
    if isinstance(given, (pd.DataFrame, Microdata, Release)):
        raise ParameterError(f"{what} must be a list, not {type(given).__name__}; put a single one into a list")
    return check_items(what, given)


def _recoded(codes: np.ndarray, domains: Sequence[Domain], others: Sequence[Domain]) -> np.ndarray:
    """Codes over other domains."""
    rows = [row if mine is other else mine.map_to(other)[row] for row, mine, other in zip(codes, domains, others)]
    return codes if all(a is b for a, b in zip(domains, others)) else np.array(rows, dtype=np.int32)


def _value_states(tables: list[Microdata], persons: list[np.ndarray], n_persons: int) -> list[dict[str, np.ndarray]]:
    """Per table and sensitive column, the number of each person's value among that person's own: 0 for the first one."""
    found: list[dict[str, np.ndarray]] = [{} for _ in tables]
    for name in tables[0].schema.sensitive:
        first, seen = np.zeros(n_persons, dtype=np.uint64), np.zeros(n_persons, dtype=bool)
        later: dict[int, list[int]] = {}  # of persons whose value changed, the values after the first
        for table, who, states in zip(tables, persons, found):
            if name not in table.schema.sensitive:
                continue
            now = table.domains[name].hashes[table.codes(name)]
            numbers = np.zeros(len(who), dtype=np.int32)
            for row in np.flatnonzero(seen[who] & (first[who] != now)).tolist():
                values, value = later.setdefault(int(who[row]), []), int(now[row])
                if value not in values:
                    values.append(value)
                numbers[row] = values.index(value) + 1
            new = ~seen[who]
            first[who[new]], seen[who] = now[new], True
            states[name] = numbers
    return found
