"""The benchmark's comparisons against numbers worked out by hand, and against the PU paper's printed tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autopu_core.errors import TableError
from autopu_core.evaluation import benchmark_statistics as statistics
from autopu_core.evaluation.benchmark import AUTO_PU, BASELINES, SYSTEM_TITLES, BenchmarkResults
from autopu_core.evaluation.benchmark_published import beside, published
from autopu_core.pu.spaces import BASE_SPACE

PAPER = Path(__file__).parents[2].parent / "shared" / "paper"
needs_paper = pytest.mark.skipif(not PAPER.exists(), reason="the papers' printed tables aren't beside the project")
NAN = float("nan")


# -- the paper's own numbers through the benchmark --------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_paper(made) -> BenchmarkResults:
    """The published F-measures as if they were ours."""
    printed = pd.concat([published(PAPER, number) for number in (4, 7)])
    cells = {(row.dataset, row.delta, row.system): [row.f_measure] for row in printed.itertuples()}
    percent = published(PAPER, 3).set_index("dataset")["positive_percent"]
    return made(cells, percent.to_dict(), metrics=["f_measure"])


@needs_paper
def test_table_5_follows_from_table_4(of_paper):
    table = beside(statistics.wilcoxon_all_pairs(of_paper, AUTO_PU["base"]), published(PAPER, 5))
    assert len(table) == 9
    assert (table["data_sets"] == 20).all()
    # Float noise decides this one, see test_statistics.
    noisy = (table["delta"] == 0.6) & (table["system_a"] == "bo_base") & (table["system_b"] == "ebo_base")
    np.testing.assert_allclose(table["p_value"][~noisy], table["p_value_published"][~noisy], atol=0.00051)
    assert table["p_value"][noisy].item() == pytest.approx(0.701, abs=0.0005)
    for column in ("rank_a", "rank_b"):
        np.testing.assert_allclose(table[column], table[f"{column}_published"], atol=0.0051)
    np.testing.assert_allclose(table["alpha"], table["alpha_published"], atol=0.0005)


@needs_paper
def test_table_8_follows_from_tables_4_and_7_but_for_three_comparisons(of_paper):
    table = beside(statistics.wilcoxon_against(of_paper, AUTO_PU["base"], BASELINES), published(PAPER, 8))
    assert len(table) == 18
    printed = table["p_value_published"]
    step = np.where(printed < 0.0005, 10.0 ** np.floor(np.log10(printed)), 0.001)  # 3E-04, or three decimals
    differs = table[(table["p_value"] - printed).abs() > 0.51 * step]
    assert {(row.delta, row.system_a, row.system_b) for row in differs.itertuples()} == {
        (0.2, "ga_base", "s_em"),
        (0.2, "bo_base", "df_pu"),
        (0.2, "ebo_base", "df_pu"),
    }
    np.testing.assert_allclose(table["alpha"], table["alpha_published"], atol=0.0005)
    assert (table["significant"] == (printed < table["alpha_published"])).all()


@needs_paper
def test_table_6_follows_from_tables_3_4_and_7(of_paper):
    ours = statistics.prevalence_correlations(of_paper, (*AUTO_PU["base"], *BASELINES))
    table = beside(ours, published(PAPER, 6))
    assert len(table) == 15
    np.testing.assert_allclose(table["pearson_r"], table["pearson_r_published"], atol=0.0015)


@needs_paper
def test_means_of_the_paper(of_paper):
    table = statistics.summary(of_paper, AUTO_PU["base"]).set_index(["delta", "system"])["f_measure"]
    # Section 3 of the specification: the best of the paper's systems at each delta.
    assert table.groupby("delta").max().round(3).to_dict() == {0.2: 0.776, 0.4: 0.750, 0.6: 0.681}


# -- by hand ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def three(made) -> BenchmarkResults:
    """Three systems on three data sets; "c" wasn't finished by z, and y is undefined on a fold of "b" at 40 %."""
    return made(
        {
            ("b", 0.2, "x"): [0.8, 0.6],
            ("b", 0.2, "y"): [0.5, 0.7],
            ("b", 0.2, "z"): [0.7, 0.7],
            ("a", 0.2, "x"): [0.9, 0.9],
            ("a", 0.2, "y"): [0.9, 0.8],
            ("a", 0.2, "z"): [0.2, 0.4],
            ("c", 0.2, "x"): [0.1, 0.1],
            ("c", 0.2, "y"): [0.3, 0.3],
            ("b", 0.4, "x"): [0.4, 0.4],
            ("b", 0.4, "y"): [0.5, NAN],
        }
    )


