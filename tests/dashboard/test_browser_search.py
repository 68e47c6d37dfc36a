"""From an Excel file to three finished searches, with a reload and a restart of the server in the middle."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Locator, Page, expect

from autopu_core.runs import RunSettings
from autopu_core.tables import Table, describe_table, read_table
from sample_data import sample_path

if TYPE_CHECKING:
    from tests.dashboard.conftest import Person, Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]

_TRIED = re.compile(r"([\d,]+) (?:of [\d,]+ )?candidates tried")
_COLUMNS = [0, 1, 2, 6, 7, 20, 27, -1]


def tried(page: Page) -> int:
    """Candidates that all shown runs have tried so far, as the page says."""
    texts = page.locator("[data-testid=stProgress]").all_inner_texts()
    return sum(int(found.group(1).replace(",", "")) for text in texts if (found := _TRIED.search(text)))


def badge(place: Page | Locator, word: str) -> Locator:
    """The coloured word that says how a run is."""
    return place.locator(".stMarkdownBadge").filter(has_text=word)


def wait_until(page: Page, reached: Callable[[], bool], seconds: float = 180.0) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if reached():
            return
        page.wait_for_timeout(250)
    raise AssertionError(f"Not reached within {seconds:g} s; the page says: {page.inner_text('body')[:2000]}")


@pytest.fixture
def wisconsin(tmp_path: Path) -> Path:
    """A part of the sample as an Excel file, small so that its searches take seconds: 190 patients, 76 malignant."""
    file = tmp_path / "wisconsin.xlsx"
    read_table(sample_path("breast_cancer_wisconsin")).frame.iloc[::3, _COLUMNS].to_excel(file, index=False)
    return file


def test_from_an_excel_file_to_three_finished_searches(
    server: Server, page: Page, person: Person, wisconsin: Path
) -> None:
    page.goto(server.address())
    person.upload(wisconsin)
    person.sees("190 rows")
    assert person.chosen("Column that holds the diagnosis") == "diagnosis"
    person.sees("malignant (76 rows)")

    person.click("On to PU set-up")
    person.sees("What that means for your rows")
    person.click("60%")
    person.click("40%")
    expect(page.get_by_role("slider").first).to_have_value("40")
    titles = page.locator("[data-testid=stMetricLabel]").all_inner_texts()
    values = page.locator("[data-testid=stMetricValue]").all_inner_texts()
    shown = {title.split("\n")[0]: value for title, value in zip(titles, values, strict=True)}
    # 61 of the 76 positives are in the training set; round(0.4 x 61) = 24 of them are hidden.
    assert (shown["Labelled"], shown["Hidden"], shown["Test rows"]) == ("37", "24", "38")

    person.click("On to Search")
    person.sees("How much searching?")
    for optimizer in ("Genetic algorithm (GA)", "Bayesian optimisation (BO)"):
        page.get_by_text(optimizer).first.click()
        person.wait()
    page.get_by_text("Advanced settings").click()
    person.enter("Configurations at the start", "5")
    person.enter("Iterations", "2")
    person.enter("Children assessed in each round (k)", "2")
    page.get_by_role("button", name="Start", exact=True).click()

    person.sees("Runs shown")
    person.wait()
    assert page.url.endswith("run=1&run=2&run=3")
    with server.store() as store:
        submitted = [record.settings for record in store.runs()]
    assert {each.optimizer for each in submitted} == {"ga", "bo", "ebo"}
    assert len({each.comparison_key for each in submitted}) == 1
    assert {(each.configurations, each.iterations, each.k, each.delta) for each in submitted} == {(5, 2, 2, 0.4)}

    wait_until(page, lambda: tried(page) > 0)
    seen = tried(page)
    page.reload()
    person.sees("Runs shown")
    wait_until(page, lambda: tried(page) > seen)  # found again, and still moving

    server.stop()
    server.start()
    page.reload()
    person.sees("Runs shown")
    wait_until(page, lambda: badge(page, "finished").count() == 3)
    person.sees("3 finished runs")  # the path on the left follows
    with server.store() as store:
        assert {record.status for record in store.runs()} == {"finished"}

    for tab, sentence in (
        ("What is tried", "The latest trials"),
        ("Preferences", "the share of all trials"),
        ("Work saved", "would be needed one by one"),
        ("Progress", "Against"),
    ):
        page.get_by_role("tab", name=tab).click()
        person.sees(sentence)
    expect(page.locator("[data-testid=stAlertContentError]")).to_have_count(0)


def test_choices_survive_and_buttons_steer(server: Server, page: Page, person: Person) -> None:
    page.goto(server.address())
    page.get_by_role("button", name="Use this").last.click()
    person.sees("alzheimers_biomarkers.csv")
    person.choose("Column that names the patient", "Genotype")
    person.go_to("2. PU set-up")
    person.click("20%")
    person.go_to("1. Data")  # a change of page loses nothing
    person.go_to("2. PU set-up")
    expect(page.get_by_role("slider").first).to_have_value("20")

    page.reload()  # nor does a reload, which is a second browser to the server
    expect(page.get_by_role("slider").first).to_have_value("20")
    person.go_to("1. Data")
    assert person.chosen("Column that names the patient") == "Genotype"

    page.goto(page.url.replace("&group=Genotype", ""))
    person.go_to("3. Search")
    person.click("Start")
    card = page.locator("[class*=st-key-run-]").first
    card.get_by_role("button", name="Pause").click()
    expect(badge(card, "paused")).to_be_visible()
    card.get_by_role("button", name="Resume").click()
    expect(badge(card, "running")).to_be_visible()
    card.get_by_role("button", name="Cancel").click()
    expect(badge(card, "stopped")).to_be_visible()
    with server.store() as store:
        number = next(each.id for each in store.runs() if each.dataset_name == "alzheimers_biomarkers.csv")
    page.get_by_role("button", name="Delete").first.click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.locator(f".st-key-run-{number}")).to_have_count(0)
    with server.store() as store:
        assert number not in {each.id for each in store.runs()}


def test_a_run_that_its_time_limit_ended_searches_longer(server: Server, page: Page, person: Person) -> None:
    frame = read_table(sample_path("breast_cancer_wisconsin")).frame.iloc[::3, _COLUMNS]
    table = Table.from_frame(frame, "limited.csv")
    budget = {"optimizer": "bo", "configurations": 2, "iterations": 4, "time_limit": 0.01}
    with server.store() as store:
        dataset = store.add_dataset(table, describe_table(table).to_dict())
        settings = RunSettings.from_preset(
            "quick", dataset=dataset, target="diagnosis", positive=("malignant",), **budget
        )
        run = store.create_run(settings, {})
    page.goto(server.address(f"live?dataset={dataset}&run={run}"))
    card = page.locator(f".st-key-run-{run}")
    expect(badge(card, "failed")).to_be_visible(timeout=90_000)
    assert "before a single candidate was assessed; allow more time" in person.error()
    card.get_by_role("button", name="Search longer").click()
    person.enter("Time limit for the whole run, minutes", "5")
    page.get_by_role("button", name="Go on", exact=True).click()
    wait_until(page, lambda: tried(page) == 6)
    expect(badge(card, "finished")).to_be_visible(timeout=120_000)
    with server.store() as store:
        record = store.run(run)
        assert (record.status, record.settings.time_limit) == ("finished", 300.0)
        assert len(store.trials(run)) == 6


def test_a_run_whose_worker_died_is_interrupted_and_can_be_resumed(server: Server, page: Page, person: Person) -> None:
    frame = read_table(sample_path("breast_cancer_wisconsin")).frame.iloc[::3, _COLUMNS]
    table = Table.from_frame(frame, "third.csv")
    with server.store() as store:
        dataset = store.add_dataset(table, describe_table(table).to_dict())
        budget = {"configurations": 4, "iterations": 1, "k": 1}
        settings = RunSettings.from_preset(
            "quick", dataset=dataset, target="diagnosis", positive=("malignant",), **budget
        )
        run = store.create_run(settings, {})
        server.stop_workers()
        time.sleep(1.0)
        store.claim_run(run, "a worker that died", lease_seconds=0.01)
    page.goto(server.address(f"live?dataset={dataset}&run={run}"))
    expect(badge(page, "interrupted")).to_be_visible()
    person.click("Resume")
    expect(badge(page, "finished")).to_be_visible(timeout=120_000)
