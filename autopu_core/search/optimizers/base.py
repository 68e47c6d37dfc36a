"""What every optimizer is: something that can be asked for candidates and told their scores.

An optimizer holds its state and its random generator. It never trains a model, starts a process or touches a file; the
search loop (`autopu_core.search.loop`) does all of that once for all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from autopu_core.search.space import Candidate, SearchSpace


class Optimizer(ABC):
    """Ask/tell interface. The size of a batch is the optimizer's, never the machine's, so that a search gives the same
    trials on any number of processes.

    Args:
        space: where candidates come from.
        seed: of the optimizer's random generator, or a sequence of integers as numpy's `default_rng` takes it.
    """

    def __init__(self, space: SearchSpace, seed: int | Sequence[int] = 0) -> None:
        self.space = space
        self.rng = np.random.default_rng(seed)

    @property
    @abstractmethod
    def planned_assessments(self) -> int:
        """Assessments that a whole search makes."""

    @abstractmethod
    def ask(self) -> list[Candidate]:
        """The next batch to assess; an empty list ends the search. A batch must be told before the next is asked."""

    @abstractmethod
    def tell(self, candidates: Sequence[Candidate], scores: Sequence[float]) -> None:
        """Take the scores (higher is better) of exactly the batch that was asked for."""


def fittest(scores: Sequence[float]) -> int:
    """Index of the highest score, the first of equals."""
    return int(np.argmax(np.asarray(scores, dtype=float)))
