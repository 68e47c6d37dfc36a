"""What the parts of the store share: the data folder, the database, and the check that a run is there and one's own."""

from __future__ import annotations

from sqlalchemy import Connection, Row, select

from autopu_core.errors import StoreError
from autopu_core.runs.database import Database
from autopu_core.runs.home import Home
from autopu_core.runs.records import LeaseLostError
from autopu_core.runs.schema import runs


class Shelf:
    """One part of the store; each part is a class of its own and `Store` joins them."""

    home: Home
    database: Database


def owned_run(connection: Connection, run: int, worker: str | None = None) -> Row:
    """The run's row, held against changes until the transaction ends.

    Args:
        worker: where given, the run must be this worker's. A worker that was asleep or slow while another one took its
            run over learns it here, before it has written anything.

    Raises:
        StoreError: there is no such run.
        LeaseLostError: it isn't (or no longer) this worker's.
    """
    row = connection.execute(select(runs).where(runs.c.id == run).with_for_update()).one_or_none()
    if worker is not None and (row is None or row.status != "running" or row.worker != worker):
        raise LeaseLostError(f"Run {run} no longer belongs to this worker; another one has it, or it was deleted.")
    if row is None:
        raise unknown_run(run)
    return row


def unknown_run(run: object) -> StoreError:
    """The error for a number that no run has."""
    return StoreError(f"There is no run {run}; `autopu runs list` shows the runs there are.")
