"""Optimizers behind one ask/tell interface; `make_optimizer` builds one from a run's budget."""

from __future__ import annotations

from collections.abc import Sequence

from autopu_core.search.optimizers.base import Optimizer
from autopu_core.search.optimizers.bayesian import BayesianOptimization
from autopu_core.search.optimizers.evolutionary_bayesian import EvolutionaryBayesianOptimization
from autopu_core.search.optimizers.genetic import GeneticAlgorithm
from autopu_core.search.optimizers.grid import GridSearch
from autopu_core.search.optimizers.random import RandomSearch
from autopu_core.search.space import SearchSpace

__all__ = [
    "BayesianOptimization",
    "EvolutionaryBayesianOptimization",
    "GeneticAlgorithm",
    "GridSearch",
    "Optimizer",
    "RandomSearch",
    "make_optimizer",
]


def make_optimizer(
    name: str, space: SearchSpace, seed: int | Sequence[int], configurations: int, iterations: int, k: int
) -> Optimizer:
    """The optimizer called `ga`, `bo`, `ebo`, `random` or `grid`, with one budget in the paper's terms.

    Random search assesses as many candidates as EBO would; grid search all that there are.

    Raises:
        ValueError: unknown name.
    """
    if name == "ga":
        return GeneticAlgorithm(space, seed, population=configurations, generations=iterations)
    if name == "bo":
        return BayesianOptimization(space, seed, configurations=configurations, iterations=iterations)
    if name == "ebo":
        return EvolutionaryBayesianOptimization(space, seed, configurations=configurations, iterations=iterations, k=k)
    if name == "random":
        return RandomSearch(space, seed, assessments=configurations + iterations * (k + 1), batch=configurations)
    if name == "grid":
        return GridSearch(space, seed)
    raise ValueError(f"There is no optimizer {name!r}; choose ga, bo, ebo, random or grid.")
