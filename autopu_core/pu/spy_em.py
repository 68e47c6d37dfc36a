"""S-EM: reliable negatives by spies, then expectation maximisation with naive Bayes (Liu, Lee, Yu & Li 2002).

Step 1 depends on the spies only, so all tolerances share it; step 2 depends on the reliable negatives only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from autopu_core.pu.fits import PreparedMatrix, library_versions, load_matrix, other_rows
from autopu_core.pu.learners import LearningRows, PhaseFailedError, PUClassifier, answer_value
from autopu_core.pu.soft_naive_bayes import SoftNaiveBayes, expectation_maximisation, least_error
from autopu_core.pu.two_step import draw_spies, spy_threshold
from autopu_core.search.executor import Work
from autopu_core.search.planner import Plan, run_alone
from autopu_core.search.space import Parameter, SearchSpace

SPY_EM_SPACE = SearchSpace(
    "s_em",
    [
        Parameter("spy_rate", tuple(round(0.05 * step, 2) for step in range(1, 8)), "numeric"),
        Parameter("spy_tolerance", tuple(round(0.01 * step, 2) for step in range(11)), "numeric"),
    ],
)
"""The grid of S-EM: 77 settings."""


@dataclass(frozen=True)
class EMQuestion:
    """Learn by expectation maximisation and place the rows asked for.

    Attributes:
        matrix: the prepared table.
        positive_rows: fixed positive.
        negative_rows: negative at the start.
        unlabelled_rows: without a label at the start.
        final: take the iteration with the least estimated error and give probabilities of all rows outside
            `positive_rows` and `negative_rows`; otherwise take the last and give the log odds of `negative_rows`.
    """

    matrix: PreparedMatrix
    positive_rows: np.ndarray
    negative_rows: np.ndarray
    unlabelled_rows: np.ndarray
    final: bool

    @cached_property
    def key(self) -> str:
        """Digest of everything that the answer depends on, library versions included."""
        facts = (self.matrix.fingerprint, "expectation maximisation", self.final, library_versions())
        digest = hashlib.blake2b(repr(facts).encode(), digest_size=20)
        for rows in (self.positive_rows, self.negative_rows, self.unlabelled_rows):
            digest.update(len(rows).to_bytes(8, "big"))
            digest.update(np.ascontiguousarray(rows, dtype=np.int32).data)
        return digest.hexdigest()

    kind = "expectation maximisation"

    @property
    def size(self) -> int:
        """Rows learned from."""
        return len(self.positive_rows) + len(self.negative_rows) + len(self.unlabelled_rows)

    def refusal(self) -> str | None:
        """It always ends well enough to be tried."""
        return None

    def work(self) -> Work:
        """The computation, to be sent to a worker."""
        rows = (self.positive_rows, self.negative_rows, self.unlabelled_rows)
        return EMWork(self.matrix.source, *rows, self.final)


@dataclass(frozen=True)
class EMWork:
    """An `EMQuestion` as a picklable call; see there."""

    source: np.ndarray | str
    positive_rows: np.ndarray
    negative_rows: np.ndarray
    unlabelled_rows: np.ndarray
    final: bool

    def __call__(self) -> np.ndarray:
        """float64: log odds, or probabilities."""
        values = load_matrix(self.source)
        learn = fit_final if self.final else fit_last
        model = learn(values, self.positive_rows, self.negative_rows, self.unlabelled_rows)
        if not self.final:
            return model.log_odds(values[self.negative_rows])
        others = other_rows(len(values), self.positive_rows, self.negative_rows)
        return expit(model.log_odds(values[others]))


def fit_last(values: np.ndarray, positive: np.ndarray, negative: np.ndarray, unlabelled: np.ndarray) -> SoftNaiveBayes:
    """The classifier with which expectation maximisation settles."""
    *_, last = expectation_maximisation(values[positive], values[negative], values[unlabelled])
    return last


def fit_final(values: np.ndarray, positive: np.ndarray, negative: np.ndarray, unlabelled: np.ndarray) -> SoftNaiveBayes:
    """The classifier of the iteration with the least estimated error."""
    X_positive, X_negative, X_unlabelled = (values[rows] for rows in (positive, negative, unlabelled))
    iterations = expectation_maximisation(X_positive, X_negative, X_unlabelled)
    return least_error(iterations, X_positive, np.vstack([X_negative, X_unlabelled]))


def spy_em(candidate: Mapping[str, Any], rows: LearningRows) -> Plan[tuple[np.ndarray, np.ndarray]]:
    """The whole learner, as a plan.

    Returns:
        RN as sorted row numbers, and a float64 array over all rows of the matrix: the probability of rows outside P and
        RN, NaN for the others.

    Raises:
        PhaseFailedError: no row is a reliable negative, or naive Bayes degenerates.
    """
    reliable = yield from spied_negatives(candidate, rows)
    (answer,) = yield [_second_step(rows, reliable)]
    probability = np.full(len(rows.matrix.values), np.nan)
    probability[other_rows(len(probability), rows.labelled, reliable)] = answer_value(answer, "step 2")
    return reliable, probability


def spied_negatives(candidate: Mapping[str, Any], rows: LearningRows) -> Plan[np.ndarray]:
    """Step 1: RN as sorted int32 row numbers.

    Raises:
        PhaseFailedError: see `spy_em`.
    """
    if len(rows.unlabelled) == 0:
        raise PhaseFailedError("there is no unlabelled row")
    spies = draw_spies(rows, candidate["spy_rate"])
    kept = np.setdiff1d(rows.labelled, spies, assume_unique=True).astype(np.int32)
    mixed = np.union1d(rows.unlabelled, spies).astype(np.int32)
    (answer,) = yield [EMQuestion(rows.matrix, kept, mixed, _NONE, final=False)]
    log_odds = answer_value(answer, "step 1")
    is_spy = np.isin(mixed, spies, assume_unique=True)
    threshold = spy_threshold(log_odds[is_spy], candidate["spy_tolerance"])
    reliable = rows.with_known(mixed[~is_spy & (log_odds < threshold)])
    if len(reliable) == 0:
        raise PhaseFailedError("step 1 found no reliable negative")
    return reliable


_NONE = np.empty(0, dtype=np.int32)


def _second_step(rows: LearningRows, reliable: np.ndarray) -> EMQuestion:
    rest = np.setdiff1d(rows.unlabelled, reliable, assume_unique=True).astype(np.int32)
    return EMQuestion(rows.matrix, rows.labelled, reliable, rest, final=True)


class SpyEMClassifier(PUClassifier):
    """S-EM with Gaussian naive Bayes.

    Args:
        spy_rate: share of the labelled positives that hide among the unlabelled rows as spies.
        spy_tolerance: share of spies that may lie below the threshold of reliable negatives.
        random_state: seed of the spies.

    Attributes:
        classes_: the two labels; the second means labelled positive.
        reliable_negatives_: row numbers of the training data, sorted.
        classifier_: naive Bayes of the iteration with the least estimated error.
    """

    def __init__(self, spy_rate: float = 0.15, spy_tolerance: float = 0.05, random_state: int = 0) -> None:
        self.spy_rate = spy_rate
        self.spy_tolerance = spy_tolerance
        self.random_state = random_state

    def _learn(self, rows: LearningRows) -> None:
        self.reliable_negatives_ = run_alone(spied_negatives(self.get_params(), rows))
        second = _second_step(rows, self.reliable_negatives_)
        split = (second.positive_rows, second.negative_rows, second.unlabelled_rows)
        self.classifier_ = fit_final(rows.matrix.values, *split)
