import os

from autopu_core.runs.pools import Pools


def pids(pool):
    pool.submit([(1, os.getpid)])
    outcomes = []
    while not outcomes:
        outcomes = pool.collect(0.2)
    return outcomes[0][1].value


def test_runs_of_one_kind_share_their_processes_and_others_do_not():
    with Pools() as pools:
        first = pools.get(1, None)
        worker = pids(first)
        assert worker != os.getpid()
        assert pools.get(1, None) is first
        assert pids(pools.get(1, None)) == worker
        limited = pools.get(1, 5.0)
        assert limited.limit == 5.0
        assert pids(limited) != worker
