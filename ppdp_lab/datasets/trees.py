"""Long lists of names, and the places that several data sets share, grouped as their hierarchies group them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from ppdp_lab.io.reading import read_hierarchy
from ppdp_lab.table import Hierarchy


def listing(text: str) -> list[str]:
    """Names separated by semicolons, however the text is broken into lines.

    >>> listing("Grade 12, no diploma; GED")
    ['Grade 12, no diploma', 'GED']
    """
    return [" ".join(name.split()) for name in text.split(";")]


def weighted(text: str) -> dict[str, float]:
    """Names separated by semicolons, each with its weight behind it.

    >>> weighted("New York 194; Maine 13")
    {'New York': 194.0, 'Maine': 13.0}
    """
    return {name: float(weight) for name, weight in (entry.rsplit(" ", 1) for entry in listing(text))}


def joined(groups: dict[str, dict[str, float]]) -> dict[str, float]:
    """The members of all groups.

    >>> joined({"North": {"Maine": 13}, "South": {"Texas": 251}})
    {'Maine': 13, 'Texas': 251}
    """
    return {name: weight for members in groups.values() for name, weight in members.items()}


# Inhabitants in hundred thousands, roughly, as weights: what matters is the skew.
STATES = {
    "Northeast": weighted("""
        Connecticut 36; Maine 13; Massachusetts 65; New Hampshire 13; New Jersey 88; New York 194; Pennsylvania 127;
        Rhode Island 11; Vermont 6"""),
    "Midwest": weighted("""
        Illinois 128; Indiana 65; Iowa 30; Kansas 29; Michigan 99; Minnesota 53; Missouri 60; Nebraska 18;
        North Dakota 7; Ohio 115; South Dakota 8; Wisconsin 57"""),
    "South Atlantic": weighted("""
        Delaware 9; District of Columbia 6; Florida 188; Georgia 97; Maryland 58; North Carolina 95; South Carolina 46;
        Virginia 80; West Virginia 19"""),
    "South Central": weighted("""
        Alabama 48; Arkansas 29; Kentucky 43; Louisiana 45; Mississippi 30; Oklahoma 38; Tennessee 63; Texas 251"""),
    "West": weighted("""
        Alaska 7; Arizona 64; California 373; Colorado 50; Hawaii 14; Idaho 16; Montana 10; Nevada 27; New Mexico 21;
        Oregon 38; Utah 28; Washington 67; Wyoming 6"""),
}
INHABITANTS = joined(STATES)
REGIONS = {"Northeast and Midwest": ["Northeast", "Midwest"], "South and West": ["South", "West"]}

# World regions with the birthplaces in each, the most frequent first.
BIRTHPLACES = {
    region: listing(text)
    for region, text in {
        "United States": """
            United States; Puerto Rico; Guam; US Virgin Islands; American Samoa; Northern Mariana Islands""",
        "Northern and Central America": """
            Mexico; El Salvador; Canada; Guatemala; Honduras; Nicaragua; Panama; Costa Rica; Belize; Bermuda""",
        "Caribbean": """
            Cuba; Dominican Republic; Jamaica; Haiti; Trinidad and Tobago; Barbados; Bahamas; Grenada; Dominica;
            Saint Lucia; Saint Vincent; Antigua and Barbuda; Saint Kitts and Nevis; Montserrat; Aruba; Martinique;
            Guadeloupe""",
        "South America": """
            Colombia; Peru; Ecuador; Brazil; Guyana; Venezuela; Argentina; Chile; Bolivia; Uruguay; Paraguay; Suriname;
            French Guiana""",
        "Europe": """
            Germany; England; Poland; Italy; Russia; Ukraine; Ireland; Portugal; Romania; Bosnia and Herzegovina;
            France; Greece; Scotland; Spain; Netherlands; Albania; Bulgaria; Hungary; Serbia; Sweden; Belarus; Croatia;
            Lithuania; Czechia; Austria; Switzerland; Belgium; Moldova; Norway; Denmark; North Macedonia; Latvia;
            Slovakia; Finland; Wales; Estonia; Northern Ireland; Azores; Kosovo; Iceland; Malta; Montenegro; Slovenia;
            Luxembourg""",
        "Asia": """
            Philippines; India; China; Vietnam; South Korea; Japan; Iran; Taiwan; Pakistan; Thailand; Laos; Hong Kong;
            Bangladesh; Iraq; Cambodia; Israel; Lebanon; Turkey; Indonesia; Armenia; Syria; Myanmar; Nepal; Jordan;
            Afghanistan; Malaysia; Uzbekistan; Sri Lanka; Saudi Arabia; Yemen; Georgia; Kuwait; Kazakhstan; Singapore;
            Azerbaijan; Mongolia; Bhutan; Macau; Palestine; United Arab Emirates; Kyrgyzstan""",
        "Africa and Oceania": """
            Nigeria; Ethiopia; Egypt; Ghana; Kenya; Somalia; Australia; Liberia; South Africa; Morocco; Cape Verde;
            Sierra Leone; Sudan; Eritrea; Cameroon; Fiji; Senegal; Uganda; New Zealand; Tanzania; Zimbabwe; Tonga;
            Samoa; Algeria""",
    }.items()
}


# --------------------------------------------------------------------
# Hierarchies of the data sets: kinds that :class:`~ppdp_lab.table.Hierarchy` has no constructor for, and their leaves.


TOP = "*"
Trees: TypeAlias = dict[str, Hierarchy]


def flat(leaves: Iterable[str]) -> Hierarchy:
    """Leaves and the top, nothing between.

    >>> flat(["Female", "Male"]).to_table()
    [['Female', '*'], ['Male', '*']]
    """
    return Hierarchy.from_dict(dict.fromkeys(leaves))


def bands(first: int, last: int, widths: Iterable[int], origin: int | None = None) -> Hierarchy:
    """Whole numbers under bands of growing width, counted from ``origin`` (by default ``first``).

    Each width must be a multiple of the one before, so that bands nest. Unlike those of
    :meth:`~ppdp_lab.table.Hierarchy.intervals`, the first and the last band are cut off at the ends of the range, so
    ``origin`` may lie within it.

    >>> bands(0, 9, [5]).levels(9)
    ['9', '5-9', '*']
    >>> bands(0, 4, [2], origin=1).generalize(range(5), 1)
    ['0', '1-2', '1-2', '3-4', '3-4']
    """
    start = first if origin is None else origin
    leaves = np.arange(first, last + 1)
    columns: list[list] = [leaves.tolist()]
    for width in widths:
        low = (leaves - start) // width * width + start
        ends = zip(np.maximum(low, first).tolist(), np.minimum(low + width - 1, last).tolist())
        columns.append([f"{a}-{b}" if a < b else f"{a}" for a, b in ends])
    return Hierarchy(list(zip(*columns, [TOP] * len(leaves))))


def prefixes(digits: int) -> Hierarchy:
    """All numbers of so many digits, one more digit masked per level; one star stands for all masked digits.

    >>> prefixes(2).levels("17")
    ['17', '1*', '*']
    """
    columns: dict[int, object] = {}
    for level in range(digits):
        shown = digits - level
        labels = np.array([f"{i:0{shown}d}" + TOP * (level > 0) for i in range(10**shown)])
        columns[level] = np.repeat(labels, 10**level)
    columns[digits] = TOP
    return Hierarchy(pd.DataFrame(columns))


def read_tree(path: Path) -> Hierarchy:
    """Read a hierarchy in ARX's form (``leaf;level 1;...;*``, no header).

    Leaves are whole numbers if all of them are written as such; ``01001`` is not, so zip codes stay text.
    """
    tree = read_hierarchy(path)
    whole = re.compile(r"0|-?[1-9][0-9]{0,17}")
    if all(map(whole.fullmatch, tree.leaves)):
        tree.leaves = np.array(list(map(int, tree.leaves)), dtype=object)
    return tree


def group_codes(tree: Hierarchy, level: int) -> np.ndarray:
    """For every leaf the number of its group at a level, groups numbered as they first appear.

    >>> group_codes(Hierarchy.from_dict({"North": ["Iowa", "Ohio"], "South": ["Texas"]}), 1).tolist()
    [0, 0, 1]
    """
    return pd.factorize(tree.ancestors[level])[0]


def leaf_index(tree: Hierarchy) -> pd.Index:
    """The leaves of a hierarchy in their order: an index of whole numbers or of text.

    >>> leaf_index(bands(0, 2, [2])).tolist(), leaf_index(flat(["Female", "Male"])).get_loc("Male")
    ([0, 1, 2], 1)
    """
    return pd.Index(tree.leaves.tolist())


def column_of(tree: Hierarchy, codes: np.ndarray) -> pd.Series:
    """The column whose rows hold the leaves of those numbers: whole numbers, or text as ordered categories.

    The categories are all leaves in the hierarchy's order, also those that do not occur.

    >>> column_of(flat(["Female", "Male"]), np.array([1, 1])).cat.categories.tolist()
    ['Female', 'Male']
    """
    leaves = leaf_index(tree)
    if pd.api.types.is_integer_dtype(leaves.dtype):
        return pd.Series(leaves.to_numpy()[codes])
    return pd.Series(pd.Categorical.from_codes(codes, categories=leaves, ordered=True))
