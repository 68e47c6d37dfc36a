"""Gaussian naive Bayes that learns from soft labels, and expectation maximisation with it (Liu et al. 2002)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from autopu_core.errors import FitError

_SMOOTHING = 1e-9  # of the largest variance, as in scikit-learn
MAX_ITERATIONS = 100
_SETTLED = 1e-4


@dataclass(frozen=True)
class SoftNaiveBayes:
    """Gaussian naive Bayes of two classes; row 0 of each array is the negative class, row 1 the positive one.

    Attributes:
        log_prior: (2,)
        means, variances: (2, d)
    """

    log_prior: np.ndarray
    means: np.ndarray
    variances: np.ndarray

    @classmethod
    def fit(cls, X: np.ndarray, positive: np.ndarray) -> SoftNaiveBayes:
        """Learn from rows that belong to the positive class with a probability.

        With probabilities 0 and 1 the result is scikit-learn's `GaussianNB`.

        Args:
            X: (n, d).
            positive: (n,) 0 .. 1.

        Raises:
            FitError: a class has no weight at all.
        """
        weights = np.stack([1.0 - positive, positive])
        totals = weights.sum(axis=1)
        if not (totals > 0).all():
            raise FitError("expectation maximisation gave all rows to one class")
        means = weights @ X / totals[:, None]
        variances = np.stack([weight @ (X - mean) ** 2 for weight, mean in zip(weights, means, strict=True)])
        variances = variances / totals[:, None] + _SMOOTHING * X.var(axis=0).max()
        return cls(np.log(totals / totals.sum()), means, variances)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities (n, 2)."""
        positive = expit(self.log_odds(X))
        return np.column_stack([1.0 - positive, positive])

    def log_odds(self, X: np.ndarray) -> np.ndarray:
        """Logarithm of the odds of being positive, (n,); unlike probabilities they don't run into 0 and 1."""
        joint = [
            prior - 0.5 * (np.log(2 * np.pi * variance).sum() + ((X - mean) ** 2 / variance).sum(axis=1))
            for prior, mean, variance in zip(self.log_prior, self.means, self.variances, strict=True)
        ]
        return joint[1] - joint[0]


def expectation_maximisation(
    X_positive: np.ndarray, X_negative: np.ndarray, X_unlabelled: np.ndarray
) -> Iterator[SoftNaiveBayes]:
    """The classifiers of all iterations: the first learns positives against negatives, each further one the positives,
    which stay positive, and all other rows by the probabilities that the one before gives them.

    Ends when these probabilities settle, after 100 iterations at the latest.

    Args:
        X_positive: (p, d), fixed positive.
        X_negative: (n, d), negative at the start only.
        X_unlabelled: (u, d), without a label at the start.
    """
    fixed = np.ones(len(X_positive))
    model = SoftNaiveBayes.fit(np.vstack([X_positive, X_negative]), np.concatenate([fixed, np.zeros(len(X_negative))]))
    yield model
    others = np.vstack([X_negative, X_unlabelled])
    everything = np.vstack([X_positive, others])
    before = np.concatenate([np.zeros(len(X_negative)), np.full(len(X_unlabelled), np.nan)])
    for _ in range(MAX_ITERATIONS):
        soft = expit(model.log_odds(others))
        if np.abs(soft - before).max() < _SETTLED:  # NaN, hence False, the first time
            return
        model = SoftNaiveBayes.fit(everything, np.concatenate([fixed, soft]))
        yield model
        before = soft


def least_error(models: Iterator[SoftNaiveBayes], X_positive: np.ndarray, X_all: np.ndarray) -> SoftNaiveBayes:
    """The classifier of the last iteration before its estimated error begins to grow (Liu et al. 2002, section 3.3).

    The probability of error is Pr[f = 1] - Pr[Y = 1] + 2 Pr[f = 0 | Y = 1] Pr[Y = 1]. Its change from one iteration to
    the next needs Pr[f = 1], counted over the rows that aren't known positive, Pr[f = 0 | Y = 1], counted over the
    known positives, and Pr[Y = 1], for which the mean probability that the former iteration gives stands (ours).

    Args:
        models: the iterations of `expectation_maximisation`.
        X_positive: (p, d) known positives.
        X_all: (n, d) all other learning rows.
    """
    chosen, before = None, None
    for model in models:
        log_odds = model.log_odds(X_all)
        called, missed = float((log_odds >= 0).mean()), float((model.log_odds(X_positive) < 0).mean())
        if before is not None:
            change = called - before[0] + 2 * (missed - before[1]) * before[2]
            if change > 0:
                break
        chosen, before = model, (called, missed, float(expit(log_odds).mean()))
    return chosen
