"""Columns of text: gaps, decimal signs, and numbers to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autopu_core.tables.cells import MISSING_TOKENS, Column, decimal_style, typed_column


@pytest.mark.parametrize(
    ("columns", "style"),
    [
        ([["1,5", "2"]], "comma"),
        ([["1.5", "2"]], "point"),
        ([["1,234", "2,345"]], None),
        ([["1.234", "2.345"]], None),
        ([["0,123"]], "comma"),
        ([["1,2345"]], "comma"),
        ([["1,234"], ["0,5"]], "comma"),
        ([["1,5"], ["1.5"]], None),
        ([["1,5", "x"]], None),
        ([["1,5", "NA", ""]], "comma"),
        ([["a", "b"], ["1", "2"]], None),
    ],
)
def test_decimal_style(columns: list[list[str]], style: str | None) -> None:
    assert decimal_style([Column.from_cells(str(n), cells) for n, cells in enumerate(columns)]) == style


@pytest.mark.parametrize("token", sorted(MISSING_TOKENS))
def test_every_token_is_missing_and_counted_as_written(token: str) -> None:
    written = token.upper()
    typed = typed_column(Column.from_cells("x", ["1.5", f" {written}\t", "2.5", written]))
    assert np.isnan(typed.values.to_numpy()).tolist() == [False, True, False, True]
    assert typed.missing == {written: 2}


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_to_the_last_bit(numbers: list[float]) -> None:
    typed = typed_column(Column.from_cells("x", [repr(number) for number in numbers]))
    assert typed.values.to_numpy(dtype=float).tobytes() == np.array(numbers).tobytes()


@given(st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=20))
def test_integers_are_exact_or_stay_text(numbers: list[int]) -> None:
    typed = typed_column(Column.from_cells("x", [str(number) for number in numbers]))
    exact = max(abs(number) for number in numbers) < 2**53
    assert typed.values.tolist() == (numbers if exact else [str(number) for number in numbers])
    assert (typed.note is None) == exact


def test_codes_stay_text_when_the_file_says_that_they_are_kinds() -> None:
    typed = typed_column(Column.from_cells("ward", ["1", "2", "?"]), as_text=True)
    assert typed.values.tolist()[:2] == ["1", "2"]
    assert typed.missing == {"?": 1}


def test_source_without_a_cell_is_missing_but_no_token() -> None:
    typed = typed_column(Column.from_cells("x", ["1", None, ""]))
    assert np.isnan(typed.values.to_numpy()).tolist() == [False, True, True]
    assert typed.missing == {"": 1}
    nothing = typed_column(Column.from_cells("x", [None, None]))
    assert nothing.values.isna().all()
