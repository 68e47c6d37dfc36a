"""The objective: inner cross-validation of one candidate, from counts against the PU labels (PU paper, section 3.2).

Each inner fold stores counts only; every objective follows from them. A fold that fails counts 0, with its reason; it
is never dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autopu_core.pu.counts import f_measure, lee_liu, pu_f1
from autopu_core.pu.learners import CALLED_POSITIVE, LearningRows, PhaseFailedError
from autopu_core.pu.two_step import two_step
from autopu_core.search.loop import Assessment
from autopu_core.search.planner import Plan
from autopu_core.search.space import Candidate

Learn = Callable[[Mapping[str, Any], LearningRows], Plan[tuple[np.ndarray, np.ndarray]]]
"""A candidate on learning rows, as `two_step` has it: reliable negatives, and the probability of every other row."""


@dataclass(frozen=True)
class InnerFold:
    """One inner split: what is learned from, and the rows that judge.

    Attributes:
        rows: learning rows; their matrix also holds the judging rows.
        judged: numbers of the judging rows in that matrix, sorted.
        s: PU labels of the judging rows, int64, 1 labelled.
    """

    rows: LearningRows
    judged: np.ndarray
    s: np.ndarray


class TwoStepObjective:
    """Scores candidates by the mean over inner folds of one measure.

    Args:
        folds: the inner folds; the same for every candidate of a search.
        learn: how a candidate learns, see `autopu_core.pu.methods.Method.plan`.
        measure: "f_measure", "lee_liu" or "pu_f1".
        class_prior: share of positives among all rows, needed for `pu_f1`.
    """

    def __init__(
        self,
        folds: Sequence[InnerFold],
        measure: str = "f_measure",
        class_prior: float | None = None,
        learn: Learn = two_step,
    ) -> None:
        if measure == "pu_f1" and class_prior is None:
            raise ValueError("pu_f1 needs a class prior.")
        self.folds = tuple(folds)
        self.measure = measure
        self.class_prior = class_prior
        self.learn = learn

    def plans(self, candidate: Candidate) -> list[Plan[dict[str, Any]]]:
        """One plan for each inner fold."""
        return [fold_counts(candidate, fold, self.learn) for fold in self.folds]

    def assess(self, candidate: Candidate, results: Sequence[Mapping[str, Any]]) -> Assessment:
        """Mean over folds; a failed fold counts 0."""
        reasons = [fold["reason"] for fold in results if fold["reason"]]
        outcome = "scored"
        if reasons:
            outcome = "timed_out" if any(fold["timed_out"] for fold in results) else "failed"
        return Assessment(
            fitness=self.fitness(results),
            outcome=outcome,
            folds=tuple(dict(fold) for fold in results),
            reason=reasons[0] if reasons else None,
        )

    def fitness(self, folds: Sequence[Mapping[str, Any]]) -> float:
        """The measure from stored counts; also of trials that another objective scored."""
        return float(np.mean([0.0 if fold["reason"] else self._score(fold) for fold in folds]))

    def _score(self, counts: Mapping[str, Any]) -> float:
        if self.measure == "pu_f1":
            return pu_f1(counts, self.class_prior)
        return {"f_measure": f_measure, "lee_liu": lee_liu}[self.measure](counts)


def fold_counts(candidate: Mapping[str, Any], fold: InnerFold, learn: Learn = two_step) -> Plan[dict[str, Any]]:
    """Counts of one candidate on one inner fold: `rows`, `labelled`, `predicted_positive`,
    `labelled_predicted_positive`, `reliable_negatives`, `reason` (None where it was scored) and `timed_out`."""
    counts = {
        "rows": len(fold.judged),
        "labelled": int(fold.s.sum()),
        "predicted_positive": 0,
        "labelled_predicted_positive": 0,
        "reliable_negatives": 0,
        "reason": None,
        "timed_out": False,
    }
    try:
        reliable, probability = yield from learn(candidate, fold.rows)
    except PhaseFailedError as failure:
        return {**counts, "reason": str(failure), "timed_out": failure.timed_out}
    predicted = probability[fold.judged] >= CALLED_POSITIVE
    return {
        **counts,
        "predicted_positive": int(predicted.sum()),
        "labelled_predicted_positive": int((predicted & (fold.s == 1)).sum()),
        "reliable_negatives": len(reliable),
    }
