"""Refit a chosen candidate on all rows and write it as a model, with its card, into a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from autopu_core.errors import StoreError
from autopu_core.export.bundle import MODEL_FILE, ExportedModel, current_versions, save_model
from autopu_core.export.card import model_card
from autopu_core.pu.auto import fit_pipeline
from autopu_core.runs.store import Store
from autopu_core.runs.task import RunTask, prepare_task
from autopu_core.search.executor import InlineExecutor
from autopu_core.search.planner import Planner
from autopu_core.search.space import SearchSpace

Call = Callable[[Callable[[], Any]], Any]
"""Computes a piece of work somewhere and returns its value."""


def export_model(
    store: Store,
    run: int,
    task: RunTask,
    result: Mapping[str, Any],
    call: Call,
    folder: Path,
    worker: str | None = None,
) -> dict[str, Any]:
    """Refit `result["final"]` on all rows of the task and save it.

    Args:
        store, run: where the model is noted, so that this installation trusts the file later.
        task: the rows.
        result: the run's result so far; its metrics go into the card.
        call: where the refit is computed.
        folder: gets the pickle, the card and the requirements.
        worker: who writes, while a run is at work.

    Returns:
        `path` of the pickle, its `sha256`, and the `card`.

    Raises:
        WorkFailedError: the candidate can't be fitted on all rows.
    """
    settings = task.settings
    pipeline = call(
        partial(fit_pipeline, result["final"]["candidate"], task.learning_task(task.final), settings.method.learner)
    )
    model = ExportedModel(
        pipeline=pipeline,
        columns=tuple(pipeline.named_steps["prepare"].columns_),
        target=settings.target,
        positive=settings.positive,
        versions=current_versions(),
        fingerprint=store.dataset(settings.dataset).fingerprint,
    )
    record = store.run(run)
    card = model_card(
        run=run,
        dataset=store.dataset(settings.dataset),
        settings=settings.to_dict(),
        roles=pipeline.named_steps["prepare"].roles_,
        result=result,
        versions=model.versions,
        created=record.created.isoformat(timespec="seconds"),
    )
    card = save_model(model, card, folder)
    store.add_model(run, folder / MODEL_FILE, card["sha256"], card, worker)
    return {"path": str(folder / MODEL_FILE), "sha256": card["sha256"], "card": card}


def export_trial(
    store: Store, run: int, folder: Path, trial: int | None = None, search: str | None = None
) -> dict[str, Any]:
    """Export the final choice of a run again, or any of its trials, refitted on all rows.

    Args:
        trial: number of a trial; None exports the run's own choice, or the best trial so far where it was stopped
            early.
        search: the search that the trial belongs to; by default the last one that the run made.

    Raises:
        StoreError: nothing was assessed yet, or there is no such trial.
    """
    record = store.run(run)
    task = prepare_task(store.load_table(record.settings.dataset), record.settings)
    result: dict[str, Any] = dict(record.result or {"test": None, "counts": None})
    if trial is not None or "final" not in result:
        result["final"] = _chosen_trial(store, run, record.settings.method.space, trial, search)
    return export_model(store, run, task, result, Planner(InlineExecutor()).call, folder)


def _chosen_trial(store: Store, run: int, space: SearchSpace, trial: int | None, search: str | None) -> dict[str, Any]:
    totals = store.search_totals(run)
    if totals.empty:
        raise StoreError(f"Run {run} has assessed nothing yet, so there is nothing to export.")
    search = search or str(totals["search"].iloc[-1])
    if trial is None:
        made = store.trials(run, search)
        trial = int(made.sort_values(["fitness", "number"], ascending=[False, True])["number"].iloc[0])
        how = f"the best trial so far of the search {search!r}, which was stopped early"
    else:
        how = "chosen by a person"
    chosen = store.trial(run, search, trial)
    return {
        "candidate": space.active(chosen.candidate),
        "key": chosen.key,
        "fitness": chosen.fitness,
        "trial": chosen.number,
        "search": search,
        "how": how,
    }
