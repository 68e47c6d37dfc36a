"""Plain types, names, the fingerprint, and values as a person would write them."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from autopu_core.errors import TableError
from autopu_core.tables import Table, as_text

NAN = float("nan")


@pytest.mark.parametrize(
    ("column", "dtype", "texts"),
    [
        (pd.Series([1, 2], dtype="int8"), "int64", ["1", "2"]),
        (pd.Series([1, None], dtype="Int64"), "float64", ["1", None]),
        (pd.Series([2**60, 1]), "str", [str(2**60), "1"]),
        (pd.Series([2**60, None], dtype="Int64"), "str", [str(2**60), None]),
        (pd.Series([2**63 + 1, 1], dtype="uint64"), "str", [str(2**63 + 1), "1"]),
        (pd.Series([2**70, 1], dtype=object), "str", [str(2**70), "1"]),
        (pd.Series([1.5, NAN], dtype="float32"), "float64", ["1.5", None]),
        (pd.Series([True, False]), "bool", ["True", "False"]),
        (pd.Series([True, None], dtype="boolean"), "str", ["True", None]),
        (pd.Series([True, None], dtype=object), "str", ["True", None]),
        (pd.Series(["a ", None], dtype=object), "str", ["a", None]),
        (pd.Series(["a", 1, 2.0, None], dtype=object), "str", ["a", "1", "2", None]),
        (pd.Series([" ", "x"]), "str", [None, "x"]),
        (pd.Series([Decimal("1.5"), None], dtype=object), "float64", ["1.5", None]),
        (pd.Series([datetime.date(2020, 1, 31), None], dtype=object), "datetime64[us]", ["2020-01-31", None]),
        (pd.Series(pd.to_datetime(["2020-01-31 08:30"])), "datetime64[us]", ["2020-01-31 08:30:00"]),
        (pd.Series(pd.to_datetime(["2020-01-31T01:00+01:00"])), "datetime64[us]", ["2020-01-31"]),
        (pd.Series(pd.to_timedelta([90], unit="s")), "float64", ["90"]),
        (pd.Series([1, 2, None], dtype="Int64").astype("category"), "float64", ["1", "2", None]),
        (pd.Series(["a", None]).astype("category"), "str", ["a", None]),
        (pd.Series([None, None], dtype=object), "float64", [None, None]),
    ],
)
def test_every_column_gets_a_plain_type(column: pd.Series, dtype: str, texts: list) -> None:
    frame = Table.from_frame(pd.DataFrame({"x": column}), "t").frame
    assert str(frame["x"].dtype) == dtype
    assert [None if pd.isna(text) else text for text in as_text(frame["x"])] == texts


@pytest.mark.parametrize("cells", [[[1], [2]], [{"a": 1}, None], [b"x", b"y"], [1j, 2j]])
def test_what_is_no_cell_is_refused(cells: list) -> None:
    with pytest.raises(TableError, match="'x' holds"):
        Table.from_frame(pd.DataFrame({"x": pd.Series(cells)}), "t")


def test_names_become_different_texts_and_the_index_counts() -> None:
    frame = pd.DataFrame([[1, 2, 3, 4]] * 2, columns=["a", "a", 7, " "], index=[5, 9])
    table = Table.from_frame(frame, "t")
    assert list(table.frame.columns) == ["a", "a_2", "7", "column_4"]
    assert list(table.frame.index) == [0, 1]
    assert len(table.notes) == 2


def test_fingerprint_follows_the_content_only() -> None:
    frame = pd.DataFrame({"a": [1.0, NAN], "b": ["x", "y"], "c": [True, False]})
    table = Table.from_frame(frame, "one")
    assert table.fingerprint == Table.from_frame(frame.copy(), "another", ("a note",)).fingerprint
    assert len(table.fingerprint) == 64
    changed = [
        frame.rename(columns={"a": "A"}),
        frame.assign(a=[1.0, 2.0]),
        frame.assign(b=["x", "z"]),
        frame.assign(a=pd.Series([1, 2])),
        frame.iloc[::-1],
        frame[["b", "a", "c"]],
        frame.assign(c=[False, True]),
    ]
    prints = {Table.from_frame(other, "t").fingerprint for other in changed}
    assert len(prints) == len(changed)
    assert table.fingerprint not in prints


def test_fingerprint_is_the_same_on_every_machine_and_day() -> None:
    frame = pd.DataFrame({"n": [1, 2], "x": [0.5, NAN], "t": ["ä", None], "d": pd.to_datetime(["2020-01-31", None])})
    expected = "883a902548ecbf71f7340f06540c04befa73ef7af78ffeddfff6eddd1f16558e"
    assert Table.from_frame(frame, "t").fingerprint == expected


def test_as_text_keeps_index_and_name() -> None:
    column = pd.Series([1.0, 2.5, np.nan, 1e20, -0.0], index=[4, 3, 2, 1, 0], name="x")
    texts = as_text(column)
    assert list(texts.dropna()) == ["1", "2.5", "1e+20", "0"]
    assert list(texts.index) == [4, 3, 2, 1, 0]
    assert texts.name == "x"
