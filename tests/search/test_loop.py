from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from autopu_core.pu.spaces import BASE_SPACE
from autopu_core.search.executor import InlineExecutor
from autopu_core.search.journal import MemoryJournal
from autopu_core.search.loop import ActiveClock, Assessment, JournalMismatchError, SearchStopped, run_search
from autopu_core.search.optimizers import make_optimizer
from autopu_core.search.planner import Planner


def value_of(count):
    return np.array([float(count)])


class Question:
    """About one gene of a candidate, so that candidates share questions."""

    kind, size = "gene", 1

    def __init__(self, fold, count):
        self.count = count + fold
        self.key = f"{self.count:016x}" + "0" * 24

    def work(self):
        return partial(value_of, self.count)

    def refusal(self):
        return None


class Objective:
    """Likes many iterations; every seventh threshold fails."""

    def __init__(self):
        self.assessed = 0

    def plans(self, candidate):
        self.assessed += 1
        return [self._plan(fold, candidate) for fold in range(3)]

    def _plan(self, fold, candidate):
        (answer,) = yield [Question(fold, candidate["iteration_count_1a"])]
        return float(answer.value[0])

    def assess(self, candidate, results):
        if candidate["threshold_1a"] == 0.35:
            return Assessment(0.0, "failed", ({"reason": "unlucky"},), "unlucky")
        return Assessment(
            sum(results) / 30 + candidate["threshold_1a"] / 100, "scored", tuple({"n": r} for r in results)
        )


def search(name="ebo", journal=None, seed=3, control=lambda: None, **options):
    objective = Objective()
    optimizer = make_optimizer(name, BASE_SPACE, seed, 10, 6, 3)
    planner = Planner(InlineExecutor(), control=control)
    journal = MemoryJournal() if journal is None else journal
    return run_search(optimizer, objective, planner, journal, **options), journal, objective


def lasting(trials):
    """Trials without what is measured or depends on what was computed before."""
    return [
        replace(trial, elapsed=0.0, cpu_seconds=0.0, cpu_seconds_naive=0.0, fits_computed=0, new_fits=())
        for trial in trials
    ]


@pytest.mark.parametrize("name", ["ga", "bo", "ebo", "random"])
def test_a_search_journals_every_assessment_in_the_optimizers_order(name):
    result, journal, objective = search(name)
    assert [trial.number for trial in result.trials] == list(range(len(result.trials)))
    assert (
        len(journal.trials) == len(result.trials) == make_optimizer(name, BASE_SPACE, 3, 10, 6, 3).planned_assessments
    )
    assert objective.assessed == len({trial.key for trial in result.trials})
    assert result.best.fitness == max(trial.fitness for trial in result.trials)
    assert result.stopped is None


def test_a_repeat_costs_nothing_and_says_whose_result_it_has():
    result, _, _ = search("ga")
    repeats = [trial for trial in result.trials if trial.repeat_of is not None]
    assert repeats
    for trial in repeats:
        original = result.trials[trial.repeat_of]
        assert original.repeat_of is None
        assert (trial.key, trial.fitness, trial.folds) == (original.key, original.fitness, original.folds)
        assert (trial.cpu_seconds, trial.fits_computed, trial.new_fits) == (0.0, 0, ())
        assert trial.fits_naive == original.fits_naive > 0


@pytest.mark.parametrize("name", ["ga", "bo", "ebo"])
def test_a_resumed_search_equals_an_uninterrupted_one_wherever_it_was_cut(name):
    whole, written, _ = search(name)
    rng = np.random.default_rng(0)
    for cut in (0, 1, 7, 10, 11, 15, len(written.trials)):
        journal = MemoryJournal()
        kept = list(written.trials[:cut])
        journal.trials = [kept[position] for position in rng.permutation(len(kept))]
        resumed, _, objective = search(name, journal)
        assert lasting(resumed.trials) == lasting(whole.trials)
        assert resumed.best.number == whole.best.number
        assert sum(len(trial.new_fits) for trial in resumed.trials) == sum(
            len(trial.new_fits) for trial in whole.trials
        )
        assert objective.assessed == len({trial.key for trial in whole.trials} - {trial.key for trial in kept})


def test_a_journal_of_another_search_is_refused():
    _, journal, _ = search(seed=3)
    with pytest.raises(JournalMismatchError, match="start a new run"):
        search(journal=journal, seed=4)


def test_searches_of_one_run_do_not_read_each_others_trials():
    _, journal, _ = search(search="fold 1", seed=3)
    result, _, _ = search(journal=journal, search="fold 2", seed=4)
    assert {trial.search for trial in result.trials} == {"fold 2"}


def test_a_stopped_search_keeps_its_best_so_far():
    seen = []

    def control():
        if len(seen) >= 6:
            raise SearchStopped("time limit")

    result, journal, _ = search(control=control, on_trial=seen.append)
    assert result.stopped == "time limit"
    assert 6 <= len(result.trials) < 28
    assert result.best.fitness == max(trial.fitness for trial in journal.trials)


def test_a_search_stopped_at_once_has_no_best():
    def control():
        raise SearchStopped("cancel")

    result, _, _ = search(control=control)
    assert result.best is None
    assert result.trials == ()


def test_failures_are_trials_with_their_reason():
    result, _, _ = search("random")
    failed = [trial for trial in result.trials if trial.outcome == "failed"]
    assert failed
    assert {trial.reason for trial in failed} == {"unlucky"}
    assert all(trial.fitness == 0 for trial in failed)


def test_a_trial_number_is_written_once():
    journal = MemoryJournal()
    result, _, _ = search(journal=journal)
    with pytest.raises(ValueError, match="already recorded"):
        journal.write(result.trials[0])


def test_the_clock_counts_active_time_only():
    now = [100.0]
    clock = ActiveClock(already=5.0, longest_step=60.0, now=lambda: now[0])
    now[0] += 10
    assert clock.read() == 15
    now[0] += 8 * 3600  # the machine slept
    assert clock.read() == 15
    now[0] -= 500  # somebody set the clock back
    assert clock.read() == 15
    now[0] += 2
    clock.skip()
    now[0] += 3
    assert clock.read() == 18
