"""The report of one run, or of several that may be compared."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pandas as pd

from autopu_core.charts import results as charts
from autopu_core.charts.search import convergence, reuse
from autopu_core.errors import StoreError
from autopu_core.evaluation.references import REFERENCES
from autopu_core.export.card import COMMON_LIMITS, ENGINEERED_LIMITS, GENUINE_LIMITS, INTENDED_USE
from autopu_core.export.report import Section, page
from autopu_core.export.words import citations, describe_pipeline, methods_paragraph
from autopu_core.runs import comparison
from autopu_core.runs.records import RunRecord
from autopu_core.runs.settings import OBJECTIVES
from autopu_core.runs.store import Store

_REFERENCE_TITLES = frozenset(reference.title for reference in REFERENCES.values())
_ESTIMATES = (
    "These numbers are estimates. Most rows have no known answer; what is shown holds if the labelled positives are a "
    "random draw of all positives (SCAR)."
)


def html_report(store: Store, runs: Sequence[int]) -> str:
    """The report as one HTML document.

    Raises:
        StoreError: a run has no result yet, or the runs can't be compared; the sentence says which and why.
    """
    records = comparable_records(store, runs)
    sections = [_data(store, records[0]), _tested(store, records), _searched(store, records)]
    sections += [section for record in records for section in _pipeline(record)]
    sections.append(_provenance(records))
    names = ", ".join(comparison.run_label(record) for record in records)
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    title = f"Auto-PU report: {records[0].dataset_name}"
    return page(title, f"Run{'s' if len(records) > 1 else ''} {names}; written {made}.", sections)


def comparable_records(store: Store, runs: Sequence[int]) -> list[RunRecord]:
    """The records of runs that may stand side by side.

    Raises:
        StoreError: see `html_report`.
    """
    records = [store.run(run) for run in dict.fromkeys(runs)]
    if not records:
        raise StoreError("Name at least one run; `autopu runs list` shows the runs there are.")
    for record in records:
        if reason := comparison.why_not(records[0], record):
            if record.result is None:
                raise StoreError(f"Run {record.id} can't be reported: {reason}.")
            raise StoreError(f"Run {record.id} can't be compared with run {records[0].id}: {reason}.")
    return records


def _data(store: Store, record: RunRecord) -> Section:
    data, settings = record.result["data"], record.settings
    facts = {
        "Table": record.dataset_name,
        "Rows that took part": data["rows"],
        "Rows left out (no target value)": data["left_out"],
        "Columns learned from": data["features"],
        "Positive": f"{settings.target} = {', '.join(settings.positive)} ({data['positives']} rows)",
        "Task": "engineered: known positives hidden"
        if settings.task == "engineered"
        else "genuine: labels as they are",
        "Labelled positives in the first training set": data["labelled"],
        "Hidden positives in the first training set": data["hidden"],
        "Known negatives": data["known_negatives"],
        "Fingerprint of the table (SHA-256)": store.dataset(settings.dataset).fingerprint,
    }
    return Section("The data").facts(facts)


def _tested(store: Store, records: Sequence[RunRecord]) -> Section:
    genuine = records[0].settings.task == "genuine"
    section = Section("How well it did on test rows")
    if genuine:
        section.text(_ESTIMATES, kind="estimate")
    for remark in comparison.remarks(records):
        section.text(remark, kind="remark")
    section.table(metric_cells(records))
    metric = "pu_f1" if genuine else "f_measure"
    title = comparison.meanings(records[0])[metric].title
    section.figure(charts.metric_strip(comparison.fold_values(records, metric), title, _REFERENCE_TITLES, genuine))
    if len(records) > 1:
        section.text(comparison.OPTIMISM, kind="remark")
    if not genuine:
        predictions = comparison.pooled_predictions(store, records)
        section.figure(charts.roc_curves(predictions, _REFERENCE_TITLES))
        section.figure(charts.precision_recall_curves(predictions, _REFERENCE_TITLES))
        for record in records:
            section.text(f"Calls of {comparison.run_label(record)} on all test rows:")
            section.figure(charts.confusion(comparison.confusion_counts(record)))
    meaning = [f"{entry.title}: {entry.meaning}" for entry in comparison.meanings(records[0]).values()]
    return section.text("What the numbers mean:").list(meaning)


def metric_cells(records: Sequence[RunRecord]) -> pd.DataFrame:
    """Metrics as rows and systems as columns, each cell "0.912 (0.85 to 0.96)"."""
    table = comparison.metric_table(records)
    cells = [
        "–" if pd.isna(mean) else f"{mean:.3f}" + ("" if pd.isna(low) else f" ({low:.2f} to {high:.2f})")
        for mean, low, high in table[["mean", "low", "high"]].itertuples(index=False)
    ]
    wide = table.assign(cell=cells).pivot(index="title", columns="system", values="cell")
    order = wide.reindex(index=table["title"].drop_duplicates(), columns=table["system"].drop_duplicates())
    return order.rename_axis(index="Metric", columns=None).reset_index()


def _searched(store: Store, records: Sequence[RunRecord]) -> Section:
    section = Section("How the search went")
    section.figure(convergence(comparison.all_trials(store, records)))
    costs = comparison.costs(records)
    titles = {
        "run": "Run",
        "assessments": "Assessments",
        "fits_naive": "Fits one by one",
        "fits_distinct": "Different fits",
        "fits_computed": "Computed",
        "cpu_seconds": "CPU seconds",
        "wall_seconds": "Wall seconds",
    }
    section.table(costs.rename(columns=titles))
    totals = costs[["fits_naive", "fits_distinct", "fits_computed"]].sum()
    return section.figure(reuse(*map(int, totals)))


def _pipeline(record: RunRecord) -> list[Section]:
    final = record.result["final"]
    section = Section(f"The pipeline of {comparison.run_label(record)}")
    section.text(f"Exported: {final['how']} (inner fitness {final['fitness']:.3f}).")
    for title, text in describe_pipeline(final["candidate"]):
        section.text(f"{title}. {text}")
    section.facts(dict(final["candidate"]))
    methods = Section(f"Methods paragraph for {comparison.run_label(record)}")
    settings = record.settings.to_dict()
    methods.text(methods_paragraph(settings, record.result, record.versions))
    return [section, methods.list(citations(settings, final["candidate"]))]


def _provenance(records: Sequence[RunRecord]) -> Section:
    section = Section("Settings, versions and limits")
    rows = []
    for record in records:
        settings = record.settings
        rows.append(
            {
                "Run": comparison.run_label(record),
                "Search": settings.title,
                "Objective": OBJECTIVES[settings.objective],
                "Budget": settings.budget,
                "Seed": settings.seed,
                "Started": f"{record.created:%Y-%m-%d %H:%M UTC}",
                "SHA-256 of the model": (record.result["model"] or {}).get("sha256", "–"),
            }
        )
    section.table(pd.DataFrame(rows))
    section.text("Libraries: " + ", ".join(f"{name} {version}" for name, version in records[0].versions.items()) + ".")
    limits = GENUINE_LIMITS if records[0].settings.task == "genuine" else ENGINEERED_LIMITS
    return section.text(INTENDED_USE).list([*limits, *COMMON_LIMITS])
