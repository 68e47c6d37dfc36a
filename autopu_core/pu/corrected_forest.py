"""The corrected forest: labelled against unlabelled, corrected by the label frequency (Elkan & Noto 2008).

Under SCAR a classifier of labelled against unlabelled estimates Pr[s = 1 | x] = c Pr[y = 1 | x], where the label
frequency c = Pr[s = 1 | y = 1] is what it says, on average, of positives that it hasn't learned from. For a forest
those are the labelled rows out of bag, so no row is set aside.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


class CorrectedForestClassifier(ClassifierMixin, BaseEstimator):
    """Random forest of labelled against unlabelled whose probabilities are divided by the label frequency.

    Args:
        n_estimators: trees.
        min_samples_leaf: least number of rows in a leaf.
        n_jobs: threads, as in scikit-learn.
        random_state: seed.

    Attributes:
        classes_: the two labels; the second (larger) means labelled positive.
        forest_: the fitted random forest.
        label_frequency_: estimated share of the positives that are labelled, above 0 and at most 1: the mean
            out-of-bag probability of the labelled positives.
    """

    def __init__(
        self,
        n_estimators: int = 300,
        min_samples_leaf: int = 3,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: np.ndarray, s: np.ndarray) -> CorrectedForestClassifier:
        """Learn labelled against unlabelled.

        Args:
            X: rows (n, d), numbers without gaps.
            s: (n,) two values; the larger marks labelled positives.

        Raises:
            ValueError: `s` has another number of values than two.
        """
        X, s = validate_data(self, X, s, dtype=np.float64)
        check_classification_targets(s)
        self.classes_ = np.unique(s)
        if len(self.classes_) != 2:
            raise ValueError(
                "Only binary classification is supported. s must hold two values, labelled positive and unlabelled; "
                f"it has {len(self.classes_)} class{'' if len(self.classes_) == 1 else 'es'}."
            )
        labelled = s == self.classes_[1]
        self.forest_ = RandomForestClassifier(
            n_estimators=self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            oob_score=True,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            # A row that is in every tree's bag has no out-of-bag probability; `label_frequency` leaves it out.
            warnings.filterwarnings("ignore", "Some inputs do not have OOB scores", UserWarning)
            self.forest_.fit(X, labelled)
        found = label_frequency(self.forest_.oob_decision_function_[labelled, 1])
        # Without evidence, what is sure: at least as large a share is labelled of the positives as of all rows.
        self.label_frequency_ = found or float(labelled.mean())
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probabilities (n, 2) of the two `classes_`; the second is min(1, forest / label frequency), a true
        positive's probability rather than a label's."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        positive = np.minimum(1.0, self.forest_.predict_proba(X)[:, 1] / self.label_frequency_)
        return np.column_stack([1.0 - positive, positive])

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The second of `classes_` where the forest's probability is at least half of the label frequency."""
        positive = self.predict_proba(X)[:, 1] >= 0.5
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def label_frequency(out_of_bag: np.ndarray) -> float:
    """Share of the positives that are labelled, Pr[s = 1 | y = 1] (Elkan & Noto 2008, their estimator e1).

    Args:
        out_of_bag: (n,) probabilities of a label that labelled rows got from a model that hasn't learned from them; NaN
            where there is none.

    Returns:
        Their mean, 0 .. 1; 0 where nothing is known.
    """
    known = np.asarray(out_of_bag, dtype=np.float64)
    known = known[np.isfinite(known)]
    return float(np.clip(known.mean(), 0.0, 1.0)) if len(known) else 0.0


def class_prior_from_label_frequency(labelled_share: float, frequency: float) -> float:
    """Share of positives, hidden ones included, under SCAR: labelled share / label frequency.

    Args:
        labelled_share: labelled rows / rows, 0 .. 1.
        frequency: share of the positives that are labelled.

    Returns:
        At least `labelled_share`, since labelled rows are positive, and at most 1.
    """
    if frequency <= labelled_share:
        return 1.0
    return float(np.clip(labelled_share / frequency, labelled_share, 1.0))
