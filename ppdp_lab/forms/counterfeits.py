"""Counterfeits: records that a publisher invents, among which nobody can be told from a real one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ppdp_lab.errors import ParameterError, check_list, listed
from ppdp_lab.registry import OneLine
from ppdp_lab.table import Microdata


@dataclass(frozen=True)
class Counterfeits(OneLine):
    """Invented records: class, sensitive codes, and quasi-identifier codes within the class's box.

    Those of a series also say who they are: ``ids`` are numbers that a counterfeit keeps for as long as it is published,
    ``pseudonyms`` its tracking numbers. Holder's side only.
    """

    class_of: np.ndarray
    sensitive: np.ndarray
    qi: np.ndarray
    ids: np.ndarray | None = None
    pseudonyms: np.ndarray | None = None

    def __post_init__(self) -> None:
        for name in ("class_of", "ids", "pseudonyms"):
            given = getattr(self, name)
            if given is not None or name == "class_of":
                numbers = check_list(f"counterfeits: {name}", given)
                if numbers.dtype.kind == "u" and numbers.max(initial=0) < 2**63:
                    numbers = numbers.astype(np.int64)  # beside numbers of records, numpy would make them floats
                object.__setattr__(self, name, numbers)

    @staticmethod
    def none(table: Microdata) -> Counterfeits:
        """No counterfeit at all."""
        nobody = np.zeros(0, dtype=np.int64)
        return Counterfeits(
            np.zeros(0, dtype=np.int32),
            np.zeros((len(table.schema.sensitive), 0), dtype=np.int32),
            np.zeros((len(table.schema.quasi_identifiers), 0), dtype=np.int32),
            nobody,
            nobody,
        )

    def require_fit(self, table: Microdata) -> None:
        """Refuse arrays that do not fit together or the table."""
        n = len(whole_numbers("counterfeits: class_of", self.class_of, at_least=0))
        for name, codes, domains in (
            ("sensitive", self.sensitive, table.sensitive_domains),
            ("qi", self.qi, table.qi_domains),
        ):
            if not isinstance(codes, np.ndarray) or codes.shape != (len(domains), n) or codes.dtype.kind not in "iu":
                shape = getattr(codes, "shape", type(codes).__name__)
                raise ParameterError(
                    f"counterfeits: {name} must be whole numbers of shape {(len(domains), n)}, not {shape}"
                )
            for column, domain in zip(codes, domains):
                if n and not (column.min() >= 0 and column.max() < len(domain)):
                    raise ParameterError(f"counterfeits: codes of {domain.name!r} must lie in 0 .. {len(domain) - 1}")
        for name, numbers in (("ids", self.ids), ("pseudonyms", self.pseudonyms)):
            if numbers is not None and len(whole_numbers(f"counterfeits: {name}", numbers, at_least=0)) != n:
                raise ParameterError(f"counterfeits: {len(numbers)} {name} for {n} counterfeits; give one each")

    def __len__(self) -> int:
        return len(self.class_of)


def whole_numbers(name: str, values: Any, *, at_least: int) -> np.ndarray:
    """A list of whole numbers, or a refusal in words."""
    numbers = check_list(name, values)
    if len(numbers) == 0:
        return numbers.astype(np.int64)
    if numbers.dtype.kind not in "iu":
        raise ParameterError(f"{name} must hold whole numbers, not {listed(numbers, 3)} ({numbers.dtype})")
    wrong = [end for end in (int(numbers.min()), int(numbers.max())) if not at_least <= end < 2**63]
    if wrong:
        raise ParameterError(f"{name} must hold whole numbers from {at_least} to 2**63 - 1, not {wrong[0]}")
    return numbers.astype(np.int64) if numbers.dtype.kind == "u" else numbers
