"""Dates are read only if there is one way to read them."""

from __future__ import annotations

import pandas as pd
import pytest

from autopu_core.tables.cells import Column, typed_column


@pytest.mark.parametrize(
    ("cells", "dates"),
    [
        (["2020-01-31", "1899-12-31"], ["2020-01-31", "1899-12-31"]),
        (["2020/1/31", "2020/12/01"], ["2020-01-31", "2020-12-01"]),
        (["2020-01-31 8:05", "2020-01-31T23:59:59.250"], ["2020-01-31 08:05", "2020-01-31 23:59:59.25"]),
        (["2020-01-31T01:00:00+02:00", "2020-01-31T00:00:00Z"], ["2020-01-30 23:00", "2020-01-31"]),
        (["31.01.2020", "1.2.2020"], ["2020-01-31", "2020-02-01"]),
        (["31.01.2020 08:30", "01.02.2020"], ["2020-01-31 08:30", "2020-02-01"]),
        (["31/01/2020", "01/02/2020"], ["2020-01-31", "2020-02-01"]),
        (["01/31/2020", "02/01/2020"], ["2020-01-31", "2020-02-01"]),
        (["31-01-2020", "01-02-2020"], ["2020-01-31", "2020-02-01"]),
        (["31-Jan-2020", "1 February 2020"], ["2020-01-31", "2020-02-01"]),
        (["05JAN2020", "06FEB2020"], ["2020-01-05", "2020-02-06"]),
        (["2020-01-31", "unknown", "NA"], ["2020-01-31", None, None]),
        (["0001-01-01", "9999-12-31"], ["0001-01-01", "9999-12-31"]),
    ],
)
def test_clear(cells: list[str], dates: list) -> None:
    typed = typed_column(Column.from_cells("seen", cells))
    assert typed.values.dtype == "datetime64[us]"
    expected = [None if date is None else pd.Timestamp(date).as_unit("us") for date in dates]
    assert [None if pd.isna(date) else date for date in typed.values] == expected


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (["01/02/2020", "03/04/2020"], "may mean day/month or month/day"),
        (["01-02-2020", "03-04-2020"], "may mean day/month or month/day"),
        (["13/02/2020", "02/13/2020"], "may mean day/month or month/day"),
        (["01.02.20", "03.04.21"], "four digits for the year"),
        (["2020-02-30", "2020-02-28"], "doesn't exist"),
        (["31.13.2020", "01.01.2020"], "doesn't exist"),
        (["31-Okt-2020", "01-Jan-2020"], "doesn't exist"),
        (["2020-01-31", "2020-02-01", "spring"], "'spring' is no date as the others are"),
        (["2020-01-31", "2020-02-01", "01.02.2020"], "'01.02.2020' is no date as the others are"),
    ],
)
def test_doubtful_stays_text_with_a_note(cells: list[str], says: str) -> None:
    typed = typed_column(Column.from_cells("seen", cells))
    assert typed.values.tolist() == cells
    assert says in typed.note


def test_text_with_a_date_in_it_is_no_date() -> None:
    typed = typed_column(Column.from_cells("remark", ["2020-01-31", "cough", "fever", "pain"]))
    assert typed.note is None
    assert typed.values.tolist()[1] == "cough"
