from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from autopu_core.pu import fits
from autopu_core.pu.fits import FitQuestion, PreparedMatrix, learning_rows, other_rows

RNG = np.random.default_rng(3)
MATRIX = PreparedMatrix(RNG.normal(size=(12, 3)))
ROWS = {"positive_rows": np.array([4, 7, 9], np.int32), "negative_rows": np.array([0, 5, 8, 11], np.int32)}
QUESTION = FitQuestion(MATRIX, "logistic_regression", **ROWS, asked="others", seed=1)


@pytest.mark.parametrize(
    "change",
    [
        {"matrix": PreparedMatrix(MATRIX.values + 1e-12)},
        {"matrix": PreparedMatrix(MATRIX.values.reshape(18, 2))},
        {"classifier": "lda"},
        {"positive_rows": np.array([4, 7], np.int32)},
        {"positive_rows": ROWS["positive_rows"], "negative_rows": np.array([0, 5, 8], np.int32)},
        {"positive_rows": np.array([4], np.int32), "negative_rows": np.array([7, 9, 0, 5, 8, 11], np.int32)},
        {"asked": "negatives"},
        {"asked": "unlabelled"},
        {"seed": 2},
    ],
)
def test_whatever_changes_the_answer_changes_the_key(change):
    assert replace(QUESTION, **change).key != QUESTION.key


def test_a_library_of_another_version_has_other_answers(monkeypatch):
    before = QUESTION.key
    monkeypatch.setattr(fits, "library_versions", lambda: (("scikit-learn", "0.1"),))
    assert replace(QUESTION).key != before


def test_what_does_not_change_the_answer_does_not_change_the_key(tmp_path):
    assert replace(QUESTION, memory_limit=7).key == QUESTION.key
    assert replace(QUESTION, matrix=MATRIX.save(tmp_path)).key == QUESTION.key
    assert replace(QUESTION, negative_rows=ROWS["negative_rows"].astype(np.int64)).key == QUESTION.key


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("negatives", [0, 5, 8, 11]),
        ("others", [1, 2, 3, 6, 10]),
        ("unlabelled", [0, 1, 2, 3, 5, 6, 8, 10, 11]),
    ],
)
def test_the_answer_is_that_of_the_classifier_for_the_rows_asked(asked, rows, tmp_path):
    learned = [0, 4, 5, 7, 8, 9, 11]
    model = LogisticRegression().fit(MATRIX.values[learned], [0, 1, 0, 1, 0, 1, 0])
    expected = model.predict_proba(MATRIX.values[rows])[:, 1]
    for matrix in (MATRIX, MATRIX.save(tmp_path)):
        answer = replace(QUESTION, matrix=matrix, asked=asked).work()()
        np.testing.assert_allclose(answer, expected, rtol=0, atol=1e-12)


def test_nothing_asked_is_nothing_answered():
    everything = replace(QUESTION, negative_rows=np.setdiff1d(np.arange(12), ROWS["positive_rows"]).astype(np.int32))
    assert len(everything.work()()) == 0


def test_rows_are_learned_in_the_order_of_the_table():
    X, y = learning_rows(MATRIX.values, np.array([4, 7]), np.array([0, 5]))
    np.testing.assert_array_equal(X, MATRIX.values[[0, 4, 5, 7]])
    assert y.tolist() == [0, 1, 0, 1]
    assert other_rows(6, np.array([1]), np.array([0, 4])).tolist() == [2, 3, 5]


def test_a_kernel_beyond_the_memory_bound_is_refused_beforehand():
    many = replace(
        QUESTION,
        classifier="gaussian_process",
        positive_rows=np.arange(4_000, dtype=np.int32),
        negative_rows=np.arange(4_000, 8_000, dtype=np.int32),
    )
    assert "8000 rows would need 3.1 GB" in many.refusal()
    assert replace(many, memory_limit=4 * 1024**3).refusal() is None
    assert replace(many, classifier="lda").refusal() is None
