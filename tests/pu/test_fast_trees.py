"""The fast paths must give scikit-learn's own numbers to the last bit; these tests fail should scikit-learn change."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier

from autopu_core.pu.boosting import boosted_probability
from autopu_core.pu.classifiers import CLASSIFIERS, make_classifier, positive_probability
from autopu_core.pu.forests import grow_forest


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


@pytest.mark.parametrize("seed", [0, 12345])
@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize(("kind", "original"), [("random", RandomForestClassifier), ("extra", ExtraTreesClassifier)])
def test_a_grown_forest_is_scikit_learns(kind, original, bootstrap, seed):
    for X, y, X_predict in problems():
        forest = grow_forest(kind, X.astype(np.float32), y, 2, seed, n_trees=30, bootstrap=bootstrap)
        reference = original(30, bootstrap=bootstrap, oob_score=bootstrap, random_state=seed).fit(X, y)
        assert np.array_equal(forest.predict_proba(X_predict.astype(np.float32)), reference.predict_proba(X_predict))
        if bootstrap:
            seen = ~np.isnan(forest.out_of_bag).any(axis=1)
            assert np.array_equal(forest.out_of_bag[seen], reference.oob_decision_function_[seen])


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
