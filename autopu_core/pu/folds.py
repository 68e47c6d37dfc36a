"""Splitting rows into folds, outer and inner: stratified, seeded, and never through a group."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, StratifiedShuffleSplit

from autopu_core.errors import LabelError

Split = tuple[np.ndarray, np.ndarray]
"""Positions of the training rows and of the test rows, both ascending."""


def folds(strata: np.ndarray, n_folds: int, seed: int, groups: np.ndarray | None = None) -> list[Split]:
    """Stratified k-fold splits of n rows.

    Args:
        strata: (n,) label that every fold gets its share of; 1 marks the rarer, interesting kind.
        n_folds: number of folds.
        seed: of the shuffle.
        groups: (n,) rows with equal values stay in one fold.

    Raises:
        LabelError: fewer positives (or groups with positives), or fewer other rows, than folds.
    """
    _check(strata, n_folds, groups)
    rows = np.zeros(len(strata))
    if groups is None:
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        return list(splitter.split(rows, strata))
    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    splits = list(splitter.split(rows, strata, groups))
    if any(strata[part].sum() == 0 for split in splits for part in split):
        raise LabelError(
            f"The groups are so uneven that one of {n_folds} folds gets no positive row; choose fewer folds."
        )
    return splits


def holdout(strata: np.ndarray, share: float, seed: int, groups: np.ndarray | None = None) -> Split:
    """One stratified split that keeps about `share` of the rows (whole groups, if there are any) for the test.

    Raises:
        LabelError: too few rows of a kind for both parts.
    """
    if groups is not None:
        return folds(strata, max(2, round(1 / share)), seed, groups)[0]
    for kind, name in ((1, "positive"), (0, "other")):
        if (strata == kind).sum() < 2:
            raise LabelError(f"A hold-out needs at least 2 {name} rows; this table has {(strata == kind).sum()}.")
    splitter = StratifiedShuffleSplit(1, test_size=share, random_state=seed)
    try:
        train, test = next(splitter.split(np.zeros(len(strata)), strata))
    except ValueError:
        raise LabelError(
            f"A hold-out of {share:.0%} of {len(strata)} rows leaves too few for training or test; keep another share."
        ) from None
    return np.sort(train), np.sort(test)


def _check(strata: np.ndarray, n_folds: int, groups: np.ndarray | None) -> None:
    if groups is not None:
        with_positive = len(np.unique(groups[strata == 1]))
        if with_positive < n_folds:
            raise LabelError(
                f"Only {with_positive} groups have a positive row, too few for {n_folds} folds; choose fewer folds."
            )
        return
    for kind, name in ((1, "positive"), (0, "other")):
        count = int((strata == kind).sum())
        if count < n_folds:
            raise LabelError(f"There are only {count} {name} rows, too few for {n_folds} folds; choose fewer folds.")
