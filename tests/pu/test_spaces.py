"""The two search spaces against section 2 of the specification, counted by hand."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autopu_core.pu.classifiers import CLASSIFIERS
from autopu_core.pu.spaces import BASE_SPACE, EXTENDED_SPACE
from autopu_core.pu.two_step import TwoStepClassifier

TWENTIETHS = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]
CHOICES = {
    "iteration_count_1a": list(range(1, 11)),
    "threshold_1a": TWENTIETHS,
    "classifier_1a": list(CLASSIFIERS),
    "flag_1b": [False, True],
    "threshold_1b": TWENTIETHS,
    "classifier_1b": list(CLASSIFIERS),
    "classifier_2": list(CLASSIFIERS),
}
SPIES = {
    "spy_flag": [False, True],
    "spy_rate": [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35],
    "spy_tolerance": [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1],
}
PHASE_1B, SPY_GENES = {"threshold_1b", "classifier_1b"}, {"spy_rate", "spy_tolerance"}


@pytest.mark.parametrize(("space", "choices"), [(BASE_SPACE, CHOICES), (EXTENDED_SPACE, SPIES | CHOICES)])
def test_every_parameter_has_the_values_of_the_paper(space, choices):
    assert {parameter.name: list(parameter.choices) for parameter in space.parameters} == choices
    assert set(choices) <= set(TwoStepClassifier().get_params())


def test_sizes_follow_from_the_phases():
    phase_1b = 1 + 10 * 18  # left out, or a threshold and a classifier
    spied, thresholds = 7 * 11, 10
    assert BASE_SPACE.size == 10 * 10 * 18 * 2 * 10 * 18 * 18 == 11_664_000
    assert BASE_SPACE.distinct_size == 10 * thresholds * 18 * phase_1b * 18 == 5_864_400
    assert EXTENDED_SPACE.size == 2 * spied * 11_664_000 == 1_796_256_000
    assert EXTENDED_SPACE.distinct_size == 10 * (thresholds + spied) * 18 * phase_1b * 18


@pytest.mark.parametrize(("space", "columns"), [(BASE_SPACE, 58), (EXTENDED_SPACE, 61)])
def test_the_surrogate_sees_numbers_flags_and_one_column_for_each_classifier(space, columns):
    candidates = space.sample(40, np.random.default_rng(0))
    encoded = space.encode(candidates)
    assert encoded.shape == (40, columns)
    for candidate, row in zip(candidates, encoded, strict=True):
        seen = dict(zip(space.encoded_names, row, strict=True))
        for name, value in candidate.items():
            if name.startswith("classifier"):
                assert {other: seen[f"{name}={other}"] for other in CLASSIFIERS} == {
                    other: float(other == value) for other in CLASSIFIERS
                }
            else:
                assert seen[name] == float(value)


@given(seed=st.integers(0, 10_000))
def test_the_flags_decide_which_genes_matter(seed):
    rng = np.random.default_rng(seed)
    (candidate,) = EXTENDED_SPACE.sample(1, rng)
    idle = (set() if candidate["flag_1b"] else PHASE_1B) | (
        {"threshold_1a"} if candidate["spy_flag"] else SPY_GENES
    )  # with spies, the spies set the threshold
    assert set(EXTENDED_SPACE.active(candidate)) == set(SPIES | CHOICES) - idle
    for name in SPIES | CHOICES:
        (other,) = rng.choice([i for i, v in enumerate((SPIES | CHOICES)[name]) if v != candidate[name]], 1)
        changed = candidate.replace(**{name: (SPIES | CHOICES)[name][other]})
        assert (EXTENDED_SPACE.key(changed) == EXTENDED_SPACE.key(candidate)) == (name in idle)


@given(seed=st.integers(0, 10_000))
def test_a_key_is_the_active_genes_as_a_person_can_read_them(seed):
    for space in (BASE_SPACE, EXTENDED_SPACE):
        (candidate,) = space.sample(1, np.random.default_rng(seed))
        assert json.loads(space.key(candidate)) == space.active(candidate)
        again = space.candidate(space.active(candidate))
        assert space.key(again) == space.key(candidate)
