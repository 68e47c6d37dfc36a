"""Judging systems: test protocol, metrics and their intervals, plain references, statistics over data sets."""

from autopu_core.evaluation.bootstrap import bootstrap_interval
from autopu_core.evaluation.metrics import METRICS, binary_metrics, interval_over_folds, summarise_folds
from autopu_core.evaluation.pu_metrics import ESTIMATES, bootstrap_estimates, estimated_metrics
from autopu_core.evaluation.references import REFERENCES, Prediction

__all__ = [
    "ESTIMATES",
    "METRICS",
    "REFERENCES",
    "Prediction",
    "binary_metrics",
    "bootstrap_estimates",
    "bootstrap_interval",
    "estimated_metrics",
    "interval_over_folds",
    "summarise_folds",
]
