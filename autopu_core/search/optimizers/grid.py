"""Grid search: every candidate of a small space once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from autopu_core.search.optimizers.base import Optimizer
from autopu_core.search.space import Candidate, SearchSpace

_LARGEST = 10_000


class GridSearch(Optimizer):
    """Asks for all different candidates of a space at once, in the order of its parameters' choices.

    Args:
        space, seed: see `Optimizer`; nothing is random here.

    Raises:
        ValueError: the space has more than 10,000 candidates.
    """

    def __init__(self, space: SearchSpace, seed: int | Sequence[int] = 0) -> None:
        super().__init__(space, seed)
        if space.size > _LARGEST:
            raise ValueError(f"The space {space.name!r} has {space.size:,} combinations, too many for a grid search.")
        self._asked = False

    @property
    def planned_assessments(self) -> int:
        return self.space.distinct_size

    def ask(self) -> list[Candidate]:
        if self._asked:
            return []
        self._asked = True
        names = [parameter.name for parameter in self.space.parameters]
        combinations = itertools.product(*(parameter.choices for parameter in self.space.parameters))
        candidates = (Candidate(tuple(zip(names, values, strict=True))) for values in combinations)
        return list({self.space.key(candidate): candidate for candidate in candidates}.values())

    def tell(self, candidates: Sequence[Candidate], scores: Sequence[float]) -> None:
        return None
