"""Pipelines and methods in plain words, with every fact in them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autopu_core.export.words import REFERENCES, citations, describe_pipeline, methods_paragraph
from autopu_core.pu.classifiers import TITLES
from autopu_core.pu.methods import METHODS
from autopu_core.runs import RunSettings

PLAIN = {
    "iteration_count_1a": 3,
    "threshold_1a": 0.15,
    "classifier_1a": "lda",
    "flag_1b": False,
    "classifier_2": "random_forest",
}
RESULT = {
    "data": {"rows": 1234, "positives": 410, "features": 9},
    "counts": {"assessments": 1020, "distinct_candidates": 987},
}
VERSIONS = {"autopu-dashboard": "0.1.0", "scikit-learn": "1.9.1"}


def steps(**changes):
    return dict(describe_pipeline({**PLAIN, **changes}))


def test_a_pipeline_of_two_phases():
    assert describe_pipeline(PLAIN) == [
        (
            "Phase 1A: first reliable negatives",
            "Linear discriminant analysis learns the known positives against the unlabelled rows, split into 3 parts, "
            "one by one. Rows with a probability below 0.15 become reliable negatives.",
        ),
        (
            "Phase 2: the final classifier",
            "Random forest learns the known positives against all reliable negatives. A new row is called positive "
            "from a probability of 0.5.",
        ),
    ]


def test_one_part_is_not_split():
    first = steps(iteration_count_1a=1)["Phase 1A: first reliable negatives"]
    assert "against all unlabelled rows at once." in first


def test_phase_1b_stands_between():
    made = describe_pipeline({**PLAIN, "flag_1b": True, "classifier_1b": "knn", "threshold_1b": 0.3})
    assert [title.partition(":")[0] for title, _ in made] == ["Phase 1A", "Phase 1B", "Phase 2"]
    assert made[1][1] == (
        "k-nearest neighbours learns the positives against the reliable negatives so far; of the remaining unlabelled "
        "rows, those with a probability below 0.30 join them."
    )


@pytest.mark.parametrize(("tolerance", "said"), [(0.07, "all but 7% of the spies"), (0.0, "every spy")])
def test_spies_set_the_threshold(tolerance, said):
    spying = {"spy_flag": True, "spy_rate": 0.35, "spy_tolerance": tolerance}
    candidate = {**PLAIN, **spying}
    del candidate["threshold_1a"]
    for text in (describe_pipeline(candidate)[0][1], describe_pipeline(spying)[0][1]):
        assert "35% of the known positives hide among" in text
        assert f"less positive than {said} become reliable negatives." in text


def test_the_published_baselines():
    assert [title for title, _ in describe_pipeline({"spy_rate": 0.1, "spy_tolerance": 0.05})] == [
        "Step 1: reliable negatives by spies",
        "Step 2: expectation maximisation",
    ]
    rounds = describe_pipeline({"reliable_negative_rate": 0.05, "iterations": 5})[0][1]
    assert "In each of 5 rounds" in rounds
    assert "5% of all unlabelled rows become reliable negatives: those that look least positive and were" in rounds
    once = describe_pipeline({"reliable_negative_rate": 0.2, "iterations": 1})[0][1]
    assert "In one round a deep forest learns the known positives against all unlabelled rows" in once
    assert once.endswith("20% of all unlabelled rows become reliable negatives: those that look least positive.")


@settings(max_examples=60)
@given(st.sampled_from(sorted(METHODS)), st.integers(0, 2**32))
def test_every_active_hyperparameter_of_every_candidate_is_told_and_nothing_only_a_programmer_understands(name, seed):
    space = METHODS[name].space
    (candidate,) = space.sample(1, np.random.default_rng(seed))
    active = space.active(candidate)
    told = " ".join(f"{title}. {text}" for title, text in describe_pipeline(active))
    for gene, value in active.items():
        if gene.startswith("classifier"):
            assert TITLES[value] in told
        elif gene.startswith("threshold"):
            assert f"below {value:.2f}" in told
        elif gene in ("spy_rate", "reliable_negative_rate"):
            assert f"{round(100 * value)}% of" in told
        elif gene == "spy_tolerance":
            assert (f"all but {round(100 * value)}% of" if value else "every spy") in told
        elif gene in ("iteration_count_1a", "iterations") and value > 1:
            assert f" {value} " in told
        elif gene == "flag_1b":
            assert ("Phase 1B" in told) == value
    assert not re.search(r"_|True|False|None|\{|\}", told)


def chosen(**changes):
    defaults = {"dataset": "d", "target": "diagnosis", "positive": ("sick",), "optimizer": "ebo"}
    return RunSettings(**{**defaults, **changes}).to_dict()


def test_a_methods_paragraph_of_an_engineered_task_in_cross_validation():
    paragraph = methods_paragraph(
        chosen(folds=5, holdout=None, final_search=True, space="extended", delta=0.4, seed=7), RESULT, VERSIONS
    )
    for fact in (
        "chosen by evolutionary Bayesian optimisation (EBO) from the extended search space of Saunders and Freitas,",
        "maximising the F-measure against the labels in 5-fold inner cross-validation on the training rows only",
        "(1,020 assessments, 987 different candidates, seed 7)",
        "1,234 rows, 410 of them positive, and 9 columns",
        "40% of the positives of each training set were hidden",
        "tested by 5-fold stratified cross-validation",
        "one more search on all rows",
        "autopu-dashboard 0.1.0 and scikit-learn 1.9.1.",
    ):
        assert fact in paragraph
    assert "estimates" not in paragraph


def test_a_methods_paragraph_of_a_genuine_task_with_a_holdout():
    paragraph = methods_paragraph(
        chosen(task="genuine", holdout=0.2, objective="lee_liu", optimizer="random"), RESULT, VERSIONS
    )
    for fact in (
        "by random search from the base search space",
        "Lee-Liu criterion",
        "one stratified hold-out of 20% of the rows",
        "Labels were taken as they are",
        "selected completely at random",
        "the best configuration of these searches by inner fitness, refitted on all rows",
    ):
        assert fact in paragraph
    assert "hidden" not in paragraph


@pytest.mark.parametrize(("optimizer", "name"), [("s_em", "S-EM"), ("df_pu", "DF-PU")])
def test_a_methods_paragraph_of_a_baseline_names_it_and_no_search_space(optimizer, name):
    paragraph = methods_paragraph(chosen(optimizer=optimizer), RESULT, VERSIONS)
    assert paragraph.startswith(f"The hyperparameters of {name} (")
    assert "chosen from a grid, maximising" in paragraph
    assert "search space" not in paragraph


@pytest.mark.parametrize("optimizer", ["ga", "bo", "ebo", "random", "s_em", "df_pu"])
@pytest.mark.parametrize("objective", ["f_measure", "lee_liu", "pu_f1"])
@pytest.mark.parametrize("task", ["engineered", "genuine"])
def test_whatever_was_done_is_told_in_sentences(optimizer, objective, task):
    paragraph = methods_paragraph(chosen(optimizer=optimizer, objective=objective, task=task), RESULT, VERSIONS)
    assert paragraph.endswith(".")
    assert not re.search(r"_|None|nan|\{|\}|  |\.\.|,\.", paragraph)


@pytest.mark.parametrize(
    ("settings_of_run", "candidate", "more"),
    [
        ({}, PLAIN, set()),
        ({"objective": "lee_liu"}, PLAIN, {"lee_liu"}),
        ({"task": "genuine"}, PLAIN, {"lee_liu"}),
        ({}, {**PLAIN, "classifier_1a": "deep_forest"}, {"deep_forest"}),
        ({}, {**PLAIN, "spy_flag": True}, {"spies"}),
        ({}, {**PLAIN, "spy_flag": False}, set()),
        ({"optimizer": "s_em"}, {"spy_rate": 0.1, "spy_tolerance": 0.0}, {"spies"}),
        (
            {"optimizer": "df_pu"},
            {"reliable_negative_rate": 0.05, "iterations": 5},
            {"deep_forest", "deep_forest_pu"},
        ),
    ],
)
def test_what_is_to_be_cited_follows_from_what_was_used(settings_of_run, candidate, more):
    cited = citations(chosen(**settings_of_run), candidate)
    always = {"auto_pu", "scikit_learn", "elkan_noto"}
    assert set(cited) == {REFERENCES[name] for name in always | more}
    assert len(cited) == len(set(cited))
