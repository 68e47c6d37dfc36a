"""Forests of scikit-learn's own trees, grown without the checks, copies and clones around each of them.

On a few hundred rows scikit-learn spends nine tenths of a forest's time around its trees: a clone, three random
generators and two validations for each. Here the compiled builder is called directly, on input that was checked once;
the trees are the same to the last bit. The builder isn't public, so it is used only with the versions of scikit-learn
that the tests compare with; with any other, `grow_forest` fits scikit-learn's estimators, slower but never wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import sklearn
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

TESTED_VERSIONS = ("1.9",)
BUILDER_IS_KNOWN = sklearn.__version__.rpartition(".")[0] in TESTED_VERSIONS

if BUILDER_IS_KNOWN:
    from sklearn.tree._criterion import MSE, Gini
    from sklearn.tree._splitter import BestSplitter, RandomSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

Split = Literal["best", "random"]
"""Each tree of a random forest takes the best split of some features, each of extra trees the best of random ones."""

SEED_RANGE = 2**31 - 1
"""Seeds of trees are drawn below this, as in scikit-learn."""

NO_DEPTH_LIMIT = 2**31 - 1


def single_precision(X: np.ndarray) -> np.ndarray:
    """Float32 copy (n, d) of a table, as trees need it.

    Raises:
        ValueError: a value is too large.
    """
    with np.errstate(over="ignore"):
        X = np.ascontiguousarray(X, dtype=np.float32)
    if not np.isfinite(X).all():
        raise ValueError("a value is too large for single precision, in which trees compute")
    return X


# -- single trees ---------------------------------------------------------------------------------------------------


def grow_classification_tree(
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    random: np.random.RandomState,
    *,
    split: Split = "best",
    weights: np.ndarray | None = None,
    max_features: int | None = None,
    max_depth: int = NO_DEPTH_LIMIT,
) -> Any:
    """The compiled tree inside a `DecisionTreeClassifier` (best splits) or `ExtraTreeClassifier` (random splits).

    Args:
        X: float32 (n, d).
        y: class numbers, float64 (n, 1).
        n_classes: number of classes.
        random: in the state in which the tree's seed leaves it.
        split: how splits are found.
        weights: float64 (n,); rows of weight 0 are left out.
        max_features: features tried at each split; all by default.
        max_depth: levels of splits.

    Returns:
        A `sklearn.tree._tree.Tree`; `predict` gives class shares (n, n_classes).
    """
    counts = np.array([n_classes], dtype=np.intp)
    return _grow(Gini(1, counts), split, counts, X, y, random, weights, max_features, max_depth)


def grow_regression_tree(X: np.ndarray, y: np.ndarray, random: np.random.RandomState, *, max_depth: int) -> Any:
    """The compiled tree inside a `DecisionTreeRegressor` with squared error; arguments as for classification."""
    return _grow(MSE(1, len(X)), "best", np.array([1], dtype=np.intp), X, y, random, None, None, max_depth)


def _grow(
    criterion: Any,
    split: Split,
    values: np.ndarray,
    X: np.ndarray,
    y: np.ndarray,
    random: np.random.RandomState,
    weights: np.ndarray | None,
    max_features: int | None,
    max_depth: int,
) -> Any:
    splitter_of = BestSplitter if split == "best" else RandomSplitter
    splitter = splitter_of(criterion, max_features or X.shape[1], 1, 0.0, random, None)
    tree = Tree(X.shape[1], values, 1)
    DepthFirstTreeBuilder(splitter, 2, 1, 0.0, max_depth, 0.0).build(tree, X, y, weights, None)
    return tree


# -- forests --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Forest:
    """Trees whose mean is the prediction; picklable.

    Attributes:
        trees: compiled trees; their leaves hold class shares.
        out_of_bag: float64 (n, classes): mean class shares of each learned row over the trees that didn't see it,
            not-a-number for a row that every tree saw. None if nobody asked.
    """

    trees: tuple[Any, ...]
    out_of_bag: np.ndarray | None = None

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Mean class shares, float64 (n, classes), of rows in float32."""
        return mean_shares(self.trees, X)


