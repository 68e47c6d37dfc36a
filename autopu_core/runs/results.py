"""What a run found, as JSON-ready values: tests on outer folds, the choice for export, and the summary of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from autopu_core.evaluation.metrics import binary_metrics, bootstrap_summary, summarise_folds
from autopu_core.evaluation.protocol import OuterSplit
from autopu_core.evaluation.pu_metrics import estimated_metrics
from autopu_core.evaluation.references import REFERENCES, Prediction
from autopu_core.pu.auto import estimated_class_prior
from autopu_core.pu.two_step import CALLED_POSITIVE
from autopu_core.runs.store import Store
from autopu_core.runs.task import RunTask
from autopu_core.search.executor import single_threaded
from autopu_core.search.loop import SearchResult
from autopu_core.search.seeds import derive_seed
from autopu_core.search.space import SearchSpace

SYSTEM = "auto_pu"
_COUNTS = ("assessments", "distinct_candidates", "fits_naive", "fits_distinct", "fits_computed")


def test_split(task: RunTask, split: OuterSplit, pipeline: Any) -> tuple[dict[str, Any], pd.DataFrame]:
    """Test a fitted pipeline and the plain references on the test rows of a split.

    Returns:
        `test` and `references` (name -> metrics), and the predictions: columns row (position in the table), truth,
        labelled, probability, predicted, system.
    """
    learning = task.learning_task(split)
    test_rows = task.features.iloc[split.test]
    probability = pipeline.predict_proba(test_rows)[:, 1]
    predicted = {SYSTEM: Prediction(probability, probability >= CALLED_POSITIVE)}
    learned_from = np.flatnonzero(~learning.known_negative)
    preparer = pipeline.named_steps["prepare"]
    X_train = preparer.transform(learning.rows.iloc[learned_from])
    X_test = preparer.transform(test_rows)
    with single_threaded():
        for name, reference in REFERENCES.items():
            seed = derive_seed(learning.seed, "reference", name)
            predicted[name] = reference.predict(X_train, learning.s[learned_from], X_test, seed)
    measure = _genuine_measure(task, split, learning) if task.labels.genuine else _engineered_measure(task, split)
    metrics = {name: measure(prediction) for name, prediction in predicted.items()}
    frames = [
        pd.DataFrame(
            {
                "row": task.labels.rows[split.test],
                "truth": task.labels.positive[split.test].astype(np.int8),
                "labelled": task.labels.positive[split.test] & task.labels.genuine,
                "probability": prediction.probability,
                "predicted": prediction.predicted.astype(bool),
                "system": name,
            }
        )
        for name, prediction in predicted.items()
    ]
    references = {name: metrics[name] for name in REFERENCES}
    return {"test": metrics[SYSTEM], "references": references}, pd.concat(frames, ignore_index=True)


def _engineered_measure(task: RunTask, split: OuterSplit):
    y = task.labels.positive[split.test].astype(int)
    return lambda prediction: binary_metrics(y, prediction.probability, predicted=prediction.predicted)


def _genuine_measure(task: RunTask, split: OuterSplit, learning: Any):
    s = task.labels.positive[split.test].astype(int)
    prior = estimated_class_prior(learning)
    return lambda prediction: estimated_metrics(s, prediction.probability, prior, predicted=prediction.predicted)


def choose(searched: SearchResult, space: SearchSpace) -> dict[str, Any]:
    """The winner of the final search as the candidate to export."""
    best = searched.best
    return {
        "candidate": space.active(best.candidate),
        "key": best.key,
        "fitness": best.fitness,
        "trial": best.number,
        "search": best.search,
        "how": "winner of one more search on all rows, by its inner fitness",
    }


def best_of_folds(folds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The best configuration of the outer searches, by inner fitness and never by a test metric."""
    best = max(folds, key=lambda fold: fold["fitness"])
    return {
        **{name: best[name] for name in ("candidate", "key", "fitness", "trial", "search")},
        "how": f"best of the search{'es' if len(folds) > 1 else ''} by inner fitness, refitted on all rows",
    }


def run_result(
    store: Store, run: int, task: RunTask, folds: Sequence[Mapping[str, Any]], final: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything that is told of a finished run but the model: folds, test summary, final choice, counts, remarks."""
    totals = store.search_totals(run)
    summaries = _summaries(store, run, task, folds)
    return {
        "folds": list(folds),
        "test": summaries,
        "final": dict(final),
        "model": None,
        "data": task.counts(),
        "counts": {name: int(totals[name].sum()) for name in _COUNTS},
        "wall_seconds": float(totals["elapsed"].sum()),
        "cpu_seconds": float(totals["cpu_seconds"].sum()),
        "remarks": remarks(summaries, folds, task),
    }


def _summaries(store: Store, run: int, task: RunTask, folds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Mean and interval of each metric: over folds, or by bootstrap where there is one hold-out."""
    if len(folds) > 1 or task.labels.genuine:
        summarise = summarise_folds
        system = summarise([fold["test"] for fold in folds])
        references = {name: summarise([fold["references"][name] for fold in folds]) for name in REFERENCES}
        return {"system": system, "references": references}
    predictions = store.predictions(run)
    by_system = {
        name: bootstrap_summary(
            rows["truth"].to_numpy(),
            rows["probability"].to_numpy(),
            rows["predicted"].to_numpy(),
            seed=derive_seed(task.settings.seed, "bootstrap"),
        )
        for name, rows in predictions.groupby("system")
    }
    return {"system": by_system[SYSTEM], "references": {name: by_system[name] for name in REFERENCES}}


def remarks(summaries: Mapping[str, Any], folds: Sequence[Mapping[str, Any]], task: RunTask) -> list[str]:
    """What a person should be told in plain words about these results."""
    said = []
    metric = "pu_f1" if task.labels.genuine else "f_measure"
    system = summaries["system"][metric]["mean"]
    beaten = [
        REFERENCES[name].title
        for name, summary in summaries["references"].items()
        if summary[metric]["mean"] is not None and system is not None and summary[metric]["mean"] >= system
    ]
    if beaten:
        said.append(
            f"The search does not beat {' and '.join(beaten)} on this table (F-measure {system:.3f}"
            f"{', estimated' if task.labels.genuine else ''}): the plain method is as good here."
        )
    if task.labels.genuine:
        said.append(
            "Nobody is known to be negative, so these numbers are estimates; they hold if the labelled positives are a "
            "random draw of all positives."
        )
    if any(fold.get("stopped") for fold in folds):
        said.append("The time limit ended a search early; more time may find a better pipeline.")
    called = [fold["test"] for fold in folds]
    shares = [_share_called(test) for test in called]
    if any(share is not None and share >= 0.995 for share in shares):
        said.append("On at least one test set every row was called positive: such a model decides nothing.")
    if any(share is not None and share <= 0.0 for share in shares):
        said.append("On at least one test set no row was called positive.")
    return said


def _share_called(test: Mapping[str, Any]) -> float | None:
    if "predicted_positive_share" in test:
        return test["predicted_positive_share"]
    rows = test.get("rows")
    return None if not rows else (test["true_positive"] + test["false_positive"]) / rows
