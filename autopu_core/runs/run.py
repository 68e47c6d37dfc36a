"""Doing one run: search, refit and test on each outer fold, then the search whose winner is exported.

Everything that comes of it goes to the store as it happens; an attempt at a run that was interrupted finds its trials
and finished folds there and goes on.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from autopu_core.errors import AutoPUError
from autopu_core.evaluation.protocol import OuterSplit
from autopu_core.pu.auto import REFIT_TRIES, fit_pipeline, make_objective, refit_best
from autopu_core.runs.control import Control
from autopu_core.runs.exporting import export_model
from autopu_core.runs.pools import Pools
from autopu_core.runs.records import LeaseLostError, RunRecord
from autopu_core.runs.results import best_of_folds, choose, run_result, runners_up, test_split
from autopu_core.runs.store import Store
from autopu_core.runs.task import RunTask, prepare_task
from autopu_core.search.cache import MemoryCache
from autopu_core.search.executor import PoolExecutor
from autopu_core.search.loop import SearchResult, SearchStopped, run_search
from autopu_core.search.optimizers import make_optimizer
from autopu_core.search.planner import Planner, WorkFailedError
from autopu_core.search.seeds import derive_seed

log = logging.getLogger(__name__)

Listener = Callable[[dict[str, Any]], None]


def execute_run(
    store: Store,
    run: int,
    worker: str,
    listen: Listener = lambda progress: None,
    pools: Pools | None = None,
    export: bool = True,
) -> RunRecord:
    """Do a run that this worker has claimed, and give it back with its status and result.

    Args:
        store: where the run is.
        run: its number.
        worker: name under which the run was claimed.
        listen: called with the progress record about twice a second.
        pools: where the process pool comes from and stays, for who does several runs.
        export: refit the chosen pipeline on all rows and write it as a model; a benchmark wants the test results only.

    Returns:
        The run as it is afterwards: finished, failed (with one sentence), cancelled or paused.

    Raises:
        KeyboardInterrupt, SystemExit: the process was told to end; the run is left "interrupted" and can be resumed.
        LeaseLostError: another worker has the run now; nothing more was written.
    """
    settings = store.run(run).settings
    control = Control(store, run, worker, settings, listen)
    try:
        with ExitStack() as stack:
            executor = (pools or stack.enter_context(Pools())).get(settings.jobs, settings.fit_limit)
            scratch = tempfile.TemporaryDirectory(
                dir=store.home.scratch, prefix=f"run-{run}-", ignore_cleanup_errors=True
            )
            attempt = _Attempt(store, run, worker, control, executor, Path(stack.enter_context(scratch)))
            result = attempt.do(export)
        store.finish_run(run, worker, "finished", result)
    except SearchStopped as stop:
        store.finish_run(run, worker, "paused" if stop.reason == "pause" else "cancelled")
    except LeaseLostError:
        raise
    except (KeyboardInterrupt, SystemExit):
        store.finish_run(run, worker, "interrupted")
        raise
    except AutoPUError as error:
        store.finish_run(run, worker, "failed", error=str(error))
    except Exception as error:
        # The last line of defence of a worker that must serve the next run: a person gets a sentence, the log the rest.
        log.exception("Run %s ended by an unexpected error", run)
        store.finish_run(run, worker, "failed", error=f"Unexpected error: {type(error).__name__}: {error}")
    return store.run(run)


class _Attempt:
    """One attempt at a run, with the processes and the scratch folder that it may use."""

    def __init__(
        self, store: Store, run: int, worker: str, control: Control, executor: PoolExecutor, scratch: Path
    ) -> None:
        self.store, self.run, self.worker, self.control, self.scratch = store, run, worker, control, scratch
        self.settings = settings = control.settings
        self.method = settings.method
        cache = MemoryCache(behind=store.home.open_cache() if settings.cache else None)
        self.planner = Planner(executor, cache, limit=settings.fit_limit, control=control)
        self.planner.asked |= store.charged_fits(run)
        control.watch(self.planner)

    def do(self, export: bool) -> dict[str, Any]:
        """The whole run; returns its result, see `runs.results`."""
        task = prepare_task(self.store.load_table(self.settings.dataset), self.settings)
        finished = self.store.folds(self.run)
        folds = [finished.get(split.name) or self._fold(task, split) for split in task.outer]
        choices = self._choices(task, folds)
        result = run_result(self.store, self.run, task, folds, choices[0])
        if not export:
            return result
        try:
            return self._exported(task, folds, choices[:REFIT_TRIES])
        except WorkFailedError as failure:
            remark = (
                f"There is no model, because none of the best pipelines can be learned from all rows ({failure}); try "
                "another trial on the Export page or more time."
            )
            return {**result, "remarks": [*result["remarks"], remark]}

    def _exported(
        self, task: RunTask, folds: Sequence[Mapping[str, Any]], choices: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """The result with the model of the first choice that can be learned from all rows.

        Raises:
            WorkFailedError: none can; the reason is that of the last.
        """
        for choice in choices:
            result = run_result(self.store, self.run, task, folds, choice)
            self.control.stage("exporting", choice["search"])
            write = partial(export_model, self.store, self.run, task, result, worker=self.worker)
            try:
                return {**result, "model": write(self.planner.call, self.store.model_folder(self.run))}
            except WorkFailedError:
                if choice is choices[-1]:
                    raise
        raise RuntimeError("There is no choice at all.")

    def _choices(self, task: RunTask, folds: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The candidate to export, and after it those that take its place should it fail on all rows."""
        if self.settings.final_search:
            searched = self._search(task, task.final)
            first = choose(searched, self.method.space)
            trials = searched.trials
        else:
            first = best_of_folds(folds)
            trials = tuple(self.store.journal(self.run).recorded(first["search"]).values())
        return [first, *runners_up(first, trials, self.method.space)]

    # -- one training set -------------------------------------------------------------------------------------------

    def _fold(self, task: RunTask, split: OuterSplit) -> dict[str, Any]:
        searched = self._search(task, split)
        self.control.stage("testing", split.name)
        learned = partial(fit_pipeline, task=task.learning_task(split), learner=self.method.learner)
        trial, pipeline = refit_best(
            searched.trials, self.method.space, lambda candidate: self.planner.call(partial(learned, candidate))
        )
        test, predictions = self.planner.call(partial(test_split, task, split, pipeline))
        fold = {
            "search": split.name,
            "candidate": self.method.space.active(trial.candidate),
            "key": trial.key,
            "fitness": trial.fitness,
            "trial": trial.number,
            "stopped": searched.stopped,
            **test,
        }
        self.store.save_predictions(self.run, split.name, predictions, self.worker)
        self.store.save_fold(self.run, split.name, fold, self.worker)
        return fold

    def _search(self, task: RunTask, split: OuterSplit) -> SearchResult:
        """Search on one training set; ends early at the time limit, raises where a person stopped it."""
        settings, planner = self.settings, self.planner
        self.control.stage("preparing", split.name)
        memory_limit = settings.memory_limit_mb * 1024**2
        learning = task.learning_task(split)
        objective = make_objective(
            learning, settings.objective, settings.inner_folds, self.scratch, planner, memory_limit, self.method.plan
        )
        seed = derive_seed(settings.seed, split.name, "optimizer", settings.optimizer)
        budget = (settings.configurations, settings.iterations, settings.k)
        optimizer = make_optimizer(settings.strategy, self.method.space, seed, *budget)
        journal = self.store.journal(self.run, self.worker)
        with self.control.searching(split.name, optimizer.planned_assessments) as clock:
            result = run_search(
                optimizer,
                objective,
                planner,
                journal,
                search=split.name,
                clock=clock,
                on_trial=self.control.on_trial,
            )
        if result.stopped not in (None, "time limit"):
            raise SearchStopped(result.stopped)
        if result.best is None:
            raise AutoPUError(
                f"The time limit of {settings.time_limit:g} s ended the search on {split.name} before a single "
                "candidate was assessed; allow more time."
            )
        return result
