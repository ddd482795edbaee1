"""Arrays that no caller should hand over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

WILD = [-1, -2, 0, 1, 5, 10**6, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, -(2**31), -(2**63)]
NO_ARRAYS: list[Any] = [
    None,
    "",
    "x",
    b"x",
    3,
    -1,
    2.5,
    True,
    {},
    {"a": 1},
    object(),
    [],
    [[1], [1, 2]],
    [None],
    ["a", 1],
    (),
]


def anything(chance: np.random.Generator, n: int = 8) -> Any:
    """Something hostile: mostly arrays of about the right shape with something wrong about them."""
    if chance.random() < 0.15:
        return NO_ARRAYS[int(chance.integers(len(NO_ARRAYS)))]
    size = int(chance.choice([n, n, n, 0, 1, n - 1, n + 1, 3 * n]))
    shape = [(size,), (1, size), (size, 1), (2, size), (1, 1, size), ()][
        int(chance.choice([0, 0, 0, 0, 1, 1, 2, 3, 4, 5]))
    ]
    kind = str(
        chance.choice(
            ["int64", "int64", "int32", "int8", "uint64", "uint8", "float64", "bool", "U3", "O", "M8[s]", "c16"]
        )
    )
    array = np.zeros(shape, dtype=kind)
    if kind.startswith(("int", "uint")):
        limits = np.iinfo(kind)
        low, high = max(limits.min, -3), min(limits.max, 12)
        array = chance.integers(low, high, shape).astype(kind) if chance.random() < 0.6 else array
        if array.size and chance.random() < 0.7:
            value = WILD[int(chance.integers(len(WILD)))]
            flat = np.array(array.reshape(-1))
            flat[int(chance.integers(flat.size))] = min(max(value, limits.min), limits.max)
            array = flat.reshape(shape)
    elif kind == "float64" and array.size:
        array.reshape(-1)[0] = chance.choice([np.nan, np.inf, 0.5, 1e300])
    elif kind == "O" and array.size:
        array.reshape(-1)[:] = [NO_ARRAYS[int(chance.integers(len(NO_ARRAYS)))] for _ in range(array.size)]
    elif kind == "bool":
        array = chance.random(shape) < 0.5
    return _wrapped(np.asarray(array), chance)


def _wrapped(array: np.ndarray, chance: np.random.Generator) -> Any:
    how = int(chance.integers(9))
    if how == 0:
        return array.tolist()
    if how == 1 and array.ndim == 1:
        return pd.Series(array, index=np.arange(len(array))[::-1])
    if how == 2:
        return np.ma.masked_array(array, mask=np.zeros(array.shape, dtype=bool))
    if how == 3:
        return np.asfortranarray(array)[..., ::-1] if array.ndim else array
    if how == 4 and array.ndim == 1:
        return pd.Index(array)
    return array
