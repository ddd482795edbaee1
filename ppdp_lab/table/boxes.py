"""Boxes: the region of each class, column by column, and their texts, which can be read back."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from itertools import chain
from typing import Any

import numpy as np

from ppdp_lab.errors import ParameterError, PPDPError, SchemaError, check_integer
from ppdp_lab.table._segments import extremes, mark_bits
from ppdp_lab.table.checks import check_codes, check_columns, check_entries
from ppdp_lab.table.domain import ORDERED, SET, TREE, Domain
from ppdp_lab.table.schema import MISSING
from ppdp_lab.text import OneLine, cut, few_names, text_of

OR_MISSING = f" or {MISSING}"  # ends the text of an interval that takes in the missing value, too


def marks(domain: Domain) -> tuple[str, str]:
    """What stands between the values of a box and around them: numbers as [1, 2], names as [low .. high] or {a, b}."""
    if domain.kind == SET:
        return ", ", "{}"
    # Text may hold commas, numbers do not; two dots rarely stand in a name, and where they do it is quoted.
    return (", " if domain.positions is not None else " .. "), "[]"


def join(names: Sequence[str], domain: Domain) -> str:
    """A box's values as one text; a value that could be mistaken for several stands in quotes.

    >>> import pandas as pd
    >>> domain, _ = Domain.of(pd.Series(["a", "b, c"]))
    >>> join(["a"], domain), join(["a", "b, c"], domain)
    ('a', '{a, "b, c"}')
    """
    return join_all([names], domain)[0]


def join_all(boxes: Sequence[Sequence[str]], domain: Domain) -> list[str]:
    """As :func:`join` for many boxes: whether a value needs quotes is looked up once per value, not once per box."""
    separator, brackets = marks(domain)
    opening, closing = brackets[0], brackets[1]
    values = set(chain.from_iterable(boxes))
    within = {name: _quoted(name) for name in values if separator in name or name.startswith('"')}
    alone = {name: text for name, text in within.items() if name.startswith((opening, '"'))}
    alone |= {name: _quoted(name) for name in values if name.endswith(OR_MISSING)}
    return [
        alone.get(names[0], names[0])
        if len(names) == 1
        else opening + separator.join(map(within.get, names, names) if within else names) + closing
        for names in boxes
    ]


def split(text: str, domain: Domain) -> list[str]:
    """The values that ``join`` put into a text; ValueError if it cannot have.

    >>> import pandas as pd
    >>> domain, _ = Domain.of(pd.Series(["a", "b, c"]))
    >>> split('{a, "b, c"}', domain)
    ['a', 'b, c']
    """
    separator, brackets = marks(domain)
    several = text.startswith(brackets[0]) and text.endswith(brackets[1]) and separator in text
    rest = text[1:-1] if several else text
    names = []
    while True:
        if rest.startswith('"'):
            # Decoding tells where the quoted value ends, whatever separators and quotes it holds.
            name, end = json.JSONDecoder().raw_decode(rest)
        else:
            end = rest.index(separator) if several and separator in rest else len(rest)
            name = rest[:end]
        names.append(name)
        if end == len(rest):
            return names
        if not several or not rest.startswith(separator, end):
            raise ValueError(text)
        rest = rest[end + len(separator) :]


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


# --------------------------------------------------------------------
# Numbers with many digits as text: the shortest that still tells the values of a domain apart, and back.
#
# The ends of an interval are rounded outwards, so that what is printed covers what it stands for, and never so far that it
# takes in another value of the domain; whoever reads it takes the values that lie within. A single value is rounded to the
# nearest, as long as it remains the only one that rounds to that text. Short texts stay as they are.


DIGITS, SHORT = 4, 8  # at least so many digits that matter; texts up to this length are not touched


def has_digits(domain: Domain) -> bool:
    """Whether a domain holds numbers, and some of them have digits after the point."""
    return domain.type == "numbers" and bool((_line(domain) % 1 != 0).any())


def low_text(domain: Domain, code: int) -> str:
    """The lower end of an interval."""
    before = domain.coordinates[code - 1] if code else -math.inf
    return _shortest(domain, code, ROUND_FLOOR, lambda number, _: number > before)


def high_text(domain: Domain, code: int) -> str:
    """The upper end of an interval.

    >>> import pandas as pd
    >>> domain, _ = Domain.of(pd.Series([1 / 3, 2 / 3, 0.66668]))
    >>> low_text(domain, 0), high_text(domain, 1), single_text(domain, 1)
    ('0.3333', '0.66667', '0.66667')
    """
    after = domain.coordinates[code + 1] if code + 1 < domain.known else math.inf
    return _shortest(domain, code, ROUND_CEILING, lambda number, _: number < after)


def single_text(domain: Domain, code: int) -> str:
    """A box of one value."""
    return _shortest(domain, code, ROUND_HALF_EVEN, lambda number, unit: len(_near(domain, number, unit)) == 1)


def codes_within(texts: list[str], domain: Domain) -> list[int]:
    """The codes that one text, or the two ends of an interval, stand for; ValueError if there are none."""
    numbers = [float(text) for text in texts]
    if len(numbers) == 1:
        try:
            return [domain.code_of(texts[0])]
        except KeyError:
            found = _near(domain, numbers[0], _unit(Decimal(texts[0])))
            if len(found) != 1:
                raise ValueError(texts[0]) from None
            return [int(found[0])]
    low = int(np.searchsorted(_line(domain), numbers[0], side="left"))
    high = int(np.searchsorted(_line(domain), numbers[-1], side="right")) - 1
    if len(numbers) > 2 or not low <= high:
        raise ValueError(texts)
    return [low, high] if low < high else [low]


def _line(domain: Domain) -> np.ndarray:
    """Where the known values lie."""
    return domain.coordinates[: domain.known]


def _shortest(domain: Domain, code: int, rounding: str, apart: Callable[[float, float], bool]) -> str:
    full = str(domain.labels[code])
    value = Decimal(full)
    if len(full) <= SHORT or value == value.to_integral_value():
        return full
    places = max(DIGITS - 1 - value.adjusted(), 0)  # every digit before the point stays
    while True:
        rounded = value.quantize(Decimal(1).scaleb(-places), rounding=rounding)
        short = text_of(float(rounded))
        if len(short) >= len(full):
            return full
        if apart(float(rounded), _unit(Decimal(short))):
            return short
        places += 1


def _unit(number: Decimal) -> float:
    """What the last digit of a number counts."""
    exponent = number.as_tuple().exponent
    return 10.0 ** int(exponent)


def _near(domain: Domain, number: float, unit: float) -> np.ndarray:
    """Codes of the values that may have been rounded to a number."""
    reach = unit * (0.5 + 1e-6)
    ends = np.searchsorted(_line(domain), [number - reach, number + reach], side="left")
    return np.arange(ends[0], ends[1])


# --------------------------------------------------------------------
# Columns of boxes: what one quasi-identifier is generalized to, one entry per box.
#
# An ordered quasi-identifier is generalized to a low and a high code (:class:`Intervals`), one with a hierarchy to a node
# (:class:`Nodes`), plain text to the set of its values (:class:`Sets`). All three refuse codes that their domain does not
# have when they are made: what reads them indexes with them.


MOST_BYTES = 4 * 2**30  # of one column's sets
AT_ONCE = 2**26  # bytes of sets that are spread out to one byte per value, at a time


class Column(OneLine):
    """What the three kinds share."""

    domain: Domain

    def __len__(self) -> int:
        raise NotImplementedError

    def __repr__(self) -> str:
        return cut(f"<{type(self).__name__} of {self.domain.name!r}: {len(self)} boxes>")


@dataclass(frozen=True)
class Intervals(Column):
    """Low and high code per box."""

    domain: Domain
    low: np.ndarray
    high: np.ndarray

    def __post_init__(self) -> None:
        size = len(_check_domain(self.domain))
        low = check_codes(f"low codes of {self.domain.name!r}", self.low, size)
        high = check_codes(f"high codes of {self.domain.name!r}", self.high, size, n=len(low))
        if (low > high).any():
            raise ParameterError(f"an interval of {self.domain.name!r} ends before it begins; give low <= high")
        self.__dict__.update(low=low, high=high)

    @classmethod
    def _made(cls, domain: Domain, low: np.ndarray, high: np.ndarray) -> Intervals:
        """Without the checks, of ends that are known to be codes of the domain."""
        column = object.__new__(cls)
        column.__dict__.update(domain=domain, low=low, high=high)
        return column

    def __len__(self) -> int:
        return len(self.low)

    def recode(self, domain: Domain) -> Intervals:
        """The same boxes over a domain that has at least their ends."""
        new = self.domain.map_to(_check_domain(domain))
        low, high = new[self.low], new[self.high]
        if min(low.min(initial=0), high.min(initial=0)) < 0:
            raise _lacking(domain)
        return Intervals(domain, low, high)

    def take(self, rows: np.ndarray) -> Intervals:
        """The boxes at some positions."""
        return Intervals._made(self.domain, self.low[rows], self.high[rows])

    def covers(self, codes: np.ndarray) -> np.ndarray:
        """Whether box i covers ``codes[i]``."""
        return (self.low <= codes) & (codes <= self.high)

    def leaf_counts(self) -> np.ndarray:
        """Number of domain values in each box."""
        return self.high - self.low + 1

    def extents(self) -> np.ndarray:
        """Length of each box as a share of the known values': 0 for one value, 1 for all, missing ones or not."""
        where = self.domain.coordinates
        span = self.domain.span
        return np.minimum((where[self.high] - where[self.low]) / span, 1) if span > 0 else np.zeros(len(self.low))

    def sort_keys(self) -> list[np.ndarray]:
        """Integer keys, most significant first, that tell boxes apart."""
        return [self.low, self.high]

    def labels(self) -> np.ndarray:
        """The boxes as text; one that takes in the missing value reads [30, 78] or (missing), 78 being the largest value."""
        names = self.domain.labels
        pairs, inverse = _distinct([self.low, self.high])
        gaps = (pairs[0] < pairs[1]) & (pairs[1] == self.domain.known)
        pairs[1] -= gaps  # from here on the ends of known values, unless the missing one stands alone
        alone = pairs[0] == self.domain.known
        if has_digits(self.domain):
            lows = {a: low_text(self.domain, a) for a in np.unique(pairs[0, ~alone]).tolist()}
            highs = {b: high_text(self.domain, b) for b in np.unique(pairs[1, ~alone]).tolist()}
            single = {a: single_text(self.domain, a) for a, b in pairs[:, ~alone].T.tolist() if a == b}
            both = [
                [names[a]] if gone else [single[a]] if a == b else [lows[a], highs[b]]
                for (a, b), gone in zip(pairs.T.tolist(), alone)
            ]
        else:
            both = [[names[a]] if a == b else [names[a], names[b]] for a, b in pairs.T]
        text = [joined + OR_MISSING if gap else joined for joined, gap in zip(join_all(both, self.domain), gaps)]
        return np.array(text, dtype=object)[inverse]


