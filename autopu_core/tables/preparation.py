"""From a described table to numbers that every classifier takes; learned from training rows only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from autopu_core.errors import TableError
from autopu_core.tables.description import LARGEST
from autopu_core.tables.roles import LEARNED_ROLES, MOST_LEVELS, ROLES, guess_role
from autopu_core.tables.table import as_text, distinct_names

_SHOWN = 3


class TablePreparer(TransformerMixin, BaseEstimator):
    """Imputes, encodes and, where asked, standardises the columns of a table.

    A numeric column becomes itself with gaps filled by the median, and an indicator column where the fit saw gaps
    (infinite values, and those beyond float32, are gaps). A category becomes one 0/1 column for each of its kinds:
    a single one where there are two; kinds beyond the 50 most frequent share one; those never seen in the fit are 0 in
    all of them; a gap is a kind of its own, or counts as the most frequent kind where the fit saw none. A date becomes
    days since the earliest in the fit. A complete numeric table passes unchanged, bit for bit, in its column order.

    Args:
        roles: column -> role, for the columns to use; by default all columns with guessed roles.
        leave_out: columns not to use.
        dates: "days", or "drop" to leave date columns out.
        scale: standardise what was numeric or a date.

    Attributes:
        columns_: columns used, in the table's order.
        roles_: their roles.
    """

    def __init__(
        self,
        roles: Mapping[str, str] | None = None,
        leave_out: Sequence[str] = (),
        dates: Literal["days", "drop"] = "days",
        scale: bool = False,
    ) -> None:
        self.roles = roles
        self.leave_out = leave_out
        self.dates = dates
        self.scale = scale

    def fit(self, X: pd.DataFrame, y: object = None) -> TablePreparer:
        """Learn medians, kinds and scales.

        Raises:
            TableError: an unknown role, a missing column, or no column left to learn from.
        """
        _check_frame(X)
        roles = dict(self.roles) if self.roles is not None else {str(n): guess_role(str(n), X[n]) for n in X.columns}
        for name, role in roles.items():
            if role not in ROLES:
                raise TableError(f"{role!r} is no role of the column {name!r}; choose one of {', '.join(ROLES)}.")
            if name not in X.columns:
                raise TableError(f"The table has no column {name!r}.")
        self.roles_ = {
            name: roles[name]
            for name in map(str, X.columns)
            if roles.get(name) in LEARNED_ROLES
            and name not in self.leave_out
            and not (roles[name] == "date" and self.dates == "drop")
            and X[name].notna().any()
        }
        if not self.roles_:
            raise TableError("No column is left to learn from: all are names, free text, constant or left out.")
        self.columns_ = tuple(self.roles_)
        self._parts: dict[str, _Numeric | _Category] = {}
        for name, role in self.roles_.items():
            part = _Category() if role == "category" else _Numeric(role, self.scale)
            part.fit(X[name], name)
            self._parts[name] = part
        return self

    def transform(self, X: pd.DataFrame) -> np.ndarray:
        """float64 (n, columns), C-contiguous, without missing values.

        Raises:
            TableError: a column is missing, or holds what can't be read as what it was.
        """
        check_is_fitted(self)
        _check_frame(X)
        absent = [name for name in self.columns_ if name not in X.columns]
        if absent:
            shown = ", ".join(repr(name) for name in absent[:_SHOWN]) + (" .." if len(absent) > _SHOWN else "")
            raise TableError(
                f"The table lacks {len(absent)} of the {len(self.columns_)} columns that were learned from: {shown}."
            )
        widths = [part.width for part in self._parts.values()]
        prepared = np.empty((len(X), sum(widths)))
        start = 0
        for (name, part), width in zip(self._parts.items(), widths, strict=True):
            part.transform(X[name], name, prepared[:, start : start + width])
            start += width
        return prepared

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Names of the columns of `transform`."""
        check_is_fitted(self)
        names = [text for name, part in self._parts.items() for text in part.names(name)]
        return np.array(distinct_names(names)[0], dtype=object)


