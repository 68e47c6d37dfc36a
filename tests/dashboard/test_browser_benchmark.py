"""The page Benchmark: results of a folder and of this computer's runs, with the paper's values beside them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from autopu_core.evaluation.benchmark_statistics import mean_scores
from autopu_core.evaluation.metrics import METRICS
from autopu_core.evaluation.references import REFERENCES
from autopu_core.runs import RunSettings
from autopu_core.tables import describe_table, read_table
from sample_data import sample_path

if TYPE_CHECKING:
    from tests.dashboard.conftest import Person, Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAPER = Path(__file__).parents[2].parent / "shared" / "paper"


def result(*f_measures: float) -> dict[str, Any]:
    """What a finished run of BO says, as far as the benchmark is concerned."""
    metrics = [{**dict.fromkeys(METRICS, 0.5), "f_measure": value} for value in f_measures]
    candidate = {"iteration_count_1a": 2, "threshold_1a": 0.3, "classifier_1a": "lda", "flag_1b": False}
    return {
        "folds": [
            {
                "search": f"fold {number}",
                "candidate": {**candidate, "classifier_2": "lda"},
                "fitness": 0.5,
                "test": each,
                "references": dict.fromkeys(REFERENCES, each),
            }
            for number, each in enumerate(metrics, start=1)
        ],
        "counts": dict.fromkeys(("assessments", "fits_naive", "fits_distinct", "fits_computed"), 10),
        "cpu_seconds": 12.0,
        "wall_seconds": 6.0,
        "data": {"rows": 569, "features": 30, "positives": 212},
    }


def write(page: Page, person: Person, label: str, text: str) -> None:
    field = page.get_by_role("textbox", name=label)
    field.fill(text)
    field.press("Enter")
    person.wait()


def turn_to(page: Page, person: Person, tab: str) -> None:
    page.get_by_role("tab", name=tab).click()
    person.wait()


def chart(page: Page, alternative: str) -> None:
    """It is drawn, and says this to those who can't see it."""
    expect(page.locator("[data-testid=stPlotlyChart] svg.main-svg").first).to_be_visible()
    expect(page.get_by_label(alternative).first).to_be_attached()


def test_results_of_a_folder_with_every_chart_and_table(
    server: Server, page: Page, person: Person, tmp_path: Path, drawn
) -> None:
    results = drawn(np.random.default_rng(5), ["spine", "autism", "cirrhosis"])
    results.write(tmp_path / "all")
    drawn(np.random.default_rng(6), ["stroke"], deltas=(0.5,), systems=["s_em"]).write(tmp_path / "few")

    page.goto(server.address())
    person.wait()
    page.get_by_role("link", name="Benchmark").click()
    expect(page.get_by_role("heading", level=1, name="Benchmark")).to_be_visible()
    person.wait()
    page.get_by_role("radio", name="A folder").click()
    person.sees("Name the folder that 'autopu benchmark' has written.")
    write(page, person, "Folder with results", str(tmp_path))
    assert person.error().replace("\u2060", "").endswith("(scores.csv is missing); name another folder.")
    write(page, person, "Folder with results", str(tmp_path / "all"))
    person.sees("3 data sets · preset quick · 2 folds · seed 0")

    chart(page, "Mean F-measure: GA-1")
    person.sees("Over 3 data sets.")
    turn_to(page, person, "Against random search")
    chart(page, "Mean F-measure above random search: GA-1")
    turn_to(page, person, "Ranks")
    chart(page, "Mean ranks over 3 data sets, best first")
    turn_to(page, person, "Time")
    chart(page, "CPU minutes of a cross-validation")
    turn_to(page, person, "Tables of the paper")
    person.choose("Table", "Table 4. F-measure of the optimisers in the base space")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download (.csv)").click()
    table = pd.read_csv(io.BytesIO(downloading.value.path().read_bytes()))
    of_20 = table[table["Hidden, %"] == 20].set_index("Data set")
    expected = mean_scores(results, 0.2, ["ga_base"])["ga_base"]
    np.testing.assert_allclose(of_20.loc[["Autism", "Cirrhosis", "Spine"], "GA-1"], expected)
    if PAPER.exists():
        write(page, person, "Folder with the paper's tables", str(PAPER))
        person.sees("The paper's rows of the three breast cancer tables look exchanged")
    write(page, person, "Folder with the paper's tables", str(tmp_path))
    assert "name the folder that holds the paper's tables" in person.error().replace("\u2060", "")
    write(page, person, "Folder with the paper's tables", "")

    # Other results without the table, the systems and the shares that were chosen.
    write(page, person, "Folder with results", str(tmp_path / "few"))
    person.sees("1 data set · preset quick")
    turn_to(page, person, "Tables of the paper")
    person.sees("Table 3. Data sets")
    for tab, sentence in (
        ("Against random search", "No optimiser and its random search have finished the same data set yet."),
        ("Ranks", "50%"),
        ("Time", "Time of one cross-validation on one data set"),
    ):
        turn_to(page, person, tab)
        person.sees(sentence)
    expect(page.locator("[data-testid=stAlertContentError], [data-testid=stException]")).to_have_count(0)


def test_results_of_the_runs_on_this_computer(server: Server, page: Page, person: Person) -> None:
    page.goto(server.address("benchmark"))
    person.wait()
    page.get_by_role("radio", name="My runs").click()
    person.sees("There are no finished runs on tables with complete labels to compare yet.")

    table = read_table(sample_path("breast_cancer_wisconsin"))
    with server.store() as store:
        settings = RunSettings.from_preset(
            "quick",
            dataset=store.add_dataset(table, describe_table(table).to_dict()),
            target="diagnosis",
            positive=("malignant",),
            optimizer="bo",
            folds=2,
        )
        run = store.create_run(settings, {})
        store.claim_run(run, "tester")
        store.finish_run(run, "tester", "finished", result(0.9, 0.7))
    page.reload()
    person.wait()
    page.get_by_role("radio", name="My runs").click()
    person.sees("1 data set · preset quick · 2 folds")
    chart(page, "Mean F-measure: BO-1 0.800 at 40%")
