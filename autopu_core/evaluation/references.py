"""The three plain references that stand beside every result, on the same folds and hidden positives.

Each takes the training rows, their PU labels, the test rows and a seed, and answers in at most a second or so. A search
that doesn't beat the corrected forest on a table hasn't paid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from autopu_core.pu.corrected_forest import CorrectedForestClassifier


class Prediction(NamedTuple):
    """What a reference says of the test rows: `probability` float64 (n,) of being positive, and `predicted` bool
    (n,), the calls."""

    probability: np.ndarray
    predicted: np.ndarray


class Reference(NamedTuple):
    """A reference as the faces show it, and the function that computes it."""

    title: str
    meaning: str
    function: Callable[[np.ndarray, np.ndarray, np.ndarray, int], Prediction]


def logistic_regression_reference(
    X_train: np.ndarray, s_train: np.ndarray, X_test: np.ndarray, seed: int
) -> Prediction:
    """One logistic regression of labelled against unlabelled, on standardised columns (unscaled ones such as cell
    counts keep it from converging), called positive from 0.5.

    Args:
        X_train, X_test: float arrays (n, d) and (m, d), prepared.
        s_train: (n,) 1 labelled positive, 0 unlabelled.
        seed: not used; the fit isn't random.
    """
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X_train, s_train)
    probability = model.predict_proba(X_test)[:, 1]
    return Prediction(probability, probability >= 0.5)


def everybody_positive(X_train: np.ndarray, s_train: np.ndarray, X_test: np.ndarray, seed: int) -> Prediction:
    """Everybody is called positive: what F is worth at this prevalence. Only the number of test rows matters."""
    return Prediction(np.ones(len(X_test)), np.ones(len(X_test), dtype=bool))


def corrected_forest(X_train: np.ndarray, s_train: np.ndarray, X_test: np.ndarray, seed: int) -> Prediction:
    """Random forest of labelled against unlabelled, corrected by the label frequency (Elkan & Noto 2008), see
    `CorrectedForestClassifier`: called positive from half of the labelled positives' mean out-of-bag probability.

    Args:
        X_train, X_test: float arrays (n, d) and (m, d), prepared.
        s_train: (n,) 1 labelled positive, 0 unlabelled.
        seed: of the forest.
    """
    probability = CorrectedForestClassifier(random_state=seed).fit(X_train, s_train).predict_proba(X_test)[:, 1]
    return Prediction(probability, probability >= 0.5)


REFERENCES: dict[str, Reference] = {
    "corrected_forest": Reference(
        "Corrected forest",
        "One random forest of labelled against unlabelled, corrected for the positives that nobody labelled; half a "
        "second of work, and strong.",
        corrected_forest,
    ),
    "logistic_regression": Reference(
        "Logistic regression",
        "One logistic regression that takes every unlabelled row for a negative.",
        logistic_regression_reference,
    ),
    "everybody_positive": Reference(
        "Everybody positive",
        "Calls everybody positive: a useful system must be better than that.",
        everybody_positive,
    ),
}
"""By name, in the order in which they are shown."""
