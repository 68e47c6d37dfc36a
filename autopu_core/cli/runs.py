"""`autopu runs ..`: list, show, pause, resume, cancel and delete runs."""

from __future__ import annotations

from typing import Annotated

import typer

from autopu_core.cli.data import AsJson
from autopu_core.cli.output import out, print_json, print_table
from autopu_core.cli.progress import follow
from autopu_core.cli.results import report_run, run_json
from autopu_core.runs.store import Store

app = typer.Typer(help="List, show, pause, resume, cancel and delete runs.", no_args_is_help=True)
RunId = Annotated[int, typer.Argument(metavar="ID", help="Number of the run.")]


@app.command("list")
def list_runs(as_json: AsJson = False) -> None:
    """All runs, newest first."""
    with Store() as store:
        if as_json:
            print_json([run_json(store, store.run(record.id)) for record in store.runs()])
            return
        rows = [
            (
                record.id,
                record.status,
                record.dataset_name,
                record.settings.optimizer,
                record.settings.method.space.name,
                record.settings.preset,
                record.settings.delta if record.settings.task == "engineered" else "genuine",
                record.progress.get("best"),
                f"{record.created.astimezone():%Y-%m-%d %H:%M}",
            )
            for record in store.runs()
        ]
        header = ("id", "status", "data", "optimiser", "space", "preset", "delta", "best fitness", "created")
        print_table(None, header, rows)


@app.command()
def show(run: RunId, as_json: AsJson = False) -> None:
    """One run with its result."""
    with Store() as store:
        report_run(store, store.run(run), as_json)


@app.command()
def resume(
    run: RunId,
    time_limit: Annotated[float | None, typer.Option(metavar="S", help="A new time limit for all searches.")] = None,
    as_json: AsJson = False,
) -> None:
    """Go on with a run that was interrupted, paused, cancelled or ended by its time limit."""
    with Store() as store:
        store.resume_run(run, **({} if time_limit is None else {"time_limit": time_limit}))
        report_run(store, follow(store, run), as_json)


@app.command()
def pause(run: RunId) -> None:
    """Stop a run for now; `resume` goes on with it."""
    _ask(run, "pause", "pauses")


@app.command()
def cancel(run: RunId) -> None:
    """Stop a run; what it found so far is kept and can be exported."""
    _ask(run, "cancel", "stops")


@app.command()
def delete(run: RunId) -> None:
    """Delete a run for good, with its trials and models."""
    with Store() as store:
        store.delete_run(run)
    out.print(f"Run {run} is deleted.")


def _ask(run: int, command: str, verb: str) -> None:
    with Store() as store:
        store.command(run, command)
    out.print(f"Run {run} {verb}.")
