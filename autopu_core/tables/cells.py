"""From cells of text to typed columns: missing values, numbers, and never a silent misreading.

A column becomes numeric or a date only if all its present cells are one for certain; otherwise it stays text, and a
note says why where a person may have expected something else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from autopu_core.tables.dates import read_dates

MISSING_TOKENS = frozenset(
    ("", "?", "??", "na", "n/a", "n.a.", "#n/a", "#na", "nan", "nat", "null", "<null>", "(null)", "\\n", "<na>")
) | {"-", "--", "---", "–", "—", ".", "missing", "#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!"}
"""Cells that mean "missing" in every column, compared in lower case and stripped."""

NUMBER_GAPS = frozenset(
    ("unknown", "unk", "not known", "not available", "not done", "not recorded", "not measured", "n.d.", "nd", "n.k.")
)
"""Cells that mean "missing" among numbers or dates; among texts they are a kind of their own."""

Style = Literal["point", "comma"] | None
"""Decimal sign that the table is known to use."""

_DASHES = frozenset(("-", "--", "---"))
_POSITIVE_RESULT = r"^(?i:\d?\+{1,4}|\+/-|\(\+\)|pos|positive)$"
_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_COMMA_NUMBER = r"^[+-]?(?:[0-9]+,?[0-9]*|,[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_UNMISTAKABLE = r"^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]+)?$"
_INTEGER = r"^[+-]?[0-9]+$"
_INFINITE = r"^[+-]?(?i:inf|infinity)$"
_LEADING_ZERO = r"^[+-]?0[0-9]"
_THREE_DIGITS = r"^[+-]?[1-9][0-9]{0,2}(?:[.,][0-9]{3})+$"
_WITH_UNIT = re.compile(r"[<>≤≥=~]?\s*[+-]?\d+(?:[.,]\d+)?\s*\D{1,12}")
EXACT_INTEGER = 2**53
"""From here on not every integer is a float64."""
_MOSTLY = 0.5
_SHOWN = 3


@dataclass(frozen=True)
class Column:
    """A column of text, each different text kept once.

    Attributes:
        values: different texts, stripped (n_values,).
        codes: for each row the place of its text in `values`, -1 where the source has nothing.
        gap: which of `values` mean "missing" (n_values,), bool.
    """

    name: str
    values: pa.Array
    codes: np.ndarray
    gap: np.ndarray

    @classmethod
    def from_cells(cls, name: str, cells: pa.Array | Sequence[str | None]) -> Column:
        """Split a column into its different texts and which row has which."""
        array = cells if isinstance(cells, pa.Array) else pa.array(cells, pa.string())
        encoded = array.dictionary_encode()
        values = pc.utf8_trim_whitespace(encoded.dictionary)
        codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
        gap = _among(values, MISSING_TOKENS)
        if gap.any() and _among(values, _DASHES).any() and pc.any(_matches(values, _POSITIVE_RESULT)).as_py():
            gap &= ~_among(values, _DASHES)  # "-" is a result, not a gap, where its counterpart occurs
        return cls(name, values, codes, gap)

    @cached_property
    def present(self) -> pa.Array:
        """The texts that aren't missing."""
        return self.values.filter(pa.array(~self.gap))


@dataclass(frozen=True)
class TypedColumn:
    """A column as what it is: the values, the cells taken as missing, and what a person should know."""

    values: pd.Series
    missing: dict[str, int]
    note: str | None = None


def decimal_style(columns: Sequence[Column]) -> Style:
    """The decimal sign that columns prove: 12,5 or 0,1234 can't be thousands; None without proof or if both occur."""
    comma = any(_proves(column.present, ",", _COMMA_NUMBER) for column in columns)
    point = any(_proves(column.present, ".", _NUMBER) for column in columns)
    return None if comma == point else "comma" if comma else "point"


def _proves(present: pa.Array, sign: str, pattern: str) -> bool:
    signed = present.filter(pc.match_substring(present, sign))
    return len(signed) > 0 and _all(_matches(present, pattern)) and not _all(_matches(signed, _THREE_DIGITS))


