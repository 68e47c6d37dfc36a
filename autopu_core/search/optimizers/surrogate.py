"""The surrogate of the Bayesian optimizers: a random forest that predicts a candidate's score from its genes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.ensemble import RandomForestRegressor

from autopu_core.search.space import Candidate, SearchSpace


class Surrogate:
    """Distinct assessed candidates and a random forest regressor on them (PU paper, section 4.2).

    The forest's prediction is the acquisition function. A candidate that is already known (same canonical key) is not
    learned twice.
    """

    def __init__(self, space: SearchSpace, rng: np.random.Generator) -> None:
        self.space = space
        self.rng = rng
        self.known: dict[str, Candidate] = {}
        self._scores: list[float] = []
        self._forest: RandomForestRegressor | None = None

    def learn(self, candidates: Sequence[Candidate], scores: Sequence[float]) -> list[Candidate]:
        """Add what isn't known yet and retrain; returns the candidates that were new."""
        new = []
        for candidate, score in zip(candidates, scores, strict=True):
            key = self.space.key(candidate)
            if key not in self.known:
                self.known[key] = candidate
                self._scores.append(float(score))
                new.append(candidate)
        seed = int(self.rng.integers(2**31 - 1))
        self._forest = RandomForestRegressor(random_state=seed, n_jobs=1)
        self._forest.fit(self.space.encode(list(self.known.values())), self._scores)
        return new

    def is_known(self, candidate: Candidate) -> bool:
        """Whether an equal candidate was assessed before."""
        return self.space.key(candidate) in self.known

    def predict(self, candidates: Sequence[Candidate]) -> np.ndarray:
        """Expected scores, shape (len(candidates),)."""
        if self._forest is None:
            raise ValueError("The surrogate has learned nothing yet.")
        return self._forest.predict(self.space.encode(candidates))
