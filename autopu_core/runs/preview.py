"""What a person sees of a run's rows before it starts."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from autopu_core.runs.task import RunTask

_MOST_POINTS = 1500


def project_rows(task: RunTask) -> pd.DataFrame:
    """The first training set in two dimensions: prepared columns, standardised, first two principal components.

    Of a large table a random part is shown; rows with a label are kept before others.

    Returns:
        Columns x, y, kind: "labelled", "hidden" and "negative" in an engineered task; "labelled", "known negative" and
        "unlabelled" in a genuine one.

    Raises:
        AutoPUError: a column can't be prepared.
    """
    split = task.outer[0]
    rng = np.random.default_rng(0)
    positive = task.labels.positive[split.train]
    shown = np.concatenate([_some(np.flatnonzero(positive), rng), _some(np.flatnonzero(~positive), rng)])
    prepared = task.preparer.fit_transform(task.learning_task(split).take(shown))
    points = _two_components(StandardScaler().fit_transform(prepared))
    rest = "unlabelled" if task.labels.genuine else "negative"
    known = task.labels.known_negative[split.train][shown]
    kind = np.where(split.s[shown] == 1, "labelled", np.where(positive[shown], "hidden", rest))
    kind = np.where(known, "known negative", kind)
    return pd.DataFrame({"x": points[:, 0], "y": points[:, 1], "kind": kind})


def _some(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.sort(rng.choice(rows, min(len(rows), _MOST_POINTS // 2), replace=False))


def _two_components(prepared: np.ndarray) -> np.ndarray:
    """Two columns even of a table that has a single feature."""
    components = min(2, *prepared.shape)
    points = PCA(components, svd_solver="full" if min(prepared.shape) < 50 else "randomized", random_state=0)
    projected = points.fit_transform(prepared)
    return np.column_stack([projected, np.zeros(len(projected))])[:, :2]
