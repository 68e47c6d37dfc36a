"""What all PU learners stand on: the rows they may use, how they fail, and their face as scikit-learn estimators."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from autopu_core.errors import FitError, LabelError
from autopu_core.pu.classifiers import fitted_classifier
from autopu_core.pu.fits import DEFAULT_MEMORY_BYTES, FitQuestion, PreparedMatrix, learning_rows
from autopu_core.search.cache import Answer
from autopu_core.search.executor import single_threaded
from autopu_core.search.seeds import derive_seed

CALLED_POSITIVE = 0.5
"""A row is called positive when its probability is at least this."""


class PhaseFailedError(LabelError):
    """A phase can't give what the next one needs: the candidate scores 0 on this fold, with this reason."""

    def __init__(self, reason: str, timed_out: bool = False) -> None:
        super().__init__(reason)
        self.timed_out = timed_out


def answer_value(answer: Answer, phase: str) -> np.ndarray:
    """The value of an answer.

    Raises:
        PhaseFailedError: there is none; the reason names the phase.
    """
    if answer.value is None:
        raise PhaseFailedError(f"{phase}: {answer.failure}", timed_out=answer.timed_out)
    return answer.value


def kept_classifier(question: FitQuestion, phase: str) -> BaseEstimator:
    """The classifier that answers a question, fitted.

    Raises:
        PhaseFailedError: it is refused or can't learn from these rows, as an answer to the question would say.
    """
    if reason := question.refusal():
        raise PhaseFailedError(f"{phase}: {reason}")
    X, y = learning_rows(question.matrix.values, question.positive_rows, question.negative_rows)
    try:
        return fitted_classifier(question.classifier, X, y, question.seed)
    except FitError as error:
        raise PhaseFailedError(f"{phase}: {error}") from error


@dataclass(frozen=True)
class LearningRows:
    """The rows that a learner may use, as numbers of rows of a prepared matrix.

    Attributes:
        matrix: learning rows, and maybe rows to be predicted, in one table.
        labelled: P, sorted int32.
        unlabelled: U, sorted int32.
        seed: what everything drawn for these rows follows from.
        known_negatives: rows that are reliable negatives from the start, sorted int32; normally none.
        memory_limit: bytes for one fit.
    """

    matrix: PreparedMatrix
    labelled: np.ndarray
    unlabelled: np.ndarray
    seed: int
    known_negatives: np.ndarray | None = None
    memory_limit: int = DEFAULT_MEMORY_BYTES

    def ask(self, classifier: str, positive_rows: np.ndarray, negative_rows: np.ndarray, asked: Any) -> FitQuestion:
        """A question about these rows; the seed is the same for every classifier and phase, so equal fits are equal."""
        seed = derive_seed(self.seed, "fit")
        return FitQuestion(self.matrix, classifier, positive_rows, negative_rows, asked, seed, self.memory_limit)

    def with_known(self, reliable: np.ndarray) -> np.ndarray:
        """Reliable negatives together with the known ones, sorted."""
        if self.known_negatives is None:
            return reliable
        return np.union1d(reliable, self.known_negatives).astype(np.int32)


class PUClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A learner from labelled positives and unlabelled rows, as a scikit-learn estimator.

    Attributes:
        classes_: the two labels; the second means labelled positive.
        reliable_negatives_: row numbers of the training data, sorted.
        classifier_: the fitted final classifier.
    """

    random_state: int

    @abstractmethod
    def _learn(self, rows: LearningRows) -> None:
        """Set `reliable_negatives_` and `classifier_`."""

    def fit(self, X: np.ndarray, s: np.ndarray, known_negative: np.ndarray | None = None) -> Self:
        """Learn from labelled and unlabelled rows.

        Args:
            X: float array (n, d) without missing values.
            s: array (n,) of two values; the larger one (1, True) marks labelled positives.
            known_negative: boolean array (n,): rows that are reliable negatives from the start, whatever the learner
                says.

        Returns:
            self

        Raises:
            PhaseFailedError: no reliable negative was found, or a classifier failed.
            ValueError: `s` has another number of values than two.
        """
        X, s = validate_data(self, X, s, dtype=np.float64)
        check_classification_targets(s)
        self.classes_, encoded = two_classes(s)
        rows = learning_rows_of(encoded, PreparedMatrix(X), int(self.random_state or 0), known_negative)
        with single_threaded():
            self._learn(rows)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probabilities (n, 2) of the two values of `classes_`."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        with single_threaded():
            positive = self.classifier_.predict_proba(X)[:, 1]
        return np.column_stack([1.0 - positive, positive])

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The value of `classes_` for each row: positive where its probability is at least 0.5."""
        called = self.predict_proba(X)[:, 1] >= CALLED_POSITIVE
        return self.classes_[called.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def two_classes(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two values of PU labels, ascending, and the labels as 0 (unlabelled) and 1 (labelled positive).

    Raises:
        ValueError: there are more or fewer than two values.
    """
    classes, encoded = np.unique(np.asarray(s), return_inverse=True)
    if len(classes) != 2:
        raise ValueError(
            "Only binary classification is supported (labelled positive and unlabelled); s has "
            f"{len(classes)} class{'' if len(classes) == 1 else 'es'}."
        )
    return classes, encoded


def learning_rows_of(
    s: np.ndarray, matrix: PreparedMatrix, seed: int, known_negative: np.ndarray | None = None
) -> LearningRows:
    """`LearningRows` over all rows of a matrix: s (n,) is 1 for labelled positives, 0 for the others."""
    negative = np.zeros(len(s), dtype=bool) if known_negative is None else np.asarray(known_negative, dtype=bool)
    return LearningRows(
        matrix,
        labelled=np.flatnonzero(s == 1).astype(np.int32),
        unlabelled=np.flatnonzero((s == 0) & ~negative).astype(np.int32),
        seed=seed,
        known_negatives=np.flatnonzero(negative).astype(np.int32) if negative.any() else None,
    )
