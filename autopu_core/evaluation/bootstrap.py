"""Intervals for the metrics of one hold-out, by resampling its rows.

A resample is a row of integer weights, and every metric follows from weighted sums, so a thousand resamples are a few
matrix operations. Resampling is stratified: each resample has as many positives as the hold-out, so that no metric is
undefined in some of them, and the interval belongs to the hold-out's prevalence. Rows of one group stay together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autopu_core.evaluation.metrics import METRICS, Summary, binary_metrics, checked_predictions

_WEIGHTS_AT_ONCE = 4_000_000


def bootstrap_interval(
    y_true: np.ndarray,
    probability: np.ndarray,
    predicted: np.ndarray | None = None,
    *,
    seed: int,
    names: Sequence[str] = tuple(METRICS),
    n: int = 1000,
    level: float = 0.95,
    groups: np.ndarray | None = None,
) -> Summary:
    """Percentile intervals of metrics on a hold-out.

    Args:
        y_true, probability, predicted: (rows,) as in `binary_metrics`.
        seed: of the resampling.
        names: metrics, of `METRICS`.
        n: resamples.
        level: of confidence.
        groups: (rows,) rows with equal values are drawn together.

    Returns:
        For each name `mean` (the metric on the hold-out itself), `low`, `high` and `method`; all three None where the
        metric is undefined.

    Raises:
        ValueError: see `binary_metrics`.
    """
    y, p, called = checked_predictions(y_true, probability, 0.5, predicted)
    measured = binary_metrics(y, p, predicted=called)
    parts = [weighted_metrics(weights, y, p, called) for weights in resampled_weights(y, seed, n, groups)]
    resampled = {name: np.concatenate([part[name] for part in parts]) for name in names}
    return {name: percentile_summary(measured[name], resampled[name], level) for name in names}


def resampled_weights(
    strata: np.ndarray, seed: int, n: int = 1000, groups: np.ndarray | None = None
) -> Iterator[np.ndarray]:
    """How often each row is drawn in each of n resamples with replacement.

    Args:
        strata: bool (rows,): each resample draws as many groups with such a row, and without, as there are.
        seed: of the draw.
        n: resamples.
        groups: (rows,) rows that are drawn together; None draws single rows.

    Yields:
        int64 (resamples, rows), n resamples in all, in blocks of bounded size.
    """
    strata = np.asarray(strata, dtype=bool)
    members = np.arange(len(strata)) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    n_groups = int(members.max()) + 1
    stratum = np.zeros(n_groups, dtype=bool)
    stratum[members[strata]] = True
    kinds = [np.flatnonzero(stratum), np.flatnonzero(~stratum)]
    rng = np.random.default_rng(seed)
    block = max(1, _WEIGHTS_AT_ONCE // len(strata))
    for start in range(0, n, block):
        size = min(block, n - start)
        drawn = np.hstack([kind[rng.integers(len(kind), size=(size, len(kind)))] for kind in kinds if len(kind)])
        flat = (drawn + n_groups * np.arange(size)[:, None]).ravel()
        yield np.bincount(flat, minlength=size * n_groups).reshape(size, n_groups)[:, members]


def percentile_summary(measured: float | None, resampled: np.ndarray, level: float = 0.95) -> dict[str, Any]:
    """The entry of a summary for one metric, from its value and its values in the resamples (NaN where undefined)."""
    low = high = None
    if measured is not None and np.isfinite(resampled).any():
        tail = (1 - level) / 2
        low, high = (float(value) for value in np.nanquantile(resampled, [tail, 1 - tail]))
    return {"mean": measured, "low": low, "high": high, "method": "bootstrap"}


def weighted_metrics(weights: np.ndarray, y: np.ndarray, p: np.ndarray, called: np.ndarray) -> dict[str, np.ndarray]:
    """All of `METRICS` for many weightings of the same rows at once.

    Args:
        weights: (resamples, rows), 0 or more.
        y, called: bool (rows,).
        p: float64 (rows,).

    Returns:
        float64 (resamples,) for each metric, NaN where undefined.
    """
    weights = weights.astype(np.float64)
    hits, false_alarms = weights @ (y & called), weights @ (~y & called)
    positives, negatives = weights @ y, weights @ ~y
    with np.errstate(divide="ignore", invalid="ignore"):
        recall, specificity = hits / positives, 1 - false_alarms / negatives
        return {
            "f_measure": np.where(hits > 0, 2 * hits / (positives + hits + false_alarms), 0.0),
            "precision": np.where(hits > 0, hits / (hits + false_alarms), 0.0),
            "recall": recall,
            "specificity": specificity,
            "balanced_accuracy": (recall + specificity) / 2,
            **_ranking_metrics(weights, y, p),
            "brier_score": weights @ (p - y) ** 2 / weights.sum(axis=1),
        }


def _ranking_metrics(weights: np.ndarray, y: np.ndarray, p: np.ndarray) -> dict[str, np.ndarray]:
    """ROC AUC and average precision from the curves' points, one for each distinct probability."""
    order = np.argsort(-p, kind="stable")
    last_of_ties = np.flatnonzero(np.append(np.diff(p[order]) != 0, True))
    sorted_weights, sorted_y = weights[:, order], y[order]
    found = np.cumsum(sorted_weights * sorted_y, axis=1)[:, last_of_ties]
    alarms = np.cumsum(sorted_weights * ~sorted_y, axis=1)[:, last_of_ties]
    newly_found = np.diff(found, axis=1, prepend=0.0)
    new_alarms = np.diff(alarms, axis=1, prepend=0.0)
    positives, negatives = found[:, -1], alarms[:, -1]
    area = ((found - newly_found / 2) * new_alarms).sum(axis=1)
    called = found + alarms
    precision = np.divide(found, called, out=np.zeros_like(found), where=called > 0)
    return {
        "roc_auc": area / (positives * negatives),
        "average_precision": (newly_found * precision).sum(axis=1) / positives,
    }
