"""The store: everything that outlives a process, in one place.

Faces submit runs, send commands and read; only the worker that holds a run's lease writes what comes of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from sqlalchemy import URL

from autopu_core.runs.database import Database
from autopu_core.runs.datasets import Datasets
from autopu_core.runs.home import Home
from autopu_core.runs.outcomes import Outcomes
from autopu_core.runs.queue import Queue
from autopu_core.runs.trials import Trials
from autopu_core.runs.workers import Workers

DATABASE_VARIABLE = "AUTOPU_DATABASE_URL"


class Store(Datasets, Queue, Trials, Outcomes, Workers):
    """Data sets, runs, trials, results, models and workers. Threads may share it; a pickle of it opens it again.

    Tables and models are files in the data folder, so processes on several machines that share a database must share
    the data folder too.

    Args:
        home: the data folder; by default what `AUTOPU_HOME` says, else the user's data folder of the system.
        url: any SQLAlchemy URL; by default what `AUTOPU_DATABASE_URL` says, else a SQLite file in the data folder.
        clock: seconds since 1970, for tests.

    Attributes:
        home: the data folder.
        url: the URL of the database, None where it is the file in the data folder.

    Raises:
        StoreError: the folder or the database can't be used, or a newer version of the program made it.
    """

    def __init__(
        self, home: Path | str | None = None, url: str | None = None, *, clock: Callable[[], float] | None = None
    ) -> None:
        self.home = Home(home)
        self.url = url or os.environ.get(DATABASE_VARIABLE)
        self.database = Database(self.url or URL.create("sqlite", database=str(self.home.database)), clock)

    def __repr__(self) -> str:
        return f"Store({str(self.home.root)!r})"

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the database."""
        self.database.close()