def test_only_data_sets_that_all_have_finished_count(three):
    common = statistics.mean_scores(three, 0.2, ["z", "x", "y"])
    pd.testing.assert_frame_equal(
        common,
        pd.DataFrame(
            {"z": [0.3, 0.7], "x": [0.9, 0.7], "y": [0.85, 0.6]}, index=pd.Index(["a", "b"], name="dataset", dtype=str)
        ),
    )
    assert list(statistics.mean_scores(three, 0.2, ["x", "y"]).index) == ["a", "b", "c"]
    everything = statistics.mean_scores(three, 0.2, ["x", "z"], finished_by_all=False)
    assert np.isnan(everything.loc["c", "z"])
    assert statistics.unfinished(three, ["x", "z"]) == [("c", 0.2, ["z"])]


def test_a_system_without_any_score_is_left_out_instead_of_emptying_the_table(three):
    assert list(statistics.mean_scores(three, 0.4, ["x", "y", "z"]).columns) == ["x"]
    assert statistics.mean_scores(three, 0.6, ["x"]).empty
    assert statistics.mean_scores(three, 0.2, ["nobody"]).empty


def test_f_measures_are_all_that_is_finished(three):
    table = statistics.f_measures(three, ["x", "z"]).set_index(["delta", "dataset", "system"])["f_measure"]
    assert table.round(9).to_dict() == {
        (0.2, "a", "x"): 0.9,
        (0.2, "b", "x"): 0.7,
        (0.2, "c", "x"): 0.1,
        (0.2, "a", "z"): 0.3,
        (0.2, "b", "z"): 0.7,
        (0.4, "b", "x"): 0.4,
    }


def test_summary_by_hand(three):
    table = statistics.summary(three, ["x", "y", "z"])
    at_20 = table[table["delta"] == 0.2].set_index("system")
    assert at_20["data_sets"].tolist() == [2, 2, 2]
    assert at_20["f_measure"].round(9).to_dict() == {"x": 0.8, "y": 0.725, "z": 0.5}
    # On b, x and z are equal: they share ranks 1 and 2, and both win.
    assert at_20["rank"].to_dict() == {"x": 1.25, "y": 2.5, "z": 2.25}
    assert at_20["wins"].to_dict() == {"x": 2, "y": 0, "z": 1}
    assert table[table["delta"] == 0.4]["system"].tolist() == ["x"]


def test_holm_counts_the_pairs_of_a_family(made):
    rng = np.random.default_rng(0)
    systems = (*AUTO_PU["base"], *BASELINES)
    results = made({(f"d{n}", 0.2, system): rng.random(3) for n in range(9) for system in systems})
    pairs = statistics.wilcoxon_all_pairs(results, AUTO_PU["base"])
    for _, family in pairs.groupby(["delta", "metric"]):
        assert sorted(family["alpha"]) == pytest.approx([0.05 / 3, 0.05 / 2, 0.05])
    controls = statistics.wilcoxon_against(results, AUTO_PU["base"], BASELINES)
    assert set(controls["system_b"]) == set(BASELINES)
    for _, family in controls.groupby(["delta", "metric", "system_a"]):
        assert sorted(family["alpha"]) == pytest.approx([0.025, 0.05])
    assert list(pairs["metric"].unique()) == ["f_measure", "precision", "recall"]


def test_a_control_that_is_not_there_is_compared_with_nobody(made):
    results = made({(name, 0.2, system): [0.5] for name in "abc" for system in ("ga_base", *BASELINES)})
    table = statistics.wilcoxon_against(results, AUTO_PU["base"], BASELINES)
    assert set(table["system_a"]) == {"ga_base"}
    assert statistics.wilcoxon_all_pairs(results, AUTO_PU["base"]).empty


