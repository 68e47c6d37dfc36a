"""The two-step learner: worked by hand with classifiers whose answers are known, and against the algorithm written
down plainly once more."""

import math
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from autopu_core.pu.fits import PreparedMatrix
from autopu_core.pu.learners import LearningRows, PhaseFailedError, kept_classifier, learning_rows_of
from autopu_core.pu.spaces import BASE_SPACE, EXTENDED_SPACE
from autopu_core.pu.two_step import (
    TwoStepClassifier,
    draw_spies,
    phase_2,
    reliable_negatives,
    split_unlabelled,
    spy_threshold,
    two_step,
)
from autopu_core.search.cache import Answer
from autopu_core.search.planner import run_alone

FIRST, CENTROID = "given:FirstColumn", "given:Centroid"


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(Path(__file__).parent), *sys.path])


def candidate(**genes):
    """A candidate of the extended space; by default phase 1A alone decides, by the first column."""
    usual = {
        "spy_flag": False,
        "spy_rate": 0.5,
        "spy_tolerance": 0.0,
        "iteration_count_1a": 1,
        "threshold_1a": 0.3,
        "classifier_1a": FIRST,
        "flag_1b": False,
        "threshold_1b": 0.3,
        "classifier_1b": FIRST,
        "classifier_2": FIRST,
    }
    return usual | genes


def rows_of(column, labelled, judged=()):
    """Learning rows of a matrix with one column; rows of `judged` are neither labelled nor unlabelled."""
    values = np.array(column, dtype=float)[:, None]
    learned = [row for row in range(len(values)) if row not in judged]
    return LearningRows(
        PreparedMatrix(values),
        labelled=np.array(labelled, dtype=np.int32),
        unlabelled=np.array([row for row in learned if row not in labelled], dtype=np.int32),
        seed=1,
    )


# -- by hand --------------------------------------------------------------------------------------------------------


def test_phase_1a_takes_the_rows_below_the_threshold_whatever_the_parts():
    rows = rows_of([0.9, 0.8, 0.30, 0.29, 0.05, 0.7, 0.0], labelled=[0, 1])
    for parts in (1, 2, 5, 10):
        found = run_alone(reliable_negatives(candidate(iteration_count_1a=parts), rows))
        assert found.tolist() == [3, 4, 6]  # 0.30 isn't below 0.30


def test_phase_1b_adds_from_the_rest_of_u_and_only_where_it_is_on():
    rows = rows_of([0.9, 0.8, 0.10, 0.35, 0.45, 0.7], labelled=[0, 1])
    assert run_alone(reliable_negatives(candidate(threshold_1b=0.4), rows)).tolist() == [2]
    assert run_alone(reliable_negatives(candidate(threshold_1b=0.4, flag_1b=True), rows)).tolist() == [2, 3]


def test_phase_1b_learns_the_positives_against_the_reliable_negatives():
    # 1A gives {2}: means 1.0 against 0.0. By the nearer mean 0.45 is negative, 0.55 positive, and 0.5 gets one half.
    rows = rows_of([1.0, 1.0, 0.0, 0.45, 0.55, 0.5], labelled=[0, 1])
    found = run_alone(reliable_negatives(candidate(flag_1b=True, classifier_1b=CENTROID, threshold_1b=0.5), rows))
    assert found.tolist() == [2, 3]


def test_phase_1b_is_left_out_where_all_of_u_is_reliable_already():
    rows = rows_of([0.9, 0.1, 0.2, 0.7], labelled=[0], judged=(3,))
    found = run_alone(reliable_negatives(candidate(flag_1b=True, classifier_1b="no such classifier"), rows))
    assert found.tolist() == [1, 2]


def test_phase_2_predicts_every_row_outside_p_and_rn():
    rows = rows_of([1.0, 0.0, 0.8, 0.2, 0.9], labelled=[0], judged=(3, 4))
    reliable, probability = run_alone(two_step(candidate(classifier_2=CENTROID), rows))
    assert reliable.tolist() == [1]
    np.testing.assert_array_equal(probability, [np.nan, np.nan, 1.0, 0.0, 1.0])


