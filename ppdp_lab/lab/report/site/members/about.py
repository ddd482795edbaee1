"""What a claim is about: the members of the registries that its query asks for, and those that it means without naming.

A query says ``publisher == 'MInvariance'`` or ``method == 'm-invariance, fine'``; both lead to the registry's MInvariance.
Where a table of results is about one algorithm only its queries need not name it: :data:`MEANT` does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatchcase

from ppdp_lab.lab.experiment.claims import Claim
from ppdp_lab.registry import key_of

MEANT = {
    "bpg": {
        "BPG": ["*-ratio-*", "sal-above-occ", "invariant-*"],
        "MInvariance": ["sal-above-occ"],
        "Mondrian": ["*-ratio-signature", "*-ratio-none"],
    },
    "crossover": {
        name: ["time-is-no-reason"]
        for name in ("Anatomy", "BPG", "EEquivalence", "I3M", "MDistinct", "MInvariance", "Mondrian")
    },
    "equivalence": {
        "MInvariance": ["skew-*", "error-*"],
        "EEquivalence": ["skew-*", "error-*"],
        "value equivalence": ["fine-grows", "merged-*", "none-compromised"],
        "query_error": ["error-*"],
    },
    "i3m": {  # a static run is one of k-member
        "I3M": ["*"],
        "il_optimization": ["optimization-*"],
        "KMember": ["*-close", "*-worse", "*-faster", "optimization-lowers", "optimization-cheap"],
        "information_loss": ["*-close", "*-worse", "optimization-lowers"],
    },
    "mdistinct": {
        "DistinctLDiversity": ["vulnerable-grow", "two-thirds", "larger-*"],
        "MInvariance": ["invalid-*"],
        "MDistinct": ["error-*", "counterfeits-*", "usually-*", "never-vulnerable", "time-*"],
        "update graph": ["vulnerable-grow", "two-thirds", "larger-*", "never-vulnerable"],
        "query_error": ["error-*"],
    },
    "speedy": {"Speedy": ["exponential", "speedup-*", "nearly-optimal"]},
    "tour": {
        "DistinctLDiversity": ["homogeneity-closed", "skewness-open"],
        "KAnonymity": ["nobody-linked"],
        "record linkage": ["nobody-linked"],
        "homogeneity": ["homogeneity-*"],
        "skewness": ["skewness-*"],
    },
}
"""By experiment: who is meant by which claims, beside whom their queries name."""


def is_about(experiment: str, claim: Claim, name: str) -> bool:
    """Whether a claim is about a member, named as its registry names it."""
    meant = MEANT.get(experiment, {}).get(name, [])
    return key_of(name) in named(claim) or any(fnmatchcase(claim.id, pattern) for pattern in meant)


def named(claim: Claim) -> set[str]:
    """The keys of what a claim's query asks for; what it leaves out (``attack != 'skewness'``) is not among them.

    >>> both = dict(id="c", text="c", kind="below", x="k", series="by", compare=["Mondrian anew", "m-invariance, fine"])
    >>> sorted(named(Claim(**both, value="fem / 2", where="rule == '+ t-closeness' and attack != 'skewness'")))
    ['fem', 'minvariance', 'mondrian', 'tcloseness']
    """
    said = [*_asked(claim.where), *map(str, claim.compare)]
    said += [node.id for node in ast.walk(ast.parse(claim.value, mode="eval")) if isinstance(node, ast.Name)]
    return {key_of(_member(words)) for words in said}


def _asked(where: str) -> Iterator[str]:
    """The texts that a query wants a column to be."""
    for node in ast.walk(ast.parse(where or "True", mode="eval")):
        if isinstance(node, ast.Compare) and all(isinstance(op, (ast.Eq, ast.In)) for op in node.ops):
            for right in node.comparators:
                values = (part.value for part in ast.walk(right) if isinstance(part, ast.Constant))
                yield from (value for value in values if isinstance(value, str))


def _member(words: str) -> str:
    """The member among the words of a curve's label: "Mondrian anew" and "BPG with Mondrian" are Mondrian and BPG."""
    for after in (",", " with ", " anew"):
        words = words.partition(after)[0]
    return words.removeprefix("+ ")
