"""Hyperparameter frequencies: known counts, active genes, the paper's baselines and form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from autopu_core.evaluation.frequencies import TITLES, hyperparameter_frequencies, most_frequent_values
from autopu_core.pu.spaces import BASE_SPACE, EXTENDED_SPACE
from autopu_core.search.space import Parameter, SearchSpace

PAPER = Path(__file__).parents[2].parent / "shared" / "paper"

SMALL = SearchSpace(
    "small",
    [
        Parameter("flag_1b", (False, True), "boolean"),
        Parameter("threshold_1b", (0.1, 0.2, 0.3, 0.4), "numeric", (("flag_1b", (True,)),)),
        Parameter("classifier_2", ("lda", "svm"), "nominal"),
    ],
)
CHOSEN = [
    {"flag_1b": True, "threshold_1b": 0.2, "classifier_2": "lda"},
    {"flag_1b": True, "threshold_1b": 0.3, "classifier_2": "lda"},
    {"flag_1b": True, "threshold_1b": 0.3, "classifier_2": "svm"},
    {"flag_1b": False, "threshold_1b": 0.1, "classifier_2": "lda"},
]


def _percent(table: pd.DataFrame, parameter: str) -> dict[str, float]:
    return table[table.parameter == parameter].set_index("value").selection_percent.to_dict()


def test_counts_active_genes():
    table = hyperparameter_frequencies(CHOSEN, SMALL)
    assert _percent(table, "flag_1b") == {"False": 25.0, "True": 75.0}
    assert _percent(table, "threshold_1b") == pytest.approx({"0.1": 0, "0.2": 100 / 3, "0.3": 200 / 3, "0.4": 0})
    assert table[table.parameter == "threshold_1b"].cases.tolist() == [3] * 4
    row = table[(table.parameter == "classifier_2") & (table.value == "lda")].iloc[0]
    assert (row["count"], row.cases, row.baseline_percent, row.difference) == (3, 4, 50.0, 25.0)


def test_counts_every_gene_as_the_paper_does():
    table = hyperparameter_frequencies(CHOSEN, SMALL, active_only=False)
    assert _percent(table, "threshold_1b") == {"0.1": 25.0, "0.2": 25.0, "0.3": 50.0, "0.4": 0.0}


def test_absent_inactive_genes_are_no_obstacle():
    bare = [SMALL.active(candidate) for candidate in CHOSEN]
    pd.testing.assert_frame_equal(hyperparameter_frequencies(bare, SMALL), hyperparameter_frequencies(CHOSEN, SMALL))
    with pytest.raises(ValueError, match="'threshold_1b'"):
        hyperparameter_frequencies(bare, SMALL, active_only=False)


def test_unknown_value_is_refused():
    with pytest.raises(ValueError, match="'forest' is not a choice of 'classifier_2'"):
        hyperparameter_frequencies([{**CHOSEN[0], "classifier_2": "forest"}], SMALL)


def test_random_candidates_choose_as_the_baseline_says():
    candidates = SMALL.sample(4000, np.random.default_rng(0))
    table = hyperparameter_frequencies(candidates, SMALL)
    assert table.difference.abs().max() < 3
    assert table.groupby("parameter").selection_percent.sum().round(9).eq(100).all()


def test_no_candidates_give_no_cases():
    table = hyperparameter_frequencies([], SMALL)
    assert len(table) == 8
    assert table["count"].sum() == table.selection_percent.sum() == 0


def test_most_frequent_values_in_the_papers_form():
    wider = SearchSpace("wider", [*SMALL.parameters, Parameter("spy_flag", (False, True), "boolean")])
    spied = [{**candidate, "spy_flag": True} for candidate in CHOSEN]
    table = most_frequent_values(
        {"base": hyperparameter_frequencies(CHOSEN, SMALL), "extended": hyperparameter_frequencies(spied, wider)}
    )
    assert table.parameter.tolist()[::2] == ["flag_1b", "threshold_1b", "spy_flag", "classifier_2"]
    assert table.search_space.tolist() == ["base", "extended"] * 4
    found = table.set_index(["parameter", "search_space"])
    assert found.loc[("threshold_1b", "base"), "most_selected"] == "0.3"
    assert found.loc[("threshold_1b", "base"), "difference"] == pytest.approx(200 / 3 - 25)
    assert found.loc[("spy_flag", "extended"), "most_selected"] == "True"
    assert found.loc[("spy_flag", "base")].drop("hyperparameter").isna().all()


def test_never_active_has_no_most_frequent_value():
    off = [{"flag_1b": False, "classifier_2": "lda"}]
    table = most_frequent_values({"base": hyperparameter_frequencies(off, SMALL)}).set_index("parameter")
    assert pd.isna(table.loc["threshold_1b", "most_selected"])
    assert pd.isna(table.loc["threshold_1b", "selection_percent"])


@pytest.mark.skipif(not PAPER.exists(), reason="the papers' printed tables aren't beside the project")
@pytest.mark.parametrize(("number", "optimizer"), [(13, "ga"), (14, "bo")])
def test_rows_titles_and_baselines_are_the_papers(number, optimizer):
    printed = pd.read_csv(PAPER / f"table{number}_hyperparameter_frequency_{optimizer}.csv", na_values="N/A")
    rng = np.random.default_rng(0)
    ours = most_frequent_values(
        {
            space.name: hyperparameter_frequencies(space.sample(300, rng), space)
            for space in (BASE_SPACE, EXTENDED_SPACE)
        }
    )
    assert ours.hyperparameter.tolist() == printed.hyperparameter.tolist()
    assert ours.search_space.tolist() == printed.search_space.tolist()
    np.testing.assert_allclose(ours.baseline_percent, printed.baseline_pct, atol=0.006)
    assert list(dict.fromkeys(ours.parameter)) == list(TITLES)