def test_the_spies_set_the_threshold_and_go_back_to_the_positives():
    # Four positives, two of them spies with 0.2 and 0.6 or other values: whoever is drawn, nobody in P joins RN.
    column = [0.2, 0.6, 0.4, 0.5, 0.1, 0.15, 0.3, 0.55, 0.7]
    rows = rows_of(column, labelled=[0, 1, 2, 3])
    spies = draw_spies(rows, 0.5)
    assert len(spies) == 2
    lowest, highest = sorted(column[spy] for spy in spies)
    unlabelled = rows.unlabelled
    for tolerance, threshold in ((0.0, lowest), (0.10, lowest), (0.5, highest)):
        found = run_alone(
            reliable_negatives(candidate(spy_flag=True, spy_tolerance=tolerance, threshold_1a=0.99), rows)
        )
        assert found.tolist() == [row for row in unlabelled if column[row] < threshold]


def answered(*probabilities):
    """Answers of a classifier to the questions of one phase."""
    return [Answer(np.array(probability)) for probability in probabilities]


def learned_from(question):
    """Rows P and rows N of a question."""
    return question.positive_rows.tolist(), question.negative_rows.tolist()


def test_with_spies_each_part_is_learned_with_them_and_has_a_threshold_of_its_own():
    """Ten positives 0 .. 9 of which five are spies, six unlabelled rows in two parts of three; all answers made up."""
    rows = rows_of(np.zeros(16), labelled=list(range(10)))
    genes = candidate(spy_flag=True, spy_rate=0.5, spy_tolerance=0.2, iteration_count_1a=2, flag_1b=True)
    spies = draw_spies(rows, 0.5).tolist()
    parts = [part.tolist() for part in split_unlabelled(rows, 2)]
    plan = two_step(genes, rows)

    first = next(plan)
    for question, part in zip(first, parts, strict=True):
        assert learned_from(question) == ([row for row in range(10) if row not in spies], sorted(spies + part))
        assert (question.classifier, question.asked) == (FIRST, "negatives")
    # Of five spies the floor(0.2 x 5) + 1 = 2nd from below counts: 0.3 in the first part, 0.6 in the second. Answers
    # are in index order, where the spies (rows below 10) come before the part.
    second = plan.send(answered([0.9, 0.3, 0.1, 0.8, 0.5, 0.2, 0.3, 0.4], [0.6, 0.7, 0.65, 0.9, 0.2, 0.59, 0.6, 0.05]))
    reliable = sorted([parts[0][0], parts[1][0], parts[1][2]])
    assert [learned_from(question) for question in second] == [(list(range(10)), reliable)]
    rest = sorted({*range(10, 16)} - {*reliable})

    third = plan.send(answered([0.3, 0.29, 0.31]))  # below threshold_1b, 0.3: the second only
    assert [learned_from(question) for question in third] == [(list(range(10)), sorted([*reliable, rest[1]]))]
    with pytest.raises(StopIteration) as end:
        plan.send(answered([0.25, 0.75]))
    found, probability = end.value.value
    assert found.tolist() == sorted([*reliable, rest[1]])
    assert probability[[rest[0], rest[2]]].tolist() == [0.25, 0.75]
    assert np.isnan(probability).sum() == 14


def test_without_spies_each_part_is_learned_against_all_positives():
    rows = rows_of(np.zeros(9), labelled=[0, 4])
    parts = [part.tolist() for part in split_unlabelled(rows, 3)]
    plan = reliable_negatives(candidate(iteration_count_1a=3, threshold_1a=0.3), rows)
    assert [learned_from(question) for question in next(plan)] == [([0, 4], part) for part in parts]
    with pytest.raises(StopIteration) as end:
        plan.send(answered([0.1, 0.3, 0.9], [0.5, 0.29], [0.4, 0.0]))
    assert end.value.value.tolist() == sorted([parts[0][0], parts[1][1], parts[2][1]])


def test_a_row_as_probable_as_the_threshold_of_the_spies_stays_unlabelled():
    rows = rows_of([0.4, 0.4, 0.4, 0.39, 0.41], labelled=[0, 1])
    assert run_alone(reliable_negatives(candidate(spy_flag=True), rows)).tolist() == [3]


@pytest.mark.parametrize(
    ("spies", "tolerance", "threshold"),
    [
        ([0.5, 0.1, 0.3], 0.0, 0.1),  # the smallest
        ([0.5, 0.1, 0.3], 0.10, 0.1),  # floor(0.3) + 1 = 1st
        (list(range(100, 0, -1)), 0.07, 8),  # floor(7) + 1 = 8th
        (list(range(100, 0, -1)), 0.29, 30),  # floor(29) + 1 = 30th, although 0.29 x 100 is 28.999999999999996
        (list(range(50)), 0.06, 3),  # floor(3) + 1 = 4th
        ([0.2], 0.10, 0.2),
    ],
)
def test_the_threshold_of_the_spies(spies, tolerance, threshold):
    assert spy_threshold(np.array(spies, dtype=float), tolerance) == threshold


