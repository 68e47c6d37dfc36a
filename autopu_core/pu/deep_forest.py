"""Deep forest (Zhou & Feng 2019), with the same probabilities as the `deep-forest` package on its scikit-learn backend.

That package is what the PU paper's authors use; it no longer installs beside a current numpy and scikit-learn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from autopu_core.pu import trees
from autopu_core.pu.trees import Forest, Split

_LEVELS = 255
_SPLITS: tuple[Split, ...] = ("best", "random")  # two random forests, then two extra-trees forests
_FORESTS_OF_A_KIND = 2
_TOLERATED_LAYERS = 2
_IMPROVEMENT = 1e-5


@dataclass(frozen=True)
class Binner:
    """Maps numbers to at most 255 levels, column by column.

    Attributes:
        thresholds: per column, ascending; a value's level is the number of thresholds below it.
    """

    thresholds: tuple[np.ndarray, ...]

    @classmethod
    def fit(cls, X: np.ndarray) -> Binner:
        """Thresholds halfway between distinct values where there are at most 255 of them, else percentiles."""
        return cls(tuple(_thresholds(column) for column in np.ascontiguousarray(X.T)))

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Levels as float32, which is what trees learn from, C-contiguous."""
        levels = np.empty(X.shape, dtype=np.float32)
        for position, thresholds in enumerate(self.thresholds):
            levels[:, position] = np.searchsorted(thresholds, X[:, position], side="left")
        return levels


def _thresholds(column: np.ndarray) -> np.ndarray:
    distinct = np.unique(column)
    if len(distinct) <= _LEVELS:
        return (distinct[:-1] + distinct[1:]) * 0.5
    return np.percentile(column, np.linspace(0, 100, _LEVELS + 1)[1:-1], method="midpoint")


@dataclass(frozen=True)
class Layer:
    """Two random forests and two extra-trees forests, and the binner of their out-of-bag probabilities."""

    forests: tuple[Forest, ...]
    binner: Binner

    def probabilities(self, X: np.ndarray) -> list[np.ndarray]:
        """One (n, n_classes) array for each forest."""
        return [forest.predict_proba(X) for forest in self.forests]


class CascadeForestClassifier(ClassifierMixin, BaseEstimator):
    """Layers of forests, each learning from the columns and the former layer's out-of-bag probabilities.

    A layer's score is the accuracy of its summed out-of-bag probabilities; growing stops after two layers that don't
    improve on the best, which are dropped, or at `max_layers`. Layers that could only be dropped, because all rows are
    right already, aren't grown.

    Args:
        n_trees: trees in each of the four forests of a layer.
        max_layers: layers at most.
        random_state: forest i of either kind in layer l has the seed `random_state + 10 i + 100 l`.

    Attributes:
        classes_: the class labels.
        n_layers_: layers kept.
    """

    def __init__(self, n_trees: int = 100, max_layers: int = 20, random_state: int = 0) -> None:
        self.n_trees = n_trees
        self.max_layers = max_layers
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> CascadeForestClassifier:
        """Learn from rows X (n, d) without missing values and labels y (n,) of at least two classes.

        Raises:
            ValueError: one class only, or not a classification target.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, encoded = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"A deep forest needs at least two classes to tell apart; y has 1 class, {self.classes_[0]!r}."
            )
        self._binner = Binner.fit(X)
        levels = self._binner.transform(X)
        self._layers: list[Layer] = []
        inputs, best, without_improvement = levels, -np.inf, 0
        for number in range(self.max_layers):
            layer, probabilities = self._grow(inputs, encoded, number)
            self._layers.append(layer)
            score = float(np.mean(np.sum(probabilities, axis=0).argmax(axis=1) == encoded))
            if score >= best + _IMPROVEMENT:
                best, without_improvement = score, 0
            else:
                without_improvement += 1
                if without_improvement == _TOLERATED_LAYERS:
                    del self._layers[-_TOLERATED_LAYERS:]
                    break
            nothing_to_gain = best + _IMPROVEMENT > 1 and without_improvement == 0
            if nothing_to_gain and number + _TOLERATED_LAYERS < self.max_layers:
                break  # the next two layers would be dropped
            inputs = np.hstack([levels, layer.binner.transform(np.hstack(probabilities))])
        self.n_layers_ = len(self._layers)
        return self

    def _grow(self, X: np.ndarray, y: np.ndarray, number: int) -> tuple[Layer, list[np.ndarray]]:
        """One layer and its out-of-bag probabilities on the learning rows."""
        n_classes = len(self.classes_)
        forests = self._forests(X, y, int(self.random_state or 0) + 100 * number)
        shares = np.bincount(y, minlength=n_classes) / len(y)
        # A row that every tree happened to learn from has no out-of-bag probability: the class shares say nothing of
        # it.
        probabilities = [np.where(np.isnan(forest.out_of_bag), shares, forest.out_of_bag) for forest in forests]
        return Layer(forests, Binner.fit(np.hstack(probabilities))), probabilities

    def _forests(self, X: np.ndarray, y: np.ndarray, seed: int) -> tuple[Forest, ...]:
        """The forests of a layer whose first seed is given."""
        seeds = [seed + 10 * number for number in range(_FORESTS_OF_A_KIND)]
        if not trees.BUILDER_IS_KNOWN:
            return tuple(trees.grow_forest_plainly(split, X, y, self.n_trees, s) for split in _SPLITS for s in seeds)
        draws = [trees.draw(len(X), self.n_trees, s, bootstrap=True) for s in seeds]  # both kinds draw the same
        n_classes = len(self.classes_)
        return tuple(
            trees.grow_forest(split, X, y, n_classes, drawn, out_of_bag=True) for split in _SPLITS for drawn in draws
        )

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities (n, n_classes): the mean over the last layer's forests."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        levels = self._binner.transform(X)
        inputs = levels
        for layer in self._layers[:-1]:
            inputs = np.hstack([levels, layer.binner.transform(np.hstack(layer.probabilities(inputs)))])
        return np.mean(self._layers[-1].probabilities(inputs), axis=0)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The most probable class of each row."""
        probability = self.predict_proba(X)
        return self.classes_[probability.argmax(axis=1)]
