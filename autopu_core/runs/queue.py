"""Runs and who works on them: submitted, claimed under a lease, commanded, ended, resumed, deleted.

A claim is one conditional UPDATE, so of all workers that want a run exactly one gets it. The worker renews its lease; a
run whose lease was last renewed more than `lease_seconds` away from now *in either direction* counts as interrupted and
may be claimed by another. A machine that slept, or whose clock jumped, may therefore find its run taken over. That
costs nothing but the fit in hand: everything a worker writes is refused once the run isn't its own (`owned_run`), and
the new one is answered from the journal. A worker whose expired lease nobody took simply renews it.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, func, insert, or_, select, update

from autopu_core.errors import StoreError
from autopu_core.runs.home import Home, file_sentences
from autopu_core.runs.records import Command, LeaseLostError, RunRecord, Status, as_utc
from autopu_core.runs.schema import datasets, models, results, runs
from autopu_core.runs.settings import RunSettings
from autopu_core.runs.shelf import Shelf, owned_run, unknown_run

LEASE_SECONDS = 20.0
MAX_ATTEMPTS = 3
"""A run that took its worker along this often isn't taken up again unless a person resumes it."""

CHANGEABLE = frozenset({"time_limit", "jobs", "cache"})
"""Settings that may change when a run is resumed, because no trial depends on them."""


