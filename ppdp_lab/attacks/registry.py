"""All attacks of the package: what each must know, and what it breaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ppdp_lab.attacks._compromised import compromised
from ppdp_lab.attacks.closeness import similarity, skewness
from ppdp_lab.attacks.composition import intersection, value_association
from ppdp_lab.attacks.difference import difference
from ppdp_lab.attacks.joint import consistent_assignments
from ppdp_lab.attacks.linkage import background_knowledge, homogeneity, record_linkage
from ppdp_lab.attacks.tracing import record_tracing
from ppdp_lab.errors import unknown

RELEASE, PAIR, SERIES = "release", "pair", "series"
IDENTITY, ATTRIBUTE = "identity", "attribute"


@dataclass(frozen=True)
class Attack:
    """One attack, classified.

    Attributes
    ----------
    name : str
    run : callable
        Takes (published, background), (first, second, background) or (series, background), by :attr:`sees`.
    sees : {"release", "pair", "series"}
        How much of what was published it reads.
    discloses : {"identity", "attribute"}
        Whether it finds a person's record or a person's sensitive value.
    knows : str
        What the adversary must know.
    breaks : str
        Which guarantee it breaks where that guarantee is not kept, or not meant to hold.
    needs_background, needs_groups, needs_pseudonyms : bool
        What it does not work without: a background, one that knows everybody's group, tracked rows.
    settings : dict
        Arguments that have no default, with a value to begin with.
    variants : tuple of str
        Other functions that are the same attack in another form, as "module.function" of this room.
    """

    name: str
    run: Callable
    sees: str
    discloses: str
    knows: str
    breaks: str
    needs_background: bool = False
    needs_groups: bool = False
    needs_pseudonyms: bool = False
    settings: Mapping[str, object] = field(default_factory=dict)
    variants: tuple[str, ...] = ()


ALL: tuple[Attack, ...] = (
    Attack(
        "record linkage",
        record_linkage,
        RELEASE,
        IDENTITY,
        "that a person is in the table, and their quasi-identifiers",
        "tables without k-anonymity",
    ),
    Attack(
        "homogeneity",
        homogeneity,
        RELEASE,
        ATTRIBUTE,
        "a person's quasi-identifiers or group",
        "k-anonymity, where all rows of a group share one value; l-diversity closes it",
    ),
    Attack(
        "background knowledge",
        background_knowledge,
        RELEASE,
        ATTRIBUTE,
        "a person's quasi-identifiers or group, and some values the person does not have",
        "k-anonymity, and l-diversity once l - 1 values can be ruled out",
    ),
    Attack(
        "skewness",
        skewness,
        RELEASE,
        ATTRIBUTE,
        "a person's quasi-identifiers or group, and how frequent the values are in the whole table",
        "l-diversity; t-closeness closes it",
    ),
    Attack(
        "similarity",
        similarity,
        RELEASE,
        ATTRIBUTE,
        "a person's quasi-identifiers or group, and what the values mean",
        "l-diversity, where distinct values mean much the same; t-closeness over a hierarchy limits it",
    ),
    Attack(
        "intersection",
        intersection,
        SERIES,
        ATTRIBUTE,
        "in which releases a person is, and their quasi-identifiers or groups there",
        "k-anonymity and l-diversity of each single release; m-invariance and BPG close it",
        needs_background=True,
    ),
    Attack(
        "difference",
        difference,
        PAIR,
        ATTRIBUTE,
        "that a person came between two releases, and their quasi-identifiers; that nobody left, or pseudonyms",
        "k-anonymity and l-diversity of each single release; BPG closes it",
    ),
    Attack(
        "value association",
        value_association,
        SERIES,
        ATTRIBUTE,
        "in which releases a person is, and their quasi-identifiers or groups there",
        "l-diversity of each single release; m-invariance keeps the confidence at 1/m",
        needs_background=True,
    ),
    Attack(
        "joint reasoning",
        consistent_assignments,
        SERIES,
        ATTRIBUTE,
        "in which releases everybody is, and their quasi-identifiers or groups there",
        "any guarantee that looks at each person alone; small series only",
        needs_background=True,
    ),
    Attack(
        "value equivalence",
        compromised,
        SERIES,
        ATTRIBUTE,
        "everybody's group in each release; then the value of one person gives away that of others",
        "m-invariance; e-equivalence closes it",
        needs_background=True,
        needs_groups=True,
        settings={"e": 2},
        variants=(
            "equivalence.chains",
            "equivalence.compromised_over_time",
            "equivalence.equal_values",
            "equivalence.exposed_by",
            "equivalence.minimum_equivalence",
        ),
    ),
    Attack(
        "record tracing",
        record_tracing,
        SERIES,
        IDENTITY,
        "pseudonyms, and a public list of persons with quasi-identifiers and presence",
        "k-anonymity of each single release; BPG closes it",
        needs_background=True,
        needs_pseudonyms=True,
    ),
)


def get(name: str) -> Attack:
    """The attack of that name.

    >>> get("skewness").breaks
    'l-diversity; t-closeness closes it'
    """
    for attack in ALL:
        if attack.name == name:
            return attack
    raise unknown("attack", name, [attack.name for attack in ALL])
