"""SPSS and Stata: values by their labels, special values, dates."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from autopu_core.tables import read_table

FRAME = pd.DataFrame(
    {
        "age": [30.0, 99.0, 45.0, None],
        "sex": [1.0, 2.0, None, 2.0],
        "remark": ["a", "", "b", "NA"],
        "seen": pd.to_datetime(["2020-01-31", "2020-02-01", None, "2021-01-01"]),
    }
)
LABELS = {"age": {99: "not known"}, "sex": {1: "male", 2: "female"}}


@pytest.mark.parametrize(("kind", "write"), [("sav", pyreadstat.write_sav), ("dta", pyreadstat.write_dta)])
def test_labels_dates_and_gaps(kind: str, write, tmp_path: Path) -> None:
    path = tmp_path / f"cohort.{kind}"
    write(FRAME, str(path), variable_value_labels=LABELS)
    table = read_table(path)
    expected = FRAME.assign(
        sex=["male", "female", None, "female"], remark=["a", None, "b", None], seen=FRAME["seen"].dt.as_unit("us")
    ).astype({"sex": "str", "remark": "str"})
    pd.testing.assert_frame_equal(table.frame, expected)
    assert any("99 = 'not known'" in note for note in table.notes)


def test_the_content_decides_not_the_name(tmp_path: Path) -> None:
    path = tmp_path / "cohort.csv"
    pyreadstat.write_sav(FRAME, str(path))
    assert read_table(path).frame["age"].tolist()[:3] == [30.0, 99.0, 45.0]


def test_missing_values_that_the_file_declares(tmp_path: Path) -> None:
    path = tmp_path / "cohort.sav"
    pyreadstat.write_sav(FRAME, str(path), missing_ranges={"age": [99]})
    assert read_table(path).frame["age"].isna().tolist() == [False, True, False, True]
