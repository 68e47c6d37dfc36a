"""Choices survive the way through an address, and become the settings of the command line."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autopu_core.errors import SettingsError
from autopu_core.runs import PRESETS, RunSettings
from dashboard.draft import Draft

names = st.text(min_size=1, max_size=12)
optional_counts = st.none() | st.integers(0, 10_000)
drafts = st.builds(
    Draft,
    target=st.none() | names,
    positive=st.lists(names, max_size=3).map(tuple),
    negative=st.lists(names, max_size=3).map(tuple),
    use_known_negatives=st.booleans(),
    group=st.none() | names,
    drop=st.lists(names, max_size=3).map(tuple),
    roles=st.dictionaries(names, st.sampled_from(["numeric", "category", "date"]), max_size=3),
    task=st.sampled_from(["engineered", "genuine"]),
    delta=st.sampled_from([0.0, 0.05, 0.4, 0.9]),
    test=st.sampled_from(["preset", "holdout", "folds"]),
    folds=st.integers(2, 10),
    optimizers=st.lists(st.sampled_from(["ga", "bo", "ebo"]), min_size=1, unique=True).map(tuple),
    configurations=optional_counts,
    final_search=st.none() | st.booleans(),
    time_limit=st.none() | st.floats(1, 1e6),
    jobs=st.integers(-1, 64),
    cache=st.booleans(),
)


def as_parameters(address: dict[str, Any]) -> dict[str, list[str]]:
    return {name: value if isinstance(value, list) else [value] for name, value in address.items()}


@given(drafts)
def test_an_address_gives_the_draft_back(draft: Draft) -> None:
    assert Draft.from_address(as_parameters(draft.to_address())) == draft


def test_what_is_as_usual_is_not_in_the_address() -> None:
    assert Draft().to_address() == {}
    assert Draft(target="diagnosis", delta=0.6).to_address() == {"target": "diagnosis", "delta": "0.6"}


@pytest.mark.parametrize(
    "parameters",
    [
        {"delta": ["much"]},
        {"folds": ["[1]"]},
        {"cache": ["3"]},
        {"seed": ["true"]},
        {"final_search": ["1"]},
        {"nothing of ours": ["1"]},
        {"time_limit": ['"long"']},
    ],
)
def test_what_cannot_be_read_is_left_as_usual(parameters: dict[str, list[str]]) -> None:
    assert Draft.from_address(parameters) == Draft()


def test_the_settings_are_those_of_the_command_line() -> None:
    draft = Draft(target="diagnosis", positive=("malignant",), preset="standard", seed=3)
    settings = draft.settings("some id", "ga")
    expected = RunSettings.from_preset(
        "standard", dataset="some id", target="diagnosis", positive=("malignant",), optimizer="ga", seed=3
    )
    assert settings == expected
    assert settings.folds == PRESETS["standard"].folds


def test_a_test_design_of_ones_own_overrules_the_preset() -> None:
    draft = Draft(target="y", positive=("1",), preset="standard", test="holdout", holdout=0.3)
    settings = draft.settings("some id", "bo")
    assert (settings.folds, settings.holdout) == (None, 0.3)
    settings = dataclasses.replace(draft, preset="quick", test="folds", folds=7).settings("some id", "bo")
    assert (settings.folds, settings.holdout) == (7, None)


def test_known_negatives_only_count_where_labels_are_incomplete() -> None:
    draft = Draft(target="y", positive=("1",), negative=("0",), use_known_negatives=True)
    assert draft.settings("some id", "ebo").negative == ()
    genuine = dataclasses.replace(draft, task="genuine").settings("some id", "ebo")
    assert (genuine.negative, genuine.use_known_negatives) == (("0",), True)


def test_several_optimisers_may_be_compared() -> None:
    draft = Draft(target="y", positive=("1",), optimizers=("ga", "bo", "ebo", "random"))
    keys = {draft.settings("some id", optimizer).comparison_key for optimizer in draft.optimizers}
    assert len(keys) == 1


def test_what_is_not_chosen_is_asked_for() -> None:
    with pytest.raises(SettingsError, match="diagnosis"):
        Draft().settings("some id", "ebo")
    with pytest.raises(SettingsError, match="positive"):
        Draft(target="y").settings("some id", "ebo")


def test_a_budget_of_ones_own_overrules_the_preset() -> None:
    assert Draft(preset="paper").budget("configurations") == PRESETS["paper"].configurations
    assert Draft(preset="paper", configurations=7).budget("configurations") == 7
    assert Draft(preset="paper", final_search=False).budget("final_search") is False
