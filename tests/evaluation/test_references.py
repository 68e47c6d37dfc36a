"""The three plain references on data whose answer is known, and on clinical tables where they are at hand."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from autopu_core.evaluation.metrics import binary_metrics
from autopu_core.evaluation.references import REFERENCES


@pytest.fixture(scope="module")
def wisconsin_f() -> dict[str, float]:
    """Mean test F of every reference on the Wisconsin table, 40 % of the positives hidden, 3 folds."""
    X, y = load_breast_cancer(return_X_y=True)
    y = 1 - y
    scores: dict[str, list[float]] = {name: [] for name in REFERENCES}
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        s = y[train] * (np.random.default_rng(0).random(len(train)) >= 0.4)
        for name, reference in REFERENCES.items():
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                probability, predicted = reference.function(X[train], s, X[test], 0)
            assert probability.shape == predicted.shape == test.shape
            assert predicted.dtype == bool
            assert ((probability >= 0.5) == predicted).all()
            scores[name].append(binary_metrics(y[test], probability, predicted=predicted)["f_measure"])
    return {name: float(np.mean(values)) for name, values in scores.items()}


def test_the_corrected_forest_is_strong(wisconsin_f):
    assert wisconsin_f["corrected_forest"] > 0.9


def test_the_plain_references_are_weaker(wisconsin_f):
    assert wisconsin_f["everybody_positive"] == pytest.approx(2 * 0.3726 / 1.3726, abs=0.01)
    assert wisconsin_f["everybody_positive"] < wisconsin_f["logistic_regression"] < wisconsin_f["corrected_forest"]


@pytest.mark.parametrize("name", REFERENCES)
def test_same_seed_same_answer(name):
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(60, 3)), np.arange(60) % 4 == 0
    first, second = (REFERENCES[name].function(X, s.astype(int), X, 7) for _ in range(2))
    np.testing.assert_array_equal(first.probability, second.probability)


def test_every_reference_is_explained():
    for reference in REFERENCES.values():
        assert reference.title
        assert reference.meaning.endswith(".")
