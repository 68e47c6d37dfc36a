"""DF-PU: reliable negatives collected in rounds of deep forests (Zeng, Zhong, Lin & Zou 2020).

The published code sorts the wrong way round and takes the rows *most* likely to be positive; this takes the least
likely, as the method is described, which makes it a stronger baseline than the published figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autopu_core.pu.fits import other_rows
from autopu_core.pu.learners import LearningRows, PhaseFailedError, PUClassifier, answer_value, kept_classifier
from autopu_core.search.planner import Plan, run_alone
from autopu_core.search.seeds import derive_seed
from autopu_core.search.space import Parameter, SearchSpace

_RATES = (0.01, 0.03, 0.05, 0.07, 0.09, 0.11, 0.13, 0.15, 0.17, 0.20)
_LEARNER = "deep_forest"

DEEP_FOREST_PU_SPACE = SearchSpace(
    "df_pu",
    [
        Parameter("reliable_negative_rate", _RATES, "numeric"),
        Parameter("iterations", tuple(range(1, 11)), "numeric"),
    ],
)
"""The grid of DF-PU: 100 settings."""

DEEP_FOREST_PU_REDUCED = SearchSpace(
    "df_pu_reduced",
    [
        Parameter("reliable_negative_rate", (0.03, 0.05, 0.11), "numeric"),
        Parameter("iterations", (2, 5, 8), "numeric"),
    ],
)
"""Nine of these settings, the defaults among them, for the presets quick and standard: the whole grid takes hours."""


def deep_forest_pu(candidate: Mapping[str, Any], rows: LearningRows) -> Plan[tuple[np.ndarray, np.ndarray]]:
    """The whole learner, as a plan.

    Returns:
        RN as sorted row numbers, and a float64 array over all rows of the matrix: the probability of rows outside P and
        RN, NaN for the rows that were learned from.

    Raises:
        PhaseFailedError: there is no unlabelled row, or a deep forest failed.
    """
    reliable = yield from least_likely(candidate, rows)
    (answer,) = yield [rows.ask(_LEARNER, rows.labelled, reliable, "others")]
    probability = np.full(len(rows.matrix.values), np.nan)
    probability[other_rows(len(probability), rows.labelled, reliable)] = answer_value(answer, "step 2")
    return reliable, probability


def least_likely(candidate: Mapping[str, Any], rows: LearningRows) -> Plan[np.ndarray]:
    """RN as sorted int32 row numbers: each round adds the rows of U, of those not in it yet, that are least likely to
    be positive.

    Each round learns P against a random subset of U, drawn anew, and judges all of U. Its forest depends on the number
    of rounds but not on the rate, so all rates share it.

    Raises:
        PhaseFailedError: see `deep_forest_pu`.
    """
    n_unlabelled, n_rounds = len(rows.unlabelled), candidate["iterations"]
    if n_unlabelled == 0:
        raise PhaseFailedError("there is no unlabelled row")
    subsets = [random_subset(rows, n_rounds, number) for number in range(n_rounds)]
    answers = yield [rows.ask(_LEARNER, rows.labelled, subset, "unlabelled") for subset in subsets]
    joining = max(1, round(candidate["reliable_negative_rate"] * n_unlabelled))
    judged = other_rows(len(rows.matrix.values), rows.labelled)
    of_unlabelled = np.searchsorted(judged, rows.unlabelled)
    chosen = np.zeros(n_unlabelled, dtype=bool)
    for number, answer in enumerate(answers):
        probability = answer_value(answer, f"round {number + 1}")[of_unlabelled]
        left = np.flatnonzero(~chosen)
        chosen[left[np.argsort(probability[left], kind="stable")[:joining]]] = True
    return rows.with_known(rows.unlabelled[chosen])


def random_subset(rows: LearningRows, n_rounds: int, number: int) -> np.ndarray:
    """The subset of U that a round learns from, |U| / n_rounds rows, sorted."""
    rng = np.random.default_rng(derive_seed(rows.seed, "round", n_rounds, number))
    size = max(1, round(len(rows.unlabelled) / n_rounds))
    return np.sort(rng.choice(rows.unlabelled, size=size, replace=False))


class DeepForestPUClassifier(PUClassifier):
    """DF-PU.

    Args:
        reliable_negative_rate: share of the unlabelled rows that joins the reliable negatives in each round, at least
            one row.
        iterations: rounds, each learning from a random subset of 1 / iterations of the unlabelled rows.
        random_state: seed of subsets and forests.

    Attributes:
        classes_: the two labels; the second means labelled positive.
        reliable_negatives_: row numbers of the training data, sorted.
        classifier_: the deep forest on P against RN.
    """

    def __init__(self, reliable_negative_rate: float = 0.05, iterations: int = 5, random_state: int = 0) -> None:
        self.reliable_negative_rate = reliable_negative_rate
        self.iterations = iterations
        self.random_state = random_state

    def _learn(self, rows: LearningRows) -> None:
        self.reliable_negatives_ = run_alone(least_likely(self.get_params(), rows))
        question = rows.ask(_LEARNER, rows.labelled, self.reliable_negatives_, "others")
        self.classifier_ = kept_classifier(question, "step 2")
