import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score

from autopu_core import DeepForestPUClassifier
from autopu_core.pu import deep_forest_pu as module
from autopu_core.pu.deep_forest_pu import (
    DEEP_FOREST_PU_REDUCED,
    DEEP_FOREST_PU_SPACE,
    deep_forest_pu,
    least_likely,
    random_subset,
)
from autopu_core.pu.fits import PreparedMatrix
from autopu_core.pu.learners import PhaseFailedError, learning_rows_of
from autopu_core.search.executor import InlineExecutor
from autopu_core.search.planner import Planner, run_alone


@pytest.fixture
def first_column(monkeypatch):
    """In place of the deep forest a classifier whose probability is the first column."""
    monkeypatch.setattr(sys, "path", [str(Path(__file__).parent), *sys.path])
    monkeypatch.setattr(module, "_LEARNER", "given:FirstColumn")


def rows_of(column, n_labelled=2, seed=0):
    s = (np.arange(len(column)) < n_labelled).astype(int)
    return learning_rows_of(s, PreparedMatrix(np.array(column, dtype=float)[:, None]), seed)


def test_each_round_adds_the_least_likely_that_are_not_there_yet(first_column):
    rows = rows_of([0.9, 0.9, 0.50, 0.10, 0.80, 0.30, 0.20, 0.70, 0.60, 0.40, 0.05, 0.95])
    by_probability = [10, 3, 6, 5, 9, 2, 8, 7, 4, 11]
    for rate, rounds, count in ((0.2, 1, 2), (0.2, 3, 6), (0.01, 4, 4), (0.2, 5, 10), (0.2, 10, 10)):
        genes = {"reliable_negative_rate": rate, "iterations": rounds}
        assert run_alone(least_likely(genes, rows)).tolist() == sorted(by_probability[:count])


def test_equally_likely_rows_join_in_the_order_of_the_table(first_column):
    rows = rows_of([0.9, 0.9, 0.2, 0.1, 0.1, 0.1])
    assert run_alone(least_likely({"reliable_negative_rate": 0.5, "iterations": 1}, rows)).tolist() == [3, 4]


def test_a_round_learns_from_its_own_random_share_of_u():
    rows = rows_of(np.linspace(0, 1, 52))
    subsets = [random_subset(rows, 5, number) for number in range(5)]
    for subset in subsets:
        assert len(subset) == len(set(subset)) == 10
        assert set(subset) <= set(rows.unlabelled)
    assert len({tuple(subset) for subset in subsets}) == 5
    assert random_subset(rows, 5, 0).tolist() == subsets[0].tolist()


def test_all_rates_share_the_rounds(first_column):
    rows = rows_of(np.linspace(0.9, 0, 40))
    planner = Planner(InlineExecutor())
    plans = {rate: deep_forest_pu({"reliable_negative_rate": rate, "iterations": 3}, rows) for rate in (0.05, 0.1, 0.2)}
    results = {rate: reliable for rate, (reliable, _), _ in planner.run(plans)}
    assert [len(results[rate]) for rate in (0.05, 0.1, 0.2)] == [6, 12, 24]
    assert len(planner.asked) == 3 + 3


def test_without_unlabelled_rows_there_is_nothing_to_find():
    rows = learning_rows_of(np.array([1, 1, 0]), PreparedMatrix(np.zeros((3, 1))), 0, np.array([False, False, True]))
    with pytest.raises(PhaseFailedError, match="no unlabelled row"):
        run_alone(deep_forest_pu({"reliable_negative_rate": 0.05, "iterations": 2}, rows))


def test_the_reduced_grid_is_part_of_the_papers_and_holds_the_defaults():
    assert DEEP_FOREST_PU_SPACE.size == 100
    for parameter in DEEP_FOREST_PU_REDUCED.parameters:
        assert set(parameter.choices) <= set(DEEP_FOREST_PU_SPACE[parameter.name].choices)
        assert len(parameter.choices) == 3
        assert getattr(DeepForestPUClassifier(), parameter.name) in parameter.choices


@pytest.mark.slow
def test_it_learns_the_wisconsin_table_and_its_negatives_are_negative(wisconsin_folds):
    scores, called, wrong = [], 0, 0
    for X, s, truth, X_test, y in wisconsin_folds(n_folds=5):
        model = DeepForestPUClassifier().fit(X, s)
        scores.append(f1_score(y, model.predict(X_test)))
        called += len(model.reliable_negatives_)
        wrong += int(truth[model.reliable_negatives_].sum())
    assert np.mean(scores) >= 0.80
    assert wrong / called <= 0.02


def test_the_plan_and_the_estimator_are_one_learner():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3 == 0
    X, s = rng.normal(size=(60, 3)) + 2 * y[:, None], (y & (np.arange(60) < 40)).astype(int)
    genes = {"reliable_negative_rate": 0.2, "iterations": 2}
    reliable, probability = run_alone(deep_forest_pu(genes, learning_rows_of(s, PreparedMatrix(X), 3)))
    model = DeepForestPUClassifier(**genes, random_state=3).fit(X, s)
    assert model.reliable_negatives_.tolist() == reliable.tolist()
    known = ~np.isnan(probability)
    np.testing.assert_array_equal(model.predict_proba(X)[known, 1], probability[known])
