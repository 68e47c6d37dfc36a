"""Memory of the searching process and its workers over 10,000 different fits: it should level off.

python -m benchmarks.memory [--fits 10000] [--jobs 2] [--save]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from autopu_core.pu.auto import inner_folds
from autopu_core.pu.classifiers import CLASSIFIERS
from autopu_core.pu.fits import FitQuestion
from autopu_core.search.cache import MemoryCache
from autopu_core.search.executor import PoolExecutor
from autopu_core.search.planner import Planner
from benchmarks.provenance import provenance, report
from benchmarks.wisconsin import first_training_fold

BATCH = 500


def questions(scratch: Path) -> Iterator[FitQuestion]:
    """Different fits without end: the 18 classifiers in turn on random thirds of U."""
    rows = inner_folds(first_training_fold(), 5, scratch)[0].rows
    rng = np.random.default_rng(0)
    while True:
        part = np.sort(rng.choice(rows.unlabelled, size=len(rows.unlabelled) // 3, replace=False))
        for name in CLASSIFIERS:
            yield rows.ask(name, rows.labelled, part, "negatives")


def megabytes() -> tuple[float, list[float]]:
    """Memory of this process and of each of its workers, the largest first (private to them or not)."""
    me = psutil.Process()
    workers = [child.memory_info().rss / 1e6 for child in me.children(recursive=True)]
    return me.memory_info().rss / 1e6, sorted((size for size in workers if size > 50), reverse=True)


def measure(fits: int, jobs: int) -> list[dict[str, Any]]:
    """Memory after each batch of fits."""

    def plan(question: FitQuestion):
        (answer,) = yield [question]
        return answer.failure

    seen, failed = [], 0
    executor = PoolExecutor(jobs)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            planner, asked = Planner(executor, MemoryCache()), questions(Path(scratch))
            for done in range(BATCH, fits + 1, BATCH):
                batch = {number: plan(question) for number, question in enumerate(islice(asked, BATCH))}
                failed += sum(failure is not None for _, failure, _ in planner.run(batch))
                parent, workers = megabytes()
                seen.append(
                    {"fits": done, "parent_mb": round(parent), "workers_mb": [round(each) for each in workers]}
                    | ({"failed": failed} if failed else {})
                )
    finally:
        executor.close()
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--save", action="store_true", help="keep the figures under benchmarks/results/")
    given = parser.parse_args()
    source = provenance()
    report("memory", {"provenance": source, "after": measure(given.fits, given.jobs)}, given.save)


if __name__ == "__main__":
    main()
