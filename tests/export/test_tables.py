"""Tables leave without formulas in them, and nothing else is changed."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autopu_core.errors import TableError
from autopu_core.export.tables import defused, write_csv, write_table
from autopu_core.tables import read_table

SIGNS = ("=", "+", "-", "@", "\t", "\r")
_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
_MAYBE_FORMULA = st.one_of(
    _TEXT, st.builds("".join, st.lists(st.sampled_from([*SIGNS, "\n", '"', ",", "1", "SUM(A1)"])))
)


def cells(text: str) -> list[list[str]]:
    """What a reader that goes by the rules makes of CSV."""
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


@pytest.mark.parametrize("sign", SIGNS)
def test_what_would_begin_a_formula_gets_an_apostrophe(sign):
    frame = pd.DataFrame({f"{sign}name": [f"{sign}1+1", f"1{sign}1", f" {sign}"]})
    safe = defused(frame)
    assert list(safe.columns) == [f"'{sign}name"]
    assert safe.iloc[:, 0].tolist() == [f"'{sign}1+1", f"1{sign}1", f" {sign}"]


def test_numbers_dates_truth_values_and_gaps_stay_what_they_are():
    frame = pd.DataFrame(
        {
            "loss": [-1.5, np.nan],
            "count": [-1, 2],
            "smoker": [True, False],
            "seen": pd.to_datetime(["1899-12-31", None]),
            "note": pd.Series(["fine", None], dtype="str"),
        }
    )
    pd.testing.assert_frame_equal(defused(frame), frame)


def test_the_table_itself_is_not_touched():
    frame = pd.DataFrame({"=a": ["=1"]})
    defused(frame)
    assert frame.to_dict("list") == {"=a": ["=1"]}


def test_texts_in_columns_of_mixed_or_categorical_types_and_under_equal_names():
    frame = pd.DataFrame({0: [1, "=1", None], 1: pd.Categorical(["@x", None, "y"]), 2: ["-1", "b", "c"]})
    frame.columns = ["a", "a", 7]
    safe = defused(frame)
    assert list(safe.columns) == ["a", "a", "7"]
    assert safe.iloc[:, 0].tolist()[:2] == [1, "'=1"]
    assert safe.iloc[:, 1].tolist()[::2] == ["'@x", "y"]
    assert safe.iloc[:, 2].tolist() == ["'-1", "b", "c"]


@settings(max_examples=50)
@given(st.lists(st.tuples(_MAYBE_FORMULA, _MAYBE_FORMULA), min_size=1, max_size=5))
def test_no_cell_of_a_csv_begins_a_formula_and_every_text_comes_back(rows):
    frame = pd.DataFrame(rows, columns=["a", "b"])
    header, *read = cells(write_csv(frame))
    assert header == ["a", "b"]
    assert len(read) == len(rows)  # no text has begun a row of its own
    for written, row in zip(read, rows, strict=True):
        for cell, text in zip(written, row, strict=True):
            assert not cell.startswith(SIGNS)
            assert cell == (f"'{text}" if text.startswith(SIGNS) else text)


@settings(max_examples=50)
@given(_MAYBE_FORMULA)
def test_a_reader_that_ends_a_row_at_every_bare_line_end_finds_no_formula_either(text):
    """Spreadsheets and tools differ in what ends a row; signs inside of quotes never do."""
    written = write_csv(pd.DataFrame({"a": [text], "b": ["x"]}))
    outside = "".join(written.split('"')[::2])
    assert outside.replace("\r\n", "").count("\r") == outside.replace("\r\n", "").count("\n") == 0


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx", "parquet"])
def test_every_kind_of_file_is_read_back_as_it_was(ending, tmp_path):
    frame = pd.DataFrame(
        {
            "größe": [1.5, -2.25, np.nan],
            "count": [1, -2, 3],
            "smoker": [True, False, True],
            "name": ["Müller; Anna", 'said "no"', "two\nlines"],
        }
    )
    path = tmp_path / f"table.{ending}"
    write_table(frame, path)
    back = read_table(path).frame
    assert back["größe"].tolist()[:2] == [1.5, -2.25]
    assert np.isnan(back["größe"].iloc[2])
    assert back["count"].tolist() == [1, -2, 3]
    assert back["name"].tolist() == frame["name"].tolist()


def test_a_csv_tells_excel_that_it_is_utf_8(tmp_path):
    write_table(pd.DataFrame({"Größe": [1]}), tmp_path / "table.CSV")
    assert (tmp_path / "table.CSV").read_bytes() == b"\xef\xbb\xbfGr\xc3\xb6\xc3\x9fe\r\n1\r\n"


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_files_for_spreadsheets_are_defused(ending, tmp_path):
    path = tmp_path / f"table.{ending}"
    write_table(pd.DataFrame({"=cmd": ['=HYPERLINK("x")', "harmless"]}), path)
    frame = read_table(path).frame
    assert list(frame.columns) == ["'=cmd"]
    assert frame.iloc[:, 0].tolist() == ['\'=HYPERLINK("x")', "harmless"]


def test_parquet_keeps_texts_as_they_are(tmp_path):
    write_table(pd.DataFrame({"a": ["=1"]}), tmp_path / "table.parquet")
    assert pd.read_parquet(tmp_path / "table.parquet")["a"].tolist() == ["=1"]


def test_control_signs_that_a_workbook_cannot_hold_do_not_stop_it(tmp_path):
    write_table(pd.DataFrame({"a\x01": ["one\x0btwo", "plain"]}), tmp_path / "table.xlsx")
    frame = read_table(tmp_path / "table.xlsx").frame
    assert frame.iloc[1, 0] == "plain"
    assert frame.iloc[0, 0] in ("one\x0btwo", "one_x000B_two")  # readers differ in whether they decode it


def test_a_table_too_large_for_a_sheet_is_refused_with_a_way_out(tmp_path):
    wide = pd.DataFrame(np.zeros((1, 2**14 + 1)))
    long = pd.DataFrame({"a": np.zeros(2**20)})
    for frame in (wide, long):
        with pytest.raises(TableError, match=r"holds 1,048,575 rows and 16,384 columns .* write it as \.csv"):
            write_table(frame, tmp_path / "table.xlsx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "said"), [("table.docx", "not as '.docx'"), ("table", "not as 'table'")])
def test_other_endings_are_refused(name, said, tmp_path):
    with pytest.raises(TableError, match=r"can be written as \.csv, \.tsv, \.xlsx, \.parquet") as refused:
        write_table(pd.DataFrame({"a": [1]}), tmp_path / name)
    assert said in str(refused.value)


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet"])
def test_a_place_that_is_not_there_is_a_sentence(ending, tmp_path):
    path = tmp_path / "nowhere" / f"table.{ending}"
    with pytest.raises(TableError, match=r"can't be written .*choose another place"):
        write_table(pd.DataFrame({"a": [1]}), path)
