"""Random search: the yardstick for every other optimizer."""

from __future__ import annotations

from collections.abc import Sequence

from autopu_core.search.optimizers.base import Optimizer
from autopu_core.search.space import Candidate, SearchSpace


class RandomSearch(Optimizer):
    """`assessments` candidates drawn uniformly, in batches.

    Because candidates don't depend on scores, its first n trials are the random search of budget n: one run is
    comparable with any optimizer at that optimizer's budget.

    Args:
        space, seed: see `Optimizer`.
        assessments: how many candidates are assessed.
        batch: candidates per batch.
    """

    def __init__(
        self, space: SearchSpace, seed: int | Sequence[int] = 0, assessments: int = 651, batch: int = 20
    ) -> None:
        super().__init__(space, seed)
        self.assessments = assessments
        self.batch = batch
        self._told = 0

    @property
    def planned_assessments(self) -> int:
        return self.assessments

    def ask(self) -> list[Candidate]:
        return self.space.sample(min(self.batch, self.assessments - self._told), self.rng)

    def tell(self, candidates: Sequence[Candidate], scores: Sequence[float]) -> None:
        self._told += len(candidates)
