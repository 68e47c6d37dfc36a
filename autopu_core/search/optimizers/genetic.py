"""Genetic algorithm (PU paper, section 4.1, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence

from autopu_core.search.optimizers.base import Optimizer, fittest
from autopu_core.search.optimizers.operators import Variation, tournament_select
from autopu_core.search.space import Candidate, SearchSpace


class GeneticAlgorithm(Optimizer):
    """Each generation keeps its fittest candidate and breeds the others from tournament winners.

    Unlike Algorithm 1 the last population is assessed too, so `generations` rounds of breeding assess
    `population * (generations + 1)` candidates.

    Args:
        space, seed: see `Optimizer`.
        population: candidates in a generation.
        generations: how often a new population is bred.
        variation: probabilities of the operators.
    """

    def __init__(
        self,
        space: SearchSpace,
        seed: int | Sequence[int] = 0,
        population: int = 101,
        generations: int = 50,
        variation: Variation | None = None,
    ) -> None:
        super().__init__(space, seed)
        self.population_size = population
        self.generations = generations
        self.variation = variation or Variation()
        self._generation = 0
        self._population = space.sample(population, self.rng)

    @property
    def planned_assessments(self) -> int:
        return self.population_size * (self.generations + 1)

    def ask(self) -> list[Candidate]:
        return list(self._population) if self._generation <= self.generations else []

    def tell(self, candidates: Sequence[Candidate], scores: Sequence[float]) -> None:
        self._generation += 1
        if self._generation > self.generations:
            return
        winners = tournament_select(scores, self.population_size - 1, self.variation.tournament, self.rng)
        children = self.variation.evolve([candidates[winner] for winner in winners], self.space, self.rng)
        self._population = [*children, candidates[fittest(scores)]]
