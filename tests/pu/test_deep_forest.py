import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import check_estimator

from autopu_core.pu import trees
from autopu_core.pu.deep_forest import CascadeForestClassifier

REFERENCE = Path(__file__).parents[2].parent / "shared" / "data" / "deep_forest_reference.json"


def hidden_positives(n_rows: int, seed: int, noise: float = 0.15):
    """A small table whose labels are partly wrong, as those of unlabelled rows are."""
    return make_classification(n_rows, 8, n_informative=4, flip_y=noise, random_state=seed)


def plain_cascade(X, y, rows, seed, n_trees, max_layers):
    """The recipe composed of scikit-learn's public forests, without any shortcut: probabilities and layers grown."""

    def bins(column):
        distinct = np.unique(column)
        if len(distinct) <= 255:
            return (distinct[:-1] + distinct[1:]) / 2
        return np.percentile(column, np.linspace(0, 100, 256)[1:-1], method="midpoint")

    def levels(table, thresholds):
        return np.column_stack([np.searchsorted(t, column) for t, column in zip(thresholds, table.T, strict=True)])

    thresholds = [bins(column) for column in X.T]
    base, base_rows = levels(X, thresholds), levels(rows, thresholds)
    inputs, inputs_rows, outputs, scores = base, base_rows, [], []
    for layer in range(max_layers):
        forests = [
            kind(n_trees, bootstrap=True, oob_score=True, random_state=seed + 10 * i + 100 * layer).fit(inputs, y)
            for kind in (RandomForestClassifier, ExtraTreesClassifier)
            for i in range(2)
        ]
        shares = [forest.oob_decision_function_ for forest in forests]
        predicted = [forest.predict_proba(inputs_rows) for forest in forests]
        outputs.append(np.mean(predicted, axis=0))
        scores.append(np.mean(np.sum(shares, axis=0).argmax(axis=1) == y))
        best = int(np.argmax(scores))
        if layer - best == 2:
            return outputs[best], layer + 1
        thresholds = [bins(column) for column in np.hstack(shares).T]
        inputs = np.hstack([base, levels(np.hstack(shares), thresholds)])
        inputs_rows = np.hstack([base_rows, levels(np.hstack(predicted), thresholds)])
    return outputs[-1], max_layers


def test_gives_the_probabilities_of_the_reference_package():
    if not REFERENCE.exists():
        pytest.skip("the reference probabilities aren't here")
    X, benign = load_breast_cancer(return_X_y=True)
    y = 1 - benign
    for split in json.loads(REFERENCE.read_text(encoding="utf-8"))["results"]:
        folds = StratifiedKFold(5, shuffle=True, random_state=split["split_seed"])
        train, test = next(folds.split(X, y))
        assert test.tolist() == split["test_index"]
        model = CascadeForestClassifier(random_state=42).fit(X[train], y[train])
        assert model.n_layers_ == split["n_layers"]
        np.testing.assert_allclose(model.predict_proba(X[test])[:, 1], split["positive_probability"], atol=1e-9, rtol=0)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize("seed", range(6))
def test_equals_the_recipe_composed_of_scikit_learns_forests(seed):
    X, y = hidden_positives(60 + 45 * seed, seed)
    rows = X + 0.05
    expected, _ = plain_cascade(X, y, rows, seed, n_trees=25, max_layers=6)
    model = CascadeForestClassifier(n_trees=25, max_layers=6, random_state=seed).fit(X, y)
    assert np.array_equal(model.predict_proba(rows), expected)


def test_is_accurate_on_unseen_rows():
    X, benign = load_breast_cancer(return_X_y=True)
    y = 1 - benign
    model = CascadeForestClassifier(random_state=7).fit(X[:300], y[:300])
    assert np.mean(model.predict(X[300:]) == y[300:]) > 0.94


def test_perfect_layers_end_the_growth_without_changing_the_result(monkeypatch):
    y = np.repeat([0, 1], 45)
    X = np.random.default_rng(0).normal(size=(90, 4)) + 20 * y[:, np.newaxis]
    grown = []
    draw = trees.draw
    monkeypatch.setattr(trees, "draw", lambda *args, **options: grown.append(args) or draw(*args, **options))
    model = CascadeForestClassifier(n_trees=20, random_state=3).fit(X, y)
    expected, layers = plain_cascade(X, y, X - 0.1, 3, n_trees=20, max_layers=20)
    assert np.array_equal(model.predict_proba(X - 0.1), expected)
    assert (len(grown) / 2, layers) == (1, 3)  # two forests of a kind share their draws in each layer


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize("max_layers", [1, 2, 3])
def test_the_shortcut_keeps_what_the_last_allowed_layers_would_be(max_layers):
    X = np.arange(40.0).reshape(-1, 1)
    y = np.repeat([0, 1], 20)
    expected, _ = plain_cascade(X, y, X, 0, n_trees=30, max_layers=max_layers)
    model = CascadeForestClassifier(n_trees=30, max_layers=max_layers, random_state=0).fit(X, y)
    assert np.array_equal(model.predict_proba(X), expected)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_an_unknown_scikit_learn_takes_the_plain_way_to_the_same_result(monkeypatch):
    X, y = hidden_positives(80, 1)
    fast = CascadeForestClassifier(n_trees=10, random_state=1).fit(X, y).predict_proba(X)
    monkeypatch.setattr(trees, "BUILDER_IS_KNOWN", False)
    plain = CascadeForestClassifier(n_trees=10, random_state=1).fit(X, y).predict_proba(X)
    assert np.array_equal(fast, plain)


def test_three_classes_with_names():
    X, numbers = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[numbers]
    model = CascadeForestClassifier(n_trees=30, random_state=0).fit(X, y)
    probability = model.predict_proba(X)
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert probability.shape == (150, 3)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    assert np.mean(model.predict(X) == y) > 0.95


def test_refitting_forgets_the_former_fit():
    X, y = hidden_positives(120, 2)
    model = CascadeForestClassifier(n_trees=15, random_state=4)
    once = model.fit(X, y).predict_proba(X)
    model.fit(X[:40, :3], 1 - y[:40])
    assert np.array_equal(model.fit(X, y).predict_proba(X), once)


def test_a_pickle_predicts_the_same():
    X, y = hidden_positives(120, 3)
    model = CascadeForestClassifier(n_trees=15, random_state=4).fit(X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


def test_one_class_is_refused():
    with pytest.raises(ValueError, match=r"at least two classes.*1 class"):
        CascadeForestClassifier().fit(np.eye(4), np.zeros(4))


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_rows_that_every_tree_learned_from_do_not_break_it():
    X, y = hidden_positives(50, 5)
    for n_trees in (1, 2):
        probability = CascadeForestClassifier(n_trees=n_trees, random_state=0).fit(X, y).predict_proba(X)
        assert np.isfinite(probability).all()
        np.testing.assert_allclose(probability.sum(axis=1), 1.0)


@pytest.mark.filterwarnings("ignore")
def test_follows_scikit_learns_conventions():
    check_estimator(CascadeForestClassifier(n_trees=10, max_layers=3), on_skip=None)
