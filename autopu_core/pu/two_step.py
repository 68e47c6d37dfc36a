"""Two-step PU learning: reliable negatives by phases 1A and 1B, a classifier by phase 2 (PU paper, section 2.1).

`two_step` is the algorithm, written once as a plan that asks fit questions; the search runs many of them together, and
`TwoStepClassifier` runs one alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from autopu_core.errors import LabelError
from autopu_core.pu.classifiers import make_classifier
from autopu_core.pu.fits import DEFAULT_MEMORY_BYTES, FitQuestion, PreparedMatrix, learning_rows, other_rows
from autopu_core.search.cache import Answer
from autopu_core.search.executor import single_threaded
from autopu_core.search.planner import Plan, run_alone
from autopu_core.search.seeds import derive_seed

CALLED_POSITIVE = 0.5
"""A row is called positive when its probability is at least this."""


class PhaseFailedError(LabelError):
    """A phase can't give what the next one needs: the candidate scores 0 on this fold, with this reason."""

    def __init__(self, reason: str, timed_out: bool = False) -> None:
        super().__init__(reason)
        self.timed_out = timed_out


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


def two_step(candidate: Mapping[str, Any], rows: LearningRows) -> Plan[tuple[np.ndarray, np.ndarray]]:
    """The whole learner, as a plan.

    Returns:
        RN as sorted row numbers, and a float64 array over all rows of the matrix: the probability of rows outside P and
        RN, NaN for the rows that were learned from.

    Raises:
        PhaseFailedError: a phase found no reliable negative, or a classifier failed.
    """
    reliable = yield from reliable_negatives(candidate, rows)
    question = rows.ask(candidate["classifier_2"], rows.labelled, reliable, "others")
    (answer,) = yield [question]
    probability = np.full(len(rows.matrix.values), np.nan)
    probability[other_rows(len(probability), rows.labelled, reliable)] = _value(answer, "phase 2")
    return reliable, probability


def reliable_negatives(candidate: Mapping[str, Any], rows: LearningRows) -> Plan[np.ndarray]:
    """Phases 1A and 1B: RN as sorted int32 row numbers.

    Raises:
        PhaseFailedError: see `two_step`.
    """
    if candidate.get("spy_flag", False):
        reliable = yield from _phase_1a_with_spies(candidate, rows)
    else:
        reliable = yield from _phase_1a(candidate, rows)
    if rows.known_negatives is not None:
        reliable = np.union1d(reliable, rows.known_negatives).astype(np.int32)
    if len(reliable) == 0:
        raise PhaseFailedError("phase 1A found no reliable negative")
    remaining = np.setdiff1d(rows.unlabelled, reliable, assume_unique=True).astype(np.int32)
    if candidate["flag_1b"] and len(remaining):
        reliable = yield from _phase_1b(candidate, rows, reliable, remaining)
    return reliable


def _phase_1a(candidate: Mapping[str, Any], rows: LearningRows) -> Plan[np.ndarray]:
    parts = split_unlabelled(rows, candidate["iteration_count_1a"])
    answers = yield [rows.ask(candidate["classifier_1a"], rows.labelled, part, "negatives") for part in parts]
    chosen = [
        part[_value(answer, "phase 1A") < candidate["threshold_1a"]]
        for part, answer in zip(parts, answers, strict=True)
    ]
    return np.sort(np.concatenate(chosen))


def _phase_1a_with_spies(candidate: Mapping[str, Any], rows: LearningRows) -> Plan[np.ndarray]:
    spies = draw_spies(rows, candidate["spy_rate"])
    kept = np.setdiff1d(rows.labelled, spies, assume_unique=True).astype(np.int32)
    parts = split_unlabelled(rows, candidate["iteration_count_1a"])
    mixed = [np.union1d(part, spies).astype(np.int32) for part in parts]
    answers = yield [rows.ask(candidate["classifier_1a"], kept, rows_, "negatives") for rows_ in mixed]
    chosen = []
    for rows_, answer in zip(mixed, answers, strict=True):
        probability = _value(answer, "phase 1A")
        is_spy = np.isin(rows_, spies, assume_unique=True)
        threshold = spy_threshold(probability[is_spy], candidate["spy_tolerance"])
        chosen.append(rows_[~is_spy & (probability < threshold)])
    return np.sort(np.concatenate(chosen))


def _phase_1b(
    candidate: Mapping[str, Any], rows: LearningRows, reliable: np.ndarray, remaining: np.ndarray
) -> Plan[np.ndarray]:
    question = rows.ask(candidate["classifier_1b"], rows.labelled, reliable, "others")
    (answer,) = yield [question]
    # The answer covers all rows outside P and RN: the rest of U, and rows to be predicted that aren't learned from.
    probability = _value(answer, "phase 1B")
    others = other_rows(len(rows.matrix.values), rows.labelled, reliable)
    of_remaining = probability[np.searchsorted(others, remaining)]
    return np.union1d(reliable, remaining[of_remaining < candidate["threshold_1b"]]).astype(np.int32)


