"""Metrics of known predictions, undefined cases, and intervals over folds."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sk

from autopu_core.evaluation.metrics import METRICS, binary_metrics, interval_over_folds, summarise_folds

Y = np.array([1, 1, 1, 0, 0, 0, 0, 0])
P = np.array([0.9, 0.5, 0.2, 0.8, 0.4, 0.3, 0.1, 0.0])


def test_known_answers():
    found = binary_metrics(Y, P)
    assert (found["true_positive"], found["false_positive"]) == (2, 1)
    assert (found["true_negative"], found["false_negative"]) == (4, 1)
    assert found["f_measure"] == pytest.approx(2 / 3)
    assert found["precision"] == found["recall"] == pytest.approx(2 / 3)
    assert found["specificity"] == pytest.approx(4 / 5)
    assert found["balanced_accuracy"] == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert found["roc_auc"] == pytest.approx(11 / 15)
    assert found["average_precision"] == pytest.approx((1 + 2 / 3 + 3 / 6) / 3)
    assert found["brier_score"] == pytest.approx((0.01 + 0.25 + 0.64 + 0.64 + 0.16 + 0.09 + 0.01) / 8)
    assert (found["prevalence"], found["rows"]) == (3 / 8, 8)


def test_calls_may_be_given_instead_of_a_threshold():
    everybody = binary_metrics(Y, P, predicted=np.ones(8))
    assert (everybody["recall"], everybody["specificity"]) == (1.0, 0.0)
    assert everybody["f_measure"] == pytest.approx(2 * 3 / 11)
    assert binary_metrics(Y, P, threshold=0.85)["true_positive"] == 1


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0])), min_size=1, max_size=30))
def test_agrees_with_scikit_learn(rows):
    y, p = (np.array(column) for column in zip(*rows, strict=True))
    found = binary_metrics(y, p)
    called = p >= 0.5
    assert found["f_measure"] == pytest.approx(sk.f1_score(y, called, zero_division=0))
    assert found["precision"] == pytest.approx(sk.precision_score(y, called, zero_division=0))
    assert sum(found[f"{a}_{b}"] for a in ("true", "false") for b in ("positive", "negative")) == len(y)
    if len(set(y)) == 2:
        assert found["balanced_accuracy"] == pytest.approx(sk.balanced_accuracy_score(y, called))
        assert None not in found.values()
    json.dumps(found, allow_nan=False)


def test_undefined_is_none_and_f_is_zero_without_a_hit():
    no_positive = binary_metrics(np.zeros(3), np.array([0.1, 0.2, 0.9]))
    assert [name for name in METRICS if no_positive[name] is None] == [
        "recall",
        "balanced_accuracy",
        "roc_auc",
        "average_precision",
    ]
    assert no_positive["f_measure"] == no_positive["precision"] == 0.0
    no_negative = binary_metrics(np.ones(3), np.array([0.1, 0.2, 0.9]))
    assert [name for name in METRICS if no_negative[name] is None] == ["specificity", "balanced_accuracy", "roc_auc"]
    nobody = binary_metrics(Y, np.zeros(8))
    assert nobody["f_measure"] == nobody["precision"] == nobody["recall"] == 0.0


@pytest.mark.parametrize(
    ("y", "p"), [([], []), ([1, 0], [0.5]), ([1, 0], [0.5, np.nan]), ([1, 0], [0.5, 1.01]), ([1, 0], [-0.1, 0.5])]
)
def test_impossible_input_is_refused(y, p):
    with pytest.raises(ValueError, match=r"equally long|outside 0 \.\. 1"):
        binary_metrics(np.array(y), np.array(p))


def test_every_metric_has_its_meaning():
    computed = binary_metrics(Y, P)
    for name, (title, meaning, higher_is_better) in METRICS.items():
        assert name in computed
        assert title
        assert meaning.endswith(".")
        assert higher_is_better == (name != "brier_score")


def test_interval_over_folds_is_students():
    values = [0.8, 0.85, 0.9, 0.82, 0.88]
    low, high = interval_over_folds(values)
    assert (low, high) == pytest.approx(stats.ttest_1samp(values, 0).confidence_interval(0.95))
    wider = interval_over_folds(values, level=0.99)
    assert wider[0] < low < high < wider[1]


def test_interval_is_cut_to_what_is_possible_and_needs_two_values():
    assert interval_over_folds([0.1, 0.99]) == (0.0, 1.0)
    assert interval_over_folds([0.1, 0.99], upper=np.inf)[1] > 1
    assert interval_over_folds([0.5]) == interval_over_folds([0.5, None, np.nan]) == (None, None)
    assert interval_over_folds([0.5, 0.5, None]) == (0.5, 0.5)


def test_summary_over_folds():
    folds = [binary_metrics(Y, P), binary_metrics(Y, 1 - P), binary_metrics(np.zeros(3), np.zeros(3))]
    summary = summarise_folds(folds)
    assert list(summary) == list(METRICS)
    assert summary["f_measure"]["mean"] == pytest.approx(np.mean([fold["f_measure"] for fold in folds]))
    # The fold without a positive has no recall; it doesn't count as 0.
    assert summary["recall"]["mean"] == pytest.approx(np.mean([folds[0]["recall"], folds[1]["recall"]]))
    assert summary["f_measure"]["method"] == "t interval over folds"
    json.dumps(summary, allow_nan=False)


def test_summary_of_one_fold_or_none():
    entry = summarise_folds([binary_metrics(Y, P)])["recall"]
    assert (entry["mean"], entry["low"], entry["high"]) == (pytest.approx(2 / 3), None, None)
    undefined = summarise_folds([binary_metrics(np.zeros(3), np.zeros(3))] * 2)["recall"]
    assert (undefined["mean"], undefined["low"], undefined["high"]) == (None, None, None)
    assert summarise_folds([]) == {}
