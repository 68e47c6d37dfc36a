"""Gradient boosting exactly as scikit-learn's with defaults, without its per-stage overhead.

A third of its time on a few hundred rows goes into validating each stage's tree anew and into a training score that
nobody asked for. Trees, loss and leaf values are computed as scikit-learn computes them, so the probabilities are equal
to the last bit; `tests/pu/test_boosting.py` compares them and fails should scikit-learn change.
"""

from __future__ import annotations

import numpy as np
from sklearn._loss.loss import HalfBinomialLoss
from sklearn.tree._tree import TREE_LEAF, Tree

from autopu_core.pu.trees import grow_regression_tree

_STAGES = 100
_LEARNING_RATE = 0.1
_DEPTH = 3
_TINY = 1e-150  # a smaller curvature leaves a leaf's value at 0, as in scikit-learn


def boosted_probability(X_fit: np.ndarray, y_fit: np.ndarray, X_predict: np.ndarray, seed: int) -> np.ndarray:
    """Fit gradient boosting and predict the probability of class 1.

    Args:
        X_fit, X_predict: float32 (n, d) and (m, d), C-contiguous, finite.
        y_fit: (n,) of 0 and 1, both present.
        seed: random state.

    Returns:
        float64 (m,).
    """
    y = np.ascontiguousarray(y_fit, dtype=np.float64)
    loss = HalfBinomialLoss(sample_weight=None)
    random_state = np.random.RandomState(seed)
    prior = np.clip(y.mean(), np.finfo(np.float64).eps, 1 - np.finfo(np.float64).eps)
    raw = np.full(len(X_fit), loss.link.link(prior))
    predicted = np.full(len(X_predict), raw[0])
    for _ in range(_STAGES):
        residual = -loss.gradient(y_true=y, raw_prediction=raw, sample_weight=None)
        tree = grow_regression_tree(X_fit, residual.reshape(-1, 1), random_state, max_depth=_DEPTH)
        leaf_of_row = tree.apply(X_fit)
        values = _newton_steps(tree, leaf_of_row, y, residual)
        raw += _LEARNING_RATE * values.take(leaf_of_row)
        predicted += _LEARNING_RATE * values.take(tree.apply(X_predict))
    return loss.predict_proba(predicted)[:, 1]


def _newton_steps(tree: Tree, leaf_of_row: np.ndarray, y: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """Value of each node: at leaves sum(y - p) / sum(p (1 - p)) over their rows (Friedman 2001, one Newton step)."""
    values = tree.value[:, 0, 0].copy()
    probability = y - residual
    curvature = probability * (1 - probability)
    for leaf in np.flatnonzero(tree.children_left == TREE_LEAF):
        rows = np.flatnonzero(leaf_of_row == leaf)
        # Means, as scikit-learn divides means; a quotient of sums may differ in the last bit.
        slope, bend = residual.take(rows).sum() / len(rows), curvature.take(rows).sum() / len(rows)
        values[leaf] = 0.0 if abs(bend) < _TINY else slope / bend
    return values