def typed_column(
    column: Column, style: Style = None, *, doubtful_point: bool = False, as_text: bool = False
) -> TypedColumn:
    """Give a column of text its type.

    Args:
        column: the texts.
        style: decimal sign of the table.
        doubtful_point: 1.234 may be a thousand in this file unless `style` says otherwise.
        as_text: numbers in it are codes.
    """
    gap = column.gap
    note, values = None, None
    if not as_text and not doubtful_point and style != "comma" and _all(_matches(column.present, _UNMISTAKABLE)):
        if len(column.present):
            values = _placed(_parsed(column.present), gap)
    elif len(column.present) and not as_text:
        words = _among(column.values, NUMBER_GAPS) | _equal(column.values, "None")
        number = _matches(column.present, _COMMA_NUMBER if style == "comma" else _NUMBER)
        values, gap, note = _numbers(column, words, style, doubtful_point)
        if values is None and not _any(number):
            values, gap, dated = read_dates(column.name, column.values, column.gap, words)
            note = dated if values is not None else note or dated
    if values is None and note is None:
        note = _none_note(column)
    missing = _count(column, gap)
    if values is not None:
        return TypedColumn(_spread(values, column.codes, gap), missing, note)
    if not len(column.present):
        return TypedColumn(pd.Series(np.full(len(column.codes), np.nan)), missing, note)
    return TypedColumn(_texts(column), missing, note)


def _numbers(
    column: Column, words: np.ndarray, style: Style, doubtful_point: bool
) -> tuple[np.ndarray | None, np.ndarray, str | None]:
    """Values (n_values,) and which of them are gaps, or None with the reason why the column is no number."""
    name, gap = column.name, column.gap
    pattern = _COMMA_NUMBER if style == "comma" else _NUMBER
    number = _mask(_matches(column.values, pattern))
    infinite = _mask(_matches(column.values, _INFINITE))
    if not (number & ~gap).any():
        others = column.present
        return None, gap, _doubt(name, others, others, style) if _any(_matches(others, r"[0-9]")) else None
    unread = ~(number | infinite | gap)
    note = None
    if unread.any():
        if (unread & ~words).any():
            return None, gap, _doubt(name, column.present, column.values.filter(pa.array(unread)), style)
        shown = ", ".join(repr(word) for word in column.values.filter(pa.array(unread)).to_pylist()[:_SHOWN])
        note = f"In the column {name!r} {shown} was taken as missing."
        gap = gap | unread
    present = column.values.filter(pa.array(~gap))
    if _any(_matches(present, _LEADING_ZERO)):
        return None, column.gap, f"The column {name!r} is kept as text because numbers in it begin with 0, as codes do."
    if doubtful_point and style is None and _any(pc.match_substring(present, ".")):
        pointed = present.filter(pc.match_substring(present, "."))
        if _all(_matches(pointed, _THREE_DIGITS)):
            return None, column.gap, _thousands(name, pointed[0].as_py())
    values, problem = _as_numbers(name, present, infinite.any(), style)
    if problem:
        return None, column.gap, problem
    return _placed(values, gap), gap, note


def _parsed(present: pa.Array) -> np.ndarray:
    """int64 where all are integers, else float64."""
    values = pc.cast(present, pa.float64()).to_numpy(zero_copy_only=False)
    return values if _any(pc.match_substring(present, ".")) else values.astype(np.int64)


