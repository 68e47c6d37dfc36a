import sys
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from autopu_core.search.executor import InlineExecutor, PoolExecutor

sys.path.insert(0, str(Path(__file__).parent))  # workers must import the module, too
import misbehaving


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


@pytest.fixture
def pool():
    executors = []

    def make(workers=2, limit=None):
        executors.append(PoolExecutor(workers, limit))
        return executors[-1]

    yield make
    for executor in executors:
        executor.close()


def gather(executor, numbers, seconds=60):
    """Outcomes of the numbered work, waiting for all of it."""
    outcomes, deadline = {}, time.monotonic() + seconds
    while set(numbers) - set(outcomes):
        assert time.monotonic() < deadline, f"still waiting for {set(numbers) - set(outcomes)}"
        outcomes.update(executor.collect(0.2))
    return outcomes


def test_inline_and_pool_give_the_same_outcomes(pool):
    work = [(n, partial(misbehaving.square, n)) for n in range(20)] + [(20, partial(misbehaving.fail, "no luck"))]
    seen = []
    for executor in (InlineExecutor(), pool()):
        for start in range(0, 21, 7):
            executor.submit(work[start : start + 7])
        outcomes = gather(executor, range(21))
        seen.append([(outcomes[n].value, outcomes[n].failure, outcomes[n].lasting) for n in range(21)])
    assert seen[0] == seen[1]
    assert seen[0][4] == (16, None, False)
    assert seen[0][20] == (None, "ValueError: no luck", True)


def test_a_limit_ends_a_loop_in_c_and_spares_the_innocent(pool):
    executor = pool(limit=2.0)
    gather_first = [(number, partial(misbehaving.square, number)) for number in range(4)]
    executor.submit(gather_first)
    gather(executor, range(4))
    began = time.monotonic()
    executor.submit([(10, misbehaving.loop_in_c)])
    executor.submit([(number, partial(misbehaving.nap, 0.3)) for number in range(11, 16)])
    executor.submit([(number, partial(misbehaving.square, number)) for number in range(16, 20)])
    outcomes = gather(executor, range(10, 20))
    assert outcomes[10].timed_out
    assert "2 s" in outcomes[10].failure
    assert all(outcomes[number].value == 0.3 for number in range(11, 16))
    assert [outcomes[number].value for number in range(16, 20)] == [256, 289, 324, 361]
    assert time.monotonic() - began < 30


def test_a_dying_process_is_tried_again_alone_then_recorded(pool):
    executor = pool()
    executor.submit([(1, misbehaving.die)])
    executor.submit([(2, partial(misbehaving.nap, 0.2)), (3, partial(misbehaving.square, 3))])
    outcomes = gather(executor, (1, 2, 3))
    assert "died twice" in outcomes[1].failure
    assert not outcomes[1].timed_out
    assert not outcomes[1].lasting
    assert (outcomes[2].value, outcomes[3].value) == (0.2, 9)


def test_a_worker_uses_one_thread(pool):
    executor = pool(workers=1)
    executor.submit([(1, misbehaving.threads)])
    assert gather(executor, [1])[1].value == 1


def test_abandoning_kills_what_runs_and_leaves_the_pool_usable(pool):
    executor = pool()
    executor.submit([(1, misbehaving.loop_in_c)])
    executor.submit([(2, misbehaving.loop_in_c)])
    executor.collect(1.5)
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    began = time.monotonic()
    executor.abandon()
    assert time.monotonic() - began < 5
    busy = [child for child in psutil.Process().children(recursive=True) if child.pid in before and _works(child)]
    assert not busy
    executor.submit([(3, partial(misbehaving.square, 3))])
    assert gather(executor, [3])[3].value == 9


def _works(process):
    """Whether a process uses its processor."""
    try:
        first = sum(process.cpu_times()[:2])
        time.sleep(0.3)
        return sum(process.cpu_times()[:2]) - first > 0.1
    except psutil.NoSuchProcess:
        return False
