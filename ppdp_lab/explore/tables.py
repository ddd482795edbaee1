"""The table that an explorer shows: one by name, one's own by a TOML file, or one that is there already."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab import datasets
from ppdp_lab.errors import ParameterError, SchemaError, listed
from ppdp_lab.explore.base import Typed
from ppdp_lab.table import Microdata, Schema

YOURS = "(yours)"


class Tables:
    """Where the tables of one explorer come from, each loaded once.

    Parameters
    ----------
    given : str, path, Microdata, DataFrame or None
        A data set's name, the path of a TOML file, a table, a frame with its ``schema``; None for the explorer's default.
    schema : Schema, optional
        The roles of a frame's columns.
    default : str
        The name of the table that the explorer shows otherwise.
    rows : int, optional
        At most so many of a table that comes by name: enough to see, and few enough to answer at once.
    one_secret : bool
        Whether the explorer looks at one sensitive column, so that it refuses a table with several.

    Examples
    --------
    >>> tables = Tables(None, default="adult", rows=500)
    >>> len(tables["adult"]), tables.code("adult")
    (500, "table = datasets.load('adult', rows=500)")
    """

    def __init__(
        self,
        given: Any,
        schema: Schema | None = None,
        *,
        default: str,
        rows: int | None = None,
        one_secret: bool = False,
    ) -> None:
        self.rows, self._one_secret = rows, one_secret
        self._loaded: dict[str, Microdata] = {}
        self._code = ""
        if schema is not None and not isinstance(given, pd.DataFrame):
            raise ParameterError("a schema says the roles of a DataFrame's columns; give the frame, too")
        if isinstance(given, pd.DataFrame):
            if schema is None:
                raise SchemaError("say which column plays which role: schema=ppdp_lab.Schema([...], sensitive=...)")
            self._loaded[YOURS] = Microdata(given, schema)
            roles: list[Any] = [list(schema.quasi_identifiers), list(schema.sensitive), list(schema.identifiers)]
            if schema.domains:
                roles.append({name: list(values) for name, values in schema.domains.items()})
            self._code = f"table = Microdata(frame, Schema({', '.join(map(repr, roles))}))  # frame: your DataFrame"
        elif isinstance(given, Microdata):
            self._loaded[YOURS] = given
            self._code = "# table: the Microdata that you gave to the explorer"
        elif given is not None and not isinstance(given, (str, os.PathLike)):
            raise ParameterError(
                f"an explorer shows a data set's name, a TOML file, a ppdp_lab.Microdata, or a DataFrame with its schema, "
                f"not {type(given).__name__}"
            )
        self.first = YOURS if self._loaded else str(given if given is not None else default)

    def knob(self) -> Typed:
        """The knob that names the table."""
        return Typed("table", "table", self.first, options=(*self._loaded, *datasets.names()))

    def __getitem__(self, name: str) -> Microdata:
        name = name.strip()
        if name not in self._loaded:
            self._loaded[name] = self._sampled(name)
        table = self._loaded[name]
        if self._one_secret and len(table.schema.sensitive) > 1:
            raise SchemaError(
                f"this explorer looks at one sensitive column, and the table has {listed(table.schema.sensitive)}; "
                f"give it a table with one of them"
            )
        return table

    def _sampled(self, name: str) -> Microdata:
        if not name.endswith(".toml"):
            return datasets.load(name, rows=self.rows)  # a stand-in is drawn at that size
        whole = datasets.load(name)
        return whole if self.rows is None or len(whole) <= self.rows else datasets.load(name, rows=self.rows)

    def code(self, name: str) -> str:
        """The line of code that makes the table of that name."""
        name = name.strip()
        if name == YOURS:
            return self._code
        many = f", rows={self.rows}" if self.rows is not None and len(self[name]) >= self.rows else ""
        shown = name if not name.endswith(".toml") else str(Path(name))
        return f"table = datasets.load({shown!r}{many})"
