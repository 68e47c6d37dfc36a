"""Which workers are alive, told by their heartbeat."""

from __future__ import annotations

from sqlalchemy import delete, insert, select, update

from autopu_core.runs.records import WorkerRecord, as_utc
from autopu_core.runs.schema import workers
from autopu_core.runs.shelf import Shelf

_FORGET_SECONDS = 24 * 3600.0


class Workers(Shelf):
    """The part of the store that knows the workers."""

    def beat(self, worker: str, pid: int, host: str) -> None:
        """A worker's sign of life; the first one registers it."""
        with self.database.write() as connection:
            now = self.database.now(connection)
            seen = connection.execute(update(workers).where(workers.c.name == worker).values(seen_at=now))
            if seen.rowcount == 0:
                connection.execute(delete(workers).where(workers.c.seen_at < now - _FORGET_SECONDS))
                connection.execute(insert(workers).values(name=worker, pid=pid, host=host, started_at=now, seen_at=now))

    def sign_off(self, worker: str) -> None:
        """A worker that ends says so, and is not waited for."""
        with self.database.write() as connection:
            connection.execute(delete(workers).where(workers.c.name == worker))

    def live_workers(self, max_age: float = 20.0) -> list[WorkerRecord]:
        """Workers that gave a sign of life within `max_age` seconds of now, the longest-serving first."""
        with self.database.read() as connection:
            now = self.database.now(connection)
            rows = connection.execute(
                select(workers)
                .where(workers.c.seen_at > now - max_age, workers.c.seen_at < now + max_age)
                .order_by(workers.c.started_at, workers.c.name)
            ).all()
        return [
            WorkerRecord(row.name, row.pid, row.host, started=as_utc(row.started_at), seen=as_utc(row.seen_at))
            for row in rows
        ]
