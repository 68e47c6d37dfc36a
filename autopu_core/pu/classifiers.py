"""The 18 candidate classifiers of phases 1A, 1B and 2 (PU paper, section 3.1), and the fit on the hot path.

Defaults are scikit-learn's except where the paper's system differs: the support vector machine and the gradient descent
standardise their columns, the former has gamma "auto" and calibrated probabilities, the latter the log loss.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from autopu_core.errors import FitError, SettingsError
from autopu_core.pu.deep_forest import CascadeForestClassifier
from autopu_core.pu.quick_fits import QUICK_FITS

Factory = Callable[[int], BaseEstimator]
_CALIBRATION_FOLDS = 5


@dataclass(frozen=True)
class _Definition:
    title: str
    make: Factory


class CalibratedSupportVectorMachine(ClassifierMixin, BaseEstimator):
    """Support vector machine (RBF, gamma "auto") with calibrated probabilities, also where a class has few rows.

    The calibration's cross-validation has as many folds as the rarer class has rows, at most five. A single row can't
    be left out, so it is then calibrated on the rows learned from; Platt's targets keep probabilities off 0 and 1
    there too.
    """

    def fit(self, X: np.ndarray, y: np.ndarray) -> CalibratedSupportVectorMachine:
        """Learn from X (n, d) and y (n,)."""
        self.classes_, counts = np.unique(y, return_counts=True)
        everything = np.arange(len(y))
        folds = min(_CALIBRATION_FOLDS, int(counts.min())) if counts.min() > 1 else [(everything, everything)]
        self.calibrated_ = CalibratedClassifierCV(SVC(gamma="auto"), cv=folds, ensemble=False).fit(X, y)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities (n, n_classes)."""
        return self.calibrated_.predict_proba(X)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The most probable class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _standardised(classifier: ClassifierMixin) -> BaseEstimator:
    return make_pipeline(StandardScaler(), classifier)


_DEFINITIONS: dict[str, _Definition] = {
    "gaussian_nb": _Definition("Gaussian naive Bayes", lambda seed: GaussianNB()),
    "bernoulli_nb": _Definition("Bernoulli naive Bayes", lambda seed: BernoulliNB()),
    "random_forest": _Definition("Random forest", lambda seed: RandomForestClassifier(random_state=seed)),
    "decision_tree": _Definition("Decision tree", lambda seed: DecisionTreeClassifier(random_state=seed)),
    "mlp": _Definition("Multilayer perceptron", lambda seed: MLPClassifier(random_state=seed)),
    "svm": _Definition("Support vector machine", lambda seed: _standardised(CalibratedSupportVectorMachine())),
    "sgd": _Definition(
        "Stochastic gradient descent",
        lambda seed: _standardised(SGDClassifier(loss="log_loss", random_state=seed)),
    ),
    "logistic_regression": _Definition("Logistic regression", lambda seed: LogisticRegression(random_state=seed)),
    "knn": _Definition("k-nearest neighbours", lambda seed: KNeighborsClassifier()),
    "deep_forest": _Definition("Deep forest", lambda seed: CascadeForestClassifier(random_state=seed)),
    "adaboost": _Definition("AdaBoost", lambda seed: AdaBoostClassifier(random_state=seed)),
    "gradient_boosting": _Definition("Gradient boosting", lambda seed: GradientBoostingClassifier(random_state=seed)),
    "lda": _Definition("Linear discriminant analysis", lambda seed: LinearDiscriminantAnalysis()),
    "extra_tree": _Definition("Extra tree", lambda seed: ExtraTreeClassifier(random_state=seed)),
    "extra_trees": _Definition("Extra trees", lambda seed: ExtraTreesClassifier(random_state=seed)),
    "bagging": _Definition("Bagging", lambda seed: BaggingClassifier(random_state=seed)),
    "gaussian_process": _Definition("Gaussian process", lambda seed: GaussianProcessClassifier(random_state=seed)),
    "hist_gradient_boosting": _Definition(
        "Histogram gradient boosting", lambda seed: HistGradientBoostingClassifier(random_state=seed)
    ),
}

