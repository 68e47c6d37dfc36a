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
            # A row that is in every tree's bag has no out-of-bag probability; it is left out of the mean below.
            warnings.filterwarnings("ignore", "Some inputs do not have OOB scores", UserWarning)
            self.forest_.fit(X, labelled)
        self.label_frequency_ = _label_frequency(self.forest_.oob_decision_function_[:, 1], labelled)
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


def _label_frequency(out_of_bag: np.ndarray, labelled: np.ndarray) -> float:
    """Mean out-of-bag probability of the labelled rows; without any evidence, what is known for sure: at least the
    labelled share of all rows is labelled among positives."""
    known = out_of_bag[labelled & np.isfinite(out_of_bag)]
    return float(known.mean()) if len(known) and known.mean() > 0 else float(labelled.mean())
