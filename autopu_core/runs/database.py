"""One database, shared by several processes: transactions that don't collide, and errors that a person understands.

SQLite is the default. Writers take the write lock when they begin (`BEGIN IMMEDIATE`) and wait for each other, readers
see the state in which they began (write-ahead log). The log needs shared memory, which network folders don't give, so
there the older rollback journal is used. Every other database that SQLAlchemy knows works through the same code.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import URL, Connection, Engine, create_engine, event, func, insert, inspect, make_url, select, update
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from autopu_core.errors import StoreError
from autopu_core.runs import schema

BUSY_SECONDS = 30.0
"""How long a process waits for another one's write; writes take milliseconds."""

# The driver would take numbers out of a DataFrame for bytes, store them as such and find nothing that equals them.
for _number, _plain in ((np.int64, int), (np.int32, int), (np.bool_, bool), (np.float32, float)):
    sqlite3.register_adapter(_number, _plain)

_MOUNTS = Path("/proc/self/mounts")
_NETWORK_FILE_SYSTEMS = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "ncpfs",
    "afs",
    "9p",
    "fuse.sshfs",
    "ceph",
    "lustre",
    "gpfs",
}


class Database:
    """Connections to one database whose tables are those of `schema`.

    Safe to share between threads; a forked process, and one that gets it as a pickle, opens connections of its own.

    Args:
        url: any SQLAlchemy URL.
        clock: seconds since 1970; by default this machine's clock for SQLite and the server's for any other database,
            so that all machines which share it agree.

    Raises:
        StoreError: the database can't be opened, or a newer version of the program made it.
    """

    def __init__(self, url: str | URL, clock: Callable[[], float] | None = None) -> None:
        try:
            self.url = make_url(url)
        except ArgumentError as error:
            raise StoreError(
                f"{url!r} isn't a database URL, such as sqlite:///file or postgresql://host/name."
            ) from error
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite and self.url.database in (None, "", ":memory:"):
            raise StoreError(
                "A database in memory can't be shared with the worker; name a file: sqlite:////path/to/file."
            )
        self.where = self.url.database if self.is_sqlite else self.url.render_as_string(hide_password=True)
        self._clock = clock
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._owner = 0
        with self._sentences():
            if self.is_sqlite:
                self._prepare_file()
            self._prepare_schema()

    def __reduce__(self) -> tuple[Any, ...]:
        return Database, (self.url, self._clock)

    @property
    def engine(self) -> Engine:
        """The pool of connections of this process."""
        with self._lock:
            if self._engine is None or self._owner != os.getpid():
                if self._engine is not None:
                    self._engine.dispose(close=False)  # they belong to the parent process, which still uses them
                self._engine, self._owner = self._connect(), os.getpid()
            return self._engine

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one state of the database."""
        with self._sentences(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that nobody else's write can interleave on SQLite; kept when the block ends without error."""
        with self._sentences(), self.engine.execution_options(writes=True).begin() as connection:
            yield connection

    def now(self, connection: Connection) -> float:
        """Seconds since 1970, by the one clock that everybody who shares the database goes by."""
        if self._clock is not None:
            return self._clock()
        return time.time() if self.is_sqlite else connection.scalar(select(func.current_timestamp())).timestamp()

    def give_back_space(self) -> None:
        """Shrink the file after a deletion, so that what was deleted isn't found in it any more (SQLite)."""
        if self.is_sqlite:
            with self._sentences():
                connection = self.engine.raw_connection()
                try:
                    # As a script: `execute` would take one step of it, which frees a single page.
                    connection.cursor().executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
                finally:
                    connection.close()

    def close(self) -> None:
        """Close the connections; the next use opens new ones."""
        with self._lock:
            if self._engine is not None:
                self._engine.dispose(close=self._owner == os.getpid())
                self._engine = None

    def _connect(self) -> Engine:
        try:
            if not self.is_sqlite:
                return create_engine(self.url, pool_pre_ping=True)
            engine = create_engine(self.url, connect_args={"timeout": BUSY_SECONDS})
        except (ModuleNotFoundError, NoSuchModuleError) as error:
            raise StoreError(f"The database {self.where} needs a driver that isn't installed ({error}).") from error
        event.listen(engine, "connect", _set_up_connection)
        event.listen(engine, "begin", _begin)
        return engine

    def _pragma(self, command: str) -> Any:
        connection = self.engine.raw_connection()
        try:
            rows = connection.cursor().execute(f"PRAGMA {command}").fetchall()
        finally:
            connection.close()
        return rows[0][0] if rows else None

    def _prepare_file(self) -> None:
        wanted = "delete" if on_network_folder(Path(self.where)) else "wal"
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                if self._pragma("journal_mode") != wanted:
                    self._pragma("auto_vacuum = INCREMENTAL")  # heeded as long as the file has no tables
                    self._pragma(f"journal_mode = {wanted}")  # where it can't be had, SQLite keeps what it has
                return
            except sqlite3.OperationalError as error:
                # Changing the mode doesn't wait for others as every other statement does.
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def _prepare_schema(self) -> None:
        with self.read() as connection:
            if self._version(connection) == schema.SCHEMA_VERSION:
                return
        try:
            with self.write() as connection:
                self._bring_up_to_date(connection)
        except StoreError:
            # Elsewhere than on SQLite two processes may make the tables at the same time; one of them has won.
            with self.read() as connection:
                if self._version(connection) != schema.SCHEMA_VERSION:
                    raise

    def _version(self, connection: Connection) -> int:
        """Version of the tables, 0 where there are none.

        Raises:
            StoreError: they are newer than this program.
        """
        if not inspect(connection).has_table(schema.schema.name):
            return 0
        version = connection.scalar(select(func.max(schema.schema.c.version))) or 0
        if version > schema.SCHEMA_VERSION:
            raise StoreError(
                f"The database {self.where} was made by a newer version of this program (its format is {version}, this "
                f"version knows {schema.SCHEMA_VERSION}); install that version or choose another data folder."
            )
        return version

    def _bring_up_to_date(self, connection: Connection) -> None:
        version = self._version(connection)
        if version == 0:
            schema.metadata.create_all(connection, checkfirst=False)
            connection.execute(insert(schema.schema).values(version=schema.SCHEMA_VERSION))
            return
        for step in range(version, schema.SCHEMA_VERSION):
            schema.MIGRATIONS[step](connection)
        connection.execute(update(schema.schema).values(version=schema.SCHEMA_VERSION))

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            raise StoreError(self._sentence(str(getattr(error, "orig", error)))) from error

    def _sentence(self, said: str) -> str:
        database = f"The database {self.where}"
        for part, sentence in (
            (
                "is full",
                "can't grow because its disk is full; free some space or move the data folder with AUTOPU_HOME",
            ),
            ("readonly", "is read-only; change its permissions or choose another data folder with AUTOPU_HOME"),
            (
                "unable to open",
                "can't be opened; check its folder's permissions or choose another one with AUTOPU_HOME",
            ),
            ("not a database", "isn't a database of this program; move it away or choose another data folder"),
            ("already exists", "holds tables of another program; name an empty one in AUTOPU_DATABASE_URL"),
            ("malformed", "is damaged; restore a backup or choose another data folder with AUTOPU_HOME"),
            ("locked", f"has been busy for {BUSY_SECONDS:.0f} seconds; end the program that holds it and try again"),
        ):
            if part in said:
                return f"{database} {sentence}."
        return f"{database} can't be used ({' '.join(said.split())[:300]}); check that it runs and try again."


def _set_up_connection(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # the driver begins no transactions by itself: `_begin` does
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten


def _begin(connection: Connection) -> None:
    # One that reads first and writes later may find that it can't; one that says so beforehand waits its turn.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")


def on_network_folder(path: Path) -> bool:
    """Whether a file lies on a network file system, as far as the system tells (Linux mounts, Windows UNC paths)."""
    text = str(path.absolute())
    if text.startswith("\\\\"):
        return True
    try:
        lines = _MOUNTS.read_text(errors="replace").splitlines()
    except OSError:
        return False
    mounts = [line.split()[1:3] for line in lines]
    # Spaces in a folder's name are written as octal numbers.
    mounts = [(re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), folder), kind) for folder, kind in mounts]
    inside = [(len(folder), kind) for folder, kind in mounts if path.absolute().is_relative_to(folder)]
    return bool(inside) and max(inside)[1] in _NETWORK_FILE_SYSTEMS
