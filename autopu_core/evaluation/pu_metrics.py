"""What can be said of a classifier on genuine PU data: estimates, each with the assumption that it rests on.

Without true labels nothing but the recall on the labelled positives and the share called positive is observed; the rest
follows under SCAR (labelled positives are a random sample of all positives) and, for precision, from a class prior.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autopu_core.evaluation.bootstrap import percentile_summary, resampled_weights
from autopu_core.evaluation.metrics import Summary, checked_predictions
from autopu_core.pu.corrected_forest import class_prior_from_label_frequency, label_frequency
from autopu_core.pu.counts import f_measure, lee_liu, predicted_positive_share, pu_f1, pu_precision, recall

__all__ = [
    "ESTIMATES",
    "Estimate",
    "bootstrap_estimates",
    "class_prior_from_label_frequency",
    "estimated_metrics",
    "f_measure",
    "label_frequency",
    "lee_liu",
    "pu_f1",
    "pu_precision",
]

SCAR = "SCAR: the labelled positives are a random sample of all positives."
_PRIOR = SCAR + " And the share of positives is as estimated."


class Estimate(NamedTuple):
    """What the faces say about a metric that is estimated."""

    title: str
    meaning: str
    assumption: str
    higher_is_better: bool | None


ESTIMATES: dict[str, Estimate] = {
    "pu_f1": Estimate(
        "Estimated F-measure",
        "Balance of the recall on labelled positives and the estimated precision.",
        _PRIOR,
        True,
    ),
    "pu_precision": Estimate(
        "Estimated precision",
        "Of the people called positive, the share that would really be: share of positives x recall / share called.",
        _PRIOR,
        True,
    ),
    "recall_labelled": Estimate(
        "Recall on labelled positives",
        "Of the people known to be positive, the share that is found; it stands for the recall on all positives.",
        SCAR,
        True,
    ),
    "predicted_positive_share": Estimate(
        "Share called positive",
        "Of all people, the share called positive; compare it with the share of positives that is to be expected.",
        "None: this is counted.",
        None,
    ),
    "lee_liu": Estimate(
        "Lee-Liu criterion",
        "Recall squared / share called positive: it ranks classifiers as precision x recall would, and can exceed 1.",
        SCAR,
        True,
    ),
    "specificity_known_negatives": Estimate(
        "Specificity on known negatives",
        "Of the people known to be negative, the share called negative.",
        "The known negatives are like the other negatives.",
        True,
    ),
}
"""All metrics of genuine PU data, in the order in which they are shown."""


def estimated_metrics(
    s: np.ndarray,
    probability: np.ndarray,
    class_prior: float,
    predicted: np.ndarray | None = None,
    *,
    threshold: float = 0.5,
    known_negative: np.ndarray | None = None,
) -> dict[str, Any]:
    """Estimates for one test set of genuine PU data.

    Args:
        s: (n,) 1 labelled positive, 0 unlabelled or known negative.
        probability: (n,) of being positive, 0 .. 1.
        class_prior: share of positives among these rows, hidden ones included; estimated on training rows.
        predicted: (n,) calls, where they don't follow from the threshold.
        threshold: rows with at least this probability are called positive.
        known_negative: bool (n,), or None where nobody is known to be negative.

    Returns:
        The names of `ESTIMATES` (None where the rows they speak of don't occur), the counts that they follow from,
        `known_negatives` (their number) and `class_prior`.

    Raises:
        ValueError: no rows, arrays of unequal length, or a probability outside 0 .. 1 or not a number.
    """
    labelled, _, called = checked_predictions(s, probability, threshold, predicted)
    negative = _negatives(known_negative, labelled)
    counts = _weighted_counts(np.ones((1, len(labelled)), dtype=np.int64), labelled, called, negative)[0]
    return {**_estimates(counts, class_prior), **counts, "class_prior": float(class_prior)}


def bootstrap_estimates(
    s: np.ndarray,
    predicted: np.ndarray,
    class_prior: float,
    *,
    seed: int,
    n: int = 1000,
    level: float = 0.95,
    known_negative: np.ndarray | None = None,
    groups: np.ndarray | None = None,
) -> Summary:
    """Percentile intervals of the estimates on a hold-out, by resampling its rows; the class prior is taken as exact.

    Args:
        s, predicted: (rows,) labels and calls, 1 or True for positive.
        class_prior, known_negative: as in `estimated_metrics`.
        seed, n, level, groups: as in `bootstrap_interval`.

    Returns:
        For each of `ESTIMATES` `mean` (the estimate on the hold-out itself), `low`, `high` and `method`.
    """
    labelled, called = np.asarray(s).astype(bool), np.asarray(predicted).astype(bool)
    negative = _negatives(known_negative, labelled)
    measured = estimated_metrics(labelled, called, class_prior, called, known_negative=negative)
    resampled = [
        _estimates(counts, class_prior)
        for weights in resampled_weights(labelled, seed, n, groups)
        for counts in _weighted_counts(weights, labelled, called, negative)
    ]
    return {
        name: percentile_summary(
            measured[name], np.array([estimates[name] for estimates in resampled], dtype=np.float64), level
        )
        for name in ESTIMATES
    }


def _negatives(known_negative: np.ndarray | None, labelled: np.ndarray) -> np.ndarray:
    return np.zeros(len(labelled), dtype=bool) if known_negative is None else np.asarray(known_negative, dtype=bool)


def _weighted_counts(
    weights: np.ndarray, labelled: np.ndarray, called: np.ndarray, negative: np.ndarray
) -> list[dict[str, int]]:
    columns = {
        "rows": np.ones(len(labelled), dtype=bool),
        "labelled": labelled,
        "predicted_positive": called,
        "labelled_predicted_positive": labelled & called,
        "known_negatives": negative,
        "known_negatives_predicted_positive": negative & called,
    }
    table = (weights @ np.column_stack(list(columns.values())).astype(np.int64)).tolist()
    return [dict(zip(columns, row, strict=True)) for row in table]


def _estimates(counts: dict[str, int], class_prior: float) -> dict[str, float | None]:
    """The names of `ESTIMATES`; what speaks of labelled positives is None where there are none."""
    known = counts["known_negatives"]
    any_labelled = counts["labelled"] > 0
    return {
        "pu_f1": pu_f1(counts, class_prior) if any_labelled else None,
        "pu_precision": pu_precision(counts, class_prior) if any_labelled else None,
        "recall_labelled": recall(counts) if any_labelled else None,
        "predicted_positive_share": predicted_positive_share(counts),
        "lee_liu": lee_liu(counts) if any_labelled else None,
        "specificity_known_negatives": 1 - counts["known_negatives_predicted_positive"] / known if known else None,
    }
