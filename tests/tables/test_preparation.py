"""From columns to numbers: known answers, nothing learned from other rows, and new files that differ."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from autopu_core.errors import TableError
from autopu_core.tables import Table, TablePreparer

NAN = np.nan
FRAME = Table.from_frame(
    pd.DataFrame(
        {
            "age": [60, 40, 50, 70],
            "hb": [13.0, NAN, 11.0, 12.5],
            "sex": ["m", "f", "f", "f"],
            "stage": ["I", "II", None, "IV"],
            "seen": pd.to_datetime(["2020-01-03", "2020-01-01", None, "2020-01-31 12:00"], format="ISO8601"),
            "ok": [True, False, True, True],
            "code": ["a1", "a2", "a3", "a4"],
        }
    ),
    "t",
).frame
ROLES = {
    "age": "numeric",
    "hb": "numeric",
    "sex": "category",
    "stage": "category",
    "seen": "date",
    "ok": "category",
    "code": "identifier",
}


def prepare(frame: pd.DataFrame = FRAME, **options: object) -> pd.DataFrame:
    preparer = TablePreparer(**{"roles": ROLES, **options})
    return pd.DataFrame(preparer.fit(frame).transform(frame), columns=preparer.get_feature_names_out())


def test_known_answer() -> None:
    expected = {
        "age": [60, 40, 50, 70],
        "hb": [13, 12.5, 11, 12.5],
        "hb missing": [0, 1, 0, 0],
        "sex = m": [1, 0, 0, 0],
        "stage = I": [1, 0, 0, 0],
        "stage = II": [0, 1, 0, 0],
        "stage = IV": [0, 0, 0, 1],
        "stage missing": [0, 0, 1, 0],
        "seen (days)": [2, 0, 2, 30.5],
        "seen missing": [0, 0, 1, 0],
        "ok = True": [1, 0, 1, 1],
    }
    pd.testing.assert_frame_equal(prepare(), pd.DataFrame(expected, dtype=float))


def test_output_is_what_every_classifier_takes() -> None:
    X = TablePreparer(ROLES).fit_transform(FRAME)
    assert X.dtype == np.float64
    assert X.flags["C_CONTIGUOUS"]
    assert np.isfinite(X).all()


def test_complete_numbers_pass_unchanged_bit_for_bit() -> None:
    X = np.random.default_rng(0).normal(size=(50, 7))
    X[0, 0] = -0.0
    frame = pd.DataFrame(X, columns=list("gfedcba"))
    prepared = TablePreparer(dict.fromkeys(frame.columns, "numeric")).fit_transform(frame)
    assert prepared.tobytes() == X.tobytes()


def test_left_out() -> None:
    assert list(prepare(dates="drop", leave_out=["sex", "stage", "hb"]).columns) == ["age", "ok = True"]
    assert "code = a1" in prepare(roles={**ROLES, "code": "category"}).columns
    with pytest.raises(TableError, match="No column is left"):
        TablePreparer({"code": "identifier"}).fit(FRAME)


def test_scaled() -> None:
    scaled = prepare(scale=True)
    for column in ("age", "hb", "seen (days)"):
        assert scaled[column].mean() == pytest.approx(0)
        assert scaled[column].std(ddof=0) == pytest.approx(1)
    assert set(scaled["hb missing"]) == {0, 1}
    assert set(scaled["sex = m"]) == {0, 1}
    constant = pd.DataFrame({"x": [3.0, 3.0]})
    assert TablePreparer({"x": "numeric"}, scale=True).fit_transform(constant).tolist() == [[0], [0]]


def test_guessed_roles() -> None:
    preparer = TablePreparer().fit(pd.DataFrame({"x": [1.5, 2.5], "k": ["a", "b"], "c": [1, 1]}))
    assert preparer.columns_ == ("x", "k")
    assert preparer.roles_ == {"x": "numeric", "k": "category"}


def test_order_and_further_columns_of_a_new_file_do_not_matter() -> None:
    preparer = TablePreparer(ROLES).fit(FRAME)
    other = FRAME[FRAME.columns[::-1]].assign(new="x")
    np.testing.assert_array_equal(preparer.transform(other), preparer.transform(FRAME))


def test_unseen_kinds_and_unseen_gaps() -> None:
    preparer = TablePreparer(ROLES).fit(FRAME)
    names = list(preparer.get_feature_names_out())
    new = FRAME.head(1).assign(sex="divers", stage="V", age=NAN, ok=None)
    row = dict(zip(names, preparer.transform(new)[0], strict=True))
    assert row["sex = m"] == 0
    assert [row[name] for name in names if name.startswith("stage")] == [0, 0, 0, 0]
    assert row["age"] == 55  # the median of the fit
    assert row["ok = True"] == 1  # the most frequent kind of the fit


def test_rare_kinds_are_taken_together() -> None:
    kinds = [f"k{n:02d}" for n in range(60) for _ in range(3 if n < 50 else 1)]
    preparer = TablePreparer({"x": "category"}).fit(pd.DataFrame({"x": kinds}))
    names = list(preparer.get_feature_names_out())
    assert len(names) == 51
    assert names[-1] == "x = (rare)"
    X = preparer.transform(pd.DataFrame({"x": ["k00", "k59", "never seen"]}))
    assert X[:, 0].tolist() == [1, 0, 0]
    assert X[:, -1].tolist() == [0, 1, 0]


def test_columns_that_are_empty_in_the_fit_are_not_used() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0], "empty": [NAN, NAN]})
    preparer = TablePreparer({"x": "numeric", "empty": "numeric"}).fit(frame)
    assert preparer.columns_ == ("x",)
    assert preparer.transform(frame.assign(empty=[5.0, 6.0])).tolist() == [[1], [2]]


@pytest.mark.parametrize("wild", [np.inf, -np.inf, 1e39, -1e300])
def test_what_trees_can_not_hold_is_missing(wild: float) -> None:
    frame = pd.DataFrame({"x": [1.0, 3.0, wild]})
    assert TablePreparer({"x": "numeric"}).fit_transform(frame).tolist() == [[1, 0], [3, 0], [2, 1]]


def test_types_that_another_file_gives_a_column() -> None:
    preparer = TablePreparer({"code": "category", "seen": "date", "x": "numeric"}).fit(
        pd.DataFrame({"code": [1, 2, 3], "seen": pd.to_datetime(["2020-01-01"] * 3), "x": [1.0, 2.0, 3.0]})
    )
    same = pd.DataFrame({"code": ["1", "2", "3"], "seen": ["2020-01-01"] * 3, "x": ["1", "2", "3.0"]})
    floats = pd.DataFrame({"code": [1.0, 2.0, 3.0], "seen": [NAN] * 3, "x": [1, 2, 3]})
    np.testing.assert_array_equal(preparer.transform(same), preparer.transform(floats))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"age": ["60", "old", "50", "70"]}, "'age' should hold numbers, but has 'old'"),
        ({"seen": ["01/02/2020"] * 4}, "'seen' should hold dates as YYYY-MM-DD, but has '01/02/2020'"),
        ({"seen": [1, 2, 3, 4]}, "'seen' should hold dates, but has numbers"),
    ],
)
def test_a_new_file_with_other_content_is_refused(changes: dict, says: str) -> None:
    with pytest.raises(TableError, match=says):
        TablePreparer(ROLES).fit(FRAME).transform(FRAME.assign(**changes))


def test_refusals() -> None:
    preparer = TablePreparer(ROLES).fit(FRAME)
    with pytest.raises(TableError, match="lacks 2 of the 6 columns that were learned from: 'age', 'sex'"):
        preparer.transform(FRAME.drop(columns=["age", "sex"]))
    with pytest.raises(TableError, match="DataFrame"):
        preparer.transform(np.zeros((2, 6)))
    with pytest.raises(TableError, match="'x' occurs more than once"):
        TablePreparer().fit(pd.DataFrame([[1, 2]], columns=["x", "x"]))
    with pytest.raises(TableError, match="'mood' is no role"):
        TablePreparer({"age": "mood"}).fit(FRAME)
    with pytest.raises(TableError, match="no column 'weight'"):
        TablePreparer({"weight": "numeric"}).fit(FRAME)
    with pytest.raises(NotFittedError):
        TablePreparer(ROLES).transform(FRAME)


def test_scikit_learn_conventions() -> None:
    preparer = TablePreparer(ROLES, leave_out=("sex",), scale=True)
    copy = clone(preparer)
    assert copy.get_params() == preparer.get_params()
    preparer.fit(FRAME)
    again = pickle.loads(pickle.dumps(preparer))
    np.testing.assert_array_equal(again.transform(FRAME), preparer.transform(FRAME))
    assert make_pipeline(copy, LogisticRegression()).fit(FRAME, [0, 1, 0, 1]).predict(FRAME).shape == (4,)


CELLS = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True))
KINDS = st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d"]))


@given(rows=st.lists(st.tuples(CELLS, KINDS), min_size=2, max_size=20), fitted=st.integers(1, 19))
@settings(max_examples=100, deadline=None)
def test_every_row_alone_gives_what_it_gives_among_others(rows: list, fitted: int) -> None:
    """Nothing but the rows of the fit is learned from, and there is never a gap in the output."""
    frame = pd.DataFrame(
        {"x": pd.Series([x for x, _ in rows], dtype=float), "k": pd.Series([k for _, k in rows], dtype="str")}
    )
    train = frame.iloc[: min(fitted, len(rows) - 1)]
    preparer = TablePreparer({"x": "numeric", "k": "category"})
    if train.isna().all().all():
        with pytest.raises(TableError, match="No column is left"):
            preparer.fit(train)
        return
    together = preparer.fit(train).transform(frame)
    assert np.isfinite(together).all()
    alone = np.vstack([preparer.transform(frame.iloc[[row]]) for row in range(len(frame))])
    np.testing.assert_array_equal(together, alone)
