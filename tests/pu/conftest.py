import numpy as np
import pytest

from autopu_core.runs.settings import RunSettings
from autopu_core.runs.task import prepare_task
from autopu_core.tables import read_table
from sample_data import sample_path


@pytest.fixture(scope="session")
def wisconsin_folds():
    """Makes outer folds of the Wisconsin table, 40 % of the positives hidden: X, s, true y of the training rows, and X
    and y of the test rows."""
    table = read_table(sample_path("breast_cancer_wisconsin"))

    def make(n_folds, seed=0):
        settings = RunSettings.from_preset(
            "paper", dataset="w", target="diagnosis", positive=("malignant",), delta=0.4, seed=seed, folds=n_folds
        )
        task = prepare_task(table, settings)
        for split in task.outer:
            learning = task.learning_task(split)
            X = np.asarray(task.preparer.fit(learning.rows).transform(learning.rows))
            X_test = task.preparer.transform(task.features.iloc[split.test])
            yield X, learning.s, task.labels.positive[split.train], X_test, task.labels.positive[split.test]

    return make