class _Numeric:
    """A number or a date."""

    def __init__(self, role: str, scale: bool) -> None:
        self.is_date = role == "date"
        self.scale = scale

    def fit(self, column: pd.Series, name: str) -> None:
        if self.is_date:
            column = _as_dates(column, name)
            self.earliest = column.min()
        values = self._values(column, name)
        gaps = np.isnan(values)
        self.median = float(np.median(values[~gaps])) if not gaps.all() else 0.0
        self.indicator = bool(gaps.any())
        filled = np.where(gaps, self.median, values)
        self.mean = float(filled.mean()) if self.scale else 0.0
        self.deviation = (float(filled.std()) or 1.0) if self.scale else 1.0

    @property
    def width(self) -> int:
        return 1 + self.indicator

    def transform(self, column: pd.Series, name: str, out: np.ndarray) -> None:
        values = self._values(column, name)
        gaps = np.isnan(values)
        filled = np.where(gaps, self.median, values)
        out[:, 0] = (filled - self.mean) / self.deviation if self.scale else filled
        if self.indicator:
            out[:, 1] = gaps

    def names(self, name: str) -> list[str]:
        own = f"{name} (days)" if self.is_date else name
        return [own, f"{name} missing"] if self.indicator else [own]

    def _values(self, column: pd.Series, name: str) -> np.ndarray:
        if self.is_date:
            days = (_as_dates(column, name) - self.earliest) / pd.Timedelta(days=1)
            return days.to_numpy(dtype=np.float64)
        if pd.api.types.is_numeric_dtype(column.dtype):
            values = column.to_numpy(dtype=np.float64)
        else:
            number = pd.to_numeric(column, errors="coerce")
            wrong = column[number.isna() & column.notna()]
            if len(wrong):
                raise TableError(f"The column {name!r} should hold numbers, but has {as_text(wrong).iloc[0]!r}.")
            values = number.to_numpy(dtype=np.float64)
        return np.where(np.abs(values) > LARGEST, np.nan, values)


class _Category:
    """One of a few kinds, compared as text."""

    def fit(self, column: pd.Series, name: str) -> None:
        text = as_text(column)
        counts = text.value_counts()
        ordered = [str(kind) for kind, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
        self.levels = sorted(ordered[:MOST_LEVELS])
        self.rare = ordered[MOST_LEVELS:]
        self.most_frequent = ordered[0]
        self.gaps = bool(text.isna().any())
        if len(self.levels) == 2 and not self.rare:
            self.levels = self.levels[1:]

    @property
    def width(self) -> int:
        return len(self.levels) + bool(self.rare) + self.gaps

    def transform(self, column: pd.Series, name: str, out: np.ndarray) -> None:
        text = as_text(column).to_numpy(dtype=object, na_value=None)
        places = {level: position for position, level in enumerate(self.levels)}
        places |= dict.fromkeys(self.rare, len(self.levels))
        codes, kinds = pd.factorize(pd.Series(text, dtype=object))
        out[:] = 0.0
        for code, kind in enumerate(kinds):
            if kind in places:
                out[codes == code, places[kind]] = 1.0
        if self.gaps:
            out[codes == -1, -1] = 1.0
        elif self.most_frequent in places:
            out[codes == -1, places[self.most_frequent]] = 1.0

    def names(self, name: str) -> list[str]:
        own = [f"{name} = {level}" for level in self.levels]
        return own + ([f"{name} = (rare)"] if self.rare else []) + ([f"{name} missing"] if self.gaps else [])


def _check_frame(X: object) -> None:
    if not isinstance(X, pd.DataFrame):
        raise TableError(f"A table with named columns (a DataFrame) is needed, not {type(X).__name__}.")
    if not X.columns.is_unique:
        raise TableError(f"The column name {X.columns[X.columns.duplicated()][0]!r} occurs more than once.")


def _as_dates(column: pd.Series, name: str) -> pd.Series:
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return column
    if pd.api.types.is_numeric_dtype(column.dtype) and column.notna().any():
        raise TableError(f"The column {name!r} should hold dates, but has numbers such as {as_text(column).iloc[0]!r}.")
    try:
        return pd.to_datetime(column, format="ISO8601")
    except (ValueError, TypeError):
        example = as_text(column.dropna()).iloc[0]
        raise TableError(f"The column {name!r} should hold dates as YYYY-MM-DD, but has {example!r}.") from None
