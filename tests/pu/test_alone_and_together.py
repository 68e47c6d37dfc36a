"""The promise of the planner: a candidate scores exactly the same alone and in a crowd, on any number of processes."""

import numpy as np
import pytest

from autopu_core.pu.auto import LearningTask, inner_folds
from autopu_core.pu.objective import TwoStepObjective
from autopu_core.pu.spaces import BASE_SPACE, EXTENDED_SPACE
from autopu_core.search.cache import DiskCache, MemoryCache, NoCache
from autopu_core.search.executor import InlineExecutor, PoolExecutor
from autopu_core.search.planner import Planner


@pytest.fixture(scope="module")
def objective(tmp_path_factory):
    rng = np.random.default_rng(5)
    y = (np.arange(90) % 3 == 0).astype(int)
    X = rng.normal(size=(90, 4)) + 1.2 * y[:, np.newaxis]
    s = y * (rng.random(90) < 0.7)
    task = LearningTask(X, s, np.zeros(90, dtype=bool), seed=3)
    return TwoStepObjective(inner_folds(task, 3, tmp_path_factory.mktemp("matrices")))


def assess(objective, planner, candidates):
    """Assessments of all candidates by one call of a planner."""
    plans = {
        (number, fold): plan
        for number, candidate in enumerate(candidates)
        for fold, plan in enumerate(objective.plans(candidate))
    }
    results = {key: result for key, result, _ in planner.run(plans)}
    return [
        objective.assess(candidate, [results[number, fold] for fold in range(len(objective.folds))])
        for number, candidate in enumerate(candidates)
    ]


@pytest.mark.parametrize("space", [BASE_SPACE, EXTENDED_SPACE], ids=["base", "extended"])
def test_random_candidates_score_the_same_alone_and_together(space, objective, tmp_path):
    candidates = space.sample(30, np.random.default_rng(11))
    alone = [assess(objective, Planner(InlineExecutor(), NoCache(), share=False), [one])[0] for one in candidates]
    assert len({assessment.fitness for assessment in alone}) > 5  # the candidates do differ
    executor = PoolExecutor(2)
    try:
        cache = MemoryCache(behind=DiskCache(tmp_path))
        together = assess(objective, Planner(executor, cache), candidates)
        again = assess(objective, Planner(executor, MemoryCache(behind=DiskCache(tmp_path))), candidates[::-1])[::-1]
    finally:
        executor.close()
    assert together == alone
    assert again == alone
