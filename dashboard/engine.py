"""Every call of the dashboard into the engine: its store, its worker and what is derived from them.

Nothing is decided here. What is costly is kept for as long as the process lives, under a key that says all it depends
on; what other processes change (runs, trials) is asked for again each time.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from sklearn.base import clone

from autopu_core.errors import AutoPUError, ModelError
from autopu_core.evaluation import binary_metrics
from autopu_core.evaluation.benchmark import BenchmarkResults
from autopu_core.evaluation.benchmark_tables import NamedTable, paper_tables
from autopu_core.export.bundle import CARD_FILE, MODEL_FILE, REQUIREMENTS_FILE, current_versions, load_own_model
from autopu_core.export.tables import write_table
from autopu_core.runs import DatasetRecord, ModelRecord, RunRecord, RunSettings, Store, exporting, worker
from autopu_core.runs.benchmarking import collect
from autopu_core.runs.estimate import Estimate, expected_time, fit_seconds
from autopu_core.runs.home import HOME_VARIABLE
from autopu_core.runs.preview import project_rows
from autopu_core.runs.reporting import html_report
from autopu_core.runs.store import DATABASE_VARIABLE
from autopu_core.runs.task import RunTask, prepare_task
from autopu_core.tables import Table, as_text, describe_table, leak_suspects, proposals, read_table, sheet_names
from sample_data import SAMPLES, Sample, sample_path

_WORKER_STARTS_WITHIN = 15.0  # seconds; until then a second one isn't started
_LOG_FILE = "dashboard.log"


# -- the store ------------------------------------------------------------------------------------------------------


def store() -> Store:
    """The store that this process serves."""
    return _open(os.environ.get(HOME_VARIABLE), os.environ.get(DATABASE_VARIABLE))


@st.cache_resource(show_spinner=False)
def _open(home: str | None, url: str | None) -> Store:
    opened = Store(home, url)
    handler = logging.FileHandler(opened.home.root / _LOG_FILE)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger("dashboard").addHandler(handler)
    return opened


def log_file() -> Path:
    """Where unexpected errors are written."""
    return store().home.root / _LOG_FILE


# -- tables ---------------------------------------------------------------------------------------------------------


def samples() -> tuple[Sample, ...]:
    """Tables that ship with the program."""
    return SAMPLES


def add_sample(name: str) -> str:
    """Keep a sample table; returns its id."""
    return _keep(read_table(sample_path(name)))


def add_upload(content: bytes, name: str, sheet: str | None = None) -> str:
    """Read and keep an uploaded file; returns its id.

    Raises:
        TableError: it can't be read.
    """
    return _keep(read_table(content, name, sheet=sheet))


def sheets(content: bytes, name: str) -> list[str]:
    """Names of the sheets of an uploaded workbook; empty where it is another kind of file.

    Raises:
        TableError: a damaged workbook.
    """
    return _sheets(hashlib.sha256(content).hexdigest(), name, content)


@st.cache_data(show_spinner=False, max_entries=10)
def _sheets(digest: str, name: str, _content: bytes) -> list[str]:
    return sheet_names(_content, name)


def _keep(table: Table) -> str:
    return store().add_dataset(table, describe_table(table).to_dict())


def datasets() -> list[DatasetRecord]:
    """All tables, newest first."""
    return store().datasets()


def dataset(chosen: str) -> DatasetRecord:
    """One table's record with its description."""
    return store().dataset(chosen)


def delete_dataset(chosen: str) -> None:
    """Delete a table for good, with the runs on it."""
    store().delete_dataset(chosen, with_runs=True)
    _table.clear()
    _task.clear()


def table(chosen: str) -> Table:
    """The rows of a table."""
    return _table(str(store().home.root), chosen)


@st.cache_resource(show_spinner="Reading the table …", max_entries=3)
def _table(home: str, chosen: str) -> Table:
    return store().load_table(chosen)


def roles(chosen: str) -> dict[str, str]:
    """What each column was guessed to be."""
    return {column["name"]: column["role"] for column in dataset(chosen).description["columns"]}


def value_counts(chosen: str, column: str) -> dict[str, int]:
    """Values of a column as text, the most frequent first."""
    return _value_counts(str(store().home.root), chosen, column)