def versus(made, ours, theirs):
    """`against` of one system on data sets where the two have these scores."""
    cells = {}
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        cells[f"d{number}", 0.2, "ga_base"], cells[f"d{number}", 0.2, "random_ga_base"] = [a], [b]
    (row,) = statistics.against(made(cells), {"ga_base": "random_ga_base"}).itertuples()
    return row


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict", "p_value"),
    [
        # With n differences of one sign the exact two-sided p-value is 2 / 2^n.
        ([0.61, 0.62, 0.63, 0.64, 0.65, 0.66], [0.6] * 6, "beats it", 2 / 64),
        ([0.61, 0.62, 0.63, 0.64, 0.65], [0.6] * 5, "ahead, perhaps by chance", 2 / 32),
        ([0.6, 0.6], [0.6, 0.6], "does not beat it", 1.0),
        ([0.6, 0.5], [0.5, 0.6], "does not beat it", 1.0),
        ([0.1 + 0.2], [0.3], "does not beat it", 1.0),
        ([0.5, 0.51, 0.52], [0.6] * 3, "does not beat it", 2 / 8),
        ([0.51, 0.52, 0.53, 0.54, 0.55, 0.56], [0.6] * 6, "clearly worse", 2 / 64),
        # Seven small losses and one huge win.
        ([0.99, *[0.5] * 7], [0.1, *[0.51, 0.52, 0.53, 0.54, 0.55, 0.56, 0.57]], "ahead, perhaps by chance", None),
    ],
)
def test_verdicts(made, ours, theirs, verdict, p_value):
    row = versus(made, ours, theirs)
    assert row.verdict == verdict
    assert row.data_sets == len(ours)
    assert row.difference == pytest.approx(np.mean(ours) - np.mean(theirs), abs=1e-9)
    assert (row.wins, row.ties, row.losses) == (
        sum(a - b > 1e-9 for a, b in zip(ours, theirs, strict=True)),
        sum(abs(a - b) < 1e-9 for a, b in zip(ours, theirs, strict=True)),
        sum(b - a > 1e-9 for a, b in zip(ours, theirs, strict=True)),
    )
    if p_value is not None:
        assert row.p_value == pytest.approx(p_value)


def test_differences_by_data_set(three):
    table = statistics.differences(three, {"z": "x", "y": "x", "nobody": "x"})
    assert table[table["delta"] == 0.2].values.tolist() == [
        [0.2, "a", "z", -0.6],
        [0.2, "b", "z", 0.0],
        [0.2, "a", "y", -0.05],
        [0.2, "b", "y", -0.1],
        [0.2, "c", "y", 0.2],
    ]
    assert (table["delta"] == 0.2).all()  # at 40 % y is undefined


def test_a_higher_mean_with_lower_ranks_beyond_chance_is_no_victory(made):
    # 11 small losses and one huge win: worse in rank (p < 0.05), better in mean.
    ours, theirs = [0.9, *[0.5] * 11], [0.1, *(0.501 + 0.001 * n for n in range(11))]
    row = versus(made, ours, theirs)
    assert row.p_value < 0.05
    assert (row.difference > 0, row.verdict) == (True, "ahead, perhaps by chance")


def candidate(count: int, **changes: object) -> dict[str, object]:
    return {
        "iteration_count_1a": count,
        "threshold_1a": 0.3,
        "classifier_1a": "gaussian_nb",
        "flag_1b": False,
        "classifier_2": "lda",
        **changes,
    }


def test_the_chosen_iteration_count_against_the_percentage_of_positives(made):
    percent = {"a": 10.0, "b": 20.0, "c": 40.0, "d": 50.0}
    means = {"a": (9, 7), "b": (8, 6), "c": (6, 4), "d": (3, 5)}  # on average 9 - percentage / 10
    chosen = {(name, 0.2, "bo_base"): [candidate(count) for count in counts] for name, counts in means.items()}
    chosen |= {(name, 0.2, "ga_extended"): chosen[name, 0.2, "bo_base"] for name in "ab"}  # too few for a correlation
    chosen = {
        cell: [{"spy_flag": False, **each} for each in rows] if cell[2] == "ga_extended" else rows
        for cell, rows in chosen.items()
    }
    results = made({cell: [0.5, 0.5] for cell in chosen}, percent, chosen)
    (row,) = statistics.iteration_count_correlations(results).itertuples()
    assert (row.system, row.delta, row.data_sets) == ("bo_base", 0.2, 4)
    assert row.pearson_r == pytest.approx(-1.0)
    assert row.strength == "very strong"


def test_what_was_chosen_most_often(made):
    chosen = {
        ("a", 0.2, "ga_base"): [candidate(3), candidate(3, flag_1b=True, threshold_1b=0.5, classifier_1b="knn")],
        ("b", 0.2, "ga_base"): [candidate(1), candidate(3, classifier_2="svm")],
        ("b", 0.2, "bo_base"): [candidate(9), candidate(9)],
    }
    table = statistics.chosen_values(made({cell: [0.5, 0.5] for cell in chosen}, chosen=chosen), "ga")
    assert set(table["search_space"]) == {"base"}
    assert set(table["searches"]) == {4}
    rows = table.set_index("parameter")
    assert rows.loc["iteration_count_1a", "most_selected"] == "3"
    assert rows.loc["iteration_count_1a", "selection_percent"] == 75.0
    assert rows.loc["flag_1b", "most_selected"] == "False"
    assert rows.loc["threshold_1b", "selection_percent"] == 100.0  # of the one recipe that has a phase 1B
    assert rows.loc["classifier_2", "baseline_percent"] == pytest.approx(100 / 18)


