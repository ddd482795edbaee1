"""The difference attack: what must be new in the second of two releases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.attacks._difference import multiset_difference, tracked_difference
from ppdp_lab.attacks.background import Background, Presence
from ppdp_lab.attacks.base import ATTRIBUTE, PAIR, AttackResult, attack
from ppdp_lab.attacks.inputs import check_shown, require_constant, sensitive_values, use_tracks
from ppdp_lab.attacks.units import Traces, Units
from ppdp_lab.errors import ParameterError, check_integer
from ppdp_lab.principles import DistinctLDiversity, Principle
from ppdp_lab.release.forms import Feature, Published
from ppdp_lab.release.generalized import Generalized
from ppdp_lab.release.search import Regions, Search
from ppdp_lab.table import Cells, ClassCounts, Domain


@dataclass(frozen=True, eq=False)
class Differences(AttackResult):
    """Candidate records of a newcomer, for every pair of overlapping groups of two releases.

    Attributes
    ----------
    first, second : arrays of int
        The group E1 that would have held the newcomer in the first release, and the group E2 of the second.
    candidates : Cells
        Sensitive values of each pair's candidate records.
    newcomers : array of int or None
        Persons of the background who are new and fit the pair.
    came, exposed : int or None
        Persons of the background who are new, and those of them whose candidates break the rule: by some group E1 that would
        have held them, for every group E2 that may hold them now.
    contradicted : array of bool
        Pairs where rows of E1 are gone from the second release: then not only insertions happened, and the formula
        without pseudonyms does not apply.
    """

    first: np.ndarray
    second: np.ndarray
    candidates: Cells
    domain: Domain
    rule: Principle
    breached: np.ndarray
    contradicted: np.ndarray
    newcomers: np.ndarray | None = None
    tracked: bool = False
    came: int | None = None
    exposed: int | None = None

    unit = "pair"

    @property
    def records(self) -> np.ndarray:
        """Number of candidate records per pair."""
        return self.candidates.sizes.astype(np.int64)

    @property
    def share_of_people_breached(self) -> float:
        """Share of newcomers who are exposed; nan where no background says who came."""
        if self.came is None or self.exposed is None:
            return float("nan")
        return self.exposed / self.came if self.came else 0.0

    def values(self, first: int, second: int) -> list[str]:
        """Values of the candidate records of one pair, each as often as it occurs."""
        at = np.flatnonzero((self.first == first) & (self.second == second))
        if not len(at):
            raise ParameterError(f"group {first} of the first release and group {second} of the second are no pair")
        cells = slice(self.candidates.offsets[at[0]], self.candidates.offsets[at[0] + 1])
        return np.repeat(self.domain.labels[self.candidates.values[cells]], self.candidates.counts[cells]).tolist()

    def picture(self) -> tuple[str, np.ndarray]:
        """How many distinct values the candidates of each pair have."""
        return "distinct values of the candidates", np.diff(self.candidates.offsets)

    def to_frame(self) -> pd.DataFrame:
        """One row per pair of groups."""
        columns: dict[str, object] = {"first": self.first, "second": self.second}
        if self.newcomers is not None:
            columns["newcomers"] = self.newcomers
        columns |= {"records": self.records, "distinct": np.diff(self.candidates.offsets)}
        return pd.DataFrame(columns | {"breached": self.breached, "contradicted": self.contradicted})

    def __str__(self) -> str:
        how = "tracking rows" if self.tracked else "by multisets"
        text = f"difference ({how}): in {self._tally()} of groups the candidates of a newcomer break {self.rule}"
        if self.newcomers is not None:
            text += f", which concerns {int(self.newcomers[self.breached].sum())} newcomer(s)"
        wrong = int(self.contradicted.sum())
        if wrong:
            text += f"; {wrong} pair(s) were left out because rows of the first group are gone"
        return text + "."


@attack(
    "difference",
    sees=PAIR,
    discloses=ATTRIBUTE,
    knows="that a person came between two releases, and their quasi-identifiers; that nobody left, or pseudonyms",
    breaks="k-anonymity and l-diversity of each single release; BPG closes it",
    paper="Byun et al., SDM 2006; Barbosa et al., CIKM 2012",
    reads=(Feature.ROWS, Feature.BOXES),
)
def difference(
    first: Published,
    second: Published,
    background: Background | None = None,
    *,
    rule: Principle | None = None,
    track: bool | None = None,
    attribute: str | None = None,
    limit: int | None = None,
) -> Differences:
    """Candidate records of a person who is in the second release but not in the first (section 4 of [1]_, [2]_).

    Let E1 be the group of the first release that would hold the person, and E2 the one of the second that does. With
    pseudonyms the candidates are the rows of E2 that are not in E1. Without, and if records were only inserted, everybody
    of E1 is in one of the groups L of the second release that overlap E1, so the candidates are the multiset
    (L - E1) & E2.

    Parameters
    ----------
    first, second : Published
        Two generalized releases. For a person who left, between whom nobody came, swap them.
    background : Background, optional
        On both releases. With it, only pairs count that some newcomer fits.
    rule : Principle
        Breached are pairs whose candidates break it; two distinct values unless given. (The paper prints |C| <= k and
        |S_C| <= l as the attacker's success; a candidate set breaks the principles by |C| < k and |S_C| < l.)
    track : bool, optional
        Use pseudonyms; done unless told otherwise if both releases carry them. Without, values are taken to stay the same,
        and a background whose update model says otherwise is refused.
    attribute : str, optional
        Which sensitive attribute, if there are several.
    limit : int, optional
        How many pairs of overlapping groups may be looked at before it gives up with an error. Where boxes overlap widely, as
        those of m-invariance do, their number grows with the square of the table.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [34, 38, 31], "disease": ["flu", "HIV", "cold"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> before = pl.Release(table.select([0, 1]), np.array([0, 0])).published()
    >>> after = pl.Release(table, np.array([0, 0, 0])).published()
    >>> found = difference(before, after)
    >>> found.values(0, 0)
    ['cold']
    >>> print(found)
    difference (by multisets): in 1 of 1 pair of groups the candidates of a newcomer break DistinctLDiversity(2).

    References
    ----------
    .. [1] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive
       queries", CIKM 2012.
    .. [2] J.-W. Byun, Y. Sohn, E. Bertino, N. Li, "Secure anonymization for incremental datasets", SDM 2006.
    """
    rule = DistinctLDiversity(2) if rule is None else rule
    if not isinstance(rule, Principle):
        raise ParameterError(f"the rule must be a principle such as KAnonymity(5), not {rule!r}")
    pair, background = check_shown([first, second], background)
    first, second = pair
    assert isinstance(first, Generalized) and isinstance(second, Generalized)
    values = sensitive_values(pair, attribute)
    pieces = list(_within(limit, Search(Regions.of_boxes(second.boxes), Regions.of_boxes(first.boxes)).chunks()))
    counts = [np.zeros(0, dtype=np.int64), *(np.diff(piece[1]) for piece in pieces)]
    offsets = np.r_[0, np.cumsum(np.concatenate(counts))]
    seconds = np.concatenate([np.zeros(0, dtype=np.int32), *(piece[2] for piece in pieces)])
    firsts = np.repeat(np.arange(first.n_groups), np.diff(offsets))
    n_values = max(values.n, 1)
    contradicted = np.zeros(len(firsts), dtype=bool)
    tracked = use_tracks(pair, track)
    if not tracked:
        require_constant(background, "the difference of multisets")
    if tracked:
        order = np.lexsort((values.codes[1], second.row_group))
        lengths, codes, amounts = tracked_difference(
            offsets,
            seconds,
            np.r_[0, np.cumsum(second.sizes)],
            values.codes[1][order],
            _came_from(first, second)[order],
            n_values,
        )
    else:
        one, two = values.of_groups(pair)
        lengths, codes, amounts, within = multiset_difference(
            offsets, seconds, one.offsets, one.values, one.counts, two.offsets, two.values, two.counts, n_values
        )
        contradicted = ~within[firsts]
    cells = Cells(np.r_[0, np.cumsum(lengths)], codes, amounts, values.n)
    found = ClassCounts(cells.sizes.astype(np.int64), cells.owner, [codes], amounts, values.domains)
    breached = ~rule.safe(found) & ~contradicted
    newcomers = came = exposed = None
    if background is not None:
        newcomers, came, exposed = _newcomers(pair, background, firsts, seconds, breached)
        breached &= newcomers > 0
    return Differences(
        firsts, seconds, cells, values.domains[0], rule, breached, contradicted, newcomers, tracked, came, exposed
    )


def _within(limit: int | None, pieces: Iterator[tuple[int, np.ndarray, np.ndarray]]) -> Iterator[Any]:
    """The pieces of a search, as long as they hold no more pairs than that."""
    most, pairs = None if limit is None else check_integer("limit", limit, at_least=1), 0
    for piece in pieces:
        pairs += len(piece[2])
        if most is not None and pairs > most:
            raise ParameterError(
                f"more than limit = {most:,} pairs of groups of the two releases overlap; raise limit, or attack smaller tables"
            )
        yield piece


def _came_from(first: Generalized, second: Generalized) -> np.ndarray:
    """Group in the first release of each row's pseudonym, in the order of the second's rows; -1 for a new one."""
    traces = Traces.of([first, second], None)
    return traces.groups[np.searchsorted(traces.pseudonyms, np.asarray(second.pseudonyms)), 0]


def _newcomers(
    pair: Sequence[Published], background: Background, firsts: np.ndarray, seconds: np.ndarray, broken: np.ndarray
) -> tuple[np.ndarray, int, int]:
    """How many persons of the second release only fit each pair of groups, how many there are, and how many are exposed.

    Whatever group E1 would have held a newcomer, their row is not in it. So one E1 whose pair is broken is enough; but where
    it is not known which E2 holds them, each must be broken.
    """
    before, after = background.releases
    new = after.take(np.flatnonzero(~np.isin(after.persons, before.persons)))
    would_be, is_in = Units(pair[0], Presence(new.persons, new.qi)), Units(pair[1], new, "release 1")
    starts1, groups1, _ = would_be.groups(
        strict=False
    )  # a newcomer whom no group of the first release covers fits no pair
    starts2, groups2, _ = is_in.groups()
    units, persons = np.unique(np.stack([would_be.unit_of, is_in.unit_of]), axis=1, return_counts=True)
    fits, exposed = np.zeros(len(firsts), dtype=np.int64), 0
    # One entry more than there are pairs: searchsorted may point behind the last.
    place, broken = np.append(firsts.astype(np.int64) * pair[1].n_groups + seconds, -1), np.append(broken, False)
    for one, two, many in zip(*units, persons):
        e1, e2 = groups1[starts1[one] : starts1[one + 1]], groups2[starts2[two] : starts2[two + 1]]
        wanted = e1.astype(np.int64)[:, None] * pair[1].n_groups + e2
        at = np.searchsorted(place[:-1], wanted)
        found = place[at] == wanted
        fits[at[found]] += many
        exposed += many * bool((found & broken[at]).any(axis=0).all())
    return fits, len(new), int(exposed)
