"""The corrected forest: scikit-learn's conventions, and Elkan and Noto's correction where the answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from autopu_core.pu.corrected_forest import (
    CorrectedForestClassifier,
    class_prior_from_label_frequency,
    label_frequency,
)


def _expected_failures(estimator: CorrectedForestClassifier) -> dict[str, str]:
    return {"check_fit_score_takes_y": "PU labels are named s, not y, in all learners of this package"}


@parametrize_with_checks([CorrectedForestClassifier(n_estimators=10)], expected_failed_checks=_expected_failures)
def test_follows_scikit_learn(estimator, check):
    check(estimator)


def _two_clouds(seed: int, n: int = 1000, labelled_share: float = 0.3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Well separated classes, 40 % positive, of whom a known share is labelled at random."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    X = rng.normal(size=(n, 4)) + 3.0 * y[:, None]
    s = y * (rng.random(n) < labelled_share)
    return X, y, s


@pytest.mark.parametrize("labelled_share", [0.3, 0.7])
def test_finds_the_label_frequency_and_the_hidden_positives(labelled_share):
    X, _, s = _two_clouds(0, labelled_share=labelled_share)
    forest = CorrectedForestClassifier(n_estimators=100, random_state=0).fit(X, s)
    assert forest.label_frequency_ == pytest.approx(labelled_share, abs=0.06)
    X_new, y_new, _ = _two_clouds(1)
    corrected = f1_score(y_new, forest.predict(X_new))
    assert corrected > 0.9
    # Labelled against unlabelled alone misses the positives where most of them are hidden.
    assert corrected > f1_score(y_new, forest.forest_.predict(X_new)) + (0.3 if labelled_share < 0.5 else -0.02)


def test_probability_is_the_forests_divided_by_the_label_frequency():
    X, _, s = _two_clouds(0, n=300)
    forest = CorrectedForestClassifier(n_estimators=50, random_state=0).fit(X, s)
    raw = forest.forest_.predict_proba(X)[:, 1]
    probability = forest.predict_proba(X)
    np.testing.assert_allclose(probability[:, 1], np.minimum(1, raw / forest.label_frequency_))
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    np.testing.assert_array_equal(forest.predict(X) == 1, raw >= 0.5 * forest.label_frequency_)


def test_same_seed_same_answer():
    X, _, s = _two_clouds(0, n=200)
    forest = CorrectedForestClassifier(n_estimators=20, random_state=3)
    first, second = (clone(forest).fit(X, s).predict_proba(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_without_evidence_the_label_frequency_stays_above_zero():
    # Two labelled rows far from each other: no tree gives an out-of-bag labelled row any probability.
    X = np.linspace(0, 1, 60)[:, None]
    s = np.zeros(60, dtype=int)
    s[[0, 59]] = 1
    forest = CorrectedForestClassifier(n_estimators=20, min_samples_leaf=3, random_state=0).fit(X, s)
    assert 0 < forest.label_frequency_ <= 1
    assert np.isfinite(forest.predict_proba(X)).all()


def test_one_kind_of_row_is_refused():
    with pytest.raises(ValueError, match="1 class"):
        CorrectedForestClassifier().fit(np.zeros((5, 1)), np.ones(5))


def test_label_frequency_is_a_mean_without_the_unknown():
    assert label_frequency(np.array([0.2, np.nan, 0.6])) == pytest.approx(0.4)
    assert label_frequency(np.array([np.nan])) == 0.0


@pytest.mark.parametrize(
    ("labelled_share", "frequency", "prior"),
    [(0.2, 0.5, 0.4), (0.2, 1.0, 0.2), (0.2, 0.1, 1.0), (0.2, 0.0, 1.0), (0.2, 1.5, 0.2)],
)
def test_class_prior_stays_possible(labelled_share, frequency, prior):
    assert class_prior_from_label_frequency(labelled_share, frequency) == pytest.approx(prior)
