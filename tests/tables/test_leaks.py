"""Columns that alone give the answer away."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from autopu_core.tables import leak_suspects

N = 600
POSITIVE = np.arange(N) % 3 == 0
NOISE = np.random.default_rng(0).normal(size=N)


@pytest.mark.parametrize(
    ("values", "role"),
    [
        (np.where(POSITIVE, 5.0, 0.0) + NOISE * 0.1, "numeric"),
        (np.where(POSITIVE, -5.0, 0.0) + NOISE * 0.1, "numeric"),
        (np.where(POSITIVE, np.sign(NOISE) * 5, 0.0) + NOISE * 0.1, "numeric"),
        (np.where(POSITIVE, 2, np.where(NOISE > 0, 1, 3)), "numeric"),
        (np.where(POSITIVE, "recurred", np.where(NOISE > 0, "not", "unclear")), "category"),
        (POSITIVE, "category"),
        (pd.Timestamp(2020, 1, 1) + pd.to_timedelta(np.where(POSITIVE, 900, 10) + NOISE, unit="D"), "date"),
        (np.where(POSITIVE, NOISE, np.nan), "numeric"),
        (np.where(POSITIVE, np.inf, NOISE), "numeric"),
    ],
)
def test_suspect(values: object, role: str) -> None:
    frame = pd.DataFrame({"hb": NOISE, "score": values})
    found = leak_suspects(frame, {"hb": "numeric", "score": role}, POSITIVE)
    assert [name for name, _ in found] == ["score"]
    assert "'score'" in found[0][1]


def test_innocent() -> None:
    frame = pd.DataFrame(
        {
            "hb": NOISE + POSITIVE,
            "id": np.arange(N),
            "kinds": [f"k{n}" for n in range(N)],
            "gap": np.where(NOISE > 0, NOISE, np.nan),
            "empty": np.nan,
            "seen": pd.to_datetime(["2020-01-01", None] * (N // 2)),
        }
    )
    roles = {"hb": "numeric", "id": "identifier", "kinds": "category", "gap": "numeric", "empty": "numeric"}
    assert leak_suspects(frame, {**roles, "seen": "date"}, POSITIVE) == []


@pytest.mark.parametrize("positive", [np.ones(N, bool), np.zeros(N, bool)])
def test_nothing_to_tell_apart(positive: np.ndarray) -> None:
    assert leak_suspects(pd.DataFrame({"x": NOISE}), {"x": "numeric"}, positive) == []


def test_forty_rows_of_noise_are_not_suspect() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(40, 50))).rename(columns=str)
    assert leak_suspects(frame, dict.fromkeys(frame.columns, "numeric"), np.arange(40) < 20) == []