@given(n=st.integers(1, 2000), hundredths=st.integers(0, 10))
def test_the_threshold_is_counted_without_rounding_errors(n, hundredths):
    position = spy_threshold(np.arange(n)[::-1].astype(float), EXTENDED_SPACE["spy_tolerance"].choices[hundredths])
    assert position == math.floor(Fraction(hundredths, 100) * n)


@pytest.mark.parametrize(
    ("genes", "column", "reason"),
    [
        ({}, [0.9, 0.9, 0.8, 0.7], "phase 1A found no reliable negative"),
        ({}, [0.9, 0.9, -1, 0.1], "phase 1A: .* not a number"),
        ({"flag_1b": True, "classifier_1b": "lda"}, [0.9, 0.9, 0.1, 0.7], "phase 1B"),
        ({"classifier_2": "no such classifier"}, [0.9, 0.9, 0.1, 0.7], "phase 2: There is no classifier"),
    ],
)
def test_a_failure_names_its_phase(genes, column, reason):
    with pytest.raises(PhaseFailedError, match=reason):
        run_alone(two_step(candidate(**genes), rows_of(column, labelled=[0, 1])))


@pytest.mark.parametrize(
    ("genes", "reason"),
    [
        # One positive and one reliable negative are left to the last phase: five neighbours can't be found.
        ({"classifier_2": "knn"}, "phase 2: k-nearest neighbours can't learn from these 2 rows"),
        ({"classifier_2": "knn", "flag_1b": True, "classifier_1b": "knn"}, "phase 1B: k-nearest neighbours"),
        ({"classifier_2": "lda"}, "phase 2: Linear discriminant analysis can't learn from these 2 rows"),
    ],
)
def test_the_estimator_fails_in_the_words_of_the_plan(genes, reason):
    column, s = np.array([0.9, 0.1, 0.6, 0.7]), [1, 0, 0, 0]
    with pytest.raises(PhaseFailedError, match=reason):
        TwoStepClassifier(**candidate(**genes)).fit(column[:, None], s)
    with pytest.raises(PhaseFailedError, match=reason):
        run_alone(two_step(candidate(**genes), rows_of(column, labelled=[0])))


def test_a_row_is_called_positive_from_one_half():
    learner = TwoStepClassifier(**candidate()).fit(np.array([[0.9], [0.1]]), ["yes", "unknown"])
    assert learner.predict(np.array([[0.5], [0.499], [1.0]])).tolist() == ["yes", "unknown", "yes"]


def test_the_estimator_refuses_what_the_search_refuses():
    rows = rows_of([0.9, 0.1, 0.6], labelled=[0])
    question = phase_2(candidate(classifier_2="gaussian_process"), replace(rows, memory_limit=100), rows.unlabelled)
    with pytest.raises(PhaseFailedError, match="phase 2: a Gaussian process on 3 rows would need"):
        kept_classifier(question, "phase 2")


def test_one_labelled_positive_can_send_out_no_spy():
    with pytest.raises(PhaseFailedError, match="one labelled positive is too few"):
        run_alone(two_step(candidate(spy_flag=True), rows_of([0.9, 0.1], labelled=[0])))


def test_known_negatives_are_reliable_whatever_the_phases_say():
    X = np.array([[0.9], [0.95], [0.8], [0.1]])
    known = np.array([False, True, False, False])
    rows = learning_rows_of(np.array([1, 0, 0, 0]), PreparedMatrix(X), 0, known)
    assert run_alone(reliable_negatives(candidate(), rows)).tolist() == [1, 3]
    assert run_alone(reliable_negatives(candidate(threshold_1a=0.05), rows)).tolist() == [1]


# -- what is drawn --------------------------------------------------------------------------------------------------


@given(n=st.integers(2, 80), labelled=st.integers(1, 40), count=st.integers(1, 10), seed=st.integers(0, 99))
def test_parts_are_a_partition_of_u_in_nearly_equal_sizes(n, labelled, count, seed):
    s = (np.arange(n) < min(labelled, n - 1)).astype(int)
    rows = learning_rows_of(s, PreparedMatrix(np.zeros((n, 1))), seed)
    parts = split_unlabelled(rows, count)
    assert np.sort(np.concatenate(parts)).tolist() == rows.unlabelled.tolist()
    sizes = [len(part) for part in parts]
    assert len(parts) == min(count, len(rows.unlabelled))
    assert max(sizes) - min(sizes) <= 1


