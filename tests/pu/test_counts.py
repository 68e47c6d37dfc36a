"""The measures from counts against known answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score

from autopu_core.pu.counts import f_measure, lee_liu, predicted_positive_share, pu_f1, pu_precision, recall

FOLD = {"rows": 100, "labelled": 20, "predicted_positive": 40, "labelled_predicted_positive": 15, "reason": None}


def test_known_answers():
    assert recall(FOLD) == 0.75
    assert predicted_positive_share(FOLD) == 0.4
    assert f_measure(FOLD) == pytest.approx(2 * 15 / (20 + 40))
    assert lee_liu(FOLD) == pytest.approx(0.75**2 / 0.4)
    assert pu_precision(FOLD, 0.4) == pytest.approx(0.75)
    assert pu_f1(FOLD, 0.4) == pytest.approx(0.75)


def test_precision_never_exceeds_one():
    assert pu_precision(FOLD, 0.9) == 1.0
    assert pu_f1(FOLD, 0.9) == pytest.approx(2 * 0.75 / 1.75)


@pytest.mark.parametrize(
    "counts",
    [
        {**FOLD, "predicted_positive": 0, "labelled_predicted_positive": 0},
        {**FOLD, "labelled_predicted_positive": 0},
        {**FOLD, "labelled": 0, "labelled_predicted_positive": 0},
        {"rows": 0, "labelled": 0, "predicted_positive": 0, "labelled_predicted_positive": 0},
    ],
)
def test_zero_where_no_labelled_positive_is_found(counts):
    assert [f_measure(counts), lee_liu(counts), pu_f1(counts, 0.4)] == [0.0, 0.0, 0.0]


@st.composite
def _labels_and_calls(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n = draw(st.integers(1, 40))
    bits = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    return np.array(draw(bits)), np.array(draw(bits))


@given(_labels_and_calls())
def test_f_is_that_of_scikit_learn(pair):
    s, called = pair
    counts = {
        "rows": len(s),
        "labelled": int(s.sum()),
        "predicted_positive": int(called.sum()),
        "labelled_predicted_positive": int((s & called).sum()),
    }
    assert f_measure(counts) == pytest.approx(f1_score(s, called, zero_division=0))
    assert recall(counts) == pytest.approx(recall_score(s, called, zero_division=0))
    # With every positive labelled the class prior is the labelled share, and nothing is left to correct.
    assert pu_precision(counts, s.mean()) == pytest.approx(precision_score(s, called, zero_division=0))
    assert pu_f1(counts, s.mean()) == pytest.approx(f1_score(s, called, zero_division=0))
    # Lee and Liu's criterion is precision x recall / share of positives.
    if s.any():
        assert lee_liu(counts) * s.mean() == pytest.approx(pu_precision(counts, s.mean()) * recall(counts))
