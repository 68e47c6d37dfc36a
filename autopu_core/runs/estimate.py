"""How long a run will take on this machine: measured on a few fits of its own data, with an honest range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from autopu_core.pu.classifiers import CLASSIFIERS, positive_probability
from autopu_core.runs.settings import RunSettings
from autopu_core.runs.task import RunTask
from autopu_core.search.executor import Work, available_cores, perform

_PROBED_ROWS = 300
_GROWTH = {"gaussian_process": 2.5, "svm": 1.8, "knn": 1.3}  # cost ~ rows ** growth; 1.1 for the others
# Different fits of one search of n assessments: A * n ** b for candidates that don't build on each other; an optimiser
# that varies what it knows needs them for its first configurations only, then A * (n - c) ** b. Fitted to searches of
# the Wisconsin table with the quick and the paper's budgets (benchmarks.reuse).
_INDEPENDENT = (79.0, 0.75)
_VARYING = {"ga": (68.0, 0.64), "ebo": (59.0, 0.69)}
_EM_STEPS = 4  # what one expectation maximisation takes, in fits of naive Bayes
_SPREAD = 2.0
_SHORT_SECONDS = 0.1


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
    return expected_time(task.settings, fit_seconds(task))


def expected_time(settings: RunSettings, seconds_of: Mapping[str, float]) -> Estimate:
    """The estimate for a run from what one fit of each classifier takes, so that one measurement serves all."""
    processes = available_cores() if settings.jobs == -1 else settings.jobs
    seconds = _search_seconds(settings, seconds_of) * len(settings.searches) / processes
    low, high = seconds / _SPREAD, seconds * _SPREAD
    if settings.time_limit is not None:
        low, high = min(low, settings.time_limit), min(high, settings.time_limit)
    return Estimate(low, high, processes)


def _search_seconds(settings: RunSettings, seconds_of: Mapping[str, float]) -> float:
    """CPU seconds of one search."""
    space = settings.method.space
    if settings.optimizer == "s_em":
        rates, tolerances = (len(space[name].choices) for name in ("spy_rate", "spy_tolerance"))
        return settings.inner_folds * rates * (1 + tolerances) * _EM_STEPS * seconds_of["gaussian_nb"]
    if settings.optimizer == "df_pu":
        rounds, rates = space["iterations"].choices, len(space["reliable_negative_rate"].choices)
        return settings.inner_folds * (sum(rounds) + rates * len(rounds)) * seconds_of["deep_forest"]
    return expected_fits(settings) * float(np.mean([seconds_of[name] for name in CLASSIFIERS]))


def expected_fits(settings: RunSettings) -> float:
    """Different fits that one search of two-step learners is expected to need."""
    assessments, first = settings.assessments_per_search, settings.configurations
    scale, power = _INDEPENDENT
    if settings.optimizer not in _VARYING:
        return scale * assessments**power
    varying_scale, varying_power = _VARYING[settings.optimizer]
    return scale * first**power + varying_scale * max(0, assessments - first) ** varying_power


def fit_seconds(task: RunTask) -> dict[str, float]:
    """CPU seconds of one typical fit of each candidate classifier: P of an inner fold against a third of its U."""
    learning = task.learning_task(task.outer[0])
    rng = np.random.default_rng(0)
    labelled = _some(np.flatnonzero(learning.s == 1), rng)
    others = _some(np.flatnonzero((learning.s == 0) & ~learning.known_negative), rng, share=1 / 3)
    typical = 0.8 * (learning.s.sum() + (learning.s == 0).sum() / 3)
    rows = np.sort(np.concatenate([labelled, others]))
    X = task.preparer.fit_transform(learning.take(rows))
    y = learning.s[rows]
    growth = max(1.0, typical / len(rows))
    took = {name: _probe(partial(positive_probability, name, X, y, X, 0)) for name in CLASSIFIERS}
    return {name: seconds * growth ** _GROWTH.get(name, 1.1) for name, seconds in took.items()}


def _probe(work: Work) -> float:
    """CPU seconds of a piece of work; a short one is done again, for the first time it may also load a library."""
    seconds = perform(work).cpu_seconds
    return min(seconds, perform(work).cpu_seconds) if seconds < _SHORT_SECONDS else seconds


def _some(rows: np.ndarray, rng: np.random.Generator, share: float = 1.0) -> np.ndarray:
    size = max(2, min(_PROBED_ROWS // 2, round(share * len(rows))))
    return rng.choice(rows, size=min(size, len(rows)), replace=False)
