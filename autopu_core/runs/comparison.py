"""Runs side by side: which may be compared, and the tidy tables that charts and reports are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from autopu_core.evaluation.frequencies import hyperparameter_frequencies
from autopu_core.evaluation.metrics import METRICS
from autopu_core.evaluation.pu_metrics import ESTIMATES
from autopu_core.evaluation.references import REFERENCES
from autopu_core.runs.records import RunRecord
from autopu_core.runs.results import SYSTEM
from autopu_core.runs.store import Store

OPTIMISM = (
    "Whoever picks the best of several systems by their test scores gets a score that is too good: part of it is luck. "
    "Choose by other reasons, or test the chosen one on rows that none of them has seen."
)
_CONFUSION = ("true_positive", "false_positive", "true_negative", "false_negative")
_DIFFERENCES = {
    "dataset": "another table",
    "target": "another target column",
    "positive": "other positive values",
    "negative": "other known negatives",
    "use_known_negatives": "known negatives used in another way",
    "task": "another kind of task",
    "delta": "another share of hidden positives",
    "group": "another patient column",
    "drop": "other columns left out",
    "roles": "other roles of columns",
    "dates": "dates used in another way",
    "scale": "columns scaled in another way",
    "folds": "another test design",
    "holdout": "another test design",
    "inner_folds": "another number of inner folds, so other hidden positives are possible",
    "seed": "another seed, so other folds and other hidden positives",
}


def run_label(record: RunRecord) -> str:
    """What a run is called in tables and charts: "3 · EBO base"."""
    return f"{record.id} · {record.settings.system}"


def why_not(first: RunRecord, other: RunRecord) -> str | None:
    """Why a run can't be compared with the first one, in words; None where it can.

    Only runs on the same data, labels and folds, with the same hidden positives, are comparable.
    """
    if other.result is None:
        return f"it is {other.status} and has no test result yet"
    mine, theirs = first.settings.compared, other.settings.compared
    reasons = [_DIFFERENCES[name] for name in mine if mine[name] != theirs[name]]
    return ", ".join(dict.fromkeys(reasons)) or None


def meanings(record: RunRecord) -> dict[str, Any]:
    """Metrics of a run's task with title and meaning: exact ones, or estimates where the task is genuine."""
    return ESTIMATES if record.settings.task == "genuine" else METRICS


def remarks(records: Sequence[RunRecord]) -> list[str]:
    """What a person should be told of these results; with several runs each sentence names its runs."""
    said: dict[str, list[str]] = {}
    for record in records:
        for remark in record.result["remarks"]:
            said.setdefault(remark, []).append(run_label(record))
    if len(records) == 1:
        return list(said)
    return [remark if len(runs) == len(records) else f"{', '.join(runs)}: {remark}" for remark, runs in said.items()]


def metric_table(records: Sequence[RunRecord]) -> pd.DataFrame:
    """Test metrics with intervals: columns system, reference (bool), metric, title, mean, low, high, method."""
    rows = []
    for record in records:
        rows += _rows(run_label(record), False, record, record.result["test"]["system"])
    if records:
        for name, summary in records[0].result["test"]["references"].items():
            rows += _rows(REFERENCES[name].title, True, records[0], summary)
    return pd.DataFrame(rows, columns=["system", "reference", "metric", "title", "mean", "low", "high", "method"])


def _rows(system: str, reference: bool, record: RunRecord, summary: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (
            system,
            reference,
            metric,
            meaning.title,
            *(summary[metric][part] for part in ("mean", "low", "high", "method")),
        )
        for metric, meaning in meanings(record).items()
        if metric in summary
    ]


def fold_values(records: Sequence[RunRecord], metric: str) -> pd.DataFrame:
    """One metric on every test set: columns system, fold, value; the plain references stand behind the runs."""
    rows = [
        (run_label(record), fold["search"], fold["test"].get(metric))
        for record in records
        for fold in record.result["folds"]
    ]
    if records:
        rows += [
            (REFERENCES[name].title, fold["search"], values.get(metric))
            for name in REFERENCES
            for fold in records[0].result["folds"]
            if (values := fold["references"].get(name)) is not None
        ]
    return pd.DataFrame(rows, columns=["system", "fold", "value"])


def all_trials(store: Store, records: Sequence[RunRecord]) -> pd.DataFrame:
    """Trials of several runs with a column `run`, as the convergence chart takes them."""
    frames = [store.trials(record.id).assign(run=run_label(record)) for record in records]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def chosen_frequencies(record: RunRecord) -> pd.DataFrame:
    """Hyperparameters of the configurations that the run's searches chose, as in the PU paper's tables 13-15."""
    chosen = [fold["candidate"] for fold in record.result["folds"]]
    if record.result["final"]["search"] == "final":
        chosen.append(record.result["final"]["candidate"])
    return hyperparameter_frequencies(chosen, record.settings.method.space)


def assessed_frequencies(store: Store, record: RunRecord) -> pd.DataFrame:
    """Hyperparameters of everything that the run assessed."""
    space = record.settings.method.space
    trials = store.trials(record.id, genes=True)
    genes = [parameter.name for parameter in space.parameters]
    return hyperparameter_frequencies([] if trials.empty else trials[genes].to_dict("records"), space)


def costs(records: Sequence[RunRecord]) -> pd.DataFrame:
    """What each run cost: columns run, assessments, fits_naive, fits_distinct, fits_computed, cpu_seconds,
    wall_seconds."""
    rows = []
    for record in records:
        result = record.result
        counts = {
            name: result["counts"][name] for name in ("assessments", "fits_naive", "fits_distinct", "fits_computed")
        }
        rows.append(
            {
                "run": run_label(record),
                **counts,
                "cpu_seconds": result["cpu_seconds"],
                "wall_seconds": result["wall_seconds"],
            }
        )
    return pd.DataFrame(rows)


def pooled_predictions(store: Store, records: Sequence[RunRecord], references: bool = True) -> pd.DataFrame:
    """Predictions of the runs, then of the first run's references, on the test rows: columns system, truth,
    probability, predicted."""
    wanted = [(record, {SYSTEM: run_label(record)}) for record in records]
    if references and records:
        titles = {name: REFERENCES[name].title for name in REFERENCES if name != "everybody_positive"}
        wanted.append((records[0], titles))
    frames = []
    for record, names in wanted:
        predictions = store.predictions(record.id)
        kept = predictions[predictions["system"].isin(names)]
        frames.append(kept.assign(system=kept["system"].map(names)))
    columns = ["system", "truth", "probability", "predicted"]
    return pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)


def confusion_counts(record: RunRecord) -> dict[str, int] | None:
    """The four counts summed over the test sets; None where true labels aren't known."""
    tests = [fold["test"] for fold in record.result["folds"]]
    if any(name not in test for test in tests for name in _CONFUSION):
        return None
    return {name: sum(test[name] for test in tests) for name in _CONFUSION}
