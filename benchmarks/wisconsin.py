"""The learning rows that the cost benchmarks share: first training fold of the Wisconsin table, delta 0.4, seed 0."""

from __future__ import annotations

from autopu_core.pu.auto import LearningTask
from autopu_core.runs.settings import RunSettings
from autopu_core.runs.task import prepare_task
from autopu_core.tables import read_table
from sample_data import sample_path


def first_training_fold() -> LearningTask:
    """455 rows, 60 % of the positives labelled."""
    table = read_table(sample_path("breast_cancer_wisconsin"))
    settings = RunSettings.from_preset(
        "paper", dataset="wisconsin", target="diagnosis", positive=("malignant",), delta=0.4, seed=0
    )
    task = prepare_task(table, settings)
    return task.learning_task(task.outer[0])
