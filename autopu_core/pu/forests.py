"""Forests of classification trees, grown exactly as scikit-learn grows them but without its per-tree overhead.

On tables of a few hundred rows two thirds of the time of `RandomForestClassifier.fit` go into validating, tree by tree,
what was validated before. `grow_forest` calls scikit-learn's own tree builder with the same seeds and weights, so the
trees are the same to the last bit; `tests/pu/test_forests.py` compares them and fails should scikit-learn change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from sklearn.tree._criterion import Gini
from sklearn.tree._splitter import BestSplitter, RandomSplitter
from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

Kind = Literal["random", "extra"]

_SPLITTERS = {"random": BestSplitter, "extra": RandomSplitter}
_NO_DEPTH_LIMIT = np.iinfo(np.int32).max
_MOST = np.iinfo(np.int32).max  # seeds of trees are drawn below this, as scikit-learn draws them


@dataclass(frozen=True)
class Forest:
    """Grown trees; picklable.

    Attributes:
        trees: scikit-learn's low-level trees; their leaves hold class proportions.
        n_classes: number of classes.
        out_of_bag: (n, n_classes) mean over the trees that didn't learn from the row, NaN where all did; None without
            bootstrap.
    """

    trees: tuple[Tree, ...]
    n_classes: int
    out_of_bag: np.ndarray | None

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Mean class proportions, float64 (n, n_classes), of float32 rows."""
        total = np.zeros((len(X), self.n_classes))
        for tree in self.trees:
            total += tree.predict(X)[:, : self.n_classes]
        return total / len(self.trees)


def grow_forest(
    kind: Kind, X: np.ndarray, y: np.ndarray, n_classes: int, seed: int, *, n_trees: int = 100, bootstrap: bool = True
) -> Forest:
    """A forest equal to `RandomForestClassifier` (kind "random") or `ExtraTreesClassifier` ("extra") with defaults.

    Args:
        X: float32 (n, d), C-contiguous, finite.
        y: (n,) class numbers 0 .. n_classes - 1, each class present.
        n_classes: number of classes.
        seed: of the forest.
        n_trees: trees to grow.
        bootstrap: each tree learns from n rows drawn with replacement; out-of-bag proportions are then kept.
    """
    n_rows, n_columns = X.shape
    target = np.ascontiguousarray(y, dtype=np.float64).reshape(-1, 1)
    classes = np.array([n_classes], dtype=np.intp)
    max_features = max(1, int(np.sqrt(n_columns)))
    random_state = np.random.RandomState(seed)
    trees: list[Tree] = []
    total = np.zeros((n_rows, n_classes))
    seen = np.zeros(n_rows, dtype=np.int64)
    for tree_seed in [random_state.randint(_MOST) for _ in range(n_trees)]:
        weight = _drawn(tree_seed, n_rows) if bootstrap else None
        tree = Tree(n_columns, classes, 1)
        splitter = _SPLITTERS[kind](Gini(1, classes), max_features, 1, 0.0, np.random.RandomState(tree_seed), None)
        DepthFirstTreeBuilder(splitter, 2, 1, 0.0, _NO_DEPTH_LIMIT, 0.0).build(tree, X, target, weight, None)
        trees.append(tree)
        if weight is not None:
            outside = np.flatnonzero(weight == 0)
            total[outside] += tree.predict(X[outside])[:, :n_classes]
            seen[outside] += 1
    if not bootstrap:
        return Forest(tuple(trees), n_classes, None)
    with np.errstate(invalid="ignore"):
        return Forest(tuple(trees), n_classes, total / seen[:, np.newaxis])


def _drawn(seed: int, n_rows: int) -> np.ndarray:
    """How often each row is in the bootstrap sample of the tree with this seed, float64 (n,)."""
    rows = np.random.RandomState(seed).randint(0, n_rows, n_rows, dtype=np.int32)
    return np.bincount(rows, minlength=n_rows).astype(np.float64)
