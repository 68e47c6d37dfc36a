"""CPU seconds and scores of the 60 published candidates, assessed one by one without a cache, against the published
code's own.

    python -m benchmarks.published_candidates [--shared ../shared] [--seeds 3] [--save]

The published figures come from another machine and older libraries. The calibration is scikit-learn's own gradient
boosting, which both use unchanged: its fits of the published phase 1A are repeated here, and the ratio of CPU seconds
scales the published total. `cpu_ratio` compares with the scaled total; `cpu_ratio_unscaled` with the figure as
published.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold

from autopu_core.pu.auto import LearningTask, inner_folds
from autopu_core.pu.objective import TwoStepObjective
from autopu_core.pu.spaces import BASE_SPACE
from autopu_core.search.cache import NoCache
from autopu_core.search.executor import InlineExecutor, single_threaded
from autopu_core.search.journal import MemoryJournal, Trial
from autopu_core.search.loop import run_search
from autopu_core.search.optimizers.base import Optimizer
from autopu_core.search.planner import Planner
from benchmarks.provenance import provenance, report

CALIBRATED_BY = "gradient_boosting"


class OneByOne(Optimizer):
    """Asks for the given candidates, each in a batch of its own."""

    def __init__(self, candidates: list[Any]) -> None:
        super().__init__(BASE_SPACE)
        self._left = list(candidates)

    @property
    def planned_assessments(self) -> int:
        return len(self._left)

    def ask(self) -> list[Any]:
        return [self._left.pop(0)] if self._left else []

    def tell(self, candidates: Any, scores: Any) -> None:
        return None


def learning_task(seed: int) -> LearningTask:
    """The rows of the published record: first fold of StratifiedKFold(5, shuffle, seed 42), 40 % of positives
    hidden."""
    data = load_breast_cancer()
    y = 1 - data.target
    train, _ = next(StratifiedKFold(5, shuffle=True, random_state=42).split(data.data, y))
    s = y[train].copy()
    positives = np.flatnonzero(s == 1)
    s[np.random.default_rng(42).choice(positives, size=round(0.4 * len(positives)), replace=False)] = 0
    return LearningTask(data.data[train], s, np.zeros(len(s), dtype=bool), seed=seed)


def assess(candidates: list[Any], seed: int, scratch: Path) -> tuple[list[Trial], list[float]]:
    """All candidates one by one in this process, nothing shared; their trials and CPU seconds."""
    objective = TwoStepObjective(inner_folds(learning_task(seed), 5, scratch))
    began: list[float] = [time.process_time()]
    planner = Planner(InlineExecutor(), NoCache(), share=False)
    trials = run_search(
        OneByOne(candidates),
        objective,
        planner,
        MemoryJournal(),
        on_trial=lambda trial: began.append(time.process_time()),
    ).trials
    return list(trials), list(np.diff(began))


def pooled_f(trial: Trial) -> float:
    """F over the counts of all folds together, as the published code computes it."""
    hits = sum(fold["labelled_predicted_positive"] for fold in trial.folds)
    total = sum(fold["labelled"] + fold["predicted_positive"] for fold in trial.folds)
    return 2 * hits / total if hits else 0.0


def calibration(configurations: list[dict[str, Any]], published: dict[str, Any], scratch: Path) -> dict[str, float]:
    """CPU seconds of scikit-learn's gradient boosting on the fits of the published phase 1A, here and there."""
    (there,) = [
        row for row in published["by_phase_classifier"] if (row["phase"], row["classifier"]) == ("1A", CALIBRATED_BY)
    ]
    seconds, fits = 0.0, 0
    for fold in inner_folds(learning_task(0), 5, scratch):
        X = fold.rows.matrix.values
        for configuration in configurations:
            if configuration["classifier_1a"] != CALIBRATED_BY:
                continue
            parts = np.array_split(fold.rows.unlabelled, configuration["iteration_count_1a"])
            for part in parts:
                rows = np.concatenate([fold.rows.labelled, part])
                y = np.repeat([1, 0], [len(fold.rows.labelled), len(part)])
                began = time.process_time()
                GradientBoostingClassifier(random_state=0).fit(X[rows], y).predict_proba(X[part])
                seconds += time.process_time() - began
                fits += 1
    return {
        "fits_here": fits,
        "fits_there": there["fits"],
        "cpu_seconds_per_fit_here": seconds / fits,
        "cpu_seconds_per_fit_there": there["cpu_s_per_fit"],
        "factor": seconds / fits / there["cpu_s_per_fit"],
    }


def measure(published: dict[str, Any], seeds: int) -> dict[str, Any]:
    """Our figures beside the published ones."""
    configurations = published["configs"]
    names = [parameter.name for parameter in BASE_SPACE.parameters]
    candidates = [BASE_SPACE.candidate({name: record[name] for name in names}) for record in configurations]
    ran = np.array([record["tp"] + record["fp"] + record["tn"] + record["fn"] > 0 for record in configurations])
    with tempfile.TemporaryDirectory() as folder, single_threaded():
        scratch = Path(folder)
        factor = calibration(configurations, published, scratch)
        assessed = [assess(candidates, seed, scratch) for seed in range(seeds)]
    cpu = np.array([seconds for _, seconds in assessed])
    scores = np.array([[pooled_f(trial) for trial in trials] for trials, _ in assessed])
    there = np.array([record["cpu_seconds"] for record in configurations])
    their_f = np.array([record["f_measure"] for record in configurations])
    ours = float(cpu[:, ran].sum(axis=1).mean())
    theirs = float(there[ran].sum())
    return {
        "candidates": len(candidates),
        "ran_there": int(ran.sum()),
        "seeds": seeds,
        "calibration": factor,
        "cpu_seconds_ours": ours,
        "cpu_seconds_published": theirs,
        "cpu_seconds_published_scaled": theirs * factor["factor"],
        "cpu_ratio": ours / (theirs * factor["factor"]),
        "cpu_ratio_unscaled": ours / theirs,
        "rank_correlation_of_pooled_f": float(spearmanr(scores.mean(axis=0)[ran], their_f[ran]).statistic),
        "rank_correlation_each_seed": [float(spearmanr(row[ran], their_f[ran]).statistic) for row in scores],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--save", action="store_true", help="keep the figures under benchmarks/results/")
    given = parser.parse_args()
    path = given.shared / "data" / "published_code_60_configurations.json"
    if not path.exists():
        parser.error(f"{path} is missing: the record of the published code isn't part of the project.")
    source = provenance()
    figures = measure(json.loads(path.read_text(encoding="utf-8")), given.seeds)
    report("published_candidates", {"provenance": source, **figures}, given.save)


if __name__ == "__main__":
    main()
