"""The model card says what a model is, how well it did, and what it must not be used for."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from autopu_core.export.card import model_card

RESULT = {
    "final": {"candidate": {"classifier_2": "lda"}, "fitness": 0.8, "how": "winner"},
    "test": {"system": {"f_measure": {"mean": 0.75}}, "references": {"corrected_forest": {"f_measure": {"mean": 0.7}}}},
    "data": {"positives": 30, "labelled": 12},
    "counts": {"assessments": 12},
    "wall_seconds": 3.0,
    "cpu_seconds": 5.0,
}


def card(result=RESULT, **settings):
    record = SimpleNamespace(name="clinic.csv", fingerprint="0f" * 32, rows=90, columns=5)
    chosen = {"task": "engineered", "target": "diagnosis", "positive": ("sick",), **settings}
    return model_card(
        run=3,
        dataset=record,
        settings=chosen,
        roles={"marker": "numeric"},
        result=result,
        versions={"python": "3.11"},
        created="2026-01-01T00:00:00+00:00",
    )


def test_it_names_the_data_the_columns_the_pipeline_and_the_results():
    made = card()
    assert made["name"] == "Auto-PU model of run 3"
    assert made["data"] == {
        "name": "clinic.csv",
        "fingerprint": "0f" * 32,
        "rows": 90,
        "columns": 5,
        "positives": 30,
        "labelled": 12,
    }
    assert made["columns"] == {"marker": "numeric"}
    assert (made["target"], made["positive"]) == ("diagnosis", ["sick"])
    assert made["pipeline"]["candidate"] == {"classifier_2": "lda"}
    assert made["metrics"]["f_measure"]["mean"] == 0.75
    assert made["references"]["corrected_forest"]["f_measure"]["mean"] == 0.7
    assert made["cost"] == {"counts": {"assessments": 12}, "wall_seconds": 3.0, "cpu_seconds": 5.0}
    assert json.loads(json.dumps(made, allow_nan=False))["versions"] == {"python": "3.11"}


def test_it_says_what_it_is_for_and_what_not():
    made = card()
    assert "not as a medical device" in made["intended_use"]
    limits = " ".join(made["limits"])
    for warning in ("not calibrated", "optimistic", "gives the answer away"):
        assert warning in limits


@pytest.mark.parametrize(
    ("task", "estimated", "said", "unsaid"),
    [("engineered", False, "hidden at random", "SCAR"), ("genuine", True, "SCAR", "hidden at random")],
)
def test_results_on_incomplete_labels_are_marked_as_estimates(task, estimated, said, unsaid):
    made = card(task=task)
    assert made["metrics_are_estimates"] is estimated
    limits = " ".join(made["limits"])
    assert said in limits
    assert unsaid not in limits


def test_a_trial_of_a_run_that_was_stopped_has_a_card_without_results():
    made = card({"final": {"candidate": {}}, "test": None, "counts": None})
    assert made["metrics"] is made["references"] is None
    assert made["data"]["rows"] == 90
    json.dumps(made, allow_nan=False)
