import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autopu_core.pu.spaces import BASE_SPACE, EXTENDED_SPACE
from autopu_core.search.space import Candidate, Parameter, SearchSpace


@st.composite
def spaces(draw):
    """Small spaces in which later parameters depend on earlier ones."""
    parameters = []
    for number in range(draw(st.integers(1, 5))):
        choices = tuple(range(draw(st.integers(1, 3))))
        conditions = ()
        if parameters and draw(st.booleans()):
            controller = draw(st.sampled_from(parameters))
            values = tuple(draw(st.sets(st.sampled_from(controller.choices), min_size=1)))
            conditions = ((controller.name, values),)
        kind = draw(st.sampled_from(["numeric", "nominal"]))
        parameters.append(Parameter(f"p{number}", choices, kind, conditions))
    return SearchSpace("drawn", parameters)


def everything(space):
    names = [parameter.name for parameter in space.parameters]
    for values in itertools.product(*(parameter.choices for parameter in space.parameters)):
        yield dict(zip(names, values, strict=True))


@given(spaces())
@settings(max_examples=60, deadline=None)
def test_sizes_equal_counting(space):
    assert space.size == sum(1 for _ in everything(space))
    assert space.distinct_size == len({space.key(values) for values in everything(space)})


@given(spaces())
@settings(max_examples=40, deadline=None)
def test_keys_are_equal_just_where_the_active_genes_are(space):
    sampled = space.sample(12, np.random.default_rng(1))
    for one, other in itertools.combinations(sampled, 2):
        assert (space.key(one) == space.key(other)) == (space.active(one) == space.active(other))


def test_inactive_genes_do_not_count():
    on, off = {"flag_1b": True}, {"flag_1b": False}
    candidate = BASE_SPACE.sample(1, np.random.default_rng(0))[0]
    changed = {"threshold_1b": 0.5 if candidate["threshold_1b"] != 0.5 else 0.05}
    assert BASE_SPACE.key(candidate.replace(**off)) == BASE_SPACE.key(candidate.replace(**off, **changed))
    assert BASE_SPACE.key(candidate.replace(**on)) != BASE_SPACE.key(candidate.replace(**on, **changed))


def test_a_candidate_survives_json():
    for candidate in EXTENDED_SPACE.sample(50, np.random.default_rng(2)):
        assert EXTENDED_SPACE.candidate(json.loads(json.dumps(dict(candidate)))) == candidate


def test_encoding_is_numbers_flags_and_one_hot():
    space = SearchSpace(
        "s",
        [
            Parameter("n", (1, 5), "numeric"),
            Parameter("b", (False, True), "boolean"),
            Parameter("c", ("x", "y", "z"), "nominal"),
        ],
    )
    encoded = space.encode([Candidate.of(n=5, b=True, c="y"), Candidate.of(n=1, b=False, c="z")])
    assert encoded.tolist() == [[5, 1, 0, 1, 0], [1, 0, 0, 0, 1]]


def test_sampling_follows_the_seed_and_reaches_every_choice():
    first = BASE_SPACE.sample(500, np.random.default_rng(3))
    assert first == BASE_SPACE.sample(500, np.random.default_rng(3))
    for parameter in BASE_SPACE.parameters:
        assert {candidate[parameter.name] for candidate in first} == set(parameter.choices)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="twice"):
        SearchSpace("s", [Parameter("a", (1,), "numeric"), Parameter("a", (1,), "numeric")])
    with pytest.raises(ValueError, match="condition"):
        SearchSpace("s", [Parameter("a", (1,), "numeric", (("b", (1,)),))])
    with pytest.raises(ValueError, match="no choice twice"):
        Parameter("a", (1, 1), "numeric")
    with pytest.raises(ValueError, match="not a choice"):
        BASE_SPACE.candidate({"threshold_1a": 0.07})
    with pytest.raises(ValueError, match="no parameter"):
        BASE_SPACE.candidate({"threshold_2": 0.05})
    with pytest.raises(KeyError, match="Not a parameter"):
        BASE_SPACE.sample(1, np.random.default_rng(0))[0].replace(threshold_2=1)
