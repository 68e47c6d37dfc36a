"""How long a run will take on this machine: measured on a few fits of its own data, with an honest range."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from autopu_core.pu.classifiers import CLASSIFIERS, positive_probability
from autopu_core.runs.settings import RunSettings
from autopu_core.runs.task import RunTask
from autopu_core.search.executor import available_cores, perform

_PROBED_ROWS = 300
_GROWTH = {"gaussian_process": 2.5, "svm": 1.8, "knn": 1.3}  # cost ~ rows ** growth; 1.1 for the others
# Different fits of one search of n assessments: A * n ** b for candidates that don't build on each other; an optimiser
# that varies what it knows needs them for its first configurations only, then A * (n - c) ** b. Fitted to searches of
# the
# Wisconsin table with the quick and the paper's budgets (benchmarks.reuse).
_INDEPENDENT = (79.0, 0.75)
_VARYING = {"ga": (68.0, 0.64), "ebo": (59.0, 0.69)}
_SPREAD = 2.0


@dataclass(frozen=True)
class Estimate:
    """Expected wall seconds of a whole run, the final search included.

    Attributes:
        low, high: the range that most runs fall into; what the optimiser comes to like isn't known beforehand.
        processes: on which the estimate is based.
    """

    low: float
    high: float
    processes: int


def estimate_run(task: RunTask) -> Estimate:
    """Time one fit of each candidate classifier on up to 300 training rows and extrapolate.

    Takes a second or two. A limit in the settings bounds the estimate.
    """
    return expected_time(task.settings, mean_fit_seconds(task))


def expected_time(settings: RunSettings, fit_seconds: float) -> Estimate:
    """The estimate for a run whose fits take `fit_seconds` in the mean, so that one measurement serves all."""
    processes = available_cores() if settings.jobs == -1 else settings.jobs
    seconds = expected_fits(settings) * len(settings.searches) * fit_seconds / processes
    low, high = seconds / _SPREAD, seconds * _SPREAD
    if settings.time_limit is not None:
        low, high = min(low, settings.time_limit), min(high, settings.time_limit)
    return Estimate(low, high, processes)


def expected_fits(settings: RunSettings) -> float:
    """Different fits that one search is expected to need."""
    assessments, first = settings.assessments_per_search, settings.configurations
    scale, power = _INDEPENDENT
    if settings.optimizer not in _VARYING:
        return scale * assessments**power
    varying_scale, varying_power = _VARYING[settings.optimizer]
    return scale * first**power + varying_scale * max(0, assessments - first) ** varying_power


def mean_fit_seconds(task: RunTask) -> float:
    """Mean over the candidate classifiers of one typical fit: P of an inner fold against a third of its U."""
    learning = task.learning_task(task.outer[0])
    rng = np.random.default_rng(0)
    labelled = _some(np.flatnonzero(learning.s == 1), rng)
    others = _some(np.flatnonzero((learning.s == 0) & ~learning.known_negative), rng, share=1 / 3)
    typical = 0.8 * (learning.s.sum() + (learning.s == 0).sum() / 3)
    rows = np.sort(np.concatenate([labelled, others]))
    X = task.preparer.fit_transform(learning.take(rows))
    y = learning.s[rows]
    growth = max(1.0, typical / len(rows))
    took = {name: perform(partial(positive_probability, name, X, y, X, 0)).cpu_seconds for name in CLASSIFIERS}
    return float(np.mean([seconds * growth ** _GROWTH.get(name, 1.1) for name, seconds in took.items()]))


def _some(rows: np.ndarray, rng: np.random.Generator, share: float = 1.0) -> np.ndarray:
    size = max(2, min(_PROBED_ROWS // 2, round(share * len(rows))))
    return rng.choice(rows, size=min(size, len(rows)), replace=False)
