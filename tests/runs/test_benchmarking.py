from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from autopu_core.errors import SettingsError
from autopu_core.pu.methods import METHODS
from autopu_core.pu.spaces import BASE_SPACE
from autopu_core.runs import Store
from autopu_core.runs.benchmarking import SYSTEMS, BenchmarkPlan, collect, run_benchmark, system_of
from autopu_core.search.space import SearchSpace
from autopu_core.tables import Table

PLAN = BenchmarkPlan(deltas=(0.2,), systems=("bo_base", "random_bo_base"), target="sick", folds=2, jobs=1)


def clinic(name, seed, positives=30):
    rng = np.random.default_rng(seed)
    sick = np.arange(90) < positives
    return Table.from_frame(
        pd.DataFrame({"a": rng.normal(size=90) + 2 * sick, "b": rng.normal(size=90), "sick": sick * 1}), name
    )


@pytest.fixture
def cheap(monkeypatch):
    """Classifiers that fit in milliseconds."""
    choices = ("gaussian_nb", "lda", "extra_tree")
    parameters = [
        replace(each, choices=choices) if each.name.startswith("classifier") else each for each in BASE_SPACE.parameters
    ]
    monkeypatch.setitem(METHODS, "base", replace(METHODS["base"], space=SearchSpace("base", parameters)))


def test_every_system_is_a_run_and_the_run_tells_its_system():
    for preset in ("quick", "standard", "paper"):
        plan = BenchmarkPlan(preset=preset)
        settings = {system: plan.settings("d", 0.4, system) for system in SYSTEMS}
        assert {system: system_of(each) for system, each in settings.items()} == {system: system for system in SYSTEMS}
        assert len({each.comparison_key for each in settings.values()}) == 1
        for space in ("base", "extended"):
            for optimizer in ("ga", "bo", "ebo"):
                budgets = {
                    settings[name].assessments_per_search
                    for name in (f"{optimizer}_{space}", f"random_{optimizer}_{space}")
                }
                assert len(budgets) == 1


def test_an_unknown_system_is_named():
    with pytest.raises(SettingsError, match="'pso_base'"):
        BenchmarkPlan(systems=("pso_base",))


def test_a_benchmark_resumes_and_gives_the_same_numbers_from_an_empty_folder(tmp_path, cheap):
    tables = [clinic("one.csv", 1), clinic("two.csv", 2)]
    seen = []
    with Store(tmp_path / "first") as store:
        progress = run_benchmark(
            store, tables[:1], PLAN, lambda each: seen.append((each.done, each.cells, each.current))
        )
        assert (progress.done, progress.failures) == (2, [])
        assert (0, 2, "one, delta 0.2, bo_base") in seen
        run_benchmark(store, tables, PLAN)
        assert len(store.runs()) == 4  # the first two weren't done again
        whole = collect(store)
    assert set(whole.scores["system"]) == {
        *PLAN.systems,
        "everybody_positive",
        "logistic_regression",
        "corrected_forest",
    }
    each = whole.scores.groupby(["dataset", "delta", "system", "metric"])["fold"].apply(sorted)
    assert set(each.map(tuple)) == {("fold 1", "fold 2")}
    assert dict(zip(whole.datasets["dataset"], whole.datasets["positives"], strict=True)) == {"one": 30, "two": 30}
    assert (whole.costs["fits_naive"] >= whole.costs["fits_distinct"]).all()
    with Store(tmp_path / "second") as store:
        run_benchmark(store, tables[1:], PLAN)
        alone = collect(store)
    again = whole.scores[whole.scores["dataset"] == "two"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone.scores, again)


def test_a_cell_that_cannot_work_is_a_failure_with_its_reason(tmp_path, cheap):
    with Store(tmp_path) as store:
        progress = run_benchmark(store, [clinic("rare.csv", 3, positives=4), clinic("one.csv", 1)], PLAN)
        assert progress.done == 4
        assert [cell for cell, _ in progress.failures] == [
            "rare, delta 0.2, bo_base",
            "rare, delta 0.2, random_bo_base",
        ]
        assert all("positive" in reason for _, reason in progress.failures)
        assert set(collect(store).datasets["dataset"]) == {"one"}
