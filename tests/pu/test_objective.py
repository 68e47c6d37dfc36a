import numpy as np
import pytest

from autopu_core.pu.fits import PreparedMatrix
from autopu_core.pu.learners import LearningRows, PhaseFailedError
from autopu_core.pu.objective import InnerFold, TwoStepObjective
from autopu_core.search.executor import InlineExecutor
from autopu_core.search.planner import Planner

# rows, labelled, predicted positive, labelled predicted positive of two folds
FIRST = {"rows": 20, "labelled": 4, "predicted_positive": 6, "labelled_predicted_positive": 3}
SECOND = {"rows": 20, "labelled": 4, "predicted_positive": 1, "labelled_predicted_positive": 1}
SCORED = [{**counts, "reliable_negatives": 5, "reason": None, "timed_out": False} for counts in (FIRST, SECOND)]
FAILED = {**SCORED[0], "reason": "phase 1A found no reliable negative"}
LATE = {**SCORED[0], "reason": "phase 2: stopped at the limit of 1 s", "timed_out": True}


@pytest.mark.parametrize(
    ("measure", "prior", "expected"),
    [
        ("f_measure", None, (2 * 3 / (4 + 6) + 2 * 1 / (4 + 1)) / 2),  # the mean of 0.6 and 0.4, not 8 / 15
        ("lee_liu", None, ((3 / 4) ** 2 / (6 / 20) + (1 / 4) ** 2 / (1 / 20)) / 2),
        # recall 0.75, precision 0.75 x 0.3 / 0.3 = 0.75; recall 0.25, precision 0.25 x 0.3 / 0.05 = 1.5, at most 1
        ("pu_f1", 0.3, (0.75 + 2 * 0.25 * 1 / 1.25) / 2),
    ],
)
def test_the_measures_from_stored_counts(measure, prior, expected):
    assert TwoStepObjective([], measure, prior).fitness(SCORED) == pytest.approx(expected)


def test_a_failed_fold_counts_nothing_and_says_why():
    objective = TwoStepObjective([])
    assessment = objective.assess({}, [SCORED[0], FAILED])
    assert assessment.fitness == pytest.approx(0.3)
    assert assessment.outcome == "failed"
    assert assessment.reason == FAILED["reason"]
    assert objective.assess({}, [LATE, FAILED]).outcome == "timed_out"
    assert objective.assess({}, SCORED).outcome == "scored"
    assert len(assessment.folds) == 2


def test_a_corrected_measure_needs_a_prior():
    with pytest.raises(ValueError, match="class prior"):
        TwoStepObjective([], "pu_f1")


def fold(seed=0):
    """Rows 0-3 labelled, 4-9 unlabelled, 10-14 judged, of which the first two are labelled."""
    values = np.arange(15.0)[:, None]
    rows = LearningRows(PreparedMatrix(values), np.arange(4, dtype=np.int32), np.arange(4, 10, dtype=np.int32), seed)
    return InnerFold(rows, np.arange(10, 15), np.array([1, 1, 0, 0, 0]))


def test_the_counts_are_of_the_judged_rows_called_positive_from_one_half():
    def learn(candidate, rows):
        probability = np.full(15, 0.9)
        probability[10:] = [0.5, 0.49, 0.7, 0.1, 0.5]
        return np.array([4, 5]), probability
        yield

    objective = TwoStepObjective([fold()], learn=learn)
    ((_, counts, _),) = Planner(InlineExecutor()).run({0: objective.plans({})[0]})
    assert counts == {
        "rows": 5,
        "labelled": 2,
        "predicted_positive": 3,
        "labelled_predicted_positive": 1,
        "reliable_negatives": 2,
        "reason": None,
        "timed_out": False,
    }


def test_a_learner_that_fails_leaves_its_reason_in_the_counts():
    def learn(candidate, rows):
        raise PhaseFailedError("phase 2: too late", timed_out=True)
        yield

    objective = TwoStepObjective([fold()], learn=learn)
    ((_, counts, _),) = Planner(InlineExecutor()).run({0: objective.plans({})[0]})
    assert (counts["reason"], counts["timed_out"], counts["rows"]) == ("phase 2: too late", True, 5)
