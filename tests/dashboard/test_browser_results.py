"""Finished searches compared, exported and applied: what a person sees, takes home and can use elsewhere."""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

from autopu_core.pu.classifiers import TITLES
from autopu_core.pu.methods import METHODS
from autopu_core.pu.spaces import BASE_SPACE
from autopu_core.runs import RunSettings
from autopu_core.runs.pools import Pools
from autopu_core.runs.run import execute_run
from autopu_core.search.space import SearchSpace
from autopu_core.tables import describe_table, read_table
from sample_data import sample_path

if TYPE_CHECKING:
    from tests.dashboard.conftest import Person, Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]

_CHEAP = ("gaussian_nb", "lda", "decision_tree", "knn")
_IN_A_FRESH_PROCESS = """
import json, pickle, sys
import pandas as pd
model = pickle.load(open(sys.argv[1], "rb"))
rows = pd.read_csv(sys.argv[2])
print(json.dumps(model.predict_proba(rows).tolist()))
"""


@pytest.fixture(scope="module")
def runs(server: Server) -> dict[str, int]:
    """A GA, a BO and an EBO on the same folds, and a BO on others, with classifiers that fit in milliseconds."""
    parameters = [
        replace(each, choices=_CHEAP) if each.name.startswith("classifier") else each for each in BASE_SPACE.parameters
    ]
    table = read_table(sample_path("breast_cancer_wisconsin"))
    with server.store() as store, pytest.MonkeyPatch.context() as patch, Pools() as pools:
        patch.setitem(METHODS, "base", replace(METHODS["base"], space=SearchSpace("base", parameters)))
        dataset = store.add_dataset(table, describe_table(table).to_dict())
        made = {}
        for name, optimizer, seed, size in (
            *(("ga", "ga", 0, (5, 2)), ("bo", "bo", 0, (5, 2)), ("ebo", "ebo", 0, (5, 2))),
            ("other", "bo", 1, (2, 0)),
        ):
            settings = RunSettings.from_preset(
                "quick",
                dataset=dataset,
                target="diagnosis",
                positive=("malignant",),
                optimizer=optimizer,
                seed=seed,
                configurations=size[0],
                iterations=size[1],
                k=2,
                folds=2,
                inner_folds=3,
                jobs=1,
            )
            made[name] = store.create_run(settings, {"python": "3", "scikit-learn": "1.9"})
            store.claim_run(made[name], "tester")
            assert execute_run(store, made[name], "tester", pools=pools).status == "finished"
    return made


def address(server: Server, page: str, *runs: int) -> str:
    return server.address(f"{page}?" + "&".join(f"run={run}" for run in runs))


def download(page: Page, name: str) -> bytes:
    """What a download button gives."""
    with page.expect_download() as event:
        page.get_by_role("button", name=name, exact=True).first.click()
    return Path(event.value.path()).read_bytes()


def charts_drawn(page: Page) -> None:
    """Every chart on the page has been drawn with something in it."""
    plots = page.locator(".js-plotly-plot")
    expect(plots.first).to_be_visible()
    for position in range(plots.count()):
        expect(plots.nth(position).locator("svg.main-svg").first).to_be_visible()
        assert plots.nth(position).evaluate("plot => plot.data.length > 0 || plot.layout.annotations.length > 0")


