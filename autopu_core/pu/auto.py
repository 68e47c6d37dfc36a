"""An Auto-PU system: search for a two-step learner by inner cross-validation, then refit the winner.

`make_objective` and `refit_best` are what stands before and after the search, used by a run for each of its training
folds; `AutoPUClassifier` is all of it as one scikit-learn estimator.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from autopu_core.errors import AutoPUError, SettingsError
from autopu_core.pu.corrected_forest import CorrectedForestClassifier, class_prior_from_label_frequency
from autopu_core.pu.fits import DEFAULT_MEMORY_BYTES, PreparedMatrix
from autopu_core.pu.folds import folds
from autopu_core.pu.learners import LearningRows, PhaseFailedError, two_classes
from autopu_core.pu.methods import METHODS, Method
from autopu_core.pu.objective import InnerFold, Learn, TwoStepObjective
from autopu_core.pu.two_step import TwoStepClassifier, two_step
from autopu_core.search.executor import InlineExecutor, PoolExecutor, single_threaded
from autopu_core.search.journal import MemoryJournal, Trial
from autopu_core.search.loop import run_search
from autopu_core.search.optimizers import make_optimizer
from autopu_core.search.planner import Planner, WorkFailedError
from autopu_core.search.seeds import derive_seed
from autopu_core.search.space import SearchSpace

REFIT_TRIES = 5
"""Trials that may be refitted, from the best on, until one can be."""


@dataclass(frozen=True)
class LearningTask:
    """The rows that one search may learn from.

    Attributes:
        rows: feature table, a DataFrame or a float array (n, d).
        s: int64 (n,): 1 labelled positive, 0 unlabelled (or known negative).
        known_negative: bool (n,).
        use_known_negatives: they are reliable negatives from the start; otherwise they are only judged on.
        groups: (n,) rows that stay in one fold, or None.
        preparer: unfitted transformer from rows to a float matrix without missing values, or None for float arrays.
        seed: everything drawn follows from it.
    """

    rows: pd.DataFrame | np.ndarray
    s: np.ndarray
    known_negative: np.ndarray
    use_known_negatives: bool = False
    groups: np.ndarray | None = None
    preparer: Any = None
    seed: int = 0

    @property
    def learned_from(self) -> np.ndarray:
        """bool (n,): known negatives are learned from only where that was asked for."""
        return np.ones(len(self.s), dtype=bool) if self.use_known_negatives else ~self.known_negative

    def take(self, positions: np.ndarray) -> pd.DataFrame | np.ndarray:
        """Some of the rows."""
        return self.rows.iloc[positions] if isinstance(self.rows, pd.DataFrame) else self.rows[positions]


def inner_folds(
    task: LearningTask, n_folds: int, scratch: Path, memory_limit: int = DEFAULT_MEMORY_BYTES
) -> list[InnerFold]:
    """The inner folds of a search, prepared: each preparer sees its own training rows only.

    Args:
        task: the rows.
        n_folds: number of folds, stratified by `s`.
        scratch: folder for the prepared matrices.
        memory_limit: bytes for one fit.

    Raises:
        LabelError: too few labelled positives for the folds.
    """
    made = []
    for number, (train, judged) in enumerate(folds(task.s, n_folds, derive_seed(task.seed, "inner"), task.groups)):
        train = train[task.learned_from[train]]
        values = np.vstack(_prepared(task, train, judged))
        known = np.flatnonzero(task.known_negative[train]).astype(np.int32)
        rows = LearningRows(
            PreparedMatrix(values).save(scratch),
            labelled=np.flatnonzero(task.s[train] == 1).astype(np.int32),
            unlabelled=np.flatnonzero((task.s[train] == 0) & ~task.known_negative[train]).astype(np.int32),
            seed=derive_seed(task.seed, "inner", number),
            known_negatives=known if len(known) else None,
            memory_limit=memory_limit,
        )
        made.append(InnerFold(rows, np.arange(len(train), len(values)), task.s[judged]))
    return made


def _prepared(task: LearningTask, train: np.ndarray, judged: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if task.preparer is None:
        return np.asarray(task.take(train), dtype=np.float64), np.asarray(task.take(judged), dtype=np.float64)
    preparer = clone(task.preparer).fit(task.take(train))
    return preparer.transform(task.take(train)), preparer.transform(task.take(judged))


def estimated_class_prior(task: LearningTask) -> float:
    """Share of positives among the rows, estimated under SCAR from the label frequency (Elkan & Noto 2008)."""
    rows = np.flatnonzero(~task.known_negative)
    values, _ = _prepared(task, rows, rows[:1])
    with single_threaded():
        forest = CorrectedForestClassifier(random_state=derive_seed(task.seed, "prior")).fit(values, task.s[rows])
    among = class_prior_from_label_frequency(float(task.s[rows].mean()), forest.label_frequency_)
    return among * len(rows) / len(task.s)


def make_objective(
    task: LearningTask,
    measure: str,
    n_folds: int,
    scratch: Path,
    planner: Planner,
    memory_limit: int,
    learn: Learn = two_step,
) -> TwoStepObjective:
    """The objective of a search on this task; a class prior is estimated where the measure needs one."""
    prior = planner.call(partial(estimated_class_prior, task)) if measure == "pu_f1" else None
    return TwoStepObjective(inner_folds(task, n_folds, scratch, memory_limit), measure, prior, learn)


def fit_pipeline(
    candidate: Mapping[str, Any], task: LearningTask, learner: Callable[..., BaseEstimator] = TwoStepClassifier
) -> Pipeline:
    """Preparation and learner, fitted on all rows of a task.

    Args:
        candidate: hyperparameters of the learner.
        task: the rows.
        learner: the estimator, see `autopu_core.pu.methods.Method.learner`.

    Raises:
        PhaseFailedError: the candidate can't be fitted on these rows.
    """
    positions = np.flatnonzero(task.learned_from)
    made = learner(**candidate, random_state=derive_seed(task.seed, "refit"))
    steps = [("learn", made)] if task.preparer is None else [("prepare", clone(task.preparer)), ("learn", made)]
    known = task.known_negative[positions] if task.use_known_negatives else None
    return Pipeline(steps).fit(task.take(positions), task.s[positions], learn__known_negative=known)


def refit_best(
    trials: Sequence[Trial], space: SearchSpace, refit: Callable[[Mapping[str, Any]], Pipeline]
) -> tuple[Trial, Pipeline]:
    """The best trial that can be refitted on the whole training set, and what came of it: that a candidate learns on
    inner folds is no promise that it does on all rows, so a winner that doesn't gives way to the next best.

    Args:
        trials: of one search.
        space: theirs.
        refit: from active hyperparameters to a fitted pipeline.

    Raises:
        AutoPUError: none of the best could be refitted, or none found a labelled positive.
    """
    ranked = sorted(trials, key=lambda trial: (-trial.fitness, trial.number))
    distinct = [trial for trial in ranked if trial.repeat_of is None and trial.fitness > 0]
    reason = next((trial.reason for trial in ranked if trial.reason), "every row was called negative")
    for trial in distinct[:REFIT_TRIES]:
        try:
            return trial, refit(space.active(trial.candidate))
        except (PhaseFailedError, WorkFailedError) as failure:
            reason = str(failure)
    raise AutoPUError(
        f"None of the {len(trials)} candidates assessed could find labelled positives in this table; the reason of the "
        f"best was: {reason}. More labelled positives or other columns may help."
    )


class AutoPUClassifier(ClassifierMixin, BaseEstimator):
    """Searches for the best two-step PU learner and is the winner, refitted (see `refit_best`).

    Args:
        optimizer: "ga", "bo", "ebo" or "random"; "grid" for the baselines.
        search_space: "base", "extended", or a `SearchSpace` of `TwoStepClassifier` parameters; or the grid of a
            baseline by the name that it has in `METHODS`.
        objective: "f_measure", "lee_liu" or "pu_f1".
        configurations, iterations, k: the budget, in the paper's terms.
        inner_folds: folds of the objective.
        preparer: unfitted transformer from `X` to a float matrix, fitted inside each fold, such as
            `autopu_core.tables.TablePreparer`; None takes `X` as a float array without missing values.
        n_jobs: processes; 1 computes in this one, -1 takes one per core. The result doesn't depend on it.
        fit_limit: seconds for one fit, or None; needs `n_jobs` other than 1.
        random_state: seed.

    Attributes:
        classes_: the two labels; the second means labelled positive.
        pipeline_: the refitted winner.
        best_candidate_: its hyperparameters.
        best_fitness_: its value of the objective.
        trials_: every assessment, as `autopu_core.search.journal.Trial`.
    """

    def __init__(
        self,
        optimizer: str = "ebo",
        search_space: str | SearchSpace = "base",
        objective: str = "f_measure",
        configurations: int = 20,
        iterations: int = 8,
        k: int = 5,
        inner_folds: int = 5,
        preparer: Any = None,
        n_jobs: int = 1,
        fit_limit: float | None = None,
        random_state: int = 0,
    ) -> None:
        self.optimizer = optimizer
        self.search_space = search_space
        self.objective = objective
        self.configurations = configurations
        self.iterations = iterations
        self.k = k
        self.inner_folds = inner_folds
        self.preparer = preparer
        self.n_jobs = n_jobs
        self.fit_limit = fit_limit
        self.random_state = random_state

    def fit(
        self,
        X: pd.DataFrame | np.ndarray,
        s: np.ndarray,
        groups: np.ndarray | None = None,
        known_negative: np.ndarray | None = None,
    ) -> AutoPUClassifier:
        """Search and refit.

        Args:
            X: rows (n, d).
            s: (n,) two values; the larger marks labelled positives, the other unlabelled rows.
            groups: (n,) rows with equal values stay in one inner fold.
            known_negative: bool (n,), rows that are reliable negatives from the start.

        Raises:
            AutoPUError: too few labelled positives for the folds, or no candidate could be fitted.
            ValueError: `s` has another number of values than two.
        """
        task = self._task(X, s, groups, known_negative)
        method = self.search_space
        if isinstance(method, SearchSpace):
            method = Method(method, two_step, TwoStepClassifier)
        elif method in METHODS:
            method = METHODS[method]
        else:
            raise SettingsError(f"There is no search space {method!r}; choose one of {', '.join(METHODS)}.")
        optimizer = make_optimizer(
            self.optimizer,
            method.space,
            derive_seed(task.seed, "optimizer", self.optimizer),
            self.configurations,
            self.iterations,
            self.k,
        )
        inline = self.n_jobs == 1 and self.fit_limit is None
        executor = InlineExecutor() if inline else PoolExecutor(self.n_jobs, self.fit_limit)
        journal = MemoryJournal()
        try:
            planner = Planner(executor, limit=self.fit_limit)
            with tempfile.TemporaryDirectory() as scratch:
                objective = make_objective(
                    task, self.objective, self.inner_folds, Path(scratch), planner, DEFAULT_MEMORY_BYTES, method.plan
                )
                result = run_search(optimizer, objective, planner, journal)
        finally:
            executor.close()
        self.trials_ = result.trials
        best, self.pipeline_ = refit_best(
            result.trials, method.space, partial(fit_pipeline, task=task, learner=method.learner)
        )
        self.best_fitness_ = best.fitness
        self.best_candidate_ = method.space.active(best.candidate)
        return self

    def _task(self, X: Any, s: Any, groups: Any, known_negative: Any) -> LearningTask:
        if self.preparer is None:
            X, s = validate_data(self, X, s, dtype=np.float64)
        check_classification_targets(s)
        self.classes_, encoded = two_classes(s)
        known = np.zeros(len(encoded), dtype=bool) if known_negative is None else np.asarray(known_negative, dtype=bool)
        groups = None if groups is None else np.asarray(groups)
        seed = int(self.random_state or 0)
        return LearningTask(X, encoded, known, known_negative is not None, groups, self.preparer, seed)

    def predict_proba(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        """Probabilities (n, 2) of the two values of `classes_`."""
        check_is_fitted(self)
        if self.preparer is None:
            X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.pipeline_.predict_proba(X)

    def predict(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        """The value of `classes_` for each row: positive where its probability is at least 0.5."""
        called = self.predict_proba(X)[:, 1] >= 0.5
        return self.classes_[called.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
