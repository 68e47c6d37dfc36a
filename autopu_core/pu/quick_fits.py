"""The dearest candidate classifiers, fitted and asked for the positive class in one go.

Each function gives, to the last bit, what `make_classifier(name, seed).fit(X, y).predict_proba(rows)[:, 1]` gives for
the candidate of its name: the same algorithm on the same compiled parts, without scikit-learn's clones, validations and
scores for each tree or stage. They take finite float64 tables, y as 0 and 1 in int64 with both present, and return
float64 (rows,).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.utils.extmath import softmax

from autopu_core.pu import trees
from autopu_core.pu.quick_perceptron import multilayer_perceptron
from autopu_core.pu.trees import Split, single_precision

if trees.BUILDER_IS_KNOWN:
    from sklearn.gaussian_process._gpc import _BinaryGaussianProcessClassifierLaplace

    from autopu_core.pu.boosting import boosted_probability

QuickFit = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]
"""From X, y, rows to predict and a seed to the probabilities of the positive class."""

FOREST_TREES = 100
BAGGED_TREES = 10
ADABOOST_STUMPS = 50
KERNEL_VALUES = 4_000_000
"""Values of a kernel matrix between learned and predicted rows that are held at once."""


def random_forest(X: np.ndarray, y: np.ndarray, rows: np.ndarray, seed: int) -> np.ndarray:
    """`RandomForestClassifier`."""
    return _forest("best", X, y, rows, seed, bootstrap=True)


def extra_trees(X: np.ndarray, y: np.ndarray, rows: np.ndarray, seed: int) -> np.ndarray:
    """`ExtraTreesClassifier`."""
    return _forest("random", X, y, rows, seed, bootstrap=False)


def _forest(split: Split, X: np.ndarray, y: np.ndarray, rows: np.ndarray, seed: int, *, bootstrap: bool) -> np.ndarray:
    X, rows = single_precision(X), single_precision(rows)
    draws = trees.draw(len(X), FOREST_TREES, seed, bootstrap=bootstrap)
    return trees.grow_forest(split, X, y, 2, draws, out_of_bag=False).predict_proba(rows)[:, 1]


def bagging(X: np.ndarray, y: np.ndarray, rows: np.ndarray, seed: int) -> np.ndarray:
    """`BaggingClassifier` of decision trees: rows and the tree's seed both follow from one drawn number."""
    X, rows = single_precision(X), single_precision(rows)
    random = np.random.RandomState(seed)
    seeds = random.randint(trees.SEED_RANGE, size=BAGGED_TREES)
    column = y.astype(np.float64).reshape(-1, 1)
    bagged = []
    for drawn in seeds:
        random.seed(drawn)
        weights = np.bincount(random.randint(0, len(X), len(X)), minlength=len(X)).astype(np.float64)
        random.seed(drawn)
        random.seed(random.randint(trees.SEED_RANGE))
        bagged.append(trees.grow_classification_tree(X, column, 2, random, weights=weights))
    return trees.mean_shares(bagged, rows)[:, 1]


def adaboost(X: np.ndarray, y: np.ndarray, rows: np.ndarray, seed: int) -> np.ndarray:
    """`AdaBoostClassifier` of stumps (discrete SAMME)."""
    X, rows = single_precision(X), single_precision(rows)
    seeds = np.random.RandomState(seed)
    random = np.random.RandomState(0)
    column = y.astype(np.float64).reshape(-1, 1)
    smallest = np.finfo(np.float64).eps
    weights = np.full(len(X), 1.0)
    weights /= weights.sum()
    stumps, importance = [], np.zeros(ADABOOST_STUMPS)
    for number in range(ADABOOST_STUMPS):
        weights = np.clip(weights, smallest, None)
        random.seed(seeds.randint(trees.SEED_RANGE))
        stump = trees.grow_classification_tree(X, column, 2, random, weights=weights, max_depth=1)
        wrong = stump.predict(X).argmax(axis=1) != y
        error = np.average(wrong, weights=weights)
        if error >= 0.5:
            if not stumps:
                raise ValueError("its first tree is no better than guessing")
            break
        stumps.append(stump)
        if error <= 0:
            importance[number] = 1.0
            break
        importance[number] = np.log((1.0 - error) / error)
        weights = np.exp(np.log(weights) + importance[number] * wrong * (weights > 0))
        total = weights.sum()
        if not 0 < total < np.inf:
            break
        weights /= total
    votes = 0.0
    for stump, weight in zip(stumps, importance, strict=False):
        positive = stump.predict(rows).argmax(axis=1) == 1
        votes = votes + np.where(np.stack([~positive, positive], axis=1), weight, -weight)
    votes /= importance.sum()
    votes[:, 0] *= -1
    decision = votes.sum(axis=1)
    return softmax(np.vstack([-decision, decision]).T / 2, copy=False)[:, 1]


def gradient_boosting(X: np.ndarray, y: np.ndarray, rows: np.ndarray, seed: int) -> np.ndarray:
    """`GradientBoostingClassifier`."""
    return boosted_probability(single_precision(X), y, single_precision(rows), seed)


def gaussian_process(X: np.ndarray, y: np.ndarray, rows: np.ndarray, seed: int) -> np.ndarray:
    """`GaussianProcessClassifier` without the marginal likelihood of its fixed kernel, which costs as much as the fit.

    Rows are predicted in blocks where memory needs it; those results are equal up to rounding.
    """

    class PosteriorOnly(_BinaryGaussianProcessClassifierLaplace):
        def log_marginal_likelihood(self, *args: object, **options: object) -> float:
            return np.nan

    process = PosteriorOnly(random_state=seed).fit(X, y)
    blocks = np.array_split(rows, -(-len(X) * len(rows) // KERNEL_VALUES))
    return np.concatenate([process.predict_proba(block)[:, 1] for block in blocks])


QUICK_FITS: dict[str, QuickFit] = (
    {
        "random_forest": random_forest,
        "extra_trees": extra_trees,
        "bagging": bagging,
        "adaboost": adaboost,
        "gradient_boosting": gradient_boosting,
        "gaussian_process": gaussian_process,
        "mlp": multilayer_perceptron,
    }
    if trees.BUILDER_IS_KNOWN
    else {}
)
"""By name of the candidate; empty with a version of scikit-learn that wasn't compared."""