CLASSIFIERS: tuple[str, ...] = tuple(_DEFINITIONS)
"""Names of the candidate classifiers."""

TITLES: dict[str, str] = {name: definition.title for name, definition in _DEFINITIONS.items()}
"""What they are called in sentences."""


def make_classifier(name: str, random_state: int) -> BaseEstimator:
    """An unfitted candidate classifier.

    Args:
        name: one of `CLASSIFIERS`, or `package.module:factory` for a function of one seed (tests add classifiers so).
        random_state: seed.

    Raises:
        SettingsError: there is no such classifier.
    """
    module, colon, factory = name.partition(":")
    if colon:
        return getattr(importlib.import_module(module), factory)(random_state)
    if name not in _DEFINITIONS:
        raise SettingsError(f"There is no classifier {name!r}: choose one of {', '.join(CLASSIFIERS)}.")
    return _DEFINITIONS[name].make(random_state)


def positive_probability(
    name: str, X_fit: np.ndarray, y_fit: np.ndarray, X_predict: np.ndarray, random_state: int
) -> np.ndarray:
    """Fit a candidate classifier and predict: exactly what `make_classifier(..).fit(..).predict_proba(..)` gives for
    class 1, without validating again what was validated before.

    Args:
        name: of the classifier.
        X_fit, X_predict: float64 (n, d) and (m, d), finite.
        y_fit: int (n,), 0 and 1.
        random_state: seed.

    Returns:
        float64 (m,), 0 .. 1.

    Raises:
        FitError: one class only, rows that the classifier can't learn from, or a probability that is not a number.
    """
    title = TITLES.get(name, name)
    if not 0 < y_fit.sum() < len(y_fit):
        raise FitError(f"{title} needs rows of both classes, and all {len(y_fit)} rows are of one.")
    fit = QUICK_FITS.get(name, partial(_plain_fit, name))
    with _failure_in_words(name, y_fit), config_context(assume_finite=True, skip_parameter_validation=True):
        probability = fit(X_fit, y_fit, X_predict, random_state)
    if not np.isfinite(probability).all():
        raise FitError(f"{title} gave a probability that is not a number for {np.sum(~np.isfinite(probability))} rows.")
    return probability.astype(np.float64, copy=False)


def fitted_classifier(name: str, X: np.ndarray, y: np.ndarray, random_state: int) -> BaseEstimator:
    """A fitted candidate classifier, to be kept: the one that `positive_probability` asks.

    Raises:
        FitError: rows that it can't learn from, or with which it couldn't predict.
    """
    with _failure_in_words(name, y):
        made = make_classifier(name, random_state).fit(X, y)
        made.predict_proba(X[:1])  # k-nearest neighbours finds out only here that there are too few
    return made


@contextmanager
def _failure_in_words(name: str, y: np.ndarray) -> Iterator[None]:
    try:
        yield
    except (ValueError, ArithmeticError, LookupError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise FitError(f"{TITLES.get(name, name)} can't learn from these {len(y)} rows: {reason}") from error


def _plain_fit(name: str, X: np.ndarray, y: np.ndarray, rows: np.ndarray, seed: int) -> np.ndarray:
    return make_classifier(name, seed).fit(X, y).predict_proba(rows)[:, 1]


def refusal(name: str, n_rows: int, n_features: int, memory_limit_bytes: int) -> str | None:
    """Why a fit can't end well, or None.

    The Gaussian process holds six n x n matrices of doubles at once (measured: kernel, weighted copies, factor and
    temporaries) and takes time in n cubed.
    """
    needed = 6 * 8 * n_rows**2
    if name == "gaussian_process" and needed > memory_limit_bytes:
        return (
            f"a Gaussian process on {n_rows} rows would need {needed / 1e9:.1f} GB of memory, more than the "
            f"{memory_limit_bytes / 1e9:.1f} GB allowed"
        )
    return None