def cells(place: Page | Locator) -> list[dict[str, str]]:
    """What the first table of a place shows, row by row; a long one only to the last row that is in sight."""
    grid = place.get_by_test_id("stDataFrame").filter(visible=True).first
    expect(grid.locator("[role=gridcell]").first).to_be_attached()
    rows = grid.evaluate(
        "grid => [...grid.querySelectorAll('[role=row]')]"
        ".map(row => [...row.querySelectorAll('[role=columnheader], [role=gridcell]')].map(cell => cell.innerText))"
    )
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def test_three_searches_are_compared_and_one_on_other_folds_is_refused_with_the_reason(
    server: Server, page: Page, person: Person, runs: dict[str, int]
) -> None:
    titles = {name: f"{runs[name]} · {name.upper()} base" for name in ("ga", "bo", "ebo")}
    with server.store() as store:
        results = {name: store.run(runs[name]).result for name in titles}
        trials = {name: store.trials(runs[name]) for name in titles}

    page.goto(address(server, "compare", runs["ga"]))
    person.sees("Mean on the test rows, and 95% interval over the folds")
    expect(page.get_by_text("gets a score that is too good")).to_have_count(0)  # one run is no choice among several
    for title in (titles["bo"], titles["ebo"], f"{runs['other']} · BO base"):
        person.choose("Runs to compare", f"{title} · breast_cancer_wisconsin.csv")
    page.keyboard.press("Escape")  # closes the list, which lies over the page
    person.sees(
        f"Run {runs['other']} isn't shown: it can't be compared with run {runs['ga']}, because it has another seed, so "
        "other folds and other hidden positives."
    )
    person.sees("gets a score that is too good")
    charts_drawn(page)

    metrics = {row["Metric"]: row for row in cells(page)}
    for name, title in titles.items():
        for metric, key in (("F-measure", "f_measure"), ("ROC AUC", "roc_auc")):
            mean = np.mean([fold["test"][key] for fold in results[name]["folds"]])
            assert metrics[metric][title].startswith(f"{mean:.3f} (")
    forest = np.mean([fold["references"]["corrected_forest"]["f_measure"] for fold in results["ga"]["folds"]])
    assert metrics["F-measure"]["Corrected forest"].startswith(f"{forest:.3f} (")
    assert metrics["Recall"]["Everybody positive"].startswith("1.000")
    assert list(metrics["Recall"])[1:4] == list(titles.values())

    page.get_by_role("tab", name="Search").click()
    person.sees("Against")
    person.wait()
    drawn = page.locator(".js-plotly-plot").evaluate(
        "plot => plot.data.filter(line => line.name)"
        ".map(line => [line.name, Array.from(line.y._inputArray ?? line.y).at(-1)])"
    )
    best = {name: trials[name].groupby("search")["fitness"].max().mean() for name in titles}
    for name, title in titles.items():
        assert dict(drawn)[f"{title} (mean of 2 searches)"] == pytest.approx(best[name], abs=1e-3)

    page.get_by_role("tab", name="What was chosen").click()
    person.sees("Count everything that was tried")
    person.wait()
    charts_drawn(page)
    chosen = [fold["candidate"]["classifier_2"] for fold in results["ga"]["folds"]]
    shown = [row for row in cells(page) if row["Part of the recipe"] == "Phase 2: classifier"]
    assert {row["Value"]: int(row["Times"]) for row in shown} == {TITLES[key]: chosen.count(key) for key in chosen}
    for row in shown:
        share, chance = 100 * int(row["Times"]) / 2, 100 / len(TITLES)
        assert float(row["Chosen, %"]) == pytest.approx(share, abs=0.01)
        assert float(row["By chance, %"]) == pytest.approx(chance, abs=0.01)
        assert float(row["Difference"]) == pytest.approx(share - chance, abs=0.01)

    for tab, sentence in (("ROC and calls", "ROC curve"), ("Cost", "each different fit that a run needed once")):
        page.get_by_role("tab", name=tab).click()
        person.sees(sentence)
        person.wait()
        charts_drawn(page)
    page.get_by_text("can't be compared with these: why?").click()
    (other,) = cells(page.get_by_test_id("stExpander"))
    assert other == {
        "Run": f"{runs['other']} · BO base",
        "Table": "breast_cancer_wisconsin.csv",
        "It has": "another seed, so other folds and other hidden positives",
    }
    expect(page.locator("[data-testid=stAlertContentError]")).to_have_count(0)


