"""Bayesian optimisation with a random forest as surrogate (PU paper, section 4.2, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autopu_core.search.optimizers.base import Optimizer
from autopu_core.search.optimizers.surrogate import Surrogate
from autopu_core.search.space import Candidate, SearchSpace

_DRAWS = 20  # rounds of new candidates before a space in which everything seems known counts as exhausted


class BayesianOptimization(Optimizer):
    """`configurations` random candidates, then in each iteration as many new random ones are scored by the surrogate
    and the best that was not yet assessed is assessed.

    Args:
        space, seed: see `Optimizer`.
        configurations: random candidates at the start, and candidates scored by the surrogate in each iteration.
        iterations: candidates assessed after the start.
    """

    def __init__(
        self, space: SearchSpace, seed: int | Sequence[int] = 0, configurations: int = 101, iterations: int = 50
    ) -> None:
        super().__init__(space, seed)
        self.configurations = configurations
        self.iterations = iterations
        self.surrogate = Surrogate(space, self.rng)
        self._iteration = 0

    @property
    def planned_assessments(self) -> int:
        return self.configurations + self.iterations

    def ask(self) -> list[Candidate]:
        if self._iteration == 0:
            return self.space.sample(self.configurations, self.rng)
        if self._iteration > self.iterations:
            return []
        for _ in range(_DRAWS):
            drawn = self.space.sample(self.configurations, self.rng)
            fresh = [candidate for candidate in drawn if not self.surrogate.is_known(candidate)]
            if fresh:
                return [fresh[int(np.argmax(self.surrogate.predict(fresh)))]]
        return []

    def tell(self, candidates: Sequence[Candidate], scores: Sequence[float]) -> None:
        self._iteration += 1
        self.surrogate.learn(candidates, scores)
