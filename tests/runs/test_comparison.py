"""Which runs may stand side by side, and the tables that are drawn from those."""

from __future__ import annotations

import dataclasses
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from autopu_core.charts.search import convergence
from autopu_core.evaluation.metrics import METRICS
from autopu_core.evaluation.pu_metrics import ESTIMATES
from autopu_core.evaluation.references import REFERENCES
from autopu_core.pu.spaces import BASE_SPACE
from autopu_core.runs import RunSettings, Store, comparison
from autopu_core.search.journal import Trial

SETTINGS = RunSettings(dataset="", target="diagnosis", positive=("sick",), optimizer="ga", folds=2, holdout=None)
CANDIDATE = {
    "iteration_count_1a": 3,
    "threshold_1a": 0.15,
    "classifier_1a": "lda",
    "flag_1b": False,
    "classifier_2": "knn",
}
INACTIVE = {"threshold_1b": 0.5, "classifier_1b": "svm"}
OTHER_VALUES = {
    "dataset": "another",
    "target": "outcome",
    "positive": ("sick", "ill"),
    "negative": ("well",),
    "use_known_negatives": True,
    "task": "genuine",
    "delta": 0.2,
    "group": "patient",
    "drop": ("id",),
    "roles": {"grade": "category"},
    "dates": "drop",
    "scale": True,
    "folds": 3,
    "holdout": 0.3,
    "inner_folds": 3,
    "seed": 1,
    "optimizer": "bo",
    "space": "extended",
    "objective": "lee_liu",
    "preset": "standard",
    "configurations": 7,
    "iterations": 3,
    "k": 2,
    "final_search": True,
    "hide_in_final": True,
    "jobs": 2,
    "time_limit": 60.0,
    "fit_limit": 5.0,
    "memory_limit_mb": 512,
    "cache": False,
}
SAME_TESTS = {
    *("optimizer", "space", "objective", "preset", "configurations", "iterations", "k", "final_search"),
    *("hide_in_final", "jobs", "time_limit", "fit_limit", "memory_limit_mb", "cache"),
}
"""What may differ between runs whose test scores are compared."""


def summary(value):
    return {"mean": value, "low": value - 0.1, "high": value + 0.1, "method": "t interval over folds"}


def fold(number, value, candidate=CANDIDATE, **counts):
    made = {"true_positive": 4, "false_positive": 3, "true_negative": 2, "false_negative": 1}
    return {
        "search": f"fold {number}",
        "candidate": candidate,
        "key": "",
        "fitness": value,
        "trial": 0,
        "test": {"f_measure": value, "recall": None, **made, **counts},
        "references": {name: {"f_measure": value / 2} for name in REFERENCES},
    }


def result(value=0.8, remarks=(), final="fold 1", folds=None):
    """What a run with two folds leaves, as far as it is compared."""
    return {
        "folds": folds or [fold(1, value + 0.1), fold(2, value - 0.1, false_negative=5)],
        "test": {
            "system": {
                "f_measure": summary(value),
                "recall": {**summary(0.5), "mean": None, "low": None, "high": None},
            },
            "references": {name: {"f_measure": summary(value / 2)} for name in REFERENCES},
        },
        "final": {"candidate": {**CANDIDATE, "classifier_2": "svm"}, "search": final},
        "model": None,
        "counts": {
            "assessments": 10,
            "distinct_candidates": 9,
            "fits_naive": 100,
            "fits_distinct": 60,
            "fits_computed": 50,
        },
        "wall_seconds": 3.5,
        "cpu_seconds": 7.0,
        "remarks": list(remarks),
    }


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "home") as store:
        yield store


@pytest.fixture
def add(store, table):
    """Adds a run that has ended, and gives its record."""
    dataset = store.add_dataset(table, {"columns": []})

    def add(found, status="finished", settings=SETTINGS, **changes):
        run = store.create_run(replace(settings, dataset=dataset, **changes), {})
        if status != "queued":
            store.claim_run(run, "worker")
            if status != "running":
                store.finish_run(run, "worker", status, found)
        return store.run(run)

    return add


