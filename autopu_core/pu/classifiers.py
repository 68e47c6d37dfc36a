"""The 18 candidate classifiers of the PU paper (section 3.1), and how probable each of them finds the positive class.

`make_classifier` gives a plain scikit-learn estimator, which is what an exported model holds. `positive_probability` is
the same fit and prediction on the hot path of a search, without what isn't the learner's own work; its results are
equal to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import sklearn
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
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from autopu_core.errors import FitError, SettingsError
from autopu_core.pu.deep_forest import CascadeForestClassifier

Factory = Callable[[int], Any]
"""From a seed to an unfitted scikit-learn classifier with `predict_proba`."""

CALIBRATION_FOLDS = 5


class CalibrationFolds:
    """Stratified folds for calibrating probabilities, as many as the smaller class allows.

    Five, or one for each row of the smaller class. With a single row no fold could be learned without it, so there is
    one fold in which all rows are both learned from and predicted; Platt's targets keep the probabilities away from 0
    and 1 even then.
    """

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds for these classes (n,)."""
        return min(CALIBRATION_FOLDS, int(np.unique(y, return_counts=True)[1].min()))

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Row numbers to learn from and to predict, fold by fold; each row is predicted once."""
        folds = self.get_n_splits(y=y)
        if folds == 1:
            everything = np.arange(len(y))
            yield everything, everything
            return
        yield from StratifiedKFold(folds).split(X, y)


def _support_vector_machine(random_state: int) -> Pipeline:
    machine = SVC(kernel="rbf", gamma="auto", random_state=random_state)
    return make_pipeline(StandardScaler(), CalibratedClassifierCV(machine, ensemble=False, cv=CalibrationFolds()))


def _gradient_descent(random_state: int) -> Pipeline:
    return make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss", random_state=random_state))


_CANDIDATES: dict[str, tuple[str, Factory]] = {
    "gaussian_nb": ("Gaussian naive Bayes", lambda seed: GaussianNB()),
    "bernoulli_nb": ("Bernoulli naive Bayes", lambda seed: BernoulliNB()),
    "random_forest": ("Random forest", lambda seed: RandomForestClassifier(random_state=seed, n_jobs=1)),
    "decision_tree": ("Decision tree", lambda seed: DecisionTreeClassifier(random_state=seed)),
    "mlp": ("Multilayer perceptron", lambda seed: MLPClassifier(random_state=seed)),
    "svm": ("Support vector machine", _support_vector_machine),
    "sgd": ("Stochastic gradient descent", _gradient_descent),
    "logistic_regression": ("Logistic regression", lambda seed: LogisticRegression(random_state=seed)),
    "knn": ("K-nearest neighbours", lambda seed: KNeighborsClassifier(n_jobs=1)),
    "deep_forest": ("Deep forest", lambda seed: CascadeForestClassifier(random_state=seed)),
    "adaboost": ("AdaBoost", lambda seed: AdaBoostClassifier(random_state=seed)),
    "gradient_boosting": ("Gradient boosting", lambda seed: GradientBoostingClassifier(random_state=seed)),
    "lda": ("Linear discriminant analysis", lambda seed: LinearDiscriminantAnalysis()),
    "extra_tree": ("Extra tree", lambda seed: ExtraTreeClassifier(random_state=seed)),
    "extra_trees": ("Extra trees", lambda seed: ExtraTreesClassifier(random_state=seed, n_jobs=1)),
    "bagging": ("Bagging", lambda seed: BaggingClassifier(random_state=seed, n_jobs=1)),
    "gaussian_process": ("Gaussian process", lambda seed: GaussianProcessClassifier(random_state=seed, n_jobs=1)),
    "hist_gradient_boosting": (
        "Histogram gradient boosting",
        lambda seed: HistGradientBoostingClassifier(random_state=seed),
    ),
}

CLASSIFIERS: tuple[str, ...] = tuple(_CANDIDATES)
"""Names of the candidate classifiers."""

TITLES: dict[str, str] = {name: title for name, (title, _) in _CANDIDATES.items()}
"""What people call them."""


def make_classifier(name: str, random_state: int) -> Any:
    """An unfitted scikit-learn classifier with `predict_proba`, scikit-learn's defaults except as the PU paper notes.

    Args:
        name: one of `CLASSIFIERS`, or `"package.module:factory"`, which is imported and called with the seed. The
            latter works in every process without registration.
        random_state: its seed, 0 <= seed < 2**31 - 10,000.

    Raises:
        SettingsError: there is no such classifier.
    """
    if name in _CANDIDATES:
        return _CANDIDATES[name][1](random_state)
    module, colon, factory = name.partition(":")
    if not colon:
        raise SettingsError(f"There is no classifier {name!r}: choose one of {', '.join(CLASSIFIERS)}.")
    return getattr(import_module(module), factory)(random_state)


def positive_probability(
    name: str, X_fit: np.ndarray, y_fit: np.ndarray, X_predict: np.ndarray, random_state: int
) -> np.ndarray:
    """Fit a classifier and tell how probable it finds the positive class for each row to predict.

    Equal to `make_classifier(name, random_state).fit(X_fit, y_fit).predict_proba(X_predict)[:, 1]`, only cheaper.

    Args:
        name: see `make_classifier`.
        X_fit, X_predict: float64 (n, d) and (m, d), no missing values.
        y_fit: (n,) of 0 and 1; 1 is the positive class.
        random_state: seed of the classifier.

    Returns:
        float64 (m,), 0 to 1.

    Raises:
        FitError: the rows hold one class only, the classifier can't learn from them, or what it predicts isn't a
            number.
    """
    title = TITLES.get(name, name)
    if not (np.any(y_fit == 0) and np.any(y_fit == 1)):
        raise FitError(f"{title} needs rows of both classes to learn from, and all {len(y_fit)} rows are of one class.")
    try:
        with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
            classifier = make_classifier(name, random_state).fit(X_fit, y_fit)
            probability = np.asarray(classifier.predict_proba(X_predict)[:, 1], dtype=np.float64)
    except (ValueError, ArithmeticError) as error:
        raise FitError(f"{title} can't learn from these {len(y_fit)} rows: {error}") from error
    if not np.isfinite(probability).all():
        raise FitError(f"{title} gave probabilities that aren't numbers for {np.sum(~np.isfinite(probability))} rows.")
    return probability


_GAUSSIAN_PROCESS_MATRICES = 6
"""n x n float64 matrices that a Gaussian process holds at once at its peak, measured."""


def refusal(name: str, n_rows: int, n_features: int, memory_limit_bytes: int) -> str | None:
    """Why a fit on this many rows can't end well, in one sentence; None where nothing speaks against it."""
    if name != "gaussian_process":
        return None
    needed = _GAUSSIAN_PROCESS_MATRICES * 8 * n_rows**2
    if needed <= memory_limit_bytes:
        return None
    return (
        f"A Gaussian process on {n_rows:,} rows needs about {needed / 1e9:.1f} GB of memory "
        f"and {memory_limit_bytes / 1e9:.1f} GB are allowed."
    )
