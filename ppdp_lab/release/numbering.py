"""Numbers of groups that follow from what is published of them alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ppdp_lab.table import group, sum_hashes

if TYPE_CHECKING:
    from ppdp_lab.release.release import Release


def numbers_by_content(release: Release) -> np.ndarray:
    """Group number of each class, sorted by box, by a hash of its contents, by its counterfeits, then by the tie numbers."""
    content = np.zeros(release.n_classes, dtype=np.uint64)
    fake, table = release.counterfeit_codes, release.table
    sides = [(table.sensitive_codes, fake.sensitive, table.sensitive_domains)]
    if release.form.exact:
        sides.append((table.qi_codes, fake.qi, table.qi_domains))
    shown = release.class_of >= 0
    every = np.concatenate([release.class_of[shown], fake.class_of])
    for salt, (real, invented, domains) in enumerate(sides, start=1):
        if not domains:  # no sensitive column, so it tells nothing apart
            continue
        rows = np.concatenate([real[:, shown], invented], axis=1)
        sum_hashes(every, group(rows, [len(d) for d in domains]).class_of, salt, content)
    fakes = np.bincount(fake.class_of, minlength=release.n_classes)
    ties = np.zeros(release.n_classes, dtype=np.int64) if release.ties is None else release.ties
    order = np.lexsort([ties, fakes, content, *release.boxes.sort_keys()[::-1]])
    group_of = np.empty(release.n_classes, dtype=np.int32)
    group_of[order] = np.arange(release.n_classes, dtype=np.int32)
    return group_of
