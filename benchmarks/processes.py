"""Speed-up of two processes over one on a fixed list of fits.

python -m benchmarks.processes [--repeats 3] [--save]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from autopu_core.pu.auto import inner_folds
from autopu_core.pu.classifiers import CLASSIFIERS
from autopu_core.pu.fits import FitQuestion
from autopu_core.search.cache import NoCache
from autopu_core.search.executor import PoolExecutor
from autopu_core.search.planner import Planner
from benchmarks.provenance import provenance, report
from benchmarks.wisconsin import first_training_fold

PARTS = 4


def questions(scratch: Path) -> list[FitQuestion]:
    """Every classifier on each of four parts of U of each inner fold: 360 fits."""
    made = []
    for fold in inner_folds(first_training_fold(), 5, scratch):
        rows = fold.rows
        for part in range(PARTS):
            negatives = rows.unlabelled[part::PARTS]
            made += [rows.ask(name, rows.labelled, negatives, "negatives") for name in CLASSIFIERS]
    return made


def wall_seconds(processes: int, asked: list[FitQuestion]) -> float:
    """Time for all fits on warm processes, one plan for each fit."""

    def plan(question: FitQuestion):
        (answer,) = yield [question]
        return answer

    executor = PoolExecutor(processes)
    try:
        planner = Planner(executor, NoCache())
        for _ in planner.run({number: plan(question) for number, question in enumerate(asked[: 8 * processes])}):
            pass  # starts the processes and loads the libraries
        began = time.perf_counter()
        for _ in planner.run({number: plan(question) for number, question in enumerate(asked)}):
            pass
        return time.perf_counter() - began
    finally:
        executor.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--save", action="store_true", help="keep the figures under benchmarks/results/")
    given = parser.parse_args()
    source = provenance()
    with tempfile.TemporaryDirectory() as scratch:
        asked = questions(Path(scratch))
        pairs = [(wall_seconds(1, asked), wall_seconds(2, asked)) for _ in range(given.repeats)]
    figures = {
        "provenance": source,
        "fits": len(asked),
        "one_process_seconds": [round(one, 2) for one, _ in pairs],
        "two_processes_seconds": [round(two, 2) for _, two in pairs],
        "speed_up": round(statistics.median(one / two for one, two in pairs), 2),
    }
    report("processes", figures, given.save)


if __name__ == "__main__":
    main()
