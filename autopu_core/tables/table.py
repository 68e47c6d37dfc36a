"""A table as everything behind the reader sees it: few, plain column types, and a fingerprint of its content."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from autopu_core.errors import TableError

_EXACT_INTEGER = 2**53


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
    def from_frame(cls, frame: pd.DataFrame, name: str, notes: tuple[str, ...] = ()) -> Table:
        """A table from any DataFrame: types made plain, column names made texts and different.

        Raises:
            TableError: a column holds something that is no cell, such as a list.
        """
        names, renamed = distinct_names([str(column) for column in frame.columns])
        columns = {new: plain_column(frame.iloc[:, position], new) for position, new in enumerate(names)}
        plain = pd.DataFrame(columns, index=pd.RangeIndex(len(frame)))
        return cls.from_plain(plain, name, (*notes, *renamed))

    @classmethod
    def from_plain(
        cls,
        frame: pd.DataFrame,
        name: str,
        notes: tuple[str, ...] = (),
        missing_tokens: Mapping[str, Mapping[str, int]] | None = None,
    ) -> Table:
        """A table from a DataFrame that already has plain types and different names."""
        return cls(frame, name, fingerprint(frame), notes, dict(missing_tokens or {}))


def distinct_names(names: list[str]) -> tuple[list[str], list[str]]:
    """Different, non-empty column names, and a sentence where one had to be changed."""
    given = [name.strip() for name in names]
    known = set(given)
    result: dict[str, None] = {}
    notes = []
    for position, name in enumerate(given, start=1):
        wanted = name or f"column_{position}"
        chosen, number = wanted, 2
        while chosen in result or (chosen != name and chosen in known):
            chosen, number = f"{wanted}_{number}", number + 1
        if not name:
            notes.append(f"Column {position} has no name and is called {chosen!r}.")
        elif chosen != wanted:
            notes.append(f"The column name {wanted!r} occurs again at column {position}, which is called {chosen!r}.")
        result[chosen] = None
    return list(result), notes


def plain_column(column: pd.Series, name: str) -> pd.Series:
    """The column as one of the plain types, index dropped.

    Raises:
        TableError: its values are no cells, such as lists, or complex numbers.
    """
    column = column.reset_index(drop=True)
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = pd.Series(column.to_numpy(dtype=object, na_value=None), dtype=object).infer_objects()
    dtype = column.dtype
    if isinstance(dtype, pd.StringDtype):
        text = column.str.strip().astype("str")
        return text.where(text != "")
    if pd.api.types.is_bool_dtype(dtype):
        return column.astype("str").where(column.notna()) if column.isna().any() else column.astype(bool)
    if pd.api.types.is_complex_dtype(dtype):
        raise TableError(f"The column {name!r} holds complex numbers, which can't be learned from; leave it out.")
    if pd.api.types.is_integer_dtype(dtype):
        return _integers(column)
    if pd.api.types.is_float_dtype(dtype):
        return column.astype("float64")
    if pd.api.types.is_datetime64_any_dtype(dtype):
        naive = column.dt.tz_convert("UTC").dt.tz_localize(None) if getattr(dtype, "tz", None) else column
        return naive.astype("datetime64[us]")
    if pd.api.types.is_timedelta64_dtype(dtype):
        return column.dt.total_seconds()
    return _from_objects(column.astype(object), name)


def _integers(column: pd.Series) -> pd.Series:
    """int64, float64 where some are missing, or texts where a float can't hold them: such numbers are names."""
    present = column.dropna()
    if len(present) and max(abs(int(present.max())), abs(int(present.min()))) >= _EXACT_INTEGER:
        return column.map(lambda value: None if pd.isna(value) else str(int(value))).astype("str")
    return column.astype("float64" if len(present) < len(column) else "int64")


def _from_objects(column: pd.Series, name: str) -> pd.Series:
    present = column[column.notna()]
    if any(isinstance(value, list | dict | set | tuple | np.ndarray | bytes) for value in present):
        raise TableError(f"The column {name!r} holds lists or binary data instead of single values; leave it out.")
    kind = pd.api.types.infer_dtype(present, skipna=True)
    if kind == "empty":
        return pd.Series(np.full(len(column), np.nan))
    if kind == "integer":
        return _integers(column)
    if kind in ("floating", "mixed-integer-float", "decimal"):
        numbers = [math.nan if pd.isna(value) else float(value) for value in column]
        return pd.Series(numbers, dtype="float64")
    if kind == "boolean":
        return plain_column(column.astype("boolean"), name)
    if kind in ("datetime", "date", "datetime64"):
        return pd.to_datetime(column).astype("datetime64[us]")
    texts = [None if pd.isna(value) or not written(value) else written(value) for value in column]
    return pd.Series(texts, dtype="str")


def written(value: Any) -> str:
    """A value as a person would write it: 1.0 as "1", True as "True", text stripped."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.floating | Decimal):
        number = float(value)
        whole = math.isfinite(number) and number == int(number) and abs(number) < _EXACT_INTEGER
        return str(int(number)) if whole else repr(number)
    if isinstance(value, pd.Timestamp):
        if value == value.normalize():
            return value.strftime("%Y-%m-%d")
        return value.isoformat(sep=" ", timespec="microseconds" if value.microsecond else "seconds")
    return str(value)


def as_text(column: pd.Series) -> pd.Series:
    """Every value as a person would write it, missing where it is missing; what "--positive VALUE" is compared with."""
    if isinstance(column.dtype, pd.StringDtype):
        return column.str.strip().astype("str")
    codes, kinds = pd.factorize(column, use_na_sentinel=True)
    texts = np.array([*(written(kind) for kind in kinds), None], dtype=object)
    return pd.Series(texts[codes], index=column.index, name=column.name, dtype="str")


def fingerprint(frame: pd.DataFrame) -> str:
    """SHA-256 over column names, types and values, hex; the same on every machine."""
    kinds = [dtype.kind if isinstance(dtype, np.dtype) else "text" for dtype in frame.dtypes]
    digest = hashlib.sha256(json.dumps([list(frame.columns), kinds, len(frame)]).encode())
    for (_, column), kind in zip(frame.items(), kinds, strict=True):
        if kind == "text":
            hashes = pd.util.hash_pandas_object(column, index=False, categorize=False).to_numpy()
        elif kind == "f":
            hashes = np.where(np.isnan(column.to_numpy()), np.nan, column.to_numpy())  # one kind of NaN
        else:
            hashes = column.to_numpy().view(np.uint8 if kind == "b" else np.int64)
        digest.update(hashes.astype(hashes.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()
