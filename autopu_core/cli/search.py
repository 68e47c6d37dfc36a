"""`autopu search`: from a table to a tested pipeline, with live progress."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from autopu_core.cli.data import AsJson, Sheet, TablePath, open_table
from autopu_core.cli.output import duration, err
from autopu_core.cli.progress import follow
from autopu_core.cli.results import report_run
from autopu_core.errors import AutoPUError
from autopu_core.export.bundle import current_versions
from autopu_core.runs.estimate import estimate_run
from autopu_core.runs.settings import PRESETS, RunSettings
from autopu_core.runs.store import Store
from autopu_core.runs.task import prepare_task
from autopu_core.tables import describe_table

Values = list[str] | None


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(search)


def search(
    table: TablePath,
    target: Annotated[str, typer.Option(help="Column that holds the diagnosis.")],
    positive: Annotated[list[str], typer.Option(metavar="VALUE", help="Its value(s) that mean positive.")],
    negative: Annotated[
        Values, typer.Option(metavar="VALUE", help="Value(s) that mean known negative (genuine).")
    ] = None,
    use_known_negatives: Annotated[
        bool, typer.Option(help="Learn from known negatives as reliable negatives.")
    ] = False,
    task: Annotated[str, typer.Option(help="engineered (hide known positives) or genuine (labels as they are).")] = (
        "engineered"
    ),
    delta: Annotated[float, typer.Option(help="Share of positives to hide in an engineered task.")] = 0.4,
    group: Annotated[str | None, typer.Option(metavar="COL", help="Column that names the patient.")] = None,
    drop: Annotated[Values, typer.Option(metavar="COL", help="Column to leave out.")] = None,
    role: Annotated[Values, typer.Option(metavar="COL=ROLE", help="Overrule the guessed role of a column.")] = None,
    dates: Annotated[str, typer.Option(help="days (since the earliest) or drop.")] = "days",
    scale: Annotated[bool, typer.Option(help="Standardise numeric columns.")] = False,
    optimizer: Annotated[str, typer.Option(help="ga, bo, ebo, random; or a published method: s_em, df_pu.")] = "ebo",
    space: Annotated[str, typer.Option(help="base or extended (with spies); not for s_em and df_pu.")] = "base",
    objective: Annotated[str, typer.Option(help="f_measure, lee_liu or pu_f1.")] = "f_measure",
    preset: Annotated[str, typer.Option(help=" or ".join(PRESETS))] = "quick",
    configurations: Annotated[int | None, typer.Option(help="Random configurations at the start.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Iterations of the optimiser.")] = None,
    k: Annotated[int | None, typer.Option("-k", "--k", help="Children assessed in each EBO iteration.")] = None,
    folds: Annotated[int | None, typer.Option(help="Outer folds.")] = None,
    holdout: Annotated[float | None, typer.Option(help="Share of rows kept for one test, instead of folds.")] = None,
    final_search: Annotated[bool | None, typer.Option(help="Search once more on all rows for the model.")] = None,
    hide_in_final: Annotated[bool, typer.Option(help="Hide delta in the final search too.")] = False,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    jobs: Annotated[int, typer.Option(help="Processes; -1 means one per core.")] = -1,
    time_limit: Annotated[float | None, typer.Option(metavar="S", help="Seconds for all searches.")] = None,
    fit_limit: Annotated[float | None, typer.Option(metavar="S", help="Seconds for one fit.")] = None,
    cache: Annotated[bool, typer.Option(help="Reuse and keep fits in the data folder.")] = True,
    output: Annotated[Path | None, typer.Option(metavar="DIR", help="Copy the model and its card here.")] = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Search for the best two-step learner, test it, and save it as a model."""
    read = open_table(table, sheet)
    description = describe_table(read)
    with Store() as store:
        settings = RunSettings.from_preset(
            preset,
            dataset=store.add_dataset(read, description.to_dict()),
            target=target,
            positive=tuple(positive),
            negative=tuple(negative or ()),
            use_known_negatives=use_known_negatives,
            task=task,
            delta=delta,
            group=group,
            drop=tuple(drop or ()),
            roles=_roles(role),
            dates=dates,
            scale=scale,
            optimizer=optimizer,
            space=space,
            objective=objective,
            configurations=configurations,
            iterations=iterations,
            k=k,
            folds=folds,
            holdout=holdout,
            final_search=final_search,
            hide_in_final=hide_in_final,
            seed=seed,
            jobs=jobs,
            time_limit=time_limit,
            fit_limit=fit_limit,
            cache=cache,
        )
        prepared = prepare_task(read, settings, guessed_roles=description.roles())
        estimate = estimate_run(prepared)
        err.print(
            f"{read.name}: {prepared.counts()['rows']} rows, {prepared.counts()['labelled']} labelled positives for "
            f"training. Expect {duration(estimate.low)} to {duration(estimate.high)} on {estimate.processes} "
            f"process{'es' if estimate.processes > 1 else ''}.",
            markup=False,
        )
        run = store.create_run(settings, current_versions())
        record = follow(store, run)
        if output is not None and record.result and record.result["model"]:
            record.result["model"]["path"] = str(copy_model(Path(record.result["model"]["path"]), output))
        report_run(store, record, as_json)


def copy_model(model: Path, output: Path) -> Path:
    """Copy a model's folder content; returns the path of the pickle there.

    Raises:
        AutoPUError: the folder can't be written.
    """
    try:
        output.mkdir(parents=True, exist_ok=True)
        for file in model.parent.iterdir():
            if file.is_file():
                shutil.copy2(file, output / file.name)
    except OSError as error:
        raise AutoPUError(f"The model can't be copied to {output} ({error.strerror}); choose another folder.") from None
    return output / model.name


def _roles(given: Values) -> dict[str, Any]:
    roles = {}
    for text in given or ():
        name, equals, role = text.rpartition("=")
        if not equals:
            raise AutoPUError(f"Write --role as COLUMN=ROLE, e.g. --role sex=category, not {text!r}.")
        roles[name] = role
    return roles