@st.cache_data(show_spinner=False, max_entries=50)
def _value_counts(home: str, chosen: str, column: str) -> dict[str, int]:
    counts = as_text(table(chosen).frame[column]).value_counts()
    return {str(value): int(count) for value, count in counts.items()}


def propose_positive(chosen: str, column: str) -> tuple[str, ...]:
    """The value of a column that seems to mean positive; empty where it can't be told."""
    return proposals.propose_positive(table(chosen).frame[column])


def suspects(chosen: str, target: str, positive: tuple[str, ...]) -> list[tuple[str, str]]:
    """Columns that alone nearly give the answer away, with the reason."""
    return _suspects(str(store().home.root), chosen, target, positive)


@st.cache_data(show_spinner=False, max_entries=20)
def _suspects(home: str, chosen: str, target: str, positive: tuple[str, ...]) -> list[tuple[str, str]]:
    frame = table(chosen).frame
    answer = as_text(frame[target]).isin(list(positive)).to_numpy(dtype=bool)
    return leak_suspects(frame.drop(columns=target), roles(chosen), answer)


# -- a run before it starts -----------------------------------------------------------------------------------------


def task(settings: RunSettings) -> RunTask:
    """The rows that a run with these settings learns from and tests on.

    Raises:
        AutoPUError: the settings can't work on this table; one sentence says why.
    """
    return _task(str(store().home.root), _key(settings))


@st.cache_resource(show_spinner=False, max_entries=6)
def _task(home: str, settings: str) -> RunTask:
    chosen = RunSettings.from_dict(json.loads(settings))
    laid_out = prepare_task(table(chosen.dataset), chosen, guessed_roles=roles(chosen.dataset))
    if chosen.roles:  # a role that a person gave may not suit the column's values; better told now than by the worker
        clone(laid_out.preparer).fit(laid_out.learning_task(laid_out.outer[0]).rows)
    return laid_out


def _key(settings: RunSettings) -> str:
    """Settings that differ in what has no influence on the rows share their task."""
    neutral = {"optimizer": "ebo", "space": "base", "objective": "f_measure", "preset": "quick", "k": 1, "jobs": 1}
    budget = {"configurations": 2, "iterations": 0, "time_limit": None, "fit_limit": None, "cache": True}
    return json.dumps({**settings.to_dict(), **neutral, **budget}, sort_keys=True)


def refusal(settings: RunSettings) -> str | None:
    """Why a run with these settings can't work, None where it can."""
    try:
        task(settings)
    except AutoPUError as error:
        return str(error)
    return None


def projection(settings: RunSettings) -> pd.DataFrame:
    """A map of the training rows, see `project_rows`."""
    return _projection(str(store().home.root), _key(settings))


@st.cache_data(show_spinner="Drawing a map of the rows …", max_entries=20)
def _projection(home: str, settings: str) -> pd.DataFrame:
    return project_rows(_task(home, settings))


def estimate(settings: RunSettings) -> Estimate:
    """Expected time of a run on this machine. The first call for a table measures, for a few seconds."""
    key = _key(settings)
    design = {"folds": 2, "holdout": None, "final_search": False, "inner_folds": 2, "seed": 0}
    of_any_design = json.dumps({**json.loads(key), **design}, sort_keys=True)
    return expected_time(settings, _fit_seconds(str(store().home.root), of_any_design, key))


@st.cache_data(show_spinner=False, max_entries=50)
def _fit_seconds(home: str, of_any_design: str, _settings: str) -> dict[str, float]:
    return fit_seconds(_task(home, _settings))


def submit(settings: Sequence[RunSettings]) -> list[int]:
    """Queue runs, see to a worker, and return their numbers."""
    versions = current_versions()
    numbers = [store().create_run(each, versions) for each in settings]
    ensure_worker()
    return numbers


# -- runs -----------------------------------------------------------------------------------------------------------


def runs(chosen: str | None = None) -> list[RunRecord]:
    """Runs on a table, or all, newest first, without their results."""
    return store().runs(chosen)


def run(number: int) -> RunRecord:
    """One run with its result.

    Raises:
        StoreError: there is no such run.
    """
    return store().run(number)


