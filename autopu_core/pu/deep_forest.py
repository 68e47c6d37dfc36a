"""Deep forest: a cascade of forests (Zhou & Feng 2019), giving the same probabilities as the `deep-forest` package with
its scikit-learn backend.

Each layer holds two random forests and two extra-trees forests; their out-of-bag class probabilities are further
features for the next layer. Features are binned to at most 255 levels, the probabilities of each layer anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from autopu_core.pu import trees
from autopu_core.pu.trees import Forest, Split

FORESTS_OF_A_KIND = 2
SPLITS: tuple[Split, ...] = ("best", "random")
N_FORESTS = FORESTS_OF_A_KIND * len(SPLITS)
N_LEVELS = 255
MISSES_ALLOWED = 2
"""Layers in a row without improvement after which growing stops."""

SMALLEST_IMPROVEMENT = 1e-5


class Binning:
    """Replaces each value by the number of its level, at most 255 levels for each feature.

    With few distinct values the levels lie between them, otherwise between percentiles. Percentiles that coincide are
    kept, as in the package: they leave gaps in the numbering, which random splits can feel.
    """

    def __init__(self, X: np.ndarray) -> None:
        self.thresholds = [self._thresholds(column) for column in X.T]

    @staticmethod
    def _thresholds(column: np.ndarray) -> np.ndarray:
        distinct = np.unique(column)
        if len(distinct) <= N_LEVELS:
            return (distinct[:-1] + distinct[1:]) * 0.5
        return np.percentile(column, np.linspace(0, 100, N_LEVELS + 1)[1:-1], method="midpoint")

    def levels(self, X: np.ndarray) -> np.ndarray:
        """Level numbers, float32 (n, d): small integers in the precision that trees work in."""
        numbers = np.empty(X.shape, dtype=np.float32)
        for feature, thresholds in enumerate(self.thresholds):
            numbers[:, feature] = np.searchsorted(thresholds, X[:, feature], side="left")
        return numbers


@dataclass(frozen=True)
class Layer:
    """Forests of one layer and the binning of their out-of-bag probabilities."""

    forests: tuple[Forest, ...]
    binning: Binning

    def probabilities(self, X: np.ndarray) -> list[np.ndarray]:
        """Class probabilities (n, classes) of each forest for binned rows."""
        return [forest.probabilities(X) for forest in self.forests]


class CascadeForestClassifier(ClassifierMixin, BaseEstimator):
    """Deep forest classifier, for two or more classes.

    Growing stops after two layers that don't improve the accuracy of the summed out-of-bag probabilities (those layers
    are dropped), or at `max_layers`. Layers that could only be dropped, because all rows are right, aren't grown.

    Args:
        n_trees: trees in each of a layer's four forests.
        max_layers: layers at most.
        random_state: an integer seed gives the package's probabilities; forest i of either kind in layer l (from 0)
            has the seed `random_state + 10 i + 100 l`. A generator or None draws such a seed.

    Attributes:
        classes_: the classes.
        layers_: fitted layers.
        scores_: out-of-bag accuracy of each layer that was grown, dropped ones included.
    """

    def __init__(self, n_trees: int = 100, max_layers: int = 20, random_state: int | None = None) -> None:
        self.n_trees = n_trees
        self.max_layers = max_layers
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> CascadeForestClassifier:
        """Grow the cascade on features (n, d) without missing values and classes (n,).

        Raises:
            ValueError: there is only one class, the input isn't a finite table, or a parameter is below 1.
        """
        if self.n_trees < 1 or self.max_layers < 1:
            raise ValueError("A deep forest needs n_trees and max_layers of at least 1.")
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, encoded = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"A deep forest needs at least two classes, and y holds one class only: {y[0]!r}.")
        self._binning = Binning(X)
        self._grow(self._binning.levels(X), encoded, self._seed())
        return self

    def _seed(self) -> int:
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 10_000))

    def _grow(self, levels: np.ndarray, y: np.ndarray, seed: int) -> None:
        self.layers_: list[Layer] = []
        self.scores_: list[float] = []
        best, misses, X = -np.inf, 0, levels
        while len(self.layers_) < self.max_layers:
            forests = self._forests(X, y, seed + 100 * len(self.layers_))
            score = _accuracy([forest.out_of_bag for forest in forests], y)
            self.scores_.append(score)
            beside = np.hstack([forest.out_of_bag for forest in forests])
            self.layers_.append(Layer(tuple(forests), Binning(beside)))
            if score >= best + SMALLEST_IMPROVEMENT:
                best, misses = score, 0
            else:
                misses += 1
            if misses == MISSES_ALLOWED:
                del self.layers_[-misses:]
                return
            hopeless = best + SMALLEST_IMPROVEMENT > 1 and misses == 0
            if hopeless and len(self.layers_) + MISSES_ALLOWED <= self.max_layers:
                return  # the layers to come can't improve and would be dropped
            X = np.hstack([levels, self.layers_[-1].binning.levels(beside)])

    def _forests(self, X: np.ndarray, y: np.ndarray, seed: int) -> list[Forest]:
        seeds = [seed + 10 * number for number in range(FORESTS_OF_A_KIND)]
        if not trees.BUILDER_IS_KNOWN:
            return [trees.grow_forest_plainly(split, X, y, self.n_trees, s) for split in SPLITS for s in seeds]
        draws = [trees.draw(len(X), self.n_trees, s, bootstrap=True) for s in seeds]  # both kinds draw the same
        return [trees.grow_forest(split, X, y, len(self.classes_), drawn) for split in SPLITS for drawn in draws]

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities (n, classes), the mean of the last layer's forests."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        levels = layer_input = self._binning.levels(X)
        for layer in self.layers_[:-1]:
            beside = np.hstack(layer.probabilities(layer_input))
            layer_input = np.hstack([levels, layer.binning.levels(beside)])
        return np.mean(self.layers_[-1].probabilities(layer_input), axis=0)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The most probable class (n,) of each row."""
        most_probable = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most_probable]


def _accuracy(shares: list[np.ndarray], y: np.ndarray) -> float:
    return float(np.mean(np.sum(shares, axis=0).argmax(axis=1) == y))