def mean_shares(trees: Sequence[Any], X: np.ndarray) -> np.ndarray:
    """Mean over trees of the class shares, float64 (n, classes), of rows in float32."""
    total = trees[0].predict(X)
    for tree in trees[1:]:
        total += tree.predict(X)
    total /= len(trees)
    return total


@dataclass(frozen=True)
class Draws:
    """What a forest draws: for each tree a seed and, with bootstrap, how often each row and which rows not at all."""

    seeds: list[int]
    weights: list[np.ndarray] | None
    left_out: list[np.ndarray] | None


def draw(n_rows: int, n_trees: int, seed: int, *, bootstrap: bool) -> Draws:
    """What scikit-learn's forests draw from a seed, be they random forests or extra trees."""
    random = np.random.RandomState(seed)
    seeds = [int(random.randint(SEED_RANGE)) for _ in range(n_trees)]
    if not bootstrap:
        return Draws(seeds, None, None)
    weights, left_out = [], []
    for tree_seed in seeds:
        random.seed(tree_seed)  # a generator seeded again gives what a new one gives, at a hundredth of the cost
        counts = np.bincount(random.randint(0, n_rows, n_rows), minlength=n_rows)
        weights.append(counts.astype(np.float64))
        left_out.append(np.flatnonzero(counts == 0))
    return Draws(seeds, weights, left_out)


def grow_forest(
    split: Split, X: np.ndarray, y: np.ndarray, n_classes: int, draws: Draws, *, out_of_bag: bool
) -> Forest:
    """A random forest ("best") or extra trees ("random") with the square root of the features at each split.

    Args:
        split: how splits are found.
        X: float32 (n, d).
        y: class numbers 0 .. n_classes - 1, int (n,); each occurs.
        n_classes: number of classes.
        draws: from `draw`.
        out_of_bag: compute the out-of-bag shares, which needs draws with bootstrap.
    """
    random = np.random.RandomState(0)
    column = np.ascontiguousarray(y, dtype=np.float64).reshape(-1, 1)
    max_features = max(1, int(np.sqrt(X.shape[1])))
    trees = []
    for number, seed in enumerate(draws.seeds):
        random.seed(seed)
        weights = None if draws.weights is None else draws.weights[number]
        trees.append(
            grow_classification_tree(
                X, column, n_classes, random, split=split, weights=weights, max_features=max_features
            )
        )
    return Forest(tuple(trees), _out_of_bag(trees, X, n_classes, draws.left_out) if out_of_bag else None)


def _out_of_bag(trees: Sequence[Any], X: np.ndarray, n_classes: int, left_out: Sequence[np.ndarray]) -> np.ndarray:
    total = np.zeros((len(X), n_classes))
    votes = np.zeros(len(X), dtype=np.int64)
    for tree, rows in zip(trees, left_out, strict=True):
        total[rows] += tree.predict(X[rows])
        votes[rows] += 1
    with np.errstate(invalid="ignore"):
        return total / votes[:, np.newaxis]


def grow_forest_plainly(split: Split, X: np.ndarray, y: np.ndarray, n_trees: int, seed: int) -> Forest:
    """The same bootstrapped forest by scikit-learn's public estimators."""
    estimator_of = RandomForestClassifier if split == "best" else ExtraTreesClassifier
    forest = estimator_of(n_trees, bootstrap=True, oob_score=True, n_jobs=1, random_state=seed).fit(X, y)
    unknown = forest.oob_decision_function_.sum(axis=1, keepdims=True) == 0
    return Forest(
        tuple(tree.tree_ for tree in forest.estimators_), np.where(unknown, np.nan, forest.oob_decision_function_)
    )
