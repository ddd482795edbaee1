"""FEM and VEM: the information that a release still holds, by the size and by the volume of its classes.

One function each covers every variant of the paper. T are the records that were asked for, R those of them that are
published, E those in one class, F(E) and F(R) the counterfeits:

==================  =====================================================================================
FEM(R)              ``fem(release, suppressed="ignored", counterfeits="ignored")``
FEM(R, T)           ``fem(release, counterfeits="ignored")``: suppressed records stay, with no information
FEM'(R, T)          ``fem(release)``: counterfeits stay too, and blur the class they are in
==================  =====================================================================================

and likewise for VEM. All agree where nothing is suppressed and nothing invented. The middle expressions of the paper's
FEM(R, T) and VEM(R, T) carry one minus too many; the right-hand ones are meant. Logarithms are natural.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ppdp_lab.errors import ParameterError, SchemaError, check_choice, listed
from ppdp_lab.metrics.base import Bounds, metric
from ppdp_lab.metrics.loss import everything, table_region
from ppdp_lab.release import Release
from ppdp_lab.table import Intervals
from ppdp_lab.table.boxes import BoxColumn

CHARGED, IGNORED, FREE = "charged", "ignored", "free"


@dataclass(frozen=True)
class _Sizes:
    """What the definitions count: |E| and |F(E)| per class, |T| and |F(R)|, and which records make up T."""

    real: np.ndarray
    fake: np.ndarray
    table: int
    members: np.ndarray

    @property
    def fakes(self) -> int:
        return int(self.fake.sum())


def _sizes(release: Release, suppressed: str = CHARGED, counterfeits: str = CHARGED, dirty: str = FREE) -> _Sizes:
    check_choice("suppressed", suppressed, (CHARGED, IGNORED))
    check_choice("counterfeits", counterfeits, (CHARGED, IGNORED))
    check_choice("dirty", dirty, (FREE, CHARGED))
    asked = ~np.asarray(release.table.ids.isin(release.dirty))
    shown = release.class_of >= 0
    real = np.bincount(release.class_of[asked & shown], minlength=release.n_classes)
    fake = np.zeros(release.n_classes, dtype=np.int64)
    if counterfeits == CHARGED:
        fake += release.sizes - release.real_sizes
    if dirty == CHARGED:
        fake += release.real_sizes - real
    members = asked if suppressed == CHARGED else asked & shown
    if not members.any():
        raise ParameterError("the entropy of no records is not defined: every record is suppressed or dirty")
    return _Sizes(real, fake, int(members.sum()), members)


def _fem_bounds(release: Release, **how: str) -> Bounds:
    sizes = _sizes(release, **how)
    return 0.0 - float(np.log1p(sizes.fakes / sizes.table)), float(np.log(sizes.table))


@metric("FEM", unit="nats", better="higher", bounds=_fem_bounds, reference="BPG paper, CIKM 2012, section 5")
def fem(release: Release, *, suppressed: str = CHARGED, counterfeits: str = CHARGED, dirty: str = FREE) -> float:
    """Frequency entropy metric: the entropy of the classes, by their number of records [1]_.

    FEM'(R, T) is the sum over classes of -|E| / (|T| + |F(R)|) * log((|E| + |F(E)|) / |T|). It is log |T| for the original
    table, a class per record, and 0 for one class that holds all of it; many counterfeits can bring it below 0.

    Parameters
    ----------
    release : Release
    suppressed : {"charged", "ignored"}
        Suppressed records belong to T and hold no information, or are left out of T.
    counterfeits : {"charged", "ignored"}
        Counterfeits lower the value as above, or do not count at all: FEM' or FEM.
    dirty : {"free", "charged"}
        Records that a publisher added although they were not asked for are no part of T and of E. They do not count at
        all, or are charged as if they were counterfeits.

    References
    ----------
    .. [1] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive queries",
       CIKM 2012, section 5.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [20, 30, 40, 60]}), pl.Schema("age"))
    >>> round(fem(pl.Release(table, np.arange(4))), 3), round(fem(pl.Release(table, np.array([0, 0, 1, 1]))), 3)
    (1.386, 0.693)

    Suppressing one of two records raises FEM(R, T): the paper's Theorem 2 is about whole classes only.

    >>> two = table.select([0, 1])
    >>> fem(pl.Release(two, np.array([0, 0]))), round(fem(pl.Release(two, np.array([0, -1]))), 3)
    (0.0, 0.347)
    """
    sizes = _sizes(release, suppressed, counterfeits, dirty)
    held = sizes.real > 0
    information = -np.log((sizes.real + sizes.fake)[held] / sizes.table)
    return float(sizes.real[held] @ information) / (sizes.table + sizes.fakes) + 0.0


def _volumes(column: BoxColumn, unit: str) -> np.ndarray:
    """V of each box along one attribute."""
    if unit == "number" and isinstance(column, Intervals) and column.domain.positions is not None:
        where = column.domain.positions
        if (where != np.round(where)).any():
            raise ParameterError(
                f"{column.domain.name!r} has values that are not whole, so max - min + 1 is no count of them; "
                f"use unit='value'"
            )
        # The missing value counts as one number more.
        where = np.append(where, np.max(where, initial=0) + 1)
        return where[column.high] - where[column.low] + 1
    return column.leaf_counts().astype(float)


def _columns(release: Release, names: str | Iterable[str] | None) -> list[int]:
    known = release.table.schema.quasi_identifiers
    if names is None:
        return list(range(len(known)))
    chosen = [names] if isinstance(names, str) else list(names)
    stray = [name for name in chosen if name not in known]
    if stray or not chosen or len(set(chosen)) < len(chosen):
        raise SchemaError(
            f"quasi_identifiers must name some of {listed(known)}, each once, not {listed(chosen) or 'none at all'}"
        )
    return [known.index(name) for name in chosen]


def _vem_bounds(
    release: Release, *, unit: str = "value", quasi_identifiers: str | Iterable[str] | None = None, **how: str
) -> Bounds:
    sizes = _sizes(release, **how)
    region = table_region(release, sizes.members)
    low = high = 0.0
    for i in _columns(release, quasi_identifiers):
        whole = float(_volumes(region[i], unit)[0])
        high += float(np.log(whole))
        if _volumes(release.boxes[i], unit).max(initial=0) > whole:
            low -= float(np.log(_volumes(everything(region[i].domain), unit)[0] / whole))
    return low, high


@metric("VEM", unit="nats", better="higher", bounds=_vem_bounds, reference="BPG paper, CIKM 2012, section 5")
def vem(
    release: Release,
    *,
    suppressed: str = CHARGED,
    counterfeits: str = CHARGED,
    dirty: str = FREE,
    unit: str = "value",
    quasi_identifiers: str | Iterable[str] | None = None,
) -> float:
    """Volume entropy metric: the information of the classes, by the volume of their boxes [1]_.

    VEM'(R, T) is the sum over classes of -|E| / (|T| + |F(R)|) * log(V(E) / V(T)), where V multiplies, over the
    quasi-identifiers, the number of values that a region covers: leaves below a node, members of a set, max - min + 1 of
    an interval. V(E) is the volume of the published box, V(T) of the smallest that covers all of T. It is log V(T) for
    the original table and 0 for one class that holds all of it. A box that reaches beyond T, be it for an outlying
    counterfeit or for a coarse hierarchy, holds negative information.

    Parameters
    ----------
    release : Release
    suppressed, counterfeits, dirty : str
        As of :func:`fem`.
    unit : {"value", "number"}
        An interval is counted in values of the domain, the code being the paper's integer unit; or in whole numbers, so
        that [20, 40] has 21 even if nobody is 33. The two agree on domains without gaps.
    quasi_identifiers : str or list of str, optional
        Restrict the volumes to some quasi-identifiers. VEM is additive over them: Theorem 3 of [1]_.

    References
    ----------
    .. [1] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive queries",
       CIKM 2012, section 5.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 21, 22, 23], "sex": ["F", "F", "F", "M"]})
    >>> table = pl.Microdata(frame, pl.Schema(["age", "sex"]))
    >>> release = pl.Release(table, np.array([0, 0, 1, 1]))
    >>> round(vem(release), 3), [round(vem(release, quasi_identifiers=name), 3) for name in ("age", "sex")]
    (1.04, [0.693, 0.347])
    """
    check_choice("unit", unit, ("value", "number"))
    sizes = _sizes(release, suppressed, counterfeits, dirty)
    region = table_region(release, sizes.members)
    held = sizes.real > 0
    information = np.zeros(int(held.sum()))
    for i in _columns(release, quasi_identifiers):
        information -= np.log(_volumes(release.boxes[i], unit)[held] / _volumes(region[i], unit)[0])
    return float(sizes.real[held] @ information) / (sizes.table + sizes.fakes) + 0.0
