"""Columns that alone give the answer away: follow-up data, or the score that the diagnosis was made from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from autopu_core.tables.roles import LEARNED_ROLES

LEAK_AUC = 0.99
"""Area under the ROC curve from which one column alone is suspect."""

_MOST_KINDS = 0.1  # of the rows; more kinds would tell any labels apart
_FEW_KINDS = 10
_BINS = 20
_ROWS_IN_BIN = 20


def leak_suspects(frame: pd.DataFrame, roles: Mapping[str, str], positive: np.ndarray) -> list[tuple[str, str]]:
    """Columns that alone nearly give the answer away, with the reason in words.

    A column is suspect when its values, the shares of positives among its kinds or among its ranges of values, or
    merely whether it is filled in, rank positives before the others with an area under the ROC curve of at least 0.99.

    Args:
        frame: rows of the table; leave the target column out of `roles` or of the frame.
        roles: column -> role.
        positive: bool (n,).
    """
    positive = np.asarray(positive, dtype=bool)
    if positive.all() or not positive.any():
        return []
    suspects = []
    for name in frame.columns:
        if roles.get(name) not in LEARNED_ROLES:
            continue
        column = frame[name]
        if any(_auc(positive, score) >= LEAK_AUC for score in _scores(column, roles[name], positive)):
            suspects.append((name, f"the column {name!r} alone tells positives from the others almost perfectly"))
        elif _auc(positive, column.isna().to_numpy(dtype=float)) >= LEAK_AUC:
            suspects.append((name, f"whether {name!r} is filled in already tells positives from the others"))
    return suspects


def _scores(column: pd.Series, role: str, positive: np.ndarray) -> list[np.ndarray]:
    """Ways in which a column ranks the rows, each (n,)."""
    codes, kinds = pd.factorize(column)
    few = len(kinds) <= max(_FEW_KINDS, _MOST_KINDS * len(column)) and len(kinds) < 0.5 * len(column)
    if role == "category" or isinstance(column.dtype, pd.StringDtype):
        return [_rates(codes, positive)] if few else []
    values = column.astype("float64") if role == "numeric" else (column - column.min()) / pd.Timedelta(days=1)
    filled = values.fillna(values.median()).to_numpy()
    scores = [filled]
    if len(kinds) <= _FEW_KINDS and few:
        scores.append(_rates(codes, positive))
    elif len(column) >= _BINS * _ROWS_IN_BIN:
        ranges = pd.qcut(values.rank(method="average"), _BINS, labels=False, duplicates="drop")
        scores.append(_rates(ranges.fillna(-1).to_numpy().astype(int), positive))
    return scores


def _rates(codes: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """Share of positives among the rows of equal code; missing is -1, a code of its own."""
    counts = np.bincount(codes + 1)
    return (np.bincount(codes + 1, weights=positive) / np.maximum(counts, 1))[codes + 1]


def _auc(positive: np.ndarray, score: np.ndarray) -> float:
    """Area under the ROC curve, whichever way round."""
    if score.min() == score.max():
        return 0.5
    area = roc_auc_score(positive, np.nan_to_num(score, posinf=1e300, neginf=-1e300))
    return max(area, 1 - area)
