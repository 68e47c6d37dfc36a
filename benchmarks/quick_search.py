"""What a person gets in a first minute: the quick EBO search of the sample table, from an empty data folder, for five
seeds. None is chosen.

python -m benchmarks.quick_search [--seeds 5] [--save]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from benchmarks.provenance import provenance, report
from sample_data import sample_path

COMMAND = "--target diagnosis --positive malignant --delta 0.4 --optimizer ebo --preset quick --json"


def search(seed: int) -> dict[str, Any]:
    """One search by the command line; its wall time counts everything from start to end of the process."""
    table = str(sample_path("breast_cancer_wisconsin"))
    command = [sys.executable, "-m", "autopu_core.cli", "search", table, *COMMAND.split(), "--seed", str(seed)]
    with tempfile.TemporaryDirectory() as home:
        began = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "AUTOPU_HOME": home})
        seconds = time.perf_counter() - began
    if done.returncode:
        sys.exit(done.stderr)
    result = json.loads(done.stdout)
    return {
        "seed": seed,
        "f_measure": round(result["folds"][0]["test"]["f_measure"], 3),
        "corrected_forest": round(result["folds"][0]["references"]["corrected_forest"]["f_measure"], 3),
        "seconds": round(seconds, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--save", action="store_true", help="keep the figures under benchmarks/results/")
    given = parser.parse_args()
    source = provenance()
    runs = [search(seed) for seed in range(given.seeds)]
    figures = {
        "provenance": source,
        "command": f"autopu search breast_cancer_wisconsin {COMMAND} --seed N",
        "runs": runs,
        "mean_f_measure": round(statistics.mean(run["f_measure"] for run in runs), 3),
        "mean_f_measure_of_the_corrected_forest": round(statistics.mean(run["corrected_forest"] for run in runs), 3),
        "longest_seconds": max(run["seconds"] for run in runs),
    }
    report("quick_search", figures, given.save)


if __name__ == "__main__":
    main()
