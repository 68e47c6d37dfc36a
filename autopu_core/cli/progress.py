"""Doing or watching a run from a terminal, with a bar on standard error."""

from __future__ import annotations

from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from autopu_core.cli.output import duration, err
from autopu_core.errors import AutoPUError
from autopu_core.runs.pools import Pools
from autopu_core.runs.queue import LEASE_SECONDS
from autopu_core.runs.records import RunRecord
from autopu_core.runs.run import execute_run
from autopu_core.runs.store import Store
from autopu_core.runs.watch import wait_for_run
from autopu_core.runs.worker import worker_name


def follow(store: Store, run: int, pools: Pools | None = None) -> RunRecord:
    """Do a queued run in this process, or watch it where a worker was faster; returns the run when it has ended.

    Raises:
        AutoPUError: it failed; the message is the run's own sentence.
    """
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}"),
        console=err,
    )
    with bar:
        line = bar.add_task(f"Run {run}", total=1, note="")

        def show(progress: dict[str, Any]) -> None:
            bar.update(
                line,
                description=f"Run {run}: {progress['stage']} {progress['search']}",
                completed=progress["assessments_in_all"],
                total=progress["planned_in_all"],
                note=_note(progress),
            )

        worker = worker_name()
        try:
            if store.claim_run(run, worker, LEASE_SECONDS):
                record = execute_run(store, run, worker, show, pools)
            else:
                record = wait_for_run(store, run, show)
        except KeyboardInterrupt:
            raise AutoPUError(
                f"Run {run} was interrupted; `autopu runs resume {run}` goes on where it stopped."
            ) from None
    if record.status == "failed":
        raise AutoPUError(record.error or f"Run {run} failed.")
    return record


def _note(progress: dict[str, Any]) -> str:
    notes = []
    if progress["best"] is not None:
        notes.append(f"best so far {progress['best']:.3f}")
    if progress["left"]:
        notes.append(f"about {duration(progress['left'])} left")
    return ", ".join(notes)
