"""What exact reuse saves: a GA, a BO and an EBO on the first Wisconsin training fold, alone and with one cache.

python -m benchmarks.reuse [--configurations 101 --iterations 50] [--jobs -1] [--save]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from autopu_core.pu.auto import make_objective
from autopu_core.pu.fits import DEFAULT_MEMORY_BYTES
from autopu_core.pu.spaces import BASE_SPACE
from autopu_core.search.cache import AnswerCache, DiskCache, MemoryCache
from autopu_core.search.executor import PoolExecutor
from autopu_core.search.journal import MemoryJournal
from autopu_core.search.loop import run_search
from autopu_core.search.optimizers import make_optimizer
from autopu_core.search.planner import Planner
from autopu_core.search.seeds import derive_seed
from benchmarks.provenance import provenance, report
from benchmarks.wisconsin import first_training_fold

OPTIMIZERS = ("ga", "bo", "ebo")


def replay(optimizer: str, budget: tuple[int, int, int], cache: AnswerCache, jobs: int) -> dict[str, Any]:
    """One search; counts, and the CPU seconds that this process and its workers really used."""
    learning = first_training_fold()
    began_wall, began_cpu = time.perf_counter(), _cpu_seconds()
    executor = PoolExecutor(jobs)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            planner = Planner(executor, cache)
            objective = make_objective(learning, "f_measure", 5, Path(scratch), planner, DEFAULT_MEMORY_BYTES)
            search = make_optimizer(optimizer, BASE_SPACE, derive_seed(0, "optimizer", optimizer), *budget)
            trials = run_search(search, objective, planner, MemoryJournal()).trials
    finally:
        executor.close()  # workers that have ended count in the children's CPU time
    return {
        "assessments": len(trials),
        "distinct_candidates": len({trial.key for trial in trials}),
        "fits_naive": sum(trial.fits_naive for trial in trials),
        "fits_distinct": sum(len(trial.new_fits) for trial in trials),
        "fits_computed": sum(trial.fits_computed for trial in trials),
        "cpu_seconds_naive": round(sum(trial.cpu_seconds_naive for trial in trials), 1),
        "cpu_seconds_charged": round(sum(trial.cpu_seconds for trial in trials), 1),
        "cpu_seconds_used": round(_cpu_seconds() - began_cpu, 1),
        "wall_seconds": round(time.perf_counter() - began_wall, 1),
        "best_fitness": max(trial.fitness for trial in trials),
    }


def measure(budget: tuple[int, int, int], jobs: int) -> dict[str, Any]:
    """All optimisers with one cache in a fresh folder, then the two that came later alone.

    The GA is the first to use the fresh cache, so it counts as alone too.
    """
    with tempfile.TemporaryDirectory() as folder:
        shared = {name: replay(name, budget, MemoryCache(behind=DiskCache(Path(folder))), jobs) for name in OPTIMIZERS}
    ga = shared["ga"]
    alone = {"ga": ga} | {name: replay(name, budget, MemoryCache(), jobs) for name in OPTIMIZERS[1:]}
    together = sum(figures["cpu_seconds_used"] for figures in shared.values())
    return {
        "alone": alone,
        "with_one_cache": shared,
        "ga_naive_over_computed": round(ga["fits_naive"] / ga["fits_computed"], 2),
        "ga_naive_cpu_over_used": round(ga["cpu_seconds_naive"] / ga["cpu_seconds_used"], 2),
        "all_three_over_ga_alone": round(together / ga["cpu_seconds_used"], 2),
    }


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configurations", type=int, default=101)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--save", action="store_true", help="keep the figures under benchmarks/results/")
    given = parser.parse_args()
    budget = (given.configurations, given.iterations, given.k)
    source = provenance()
    report("reuse", {"provenance": source, "budget": budget, **measure(budget, given.jobs)}, given.save)


if __name__ == "__main__":
    main()
