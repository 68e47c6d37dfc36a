import json
import pickle
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.gaussian_process import GaussianProcessClassifier

from autopu_core.errors import FitError, SettingsError
from autopu_core.pu import classifiers
from autopu_core.pu.classifiers import CLASSIFIERS, TITLES, make_classifier, positive_probability, refusal

SHARED = Path(__file__).parents[2].parent / "shared"

pytestmark = pytest.mark.filterwarnings("ignore")  # convergence is not the subject here


@pytest.fixture(scope="module")
def table():
    X, benign = load_breast_cancer(return_X_y=True)
    return X[:150], 1 - benign[:150], X[400:]


def half(seed):
    """A factory that a name of the form module:factory finds."""
    return DummyClassifier(strategy="constant", constant=seed % 2)


class NotANumber(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


def not_a_number(seed):
    return NotANumber()


def test_there_are_eighteen_with_titles():
    assert len(set(CLASSIFIERS)) == 18
    assert set(TITLES) == set(CLASSIFIERS)


def test_names_are_those_of_the_published_record():
    path = SHARED / "data" / "published_code_60_configurations.json"
    if not path.exists():
        pytest.skip("the record of the published code isn't here")
    assert set(json.loads(path.read_text(encoding="utf-8"))["by_classifier"]) == set(CLASSIFIERS)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_hot_path_equals_the_estimator_and_learns(name, table):
    X, y, rows = table
    probability = positive_probability(name, X, y, rows, 3)
    assert probability.dtype == np.float64
    assert probability.shape == (len(rows),)
    assert ((probability >= 0) & (probability <= 1)).all()
    model = pickle.loads(pickle.dumps(make_classifier(name, 3).fit(X, y)))
    assert np.array_equal(model.predict_proba(rows)[:, 1], probability)
    in_sample = positive_probability(name, X, y, X, 3)
    assert in_sample[y == 1].mean() > in_sample[y == 0].mean()


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_input_is_left_as_it_was(name, table):
    X, y, rows = (array.copy() for array in table)
    for array in (X, y, rows):
        array.flags.writeable = False  # memory-mapped tables are read-only in workers
    positive_probability(name, X, y, rows, 0)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_one_class_is_refused_in_words(name, table):
    X, _, rows = table
    with pytest.raises(FitError, match=f"{TITLES[name]} needs rows of both classes"):
        positive_probability(name, X, np.ones(len(X), dtype=int), rows, 0)


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "knn"])
@pytest.mark.parametrize("positives", [1, 2, 3])
def test_few_rows_of_a_class_are_enough(name, positives, table):
    X, y, rows = table
    few = np.sort(np.r_[np.flatnonzero(y == 1)[:positives], np.flatnonzero(y == 0)[:20]])
    probability = positive_probability(name, X[few], y[few], rows, 0)
    assert np.isfinite(probability).all()


def test_a_calibrated_single_row_is_neither_sure_nor_useless():
    X = np.r_[np.random.default_rng(0).normal(size=(30, 2)), [[6.0, 6.0]]]
    y = np.r_[np.zeros(30, dtype=int), 1]
    near, far = positive_probability("svm", X, y, np.array([[6.0, 6.0], [0.0, 0.0]]), 0)
    assert 0 < far < near < 1


def test_what_a_classifier_cannot_learn_from_says_why(table):
    X, y, rows = table
    few = np.r_[np.flatnonzero(y == 1)[:2], np.flatnonzero(y == 0)[:1]]
    with pytest.raises(FitError, match=r"k-nearest neighbours can't learn from these 3 rows: .*n_neighbors"):
        positive_probability("knn", X[few], y[few], rows, 0)
    with pytest.raises(FitError, match="too large for single precision"):
        positive_probability("random_forest", X * 1e39, y, rows, 0)


def test_a_classifier_from_a_module_and_one_that_predicts_nonsense(table, monkeypatch):
    X, y, rows = table
    monkeypatch.setitem(sys.modules, "of_this_test", sys.modules[__name__])
    assert set(positive_probability("of_this_test:half", X, y, rows, 1)) == {1.0}
    with pytest.raises(FitError, match="not a number for 169 rows"):
        positive_probability("of_this_test:not_a_number", X, y, rows, 1)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(SettingsError, match=r"no classifier 'lightning': choose one of gaussian_nb"):
        make_classifier("lightning", 0)


def test_without_quick_fits_the_result_is_the_same(table, monkeypatch):
    X, y, rows = table
    quick = {name: positive_probability(name, X, y, rows, 5) for name in classifiers.QUICK_FITS}
    monkeypatch.setattr(classifiers, "QUICK_FITS", {})
    for name, probability in quick.items():
        assert np.array_equal(positive_probability(name, X, y, rows, 5), probability)


def test_a_gaussian_process_beyond_memory_is_refused_beforehand():
    assert refusal("gaussian_process", 500, 30, 2 * 1024**3) is None
    reason = refusal("gaussian_process", 10_000, 30, 2 * 1024**3)
    assert "4.8 GB" in reason
    assert "2.1 GB" in reason
    assert all(refusal(name, 10_000, 30, 2 * 1024**3) is None for name in CLASSIFIERS if name != "gaussian_process")


def test_the_refusal_knows_what_a_gaussian_process_allocates():
    X = np.random.default_rng(0).normal(size=(600, 4))
    tracemalloc.start()
    GaussianProcessClassifier().fit(X, (X[:, 0] > 0).astype(int))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert refusal("gaussian_process", 600, 4, int(0.9 * peak)) is not None
    assert refusal("gaussian_process", 600, 4, int(1.2 * peak)) is None