def test_the_exported_model_gives_the_same_probabilities_in_a_fresh_process_and_on_the_page(
    server: Server, page: Page, person: Person, runs: dict[str, int], tmp_path: Path
) -> None:
    page.goto(address(server, "export", runs["ebo"]))
    person.sees("Phase 2: the final classifier")
    charts_drawn(page)
    pickle_file, card_file = tmp_path / "model.pkl", tmp_path / "card.json"
    pickle_file.write_bytes(download(page, "Model (pickle)"))
    card_file.write_bytes(download(page, "Model card"))
    card = json.loads(card_file.read_text())
    assert card["target"] == "diagnosis"
    person.sees(card["sha256"])

    frame = read_table(sample_path("breast_cancer_wisconsin")).frame.sample(60, random_state=1)
    frame = frame[frame.columns[::-1]]  # another order of columns
    frame.iloc[::9, 5] = np.nan
    new_rows = tmp_path / "new_patients.csv"
    frame.to_csv(new_rows, index=False)
    told = subprocess.run(
        [sys.executable, "-c", _IN_A_FRESH_PROCESS, str(pickle_file), str(new_rows)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    expected = np.array(json.loads(told.stdout))

    page.goto(server.address("predict"))
    model = page.get_by_role("combobox", name="Model")
    model.fill(f"Run {runs['ebo']} ")
    page.get_by_role("option", name=re.compile(f"^Run {runs['ebo']} ")).first.click()
    person.wait()
    person.upload(new_rows)
    person.sees("Against the column diagnosis")
    scored = pd.read_csv(io.BytesIO(download(page, "Download (.csv)")))
    assert set(frame.columns) <= set(scored.columns)
    (column,) = [name for name in scored.columns if name not in frame.columns and scored[name].dtype == float]
    np.testing.assert_allclose(scored[column], expected if expected.ndim == 1 else expected[:, 1], atol=1e-9)
    as_workbook = pd.read_excel(io.BytesIO(download(page, "Download (.xlsx)")), engine="calamine")
    assert len(as_workbook) == 60


def test_another_trial_is_chosen_and_learned_from_all_rows(
    server: Server, page: Page, person: Person, runs: dict[str, int]
) -> None:
    with server.store() as store:
        trials = store.trials(runs["ga"])
    page.set_viewport_size({"width": 1366, "height": 1400})
    page.goto(address(server, "export", runs["ga"]))
    page.get_by_role("tab", name="Another pipeline").click()
    person.sees("Choose a row, the best by fitness first")
    person.wait()
    # The table is drawn on a canvas: rows of 35 pixels under a header of 35, the box to tick in the first column.
    drawn = page.locator(f".st-key-trials-{runs['ga']} canvas").first.bounding_box()
    page.mouse.click(drawn["x"] + 17, drawn["y"] + 35 + 2 * 35 + 17)
    button = page.get_by_role("button", name=re.compile(r"Learn trial \d+ of fold \d from all rows"))
    number, fold = map(int, re.findall(r"\d+", button.inner_text()))
    person.wait()
    charts_drawn(page)
    chosen = trials[(trials["search"] == f"fold {fold}") & (trials["number"] == number)]
    third = trials.loc[trials["repeat_of"].isna(), "fitness"].nlargest(3).iloc[-1]
    assert chosen["fitness"].item() == third
    button.click()
    person.sees(f"Trial {number} of fold {fold} is ready.")
    card = json.loads(download(page, "Model card"))
    assert (card["pipeline"]["trial"], card["pipeline"]["search"]) == (number, f"fold {fold}")
    assert hashlib.sha256(download(page, "Model (pickle)")).hexdigest() == card["sha256"]


def test_the_trials_the_report_and_the_card_can_be_taken_home(
    server: Server, page: Page, person: Person, runs: dict[str, int], tmp_path: Path
) -> None:
    page.goto(address(server, "export", runs["ga"]))
    page.get_by_role("tab", name="Report and trials").click()
    person.sees("Methods paragraph for a paper")
    trials = pd.read_csv(io.BytesIO(download(page, "Trials (CSV)")))
    assert len(trials) == 2 * 15  # two folds, five recipes and two generations of five
    report = tmp_path / "report.html"
    report.write_bytes(download(page, "Report (HTML)"))
    page.get_by_role("tab", name="Model card").click()
    expect(page.locator(".st-key-card")).to_contain_text("not as a medical device")
    page.goto(report.as_uri())  # alone, without a server; the page fixture sees to it that it asks nobody
    charts_drawn(page)
    assert page.get_by_role("heading").count() > 3


def test_a_new_table_without_a_column_is_one_sentence(
    server: Server, page: Page, person: Person, runs: dict[str, int], tmp_path: Path
) -> None:
    frame = read_table(sample_path("breast_cancer_wisconsin")).frame.head(20)
    incomplete = tmp_path / "incomplete.csv"
    frame.drop(columns=frame.columns[0]).to_csv(incomplete, index=False)
    page.goto(server.address("predict"))
    person.sees("A table with the same columns")
    person.upload(incomplete)
    assert repr(frame.columns[0]).strip("'") in person.error()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1920)])
def test_no_page_shows_an_error_asks_another_host_or_is_wider_than_the_window(
    server: Server, page: Page, person: Person, runs: dict[str, int], scheme: str, width: int
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    for name in ("", "pu_setup", "search", "live", "compare", "export", "predict", "benchmark", "glossary"):
        page.goto(address(server, name, runs["ga"], runs["bo"]))
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
        person.wait()
        expect(page.locator("[data-testid=stAlertContentError], [data-testid=stException]")).to_have_count(0)
        main = page.locator("[data-testid=stMain]")
        assert main.evaluate("element => element.scrollWidth <= element.clientWidth"), name
