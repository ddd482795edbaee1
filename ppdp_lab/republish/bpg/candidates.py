"""What BPG starts from: a rule and a base that it accepts, and the classes that the base makes of a snapshot."""

from __future__ import annotations

import copy

import numpy as np

from ppdp_lab.anonymize.base import Anonymizer
from ppdp_lab.errors import ParameterError
from ppdp_lab.principles import Principle
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
    base: Anonymizer, table: Microdata, part: np.ndarray | None, chance: np.random.Generator
) -> np.ndarray:
    """The class of each record, -1 for one that the base suppresses, if the base is given every part by itself.

    ``part`` numbers the parts from 0, newcomers being 0; None means all records at once. A part that is too small to be
    divided is one class, safe or not, as is one that the base cannot anonymize.
    """
    base = copy.copy(base)
    if hasattr(base, "seed"):
        base.seed = int(chance.integers(2**63))
    if part is None:
        return base.divided(table, np.zeros(len(table), dtype=np.int32))
    sizes = np.bincount(part)
    large = sizes >= 2 * base.rule.minimum_size
    dense = np.where(large, np.cumsum(large) - 1, -1).astype(np.int32)
    class_of = base.divided(table, dense[part])
    small = ~large & (sizes > 0)
    rest = class_of.max(initial=-1) + np.cumsum(small)
    return np.where(large[part], class_of, rest[part])
