"""Measures of a PU classifier that follow from counts against the PU labels (PU paper, section 3.2).

The counts of a fold are a mapping with `rows`, `labelled` (labelled positives among them), `predicted_positive` and
`labelled_predicted_positive`; other keys are ignored. Nothing here needs to know a true label, so all of it also holds
for genuine PU data. Each measure is 0 where no labelled positive is called positive.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Counts = Mapping[str, Any]


def recall(counts: Counts) -> float:
    """Share of the labelled positives that are called positive; under SCAR, of all positives."""
    return counts["labelled_predicted_positive"] / counts["labelled"] if counts["labelled"] else 0.0


def predicted_positive_share(counts: Counts) -> float:
    """Share of all rows that are called positive."""
    return counts["predicted_positive"] / counts["rows"] if counts["rows"] else 0.0


def f_measure(counts: Counts) -> float:
    """F of the calls against the PU labels, as if every unlabelled row were negative.

    Its precision is biased low: hidden positives that are found count as errors.
    """
    hits = counts["labelled_predicted_positive"]
    return 2 * hits / (counts["labelled"] + counts["predicted_positive"]) if hits else 0.0


def lee_liu(counts: Counts) -> float:
    """recall^2 / Pr[called positive] (Lee & Liu 2003): under SCAR proportional to precision x recall.

    0 .. 1 / (share of positives); it ranks like F but is no share itself, and can exceed 1.
    """
    share = predicted_positive_share(counts)
    return recall(counts) ** 2 / share if share else 0.0


def pu_precision(counts: Counts, class_prior: float) -> float:
    """Precision under SCAR: class_prior x recall / Pr[called positive], at most 1.

    Args:
        counts: of one fold.
        class_prior: share of positives, hidden ones included, among the rows counted.
    """
    share = predicted_positive_share(counts)
    return min(1.0, class_prior * recall(counts) / share) if share else 0.0


def pu_f1(counts: Counts, class_prior: float) -> float:
    """F of the recall on the labelled positives and the precision that the class prior implies, see `pu_precision`."""
    found, precise = recall(counts), pu_precision(counts, class_prior)
    return 2 * precise * found / (precise + found) if precise + found else 0.0
