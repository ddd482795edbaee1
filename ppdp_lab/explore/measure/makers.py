"""Publishers of every kind in the registry, made with what a few knobs say."""

from __future__ import annotations

from typing import Any

from ppdp_lab.anonymize import Anonymizer, Mondrian
from ppdp_lab.attacks import UpdateModel
from ppdp_lab.principles import DistinctLDiversity, KAnonymity
from ppdp_lab.registry import make
from ppdp_lab.republish import PUBLISHERS, Publisher

ALONE = "Mondrian, each release alone"


def names() -> list[str]:
    """Publishers that can be made so, and the anonymizer that remembers nothing, first."""
    known = _said(2, None)
    fits = [e.name for e in PUBLISHERS.entries() if all(p.name in known for p in e.parameters if p.required)]
    return [ALONE, *fits]


def maker_of(name: str, m: int, model: UpdateModel | None = None) -> tuple[Publisher | Anonymizer, str]:
    """A publisher by name, with m for whatever it counts, and the code that makes it; ``model`` is a variable there.

    >>> maker_of("MInvariance", 3)[1]
    "MInvariance(m=3, seed=0, on_invalid='suppress')"
    """
    said = _said(m, model)
    if name == ALONE:
        alone = Mondrian(said["rule"])
        return alone, repr(alone)
    entry = PUBLISHERS.entry(name)
    wanted = {p.name: said[p.name] for p in entry.parameters if p.name in said}
    texts = [f"{key}={'model' if key == 'model' else repr(value)}" for key, value in wanted.items()]
    return make(entry.member, wanted), f"{entry.name}({', '.join(texts)})"


def _said(m: int, model: UpdateModel | None) -> dict[str, Any]:
    """What publishers may be made with. Seeded, so that the code makes the same picture: this is no publication."""
    rule = KAnonymity(m) & DistinctLDiversity(m)
    said = {"m": m, "k": m, "rule": rule, "e": 2, "seed": 0, "on_invalid": "suppress"}
    return said if model is None else said | {"model": model}
