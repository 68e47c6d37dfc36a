"""Stores to test with: on SQLite always, on a PostgreSQL server that the tests start where one is installed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import create_engine, text

from autopu_core.runs import RunSettings, Store
from autopu_core.search.journal import Trial


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def table() -> SimpleNamespace:
    """What the store needs of a table, with every type a column can have."""
    frame = pd.DataFrame(
        {
            "size": [1.5, np.nan, -0.0],
            "count": np.array([2**53 + 1, 0, -1]),
            "smoker": [True, False, True],
            "diagnosis, in 'words'": pd.Series(["malignant", None, "bénin ☂"], dtype="str"),
            "seen": pd.to_datetime(["2020-01-01", None, "1899-12-31 23:59:59"], format="ISO8601"),
        }
    )
    return SimpleNamespace(
        frame=frame, name="patients.csv", fingerprint="0f" * 32, notes=("One note.",), missing_tokens={"size": {"?": 1}}
    )


@pytest.fixture
def settings() -> RunSettings:
    return RunSettings(dataset="0f0f0f0f0f0f", target="diagnosis, in 'words'", positive=("malignant",))


@pytest.fixture
def make_trial() -> Callable[..., Trial]:
    def make(number: int, search: str = "fold 1", **changes: Any) -> Trial:
        values = {
            "search": search,
            "number": number,
            "batch": number // 20,
            "candidate": {
                "iteration_count_1a": 3,
                "threshold_1a": 0.05,
                "classifier_1a": "extra_trees",
                "flag_1b": True,
            },
            "key": f'{{"iteration_count_1a":{number}}}',
            "outcome": "scored",
            "fitness": number / 7,
            "folds": tuple(
                {"rows": 91, "labelled": 20, "predicted_positive": n, "labelled_predicted_positive": 11, "reason": None}
                for n in range(5)
            ),
            "cpu_seconds": 0.25,
            "cpu_seconds_naive": 3.0,
            "fits_naive": 15,
            "fits_computed": 2,
            "new_fits": (f"{number:016x}", f"{number:015x}f"),
            "elapsed": float(number),
        }
        return Trial(**{**values, **changes})

    return make


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Store]:
    url = None if request.param == "sqlite" else request.getfixturevalue("postgresql_url")
    with Store(tmp_path / "home", url, clock=clock) as store:
        yield store


@pytest.fixture
def run(store: Store, table: SimpleNamespace, settings: RunSettings) -> int:
    """A run in the queue."""
    store.add_dataset(table, {"columns": []})
    return store.create_run(settings, {"python": "3.11"})


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """Folder of the socket of a PostgreSQL server."""
    programs = shutil.which("initdb") or next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))), None)
    if programs is None or importlib.util.find_spec("psycopg") is None:
        pytest.skip("PostgreSQL or its driver psycopg isn't installed.")
    programs = Path(programs).parent
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # not pytest's folder: a socket's path must be short
    as_user = {}
    if os.getuid() == 0:  # the server refuses to be root
        as_user = {"user": "nobody", "env": {**os.environ, "HOME": str(folder)}}
        shutil.chown(folder, "nobody")
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder, **as_user}
    try:
        subprocess.run(
            [programs / "initdb", "-D", folder / "data", "-U", "autopu", "-A", "trust", "-E", "UTF8", "-N"], **quiet
        )
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        server = [programs / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-w"]
        subprocess.run([*server, "-o", options, "start"], **quiet)
        try:
            yield str(folder)
        finally:
            subprocess.run([*server, "-m", "immediate", "stop"], **quiet)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgresql_url(postgresql_server: str) -> str:
    """A new, empty schema on the server."""
    base = f"postgresql+psycopg://autopu@/postgres?host={postgresql_server}"
    schema = f"test_{uuid.uuid4().hex}"
    engine = create_engine(base)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    engine.dispose()
    return f"{base}&options=-csearch_path%3D{schema}"