def finished_run(record: RunRecord) -> RunRecord:
    """A finished run with its result, which doesn't change any more."""
    return _finished_run(str(store().home.root), record.id, str(record.finished))


@st.cache_resource(show_spinner=False, max_entries=50)
def _finished_run(home: str, number: int, finished: str) -> RunRecord:
    return store().run(number)


def pause(number: int) -> None:
    """Stop a run for now."""
    store().command(number, "pause")


def cancel(number: int) -> None:
    """Stop a run; what it found is kept."""
    store().command(number, "cancel")


def resume(number: int, time_limit: float | None = None) -> None:
    """Go on with a run that isn't at work, perhaps with another time limit for all its searches, in seconds."""
    store().resume_run(number, **({} if time_limit is None else {"time_limit": time_limit}))
    ensure_worker()


def carry_on(number: int) -> None:
    """Take back a command that the worker hasn't obeyed yet."""
    store().command(number, None)


def delete_run(number: int) -> None:
    """Delete a run for good."""
    store().delete_run(number)
    _feed.clear()


@dataclass
class _WorkerStart:
    at: float = -float("inf")
    lock: threading.Lock = field(default_factory=threading.Lock)


@st.cache_resource(show_spinner=False)
def _worker_start(home: str) -> _WorkerStart:
    return _WorkerStart()


def ensure_worker() -> None:
    """See to it that somebody does the queued runs; safe to call every second."""
    start = _worker_start(str(store().home.root))
    with start.lock:
        # A worker takes seconds to load before it shows itself; another one started meanwhile would be in vain.
        if time.monotonic() - start.at > _WORKER_STARTS_WITHIN and not worker.worker_is_alive(store()):
            worker.ensure_worker(store())
            start.at = time.monotonic()


# -- trials ---------------------------------------------------------------------------------------------------------


@dataclass
class _Feed:
    """The trials of one run that this process has read already."""

    frame: pd.DataFrame | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


@st.cache_resource(show_spinner=False, max_entries=50)
def _feed(home: str, number: int) -> _Feed:
    return _Feed()


def trials(number: int) -> pd.DataFrame:
    """All trials of a run with their genes, see `Store.trials`; only new ones are read. Not to be changed."""
    feed = _feed(str(store().home.root), number)
    with feed.lock:
        if feed.frame is None or feed.frame.empty:
            feed.frame = store().trials(number, genes=True)
        else:
            new = store().trials(number, after=int(feed.frame["rowid"].iloc[-1]), genes=True)
            if len(new):
                feed.frame = pd.concat([feed.frame, new], ignore_index=True)
        return feed.frame


def any_model() -> bool:
    """Whether this installation has written a model."""
    return bool(store().models())


# -- models and what is taken home ----------------------------------------------------------------------------------


def models() -> list[ModelRecord]:
    """Models that this installation wrote and whose file is still there, newest first."""
    return [model for model in store().models() if model.path.exists()]


def model_files(path: str) -> dict[str, bytes]:
    """The pickle, the card and the requirements of a model.

    Raises:
        ModelError: they are gone.
    """
    folder = Path(path).parent
    names = (MODEL_FILE, CARD_FILE, REQUIREMENTS_FILE)
    if not all((folder / name).exists() for name in names):
        raise ModelError("The files of this model are gone; export the pipeline again under 'Another pipeline'.")
    return {name: (folder / name).read_bytes() for name in names}


def export_trial(number: int, trial: int, search: str) -> dict[str, Any]:
    """Refit a trial on all rows and keep it as a model of its own.

    Raises:
        AutoPUError: it can't be fitted on all rows.
    """
    folder = store().model_folder(number) / f"{search.replace(' ', '_')}_trial_{trial}"
    return exporting.export_trial(store(), number, folder, trial, search)


def trials_csv(number: int) -> bytes:
    """All trials of a run as CSV."""
    frame = store().trials(number, genes=True).drop(columns="rowid")
    return as_file(frame, "csv")


def report(numbers: Sequence[int]) -> bytes:
    """The stand-alone HTML report of runs."""
    return html_report(store(), numbers).encode()


