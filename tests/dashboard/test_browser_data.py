"""What can go wrong with a table is said in one sentence, and nothing in it is taken for markup."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from autopu_core.tables import describe_table, read_table
from sample_data import sample_path

if TYPE_CHECKING:
    from tests.dashboard.conftest import Person, Server

pytestmark = pytest.mark.browser

_TARGET = "Column that holds the diagnosis"


def write(folder: Path, name: str, columns: dict[str, list]) -> Path:
    file = folder / name
    pd.DataFrame(columns).to_csv(file, index=False)
    return file


def test_a_broken_file_is_refused_in_one_sentence(server: Server, page: Page, person: Person, tmp_path: Path) -> None:
    file = tmp_path / "broken.xlsx"
    file.write_bytes(b"PK\x03\x04 this was a workbook once")
    page.goto(server.address())
    person.upload(file)
    said = person.error()
    assert "broken.xlsx" in said
    assert "\n" not in said
    person.sees("Or try a sample")  # the rest of the page is there


def test_a_file_over_the_limit_is_refused_in_a_sentence_that_can_be_seen(
    server: Server, page: Page, person: Person, tmp_path: Path
) -> None:
    file = tmp_path / "large.csv"
    with file.open("wb") as written:
        written.truncate(201 * 2**20)  # takes no room on the disk
    page.goto(server.address())
    person.sees("200MB per file")
    person.upload(file)
    said = page.get_by_role("alert").filter(has_text="File must be 200.0MB or smaller.")
    expect(said).to_be_visible()
    size = said.bounding_box()
    assert size["width"] > 100
    assert size["height"] > 10


def test_the_sheet_of_a_workbook_is_chosen_from_those_with_content(
    server: Server, page: Page, person: Person, tmp_path: Path
) -> None:
    file = tmp_path / "clinic.xlsx"
    patients = {"age": [*range(60)], "bmi": [n * 7 % 31 for n in range(60)], "sick": ["yes", "no", "no"] * 20}
    with pd.ExcelWriter(file) as book:
        pd.DataFrame({"code": [1, 2], "meaning": ["yes", "no"]}).to_excel(book, sheet_name="codes", index=False)
        pd.DataFrame().to_excel(book, sheet_name="notes")
        pd.DataFrame(patients).to_excel(book, sheet_name="patients", index=False)
    page.goto(server.address())
    person.upload(file)
    sheet = page.get_by_role("combobox", name="Sheet")
    sheet.click()
    expect(page.get_by_role("option")).to_have_text(["codes", "patients"])
    page.get_by_role("option", name="patients").click()
    person.wait()
    person.click("Read this sheet")
    person.sees("60 rows · 3 columns")


def test_a_named_patient_column_needs_no_more_attention(
    server: Server, page: Page, person: Person, tmp_path: Path
) -> None:
    columns = {
        "patient_id": [f"P{n // 3:02d}" for n in range(90)],
        "bmi": [n * 7 % 31 for n in range(90)],
        "sick": ["yes"] * 30 + ["no"] * 60,
    }
    page.goto(server.address())
    person.upload(write(tmp_path, "visits.csv", columns))
    person.sees("90 rows · 3 columns")
    person.wait()
    group = "Column that names the patient"
    assert person.chosen(group) == "patient_id"
    warning = page.get_by_text("several rows seem to belong to one patient")
    expect(warning).to_have_count(0)
    page.goto(page.url.replace("&group=patient_id", ""))
    expect(warning).to_be_visible()


def test_a_target_with_one_class_is_refused_before_a_search(
    server: Server, page: Page, person: Person, tmp_path: Path
) -> None:
    file = write(tmp_path, "one_class.csv", {"age": [*range(60)], "bmi": [*range(60)], "sick": ["yes"] * 60})
    page.goto(server.address())
    person.upload(file)
    person.sees("one_class.csv")
    person.wait()
    if person.chosen(_TARGET) != "sick":
        person.choose(_TARGET, "sick")
    person.go_to("2. PU set-up")
    assert "'sick'" in person.error()
    person.go_to("3. Search")
    expect(page.get_by_role("button", name="Start", exact=True)).to_have_count(0)
    person.sees("These choices can't work together")


def test_too_few_positives_are_told_before_a_search(server: Server, page: Page, person: Person, tmp_path: Path) -> None:
    columns = {"age": [*range(60)], "bmi": [n * 7 % 31 for n in range(60)], "sick": ["yes"] * 6 + ["no"] * 54}
    page.goto(server.address())
    person.upload(write(tmp_path, "few.csv", columns))
    person.sees("yes (6 rows)")
    person.go_to("2. PU set-up")
    assert "positives" in person.error()
    expect(page.get_by_text("What that means for your rows")).to_have_count(0)
    person.go_to("3. Search")
    expect(page.get_by_role("button", name="Start", exact=True)).to_have_count(0)


def test_markup_in_names_and_cells_is_shown_as_text(server: Server, page: Page, person: Person, tmp_path: Path) -> None:
    bold, image, link = "<b>dose</b> *x* $y$", "<img src=x onerror=document.title='owned'>", "[a](http://example.com)"
    columns = {
        bold: [*range(60)],
        link: [n * 7 % 31 for n in range(60)],
        ":red[class]": [image, "_no_"] * 30,
    }
    page.goto(server.address())
    person.upload(write(tmp_path, "*odd* __name__.csv", columns))
    person.sees("*odd* __name__.csv")
    person.wait()
    if person.chosen(_TARGET) != ":red[class]":
        person.choose(_TARGET, ":red[class]")
    for tab in ("Missing values", "One column by diagnosis", "Rows", "Columns"):
        page.get_by_role("tab", name=tab).click()
        person.wait()
    person.go_to("2. PU set-up")
    person.go_to("3. Search")
    assert page.title() != "owned"
    assert page.locator("section img, section b, section i").count() == 0
    assert page.get_by_role("link", name="example.com").count() == 0


def test_a_column_left_out_and_a_role_overruled_are_in_the_address(server: Server, page: Page, person: Person) -> None:
    page.goto(server.address())
    page.get_by_role("button", name="Use this").first.click()
    person.sees("30 of 30 columns are learned from")
    page.goto(page.url + "&drop=mean_radius&roles=mean_texture%3Dcategory")
    person.sees("29 of 30 columns are learned from")
    person.go_to("2. PU set-up")
    person.sees("29 columns learned from")
    assert "drop=mean_radius" in page.url


def test_a_column_is_left_out_in_the_table(server: Server, page: Page, person: Person) -> None:
    page.set_viewport_size({"width": 1366, "height": 1600})
    page.goto(server.address())
    page.get_by_role("button", name="Use this").first.click()
    person.sees("30 of 30 columns are learned from")
    person.wait()
    expect(page.locator(".js-plotly-plot svg.main-svg").first).to_be_visible()  # the chart moves what lies below it
    # The table is drawn on a canvas: rows of 35 pixels under a header of 35, the box to tick in the third column.
    drawn = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    box_of_second_row = drawn["x"] + 345, drawn["y"] + 35 + 35 + 17
    page.mouse.click(*box_of_second_row)
    person.sees("29 of 30 columns are learned from")
    assert "drop=mean_texture" in page.url
    page.mouse.click(*box_of_second_row)
    person.sees("30 of 30 columns are learned from")


def test_a_table_is_deleted_for_good(server: Server, page: Page, person: Person, tmp_path: Path) -> None:
    columns = {"age": [*range(60)], "bmi": [n * 5 % 29 for n in range(60)], "sick": ["yes", "no", "no"] * 20}
    page.goto(server.address())
    person.upload(write(tmp_path, "to_delete.csv", columns))
    person.sees("60 rows · 3 columns")
    expect(page.locator(".js-plotly-plot svg.main-svg").first).to_be_visible()
    person.wait()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete for good").click()
    person.sees("Or try a sample")
    with server.store() as store:
        assert all(record.name != "to_delete.csv" for record in store.datasets())
    expect(page.get_by_text("to_delete.csv")).to_have_count(0)


def test_a_bookmark_of_what_is_gone_says_so(server: Server, page: Page, person: Person) -> None:
    page.goto(server.address("pu_setup?dataset=gone&target=x&positive=y&delta=abc&folds=1000&run=99"))
    person.sees("First choose the data.")
    person.sees("This table isn't here any more")
    person.go_to("4. Live")
    person.sees("No search has been started yet.")


@pytest.mark.parametrize(
    ("odd", "said"),
    [("delta=7", "delta"), ("test=folds&folds=1000", "folds"), ("task=other", "task"), ("target=gone", None)],
)
def test_an_address_that_asks_for_the_impossible_says_so(
    server: Server, page: Page, person: Person, odd: str, said: str | None
) -> None:
    with server.store() as store:
        table = read_table(sample_path("breast_cancer_wisconsin"))
        dataset = store.add_dataset(table, describe_table(table).to_dict())
    page.goto(server.address(f"pu_setup?dataset={dataset}&target=diagnosis&positive=malignant&{odd}"))
    if said is None:
        person.sees("Choose the column with the diagnosis.")
    else:
        assert said in person.error()
    person.go_to("3. Search")
    expect(page.get_by_role("button", name="Start", exact=True)).to_have_count(0)
    expect(page.get_by_text("Something unexpected")).to_have_count(0)


@pytest.mark.parametrize("width", [1366, 1920])
def test_no_page_is_wider_than_the_window(server: Server, page: Page, person: Person, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(server.address())
    page.get_by_role("button", name="Use this").first.click()
    person.sees(_TARGET)
    for step in ("2. PU set-up", "3. Search", "4. Live", "1. Data"):
        person.go_to(step)
        main = page.locator("[data-testid=stMain]")
        assert main.evaluate("element => element.scrollWidth <= element.clientWidth"), step
