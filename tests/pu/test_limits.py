"""A search over a classifier that loops in C for ever: it is stopped, and the rest is as if it had only failed."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autopu_core.pu.auto import LearningTask, inner_folds
from autopu_core.pu.objective import TwoStepObjective
from autopu_core.pu.spaces import BASE_SPACE
from autopu_core.search.executor import PoolExecutor
from autopu_core.search.journal import MemoryJournal
from autopu_core.search.loop import run_search
from autopu_core.search.optimizers import make_optimizer
from autopu_core.search.planner import Planner
from autopu_core.search.space import SearchSpace

LIMIT = 1.5


def space_with(culprit):
    """The base space with three classifiers, one of which is the culprit, as a last step only."""
    learners = ("logistic_regression", "gaussian_nb")
    choices = {"classifier_1a": learners, "classifier_1b": learners, "classifier_2": (*learners, culprit)}
    return SearchSpace(
        "test", [replace(p, choices=choices[p.name]) if p.name in choices else p for p in BASE_SPACE.parameters]
    )


def search(culprit, limit, scratch):
    """Trials of a small EBO with that classifier in its space."""
    rng = np.random.default_rng(0)
    y = (np.arange(120) % 3 == 0).astype(int)
    task = LearningTask(rng.normal(size=(120, 4)) + y[:, None], y * (rng.random(120) < 0.7), np.zeros(120, bool))
    executor = PoolExecutor(2, limit)
    try:
        return run_search(
            make_optimizer("ebo", space_with(culprit), 2, configurations=6, iterations=2, k=2),
            TwoStepObjective(inner_folds(task, 2, scratch)),
            Planner(executor, limit=limit),
            MemoryJournal(),
        )
    finally:
        executor.close()


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")])))
    monkeypatch.setattr(sys, "path", [here, *sys.path])


def test_a_classifier_that_never_ends_costs_its_candidates_and_nothing_else(tmp_path):
    began = time.monotonic()
    stopped = search("endless:Endless", LIMIT, tmp_path)
    seconds = time.monotonic() - began
    failing = search("endless:Refusing", None, tmp_path)
    ended = [trial for trial in stopped.trials if trial.outcome == "timed_out"]
    assert ended
    assert all(f"{LIMIT:g} s" in trial.reason and trial.fitness == 0 for trial in ended)
    assert {trial.number for trial in ended} == {trial.number for trial in failing.trials if trial.outcome == "failed"}
    assert [(trial.key.replace("Endless", "Refusing"), trial.fitness) for trial in stopped.trials] == [
        (trial.key, trial.fitness) for trial in failing.trials
    ]
    assert stopped.best.number == failing.best.number
    assert stopped.best.fitness > 0.5
    fits_ended = len({(trial.key, fold) for trial in ended for fold in range(2)})
    assert seconds < fits_ended * (LIMIT + 15) + 60  # the pool is back within seconds, on a busy machine too
