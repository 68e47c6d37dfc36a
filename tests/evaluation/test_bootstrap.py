"""The bootstrap on a hold-out: same metrics as elsewhere, honest width, fast, repeatable."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autopu_core.evaluation.bootstrap import bootstrap_interval, resampled_weights, weighted_metrics
from autopu_core.evaluation.metrics import METRICS, binary_metrics


def _hold_out(n: int, seed: int, prevalence: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    p = 1 / (1 + np.exp(-(rng.normal(size=n) + 2.0 * y - 1.0)))
    return y.astype(int), np.round(p, 2)


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([0.0, 0.3, 0.5, 0.9]), st.booleans(), st.integers(0, 3)),
        min_size=1,
        max_size=25,
    ).filter(lambda rows: sum(row[3] for row in rows) > 0)
)
def test_weighted_metrics_are_those_of_repeated_rows(rows):
    y, p, called, times = (np.array(column) for column in zip(*rows, strict=True))
    weighted = weighted_metrics(times[None, :], y, p, called)
    repeated = binary_metrics(np.repeat(y, times), np.repeat(p, times), predicted=np.repeat(called, times))
    assert list(weighted) == list(METRICS)
    for name in METRICS:
        expected = np.nan if repeated[name] is None else repeated[name]
        np.testing.assert_allclose(weighted[name], [expected], atol=1e-12, err_msg=name)


def test_each_resample_keeps_the_number_of_positives():
    y, _ = _hold_out(80, seed=0)
    weights = np.vstack(list(resampled_weights(y, seed=1, n=50)))
    assert weights.shape == (50, 80)
    assert (weights.sum(axis=1) == 80).all()
    assert (weights @ y == y.sum()).all()


def test_rows_of_a_group_are_drawn_together():
    y, _ = _hold_out(60, seed=0)
    groups = np.arange(60) // 3
    weights = np.vstack(list(resampled_weights(y, seed=1, n=20, groups=groups)))
    for group in range(20):
        drawn = weights[:, groups == group]
        assert (drawn == drawn[:, :1]).all()


def test_summary_holds_the_measured_value_and_an_interval_around_it():
    y, p = _hold_out(120, seed=0)
    summary = bootstrap_interval(y, p, seed=0)
    measured = binary_metrics(y, p)
    for name in METRICS:
        entry = summary[name]
        assert entry["mean"] == measured[name]
        assert 0 <= entry["low"] < entry["mean"] < entry["high"] <= 1
        assert entry["method"] == "bootstrap"
    json.dumps(summary, allow_nan=False)


def test_interval_covers_the_truth_about_as_often_as_it_says():
    y_all, p_all = _hold_out(200_000, seed=0)
    truth = binary_metrics(y_all, p_all)["roc_auc"]
    covered = 0
    for start in range(100):
        rows = slice(200 * start, 200 * (start + 1))
        entry = bootstrap_interval(y_all[rows], p_all[rows], seed=start, names=["roc_auc"], n=300)["roc_auc"]
        covered += entry["low"] <= truth <= entry["high"]
    assert 88 <= covered <= 100


def test_grouped_rows_give_a_wider_interval():
    y, p = (np.repeat(column, 4) for column in _hold_out(60, seed=3))
    width = {}
    for name, groups in (("rows", None), ("groups", np.repeat(np.arange(60), 4))):
        entry = bootstrap_interval(y, p, seed=0, groups=groups)["roc_auc"]
        width[name] = entry["high"] - entry["low"]
    assert width["groups"] > 1.5 * width["rows"]


def test_same_seed_same_interval_and_small_blocks_too(monkeypatch):
    y, p = _hold_out(50, seed=0)
    whole = bootstrap_interval(y, p, seed=4)
    assert whole == bootstrap_interval(y, p, seed=4)
    assert whole != bootstrap_interval(y, p, seed=5)
    monkeypatch.setattr("autopu_core.evaluation.bootstrap._WEIGHTS_AT_ONCE", 50 * 7)
    in_blocks = bootstrap_interval(y, p, seed=4, n=100)
    assert in_blocks["f_measure"]["mean"] == whole["f_measure"]["mean"]
    assert sum(len(block) for block in resampled_weights(y, seed=0, n=100)) == 100


def test_one_class_leaves_the_undefined_undefined():
    summary = bootstrap_interval(np.zeros(20), np.linspace(0, 1, 20), seed=0)
    assert summary["roc_auc"] == {"mean": None, "low": None, "high": None, "method": "bootstrap"}
    assert summary["specificity"]["low"] < summary["specificity"]["high"]


def test_calls_override_the_threshold():
    y, p = _hold_out(50, seed=0)
    entry = bootstrap_interval(y, p, np.ones(50), seed=0)["recall"]
    assert (entry["mean"], entry["low"], entry["high"]) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("n_rows", [100, 3000])
def test_is_fast(n_rows):
    y, p = _hold_out(n_rows, seed=0)
    started = time.process_time()
    bootstrap_interval(y, p, seed=0)
    assert time.process_time() - started < 5
