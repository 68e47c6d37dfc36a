"""The benchmark as runs of the store: data sets x delta x systems, each cell one run.

Cells of one data set and delta have the same folds and hidden positives, because these follow from the settings that
all systems share. A cell that is finished isn't done again and an interrupted one goes on, so a benchmark resumes by
being started again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from autopu_core.errors import SettingsError
from autopu_core.evaluation.benchmark import BenchmarkResults
from autopu_core.evaluation.metrics import METRICS
from autopu_core.export.bundle import current_versions
from autopu_core.runs.pools import Pools
from autopu_core.runs.queue import LEASE_SECONDS
from autopu_core.runs.records import RunRecord
from autopu_core.runs.run import execute_run
from autopu_core.runs.settings import BASELINES, PRESETS, SPACES, RunSettings
from autopu_core.runs.store import Store
from autopu_core.runs.watch import wait_for_run
from autopu_core.runs.worker import worker_name
from autopu_core.tables import Table, describe_table

_SEARCHED = ("ga", "bo", "ebo", "random_ga", "random_bo", "random_ebo")
SYSTEMS = (*(f"{name}_{space}" for space in SPACES for name in _SEARCHED), *BASELINES)
"""What can be compared: each optimiser, and random search with the budget of each, in both spaces; the baselines."""

_DESIGN = ("preset", "folds", "holdout", "inner_folds", "objective", "seed")
_COUNTS = ("assessments", "fits_naive", "fits_distinct", "fits_computed")


@dataclass(frozen=True)
class BenchmarkPlan:
    """What is compared, and how it is tested.

    Attributes:
        deltas: shares of positives to hide.
        systems: some of `SYSTEMS`.
        target, positive: the label column and its positive value, the same in all tables.
        preset: budget of the optimisers; "paper" also gives DF-PU its full grid.
        folds: outer folds.
        seed: of everything random.
        jobs: processes; -1 means one per core.
    """

    deltas: tuple[float, ...] = (0.2, 0.4, 0.6)
    systems: tuple[str, ...] = SYSTEMS
    target: str = "target"
    positive: tuple[str, ...] = ("1",)
    preset: str = "quick"
    folds: int = 3
    seed: int = 0
    jobs: int = -1

    def __post_init__(self) -> None:
        if unknown := [name for name in self.systems if name not in SYSTEMS]:
            raise SettingsError(f"There is no system {unknown[0]!r}; choose some of {', '.join(SYSTEMS)}.")

    def settings(self, dataset: str, delta: float, system: str) -> RunSettings:
        """The run of one cell."""
        choices: dict[str, Any] = {
            "dataset": dataset,
            "target": self.target,
            "positive": self.positive,
            "delta": delta,
            "folds": self.folds,
            "final_search": False,
            "seed": self.seed,
            "jobs": self.jobs,
        }
        if system in BASELINES:
            return RunSettings.from_preset(self.preset, optimizer=system, **choices)
        optimizer, _, space = system.rpartition("_")
        if optimizer.startswith("random_"):
            choices["k"] = _random_k(optimizer.removeprefix("random_"), self.preset)
            optimizer = "random"
        return RunSettings.from_preset(self.preset, optimizer=optimizer, space=space, **choices)


def _random_k(optimizer: str, preset: str) -> int:
    """The k with which random search assesses as many candidates as an optimizer does."""
    budget = PRESETS[preset]
    return {"ga": budget.configurations - 1, "bo": 0, "ebo": budget.k}[optimizer]


def system_of(settings: RunSettings) -> str:
    """Name of the system that a run is."""
    if settings.optimizer in BASELINES:
        return settings.optimizer
    name = settings.optimizer
    if name == "random":
        per_iteration = {settings.configurations - 1: "random_ga", 0: "random_bo"}
        name = per_iteration.get(settings.k, "random_ebo")
    return f"{name}_{settings.space}"


# -- doing it -------------------------------------------------------------------------------------------------------


@dataclass
class Progress:
    """How far a benchmark is.

    Attributes:
        cells, done: in all, and finished or failed, earlier attempts included.
        current: the cell at work, in words.
        left: expected seconds until the end, None before anything was measured.
        failures: (cell, reason) of cells without a result.
        detail: what its run says of itself.
    """

    cells: int
    done: int = 0
    current: str = ""
    left: float | None = None
    failures: list[tuple[str, str]] = field(default_factory=list)
    detail: dict[str, Any] = field(default_factory=dict)


def run_benchmark(
    store: Store, tables: Sequence[Table], plan: BenchmarkPlan, listen: Callable[[Progress], None] = lambda _: None
) -> Progress:
    """Do all cells that have no result yet, one after the other.

    Args:
        store: keeps the runs; best one of its own, so that a person's list of runs stays readable.
        tables: the data sets.
        plan: the systems and the test design.
        listen: called as things move on.

    Returns:
        The state at the end; a cell that can't work (too few labelled positives, say) is a failure with its reason.
    """
    names = {store.add_dataset(table, describe_table(table).to_dict()): table.name for table in tables}
    cells = [
        (f"{Path(name).stem}, delta {delta:g}, {system}", plan.settings(dataset, delta, system))
        for delta in plan.deltas
        for dataset, name in names.items()
        for system in plan.systems
    ]
    known = {_identity(record.settings): record for record in store.runs()}
    progress = Progress(cells=len(cells))
    pace = _Pace([settings for _, settings in cells])
    with Pools() as pools:
        for title, settings in cells:
            progress.current, progress.left, progress.detail = title, pace.left(), {}
            listen(progress)
            record = known.get(_identity(settings))
            if record is None or record.status not in ("finished", "failed"):
                record = _do(store, record, settings, pools, progress, listen)
            pace.done(record)
            progress.done += 1
            if record.status != "finished":
                progress.failures.append((title, record.error or f"its run is {record.status}"))
    progress.current, progress.left = "", 0.0
    listen(progress)
    return progress


def _identity(settings: RunSettings) -> str:
    """Equal for runs that give the same results."""
    record = settings.to_dict()
    return json.dumps({name: record[name] for name in record if name not in ("jobs", "cache")}, sort_keys=True)


def _do(
    store: Store,
    record: RunRecord | None,
    settings: RunSettings,
    pools: Pools,
    progress: Progress,
    listen: Callable[[Progress], None],
) -> RunRecord:
    """Start the run of a cell or go on with it."""

    def show(detail: dict[str, Any]) -> None:
        progress.detail = detail
        listen(progress)

    run = store.create_run(settings, current_versions()) if record is None else record.id
    if record is not None and record.status in ("paused", "interrupted", "cancelled"):
        store.resume_run(run)
    worker = worker_name()
    if store.claim_run(run, worker, LEASE_SECONDS):
        return execute_run(store, run, worker, show, pools, export=False)
    return wait_for_run(store, run, show)


class _Pace:
    """Expected time of what is left: the mean of finished cells of the same system, else of all."""

    def __init__(self, planned: list[RunSettings]) -> None:
        self._left = Counter(system_of(settings) for settings in planned)
        self._took: dict[str, list[float]] = {}

    def done(self, record: RunRecord) -> None:
        system = system_of(record.settings)
        self._left[system] -= 1
        if record.started is not None and record.finished is not None:
            self._took.setdefault(system, []).append((record.finished - record.started).total_seconds())

    def left(self) -> float | None:
        if not self._took:
            return None
        means = {system: sum(took) / len(took) for system, took in self._took.items()}
        overall = sum(means.values()) / len(means)
        return sum(count * means.get(system, overall) for system, count in self._left.items())


# -- what came of it ------------------------------------------------------------------------------------------------


def collect(store: Store) -> BenchmarkResults:
    """All finished engineered runs of a store that have the same design, as tidy tables.

    Where runs differ in preset, folds, objective or seed, those of the most frequent design are taken; of equal runs
    the newest.
    """
    finished = [
        record
        for record in store.runs(results=True)
        if record.status == "finished" and record.settings.task == "engineered" and record.result
    ]
    designs = Counter(_design(record) for record in finished)
    chosen: dict[tuple[str, float, str], RunRecord] = {}
    for record in finished:  # newest first
        if _design(record) == designs.most_common(1)[0][0]:
            cell = (record.settings.dataset, record.settings.delta, system_of(record.settings))
            chosen.setdefault(cell, record)
    records = [chosen[cell] for cell in sorted(chosen)]
    return BenchmarkResults(
        scores=pd.DataFrame(
            [row for record in records for row in _scores(record)],
            columns=["dataset", "delta", "system", "fold", "metric", "value"],
        ).drop_duplicates(["dataset", "delta", "system", "fold", "metric"], ignore_index=True),
        chosen=pd.DataFrame(
            [row for record in records for row in _chosen(record)],
            columns=["dataset", "delta", "system", "fold", "candidate", "fitness"],
        ),
        costs=pd.DataFrame(
            [_cost(record) for record in records],
            columns=["dataset", "delta", "system", *_COUNTS, "cpu_seconds", "wall_seconds"],
        ),
        datasets=pd.DataFrame(
            list({_slug(record): _dataset(record) for record in records}.values()),
            columns=["dataset", "title", "rows", "features", "positives", "positive_percent"],
        ),
        provenance=_provenance(records),
    )


def _design(record: RunRecord) -> tuple[Any, ...]:
    return tuple(getattr(record.settings, name) for name in _DESIGN)


def _slug(record: RunRecord) -> str:
    return Path(record.dataset_name).stem


def _cell(record: RunRecord) -> tuple[str, float, str]:
    return _slug(record), record.settings.delta, system_of(record.settings)


def _scores(record: RunRecord) -> list[tuple[Any, ...]]:
    dataset, delta, system = _cell(record)
    rows = []
    for fold in record.result["folds"]:
        for name, values in {system: fold["test"], **fold["references"]}.items():
            rows += [(dataset, delta, name, fold["search"], metric, values.get(metric)) for metric in METRICS]
    return rows


def _chosen(record: RunRecord) -> list[tuple[Any, ...]]:
    return [
        (*_cell(record), fold["search"], json.dumps(fold["candidate"]), fold["fitness"])
        for fold in record.result["folds"]
    ]


def _cost(record: RunRecord) -> tuple[Any, ...]:
    result = record.result
    counts = (result["counts"][name] for name in _COUNTS)
    return (*_cell(record), *counts, result["cpu_seconds"], result["wall_seconds"])


def _dataset(record: RunRecord) -> tuple[Any, ...]:
    data, slug = record.result["data"], _slug(record)
    title = slug.replace("_", " ").capitalize()
    percent = 100 * data["positives"] / data["rows"]
    return slug, title, data["rows"], data["features"], data["positives"], percent


def _provenance(records: Sequence[RunRecord]) -> dict[str, Any]:
    if not records:
        return {}
    latest = max(records, key=lambda record: record.finished or record.created)
    return {
        **{name: getattr(latest.settings, name) for name in _DESIGN},
        "runs": len(records),
        "versions": latest.versions,
        "measured": f"{latest.finished or latest.created:%Y-%m-%d %H:%M UTC}",
    }
