"""The builder is scikit-learn's own but not public: these tests fail, and say so, should scikit-learn change it."""

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeRegressor

from autopu_core.pu import trees

ORIGINALS = {"best": RandomForestClassifier, "random": ExtraTreesClassifier}


def test_the_builder_was_compared_with_this_version_of_scikit_learn():
    assert trees.BUILDER_IS_KNOWN, (
        f"scikit-learn {sklearn.__version__} isn't in TESTED_VERSIONS, so forests take the slow way: "
        "add it if the other tests of this file and of test_quick_fits.py pass with it."
    )


@settings(max_examples=25, deadline=None)
@given(
    n_rows=st.integers(4, 120),
    n_columns=st.integers(1, 12),
    n_classes=st.integers(2, 4),
    seed=st.integers(0, 2**31 - 10_000),
    rounded=st.booleans(),
    split=st.sampled_from(["best", "random"]),
)
def test_a_forest_is_scikit_learns_to_the_last_bit(n_rows, n_columns, n_classes, seed, rounded, split):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    X = np.round(X) if rounded else X
    y = np.arange(n_rows) % n_classes
    rng.shuffle(y)
    fast = trees.grow_forest(split, X, y, n_classes, trees.draw(n_rows, 20, seed, bootstrap=True), out_of_bag=True)
    plain = trees.grow_forest_plainly(split, X, y, 20, seed)
    assert np.array_equal(fast.predict_proba(X + 0.1), plain.predict_proba(X + 0.1))
    assert np.array_equal(fast.out_of_bag, plain.out_of_bag, equal_nan=True)
    original = ORIGINALS[split](20, bootstrap=True, random_state=seed).fit(X, y)
    assert np.array_equal(plain.predict_proba(X + 0.1), original.predict_proba(X + 0.1))


def test_without_bootstrap_every_tree_learns_from_all_rows():
    X = np.random.default_rng(0).normal(size=(60, 5)).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)
    forest = trees.grow_forest("random", X, y, 2, trees.draw(60, 10, 3, bootstrap=False), out_of_bag=False)
    assert forest.out_of_bag is None
    assert np.array_equal(forest.predict_proba(X)[:, 1], y)


def test_a_row_that_every_tree_saw_has_no_out_of_bag_share():
    X = np.arange(4, dtype=np.float32).reshape(-1, 1)
    y = np.array([0, 0, 1, 1])
    draws = trees.draw(4, 1, 0, bootstrap=True)
    forest = trees.grow_forest("best", X, y, 2, draws, out_of_bag=True)
    left_out = np.isin(np.arange(4), draws.left_out[0])
    assert 0 < left_out.sum() < 4
    assert np.array_equal(np.isnan(forest.out_of_bag).all(axis=1), ~left_out)


def test_a_regression_tree_is_scikit_learns():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 8)).astype(np.float32)
    y = rng.normal(size=(150, 1))
    tree = trees.grow_regression_tree(X, y, np.random.RandomState(4), max_depth=3)
    original = DecisionTreeRegressor(max_depth=3, random_state=np.random.RandomState(4)).fit(X, y)
    assert np.array_equal(tree.predict(X)[:, 0], original.predict(X))


def test_values_beyond_single_precision_are_refused():
    with pytest.raises(ValueError, match="too large for single precision"):
        trees.single_precision(np.array([[1e39]]))
