"""For tests of several packages: made-up benchmark results, and no deadlines, which a busy machine misses."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import hypothesis
import numpy as np
import pandas as pd
import pytest

from autopu_core.evaluation.benchmark import RANDOM_SEARCH, SYSTEM_TITLES, BenchmarkResults
from autopu_core.evaluation.benchmark_statistics import TESTED_METRICS
from autopu_core.pu.spaces import BASE_SPACE, EXTENDED_SPACE

hypothesis.settings.register_profile("tests", deadline=None)
hypothesis.settings.load_profile("tests")

_Cell = tuple[str, float, str]
_SPACES = {"base": BASE_SPACE, "extended": EXTENDED_SPACE}


def _made(
    cells: Mapping[_Cell, Sequence[float]],
    percent: Mapping[str, float] | None = None,
    chosen: Mapping[_Cell, Sequence[Mapping[str, object]]] | None = None,
    costs: Mapping[_Cell, Mapping[str, float]] | None = None,
    metrics: Sequence[str] = TESTED_METRICS,
) -> BenchmarkResults:
    """Results with these values on the folds of (data set, delta, system), the same for all metrics.

    Args:
        percent: percentage of positives by data set, by default 25.
        chosen: candidates by fold.
        costs: what differs from 1 in a cell's costs.
    """
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in cells))
    measures = ("assessments", "fits_naive", "fits_distinct", "fits_computed", "cpu_seconds", "wall_seconds")
    return BenchmarkResults(
        scores=pd.DataFrame(
            [
                (*cell, f"fold {fold}", metric, value)
                for cell, values in cells.items()
                for fold, value in enumerate(values, start=1)
                for metric in metrics
            ],
            columns=["dataset", "delta", "system", "fold", "metric", "value"],
        ),
        chosen=pd.DataFrame(
            [
                (*cell, f"fold {fold}", json.dumps(candidate), 0.5)
                for cell, candidates in (chosen or {}).items()
                for fold, candidate in enumerate(candidates, start=1)
            ],
            columns=["dataset", "delta", "system", "fold", "candidate", "fitness"],
        ),
        costs=pd.DataFrame(
            [(*cell, *(given.get(name, 1) for name in measures)) for cell, given in (costs or {}).items()],
            columns=["dataset", "delta", "system", *measures],
        ),
        datasets=pd.DataFrame(
            [
                (name, name.replace("_", " ").capitalize(), 100, 5, 25, (percent or {}).get(name, 25.0))
                for name in datasets
            ],
            columns=["dataset", "title", "rows", "features", "positives", "positive_percent"],
        ),
        provenance={"preset": "quick", "folds": max((len(values) for values in cells.values()), default=0), "seed": 0},
    )


def _drawn(
    rng: np.random.Generator,
    datasets: Sequence[str],
    deltas: Sequence[float] = (0.2, 0.4, 0.6),
    systems: Sequence[str] = tuple(SYSTEM_TITLES),
    folds: int = 2,
    missing: float = 0.0,
) -> BenchmarkResults:
    """Random results; a share of the cells is missing."""
    cells = {
        (dataset, delta, system): rng.uniform(0.4, 1.0, folds)
        for dataset in datasets
        for delta in deltas
        for system in systems
        if rng.random() >= missing
    }
    searched = {*RANDOM_SEARCH, *RANDOM_SEARCH.values()}
    chosen = {}
    for cell in cells:
        if cell[2] in searched:
            space = _SPACES[cell[2].rpartition("_")[2]]
            chosen[cell] = [space.active(candidate) for candidate in space.sample(folds, rng)]
    costs = {
        cell: {"cpu_seconds": rng.uniform(5, 500), "wall_seconds": rng.uniform(5, 500)}
        for cell in cells
        if cell[2] in searched or cell[2] in ("s_em", "df_pu")
    }
    percent = {name: float(value) for name, value in zip(datasets, rng.uniform(3, 75, len(datasets)), strict=True)}
    return _made(cells, percent, chosen, costs)


@pytest.fixture(scope="session")
def made() -> Callable[..., BenchmarkResults]:
    """Makes results from the values of each cell on its folds."""
    return _made


@pytest.fixture(scope="session")
def drawn() -> Callable[..., BenchmarkResults]:
    """Draws results at random."""
    return _drawn