# -- who may be compared ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(OTHER_VALUES))
def test_runs_are_comparable_exactly_where_their_tests_are_the_same(add, name):
    first = add(result())
    changes = {name: OTHER_VALUES[name]}
    if name == "holdout":
        changes["folds"] = None
    other = replace(first, settings=replace(first.settings, **changes))
    reason = comparison.why_not(first, other)
    assert (reason is None) == (name in SAME_TESTS)
    assert reason == comparison.why_not(other, first)
    assert (first.settings.comparison_key == other.settings.comparison_key) == (reason is None)
    assert "_" not in (reason or "")


def test_every_setting_is_known_to_matter_or_not():
    assert set(OTHER_VALUES) == {field.name for field in dataclasses.fields(RunSettings)}


def test_all_reasons_are_named_and_each_once(add):
    first = add(result())
    other = replace(first, settings=replace(first.settings, folds=None, holdout=0.2, seed=3, target="outcome"))
    assert comparison.why_not(first, other) == (
        "another target column, another test design, another seed, so other folds and other hidden positives"
    )


def test_a_share_to_hide_does_not_matter_where_nothing_is_hidden(add):
    first, other = add(result(), task="genuine", delta=0.4), add(result(), task="genuine", delta=0.2)
    assert comparison.why_not(first, other) is None
    assert first.settings.comparison_key == other.settings.comparison_key


@pytest.mark.parametrize("status", ["queued", "running", "paused", "cancelled", "failed", "interrupted"])
def test_a_run_without_a_result_is_not_compared(add, status):
    first, other = add(result()), add(None, status)
    assert comparison.why_not(first, other) == f"it is {status} and has no test result yet"
    assert comparison.why_not(other, other) is not None


def test_a_run_that_searches_on_is_compared_by_its_last_result(add, store):
    first = add(result())
    store.resume_run(first.id)
    assert comparison.why_not(first, store.run(first.id)) is None


# -- names and remarks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("optimizer", "name"),
    [("ebo", "EBO extended"), ("random", "Random extended"), ("s_em", "S-EM"), ("df_pu", "DF-PU")],
)
def test_a_run_is_called_by_its_number_and_system(add, optimizer, name):
    record = add(result(), optimizer=optimizer, space="extended")
    assert comparison.run_label(record) == f"{record.id} · {name}"


def test_a_remark_names_its_runs_unless_it_is_of_all(add):
    one = add(result(remarks=["Of all.", "Of one."]))
    two = add(result(remarks=["Of all.", "Of two."]), optimizer="bo")
    three = add(result(remarks=["Of two.", "Of all."]), optimizer="ebo")
    assert comparison.remarks([one]) == ["Of all.", "Of one."]
    assert comparison.remarks([one, two, three]) == [
        "Of all.",
        "1 · GA base: Of one.",
        "2 · BO base, 3 · EBO base: Of two.",
    ]


def test_picking_the_best_of_several_is_said_to_be_optimistic():
    assert "best of several" in comparison.OPTIMISM
    assert "too good" in comparison.OPTIMISM


# -- tables ----------------------------------------------------------------------------------------------------------


def test_metrics_of_the_runs_and_the_references_once(add):
    records = [add(result(0.8)), add(result(0.6), optimizer="bo")]
    table = comparison.metric_table(records)
    f_measure = table[table["metric"] == "f_measure"].set_index("system")
    titles = [reference.title for reference in REFERENCES.values()]
    assert list(f_measure.index) == ["1 · GA base", "2 · BO base", *titles]
    assert f_measure["reference"].tolist() == [False, False, True, True, True]
    assert f_measure["mean"].tolist() == pytest.approx([0.8, 0.6, 0.4, 0.4, 0.4])  # the first run's
    assert f_measure.loc["1 · GA base", ["low", "high"]].tolist() == pytest.approx([0.7, 0.9])
    assert set(f_measure["title"]) == {METRICS["f_measure"].title}
    recall = table[(table["metric"] == "recall") & (table["system"] == "1 · GA base")]
    assert recall["mean"].isna().all()
    assert "roc_auc" not in set(table["metric"])  # what no fold could tell isn't made up


