"""Measurements of the demonstration experiment."""

import pandas as pd


def losses(releases, rows):
    return pd.DataFrame(
        {"method": "Mondrian", "k": k, "loss": 1 - release.n_classes / rows, "suppressed": len(release.suppressed)}
        for k, release in releases.items()
    )
