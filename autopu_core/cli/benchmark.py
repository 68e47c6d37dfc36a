"""`autopu benchmark`: systems compared over several data sets, as the PU paper does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from autopu_core.cli.data import AsJson
from autopu_core.cli.output import duration, err, out, print_json, print_table
from autopu_core.errors import AutoPUError
from autopu_core.evaluation.benchmark import BenchmarkResults
from autopu_core.evaluation.benchmark_tables import paper_tables
from autopu_core.runs.benchmarking import SYSTEMS, BenchmarkPlan, Progress, collect, run_benchmark
from autopu_core.runs.settings import PRESETS
from autopu_core.runs.store import Store
from autopu_core.tables import read_table

_STORE = "store"
_SUFFIXES = {".csv", ".tsv", ".xlsx", ".xls", ".parquet", ".arff", ".tab", ".sav", ".dta"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(benchmark)


def benchmark(
    tables: Annotated[
        list[Path] | None, typer.Argument(metavar="[TABLE ...]", help="Table files, or folders of them.")
    ] = None,
    target: Annotated[str, typer.Option(help="Label column, the same in all tables.")] = "target",
    positive: Annotated[
        list[str] | None, typer.Option(metavar="VALUE", help="Its positive value(s), by default 1.")
    ] = (None),
    delta: Annotated[list[float] | None, typer.Option(help="Share of positives to hide; by default 0.2, 0.4, 0.6.")] = (
        None
    ),
    system: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help=f"By default all of: {', '.join(SYSTEMS)}.")
    ] = None,
    preset: Annotated[str, typer.Option(help=f"Budget: {' or '.join(PRESETS)}.")] = "quick",
    folds: Annotated[int, typer.Option(help="Outer folds.")] = 3,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    jobs: Annotated[int, typer.Option(help="Processes; -1 means one per core.")] = -1,
    output: Annotated[Path, typer.Option(metavar="DIR", help="Results, and the data folder that they grow in.")] = Path(
        "benchmark"
    ),
    published: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder with the paper's tables as CSV, shown beside ours.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare systems on several tables. Goes on where it stopped; without tables it prints the results so far."""
    if tables:
        plan = BenchmarkPlan(
            deltas=tuple(delta or (0.2, 0.4, 0.6)),
            systems=tuple(system or SYSTEMS),
            target=target,
            positive=tuple(positive or ("1",)),
            preset=preset,
            folds=folds,
            seed=seed,
            jobs=jobs,
        )
        failures = _work(_table_files(tables), plan, output)
        for cell, reason in failures:
            err.print(f"{cell}: {reason}", markup=False)
    results = _results(output)
    if as_json:
        print_json(
            {
                "provenance": results.provenance,
                "tables": [
                    {"number": table.number, "title": table.title, "rows": table.frame.to_dict("records")}
                    for table in paper_tables(results, published)
                ],
            }
        )
        return
    for table in paper_tables(results, published):
        print_table(table.title, [str(name) for name in table.frame.columns], table.frame.itertuples(index=False))
        out.print(f"{table.note}\n", markup=False)


def _table_files(given: list[Path]) -> list[Path]:
    files = []
    for path in given:
        inside = sorted(each for each in path.iterdir() if each.suffix in _SUFFIXES) if path.is_dir() else [path]
        if not inside:
            raise AutoPUError(f"The folder {path} holds no table; name files, or a folder that has some.")
        files += inside
    return files


def _work(files: list[Path], plan: BenchmarkPlan, output: Path) -> list[tuple[str, str]]:
    """Do the cells that are missing; returns those without a result, with the reason."""
    tables = [read_table(file) for file in files]
    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TextColumn("{task.completed}/{task.total} cells"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}"),
        console=err,
    )
    with Store(output / _STORE) as store, bar:
        line = bar.add_task("Benchmark", total=None, note="")

        def show(progress: Progress) -> None:
            left = "" if progress.left is None else f"about {duration(progress.left)} left"
            bar.update(line, description=progress.current, completed=progress.done, total=progress.cells, note=left)

        try:
            return run_benchmark(store, tables, plan, show).failures
        except KeyboardInterrupt:
            raise AutoPUError("The benchmark was interrupted; the same command goes on where it stopped.") from None


def _results(output: Path) -> BenchmarkResults:
    """What the data folder holds by now, written out; without one, what was written before."""
    if (output / _STORE).is_dir():
        with Store(output / _STORE) as store:
            collect(store).write(output)
    return BenchmarkResults.read(output)
