"""Evolutionary Bayesian optimisation, the hybrid of both (PU paper, section 4.3, Algorithm 3)."""

from __future__ import annotations

from collections.abc import Sequence

from autopu_core.search.optimizers.base import Optimizer, fittest
from autopu_core.search.optimizers.operators import Variation, tournament_select
from autopu_core.search.optimizers.surrogate import Surrogate
from autopu_core.search.space import Candidate, SearchSpace


class EvolutionaryBayesianOptimization(Optimizer):
    """Each iteration evolves a copy of all configurations so far, scores the children by the surrogate, and assesses
    the best child and `k` tournament winners (on the surrogate's score: step 4.e.i) that are evolved once more.

    Args:
        space, seed: see `Optimizer`.
        configurations: random candidates at the start.
        iterations: rounds of evolution.
        k: tournament winners assessed in each round, beside the best child.
        variation: probabilities of the operators.
    """

    def __init__(
        self,
        space: SearchSpace,
        seed: int | Sequence[int] = 0,
        configurations: int = 101,
        iterations: int = 50,
        k: int = 10,
        variation: Variation | None = None,
    ) -> None:
        super().__init__(space, seed)
        self.configurations = configurations
        self.iterations = iterations
        self.k = k
        self.variation = variation or Variation()
        self.surrogate = Surrogate(space, self.rng)
        self._iteration = 0
        self._all: list[Candidate] = []

    @property
    def planned_assessments(self) -> int:
        return self.configurations + self.iterations * (self.k + 1)

    def ask(self) -> list[Candidate]:
        if self._iteration == 0:
            return self.space.sample(self.configurations, self.rng)
        if self._iteration > self.iterations:
            return []
        children = self.variation.evolve(self._all, self.space, self.rng)
        expected = self.surrogate.predict(children)
        winners = tournament_select(expected, self.k, self.variation.tournament, self.rng)
        evolved = self.variation.evolve([children[winner] for winner in winners], self.space, self.rng)
        return [children[fittest(expected)], *evolved]

    def tell(self, candidates: Sequence[Candidate], scores: Sequence[float]) -> None:
        self._iteration += 1
        self._all.extend(self.surrogate.learn(candidates, scores))
