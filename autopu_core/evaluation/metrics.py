"""Metrics of a classifier on test rows whose true labels are known, their meaning, and an interval over folds.

Every metric is a plain float or None, never NaN, so that a result is JSON-ready as it is. None means undefined: the
rows that a metric speaks of don't occur. Precision and F are 0, by convention, where nothing is called positive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

Metrics = dict[str, Any]
Summary = dict[str, dict[str, Any]]
"""For each metric `mean`, `low`, `high` (floats or None), and the `method` that gave the interval."""


class Metric(NamedTuple):
    """What the faces say about a metric."""

    title: str
    meaning: str
    higher_is_better: bool


METRICS: dict[str, Metric] = {
    "f_measure": Metric(
        "F-measure",
        "Balance of precision and recall (their harmonic mean): 1 finds every positive without a false alarm.",
        True,
    ),
    "precision": Metric("Precision", "Of the people called positive, the share that really is.", True),
    "recall": Metric("Recall", "Of the people who really are positive, the share that is found (sensitivity).", True),
    "specificity": Metric("Specificity", "Of the people who really are negative, the share called negative.", True),
    "balanced_accuracy": Metric(
        "Balanced accuracy",
        "Mean of recall and specificity: guessing gives 0.5 however rare the positives are.",
        True,
    ),
    "roc_auc": Metric(
        "ROC AUC",
        "How often a positive person gets a higher probability than a negative one: 0.5 is guessing.",
        True,
    ),
    "average_precision": Metric(
        "Average precision",
        "Mean precision as the list is read from the most to the least probable: guessing gives the prevalence.",
        True,
    ),
    "brier_score": Metric(
        "Brier score",
        "Mean squared error of the probabilities: 0 is perfect, and always saying 50 % gives 0.25.",
        False,
    ),
}
"""All metrics that need true labels, in the order in which they are shown."""

CONTEXT = (
    *("rows", "prevalence", "true_positive", "false_positive", "true_negative", "false_negative"),
    *("labelled", "predicted_positive", "labelled_predicted_positive", "class_prior"),
    *("known_negatives", "known_negatives_predicted_positive"),
)
"""Values beside the metrics of a fold that say what they refer to; they get no interval."""

UNBOUNDED = frozenset({"lee_liu"})
"""Metrics that may exceed 1."""


def binary_metrics(
    y_true: np.ndarray, probability: np.ndarray, *, threshold: float = 0.5, predicted: np.ndarray | None = None
) -> Metrics:
    """Metrics of one test set.

    Args:
        y_true: (n,) true labels, 1 or True for positive; n >= 1.
        probability: (n,) of being positive, 0 .. 1.
        threshold: rows with at least this probability are called positive.
        predicted: (n,) calls, 1 or True for positive, where they don't follow from the threshold.

    Returns:
        The names of `METRICS`, the four counts (`true_positive` ..), `prevalence` (share of positives) and `rows`.

    Raises:
        ValueError: no rows, arrays of unequal length, or a probability outside 0 .. 1 or not a number.
    """
    y, p, called = checked_predictions(y_true, probability, threshold, predicted)
    hits, false_alarms = int((y & called).sum()), int((~y & called).sum())
    positives, negatives = int(y.sum()), int((~y).sum())
    recall = hits / positives if positives else None
    specificity = (negatives - false_alarms) / negatives if negatives else None
    both = positives > 0 and negatives > 0
    return {
        "f_measure": 2 * hits / (positives + hits + false_alarms) if hits else 0.0,
        "precision": hits / (hits + false_alarms) if hits else 0.0,
        "recall": recall,
        "specificity": specificity,
        "balanced_accuracy": (recall + specificity) / 2 if both else None,
        "roc_auc": float(roc_auc_score(y, p)) if both else None,
        "average_precision": float(average_precision_score(y, p)) if positives else None,
        "brier_score": float(brier_score_loss(y, p, pos_label=True)),
        "true_positive": hits,
        "false_positive": false_alarms,
        "true_negative": negatives - false_alarms,
        "false_negative": positives - hits,
        "prevalence": positives / len(y),
        "rows": len(y),
    }


def checked_predictions(
    y_true: np.ndarray, probability: np.ndarray, threshold: float = 0.5, predicted: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels and calls as bool arrays and probabilities as float64, all (n,).

    Raises:
        ValueError: see `binary_metrics`.
    """
    y = np.asarray(y_true).astype(bool)
    p = np.asarray(probability, dtype=np.float64)
    called = p >= threshold if predicted is None else np.asarray(predicted).astype(bool)
    if not len(y) or y.ndim != 1 or p.shape != y.shape or called.shape != y.shape:
        raise ValueError(
            f"Labels, probabilities and calls must be equally long and not empty: {y.shape}, {p.shape}, {called.shape}."
        )
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("A probability is outside 0 .. 1 or not a number.")
    return y, p, called


def interval_over_folds(
    values: Sequence[float | None], level: float = 0.95, upper: float = 1.0
) -> tuple[float | None, float | None]:
    """Student's t interval for the mean of a metric over folds, cut to 0 .. `upper`.

    Folds share training rows, so their values vary less than those of fresh data would: read it as the least
    uncertainty there is.

    Args:
        values: one for each fold; None and NaN are left out.
        level: of confidence, 0 < level < 1.
        upper: greatest possible value of the metric.

    Returns:
        (low, high), both None with fewer than two values.
    """
    known = _known(values)
    if len(known) < 2:
        return None, None
    half = stats.t.ppf((1 + level) / 2, len(known) - 1) * stats.sem(known)
    return max(0.0, float(np.mean(known) - half)), min(upper, float(np.mean(known) + half))


def summarise_folds(folds: Sequence[Mapping[str, Any]], level: float = 0.95) -> Summary:
    """Mean and interval of every metric over outer folds.

    Args:
        folds: one mapping from name to value for each fold, as `binary_metrics` gives; `CONTEXT` is left out.
        level: of confidence.

    Returns:
        For each metric `mean` (None where it is undefined in all folds), `low`, `high` (None with fewer than two
        values) and `method`.
    """
    names = [name for name in (folds[0] if folds else {}) if name not in CONTEXT]
    summary: Summary = {}
    for name in names:
        values = [fold.get(name) for fold in folds]
        low, high = interval_over_folds(values, level, math.inf if name in UNBOUNDED else 1.0)
        known = _known(values)
        mean = float(np.mean(known)) if known else None
        summary[name] = {"mean": mean, "low": low, "high": high, "method": "t interval over folds"}
    return summary


def _known(values: Sequence[float | None]) -> list[float]:
    return [float(value) for value in values if value is not None and not math.isnan(value)]
