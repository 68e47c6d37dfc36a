"""A classifier whose answers can be worked out by hand: the probability of a row is its first column."""

import numpy as np


class FirstColumn:
    """Learns nothing; a row with -1 in its first column gets what isn't a number."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        positive = np.where(X[:, 0] == -1, np.nan, X[:, 0])
        return np.column_stack([1 - positive, positive])


class Centroid:
    """Nearer to which mean? 1 for the positives', 0 for the negatives', 0.5 where both are as near."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, X, y):
        self.means = [X[y == label].mean(axis=0) for label in (0, 1)]
        return self

    def predict_proba(self, X):
        negative, positive = (np.linalg.norm(X - mean, axis=1) for mean in self.means)
        probability = 0.5 + 0.5 * np.sign(negative - positive)
        return np.column_stack([1 - probability, probability])
