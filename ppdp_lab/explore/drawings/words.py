"""Names and values of a table in a drawing."""

from __future__ import annotations


def letters(text: object, most: int | None = None) -> str:
    r"""A text to the letter, cut where it is longer than that: matplotlib would take what stands between dollars for a formula.

    >>> letters("$x^$ (km)"), letters("a long name", 7)
    ('\\$x^\\$ (km)', 'a long…')
    """
    said = str(text)
    said = said if most is None or len(said) <= most else f"{said[: most - 1]}…"
    return said.replace("$", r"\$")