@given(labelled=st.integers(2, 60), rate=st.sampled_from([0.05, 0.1, 0.2, 0.35, 0.9, 1.0]), seed=st.integers(0, 99))
def test_spies_are_a_share_of_the_positives_and_leave_one(labelled, rate, seed):
    s = (np.arange(labelled + 3) < labelled).astype(int)
    rows = learning_rows_of(s, PreparedMatrix(np.zeros((labelled + 3, 1))), seed)
    spies = draw_spies(rows, rate)
    assert set(spies) < set(rows.labelled)
    assert len(set(spies)) == len(spies) == min(max(1, round(rate * labelled)), labelled - 1)


# -- the algorithm, written down once more --------------------------------------------------------------------------

LEARNERS = {
    "gaussian_nb": lambda seed: GaussianNB(),
    "lda": lambda seed: LinearDiscriminantAnalysis(),
    "knn": lambda seed: KNeighborsClassifier(),
    "decision_tree": lambda seed: DecisionTreeClassifier(random_state=seed),
}


def fitted(name, seed, X, positive, negative):
    """A classifier that has learned positives against negatives, rows in the table's order."""
    rows = sorted([*positive, *negative])
    return LEARNERS[name](seed).fit(X[rows], [int(row in set(positive)) for row in rows])


def plain_two_step(genes, X, rows, seed):
    """RN and the final classifier, straight from section 2 of the paper; only what is drawn is taken as given."""
    P, U, RN = set(rows.labelled.tolist()), set(rows.unlabelled.tolist()), set()
    spies = set(draw_spies(rows, genes["spy_rate"]).tolist()) if genes.get("spy_flag") else set()
    for part in split_unlabelled(rows, genes["iteration_count_1a"]):
        mixed = sorted({*part.tolist()} | spies)
        model = fitted(genes["classifier_1a"], seed, X, sorted(P - spies), mixed)
        probability = dict(zip(mixed, model.predict_proba(X[mixed])[:, 1], strict=True))
        threshold = genes["threshold_1a"]
        if spies:
            ordered = sorted(probability[spy] for spy in spies)
            threshold = ordered[math.floor(round(genes["spy_tolerance"] * len(ordered), 9))]
        RN |= {row for row in part.tolist() if probability[row] < threshold}
    if not RN:
        return None
    rest = sorted(U - RN)
    if genes["flag_1b"] and rest:
        model = fitted(genes["classifier_1b"], seed, X, sorted(P), sorted(RN))
        below = model.predict_proba(X[rest])[:, 1] < genes["threshold_1b"]
        RN |= {row for row, is_below in zip(rest, below, strict=True) if is_below}
    return sorted(RN), fitted(genes["classifier_2"], seed, X, sorted(P), sorted(RN))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    draw=st.integers(0, 10_000),
    n=st.integers(30, 70),
    space=st.sampled_from([BASE_SPACE, EXTENDED_SPACE]),
)
def test_it_is_the_algorithm_of_the_paper(seed, draw, n, space):
    rng = np.random.default_rng(draw)
    y = rng.random(n) < 0.4
    y[:8] = True
    X = rng.normal(size=(n, 3)) + y[:, None]
    s = (y & (rng.random(n) < 0.7)).astype(int)
    s[:6] = 1
    (drawn,) = space.sample(1, rng)
    learners = {name: str(rng.choice(list(LEARNERS))) for name in drawn if name.startswith("classifier")}
    genes = {**drawn, **learners}
    rows = learning_rows_of(s, PreparedMatrix(X), seed)
    fit_seed = rows.ask("lda", rows.labelled, rows.unlabelled, "others").seed
    expected = plain_two_step(genes, X, rows, fit_seed)
    if expected is None:
        with pytest.raises(PhaseFailedError):
            run_alone(two_step(genes, rows))
        return
    reliable, probability = run_alone(two_step(genes, rows))
    assert reliable.tolist() == expected[0]
    outside = np.setdiff1d(np.arange(n), [*rows.labelled, *reliable])
    if len(outside):
        np.testing.assert_allclose(probability[outside], expected[1].predict_proba(X[outside])[:, 1], atol=1e-12)
    learner = TwoStepClassifier(**genes, random_state=seed).fit(X, s)
    assert learner.reliable_negatives_.tolist() == expected[0]
    np.testing.assert_allclose(learner.predict_proba(X)[:, 1], expected[1].predict_proba(X)[:, 1], atol=1e-12)
