"""The tables that the command line prints and the dashboard shows."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autopu_core.evaluation.benchmark import AUTO_PU, BASELINES, RANDOM_SEARCH, SYSTEM_TITLES, BenchmarkResults
from autopu_core.evaluation.benchmark_tables import NamedTable, paper_tables
from autopu_core.evaluation.benchmark_words import too_few_data_sets
from autopu_core.evaluation.metrics import METRICS

PAPER = Path(__file__).parents[2].parent / "shared" / "paper"
needs_paper = pytest.mark.skipif(not PAPER.exists(), reason="the papers' printed tables aren't beside the project")
NUMBERED = list(range(3, 17))


def by_number(tables: list[NamedTable]) -> dict[int, NamedTable]:
    return {table.number: table for table in tables if table.number is not None}


def named(tables: list[NamedTable], beginning: str) -> NamedTable:
    (table,) = [table for table in tables if table.title.startswith(beginning)]
    return table


def check_for_people(tables: list[NamedTable]) -> None:
    """Headings and cells are titles, never names of the code; notes are whole sentences."""
    names = {*SYSTEM_TITLES, *METRICS} - set(SYSTEM_TITLES.values())
    for table in tables:
        assert len(table.frame)
        assert not [heading for heading in table.frame.columns if "_" in heading]
        assert table.frame.columns.is_unique
        texts = table.frame.select_dtypes(["object", "str"])
        assert not names & {cell for column in texts for cell in texts[column].dropna()}
        assert re.fullmatch(r"[A-Z].*[.]", table.note)
        assert "  " not in table.note


@pytest.fixture(scope="module")
def results(drawn) -> BenchmarkResults:
    return drawn(np.random.default_rng(3), ["spine", "heart_disease", "autism", "cirrhosis"])


def test_all_tables_in_their_order(results):
    tables = paper_tables(results)
    assert [table.number for table in tables if table.number is not None] == NUMBERED
    assert [table.title for table in tables if table.number is None] == [
        "Overview: all systems",
        "Optimisers against random search with the same budget",
        "Against the corrected forest",
        "Run times",
    ]
    check_for_people(tables)
    assert not [heading for table in tables for heading in table.frame.columns if "paper" in heading]


def test_table_4_has_the_means_over_the_folds(results):
    frame = by_number(paper_tables(results))[4].frame
    assert list(frame.columns) == ["Hidden, %", "Data set", "GA-1", "BO-1", "EBO-1"]
    assert frame["Hidden, %"].tolist() == [20] * 4 + [40] * 4 + [60] * 4
    assert frame["Data set"].tolist()[:4] == ["Autism", "Cirrhosis", "Heart disease", "Spine"]
    scores = results.scores
    of_cell = scores[
        (scores["dataset"] == "spine")
        & (scores["delta"] == 0.4)
        & (scores["system"] == "ebo_base")
        & (scores["metric"] == "f_measure")
    ]
    row = frame[(frame["Data set"] == "Spine") & (frame["Hidden, %"] == 40)]
    assert row["EBO-1"].item() == pytest.approx(of_cell["value"].mean())


def test_who_fails_to_beat_random_search_is_said_first(made):
    cells = {}
    for number in range(6):
        for delta in (0.2, 0.4):
            for system in ("ga_base", "bo_base"):
                cells[f"d{number}", delta, system] = [0.7]
                cells[f"d{number}", delta, RANDOM_SEARCH[system]] = [0.6 - number / 100]
    for number in range(6):
        cells[f"d{number}", 0.4, "random_bo_base"] = [0.8]
    note = named(paper_tables(made(cells)), "Optimisers against random").note
    assert note.startswith(
        "Not better than random search with its own budget: BO-1 at 40%. Better beyond chance: GA-1 at 20% and 40%; "
        "BO-1 at 20%."
    )
    level = made({cell: [0.5] for cell in cells})
    note = named(paper_tables(level), "Optimisers against random").note
    assert note.startswith("Not better than random search with its own budget: GA-1 at 20% and 40%; BO-1 at 20% and")
    assert "None is better beyond chance." in note


def test_means_and_wins_among_the_systems_of_a_table(made):
    cells = {
        ("a", 0.2, "ga_base"): [0.5],
        ("b", 0.2, "ga_base"): [0.8],
        ("a", 0.2, "bo_base"): [0.5],
        ("b", 0.2, "bo_base"): [0.6],
        ("a", 0.2, "random_bo_base"): [0.9],
        ("a", 0.6, "ga_base"): [0.25],
    }
    note = by_number(paper_tables(made(cells)))[4].note
    # On a, both are best: the random search isn't in this table.
    assert note.endswith(
        "Mean (best on): at 20% GA-1 0.650 (2) and BO-1 0.550 (1) of 2 data sets; at 60% GA-1 0.250 (1) of 1 data set."
    )


def test_what_is_left_out_is_named(made):
    cells = {
        (name, delta, system): [0.1 * number + delta]
        for number, name in enumerate(["spine", "autism", "cirrhosis"])
        for delta in (0.2, 0.4)
        for system in (*AUTO_PU["base"], *BASELINES)
    }
    tables = by_number(paper_tables(made(cells)))
    assert "Over 3 data sets." in tables[5].note
    del cells["autism", 0.4, "bo_base"]
    tables = by_number(paper_tables(made(cells)))
    for number in (5, 8):
        assert (
            "Over 3 data sets at 20%, 2 data sets at 40%. Left out because not all systems have finished there: Autism "
            "at 40% (BO-1)."
        ) in tables[number].note
    assert "Left out" not in tables[7].note
    assert tables[6].frame["Data sets"].tolist() == [3] * 5  # two data sets are too few for a correlation
    assert np.isnan(tables[4].frame.set_index(["Hidden, %", "Data set"]).loc[(40, "Autism"), "BO-1"])


@pytest.mark.parametrize(("count", "out_of_reach"), [(5, True), (6, True), (7, False)])
def test_too_few_data_sets_for_any_significance_are_told(made, count, out_of_reach):
    # Three pairs: the strictest alpha is 0.05 / 3; of 6 data sets the smallest p-value is 2 / 64, of 7 it is 2 / 128.
    rng = np.random.default_rng(0)
    cells = {(f"d{n}", 0.2, system): [rng.random()] for n in range(count) for system in AUTO_PU["base"]}
    note = by_number(paper_tables(made(cells)))[5].note
    assert ("is out of reach" in note) == out_of_reach


def test_nothing_is_said_of_no_tests(made):
    tables = paper_tables(made({("a", 0.2, "ga_base"): [0.5]}))
    assert [table.title for table in tables] == [
        "Overview: all systems",
        "Table 3. Data sets",
        "Table 4. F-measure of the optimisers in the base space",
    ]
    assert paper_tables(made({})) == []
    assert too_few_data_sets(tables[0].frame.head(0)) == ""


def test_odd_shares_of_hidden_positives_are_written_out(made):
    tables = paper_tables(made({("a", delta, "ga_base"): [0.5] for delta in (0.125, 0.5)}))
    assert by_number(tables)[4].frame["Hidden, %"].tolist() == [12.5, 50.0]


@settings(max_examples=6, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    systems=st.sets(st.sampled_from(list(SYSTEM_TITLES)), min_size=1, max_size=8),
    missing=st.floats(0, 0.95),
)
def test_whatever_is_there_can_be_shown(drawn, seed, systems, missing):
    names = ["autism", "spine", "stroke"]
    results = drawn(np.random.default_rng(seed), names, (0.2, 0.6), sorted(systems), missing=missing)
    tables = paper_tables(results)
    check_for_people(tables)
    if PAPER.exists():
        beside = paper_tables(results, PAPER)
        check_for_people(beside)
        assert [table.title for table in beside] == [table.title for table in tables]
        for ours, both in zip(tables, beside, strict=True):
            assert both.frame[ours.frame.columns].equals(ours.frame)


@needs_paper
def test_published_values_stand_beside_ours(results):
    tables = paper_tables(results, PAPER)
    check_for_people(tables)
    numbered = by_number(tables)
    spine = numbered[4].frame.set_index(["Hidden, %", "Data set"]).loc[(60, "Spine")]
    assert spine[["GA-1 (paper)", "BO-1 (paper)", "EBO-1 (paper)"]].tolist() == [0.818, 0.742, 0.775]
    test = numbered[10].frame
    row = test[(test["Hidden, %"] == 40) & (test["Metric"] == "F-measure") & (test["Second system"] == "EBO-2")]
    assert row[row["First system"] == "GA-2"]["p-value (paper)"].item() == 0.039
    # The only significant difference among the optimisers that the paper reports is one in precision.
    significant = test[test["Significant (paper)"].astype(bool)]
    assert significant[["Hidden, %", "Metric", "First system", "Second system"]].values.tolist() == [
        [40, "Precision", "GA-2", "EBO-2"]
    ]
    assert numbered[16].frame["Correlation r (paper)"].tolist()[:3] == [-0.646, -0.655, -0.689]
    assert "misprints" in numbered[15].note
    assert "misprints" not in numbered[14].note
    times = named(tables, "Run times").frame.set_index("System")
    assert times.loc["GA-2", "Minutes (paper)"] == 223.2
    overview = named(tables, "Overview").frame.set_index(["Hidden, %", "System"])
    assert overview.loc[(20, "S-EM"), "Mean F (paper, all its data sets)"] == pytest.approx(0.632, abs=0.0005)
    # Mean of S-EM's printed 0.823, 0.438, 0.838 and 0.806 on autism, cirrhosis, heart disease and spine.
    assert overview.loc[(20, "S-EM"), "Mean F (paper, same data sets)"] == pytest.approx(2.905 / 4)
    assert overview.loc[(20, "Corrected forest")].filter(like="paper").isna().all()


@needs_paper
def test_data_sets_that_the_paper_does_not_have_get_no_published_mean(made):
    results = made({(name, 0.2, "s_em"): [0.5] for name in ("spine", "my_clinic")})
    overview = named(paper_tables(results, PAPER), "Overview").frame
    assert overview["Mean F (paper, same data sets)"].isna().all()
    assert overview["Mean F (paper, all its data sets)"].notna().all()
