"""Coded census rows: invented ones, and the real ones of whoever has them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ppdp_lab.datasets.population import LABELS


def random_codes(rows: int, seed: int = 0) -> pd.DataFrame:
    """A table of the right shape whose values crowd at the low codes, so that small and large cells occur."""
    generator = np.random.default_rng(seed)
    return pd.DataFrame(
        {name: (len(labels) * generator.random(rows) ** 4).astype(np.int16) for name, labels in LABELS.items()}
    )


def real_codes() -> pd.DataFrame:
    """The real rows; a test that needs them is skipped where there are none."""
    path = Path(os.environ.get("PPDP_LAB_DATA", "")) / "census600k.parquet"
    if not os.environ.get("PPDP_LAB_DATA") or not path.is_file():
        pytest.skip("needs the real rows: PPDP_LAB_DATA does not name a folder that holds census600k.parquet")
    return pd.read_parquet(path)