class Queue(Shelf):
    """The part of the store that keeps runs. Unknown numbers raise a `StoreError` everywhere."""

    def create_run(self, settings: RunSettings, versions: Mapping[str, str]) -> int:
        """Submit a run to the queue.

        Args:
            versions: of Python and the libraries whose versions may matter to the result.

        Raises:
            StoreError: the settings name a data set that isn't in the store.
        """
        with self.database.write() as connection:
            now = self.database.now(connection)
            if connection.scalar(select(datasets.c.id).where(datasets.c.id == settings.dataset)) is None:
                raise StoreError(f"There is no data set {settings.dataset!r} in the store; add the table first.")
            inserted = connection.execute(
                insert(runs).values(
                    dataset=settings.dataset,
                    settings=settings.to_dict(),
                    versions=dict(versions),
                    status="queued",
                    attempts=0,
                    created_at=now,
                    queued_at=now,
                    progress={},
                )
            )
            return inserted.inserted_primary_key[0]

    def run(self, run: int) -> RunRecord:
        """One run, with its result."""
        with self.database.read() as connection:
            row = connection.execute(_selection(with_results=True).where(runs.c.id == run)).one_or_none()
            if row is None:
                raise unknown_run(run)
            return _record(row, self.database.now(connection))

    def runs(self, dataset: str | None = None, results: bool = False) -> list[RunRecord]:
        """All runs, or those of one data set, newest first; their results only where asked for."""
        query = _selection(results).order_by(runs.c.id.desc())
        if dataset is not None:
            query = query.where(runs.c.dataset == dataset)
        with self.database.read() as connection:
            now = self.database.now(connection)
            return [_record(row, now) for row in connection.execute(query)]

    def claim_run(self, run: int, worker: str, lease_seconds: float = LEASE_SECONDS) -> bool:
        """Take a run that waits, or whose worker's lease has expired; False where somebody else has it.

        Args:
            worker: a name that no other process ever had.
            lease_seconds: how long the run stays this worker's without `renew_lease`.
        """
        with self.database.write() as connection:
            if _claim(connection, run, worker, lease_seconds, self.database.now(connection)):
                return True
            owned_run(connection, run)
            return False

    def claim_next(self, worker: str, lease_seconds: float = LEASE_SECONDS) -> int | None:
        """Take the run that has waited longest; None where nothing is to be done."""
        with self.database.read() as connection:
            abandoned = and_(_expired(self.database.now(connection)), runs.c.attempts < MAX_ATTEMPTS)
            waiting = connection.scalars(
                select(runs.c.id).where(or_(runs.c.status == "queued", abandoned)).order_by(runs.c.queued_at, runs.c.id)
            ).all()
        for run in waiting:
            with self.database.write() as connection:
                if _claim(connection, run, worker, lease_seconds, self.database.now(connection)):
                    return run
        return None

    def renew_lease(self, run: int, worker: str) -> Command | None:
        """Keep the run for another `lease_seconds`.

        Returns:
            What a person asks of the worker.

        Raises:
            LeaseLostError: the run is another worker's now, or was deleted.
        """
        with self.database.write() as connection:
            row = owned_run(connection, run, worker)
            connection.execute(update(runs).where(runs.c.id == run).values(renewed_at=self.database.now(connection)))
            return row.command

    def pending_command(self, run: int, worker: str) -> Command | None:
        """As `renew_lease`, without writing: cheap enough to ask several times a second."""
        with self.database.read() as connection:
            row = connection.execute(
                select(runs.c.command).where(runs.c.id == run, runs.c.worker == worker, runs.c.status == "running")
            ).one_or_none()
        if row is None:
            raise LeaseLostError(f"Run {run} no longer belongs to this worker.")
        return row.command

    def save_progress(self, run: int, progress: Mapping[str, Any], worker: str | None = None) -> None:
        """Replace what the pages show while the run works; small and JSON-ready."""
        with self.database.write() as connection:
            owned_run(connection, run, worker)
            connection.execute(update(runs).where(runs.c.id == run).values(progress=dict(progress)))

    def finish_run(
        self,
        run: int,
        worker: str,
        status: Status,
        result: Mapping[str, Any] | None = None,
        error: str | None = None,
    ) -> None:
        """Give a run back.

        It has ended (`finished`, `cancelled`, `failed`), goes on when a person resumes it (`paused`, `interrupted`), or
        at once by whoever is free (`queued`).

        Args:
            result: takes the place of a former attempt's; None keeps that.
            error: one sentence, where it failed.

        Raises:
            LeaseLostError: the run is another worker's now, or was deleted.
        """
        if status == "running":
            raise ValueError("A run can't be given back as running.")
        with self.database.write() as connection:
            owned_run(connection, run, worker)
            _settle(connection, run, status, self.database.now(connection), error)
            if result is not None:
                connection.execute(delete(results).where(results.c.run == run))
                connection.execute(insert(results).values(run=run, result=dict(result)))

    def command(self, run: int, command: Command | None) -> None:
        """Ask for a run to be paused, cancelled or resumed, or take back (None) what the worker hasn't done yet.

        A run that nobody works on obeys at once; the worker of a running one is told when it renews its lease.

        Raises:
            StoreError: the run has ended.
        """
        if command not in ("pause", "cancel", "resume", None):
            raise ValueError(f"There is no command {command!r}.")
        with self.database.write() as connection:
            row = owned_run(connection, run)
            now = self.database.now(connection)
            status = _seen_status(row, now)
            if status == "running":
                asked = None if command == "resume" else command
                connection.execute(update(runs).where(runs.c.id == run).values(command=asked))
            elif command == "resume":
                _enqueue(connection, row, now, {})
            elif command is not None:
                reached = {"pause": "paused", "cancel": "cancelled"}[command]
                if status in ("finished", "failed") or (status == "cancelled" and command == "pause"):
                    raise StoreError(f"Run {run} is {status} already; there is nothing left to {command}.")
                _settle(connection, run, reached, now, row.error)

    def resume_run(self, run: int, **changes: Any) -> None:
        """Put a run that was stopped, failed or ended early back into the queue; its journal answers what is known.

        Args:
            changes: new values of `time_limit`, `jobs` or `cache`; a finished run searches on if it was the time limit
                that ended it.

        Raises:
            StoreError: it waits or runs already, or a change would make the known trials worthless.
            SettingsError: a value is out of range.
        """
        if refused := sorted(set(changes) - CHANGEABLE):
            raise StoreError(f"{refused[0]} can't change once a run has begun; start a new run with it instead.")
        with self.database.write() as connection:
            row = owned_run(connection, run)
            now = self.database.now(connection)
            if (status := _seen_status(row, now)) in ("queued", "running"):
                raise StoreError(f"Run {run} is {status} already; there is nothing to resume.")
            _enqueue(connection, row, now, changes)

    def delete_run(self, run: int) -> None:
        """Delete a run for good: trials, predictions, models and the model files in the data folder (copies that were
        exported elsewhere stay).

        Raises:
            StoreError: a worker has it.
        """
        with self.database.write() as connection:
            owned_run(connection, run)
            remove_runs(connection, self.home, [run], self.database.now(connection))
        self.database.give_back_space()


