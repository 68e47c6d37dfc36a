"""Two-step PU learning: reliable negatives by phases 1A and 1B, a classifier by phase 2 (PU paper, section 2.1).

`two_step` is the algorithm, written once as a plan that asks fit questions; the search runs many of them together, and
`TwoStepClassifier` runs one alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autopu_core.pu.fits import FitQuestion, other_rows
from autopu_core.pu.learners import LearningRows, PhaseFailedError, PUClassifier, answer_value, kept_classifier
from autopu_core.search.planner import Plan, run_alone
from autopu_core.search.seeds import derive_seed


def two_step(candidate: Mapping[str, Any], rows: LearningRows) -> Plan[tuple[np.ndarray, np.ndarray]]:
    """The whole learner, as a plan.

    Returns:
        RN as sorted row numbers, and a float64 array over all rows of the matrix: the probability of rows outside P and
        RN, NaN for the rows that were learned from.

    Raises:
        PhaseFailedError: a phase found no reliable negative, or a classifier failed.
    """
    reliable = yield from reliable_negatives(candidate, rows)
    (answer,) = yield [phase_2(candidate, rows, reliable)]
    probability = np.full(len(rows.matrix.values), np.nan)
    probability[other_rows(len(probability), rows.labelled, reliable)] = answer_value(answer, "phase 2")
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
    reliable = rows.with_known(reliable)
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
        part[answer_value(answer, "phase 1A") < candidate["threshold_1a"]]
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
        probability = answer_value(answer, "phase 1A")
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
    probability = answer_value(answer, "phase 1B")
    others = other_rows(len(rows.matrix.values), rows.labelled, reliable)
    of_remaining = probability[np.searchsorted(others, remaining)]
    return np.union1d(reliable, remaining[of_remaining < candidate["threshold_1b"]]).astype(np.int32)


def phase_2(candidate: Mapping[str, Any], rows: LearningRows, reliable: np.ndarray) -> FitQuestion:
    """Phase 2: the final classifier learns P against RN and predicts every other row."""
    return rows.ask(candidate["classifier_2"], rows.labelled, reliable, "others")


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
    position = min(int(np.floor(tolerance * n_spies + 1e-9)), n_spies - 1)  # 0.29 x 100 is 29, not 28.999..
    return float(np.sort(spy_probability)[position])


class TwoStepClassifier(PUClassifier):
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

    def _learn(self, rows: LearningRows) -> None:
        self.reliable_negatives_ = run_alone(reliable_negatives(self.get_params(), rows))
        self.classifier_ = kept_classifier(phase_2(self.get_params(), rows, self.reliable_negatives_), "phase 2")