def test_genuine_tasks_have_estimates_with_their_own_meanings(add):
    assert comparison.meanings(add(result())) is METRICS
    assert comparison.meanings(add(result(), task="genuine")) is ESTIMATES


def test_one_metric_on_every_test_set(add):
    records = [add(result(0.8)), add(result(0.6), optimizer="bo")]
    values = comparison.fold_values(records, "f_measure")
    wide = values.pivot(index="system", columns="fold", values="value")
    assert wide.loc["1 · GA base"].tolist() == pytest.approx([0.9, 0.7])
    assert wide.loc["2 · BO base"].tolist() == pytest.approx([0.7, 0.5])
    assert wide.loc[REFERENCES["corrected_forest"].title].tolist() == pytest.approx([0.45, 0.35])
    assert list(dict.fromkeys(values["system"]))[:2] == ["1 · GA base", "2 · BO base"]
    assert comparison.fold_values(records, "recall")["value"].isna().all()


def test_nothing_to_compare_gives_tables_without_rows(store):
    assert comparison.metric_table([]).empty
    assert comparison.fold_values([], "f_measure").empty
    assert comparison.costs([]).empty
    assert comparison.pooled_predictions(store, []).empty
    assert comparison.all_trials(store, []).empty


def test_costs(add):
    table = comparison.costs([add(result()), add(result(), optimizer="bo")])
    assert table["run"].tolist() == ["1 · GA base", "2 · BO base"]
    first = table.iloc[0].drop("run").to_dict()
    assert first == {
        "assessments": 10,
        "fits_naive": 100,
        "fits_distinct": 60,
        "fits_computed": 50,
        "cpu_seconds": 7.0,
        "wall_seconds": 3.5,
    }


def test_confusion_counts_are_summed_over_the_test_sets(add):
    counts = comparison.confusion_counts(add(result()))
    assert counts == {"true_positive": 8, "false_positive": 6, "true_negative": 4, "false_negative": 6}


def test_there_is_no_confusion_matrix_where_true_labels_are_unknown(add):
    estimated = {**fold(1, 0.5), "test": {"pu_f1": 0.5, "predicted_positive_share": 0.2}}
    assert comparison.confusion_counts(add(result(folds=[estimated]))) is None


def test_predictions_are_pooled_over_folds_and_the_references_come_once(add, store):
    records = [add(None, "running"), add(None, "running", optimizer="bo")]
    names = ["auto_pu", *REFERENCES]
    for record, shift in zip(records, (0.0, 0.5), strict=True):
        for number in (1, 2):
            frame = pd.DataFrame(
                {
                    "row": [number] * len(names),
                    "truth": [1] * len(names),
                    "labelled": [False] * len(names),
                    "probability": np.arange(len(names)) / 10 + shift,
                    "predicted": [True] * len(names),
                    "system": names,
                }
            )
            store.save_predictions(record.id, f"fold {number}", frame)
    pooled = comparison.pooled_predictions(store, records)
    rows = pooled.groupby("system", sort=False)["probability"].agg(list).to_dict()
    forest, logistic = (REFERENCES[name].title for name in ("corrected_forest", "logistic_regression"))
    assert list(rows) == ["1 · GA base", "2 · BO base", *[name for name in rows if name in (forest, logistic)]]
    assert rows["1 · GA base"] == [0.0, 0.0]
    assert rows["2 · BO base"] == [0.5, 0.5]
    assert set(rows) == {"1 · GA base", "2 · BO base", forest, logistic}  # all positive at once is no ranking
    assert rows[forest] == [(1 + list(REFERENCES).index("corrected_forest")) / 10] * 2
    assert set(comparison.pooled_predictions(store, records, references=False)["system"]) == set(list(rows)[:2])


# -- hyperparameters -------------------------------------------------------------------------------------------------