@dataclass(frozen=True)
class Nodes(Column):
    """A hierarchy's node per box."""

    domain: Domain
    node: np.ndarray

    def __post_init__(self) -> None:
        tree = _check_domain(self.domain).hierarchy
        if tree is None:
            raise ParameterError(
                f"{self.domain.name!r} has no hierarchy, so its boxes are no nodes; use Intervals or Sets"
            )
        node = check_codes(f"nodes of {self.domain.name!r}", self.node, len(tree.labels))
        self.__dict__.update(node=node)

    @classmethod
    def _made(cls, domain: Domain, node: np.ndarray) -> Nodes:
        """Without the checks, of nodes that are known to be codes of the domain."""
        column = object.__new__(cls)
        column.__dict__.update(domain=domain, node=node)
        return column

    def __len__(self) -> int:
        return len(self.node)

    def recode(self, domain: Domain) -> Nodes:
        """The same boxes over a domain with the same hierarchy, in which missing values may have a leaf or not."""
        self.domain.require_like(_check_domain(domain))
        mine, other = self.domain.hierarchy, domain.hierarchy
        assert mine is not None and other is not None
        if self.domain.missing == domain.missing:
            return Nodes(domain, self.node)
        leaf = self.domain.map_to(domain)[mine.low[self.node]]  # only a box of missing values begins with a missing one
        if leaf.min(initial=0) < 0:
            raise _lacking(domain)
        return Nodes(domain, other.ancestors[mine.node_level[self.node], leaf])

    def take(self, rows: np.ndarray) -> Nodes:
        """The boxes at some positions."""
        return Nodes._made(self.domain, self.node[rows])

    @property
    def low(self) -> np.ndarray:
        """First leaf code of each box."""
        assert self.domain.hierarchy is not None
        return self.domain.hierarchy.low[self.node]

    @property
    def high(self) -> np.ndarray:
        """Last leaf code of each box."""
        assert self.domain.hierarchy is not None
        return self.domain.hierarchy.high[self.node]

    def covers(self, codes: np.ndarray) -> np.ndarray:
        """Whether box i covers ``codes[i]``."""
        return (self.low <= codes) & (codes <= self.high)

    def leaf_counts(self) -> np.ndarray:
        """Number of domain values in each box."""
        return self.high - self.low + 1

    def extents(self) -> np.ndarray:
        """Leaves of each box beyond the first, as a share: 0 for a leaf, 1 for the root."""
        return np.minimum((self.leaf_counts() - 1) / max(self.domain.known - 1, 1), 1)

    def sort_keys(self) -> list[np.ndarray]:
        """Integer keys, most significant first, that tell boxes apart."""
        return [self.low, self.node]

    def labels(self) -> np.ndarray:
        """The boxes as text."""
        assert self.domain.hierarchy is not None
        return np.array(self.domain.hierarchy.box_labels, dtype=object)[self.node]