@pytest.mark.parametrize("wrong", [{"iteration_count_1a": 3}, candidate(11), candidate(3, spin="up")])
def test_a_candidate_of_another_space_is_named(made, wrong):
    results = made({("a", 0.2, "ga_base"): [0.5]}, chosen={("a", 0.2, "ga_base"): [wrong]})
    for compute in (statistics.iteration_count_correlations, lambda each: statistics.chosen_values(each, "ga")):
        with pytest.raises(TableError, match="is no candidate of the space 'base'"):
            compute(results)


def test_run_times_are_of_the_cells_that_all_have_finished(made):
    costs = {
        ("a", 0.2, "ga_base"): {"cpu_seconds": 60, "wall_seconds": 30, "assessments": 100},
        ("b", 0.2, "ga_base"): {"cpu_seconds": 180, "wall_seconds": 60, "assessments": 300},
        ("c", 0.2, "ga_base"): {"cpu_seconds": 9999},
        ("a", 0.2, "bo_base"): {"cpu_seconds": 12, "fits_naive": 7},
        ("b", 0.2, "bo_base"): {"cpu_seconds": 36, "fits_naive": 8},
    }
    cells = {cell: [0.5, 0.7] for cell in costs}
    cells["b", 0.2, "bo_base"] = [0.9, 1.0]
    cells |= {(name, 0.2, "corrected_forest"): [value] for name, value in (("a", 0.6), ("b", 0.7), ("c", 0.1))}
    table = statistics.run_times(made(cells, costs=costs)).set_index("system")
    assert list(table.index) == ["ga_base", "bo_base", "corrected_forest"]
    assert table["cells"].tolist() == [2, 2, 2]
    assert table["cpu_minutes"].tolist()[:2] == pytest.approx([2.0, 0.4])
    assert table.loc["ga_base", ["wall_minutes", "assessments"]].tolist() == pytest.approx([0.75, 200])
    assert table.loc["bo_base", ["fits_naive", "f_measure"]].tolist() == pytest.approx([7.5, (0.6 + 0.95) / 2])
    # Nobody measures the half second of a reference, but its F on the same data sets is known.
    assert table.loc["corrected_forest", "f_measure"] == pytest.approx(0.65)
    assert np.isnan(table.loc["corrected_forest", "cpu_minutes"])


def test_ranks_of_more_than_two(made):
    cells = {(name, 0.2, s): [f] for name in "abcd" for s, f in (("x", 0.9), ("y", 0.8), ("z", 0.7))}
    comparison = statistics.rank_comparison(made(cells), 0.2, ["z", "y", "x"])
    assert comparison.ranks.to_dict() == {"x": 1.0, "y": 2.0, "z": 3.0}
    assert comparison.data_sets == 4
    assert statistics.rank_comparison(made(cells), 0.2, ["x", "y"]) is None
    assert statistics.rank_comparison(made(cells), 0.4, ["x", "y", "z"]) is None


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), missing=st.floats(0, 0.9))
def test_comparisons_agree_with_the_scores_whatever_is_missing(drawn, seed, missing):
    rng = np.random.default_rng(seed)
    results = drawn(rng, [f"d{n}" for n in range(5)], deltas=(0.2, 0.6), missing=missing)
    systems = (*AUTO_PU["base"], *BASELINES)
    f_measure = results.scores[results.scores["metric"] == "f_measure"]
    finished = {(row.dataset, row.delta, row.system) for row in f_measure.itertuples()}

    def common(delta, chosen):
        present = [name for name in chosen if any((d, delta, name) in finished for d in results.datasets["dataset"])]
        return sum(all((d, delta, name) in finished for name in present) for d in results.datasets["dataset"])

    for row in statistics.summary(results, systems).itertuples():
        assert row.data_sets == common(row.delta, systems)
    for row in statistics.wilcoxon_all_pairs(results, AUTO_PU["base"]).itertuples():
        assert row.data_sets == common(row.delta, AUTO_PU["base"])
    for row in statistics.against(results, {"ga_base": "s_em"}).itertuples():
        assert row.data_sets == row.wins + row.ties + row.losses == common(row.delta, ("ga_base", "s_em"))
        assert row.difference == pytest.approx(row.f_measure - row.f_measure_opponent, abs=1e-8)
    ours = statistics.f_measures(results, tuple(SYSTEM_TITLES))
    assert {(row.dataset, row.delta, row.system) for row in ours.itertuples()} == finished


def test_the_active_genes_of_a_drawn_candidate_are_a_candidate(drawn):
    results = drawn(np.random.default_rng(2), ["a"], systems=["ga_base"])
    assert all(BASE_SPACE.candidate(json.loads(text)) for text in results.chosen["candidate"])
    assert len(statistics.chosen_values(results, "ga")) == 7