def rows_of(frequencies, parameter):
    return frequencies[frequencies["parameter"] == parameter].set_index("value")


def test_frequencies_of_what_the_folds_chose_beside_chance(add):
    other = {**CANDIDATE, "flag_1b": True, "threshold_1b": 0.5, "classifier_1b": "knn", "classifier_2": "lda"}
    record = add(result(folds=[fold(1, 0.5), fold(2, 0.5), fold(3, 0.5, other), fold(4, 0.5)]), folds=4)
    table = comparison.chosen_frequencies(record)
    second = rows_of(table, "classifier_2")
    assert second.loc["knn", ["count", "cases"]].tolist() == [3, 4]
    assert second.loc["knn", "selection_percent"] == 75
    assert second.loc["knn", "baseline_percent"] == pytest.approx(100 / 18)
    assert second.loc["knn", "difference"] == pytest.approx(75 - 100 / 18)
    assert second.loc["lda", "selection_percent"] == 25
    assert second.loc["svm", "difference"] == pytest.approx(-100 / 18)
    of_1b = rows_of(table, "classifier_1b")  # only one of the four has a phase 1B
    assert of_1b.loc["knn", ["count", "cases", "selection_percent"]].tolist() == [1, 1, 100]
    assert set(table["parameter"]) == {parameter.name for parameter in BASE_SPACE.parameters}


@pytest.mark.parametrize(("final", "cases"), [("final", 3), ("fold 1", 2)])
def test_a_final_search_counts_as_one_more_choice_and_the_best_fold_is_not_counted_twice(add, final, cases):
    second = rows_of(comparison.chosen_frequencies(add(result(final=final))), "classifier_2")
    assert second["cases"].unique().tolist() == [cases]
    assert second.loc["svm", "count"] == cases - 2


def write_trials(store, run, genes, search="fold 1", fitness=(0.2, 0.5, 0.4)):
    trials = [
        Trial(
            search=search,
            number=number,
            batch=0,
            candidate=candidate,
            key=str(number),
            outcome="scored",
            fitness=value,
            cpu_seconds=1.0,
            elapsed=float(number),
        )
        for number, (candidate, value) in enumerate(zip(genes, fitness, strict=True))
    ]
    store.journal(run).write_many(trials)


def test_frequencies_of_everything_that_was_assessed_leave_inactive_genes_out(add, store):
    record = add(None, "running")
    complete = {**CANDIDATE, **INACTIVE}
    write_trials(store, record.id, [complete, {**complete, "flag_1b": True}, {**complete, "classifier_2": "lda"}])
    table = comparison.assessed_frequencies(store, record)
    assert rows_of(table, "classifier_2").loc[["knn", "lda"], "count"].tolist() == [2, 1]
    assert rows_of(table, "flag_1b").loc["True", "selection_percent"] == pytest.approx(100 / 3)
    assert rows_of(table, "classifier_1b").loc["svm", ["count", "cases"]].tolist() == [1, 1]
    assert rows_of(table, "iteration_count_1a").loc["3", "count"] == 3


@pytest.mark.parametrize("optimizer", ["ga", "s_em", "df_pu"])
def test_frequencies_of_a_run_that_has_assessed_nothing_yet_are_all_zero(add, store, optimizer):
    record = add(None, "running", optimizer=optimizer)
    table = comparison.assessed_frequencies(store, record)
    assert table["count"].tolist() == [0] * len(table)
    assert set(table["parameter"]) == {parameter.name for parameter in record.settings.method.space.parameters}


def test_trials_of_several_runs_as_the_convergence_chart_takes_them(add, store):
    records = [add(None, "running"), add(None, "running", optimizer="bo")]
    for record in records:
        write_trials(store, record.id, [CANDIDATE] * 3)
    trials = comparison.all_trials(store, records)
    assert trials["run"].tolist() == ["1 · GA base"] * 3 + ["2 · BO base"] * 3
    assert len(convergence(trials, "cpu_seconds").data) == 4