@dataclass(frozen=True)
class Sets(Column):
    """A set of codes per box, one bit per code."""

    domain: Domain
    bits: np.ndarray

    def __post_init__(self) -> None:
        size, bits = len(_check_domain(self.domain)), self.bits
        words = (size + 63) // 64
        if not isinstance(bits, np.ndarray) or bits.dtype != np.uint64 or bits.ndim != 2 or bits.shape[1] != words:
            raise ParameterError(
                f"the sets of {self.domain.name!r} must be an array of 64-bit words (uint64), {words} per box: one bit per "
                f"code of its {size}"
            )
        # The highest bit of a row's last word shows in the largest of these words.
        if size % 64 and int(bits[:, -1].max(initial=0)) >> size % 64:
            raise ParameterError(f"a set of {self.domain.name!r} has a bit beyond its {size} codes; clear it")
        self.__dict__.update(bits=np.ascontiguousarray(bits))

    @classmethod
    def _made(cls, domain: Domain, bits: np.ndarray) -> Sets:
        """Without the checks, of sets that are known to be codes of the domain."""
        column = object.__new__(cls)
        column.__dict__.update(domain=domain, bits=bits)
        return column

    def __len__(self) -> int:
        return len(self.bits)

    def recode(self, domain: Domain) -> Sets:
        """The same boxes over a domain that has at least their values."""
        new, bits = self.domain.map_to(_check_domain(domain)), no_sets(domain, len(self))
        for rows, shown in self.unpacked():
            if shown[:, new < 0].any():
                raise _lacking(domain)
            members = np.zeros((len(shown), bits.shape[1] * 64), dtype=np.uint8)
            members[:, new[new >= 0]] = shown[:, new >= 0]
            bits[rows] = np.packbits(members, axis=1, bitorder="little").view(np.uint64)
        return Sets(domain, bits)

    def take(self, rows: np.ndarray) -> Sets:
        """The boxes at some positions."""
        return Sets._made(self.domain, self.bits[rows])

    def covers(self, codes: np.ndarray) -> np.ndarray:
        """Whether box i covers ``codes[i]``."""
        word = self.bits[np.arange(len(self.bits)), codes >> 6]
        return (word >> (codes & 63).astype(np.uint64)) & np.uint64(1) != 0

    def leaf_counts(self) -> np.ndarray:
        """Number of domain values in each box."""
        return np.bitwise_count(self.bits).sum(axis=1, dtype=np.int64)

    def extents(self) -> np.ndarray:
        """Values of each box beyond the first, as a share: 0 for one value, 1 for all."""
        return np.minimum((self.leaf_counts() - 1) / max(self.domain.known - 1, 1), 1)

    def members(self) -> np.ndarray:
        """Boolean matrix, boxes by codes."""
        check_room(self.domain, len(self), bits=8)
        flat = np.unpackbits(self.bits.view(np.uint8), axis=1, bitorder="little", count=len(self.domain))
        return flat.view(bool)

    def unpacked(self) -> Iterator[tuple[slice, np.ndarray]]:
        """The matrix of :meth:`members` in pieces that need little room: which boxes, and their rows."""
        step = max(AT_ONCE // max(len(self.domain), 1), 1)
        for start in range(0, len(self), step):
            rows = slice(start, start + step)
            yield rows, Sets._made(self.domain, self.bits[rows]).members()

    def sort_keys(self) -> list[np.ndarray]:
        """Integer keys, most significant first, that tell boxes apart."""
        return list(self.bits.T)

    def labels(self) -> np.ndarray:
        """The boxes as text."""
        names = self.domain.labels
        unique, inverse = _distinct(list(self.bits.T))
        distinct = Sets(self.domain, np.ascontiguousarray(unique.T))
        text = join_all([names[row] for _, members in distinct.unpacked() for row in members], self.domain)
        return np.array(text, dtype=object)[inverse]


BoxColumn = Intervals | Nodes | Sets


def check_room(domain: Domain, n: int, *, bits: int = 1) -> None:
    """Refuse n sets of a column's values before they are made, if they would take too much memory."""
    size = n * len(domain) * bits / 8
    if size > MOST_BYTES:
        raise SchemaError(
            f"column {domain.name!r} has {len(domain):,} different values and no hierarchy: sets of them for {n:,} rows or "
            f"classes would take {size / 2**30:,.1f} GiB (rows x values), and {MOST_BYTES / 2**30:g} GiB are allowed; give the "
            f"column a hierarchy, such as Hierarchy.mask_suffix(...), or drop it"
        )


def no_sets(domain: Domain, n: int) -> np.ndarray:
    """Room for n sets of a column's values, one bit per value, all empty."""
    check_room(domain, n)
    return np.zeros((n, (len(domain) + 63) // 64), dtype=np.uint64)


def _distinct(keys: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Distinct columns of a stack of keys, and where each column went."""
    stack = np.stack(keys)
    order = np.lexsort(keys[::-1])
    new = np.r_[True, (np.diff(stack[:, order].astype(np.uint64), axis=1) != 0).any(axis=0)][: stack.shape[1]]
    inverse = np.empty(stack.shape[1], dtype=np.int64)
    inverse[order] = np.cumsum(new) - 1
    return stack[:, order[new]], inverse


def _check_domain(domain: Any) -> Domain:
    if not isinstance(domain, Domain):
        raise ParameterError(
            f"domain must be a ppdp_lab.table.Domain, such as table.domains[...], not {type(domain).__name__}"
        )
    return domain


def _lacking(domain: Domain) -> SchemaError:
    return SchemaError(f"a box of {domain.name!r} shows a value that the other domain lacks; let it grow first")


# --------------------------------------------------------------------
# Boxes: the generalized region of each class, one column per quasi-identifier.


@dataclass(frozen=True)
class Boxes(OneLine):
    """One generalized region per class: a sequence of columns, in the order of the quasi-identifiers."""

    columns: tuple[BoxColumn, ...]
    n: int

    def __post_init__(self) -> None:
        n = check_integer("the number of boxes", self.n, at_least=0)
        columns = tuple(check_entries("columns", self.columns))
        if not columns:
            raise ParameterError("boxes need a column for each quasi-identifier, and there is at least one of these")
        for column in columns:
            if not isinstance(column, BoxColumn):
                raise ParameterError(f"columns must be Intervals, Nodes or Sets of ppdp_lab.table, not {column!r}")
            if len(column) != n:
                raise ParameterError(
                    f"column {column.domain.name!r} has {len(column)} entries for {n} boxes; give one for each"
                )
        self.__dict__.update(columns=columns, n=n)

    @staticmethod
    def around(qi_codes: np.ndarray, domains: Sequence[Domain], class_of: np.ndarray, n_classes: int) -> Boxes:
        """The smallest boxes that cover the members of each class; every class must have one."""
        n_classes = check_integer("n_classes", n_classes, at_least=0, at_most=2**31 - 1)
        class_of = check_codes("class_of", class_of, n_classes, low=-1)
        checked = check_columns("qi_codes", qi_codes, [len(domain) for domain in domains], n=len(class_of))
        columns: list[BoxColumn] = []
        for codes, domain in zip(checked, domains):
            if domain.kind in (ORDERED, TREE):
                low = np.full(n_classes, len(domain), dtype=np.int32)
                high = np.full(n_classes, -1, dtype=np.int32)
                extremes(class_of, codes, low, high)
                if (high < 0).any():
                    raise PPDPError(f"class {int(np.argmax(high < 0))} has no member, so it has no box")
                if domain.hierarchy is not None:
                    columns.append(Nodes(domain, domain.hierarchy.lca(low, high)))
                else:
                    columns.append(Intervals(domain, low, high))
            else:
                bits = no_sets(domain, n_classes)
                mark_bits(class_of, codes, bits)
                columns.append(Sets(domain, bits))
        return Boxes(tuple(columns), n_classes)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return cut(f"<Boxes: {self.n} regions of {few_names(column.domain.name for column in self.columns)}>")

    def __iter__(self) -> Iterator[BoxColumn]:
        return iter(self.columns)

    def __getitem__(self, i: int) -> BoxColumn:
        return self.columns[i]

    def recode(self, domains: Sequence[Domain]) -> Boxes:
        """The same boxes over other domains, which have at least their values."""
        domains = check_entries("domains", domains)
        if len(domains) != len(self.columns):
            raise ParameterError(f"{len(domains)} domains for {len(self.columns)} columns of boxes; give one for each")
        return Boxes(tuple(column.recode(domain) for column, domain in zip(self.columns, domains)), self.n)

    def take(self, rows: np.ndarray) -> Boxes:
        """The boxes at some positions."""
        rows = check_codes("rows", rows, self.n)
        return Boxes(tuple(column.take(rows) for column in self.columns), len(rows))

    def covers(self, boxes: np.ndarray, qi_codes: np.ndarray) -> np.ndarray:
        """Whether box ``boxes[i]`` covers the i-th column of ``qi_codes``."""
        boxes = check_codes("boxes", boxes, self.n)
        sizes = [len(column.domain) for column in self.columns]
        inside = np.ones(len(boxes), dtype=bool)
        for column, codes in zip(self.columns, check_columns("qi_codes", qi_codes, sizes, n=len(boxes))):
            inside &= column.take(boxes).covers(codes)
        return inside

    def sort_keys(self) -> list[np.ndarray]:
        """Integer keys over all columns, most significant first."""
        return [key for column in self.columns for key in column.sort_keys()]

    def groups(self) -> tuple[np.ndarray, np.ndarray]:
        """Number equal boxes alike, in sorted order: (group of each box, one box of each group)."""
        keys = self.sort_keys()
        order = np.lexsort(keys[::-1]) if self.n else np.zeros(0, dtype=np.int64)
        new = np.zeros(self.n, dtype=bool)
        new[:1] = True
        for key in keys:
            new[1:] |= key[order][1:] != key[order][:-1]
        group_of = np.empty(self.n, dtype=np.int32)
        group_of[order] = np.cumsum(new) - 1
        return group_of, order[new]
