"""`autopu predict`, `autopu export` and `autopu cache`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from autopu_core.cli.data import AsJson, Sheet, TablePath, open_table
from autopu_core.cli.output import err, out, print_json, print_table
from autopu_core.evaluation import METRICS, binary_metrics
from autopu_core.export.bundle import file_sha256, load_model
from autopu_core.export.tables import write_table
from autopu_core.runs.exporting import export_trial
from autopu_core.runs.home import CACHE_VARIABLE
from autopu_core.runs.store import Store

cache_app = typer.Typer(help="See or clear the fits that searches reuse.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(predict)
    app.command()(export)
    app.add_typer(cache_app, name="cache")


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Pickle file that this program wrote.")],
    table: TablePath,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write (.csv, .xlsx or .parquet).")
    ] = None,
    trust: Annotated[bool, typer.Option(help="Load a model that another installation wrote.")] = False,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Give each row of a table its probability and class; all its columns are kept."""
    with Store() as store:
        known = trust or store.known_hash(file_sha256(model))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaded = load_model(model, known)
    for warning in caught:
        err.print(str(warning.message), markup=False)
    rows = open_table(table, sheet).frame
    scored = loaded.score(rows)
    target = output or Path(f"{Path(table).stem}_predicted.csv")
    write_table(scored, target)
    metrics = None
    truth = loaded.truth(rows)
    if truth is not None and truth[0].any():
        known_rows, positive = truth
        metrics = binary_metrics(
            positive[known_rows].astype(int), loaded.predict_proba(rows)[known_rows], threshold=loaded.threshold
        )
    called = int(np.sum(loaded.predict(rows)))
    if as_json:
        print_json(
            {
                "rows": len(rows),
                "called_positive": called,
                "output": str(target),
                "metrics": metrics,
                "learned_from": loaded.learned_from(rows),
            }
        )
        return
    out.print(f"{len(rows)} rows, {called} called positive; written to {target}.", markup=False)
    if metrics is not None:
        if loaded.learned_from(rows):
            out.print("The model was learned from this very table, so these numbers say how well it remembers it.")
        title = f"Against the column {loaded.target!r}"
        print_table(title, ("", "value"), [(METRICS[name].title, metrics[name]) for name in METRICS])


def export(
    run: Annotated[int, typer.Argument(metavar="ID", help="Number of the run.")],
    trial: Annotated[int | None, typer.Option(metavar="N", help="Any trial instead of the run's choice.")] = None,
    search: Annotated[str | None, typer.Option(help="The search that the trial belongs to, e.g. 'fold 1'.")] = None,
    output: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the pickle and its card.")] = Path("model"),
) -> None:
    """Write the model of a run, or of any of its trials, refitted on all rows."""
    with Store() as store:
        written = export_trial(store, run, output, trial, search)
    out.print(f"Model: {written['path']}\nSHA-256: {written['sha256']}", markup=False)


@cache_app.command("show")
def cache_show(as_json: AsJson = False) -> None:
    """How many fits are kept, and how much room they take."""
    with Store() as store:
        cache = store.home.open_cache()
        record = {"fits": cache.count(), "bytes": cache.size(), "limit": cache.limit, "folder": str(store.home.cache)}
    if as_json:
        print_json(record)
        return
    out.print(
        f"{record['fits']} fits, {record['bytes'] / 1e6:.1f} MB of at most {record['limit'] / 1024**3:g} GB "
        f"({CACHE_VARIABLE} sets this bound), in {record['folder']}",
        markup=False,
    )


@cache_app.command("clear")
def cache_clear() -> None:
    """Forget all fits; searches then compute them again."""
    with Store() as store:
        freed = store.home.open_cache().clear()
    out.print(f"{freed / 1e6:.1f} MB freed.")
