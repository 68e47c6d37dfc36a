"""The command line as a person uses it: exit codes, one sentence for bad input, and a whole search."""

import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """A messy semicolon table with decimal commas, gaps, text and an id."""
    rng = np.random.default_rng(3)
    n = 120
    sick = np.arange(n) % 3 == 0
    frame = pd.DataFrame(
        {
            "patient id": [f"P{number:04d}" for number in range(n)],
            "marker": rng.normal(size=n).round(3) + 2 * sick,
            "ward": rng.choice(["north", "süd", "?"], size=n),
            "diagnosis": np.where(sick, "yes", "no"),
        }
    )
    frame.loc[5:9, "marker"] = np.nan
    path = tmp_path_factory.mktemp("data") / "clinic.csv"
    frame.to_csv(path, index=False, sep=";", decimal=",", encoding="cp1252")
    return path


def autopu(home, *arguments, timeout=240):
    environment = {**os.environ, "AUTOPU_HOME": str(home), "COLUMNS": "160"}
    command = [sys.executable, "-m", "autopu_core.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=timeout, check=False)


def refused(done):
    """The one sentence of a refusal."""
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("autopu: ")
    return lines[0]


SEARCH = ("--target", "diagnosis", "--positive", "yes", "--configurations", "3", "--iterations", "1", "--k", "1")


@pytest.fixture(scope="module")
def searched(home, clinic, tmp_path_factory):
    output = tmp_path_factory.mktemp("model")
    done = autopu(home, "search", clinic, *SEARCH, "--output", output, "--json", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), output, done.stderr


def test_a_search_prints_one_json_value_and_progress_elsewhere(searched):
    result, _, progress = searched
    promised = (
        "run_id optimizer space objective seed assessments distinct_candidates fits_naive fits_distinct fits_computed "
        "wall_seconds cpu_seconds folds test final model"
    )
    assert set(promised.split()) <= set(result)
    assert result["assessments"] == 3 + 2
    assert 0 <= result["folds"][0]["test"]["f_measure"] <= 1
    assert set(result["test"]["references"]) == {"corrected_forest", "logistic_regression", "everybody_positive"}
    assert "Expect" in progress


def test_the_pickle_predicts_the_same_in_a_fresh_process(searched, clinic, tmp_path):
    result, output, _ = searched
    script = (
        "import pickle, sys, numpy as np\n"
        "from autopu_core.tables import read_table\n"
        "model = pickle.load(open(sys.argv[1], 'rb'))\n"
        "np.save(sys.argv[3], model.predict_proba(read_table(sys.argv[2]).frame))\n"
    )
    target = tmp_path / "scores.npy"
    subprocess.run([sys.executable, "-c", script, result["model"], str(clinic), str(target)], check=True, timeout=120)
    from autopu_core.tables import read_table

    with open(result["model"], "rb") as file:
        here = pickle.load(file).predict_proba(read_table(clinic).frame)
    assert np.array_equal(np.load(target), here)
    card = json.loads((output / "model_card.json").read_text(encoding="utf-8"))
    assert card["sha256"] == result["sha256"]
    assert "patient id" not in card["columns"]
    assert (output / "requirements.txt").read_text().count("==") >= 4


def test_predict_keeps_all_columns_and_measures_where_the_target_is_there(home, searched, clinic, tmp_path):
    result, _, _ = searched
    target = tmp_path / "scored.xlsx"
    done = autopu(home, "predict", result["model"], clinic, "--output", target, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    scored = pd.read_excel(target, engine="calamine")
    assert list(scored.columns) == ["patient id", "marker", "ward", "diagnosis", "probability", "predicted"]
    assert (scored["predicted"] == "positive").sum() == told["called_positive"]
    assert told["metrics"]["rows"] == 120
    assert told["learned_from"]


def test_a_model_of_another_installation_is_refused_unless_trusted(searched, clinic, tmp_path):
    result, _, _ = searched
    assert "--trust" in refused(autopu(tmp_path / "other", "predict", result["model"], clinic))
    output = tmp_path / "x.csv"
    done = autopu(tmp_path / "other", "predict", result["model"], clinic, "--trust", "--output", output)
    assert done.returncode == 0, done.stderr


def test_runs_are_listed_shown_exported_and_deleted(home, searched, clinic, tmp_path):
    done = autopu(home, "search", clinic, *SEARCH, "--optimizer", "random", "--json")
    run = json.loads(done.stdout)["run_id"]
    listed = json.loads(autopu(home, "runs", "list", "--json").stdout)
    assert run in [record["run_id"] for record in listed]
    assert json.loads(autopu(home, "runs", "show", run, "--json").stdout)["status"] == "finished"
    assert "Run" in autopu(home, "runs", "show", run).stdout
    exported = autopu(home, "export", run, "--trial", "0", "--output", tmp_path / "m")
    assert exported.returncode == 0, exported.stderr
    assert autopu(home, "predict", tmp_path / "m" / "model.pkl", clinic, "--output", tmp_path / "p.csv").returncode == 0
    assert autopu(home, "runs", "delete", run).returncode == 0
    assert f"no run {run}" in refused(autopu(home, "runs", "show", run))


def test_describe_and_samples_speak_json_and_text(home, clinic):
    told = json.loads(autopu(home, "describe", clinic, "--json").stdout)
    roles = {column["name"]: column["role"] for column in told["columns"]}
    assert roles == {"patient id": "identifier", "marker": "numeric", "ward": "category", "diagnosis": "category"}
    assert told["missing_tokens"]["ward"]["?"] > 0
    assert "decimal comma" in " ".join(told["notes"])
    assert "marker" in autopu(home, "describe", clinic).stdout
    samples = json.loads(autopu(home, "samples", "--json").stdout)
    assert {sample["name"] for sample in samples} >= {"breast_cancer_wisconsin", "alzheimers_biomarkers"}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("search", "nowhere.csv", "--target", "x", "--positive", "y"), "nowhere.csv"),
        (("search", "CLINIC", "--target", "diagnose", "--positive", "yes"), "diagnose"),
        (("search", "CLINIC", "--target", "diagnosis", "--positive", "maybe"), "maybe"),
        (("search", "CLINIC", *SEARCH, "--delta", "1.5"), "delta"),
        (("search", "CLINIC", *SEARCH, "--delta", "much"), "--delta"),
        (("search", "CLINIC", *SEARCH, "--optimizer", "sgd"), "sgd"),
        (("search", "CLINIC", *SEARCH, "--preset", "fast"), "fast"),
        (("search", "CLINIC", *SEARCH, "--drop", "weight"), "weight"),
        (("search", "CLINIC", *SEARCH, "--folds", "3", "--holdout", "0.2"), "not both"),
        (("search", "CLINIC", *SEARCH, "--role", "ward"), "COLUMN=ROLE"),
        (("search", "CLINIC", "--target", "diagnosis"), "--positive"),
        (("search", "CLINIC", *SEARCH, "--bogus"), "--bogus"),
        (("predict", "nothing.pkl", "CLINIC"), "nothing.pkl"),
        (("predict", "CLINIC", "CLINIC", "--trust"), "not a model"),
        (("runs", "resume", "999"), "999"),
        (("export", "999"), "999"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(home, clinic, arguments, named):
    arguments = [str(clinic) if argument == "CLINIC" else argument for argument in arguments]
    assert named in refused(autopu(home, *arguments))


@pytest.fixture(scope="module")
def beside(home, clinic, searched):
    """A published method on the same folds as the search."""
    done = autopu(home, "search", clinic, *SEARCH[:4], "--optimizer", "s_em", "--json", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_published_method_is_chosen_like_an_optimiser(beside):
    assert (beside["optimizer"], beside["space"], beside["assessments"]) == ("s_em", "s_em", 77)
    assert set(beside["folds"][0]["candidate"]) == {"spy_rate", "spy_tolerance"}
    assert beside["fits_distinct"] < beside["fits_naive"]


def test_runs_on_the_same_folds_are_compared_and_reported(home, searched, beside, tmp_path):
    ids = [str(searched[0]["run_id"]), str(beside["run_id"])]
    told = json.loads(autopu(home, "compare", *ids, "--json").stdout)
    named = {row["system"] for row in told["metrics"] if not row["reference"]}
    assert named == {f"{ids[0]} · EBO base", f"{ids[1]} · S-EM"}
    assert {row["run"] for row in told["costs"]} == named
    shown = autopu(home, "compare", *ids).stdout
    assert "S-EM" in shown
    assert "a score that is too good" in " ".join(shown.split())
    report = tmp_path / "report.html"
    assert autopu(home, "report", *ids, "--output", report).returncode == 0
    assert "expectation maximisation" in report.read_text(encoding="utf-8")


def test_runs_on_other_folds_are_refused_with_the_reason(home, clinic, searched):
    other = autopu(home, "search", clinic, *SEARCH[:4], "--optimizer", "s_em", "--seed", "1", "--json", "--jobs", "2")
    done = autopu(home, "compare", str(searched[0]["run_id"]), str(json.loads(other.stdout)["run_id"]))
    assert done.returncode == 2
    assert "another seed" in done.stderr


def test_a_benchmark_prints_the_tables_and_finds_its_results_again(home, clinic, tmp_path):
    output = tmp_path / "results"
    cell = ("--target", "diagnosis", "--positive", "yes", "--delta", "0.2", "--system", "s_em", "--folds", "2")
    done = autopu(home, "benchmark", clinic, *cell, "--output", output, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["provenance"]["folds"] == 2
    assert any("S-EM" in json.dumps(table["rows"]) for table in told["tables"])
    again = autopu(home, "benchmark", "--output", output, "--json")
    assert json.loads(again.stdout)["tables"] == told["tables"]
    nothing = autopu(home, "benchmark", "--output", tmp_path / "empty")
    assert nothing.returncode == 2
    assert "Traceback" not in nothing.stderr
