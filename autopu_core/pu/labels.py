"""From a target column to true labels `y`, PU labels `s` and the rows that take part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from autopu_core.errors import LabelError
from autopu_core.tables import as_text

_SHOWN_VALUES = 8


@dataclass(frozen=True)
class Labels:
    """Labels of the rows that take part.

    Attributes:
        rows: positions in the table, int64 (n,), ascending.
        positive: bool (n,): the target says positive. In an engineered task this is the true label `y`, in a genuine
            one the known positives `s`.
        known_negative: bool (n,): rows known to be negative; all False in an engineered task, where every row that
            isn't positive is a true negative.
        left_out: rows without a target value, left out of an engineered task.
        genuine: the task.
    """

    rows: np.ndarray
    positive: np.ndarray
    known_negative: np.ndarray
    left_out: int
    genuine: bool


def read_labels(
    target: pd.Series, positive: Sequence[str], negative: Sequence[str] = (), genuine: bool = False
) -> Labels:
    """Labels from the target column.

    Args:
        target: the column as read; values are compared as text ("1" matches 1 and 1.0).
        positive: values that mean positive.
        negative: values that mean known negative (genuine task only).
        genuine: rows with an empty target are unlabelled; otherwise they are left out.

    Raises:
        LabelError: a value doesn't occur, nothing is positive, or nothing is left besides positives.
    """
    text = as_text(target)
    name = target.name
    for value in (*positive, *negative):
        if not (text == value).any():
            raise LabelError(f"The column {name!r} has no value {value!r}; it holds {_listed(text)}.")
    if negative and not genuine:
        raise LabelError(
            "Known negatives can only be named in a genuine task: otherwise all other values are negative."
        )
    is_positive = text.isin(list(positive)).to_numpy(dtype=bool)
    is_negative = text.isin(list(negative)).to_numpy(dtype=bool)
    taken = np.ones(len(text), dtype=bool) if genuine else text.notna().to_numpy()
    rest = taken & ~is_positive & ~is_negative
    if not rest.any():
        kind = "unlabelled" if genuine else "negative"
        raise LabelError(f"Every row of {name!r} is positive or known: there is no {kind} row to learn from.")
    rows = np.flatnonzero(taken)
    return Labels(rows, is_positive[rows], is_negative[rows], int((~taken).sum()), genuine)


def hide_positives(
    y: np.ndarray, delta: float, seed: int = 0, groups: np.ndarray | None = None, least: int = 1
) -> np.ndarray:
    """PU labels in which a share of the positives is hidden among the unlabelled (PU paper, section 5.1).

    Args:
        y: true labels (n,), 1 or True for positives.
        delta: share of positives to hide, 0 <= delta < 1; round(delta x positives) are hidden, drawn uniformly.
        seed: of the draw.
        groups: (n,) rows with equal values are hidden together; then the number hidden is the nearest that whole
            groups, taken in random order, give.
        least: positives that must stay labelled.

    Returns:
        s, int64 (n,): 1 labelled positive, 0 unlabelled.

    Raises:
        LabelError: fewer than `least` positives would stay labelled, or delta is out of range.
    """
    if not 0 <= delta < 1:
        raise LabelError(f"The share of positives to hide (delta) must be at least 0 and below 1, not {delta}.")
    y = np.asarray(y)
    positives = np.flatnonzero(y == 1)
    to_hide = round(delta * len(positives))
    if len(positives) - to_hide < least:
        raise LabelError(
            f"Hiding {delta:.0%} of {len(positives)} positives leaves {len(positives) - to_hide} labelled, but at "
            f"least {least} are needed (one for each inner fold); hide fewer or choose fewer folds."
        )
    rng = np.random.default_rng(seed)
    if groups is None:
        hidden = rng.choice(positives, size=to_hide, replace=False)
    else:
        hidden = _hidden_groups(positives, np.asarray(groups), to_hide, rng)
        labelled_groups = len(np.unique(np.asarray(groups)[np.setdiff1d(positives, hidden)]))
        if labelled_groups < least:
            raise LabelError(
                f"Hiding {delta:.0%} of the positives, whole groups together, leaves {labelled_groups} labelled "
                f"groups, but at least {least} are needed (one for each inner fold); hide fewer or choose fewer folds."
            )
    s = np.zeros(len(y), dtype=np.int64)
    s[positives] = 1
    s[hidden] = 0
    return s


def _hidden_groups(positives: np.ndarray, groups: np.ndarray, to_hide: int, rng: np.random.Generator) -> np.ndarray:
    """All positive rows of randomly ordered groups, as many groups as bring the number nearest to `to_hide`."""
    names, member, sizes = np.unique(groups[positives], return_inverse=True, return_counts=True)
    order = rng.permutation(len(names))
    reached = np.concatenate([[0], np.cumsum(sizes[order])])
    n_groups = int(np.argmin(np.abs(reached - to_hide)))
    return positives[np.isin(member, order[:n_groups])]


def _listed(text: pd.Series) -> str:
    counts = text.value_counts()
    if counts.empty:
        return "no value at all"
    shown = ", ".join(f"{value!r} ({count} rows)" for value, count in counts.head(_SHOWN_VALUES).items())
    return shown + (f" and {len(counts) - _SHOWN_VALUES} more" if len(counts) > _SHOWN_VALUES else "")
