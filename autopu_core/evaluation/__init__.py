"""Judging systems: test protocol, metrics and their intervals, plain references, statistics over data sets, benchmark
tables."""

from autopu_core.evaluation.benchmark import SYSTEM_TITLES, BenchmarkResults
from autopu_core.evaluation.benchmark_published import beside, published, published_run_times
from autopu_core.evaluation.benchmark_tables import NamedTable, paper_tables
from autopu_core.evaluation.bootstrap import bootstrap_interval
from autopu_core.evaluation.frequencies import hyperparameter_frequencies, most_frequent_values
from autopu_core.evaluation.metrics import METRICS, binary_metrics, interval_over_folds, summarise_folds
from autopu_core.evaluation.pu_metrics import ESTIMATES, bootstrap_estimates, estimated_metrics
from autopu_core.evaluation.references import REFERENCES, Prediction
from autopu_core.evaluation.statistics import (
    RankComparison,
    average_ranks,
    correlation_strength,
    correlation_with_prevalence,
    friedman_nemenyi,
    wilcoxon_holm,
)

__all__ = [
    "ESTIMATES",
    "METRICS",
    "REFERENCES",
    "SYSTEM_TITLES",
    "BenchmarkResults",
    "NamedTable",
    "Prediction",
    "RankComparison",
    "average_ranks",
    "beside",
    "binary_metrics",
    "bootstrap_estimates",
    "bootstrap_interval",
    "correlation_strength",
    "correlation_with_prevalence",
    "estimated_metrics",
    "friedman_nemenyi",
    "hyperparameter_frequencies",
    "interval_over_folds",
    "most_frequent_values",
    "paper_tables",
    "published",
    "published_run_times",
    "summarise_folds",
    "wilcoxon_holm",
]
