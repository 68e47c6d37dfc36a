"""How a run's result is told in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autopu_core.cli.output import duration, out, print_json, print_table
from autopu_core.evaluation import METRICS, REFERENCES
from autopu_core.evaluation.pu_metrics import ESTIMATES
from autopu_core.pu.classifiers import TITLES
from autopu_core.runs.records import RunRecord
from autopu_core.runs.settings import OBJECTIVES
from autopu_core.runs.store import Store


def run_json(store: Store, record: RunRecord) -> dict[str, Any]:
    """A run as one JSON-ready value; the result's own fields stand beside those of the run."""
    settings = record.settings
    totals = store.search_totals(record.id)
    result = dict(record.result or {})
    counts = result.pop("counts", None) or {
        name: int(totals[name].sum())
        for name in ("assessments", "distinct_candidates", "fits_naive", "fits_distinct", "fits_computed")
    }
    model = result.pop("model", None)
    return {
        "run_id": record.id,
        "status": record.status,
        "error": record.error,
        "dataset": record.dataset_name,
        "optimizer": settings.optimizer,
        "space": settings.method.space.name,
        "objective": settings.objective,
        "seed": settings.seed,
        "settings": settings.to_dict(),
        "versions": record.versions,
        **counts,
        "wall_seconds": float(totals["elapsed"].sum()),
        "cpu_seconds": float(totals["cpu_seconds"].sum()),
        "progress": record.progress,
        **result,
        "model": None if model is None else model["path"],
        "sha256": None if model is None else model["sha256"],
    }


def report_run(store: Store, record: RunRecord, as_json: bool) -> None:
    """Print a run: its settings, test metrics beside the plain references, the chosen pipeline and its cost."""
    if as_json:
        print_json(run_json(store, record))
        return
    settings = record.settings
    out.print(
        f"Run {record.id} on {record.dataset_name} is {record.status}: {settings.title}, "
        f"objective {OBJECTIVES[settings.objective]}, seed {settings.seed}.",
        markup=False,
    )
    if record.error:
        out.print(record.error, markup=False)
    if record.result is None:
        totals = store.search_totals(record.id)
        print_table(
            "So far",
            ("search", "assessments", "best fitness", "failed", "timed out"),
            totals[["search", "assessments", "best", "failed", "timed_out"]].itertuples(index=False),
        )
        return
    result = record.result
    print_table("On test rows", *_metric_rows(result, settings.task == "genuine"))
    for sentence in result["remarks"]:
        out.print(f"- {sentence}", markup=False)
    final = result["final"]
    out.print(f"\nThe exported pipeline ({final['how']}):", markup=False)
    for name, value in final["candidate"].items():
        out.print(f"  {name} = {TITLES.get(value, value) if isinstance(value, str) else value}", markup=False)
    counts = result["counts"]
    out.print(
        f"\n{counts['assessments']} assessments of {counts['distinct_candidates']} different candidates; "
        f"{counts['fits_naive']} fits one by one, {counts['fits_distinct']} different ones, {counts['fits_computed']} "
        f"computed; {duration(result['wall_seconds'])} wall, {duration(result['cpu_seconds'])} CPU.",
        markup=False,
    )
    if result["model"]:
        out.print(f"Model: {result['model']['path']}", markup=False)


def _metric_rows(result: Mapping[str, Any], genuine: bool) -> tuple[list[str], list[list[Any]]]:
    meanings = ESTIMATES if genuine else METRICS
    systems = {"Auto-PU": result["test"]["system"]} | {
        REFERENCES[name].title: summary for name, summary in result["test"]["references"].items()
    }
    rows = []
    for metric, meaning in meanings.items():
        row: list[Any] = [meaning.title + (" (estimate)" if genuine else "")]
        for summary in systems.values():
            value = summary.get(metric)
            if value is None or value["mean"] is None:
                row.append("")
            elif value["low"] is None:
                row.append(f"{value['mean']:.3f}")
            else:
                row.append(f"{value['mean']:.3f} ({value['low']:.2f} to {value['high']:.2f})")
        rows.append(row)
    return ["", *systems], rows
