"""What an update model is made of, checked at the door."""

from __future__ import annotations

from typing import Any

from ppdp_lab.errors import ParameterError, check_integer, check_items, listed
from ppdp_lab.table import Domain
from ppdp_lab.table.files.kinds import text_of

_NEAR = 1e-6  # how far the probabilities of a row may be from adding up to 1


def names_of(values: Any) -> list[str]:
    """Values as text, from a domain or a list of values."""
    if isinstance(values, Domain):
        return [str(label) for label in values.labels]
    return [text_of(value) for value in check_items("values", values)]


def checked_values(given: Any) -> tuple[str, ...]:
    """The values, each once."""
    values = tuple(names_of(given))
    if not values:
        raise ParameterError("an update model needs at least one value")
    if len(set(values)) < len(values):
        doubled = sorted({value for value in values if values.count(value) > 1})
        raise ParameterError(f"value(s) {listed(doubled)} stand more than once in the update model; name each once")
    return values


def checked_targets(values: tuple[str, ...], given: Any) -> tuple[tuple[int, ...], ...]:
    """For each value the positions of what it may become."""
    out = []
    for value, row in zip(values, _rows("targets", values, given)):
        name, last = f"what {value!r} may become", len(values) - 1
        found = tuple(check_integer(name, t, at_least=0, at_most=last) for t in check_items("targets", row))
        if not found:
            raise ParameterError(
                f"{value!r} may become nothing, not even stay; name it as its own target if it never changes"
            )
        if len(set(found)) < len(found):
            raise ParameterError(f"{name} names a value twice; name each once")
        out.append(found)
    return tuple(out)


def checked_chances(
    values: tuple[str, ...], targets: tuple[tuple[int, ...], ...], given: Any
) -> tuple[tuple[float, ...], ...]:
    """For each value the probabilities of its targets."""
    out = []
    for value, target, row in zip(values, targets, _rows("chances", values, given)):
        where = f"the probabilities of {value!r}"
        try:
            shares = tuple(float(p) for p in check_items("chances", row))
        except (TypeError, ValueError):
            raise ParameterError(f"{where} must be numbers") from None
        if len(shares) != len(target):
            raise ParameterError(f"{where}: {len(shares)} for {len(target)} values that it may become; give one each")
        if not all(0 < p <= 1 + _NEAR for p in shares) or abs(sum(shares) - 1) > _NEAR:
            raise ParameterError(
                f"{where} must be above 0 and add up to 1, not to {sum(shares):g}; leave out what cannot happen"
            )
        out.append(shares)
    return tuple(out)


def _rows(name: str, values: tuple[str, ...], given: Any) -> list[Any]:
    rows = check_items(name, given)
    if len(rows) != len(values):
        raise ParameterError(f"{name} has {len(rows)} rows for {len(values)} values; give one row for each value")
    return rows
