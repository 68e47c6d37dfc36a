"""The multilayer perceptron candidate, fitted and asked for the positive class in one go.

The same arithmetic as scikit-learn's `MLPClassifier` with its defaults (100 rectified linear units, Adam), in the same
order, so that the result is equal to the last bit. All weights lie in one vector, which makes an update a few
operations for the whole network, and nothing is validated or copied between batches.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, xlogy
from sklearn.utils import gen_batches

HIDDEN_UNITS = 100
BATCH = 200
EPOCHS = 200
PATIENCE = 10
"""Epochs in a row without improvement by `TOLERANCE` that are borne."""

TOLERANCE = 1e-4
PENALTY = 1e-4
RATE, BETA_1, BETA_2, EPSILON = 1e-3, 0.9, 0.999, 1e-8
"""Adam's constants."""


class _Network:
    """Weights of one hidden layer and one output unit, and their gradient, each in one vector."""

    def __init__(self, n_features: int, random: np.random.RandomState) -> None:
        shapes = [(n_features, HIDDEN_UNITS), (HIDDEN_UNITS, 1), (HIDDEN_UNITS,), (1,)]
        size = sum(int(np.prod(shape)) for shape in shapes)
        self.weights, self.gradient = np.empty(size), np.empty(size)
        self.hidden, self.output, self.hidden_bias, self.output_bias = _views(self.weights, shapes)
        self.d_hidden, self.d_output, self.d_hidden_bias, self.d_output_bias = _views(self.gradient, shapes)
        for layer, bias in ((self.hidden, self.hidden_bias), (self.output, self.output_bias)):
            bound = np.sqrt(6.0 / sum(layer.shape))  # Glorot & Bengio 2010
            layer[:] = random.uniform(-bound, bound, layer.shape)
            bias[:] = random.uniform(-bound, bound, bias.shape)

    def forward(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Activations (n, hidden) and probabilities (n, 1)."""
        active = X @ self.hidden
        active += self.hidden_bias
        np.maximum(active, 0, out=active)
        positive = active @ self.output
        positive += self.output_bias
        return active, expit(positive, out=positive)

    def backward(self, X: np.ndarray, y: np.ndarray) -> float:
        """Penalised log loss of a batch; its gradient is left in `gradient`."""
        n = len(X)
        active, positive = self.forward(X)
        loss = _log_loss(y, positive)
        squares = sum(np.dot(layer.ravel(), layer.ravel()) for layer in (self.hidden, self.output))
        loss += 0.5 * PENALTY * squares / n
        delta = positive - y
        self._layer_gradient(active, delta, self.output, self.d_output, self.d_output_bias)
        delta = delta * self.output.T
        delta *= active != 0
        self._layer_gradient(X, delta, self.hidden, self.d_hidden, self.d_hidden_bias)
        return loss

    @staticmethod
    def _layer_gradient(
        below: np.ndarray, delta: np.ndarray, layer: np.ndarray, d_layer: np.ndarray, d_bias: np.ndarray
    ) -> None:
        np.matmul(below.T, delta, out=d_layer)
        d_layer += PENALTY * layer
        d_layer /= len(delta)
        np.divide(np.sum(delta, axis=0), len(delta), out=d_bias)


def _views(vector: np.ndarray, shapes: list[tuple[int, ...]]) -> list[np.ndarray]:
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    return [part.reshape(shape) for part, shape in zip(np.split(vector, ends[:-1]), shapes, strict=True)]


def _log_loss(y: np.ndarray, positive: np.ndarray) -> float:
    smallest = np.finfo(np.float64).eps
    positive = np.clip(positive, smallest, 1 - smallest)
    return -np.mean(xlogy(1.0, np.where(y == 1, positive, 1 - positive)), axis=0).sum()


def multilayer_perceptron(X: np.ndarray, y: np.ndarray, rows: np.ndarray, seed: int) -> np.ndarray:
    """Probability of the positive class for each row, float64; X and rows float64, y 0 and 1."""
    random = np.random.RandomState(seed)
    y = y.astype(np.float64).reshape(-1, 1)
    network = _Network(X.shape[1], random)
    mean, spread = np.zeros_like(network.weights), np.zeros_like(network.weights)
    order = np.arange(len(X))
    best_loss, misses, step = np.inf, 0, 0
    for _ in range(EPOCHS):
        shuffled = np.arange(len(X))
        random.shuffle(shuffled)
        order = order[shuffled]
        total = 0.0
        for batch in gen_batches(len(X), min(BATCH, len(X))):
            chosen = order[batch]
            total += network.backward(X[chosen], y[chosen]) * len(chosen)
            step += 1
            mean = BETA_1 * mean + (1 - BETA_1) * network.gradient
            spread = BETA_2 * spread + (1 - BETA_2) * network.gradient**2
            rate = RATE * np.sqrt(1 - BETA_2**step) / (1 - BETA_1**step)
            network.weights += -rate * mean / (np.sqrt(spread) + EPSILON)
        loss = total / len(X)
        misses = misses + 1 if loss > best_loss - TOLERANCE else 0
        best_loss = loss if loss < best_loss else best_loss  # not `min`: a loss may be not-a-number
        if misses > PATIENCE:
            break
    if not np.isfinite(network.weights).all():
        raise ValueError("its weights grew beyond all numbers; large values need to be standardised")
    return network.forward(rows)[1].ravel()
