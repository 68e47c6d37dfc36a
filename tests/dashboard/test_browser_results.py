"""Finished searches compared, exported and applied: what a person sees, takes home and can use elsewhere."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

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
        for name, optimizer, seed in (("ga", "ga", 0), ("bo", "bo", 0), ("ebo", "ebo", 0), ("other", "bo", 1)):
            settings = RunSettings.from_preset(
                "quick",
                dataset=dataset,
                target="diagnosis",
                positive=("malignant",),
                optimizer=optimizer,
                seed=seed,
                configurations=5,
                iterations=2,
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


def test_three_searches_are_compared_and_the_fourth_is_refused_with_the_reason(
    server: Server, page: Page, person: Person, runs: dict[str, int]
) -> None:
    page.goto(address(server, "compare", runs["ga"], runs["bo"], runs["ebo"], runs["other"]))
    person.sees(f"Run {runs['other']} isn't shown: it can't be compared with run {runs['ga']}, because it has another")
    person.sees("gets a score that is too good")
    person.sees("Mean on the test rows, and 95% interval over the folds")
    charts_drawn(page)
    legend = page.locator("[data-testid=stPlotlyChart]").first
    for title in ("Corrected forest", "GA base", "BO base", "EBO base"):
        expect(legend.get_by_text(re.compile(title)).first).to_be_visible()
    for tab, sentence in (
        ("Search", "Against"),
        ("What was chosen", "Count everything that was tried"),
        ("ROC and calls", "ROC curve"),
        ("Cost", "each different fit that a run needed once"),
    ):
        page.get_by_role("tab", name=tab).click()
        person.sees(sentence)
        person.wait()
        charts_drawn(page)
    page.get_by_text("other runs can't be compared with these").click()
    expect(page.locator("[data-testid=stAlertContentError]")).to_have_count(0)
    assert "Traceback" not in page.inner_text("body")


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


def test_another_trial_the_trials_and_the_report_can_be_taken_home(
    server: Server, page: Page, person: Person, runs: dict[str, int], tmp_path: Path
) -> None:
    page.goto(address(server, "export", runs["ga"]))
    page.get_by_role("tab", name="Report and trials").click()
    person.sees("Methods paragraph for a paper")
    trials = pd.read_csv(io.BytesIO(download(page, "Trials (CSV)")))
    assert len(trials) == 2 * 15
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_shows_an_error_or_asks_another_host(
    server: Server, page: Page, person: Person, runs: dict[str, int], scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)
    for name in ("data", "pu_setup", "search", "live", "compare", "export", "predict", "glossary"):
        page.goto(address(server, name, runs["ga"], runs["bo"]))
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
        person.wait()
        expect(page.locator("[data-testid=stAlertContentError], [data-testid=stException]")).to_have_count(0)
        width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert width <= 0, f"{name} is wider than the window"
        time.sleep(0.05)
