"""`autopu compare` and `autopu report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autopu_core.cli.data import AsJson
from autopu_core.cli.output import out, print_json, print_table
from autopu_core.errors import StoreError
from autopu_core.runs import comparison
from autopu_core.runs.reporting import comparable_records, html_report, metric_cells
from autopu_core.runs.store import Store

RunIds = Annotated[list[int], typer.Argument(metavar="ID ...", help="Numbers of the runs.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(compare)
    app.command()(report)


def compare(runs: RunIds, as_json: AsJson = False) -> None:
    """Compare runs on the same data and folds: test metrics, costs, and what the searches chose."""
    with Store() as store:
        records = comparable_records(store, runs)
        metrics, costs = metric_cells(records), comparison.costs(records)
        chosen = {comparison.run_label(record): comparison.chosen_frequencies(record) for record in records}
        if as_json:
            print_json(
                {
                    "metrics": comparison.metric_table(records).to_dict("records"),
                    "costs": costs.to_dict("records"),
                    "frequencies": {run: table[table["count"] > 0].to_dict("records") for run, table in chosen.items()},
                    "remarks": {comparison.run_label(record): record.result["remarks"] for record in records},
                }
            )
            return
        print_table("On test rows", list(metrics.columns), metrics.itertuples(index=False))
        print_table("Costs", list(costs.columns), costs.itertuples(index=False))
        for run, table in chosen.items():
            often = table[table["count"] > 0].sort_values(
                ["parameter", "count"], ascending=[True, False], kind="stable"
            )
            shown = often.drop_duplicates("parameter")
            columns = ["parameter", "value", "selection_percent", "baseline_percent", "difference"]
            print_table(f"Chosen most often by {run}", columns, shown[columns].itertuples(index=False))
        if len(records) > 1:
            out.print(comparison.OPTIMISM)


def report(
    runs: RunIds,
    output: Annotated[Path, typer.Option(metavar="FILE", help="Where to write the report.")] = Path("report.html"),
) -> None:
    """Write a stand-alone HTML report of a run, or of several that may be compared."""
    with Store() as store:
        text = html_report(store, runs)
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{output} can't be written ({error.strerror or error}); choose another place.") from None
    out.print(f"Report: {output}", markup=False)
