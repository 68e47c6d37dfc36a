"""Estimates on genuine PU data: known answers, and the truth recovered where SCAR holds."""

from __future__ import annotations

import json

import numpy as np
import pytest

from autopu_core.evaluation.metrics import binary_metrics, summarise_folds
from autopu_core.evaluation.pu_metrics import ESTIMATES, bootstrap_estimates, estimated_metrics

S = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
P = np.array([0.9, 0.8, 0.7, 0.1, 0.9, 0.6, 0.2, 0.1, 0.0, 0.4])


def test_known_answers():
    found = estimated_metrics(S, P, class_prior=0.6)
    assert found["recall_labelled"] == 0.75
    assert found["predicted_positive_share"] == 0.5
    assert found["lee_liu"] == pytest.approx(0.75**2 / 0.5)
    assert found["pu_precision"] == pytest.approx(0.6 * 0.75 / 0.5)
    assert found["pu_f1"] == pytest.approx(2 * 0.9 * 0.75 / 1.65)
    assert found["specificity_known_negatives"] is None
    assert (found["rows"], found["labelled"], found["class_prior"]) == (10, 4, 0.6)
    json.dumps(found, allow_nan=False)


def test_known_negatives_judge():
    negative = np.array([0, 0, 0, 0, 1, 0, 1, 1, 1, 0], dtype=bool)
    found = estimated_metrics(S, P, class_prior=0.5, known_negative=negative)
    assert found["specificity_known_negatives"] == 0.75
    assert found["known_negatives"] == 4


def test_undefined_without_labelled_positives():
    found = estimated_metrics(np.zeros(4), P[:4], class_prior=0.5)
    assert found["predicted_positive_share"] == 0.75
    assert [name for name in ("pu_f1", "pu_precision", "recall_labelled", "lee_liu") if found[name] is not None] == []


def test_nothing_called_positive_scores_zero():
    found = estimated_metrics(S, np.zeros(10), class_prior=0.5)
    assert found["pu_f1"] == found["pu_precision"] == found["lee_liu"] == found["recall_labelled"] == 0.0


def test_estimates_recover_the_truth_under_scar():
    rng = np.random.default_rng(0)
    y = rng.random(50_000) < 0.35
    p = np.clip(0.5 + 0.25 * (2 * y - 1) + 0.25 * rng.normal(size=len(y)), 0, 1)
    s = y & (rng.random(len(y)) < 0.3)
    estimated, true = estimated_metrics(s, p, class_prior=y.mean()), binary_metrics(y, p)
    assert estimated["pu_f1"] == pytest.approx(true["f_measure"], abs=0.01)
    assert estimated["pu_precision"] == pytest.approx(true["precision"], abs=0.01)
    assert estimated["recall_labelled"] == pytest.approx(true["recall"], abs=0.01)


def test_every_estimate_has_its_meaning_and_assumption():
    computed = estimated_metrics(S, P, class_prior=0.6)
    assert set(ESTIMATES) <= set(computed)
    for estimate in ESTIMATES.values():
        assert estimate.title
        assert estimate.meaning.endswith(".")
        assert estimate.assumption.endswith(".")


def test_summaries_over_folds_and_by_bootstrap_have_the_same_shape():
    fold = estimated_metrics(S, P, class_prior=0.6)
    over_folds = summarise_folds([fold, fold])
    resampled = bootstrap_estimates(S, P >= 0.5, 0.6, seed=0, n=200)
    assert set(over_folds) == set(resampled) == set(ESTIMATES)
    # Only here may a value exceed 1, and its interval with it.
    assert over_folds["lee_liu"]["high"] == pytest.approx(1.125)
    for name, entry in resampled.items():
        assert entry["mean"] == fold[name]
        if entry["mean"] is not None:
            assert entry["low"] <= entry["mean"] <= entry["high"]
    assert resampled == bootstrap_estimates(S, P >= 0.5, 0.6, seed=0, n=200)
    json.dumps(resampled, allow_nan=False)
