"""What a release is given beside its classes: boxes that cover them, ids that its table has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import BrokenRuleError, ParameterError, listed
from ppdp_lab.table import Boxes


def fitting_boxes(boxes: Any, class_of: np.ndarray, codes: np.ndarray, n_classes: int) -> Boxes:
    """Boxes that were given, one per class, each covering its members; anything else is refused."""
    if not isinstance(boxes, Boxes):
        raise ParameterError(f"boxes must be a ppdp_lab.table.Boxes, one per class, not {type(boxes).__name__}")
    if len(boxes) != n_classes or len(boxes.columns) != len(codes):
        raise ParameterError(f"{len(boxes)} boxes of {len(boxes.columns)} columns do not fit {n_classes} classes")
    shown = class_of >= 0
    if not boxes.covers(class_of[shown], codes[:, shown]).all():
        raise BrokenRuleError("a box does not cover all members of its class; the release is withheld")
    return boxes


def ids_among(name: str, ids: Any, known: pd.Index) -> pd.Index:
    """Ids of the table, or a refusal in words."""
    try:
        index = ids if isinstance(ids, pd.Index) else pd.Index(list(ids), tupleize_cols=False)
        absent = index[known.get_indexer(index) < 0] if len(index) else index
    except TypeError:
        raise ParameterError(f"{name} must be a list of ids of the table, not {ids!r}") from None
    if len(absent):
        raise ParameterError(f"{name} names {listed(absent)}, which the table does not have; give ids of its records")
    return index