def split_unlabelled(rows: LearningRows, count: int) -> list[np.ndarray]:
    """`count` disjoint random parts of U of nearly equal size, each sorted; fewer where U has fewer rows."""
    if len(rows.unlabelled) == 0:
        raise PhaseFailedError("there is no unlabelled row")
    rng = np.random.default_rng(derive_seed(rows.seed, "parts", count))
    parts = np.array_split(rng.permutation(rows.unlabelled), min(count, len(rows.unlabelled)))
    return [np.sort(part) for part in parts]


def draw_spies(rows: LearningRows, rate: float) -> np.ndarray:
    """max(1, round(rate x |P|)) labelled rows, sorted, leaving at least one positive."""
    n_labelled = len(rows.labelled)
    if n_labelled < 2:
        raise PhaseFailedError("one labelled positive is too few to send out a spy")
    n_spies = min(max(1, round(rate * n_labelled)), n_labelled - 1)
    rng = np.random.default_rng(derive_seed(rows.seed, "spies", rate))
    return np.sort(rng.choice(rows.labelled, size=n_spies, replace=False))


def spy_threshold(spy_probability: np.ndarray, tolerance: float) -> float:
    """With n spies in ascending probability, the (floor(tolerance x n) + 1)-th."""
    n_spies = len(spy_probability)
    position = min(int(np.floor(tolerance * n_spies + 1e-9)), n_spies - 1)  # 0.07 x 100 is 7, not 6.999..
    return float(np.sort(spy_probability)[position])


def _value(answer: Answer, phase: str) -> np.ndarray:
    if answer.value is None:
        raise PhaseFailedError(f"{phase}: {answer.failure}", timed_out=answer.timed_out)
    return answer.value


class TwoStepClassifier(ClassifierMixin, BaseEstimator):
    """Two-step learner from labelled positives and unlabelled rows.

    The parameters are the hyperparameters of the search spaces; see the PU paper, section 3.1.

    Args:
        iteration_count_1a: disjoint parts into which U is split.
        threshold_1a: rows of a part below this probability become reliable negatives (unless `spy_flag`).
        classifier_1a: name of a candidate classifier, see `autopu_core.pu.classifiers.CLASSIFIERS`.
        flag_1b: extend the reliable negatives by phase 1B.
        threshold_1b, classifier_1b: of phase 1B.
        classifier_2: the final classifier.
        spy_flag: set the threshold of phase 1A by spies.
        spy_rate: share of P sent out as spies.
        spy_tolerance: share of spies that may lie below the threshold.
        random_state: seed of everything drawn.

    Attributes:
        classes_: the two labels; the second means labelled positive.
        reliable_negatives_: row numbers of the training data, sorted.
        classifier_: the fitted phase 2 classifier.
    """

    def __init__(
        self,
        iteration_count_1a: int = 1,
        threshold_1a: float = 0.5,
        classifier_1a: str = "logistic_regression",
        flag_1b: bool = False,
        threshold_1b: float = 0.5,
        classifier_1b: str = "logistic_regression",
        classifier_2: str = "logistic_regression",
        spy_flag: bool = False,
        spy_rate: float = 0.1,
        spy_tolerance: float = 0.05,
        random_state: int = 0,
    ) -> None:
        self.iteration_count_1a = iteration_count_1a
        self.threshold_1a = threshold_1a
        self.classifier_1a = classifier_1a
        self.flag_1b = flag_1b
        self.threshold_1b = threshold_1b
        self.classifier_1b = classifier_1b
        self.classifier_2 = classifier_2
        self.spy_flag = spy_flag
        self.spy_rate = spy_rate
        self.spy_tolerance = spy_tolerance
        self.random_state = random_state

    def fit(self, X: np.ndarray, s: np.ndarray, known_negative: np.ndarray | None = None) -> TwoStepClassifier:
        """Learn from labelled and unlabelled rows.

        Args:
            X: float array (n, d) without missing values.
            s: array (n,) of two values; the larger one (1, True) marks labelled positives.
            known_negative: boolean array (n,): rows that are reliable negatives from the start, whatever the phases
                say.

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
        self.reliable_negatives_ = run_alone(reliable_negatives(self.get_params(), rows))
        X_2, y_2 = learning_rows(X, rows.labelled, self.reliable_negatives_)
        seed = rows.ask(self.classifier_2, rows.labelled, self.reliable_negatives_, "others").seed
        with single_threaded():
            self.classifier_ = make_classifier(self.classifier_2, seed).fit(X_2, y_2)
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
        return self.classes_[(self.predict_proba(X)[:, 1] >= CALLED_POSITIVE).astype(int)]

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
