"""Boosting and the hot path give scikit-learn's numbers to the last bit, or these tests fail."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import GradientBoostingClassifier

from autopu_core.pu.boosting import boosted_probability
from autopu_core.pu.classifiers import CLASSIFIERS, make_classifier, positive_probability


def problems():
    data = load_breast_cancer()
    rng = np.random.default_rng(0)
    for size in (12, 90, 200):
        rows = np.sort(rng.choice(569, size, replace=False))
        yield data.data[rows], 1 - data.target[rows], data.data[:150]
    X, y = make_classification(250, 7, n_informative=3, n_redundant=0, weights=[0.9], flip_y=0.1, random_state=1)
    yield X, y, X + 0.05
    X = np.round(X)  # many ties
    yield X, y, X[:40]
    yield X[:, :1], y, X[:40, :1]


@pytest.mark.parametrize("seed", [0, 999])
def test_boosting_is_scikit_learns(seed):
    for X, y, X_predict in problems():
        fast = boosted_probability(X.astype(np.float32), y, X_predict.astype(np.float32), seed)
        reference = GradientBoostingClassifier(random_state=seed).fit(X, y).predict_proba(X_predict)[:, 1]
        assert np.array_equal(fast, reference)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "deep_forest"])
def test_the_hot_path_gives_what_the_exported_classifier_gives(name):
    for number, (X, y, X_predict) in enumerate(problems()):
        if number in (0, 1, 3):
            fast = positive_probability(name, X, y, X_predict, 7)
            assert np.array_equal(fast, make_classifier(name, 7).fit(X, y).predict_proba(X_predict)[:, 1])
