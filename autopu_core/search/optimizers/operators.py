"""The genetic operators: selection, crossover and mutation of candidates (PU paper, sections 2.1 and 4.1).

All return new candidates; no gene is shared in a way that lets one candidate change another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autopu_core.search.space import Candidate, SearchSpace


@dataclass(frozen=True)
class Variation:
    """Probabilities of the genetic operators; the defaults are the PU paper's (tables 1 and 2).

    Attributes:
        crossover: probability that a pair of parents is crossed at all.
        gene_crossover: probability that a gene is swapped within a crossed pair.
        mutation: probability that a gene is redrawn.
        tournament: candidates in a tournament.
    """

    crossover: float = 0.9
    gene_crossover: float = 0.5
    mutation: float = 0.1
    tournament: int = 2

    def evolve(self, candidates: Sequence[Candidate], space: SearchSpace, rng: np.random.Generator) -> list[Candidate]:
        """Crossover of neighbours in the list, then mutation; as many children as parents."""
        crossed = cross_pairs(candidates, self.crossover, self.gene_crossover, rng)
        return [mutate(candidate, space, self.mutation, rng) for candidate in crossed]


def tournament_select(scores: Sequence[float], n: int, size: int, rng: np.random.Generator) -> list[int]:
    """Indices of `n` winners: each the best of `size` entrants drawn with replacement, the first drawn of equals."""
    scores = np.asarray(scores, dtype=float)
    entrants = rng.integers(len(scores), size=(n, size))
    winners = scores[entrants].argmax(axis=1)
    return [int(row[winner]) for row, winner in zip(entrants, winners, strict=True)]


def uniform_crossover(
    first: Candidate, second: Candidate, gene_probability: float, rng: np.random.Generator
) -> tuple[Candidate, Candidate]:
    """Two children; each gene is swapped between the parents with the given probability."""
    swap = rng.random(len(first)) < gene_probability
    genes = list(zip(first.items_, second.items_, swap, strict=True))
    return (
        Candidate(tuple(b if swapped else a for a, b, swapped in genes)),
        Candidate(tuple(a if swapped else b for a, b, swapped in genes)),
    )


def cross_pairs(
    parents: Sequence[Candidate], probability: float, gene_probability: float, rng: np.random.Generator
) -> list[Candidate]:
    """Cross parents 0 and 1, 2 and 3 .., each pair with the given probability; an odd one out is copied."""
    children: list[Candidate] = []
    for first, second in zip(parents[0::2], parents[1::2], strict=False):
        crossed = rng.random() < probability
        children.extend(uniform_crossover(first, second, gene_probability, rng) if crossed else (first, second))
    if len(parents) % 2:
        children.append(parents[-1])
    return children


def mutate(candidate: Candidate, space: SearchSpace, probability: float, rng: np.random.Generator) -> Candidate:
    """A copy in which each gene is redrawn, uniformly over its choices, with the given probability."""
    redraw = rng.random(len(candidate)) < probability
    changes = {name: space.draw_gene(name, rng) for name, again in zip(candidate, redraw, strict=True) if again}
    return candidate.replace(**changes) if changes else candidate
