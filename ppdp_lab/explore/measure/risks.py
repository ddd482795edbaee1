"""What a release still reveals although it keeps its rule."""

from __future__ import annotations

from ppdp_lab.errors import listed
from ppdp_lab.release import Release


def remaining_risk(release: Release) -> str:
    """What a person's group reveals about each sensitive column, in sentences.

    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 21, 60, 61], "illness": ["flu", "flu", "flu", "HIV"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", "illness"))
    >>> print(remaining_risk(pl.Mondrian(pl.KAnonymity(2)).anonymize(table)))
    But in 1 of 2 groups (2 people) everyone has the same illness: knowing a person's group reveals it.
    >>> print(remaining_risk(pl.Mondrian(pl.KAnonymity(3)).anonymize(table)))
    No group has only one illness, but the best guess within a group is right for up to 75.0% of its people.
    """
    names = release.table.schema.sensitive
    if not names:
        return "No column is sensitive, so what a group reveals is not measured."
    counts, sentences = release.published().counts(), []
    for name in names:
        histogram = counts.histogram(name)
        alike = histogram.distinct == 1
        if alike.any():
            people = int(histogram.sizes[alike].sum())
            sentences.append(
                f"But in {alike.sum():,} of {len(alike):,} group{'s' * (len(alike) > 1)} ({people:,} people) everyone has "
                f"the same {name}: knowing a person's group reveals it."
            )
        else:
            surest = min(float(histogram.shares.max()), 0.999)  # never rounded up to certainty
            sentences.append(
                f"No group has only one {name}, but the best guess within a group is right for up to {surest:.1%} of its "
                f"people."
            )
    if len(names) > 1:
        sentences.append(f"Someone who knows a person's value in one of {listed(names)} can use it to find the others.")
    return " ".join(sentences)
