"""Columns of text that hold dates for certain."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pyarrow as pa

_TIME = r"(?:[ T](?P<time>\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(?P<zone>Z|[+-]\d{2}:?\d{2})?)?"
_SHAPES = {
    "year": re.compile(r"(?P<year>\d{4})(?P<sign>[-/.])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})" + _TIME),
    "dotted": re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})" + _TIME),
    "slashed": re.compile(r"(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4})" + _TIME),
    "dashed": re.compile(r"(?P<day>\d{1,2})-(?P<month>\d{1,2})-(?P<year>\d{4})" + _TIME),
    "named": re.compile(r"(?P<day>\d{1,2})[- ]?(?P<month>[A-Za-z]{3})[a-z]*[- ]?(?P<year>\d{4})" + _TIME),
}
_SHORT_YEAR = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{2}")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MOSTLY = 0.5


def read_dates(
    name: str, values: pa.Array, gap: np.ndarray, words: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray, str | None]:
    """Dates of the different texts of a column.

    Year first, day.month.year and named months are clear; 03/04/2020 is read only if another cell of the column proves
    which number is the month.

    Args:
        name: of the column, for the note.
        values: different texts (n,).
        gap: which are missing (n,), bool.
        words: which mean missing if the others are dates (n,), bool.

    Returns:
        datetime64[us] (n,), which are gaps (n,), and a note; None and the gaps as given where these are no dates.
    """
    first = next((text.as_py() for text, empty in zip(values, gap | words, strict=True) if not empty), "")
    shape = next((shape for shape, pattern in _SHAPES.items() if pattern.fullmatch(first)), None)
    if shape is None:
        short = f"The column {name!r} is kept as text: write dates such as {first!r} with four digits for the year."
        return None, gap, short if _SHORT_YEAR.fullmatch(first) else None
    texts = values.to_pylist()
    found = [_SHAPES[shape].fullmatch(text) for text in texts]
    dated = np.array([match is not None for match in found])
    unread = ~(dated | gap | words)
    if unread.any():
        if dated.sum() <= _MOSTLY * (~gap).sum():
            return None, gap, None
        example = texts[int(np.flatnonzero(unread)[0])]
        return None, gap, f"The column {name!r} is kept as text: {example!r} is no date as the others are."
    note = None
    if shape in ("slashed", "dashed"):
        month_first, note = _order(name, [match for match in found if match])
        if month_first is None:
            return None, gap, note
    else:
        month_first = False
    try:
        dates = _parsed([match for match in found if match], month_first)
    except ValueError:
        return None, gap, f"The column {name!r} is kept as text because a date in it doesn't exist."
    spread = np.full(len(texts), np.datetime64("NaT"), dtype="datetime64[us]")
    spread[dated] = dates
    return spread, ~dated, note


def _order(name: str, found: list[re.Match[str]]) -> tuple[bool | None, str]:
    """Whether the month stands first, proven by a number above 12, and a note that says so."""
    day_first = next((match[0] for match in found if int(match["day"]) > 12), None)
    month_first = next((match[0] for match in found if int(match["month"]) > 12), None)
    if (day_first is None) == (month_first is None):
        return None, (
            f"The column {name!r} is kept as text: {found[0][0]!r} may mean day/month or month/day; write dates as "
            "YYYY-MM-DD."
        )
    order = "day, month, year" if day_first else "month, day, year"
    return day_first is None, f"Dates in {name!r} were read as {order}, as {day_first or month_first!r} shows."


def _parsed(found: list[re.Match[str]], month_first: bool) -> np.ndarray:
    """datetime64[us]; times with a zone as UTC.

    Raises:
        ValueError: a day that no calendar has.
    """
    texts = []
    for match in found:
        month, day = (match["day"], match["month"]) if month_first else (match["month"], match["day"])
        number = int(month) if month.isdigit() else _number_of(month)
        hour, _, rest = (match["time"] or "").partition(":")
        time = f"T{int(hour):02d}:{rest}" if hour else ""
        texts.append(f"{match['year']}-{number:02d}-{int(day):02d}{time}{match['zone'] or ''}")
    zoned = any(match["zone"] for match in found)
    parsed = pd.to_datetime(pd.Series(texts), format="ISO8601", utc=zoned)
    return (parsed.dt.tz_localize(None) if zoned else parsed).astype("datetime64[us]").to_numpy()


def _number_of(month: str) -> int:
    """1 .. 12, or 0, which no calendar has."""
    return _MONTHS.index(month.lower()) + 1 if month.lower() in _MONTHS else 0
