import pytest

from autopu_core.errors import SettingsError
from autopu_core.runs.settings import PRESETS, RunSettings


def settings(preset="quick", **choices):
    return RunSettings.from_preset(preset, dataset="d", target="diagnosis", positive=("yes",), **choices)


def test_presets_have_the_budgets_that_the_documentation_promises():
    assert (PRESETS["quick"].configurations, PRESETS["quick"].iterations, PRESETS["quick"].k) == (20, 8, 5)
    assert (PRESETS["standard"].configurations, PRESETS["standard"].iterations) == (50, 25)
    assert (PRESETS["paper"].configurations, PRESETS["paper"].iterations, PRESETS["paper"].folds) == (101, 50, 5)
    assert settings().searches == ["hold-out"]
    assert settings("standard").searches == ["fold 1", "fold 2", "fold 3", "fold 4", "fold 5", "final"]


def test_assessments_follow_from_the_budget():
    assert settings("paper", optimizer="ga").assessments_per_search == 101 * 51
    assert settings("paper", optimizer="bo").assessments_per_search == 151
    assert settings("paper", optimizer="ebo").assessments_per_search == 101 + 50 * 11


def test_settings_survive_json_and_a_choice_overrules_the_preset():
    made = settings("paper", holdout=0.3, seed=7, drop=("id",), roles={"sex": "category"})
    assert (made.folds, made.holdout) == (None, 0.3)
    assert RunSettings.from_dict(made.to_dict()) == made


def test_runs_compare_only_on_the_same_data_folds_and_hidden_positives():
    base = settings(optimizer="ga")
    assert settings(optimizer="bo", space="extended", jobs=1).comparison_key == base.comparison_key
    for other in (settings(seed=1), settings(delta=0.2), settings(folds=5), settings(drop=("age",))):
        assert other.comparison_key != base.comparison_key


@pytest.mark.parametrize(
    ("choices", "named"),
    [
        ({"delta": 1.0}, "delta"),
        ({"optimizer": "sgd"}, "sgd"),
        ({"folds": 5, "holdout": 0.2}, "not both"),
        ({"folds": 1}, "2 folds"),
        ({"holdout": 1.5}, "between 0 and 1"),
        ({"configurations": 1}, "configurations"),
        ({"time_limit": 0.0}, "time limit"),
        ({"jobs": 0}, "jobs"),
        ({"negative": ("yes",)}, "both a positive and a negative"),
        ({"drop": ("diagnosis",)}, "diagnosis"),
        ({"group": "diagnosis"}, "diagnosis"),
    ],
)
def test_a_setting_out_of_range_is_one_sentence_that_names_it(choices, named):
    with pytest.raises(SettingsError, match=named) as caught:
        settings(**choices)
    assert str(caught.value).count("\n") == 0
