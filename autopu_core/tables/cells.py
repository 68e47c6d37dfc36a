"""From cells of text to typed columns: missing values, numbers and dates, and never a silent misreading.

A column becomes numeric or a date only if all its present cells are one for certain; otherwise it stays text, and a
note says why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

MISSING_TOKENS = frozenset(
    ("", "?", "??", "na", "n/a", "n.a.", "#n/a", "#na", "nan", "null", "nil", "-", "--", ".", "missing", "<na>")
) | {"#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!"}
"""Cells that mean "missing", compared in lower case and stripped."""

_LONGEST_TOKEN = max(map(len, MISSING_TOKENS))
_SIGNS = {"-": "+"}  # "-" is a result, not a gap, where its counterpart occurs
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_COMMA_NUMBER = re.compile(r"[+-]?(?:\d+,?\d*|,\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_ALL_INTEGERS = re.compile(r"(?:[+-]?\d+\n)*[+-]?\d+", re.ASCII)
_LEADING_ZERO = re.compile(r"^[+-]?0\d", re.MULTILINE)
_THREE_DIGITS = re.compile(r"[+-]?\d{1,3}(?:[.,]\d{3})+")
_EXACT_INTEGER = 2**53
_MOSTLY = 0.5
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?")
_DAY_FIRST = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")


@dataclass(frozen=True)
class TypedColumn:
    """A column of text as what it is: the values, the cells taken as missing, and what a person should know."""

    values: pd.Series
    missing: dict[str, int]
    note: str | None = None


def uses_decimal_comma(columns: Sequence[Sequence[str]]) -> bool:
    """Whether a table writes decimal commas: some column has a number such as 12,5 or 0,1234 that can't be thousands,
    and no column of decimal points contradicts."""
    comma = point = False
    for column in columns:
        present = {cell.strip() for cell in column[:2000]} - {""}
        present = {cell for cell in present if cell.lower() not in MISSING_TOKENS}
        if not present:
            continue
        with_comma = {cell for cell in present if "," in cell}
        if with_comma and all(_COMMA_NUMBER.fullmatch(cell) for cell in present):
            comma |= any(not _THREE_DIGITS.fullmatch(cell) for cell in with_comma)
        elif all(_NUMBER.fullmatch(cell) for cell in present):
            point |= any("." in cell and not _THREE_DIGITS.fullmatch(cell) for cell in present)
    return comma and not point


def typed_column(name: str, cells: Sequence[str], decimal_comma: bool = False) -> TypedColumn:
    """Give a column of text its type.

    Args:
        name: for the note.
        cells: as written.
        decimal_comma: the table writes 12,5 for twelve and a half.
    """
    codes, distinct = pd.factorize(np.array(cells, dtype=object))
    stripped = [cell.strip() for cell in distinct]
    signs = set(stripped) & set(_SIGNS.values())
    gaps = [
        len(cell) <= _LONGEST_TOKEN
        and cell.lower() in MISSING_TOKENS
        and not (cell in _SIGNS and _SIGNS[cell] in signs)
        for cell in stripped
    ]
    counts = np.bincount(codes, minlength=len(distinct))
    missing: dict[str, int] = {}
    for cell, gap, count in zip(stripped, gaps, counts, strict=True):
        if gap:
            missing[cell] = missing.get(cell, 0) + int(count)
    present = [cell for cell, gap in zip(stripped, gaps, strict=True) if not gap]
    note = None
    values = None
    if present:
        values, note = _numbers(name, stripped, gaps, present, decimal_comma)
        if values is None and note is None:
            values, note = _dates(name, stripped, gaps, present)
    if values is None:
        texts = np.array([None if gap else cell for cell, gap in zip(stripped, gaps, strict=True)], dtype=object)
        column = pd.Series(texts[codes]).astype("str") if present else pd.Series(np.full(len(codes), np.nan))
        return TypedColumn(column, missing, note)
    column = pd.Series(values[codes])
    if values.dtype.kind == "f" and not any(gaps) and _ALL_INTEGERS.fullmatch("\n".join(present)):
        column = column.astype("int64")
    return TypedColumn(column, missing, note)


def _numbers(
    name: str, stripped: list[str], gaps: list[bool], present: list[str], decimal_comma: bool
) -> tuple[np.ndarray | None, str | None]:
    pattern = _COMMA_NUMBER if decimal_comma else _NUMBER
    others = [cell for cell in present if not pattern.fullmatch(cell)]
    if others:
        return None, _why_no_numbers(name, present, others)
    joined = "\n".join(present)  # one pass of a compiled pattern over all cells is many times faster than one for each
    if _LEADING_ZERO.search(joined):
        return None, f"The column {name!r} is kept as text because numbers in it begin with 0, as codes do."
    if decimal_comma:
        present = joined.replace(",", ".").split("\n")
    numbers = np.array(present).astype(np.float64)
    if _ALL_INTEGERS.fullmatch(joined) and np.abs(numbers).max() > _EXACT_INTEGER:
        return None, f"The column {name!r} is kept as text because its numbers have too many digits to be exact."
    if np.isinf(numbers).any():
        return None, f"The column {name!r} is kept as text because a number in it is too large."
    values = np.full(len(gaps), np.nan)
    values[~np.asarray(gaps, dtype=bool)] = numbers
    return values, None


def _why_no_numbers(name: str, present: list[str], others: list[str]) -> str | None:
    """A sentence where a column was probably meant to be numeric."""
    if all(_THREE_DIGITS.fullmatch(cell) for cell in others):
        return (
            f"The column {name!r} is kept as text: {others[0]!r} may be a number with a thousands separator or "
            "with a decimal sign; write it without separators to have it read as a number."
        )
    if len(present) - len(others) > _MOSTLY * len(present):
        shown = ", ".join(repr(cell) for cell in others[:3])
        return (
            f"The column {name!r} is kept as text: {len(others)} of its {len(present)} different values are no "
            f"numbers ({shown}); correct or empty them to have it read as numbers."
        )
    return None


def _dates(
    name: str, stripped: list[str], gaps: list[bool], present: list[str]
) -> tuple[np.ndarray | None, str | None]:
    layout = None
    if all(_ISO.fullmatch(cell) for cell in present):
        layout = "ISO8601"
    elif all(_DAY_FIRST.fullmatch(cell) for cell in present):
        layout = "%d.%m.%Y"
    elif all(_SLASHED.fullmatch(cell) for cell in present):
        pairs = [tuple(map(int, _SLASHED.fullmatch(cell).groups()[:2])) for cell in present]
        day_first, month_first = any(first > 12 for first, _ in pairs), any(second > 12 for _, second in pairs)
        if day_first == month_first:
            return None, (
                f"The column {name!r} is kept as text: {present[0]!r} may mean day/month or month/day; write dates as "
                "YYYY-MM-DD."
            )
        layout = "%d/%m/%Y" if day_first else "%m/%d/%Y"
    if layout is None:
        return None, None
    try:
        parsed = pd.to_datetime(pd.Series(present), format=layout).astype("datetime64[us]")
    except ValueError:
        return None, f"The column {name!r} is kept as text because a date in it doesn't exist."
    dates = iter(parsed.to_numpy())
    return np.array([np.datetime64("NaT") if gap else next(dates) for gap in gaps], dtype="datetime64[us]"), None
