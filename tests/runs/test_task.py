import numpy as np
import pandas as pd
import pytest

from autopu_core.errors import AutoPUError, LabelError, SettingsError, TableError
from autopu_core.runs.settings import RunSettings
from autopu_core.runs.task import prepare_task
from autopu_core.tables import Table


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    n = 120
    frame = pd.DataFrame(
        {
            "marker": rng.normal(size=n),
            "age": rng.integers(20, 90, size=n),
            "sex": rng.choice(["f", "m"], size=n),
            "patient": np.repeat(np.arange(n // 2), 2).astype(str),
            "diagnosis": np.where(np.arange(n) % 3 == 0, "yes", "no"),
        }
    )
    frame.loc[:5, "diagnosis"] = None
    return Table.from_frame(frame, "clinic.csv")


def task(table, **choices):
    settings = RunSettings.from_preset("quick", dataset="d", target="diagnosis", positive=("yes",), **choices)
    return prepare_task(table, settings)


def test_rows_without_a_target_are_left_out_of_an_engineered_task_and_counted(table):
    counts = task(table, delta=0.4).counts()
    assert counts["rows"] == 114
    assert counts["left_out"] == 6
    assert counts["positives"] == 38
    assert counts["others"] == 76
    assert counts["training_rows"] + counts["test_rows"] == 114
    assert counts["hidden"] == round(0.4 * (counts["labelled"] + counts["hidden"]))


def test_rows_without_a_target_are_unlabelled_in_a_genuine_task(table):
    made = task(table, task="genuine", negative=("no",))
    counts = made.counts()
    assert (counts["rows"], counts["left_out"], counts["known_negatives"], counts["others"]) == (120, 0, 76, 6)
    learning = made.learning_task(made.outer[0])
    assert not (learning.learned_from & learning.known_negative).any()


def test_a_search_sees_neither_test_rows_nor_hidden_labels_nor_the_target(table):
    made = task(table, folds=4, delta=0.5, inner_folds=3)
    for split in made.outer:
        assert set(split.train) & set(split.test) == set()
        learning = made.learning_task(split)
        assert "diagnosis" not in learning.rows.columns
        hidden = made.labels.positive[split.train] & (split.s == 0)
        assert hidden.sum() == round(0.5 * made.labels.positive[split.train].sum())
        assert (learning.s[hidden] == 0).all()
    together = np.concatenate([split.test for split in made.outer])
    assert sorted(together) == list(range(114))


def test_rows_of_one_patient_stay_together_and_are_hidden_together(table):
    made = task(table, group="patient", folds=3, inner_folds=3, delta=0.3)
    assert "patient" not in made.features.columns
    for split in made.outer:
        assert set(made.groups[split.train]) & set(made.groups[split.test]) == set()
        positive = made.labels.positive[split.train]
        for patient in np.unique(made.groups[split.train][positive]):
            assert len(set(split.s[positive & (made.groups[split.train] == patient)])) == 1


def test_same_seed_same_splits_whatever_the_optimizer(table):
    one, other = task(table, optimizer="ga", seed=3), task(table, optimizer="bo", space="extended", seed=3)
    assert np.array_equal(one.outer[0].train, other.outer[0].train)
    assert np.array_equal(one.outer[0].s, other.outer[0].s)
    assert not np.array_equal(one.outer[0].train, task(table, seed=4).outer[0].train)


@pytest.mark.parametrize(
    ("choices", "error", "named"),
    [
        ({"target": "outcome"}, SettingsError, "outcome"),
        ({"positive": ("maybe",)}, LabelError, "maybe"),
        ({"drop": ("weight",)}, SettingsError, "weight"),
        ({"group": "ward"}, SettingsError, "ward"),
        ({"delta": 0.95}, LabelError, "hide fewer"),
        ({"positive": ("yes", "no")}, LabelError, "diagnosis"),
        ({"folds": 60}, LabelError, "too few for 60 folds"),
        ({"drop": ("marker", "age", "sex", "patient")}, AutoPUError, "left to learn from"),
        ({"task": "engineered", "negative": ("no",)}, LabelError, "genuine"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_starts(table, choices, error, named):
    settings = {"dataset": "d", "target": "diagnosis", "positive": ("yes",), **choices}
    with pytest.raises(error, match=named):
        prepare_task(table, RunSettings.from_preset("quick", **settings))


def test_a_missing_patient_number_is_refused_with_its_count(table):
    frame = table.frame.copy()
    frame.loc[10:12, "patient"] = None
    with pytest.raises(TableError, match="3 rows"):
        task(Table.from_frame(frame, "clinic.csv"), group="patient")
