"""Whole runs with the real process pool on a small table."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from autopu_core.export.bundle import current_versions, file_sha256, load_model
from autopu_core.pu.methods import METHODS
from autopu_core.pu.spaces import BASE_SPACE
from autopu_core.runs import RunSettings, Store
from autopu_core.runs.exporting import export_model, export_trial
from autopu_core.runs.run import execute_run
from autopu_core.runs.watch import wait_for_run
from autopu_core.runs.worker import ensure_worker, serve, worker_is_alive
from autopu_core.search.planner import WorkFailedError
from autopu_core.search.space import SearchSpace
from autopu_core.tables import Table, describe_table

WORKER = "tester"


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    n = 150
    sick = np.arange(n) % 3 == 0
    frame = pd.DataFrame(
        {
            "marker": rng.normal(size=n) + 2.5 * sick,
            "pressure": rng.normal(120, 10, size=n) + 8 * sick,
            "ward": rng.choice(["north", "south"], size=n),
            "diagnosis": np.where(sick, "sick", "well"),
        }
    )
    return Table.from_frame(frame, "clinic.csv")


@pytest.fixture
def cheap_space(monkeypatch):
    """The base space with classifiers that fit in milliseconds; seen by this process only, not by a detached worker."""
    cheap = ("gaussian_nb", "bernoulli_nb", "decision_tree", "lda", "knn", "extra_tree")
    parameters = [
        replace(parameter, choices=cheap) if parameter.name.startswith("classifier") else parameter
        for parameter in BASE_SPACE.parameters
    ]
    monkeypatch.setitem(METHODS, "base", replace(METHODS["base"], space=SearchSpace("base", parameters)))


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "home") as store:
        yield store


def new_run(store, table, **choices):
    defaults = {"optimizer": "ebo", "configurations": 6, "iterations": 2, "k": 2, "jobs": 2, "inner_folds": 3}
    settings = RunSettings.from_preset(
        "quick",
        dataset=store.add_dataset(table, describe_table(table).to_dict()),
        target="diagnosis",
        positive=("sick",),
        **{**defaults, **choices},
    )
    return store.create_run(settings, current_versions())


def do(store, run, listen=lambda progress: None):
    assert store.claim_run(run, WORKER)
    return execute_run(store, run, WORKER, listen)


def made(store, run):
    """Everything of a run's trials that isn't a measurement of time."""
    columns = ["search", "number", "batch", "key", "outcome", "fitness", "repeat_of", "fits_naive"]
    return store.trials(run).sort_values(["search", "number"])[columns].reset_index(drop=True)


@pytest.mark.usefixtures("cheap_space")
def test_a_run_is_tested_beside_the_references_and_leaves_a_model_that_scores_raw_rows(store, table):
    seen = []
    record = do(store, new_run(store, table), seen.append)
    assert record.status == "finished", record.error
    result = record.result
    assert result["counts"]["assessments"] == 6 + 2 * 3 == len(store.trials(record.id))
    assert result["counts"]["fits_computed"] == result["counts"]["fits_distinct"] <= result["counts"]["fits_naive"]
    (fold,) = result["folds"]
    test = fold["test"]
    assert test["rows"] == 30
    assert test["true_positive"] + test["false_negative"] == 10
    assert set(fold["references"]) == {"corrected_forest", "logistic_regression", "everybody_positive"}
    assert fold["references"]["everybody_positive"]["f_measure"] == pytest.approx(0.5)
    interval = result["test"]["system"]["f_measure"]
    assert interval["low"] <= interval["mean"] <= interval["high"]
    assert interval["mean"] == pytest.approx(test["f_measure"])
    predictions = store.predictions(record.id).query("system == 'auto_pu'")
    truth = (table.frame["diagnosis"].iloc[predictions["row"]] == "sick").to_numpy()
    assert np.array_equal(predictions["truth"] == 1, truth)
    model = load_model(Path(result["model"]["path"]), store.known_hash(file_sha256(Path(result["model"]["path"]))))
    scored = model.score(table.frame[["ward", "diagnosis", "pressure", "marker"]])
    assert len(scored) == 150
    assert scored["probability"].between(0, 1).all()
    assert {progress["stage"] for progress in seen} >= {"preparing", "searching", "testing", "exporting"}
    assert not list(store.home.scratch.glob("run-*"))


def test_one_and_two_processes_give_the_same_trials_result_and_predictions(tmp_path, table):
    runs = []
    for jobs in (1, 2):
        with Store(tmp_path / f"home{jobs}") as store:
            choices = {"space": "extended", "folds": 2, "final_search": True, "configurations": 4, "iterations": 1}
            record = do(store, new_run(store, table, jobs=jobs, **choices))
            assert record.status == "finished", record.error
            model = load_model(Path(record.result["model"]["path"]), True)
            runs.append((made(store, record.id), record.result, model.predict_proba(table.frame)))
    (trials_1, result_1, scores_1), (trials_2, result_2, scores_2) = runs
    pd.testing.assert_frame_equal(trials_1, trials_2)
    assert result_1["folds"] == result_2["folds"]
    assert {key: result_1["final"][key] for key in ("candidate", "fitness", "trial")} == {
        key: result_2["final"][key] for key in ("candidate", "fitness", "trial")
    }
    assert np.array_equal(scores_1, scores_2)


@pytest.mark.usefixtures("cheap_space")
def test_runs_on_the_same_folds_share_their_fits_and_are_still_charged_for_them(store, table):
    first = do(store, new_run(store, table, optimizer="random"))
    again = do(store, new_run(store, table, optimizer="random"))
    assert again.result["counts"]["fits_computed"] == 0
    assert again.result["counts"]["fits_distinct"] == first.result["counts"]["fits_distinct"]
    assert again.result["cpu_seconds"] == pytest.approx(first.result["cpu_seconds"])
    pd.testing.assert_frame_equal(made(store, first.id), made(store, again.id))


@pytest.mark.usefixtures("cheap_space")
def test_without_the_cache_everything_is_computed_and_nothing_changes(store, table):
    kept = do(store, new_run(store, table))
    without = do(store, new_run(store, table, cache=False))
    assert without.result["counts"]["fits_computed"] == without.result["counts"]["fits_distinct"]
    pd.testing.assert_frame_equal(made(store, kept.id), made(store, without.id))


def stop_midway(store, run, command, at=5):
    def listen(progress):
        if progress["assessments_in_all"] >= at:
            store.command(run, command)

    return do(store, run, listen)


@pytest.mark.usefixtures("cheap_space")
@pytest.mark.parametrize(("command", "status"), [("cancel", "cancelled"), ("pause", "paused")])
def test_a_stopped_run_keeps_its_trials_and_resumed_it_equals_an_uninterrupted_one(store, table, command, status):
    choices = {"configurations": 8, "iterations": 3, "folds": 2, "cache": False}
    whole = do(store, new_run(store, table, **choices))
    run = new_run(store, table, **choices)
    stopped = stop_midway(store, run, command)
    assert stopped.status == status
    before = len(store.trials(run))
    assert 5 <= before < len(store.trials(whole.id))
    store.resume_run(run)
    resumed = do(store, run)
    assert resumed.status == "finished"
    pd.testing.assert_frame_equal(made(store, whole.id), made(store, run))
    assert resumed.result["folds"] == whole.result["folds"]
    for count in ("assessments", "distinct_candidates", "fits_naive", "fits_distinct"):
        assert resumed.result["counts"][count] == whole.result["counts"][count]


@pytest.mark.usefixtures("cheap_space")
def test_the_best_so_far_of_a_cancelled_run_can_be_exported(store, table, tmp_path):
    run = new_run(store, table, configurations=10, iterations=5)
    assert stop_midway(store, run, "cancel", at=8).status == "cancelled"
    written = export_trial(store, run, tmp_path / "model")
    best = store.trials(run)["fitness"].max()
    assert written["card"]["pipeline"]["fitness"] == best
    assert load_model(Path(written["path"]), store.known_hash(written["sha256"])).predict_proba(table.frame).shape == (
        150,
    )


@pytest.mark.usefixtures("cheap_space")
def test_a_time_limit_ends_the_search_with_the_best_so_far(store, table):
    # Long enough for the processes to start on a busy machine, far too short for 22,040 assessments.
    record = do(store, new_run(store, table, configurations=40, iterations=2000, k=10, time_limit=12.0))
    assert record.status == "finished", record.error
    assert record.result["folds"][0]["stopped"] == "time limit"
    assert any("time limit" in remark for remark in record.result["remarks"])
    assert 0 < record.result["counts"]["assessments"] < 22_040


@pytest.mark.usefixtures("cheap_space")
def test_a_genuine_task_gives_estimates_and_says_so(store, table):
    frame = table.frame.copy()
    frame["diagnosis"] = frame["diagnosis"].where(frame["diagnosis"] == "sick")
    record = do(store, new_run(store, Table.from_frame(frame, "genuine.csv"), task="genuine", objective="pu_f1"))
    assert record.status == "finished", record.error
    assert 0 <= record.result["test"]["system"]["pu_f1"]["mean"] <= 1
    assert "roc_auc" not in record.result["test"]["system"]
    assert any("estimates" in remark for remark in record.result["remarks"])


def test_a_table_that_cannot_be_searched_fails_with_one_sentence(store, table):
    run = new_run(store, table, delta=0.97)
    record = do(store, run)
    assert record.status == "failed"
    assert "hide fewer" in record.error


@pytest.mark.usefixtures("cheap_space")
def test_the_worker_does_what_is_queued_and_ends_when_idle(store, table):
    runs = [new_run(store, table), new_run(store, table, optimizer="bo")]
    assert serve(store, idle_seconds=0.5) == 2
    assert [store.run(run).status for run in runs] == ["finished", "finished"]


def test_a_detached_worker_outlives_the_process_that_started_it(store, table):
    run = new_run(store, table)
    script = (
        "import sys; from autopu_core.runs import Store; from autopu_core.runs.worker import ensure_worker; "
        "ensure_worker(Store(sys.argv[1]), 3.0)"
    )
    subprocess.run([sys.executable, "-c", script, str(store.home.root)], check=True, timeout=60)
    assert wait_for_run(store, run).status == "finished"


def test_a_killed_worker_loses_nothing(store, table):
    choices = {"configurations": 6, "iterations": 1, "folds": 2}
    run = new_run(store, table, **choices)
    ensure_worker(store, 30.0)
    deadline = time.monotonic() + 60
    while len(store.trials(run)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(int(store.run(run).worker.rsplit("-", 1)[1]), signal.SIGKILL)
    written = len(store.trials(run))
    assert written >= 3
    deadline = time.monotonic() + 40
    while store.run(run).status != "interrupted" and time.monotonic() < deadline:
        time.sleep(0.5)
    assert store.run(run).status == "interrupted"
    assert not worker_is_alive(store)
    store.resume_run(run)
    resumed = do(store, run)
    assert resumed.status == "finished"
    whole = do(store, new_run(store, table, **choices))
    pd.testing.assert_frame_equal(made(store, whole.id), made(store, run))
    assert resumed.result["folds"] == whole.result["folds"]


@pytest.mark.usefixtures("cheap_space")
def test_cancelling_is_heard_within_two_seconds(store, table):
    run = new_run(store, table, configurations=100, iterations=200, k=10)
    cancelled = {}

    def cancel():
        while not len(store.trials(run)):
            time.sleep(0.05)
        cancelled["at"] = time.monotonic()
        store.command(run, "cancel")

    thread = threading.Thread(target=cancel)
    thread.start()
    record = do(store, run)
    thread.join()
    assert record.status == "cancelled"
    assert time.monotonic() - cancelled["at"] < 2.5


@pytest.mark.usefixtures("cheap_space")
@pytest.mark.parametrize("final_search", [False, True])
def test_a_winner_that_cannot_be_learned_from_all_rows_gives_way_to_the_next_best(
    store, table, monkeypatch, final_search
):
    tried = []

    def first_fails(store, run, task, result, call, folder, worker=None):
        tried.append(result["final"])
        if len(tried) == 1:
            raise WorkFailedError("step 1 found no reliable negative")
        return export_model(store, run, task, result, call, folder, worker)

    monkeypatch.setattr("autopu_core.runs.run.export_model", first_fails)
    record = do(store, new_run(store, table, final_search=final_search, iterations=1))
    assert record.status == "finished", record.error
    first, second = tried
    assert first["key"] != second["key"]
    assert second["fitness"] <= first["fitness"]
    assert record.result["final"] == second
    assert "learned from all rows" in second["how"]
    others = store.trials(record.id, first["search"])
    assert second["fitness"] == others[others["key"] != first["key"]]["fitness"].max()


@pytest.mark.usefixtures("cheap_space")
def test_without_any_model_the_test_results_are_kept_and_it_is_said(store, table, monkeypatch):
    def fails(*_, **__):
        raise WorkFailedError("step 1 found no reliable negative")

    monkeypatch.setattr("autopu_core.runs.run.export_model", fails)
    record = do(store, new_run(store, table, iterations=1))
    assert record.status == "finished", record.error
    assert record.result["model"] is None
    assert "f_measure" in record.result["test"]["system"]
    assert any(
        "There is no model" in remark and "no reliable negative" in remark for remark in record.result["remarks"]
    )