def remove_runs(connection: Connection, home: Home, ids: Iterable[int], now: float) -> None:
    """Remove runs and all that hangs on them, files first: should the process end between, the rows are still there to
    delete again.

    Raises:
        StoreError: a worker has one of them; none was removed.
    """
    ids = list(ids)
    for row in connection.execute(select(runs).where(runs.c.id.in_(ids)).with_for_update()):
        if _seen_status(row, now) == "running":
            raise StoreError(f"Run {row.id} is running; cancel it before deleting it.")
    paths = [home.resolve(path) for path in connection.scalars(select(models.c.path).where(models.c.run.in_(ids)))]
    with file_sentences(home.models):
        for path in paths:
            if path.is_relative_to(home.models):
                path.unlink(missing_ok=True)
        for run in ids:
            if (home.models / str(run)).exists():
                shutil.rmtree(home.models / str(run))
    connection.execute(delete(runs).where(runs.c.id.in_(ids)))


def _fresh(now: float) -> ColumnElement[bool]:
    return and_(runs.c.renewed_at > now - runs.c.lease_seconds, runs.c.renewed_at < now + runs.c.lease_seconds)


def _expired(now: float) -> ColumnElement[bool]:
    return and_(runs.c.status == "running", ~_fresh(now))


def _seen_status(row: Row, now: float) -> Status:
    expired = row.status == "running" and not abs(now - row.renewed_at) < row.lease_seconds
    return "interrupted" if expired else row.status


def _claim(connection: Connection, run: int, worker: str, lease_seconds: float, now: float) -> bool:
    claimed = connection.execute(
        update(runs)
        .where(runs.c.id == run, or_(runs.c.status == "queued", _expired(now)))
        .values(
            status="running",
            worker=worker,
            lease_seconds=lease_seconds,
            renewed_at=now,
            attempts=runs.c.attempts + 1,
            started_at=func.coalesce(runs.c.started_at, now),
            finished_at=None,
        )
    )
    return claimed.rowcount == 1


def _settle(connection: Connection, run: int, status: Status, now: float, error: str | None) -> None:
    connection.execute(
        update(runs)
        .where(runs.c.id == run)
        .values(status=status, worker=None, command=None, error=error, finished_at=None if status == "queued" else now)
    )


def _enqueue(connection: Connection, row: Row, now: float, changes: Mapping[str, Any]) -> None:
    settings = dataclasses.replace(RunSettings.from_dict(row.settings), **changes)
    _settle(connection, row.id, "queued", now, None)
    connection.execute(
        update(runs).where(runs.c.id == row.id).values(settings=settings.to_dict(), queued_at=now, attempts=0)
    )


def _selection(with_results: bool) -> Select:
    query = select(runs, datasets.c.name.label("dataset_name")).join(datasets)
    if with_results:
        query = query.add_columns(results.c.result).outerjoin(results, results.c.run == runs.c.id)
    return query


def _record(row: Row, now: float) -> RunRecord:
    return RunRecord(
        id=row.id,
        settings=RunSettings.from_dict(row.settings),
        dataset_name=row.dataset_name,
        versions=row.versions,
        status=_seen_status(row, now),
        command=row.command,
        worker=row.worker if _seen_status(row, now) == "running" else None,
        attempts=row.attempts,
        progress=row.progress,
        result=getattr(row, "result", None),
        error=row.error,
        created=as_utc(row.created_at),
        queued=as_utc(row.queued_at),
        started=as_utc(row.started_at),
        finished=as_utc(row.finished_at),
    )