def _placed(values: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """Values of what isn't missing, among places for all."""
    places = np.zeros(len(gap), dtype=values.dtype)
    places[~gap] = values
    return places


def _as_numbers(name: str, present: pa.Array, infinite: bool, style: Style) -> tuple[np.ndarray, str | None]:
    if style == "comma":
        present = pc.replace_substring(present, ",", ".")
    values = pc.cast(present, pa.float64()).to_numpy(zero_copy_only=False)
    if _all(_matches(present, _INTEGER)):
        if len(values) and np.abs(values).max() >= EXACT_INTEGER:
            return values, f"The column {name!r} is kept as text because its numbers have too many digits to be exact."
        return values.astype(np.int64), None
    finite = np.isfinite(values)
    if not infinite and not finite.all():
        return values, f"The column {name!r} is kept as text because a number in it is too large."
    return values, None


def _doubt(name: str, present: pa.Array, others: pa.Array, style: Style) -> str | None:
    """A sentence where a column was probably meant to be numeric."""
    if _all(_matches(others, _THREE_DIGITS)):
        return _thousands(name, others[0].as_py())
    shown = others.to_pylist()
    if style != "comma" and _all(_matches(others, _COMMA_NUMBER)):
        return (
            f"The column {name!r} is kept as text: {shown[0]!r} seems to have a decimal comma, but other numbers of "
            "the table have a point; write all with a point."
        )
    measured = sum(_WITH_UNIT.fullmatch(cell) is not None for cell in shown[:1000]) > _MOSTLY * len(shown[:1000])
    numbers = len(present) - len(others)
    if numbers > _MOSTLY * len(present) or (measured and not numbers and len(others) > 10):
        examples = ", ".join(repr(cell) for cell in shown[:_SHOWN])
        what = "are no plain numbers" if len(others) > 1 else "is no plain number"
        return (
            f"The column {name!r} is kept as text: {len(others)} of its {len(present)} different values {what} "
            f"({examples}); if it is a measurement, correct or empty them."
        )
    return None


def _thousands(name: str, example: str) -> str:
    return (
        f"The column {name!r} is kept as text: {example!r} may have a thousands separator or a decimal sign; write it "
        "without separators to have it read as a number."
    )


def _none_note(column: Column) -> str | None:
    nothing = _among(column.values, frozenset(("none", "nil")))
    if not nothing.any() or len(column.present) < 2:
        return None
    word = column.values.filter(pa.array(nothing))[0].as_py()
    return (
        f"{word!r} in the column {column.name!r} is kept as a kind of its own; empty those cells if it means missing."
    )


def _spread(values: np.ndarray, codes: np.ndarray, gap: np.ndarray) -> pd.Series:
    """Values of the rows; int64 only where nothing is missing."""
    nothing = codes < 0
    absent = nothing | gap[codes]
    if not absent.any():
        return pd.Series(values[codes])
    if values.dtype.kind == "M":
        rows = values[codes]
        rows[absent] = np.datetime64("NaT")
        return pd.Series(rows)
    rows = values.astype(np.float64)[codes]
    rows[absent] = np.nan
    return pd.Series(rows)


def _texts(column: Column) -> pd.Series:
    kinds = column.present.to_pylist()
    if set(kinds) <= {"True", "False"} and not column.gap.any() and not (column.codes < 0).any():
        return pd.Series(np.array([kind == "True" for kind in column.values.to_pylist()])[column.codes])
    indices = pa.array(column.codes, mask=(column.codes < 0) | column.gap[column.codes])
    return pd.Series(column.values.take(indices), dtype="str")


def _count(column: Column, gap: np.ndarray) -> dict[str, int]:
    """How often each text that was taken as missing occurs."""
    if not gap.any():
        return {}
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(gap))
    tokens: dict[str, int] = {}
    for place in np.flatnonzero(gap):
        token = column.values[place].as_py()
        tokens[token] = tokens.get(token, 0) + int(counts[place])
    return tokens


def _matches(values: pa.Array, pattern: str) -> pa.Array:
    return pc.match_substring_regex(values, pattern)


def _among(values: pa.Array, tokens: frozenset[str]) -> np.ndarray:
    return _mask(pc.is_in(pc.utf8_lower(values), value_set=_token_array(tokens)))


@cache
def _token_array(tokens: frozenset[str]) -> pa.Array:
    return pa.array(sorted(tokens), pa.string())


def _equal(values: pa.Array, text: str) -> np.ndarray:
    return _mask(pc.equal(values, text))


def _mask(matched: pa.Array) -> np.ndarray:
    return matched.to_numpy(zero_copy_only=False).astype(bool)


def _any(matched: pa.Array) -> bool:
    return bool(pc.any(matched, min_count=0).as_py())


def _all(matched: pa.Array) -> bool:
    return bool(pc.all(matched, min_count=0).as_py())
