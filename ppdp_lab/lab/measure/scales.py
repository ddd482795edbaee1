"""A notebook's sizes: one parameter, ``scale``, chooses them all, and each may be said by itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from ppdp_lab.errors import unknown
from ppdp_lab.lab.run import parameters


def chosen(scale: str, known: Mapping[str, Mapping[str, Any]], **given: Any) -> SimpleNamespace:
    """The sizes of a scale, where a parameter of the notebook does not say otherwise; None is "as the scale says".

    Parameters
    ----------
    scale : str
        One of the scales that are known.
    known : dict of scale to dict of size
        All scales have the same sizes.
    **given
        The notebook's own parameters.

    Examples
    --------
    >>> known = {"quick": {"rows": 100, "ks": [3]}, "paper": {"rows": 10000, "ks": [3, 5, 10]}}
    >>> sizes = chosen("paper", known, rows=500, ks=None)
    >>> sizes.rows, sizes.ks
    (500, [3, 5, 10])
    """
    if scale not in known:
        raise unknown("scale", str(scale), known)
    said = {name: value for name, value in given.items() if value is not None}
    parameters.check(said, known[scale], "this notebook")
    return SimpleNamespace(**{**known[scale], **said})
