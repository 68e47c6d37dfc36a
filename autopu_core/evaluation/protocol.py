"""The test protocol: which rows train, which test, and which positives are hidden (PU paper, sections 5.1 and 5.2).

Test rows keep their true labels and are never seen by a search. The splits follow from data, labels and seed only, so
systems that are compared use the same folds and the same hidden positives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autopu_core.errors import LabelError
from autopu_core.pu.folds import folds, holdout
from autopu_core.pu.labels import Labels, hide_positives
from autopu_core.search.seeds import derive_seed


@dataclass(frozen=True)
class OuterSplit:
    """One training set with its PU labels, and its test set.

    Attributes:
        name: "fold 1" .., "hold-out", or "final" for all rows without a test set.
        train, test: positions among the rows that take part, ascending; `test` is empty for "final".
        s: int64 (len(train),): 1 labelled, 0 unlabelled or known negative.
    """

    name: str
    train: np.ndarray
    test: np.ndarray
    s: np.ndarray


def outer_splits(
    labels: Labels,
    *,
    delta: float,
    n_folds: int | None,
    share: float | None,
    inner_folds: int,
    seed: int,
    groups: np.ndarray | None = None,
) -> list[OuterSplit]:
    """The training and test sets of a run, stratified by the true label (by the PU label where the task is genuine).

    Args:
        labels: of the rows that take part.
        delta: share of positives to hide in each training set; ignored for a genuine task.
        n_folds, share: folds of the outer cross-validation, or the share of rows kept for one test.
        inner_folds: labelled positives that every training set must keep at least.
        seed: of the run.
        groups: (n,) rows with equal values stay together.

    Raises:
        LabelError: too few rows of a kind, see there.
    """
    strata = labels.positive.astype(np.int64)
    outer_seed = derive_seed(seed, "outer")
    if n_folds is not None:
        splits = folds(strata, n_folds, outer_seed, groups)
        names = [f"fold {number + 1}" for number in range(n_folds)]
    else:
        splits, names = [holdout(strata, share, outer_seed, groups)], ["hold-out"]
    return [
        OuterSplit(name, train, test, _labelled(labels, train, delta, inner_folds, derive_seed(seed, name), groups))
        for name, (train, test) in zip(names, splits, strict=True)
    ]


def final_split(
    labels: Labels, *, delta: float, inner_folds: int, seed: int, groups: np.ndarray | None = None
) -> OuterSplit:
    """All rows, for the search whose winner is exported; `delta` 0 labels all known positives."""
    everything = np.arange(len(labels.rows))
    s = _labelled(labels, everything, delta, inner_folds, derive_seed(seed, "final"), groups)
    return OuterSplit("final", everything, everything[:0], s)


def _labelled(
    labels: Labels, train: np.ndarray, delta: float, least: int, seed: int, groups: np.ndarray | None
) -> np.ndarray:
    y = labels.positive[train].astype(np.int64)
    if labels.genuine:
        if y.sum() < least:
            raise LabelError(
                f"Only {y.sum()} labelled positives are left for training, too few for {least} inner folds; "
                "this method needs at least one in each."
            )
        return y
    return hide_positives(y, delta, derive_seed(seed, "hidden"), None if groups is None else groups[train], least)
