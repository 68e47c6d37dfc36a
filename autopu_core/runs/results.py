"""What a run found, as JSON-ready values: tests on outer folds, the choice for export, and the summary of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from autopu_core.evaluation.bootstrap import bootstrap_interval
from autopu_core.evaluation.metrics import Summary, binary_metrics, summarise_folds
from autopu_core.evaluation.protocol import OuterSplit
from autopu_core.evaluation.pu_metrics import bootstrap_estimates, estimated_metrics
from autopu_core.evaluation.references import REFERENCES, Prediction
from autopu_core.pu.auto import LearningTask, estimated_class_prior
from autopu_core.pu.learners import CALLED_POSITIVE
from autopu_core.runs.store import Store
from autopu_core.runs.task import RunTask
from autopu_core.search.executor import single_threaded
from autopu_core.search.journal import Trial
from autopu_core.search.loop import SearchResult
from autopu_core.search.seeds import derive_seed
from autopu_core.search.space import SearchSpace
from autopu_core.tables import leak_suspects

SYSTEM = "auto_pu"
_COUNTS = ("assessments", "distinct_candidates", "fits_naive", "fits_distinct", "fits_computed")


def test_split(task: RunTask, split: OuterSplit, pipeline: Any) -> tuple[dict[str, Any], pd.DataFrame]:
    """Test a fitted pipeline and the plain references on the test rows of a split.

    Returns:
        `test` and `references` (name -> metrics); for a hold-out also `intervals` (name -> summary by bootstrap). And
        the
        predictions: columns row (position in the table), truth, labelled, probability, predicted, system.
    """
    learning = task.learning_task(split)
    predicted = _predictions(task, split, learning, pipeline)
    judge = _GenuineJudge(task, split, learning) if task.labels.genuine else _EngineeredJudge(task, split)
    metrics = {name: judge.metrics(prediction) for name, prediction in predicted.items()}
    tested: dict[str, Any] = {"test": metrics[SYSTEM], "references": {name: metrics[name] for name in REFERENCES}}
    if len(task.outer) == 1:
        tested["intervals"] = {name: judge.intervals(prediction) for name, prediction in predicted.items()}
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
    return tested, pd.concat(frames, ignore_index=True)


def _predictions(task: RunTask, split: OuterSplit, learning: LearningTask, pipeline: Any) -> dict[str, Prediction]:
    """Of the pipeline and of the references, which learn from the same prepared rows."""
    test_rows = task.features.iloc[split.test]
    probability = pipeline.predict_proba(test_rows)[:, 1]
    predicted = {SYSTEM: Prediction(probability, probability >= CALLED_POSITIVE)}
    unlabelled_or_labelled = np.flatnonzero(~learning.known_negative)
    preparer = pipeline.named_steps["prepare"]
    X_train = preparer.transform(learning.take(unlabelled_or_labelled))
    X_test = preparer.transform(test_rows)
    with single_threaded():
        for name, reference in REFERENCES.items():
            seed = derive_seed(learning.seed, "reference", name)
            predicted[name] = reference.function(X_train, learning.s[unlabelled_or_labelled], X_test, seed)
    return predicted


class _EngineeredJudge:
    """True labels are known: exact metrics."""

    def __init__(self, task: RunTask, split: OuterSplit) -> None:
        self.y = task.labels.positive[split.test].astype(int)
        self.groups = None if task.groups is None else task.groups[split.test]
        self.seed = derive_seed(task.settings.seed, "bootstrap")

    def metrics(self, prediction: Prediction) -> dict[str, Any]:
        return binary_metrics(self.y, prediction.probability, predicted=prediction.predicted)

    def intervals(self, prediction: Prediction) -> Summary:
        return bootstrap_interval(
            self.y, prediction.probability, prediction.predicted, seed=self.seed, groups=self.groups
        )


class _GenuineJudge:
    """Only labels of positives are known: estimates under SCAR."""

    def __init__(self, task: RunTask, split: OuterSplit, learning: LearningTask) -> None:
        self.s = task.labels.positive[split.test].astype(int)
        self.known_negative = task.labels.known_negative[split.test]
        self.groups = None if task.groups is None else task.groups[split.test]
        self.seed = derive_seed(task.settings.seed, "bootstrap")
        self.class_prior = estimated_class_prior(learning)

    def metrics(self, prediction: Prediction) -> dict[str, Any]:
        return estimated_metrics(
            self.s,
            prediction.probability,
            self.class_prior,
            predicted=prediction.predicted,
            known_negative=self.known_negative,
        )

    def intervals(self, prediction: Prediction) -> Summary:
        return bootstrap_estimates(
            self.s,
            prediction.predicted,
            self.class_prior,
            seed=self.seed,
            known_negative=self.known_negative,
            groups=self.groups,
        )


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


def runners_up(first: Mapping[str, Any], trials: Sequence[Trial], space: SearchSpace) -> list[dict[str, Any]]:
    """The other candidates of the search that the first choice comes from, the fittest first."""
    ranked = sorted(trials, key=lambda trial: (-trial.fitness, trial.number))
    return [
        {
            "candidate": space.active(trial.candidate),
            "key": trial.key,
            "fitness": trial.fitness,
            "trial": trial.number,
            "search": trial.search,
            "how": "best by inner fitness of those that can be learned from all rows",
        }
        for trial in ranked
        if trial.repeat_of is None and trial.fitness > 0 and trial.key != first["key"]
    ]


def run_result(
    store: Store, run: int, task: RunTask, folds: Sequence[Mapping[str, Any]], final: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything that is told of a finished run but the model: folds, test summary, final choice, counts, remarks."""
    totals = store.search_totals(run)
    summaries = _summaries(folds)
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


def _summaries(folds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Mean and interval of each metric: over folds, or by bootstrap where there is one hold-out."""
    if len(folds) == 1:
        intervals = folds[0]["intervals"]
        return {"system": intervals[SYSTEM], "references": {name: intervals[name] for name in REFERENCES}}
    return {
        "system": summarise_folds([fold["test"] for fold in folds]),
        "references": {name: summarise_folds([fold["references"][name] for fold in folds]) for name in REFERENCES},
    }


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
            "Most rows have no known answer, so these numbers are estimates; they hold if the labelled positives are a "
            "random draw of all positives."
        )
    if any(fold.get("stopped") for fold in folds):
        said.append("The time limit ended a search early; more time may find a better pipeline.")
    for name, reason in leak_suspects(task.features, task.preparer.roles, task.labels.positive):
        said.append(f"Careful: {reason}. If {name!r} is only known after the diagnosis, leave it out and search again.")
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
