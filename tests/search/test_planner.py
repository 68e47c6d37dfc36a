import sys
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from autopu_core.search.cache import Answer, DiskCache, MemoryCache, NoCache
from autopu_core.search.executor import InlineExecutor, Outcome, PoolExecutor
from autopu_core.search.planner import CostModel, Planner, WorkFailedError, run_alone

sys.path.insert(0, str(Path(__file__).parent))
import misbehaving


def compute(number):
    if number % 13 == 12:
        raise ValueError("unlucky")
    return np.array([number, number**2], dtype=float)


@dataclass(frozen=True)
class Asked:
    """A question about a number."""

    number: int

    @property
    def key(self):
        return f"{self.number:016x}" + "0" * 24

    kind = "square"
    size = 10

    def work(self):
        return partial(compute, self.number)

    def refusal(self):
        return "too large" if self.number > 900 else None


class Counting(InlineExecutor):
    """Counts how often each question is computed."""

    def __init__(self, workers=1):
        super().__init__()
        self.workers = workers
        self.computed = Counter()

    def submit(self, group):
        self.computed.update(work.args[0] for _, work in group)
        super().submit(group)


def chain(start, steps):
    """Each step's questions follow from the former answers."""
    total, number = 0.0, start
    for step in range(steps):
        answers = yield [Asked((number + offset) % 60) for offset in range(step + 1)]
        for answer in answers:
            total += 0.0 if answer.value is None else answer.value.sum()
        number = int(total) % 60
    return total


def plans():
    return {start: chain(start % 20, 1 + start % 4) for start in range(50)}


ALONE = {start: run_alone(chain(start % 20, 1 + start % 4)) for start in range(50)}


@pytest.mark.parametrize("share", [True, False])
def test_plans_end_the_same_alone_and_together(share):
    planner = Planner(InlineExecutor(), MemoryCache() if share else NoCache(), share=share)
    assert {key: result for key, result, _ in planner.run(plans())} == ALONE


def test_the_pool_gives_the_same_and_the_disk_answers_a_second_run(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    executor = PoolExecutor(2)
    try:
        planner = Planner(executor, MemoryCache(behind=DiskCache(tmp_path)))
        assert {key: result for key, result, _ in planner.run(plans())} == ALONE
    finally:
        executor.close()
    counting = Counting()
    planner = Planner(counting, MemoryCache(behind=DiskCache(tmp_path)))
    assert {key: result for key, result, _ in planner.run(plans())} == ALONE
    assert not counting.computed


def test_each_different_question_is_computed_once_and_all_are_counted():
    counting = Counting()
    planner = Planner(counting)
    costs = [cost for _, _, cost in planner.run(plans())]
    assert max(counting.computed.values()) == 1
    distinct = sum(len(cost.new) for cost in costs)
    assert distinct == len(counting.computed) == sum(cost.fits_computed for cost in costs) == len(planner.asked)
    assert sum(cost.fits_naive for cost in costs) == sum(
        steps * (steps + 1) // 2 for steps in (1 + n % 4 for n in range(50))
    )
    again = [cost for _, _, cost in planner.run(plans())]
    assert sum(cost.fits_computed for cost in again) == 0
    assert sum(len(cost.new) for cost in again) == 0
    assert sum(cost.cpu_seconds_naive for cost in again) == pytest.approx(sum(cost.cpu_seconds_naive for cost in costs))


def test_without_sharing_every_question_is_computed():
    counting = Counting()
    costs = [cost for _, _, cost in Planner(counting, NoCache(), share=False).run(plans())]
    assert counting.computed.total() == sum(cost.fits_naive for cost in costs) == sum(c.fits_computed for c in costs)


def test_plans_begin_in_their_order_so_that_the_first_end_early():
    ended = [key for key, _, _ in Planner(Counting()).run({number: chain(number, 1) for number in range(300)})]
    assert ended.index(0) < 40
    assert sorted(ended) == list(range(300))


def test_a_plan_may_ask_nothing_and_a_refusal_is_an_answer():
    def silent():
        answers = yield []
        return len(answers)

    def greedy():
        (answer,) = yield [Asked(901)]
        return answer.failure

    results = {key: result for key, result, _ in Planner(InlineExecutor()).run({1: silent(), 2: greedy()})}
    assert results == {1: 0, 2: "too large"}


def test_a_control_that_raises_stops_everything():
    class Stop(Exception):  # noqa: N818
        pass

    calls = iter(range(5))

    def control():
        if next(calls, None) is None:
            raise Stop

    planner = Planner(InlineExecutor(), control=control)
    with pytest.raises(Stop):
        list(planner.run(plans()))
    assert not planner.in_work
    planner.control = lambda: None
    assert {key: result for key, result, _ in planner.run(plans())} == ALONE


class TimingOut(InlineExecutor):
    """Says of every question that it took too long."""

    def __init__(self):
        super().__init__()
        self.tried = Counter()

    def collect(self, timeout):
        numbers = [number for number, _ in self._queue]
        self.tried.update(work.args[0] for _, work in self._queue)
        self._queue.clear()
        return [(number, Outcome(failure="stopped at the limit", timed_out=True)) for number in numbers]


def test_what_passed_its_limit_once_is_not_tried_again_in_the_run():
    def ask(number):
        (answer,) = yield [Asked(number)]
        return answer.timed_out

    executor = TimingOut()
    planner = Planner(executor)
    for _ in range(3):
        assert all(result for _, result, _ in planner.run({key: ask(key % 2) for key in range(6)}))
    assert executor.tried == {0: 1, 1: 1}
    assert planner.cache.get(Asked(0).key) is None


def test_a_cached_answer_dearer_than_the_limit_counts_as_timed_out():
    cache = MemoryCache()
    cache.put(Asked(3).key, Answer(np.zeros(2), cpu_seconds=9.0))

    def ask():
        (answer,) = yield [Asked(3)]
        return answer.timed_out

    ((_, timed_out, _),) = Planner(InlineExecutor(), cache, limit=5.0).run({0: ask()})
    assert timed_out
    ((_, timed_out, _),) = Planner(InlineExecutor(), cache, limit=10.0).run({0: ask()})
    assert not timed_out


def test_a_call_gives_the_value_or_says_why_not():
    planner = Planner(InlineExecutor())
    assert planner.call(partial(misbehaving.square, 4)) == 16
    with pytest.raises(WorkFailedError, match="no luck"):
        planner.call(partial(misbehaving.fail, "no luck"))


def test_expected_costs_follow_what_was_recorded():
    model = CostModel()
    model.record("svm", 100, 0.2)
    model.record("svm", 100, 0.4)
    assert model.expect("svm", 100) == pytest.approx(0.3)
    assert model.expect("svm", 400) == pytest.approx(1.2)
    assert model.expect("lda", 100) > 0
