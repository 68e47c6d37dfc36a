from collections import Counter

import numpy as np
import pytest

from autopu_core.pu.spaces import BASE_SPACE
from autopu_core.search.optimizers import (
    BayesianOptimization,
    EvolutionaryBayesianOptimization,
    GeneticAlgorithm,
    GridSearch,
    RandomSearch,
    make_optimizer,
)
from autopu_core.search.optimizers.operators import Variation, cross_pairs, mutate, tournament_select
from autopu_core.search.optimizers.surrogate import Surrogate
from autopu_core.search.space import Parameter, SearchSpace

NAMES = ("ga", "bo", "ebo", "random")
TINY = SearchSpace("tiny", [Parameter("a", (0, 1), "numeric"), Parameter("b", (0, 1), "numeric")])


def score(candidate):
    """A smooth function whose best value is 0."""
    wanted = {"iteration_count_1a": 3, "threshold_1a": 0.2, "threshold_1b": 0.4}
    distance = sum(abs(candidate[name] - value) for name, value in wanted.items())
    return -distance - (candidate["classifier_2"] != "svm") - (candidate["classifier_1a"] != "lda")


def drive(optimizer, of=score):
    """Every batch that an optimizer asks for, with the scores it was told."""
    batches = []
    while batch := optimizer.ask():
        scores = [of(candidate) for candidate in batch]
        optimizer.tell(batch, scores)
        batches.append((batch, scores))
    return batches


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_asks_the_same_and_as_much_as_planned(name):
    runs = [drive(make_optimizer(name, BASE_SPACE, seed, 12, 6, 3)) for seed in (5, 5, 6)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
    planned = make_optimizer(name, BASE_SPACE, 5, 12, 6, 3).planned_assessments
    assert sum(len(batch) for batch, _ in runs[0]) == planned
    assert planned == {"ga": 84, "bo": 18, "ebo": 36, "random": 36}[name]
    for batch, _ in runs[0]:
        assert all(BASE_SPACE.candidate(candidate) == candidate for candidate in batch)


def test_the_genetic_algorithm_never_loses_its_fittest():
    best = -np.inf
    for batch, scores in drive(GeneticAlgorithm(BASE_SPACE, 1, population=15, generations=12)):
        assert len(batch) == 15
        assert max(scores) >= best
        best = max(scores)


def test_bayesian_optimization_assesses_nothing_twice_after_its_start():
    batches = drive(BayesianOptimization(BASE_SPACE, 2, configurations=20, iterations=10))
    known = {BASE_SPACE.key(candidate) for candidate in batches[0][0]}
    for batch, _ in batches[1:]:
        assert len(batch) == 1
        assert BASE_SPACE.key(batch[0]) not in known
        known.add(BASE_SPACE.key(batch[0]))


def test_bayesian_optimization_ends_where_everything_is_known():
    batches = drive(
        BayesianOptimization(TINY, 0, configurations=30, iterations=50), of=lambda candidate: candidate["a"]
    )
    assert len({TINY.key(candidate) for batch, _ in batches for candidate in batch}) == 4
    assert len(batches) < 6


def test_the_population_of_the_hybrid_receives_what_was_assessed():
    optimizer = EvolutionaryBayesianOptimization(BASE_SPACE, 4, configurations=10, iterations=5, k=3)
    batches = drive(optimizer)
    assert [len(batch) for batch, _ in batches] == [10, 4, 4, 4, 4, 4]
    assessed = {BASE_SPACE.key(candidate) for batch, _ in batches for candidate in batch}
    assert {BASE_SPACE.key(candidate) for candidate in optimizer._all} == assessed
    assert len(optimizer._all) == len(assessed)


def test_the_surrogate_learns_nothing_twice():
    surrogate = Surrogate(BASE_SPACE, np.random.default_rng(0))
    candidates = BASE_SPACE.sample(8, np.random.default_rng(1))
    assert len(surrogate.learn(candidates, range(8))) == 8
    assert surrogate.learn(candidates[:3], [9, 9, 9]) == []
    predicted = surrogate.predict(candidates)
    assert np.argmax(predicted) == 7


def test_random_search_does_not_care_for_scores():
    one, other = (drive(RandomSearch(BASE_SPACE, 3, 25, batch=10), of) for of in (score, lambda candidate: 0.0))
    assert [batch for batch, _ in one] == [batch for batch, _ in other]


@pytest.mark.parametrize("name", ["ga", "bo", "ebo"])
def test_an_optimizer_beats_random_search_at_its_own_budget(name):
    def best(optimizer):
        return max(max(scores) for _, scores in drive(optimizer))

    found, by_chance = [], []
    for seed in range(3):
        optimizer = make_optimizer(name, BASE_SPACE, seed, 20, 12, 5)
        found.append(best(optimizer))
        by_chance.append(best(RandomSearch(BASE_SPACE, seed + 100, optimizer.planned_assessments)))
    assert np.mean(found) > np.mean(by_chance)


def test_an_unknown_optimizer_is_refused():
    with pytest.raises(ValueError, match="sgd"):
        make_optimizer("sgd", BASE_SPACE, 0, 5, 5, 5)


# -- operators ------------------------------------------------------------------------------------------------------


def test_crossover_swaps_genes_and_copies_an_odd_one_out():
    rng = np.random.default_rng(0)
    parents = BASE_SPACE.sample(7, rng)
    children = cross_pairs(parents, 1.0, 0.5, rng)
    assert len(children) == 7
    assert children[-1] == parents[-1]
    for first in (0, 2, 4):
        for name in parents[0]:
            before = Counter((parents[first][name], parents[first + 1][name]))
            assert before == Counter((children[first][name], children[first + 1][name]))
    assert children != parents
    assert cross_pairs(parents, 0.0, 0.5, rng) == parents


def test_mutation_redraws_about_the_stated_share_of_genes():
    rng = np.random.default_rng(0)
    space = SearchSpace("wide", [Parameter(f"g{number}", tuple(range(1000)), "numeric") for number in range(20)])
    parents = space.sample(200, rng)
    children = [mutate(parent, space, 0.1, rng) for parent in parents]
    changed = np.mean(
        [parent[name] != child[name] for parent, child in zip(parents, children, strict=True) for name in parent]
    )
    assert 0.08 < changed < 0.12


def test_a_tournament_takes_the_better_and_evolving_keeps_the_number():
    rng = np.random.default_rng(0)
    winners = tournament_select([0.0, 1.0, 2.0, 3.0], 4000, 2, rng)
    shares = np.bincount(winners, minlength=4) / 4000
    assert np.allclose(shares, [1 / 16, 3 / 16, 5 / 16, 7 / 16], atol=0.03)
    parents = BASE_SPACE.sample(9, rng)
    assert len(Variation().evolve(parents, BASE_SPACE, rng)) == 9


def test_a_grid_is_every_different_candidate_once():
    space = SearchSpace(
        "grid",
        [
            Parameter("flag", (False, True), "boolean"),
            Parameter("depth", (1, 2, 3), "numeric", (("flag", (True,)),)),
            Parameter("rate", (0.1, 0.2), "numeric"),
        ],
    )
    batches = drive(make_optimizer("grid", space, 0, 20, 8, 5), of=lambda candidate: 0.0)
    assert len(batches) == 1
    keys = [space.key(candidate) for candidate in batches[0][0]]
    assert len(keys) == len(set(keys)) == space.distinct_size == GridSearch(space).planned_assessments == 8


def test_a_grid_that_nobody_can_finish_is_refused():
    with pytest.raises(ValueError, match="too many for a grid"):
        GridSearch(BASE_SPACE)
