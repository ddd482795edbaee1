"""The naive baseline of a series: an anonymizer that is run anew on every snapshot, as if there were no other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ppdp_lab.anonymize import Anonymizer
from ppdp_lab.registry import Seed
from ppdp_lab.release import Release
from ppdp_lab.republish import Publisher, Snapshot
from ppdp_lab.republish.memory import Stored


class Anew(Publisher):
    """Runs an anonymizer on each snapshot and remembers nothing but who is who.

    It promises what the anonymizer promises, for each release by itself. As a publisher it gives everybody a pseudonym, so
    that the adversary who follows rows can be tried on it, too.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": [21, 25, 57, 60]}), pl.Schema("age"))
    >>> Anew(pl.Mondrian(pl.KAnonymity(2))).publish(table).to_frame()["age"].unique().tolist()
    ['[21, 25]', '[57, 60]']
    """

    layout: ClassVar[Mapping[str, Stored]] = {}

    def __init__(self, anonymizer: Anonymizer, *, seed: Seed = None) -> None:
        super().__init__(seed=seed)
        self.anonymizer = anonymizer

    def _publish(self, snapshot: Snapshot, persons: np.ndarray) -> tuple[Release, np.ndarray]:
        made = self.anonymizer.anonymize(snapshot.table)
        shown = {"boxes": made.boxes, "style": made.style, "grouped": made.grouped}
        return self._make(snapshot.table, persons, made.class_of, **shown), persons
