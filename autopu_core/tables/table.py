"""A table as everything behind the reader sees it: few, plain column types, and a fingerprint of its content."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from autopu_core.errors import TableError


@dataclass(frozen=True)
class Table:
    """Rows and columns with plain types, and how they were read.

    Attributes:
        frame: index 0 .. n - 1; column names are different texts; each column is float64, int64, bool, str or
            datetime64, missing values are NaN or NaT.
        name: name of the file.
        fingerprint: SHA-256 of names, types and values, hex; it doesn't depend on the kind of file.
        notes: plain sentences on how the file was read.
        missing_tokens: column -> text as written -> how often it was taken as missing.
    """

    frame: pd.DataFrame
    name: str
    fingerprint: str
    notes: tuple[str, ...] = ()
    missing_tokens: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        name: str,
        notes: tuple[str, ...] = (),
        missing_tokens: Mapping[str, Mapping[str, int]] | None = None,
    ) -> Table:
        """A table from any DataFrame: types made plain, column names made texts and different.

        Raises:
            TableError: a column holds something that is no cell, such as a list.
        """
        names, renamed = distinct_names([str(column) for column in frame.columns])
        columns = {new: plain_column(frame.iloc[:, position], new) for position, new in enumerate(names)}
        plain = pd.DataFrame(columns, index=pd.RangeIndex(len(frame)))
        tokens = {column: dict(counts) for column, counts in (missing_tokens or {}).items()}
        return cls(plain, name, fingerprint(plain), (*notes, *renamed), tokens)


def distinct_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Different, non-empty column names, and a sentence where one had to be changed."""
    result: list[str] = []
    notes = []
    for position, name in enumerate(names, start=1):
        wanted = name.strip() or f"column_{position}"
        chosen, number = wanted, 2
        while chosen in result or (number > 2 and chosen in names):
            chosen, number = f"{wanted}_{number}", number + 1
        if not name.strip():
            notes.append(f"Column {position} has no name and is called {chosen!r}.")
        elif chosen != wanted:
            notes.append(f"The column name {wanted!r} occurs again at column {position}, which is called {chosen!r}.")
        result.append(chosen)
    return result, notes


def plain_column(column: pd.Series, name: str) -> pd.Series:
    """The column as one of the plain types, index dropped."""
    column = column.reset_index(drop=True)
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        column = column.astype(dtype.categories.dtype)
        dtype = column.dtype
    if pd.api.types.is_bool_dtype(dtype):
        return column.astype("str").where(column.notna()) if column.isna().any() else column.astype(bool)
    if pd.api.types.is_complex_dtype(dtype):
        raise TableError(f"The column {name!r} holds complex numbers, which can't be learned from; leave it out.")
    if pd.api.types.is_integer_dtype(dtype):
        if column.isna().any():
            return column.astype("float64")
        if pd.api.types.is_unsigned_integer_dtype(dtype) and column.max() > np.iinfo(np.int64).max:
            return column.astype("str")
        return column.astype("int64")
    if pd.api.types.is_float_dtype(dtype):
        return column.astype("float64")
    if pd.api.types.is_datetime64_any_dtype(dtype):
        naive = column.dt.tz_convert("UTC").dt.tz_localize(None) if getattr(dtype, "tz", None) else column
        return naive.astype("datetime64[us]")
    if pd.api.types.is_timedelta64_dtype(dtype):
        return column.dt.total_seconds()
    return _from_objects(column, name)


def _from_objects(column: pd.Series, name: str) -> pd.Series:
    present = column[column.notna()]
    if any(isinstance(value, list | dict | set | tuple | np.ndarray | bytes) for value in present.head(1000)):
        raise TableError(f"The column {name!r} holds lists or binary data instead of single values; leave it out.")
    kind = pd.api.types.infer_dtype(present, skipna=True)
    if kind in ("integer", "floating", "mixed-integer-float", "decimal"):
        number = pd.to_numeric(column, errors="coerce").astype("float64")
        return number.astype("int64") if kind == "integer" and not number.isna().any() else number
    if kind == "boolean":
        return plain_column(column.astype("boolean"), name)
    if kind in ("datetime", "date", "datetime64"):
        return pd.to_datetime(column).astype("datetime64[us]")
    text = column.map(lambda value: None if pd.isna(value) else written(value))
    return text.astype("str").where(column.notna())


def written(value: Any) -> str:
    """A value as a person would write it: 1.0 as "1", True as "True", text stripped."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.floating):
        return (
            str(int(value))
            if math.isfinite(value) and value == int(value) and abs(value) < 2**53
            else repr(float(value))
        )
    if isinstance(value, pd.Timestamp):
        return value.strftime("%Y-%m-%d" if value == value.normalize() else "%Y-%m-%d %H:%M:%S")
    return str(value)


def as_text(column: pd.Series) -> pd.Series:
    """Every value as a person would write it, missing where it is missing; what "--positive VALUE" is compared with."""
    values = column.drop_duplicates()
    texts = {value: written(value) for value in values[values.notna()]}
    return column.map(texts).astype("str").where(column.notna())


def fingerprint(frame: pd.DataFrame) -> str:
    """SHA-256 over column names, types and values, hex."""
    kinds = [str(np.dtype(dtype).kind) if isinstance(dtype, np.dtype) else "text" for dtype in frame.dtypes]
    digest = hashlib.sha256(json.dumps([list(frame.columns), kinds, len(frame)]).encode())
    for _, column in frame.items():
        digest.update(pd.util.hash_pandas_object(column, index=False, categorize=False).to_numpy().tobytes())
    return digest.hexdigest()