def as_file(frame: pd.DataFrame, ending: str) -> bytes:
    """A table as the content of a .csv or .xlsx file, formulas defused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{ending}"
        write_table(frame, path)
        return path.read_bytes()


def read_upload(content: bytes, name: str, sheet: str | None = None) -> Table:
    """An uploaded table that isn't kept."""
    return _read_upload(hashlib.sha256(content).hexdigest(), name, sheet, content)


@st.cache_resource(show_spinner="Reading the table …", max_entries=2)
def _read_upload(digest: str, name: str, sheet: str | None, _content: bytes) -> Table:
    return read_table(_content, name, sheet=sheet)


@dataclass(frozen=True)
class Scored:
    """A scored table.

    Attributes:
        rows: all original columns, then probability and class.
        probability_column, predicted_column: what these are called.
        called: bool (n,).
        metrics: where the table has the target, else None.
        learned_from: these are the rows that the model was learned from.
        warnings: sentences.
    """

    rows: pd.DataFrame
    probability_column: str
    predicted_column: str
    called: np.ndarray
    metrics: dict[str, Any] | None
    learned_from: bool
    warnings: tuple[str, ...]


def score(model: ModelRecord, table: Table) -> Scored:
    """Score a table with a model of this installation.

    Raises:
        ModelError: the file was changed since it was written.
        TableError: a column is missing or holds something else.
    """
    return _score(str(model.path), model.sha256, table.fingerprint, table)


@st.cache_resource(show_spinner="Scoring …", max_entries=3)
def _score(path: str, sha256: str, fingerprint: str, _table: Table) -> Scored:
    loaded, warnings = load_own_model(Path(path), sha256)
    rows = loaded.score(_table.frame)
    probability_column, predicted_column = rows.columns[-2:]
    probability = rows[probability_column].to_numpy()
    called = probability >= loaded.threshold
    truth, metrics = loaded.truth(_table.frame), None
    if truth is not None and truth[0].any():
        filled, positive = truth
        metrics = binary_metrics(positive[filled].astype(int), probability[filled], predicted=called[filled])
    same = fingerprint == loaded.fingerprint
    return Scored(rows, probability_column, predicted_column, called, metrics, same, tuple(warnings))


# -- the benchmark --------------------------------------------------------------------------------------------------

_PROJECT_BENCHMARK = Path(__file__).parents[1] / "benchmarks" / "results" / "benchmark"


def project_benchmark() -> Path | None:
    """The folder with the project's own results, where the program has it."""
    return _PROJECT_BENCHMARK if _PROJECT_BENCHMARK.is_dir() else None


def benchmark(folder: Path | None) -> BenchmarkResults:
    """Results of a benchmark: of a folder, or of the runs on this computer where None.

    Raises:
        TableError: the folder holds none.
    """
    return _benchmark(folder, _benchmark_state(folder))


@st.cache_resource(show_spinner="Reading the results …", max_entries=3)
def _benchmark(folder: Path | None, results_state: str) -> BenchmarkResults:
    return collect(store()) if folder is None else BenchmarkResults.read(folder)


def benchmark_tables(folder: Path | None, systems: Sequence[str], published: Path | None) -> list[NamedTable]:
    """The paper's tables of some systems, see `paper_tables`.

    Args:
        folder: as in `benchmark`.
        published: folder with the paper's printed tables.

    Raises:
        TableError: a folder doesn't hold what it should.
    """
    states = _benchmark_state(folder), None if published is None else _files_state(published)
    return _benchmark_tables(folder, tuple(systems), published, states)


@st.cache_resource(show_spinner="Comparing …", max_entries=6)
def _benchmark_tables(
    folder: Path | None, systems: tuple[str, ...], published: Path | None, states: tuple[str, str | None]
) -> list[NamedTable]:
    return paper_tables(benchmark(folder).only(systems), published)


def _benchmark_state(folder: Path | None) -> str:
    """Changes when the results may have changed."""
    if folder is not None:
        return _files_state(folder)
    finished = [(record.id, str(record.finished)) for record in store().runs() if record.status == "finished"]
    return json.dumps([str(store().home.root), finished])


def _files_state(folder: Path) -> str:
    files = sorted((*folder.glob("*.csv"), *folder.glob("*.json")))
    return json.dumps([(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files])
