"""The tables of the store, as SQLAlchemy sees them, and the version they carry.

Times are seconds since 1970 (UTC). Structured values are JSON text, so that every database keeps them alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import numpy as np
from sqlalchemy import (
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

SCHEMA_VERSION = 1

# MIGRATIONS[n] takes a database of version n to n + 1, inside the transaction that also writes the new version.
MIGRATIONS: dict[int, Callable[[Connection], None]] = {}


def to_json(value: Any) -> str:
    """Compact JSON; numpy scalars, dates and mappings are written as what they mean."""
    return json.dumps(value, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} can't be kept in the store.")


class JsonText(TypeDecorator):
    """A JSON-ready value, kept as text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        return None if value is None else to_json(value)

    def process_result_value(self, value: str | None, dialect: Any) -> Any:
        return None if value is None else json.loads(value)


class Words(TypeDecorator):
    """Text from outside (file names, messages): what no database can keep, lone surrogates and NUL, is replaced."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        return None if value is None else value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


metadata = MetaData()

schema = Table("autopu_schema", metadata, Column("version", Integer, primary_key=True, autoincrement=False))

datasets = Table(
    "datasets",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("name", Words, nullable=False),
    Column("rows", Integer, nullable=False),
    Column("columns", Integer, nullable=False),
    Column("notes", JsonText, nullable=False),
    Column("missing_tokens", JsonText, nullable=False),
    Column("description", JsonText, nullable=False),
    Column("created_at", Double, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("dataset", ForeignKey("datasets.id"), nullable=False, index=True),
    Column("settings", JsonText, nullable=False),
    Column("versions", JsonText, nullable=False),
    Column("status", String(16), nullable=False),
    Column("command", String(16)),
    Column("worker", String(200)),
    Column("attempts", Integer, nullable=False),
    Column("lease_seconds", Double),
    Column("renewed_at", Double),
    Column("created_at", Double, nullable=False),
    Column("queued_at", Double, nullable=False),
    Column("started_at", Double),
    Column("finished_at", Double),
    Column("progress", JsonText, nullable=False),
    Column("error", Words),
    sqlite_autoincrement=True,  # the number of a deleted run isn't given to another one: it may be in a bookmark
)


def _run_column(**options: Any) -> Column:
    return Column("run", ForeignKey("runs.id", ondelete="CASCADE"), nullable=False, **options)


results = Table("results", metadata, _run_column(primary_key=True), Column("result", JsonText, nullable=False))

trials = Table(
    "trials",
    metadata,
    Column("id", Integer, primary_key=True),
    _run_column(),
    Column("search", String(40), nullable=False),
    Column("number", Integer, nullable=False),
    Column("batch", Integer, nullable=False),
    Column("candidate", JsonText, nullable=False),
    Column("key", Text, nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("fitness", Double, nullable=False),
    Column("folds", Text, nullable=False),
    Column("reason", Words),
    Column("repeat_of", Integer),
    Column("cpu_seconds", Double, nullable=False),
    Column("cpu_seconds_naive", Double, nullable=False),
    Column("fits_naive", Integer, nullable=False),
    Column("fits_distinct", Integer, nullable=False),
    Column("fits_computed", Integer, nullable=False),
    Column("new_fits", LargeBinary, nullable=False),
    Column("elapsed", Double, nullable=False),
    UniqueConstraint("run", "search", "number"),
    Index("trials_as_written", "run", "id"),
)

folds = Table(
    "folds",
    metadata,
    _run_column(primary_key=True),
    Column("search", String(40), primary_key=True),
    Column("result", JsonText, nullable=False),
    Column("saved_at", Double, nullable=False),
)

predictions = Table(
    "predictions",
    metadata,
    _run_column(primary_key=True),
    Column("search", String(40), primary_key=True),
    Column("parquet", LargeBinary, nullable=False),
)

models = Table(
    "models",
    metadata,
    Column("id", Integer, primary_key=True),
    _run_column(),
    Column("path", Words, nullable=False),
    Column("sha256", String(64), nullable=False, index=True),
    Column("card", JsonText, nullable=False),
    Column("created_at", Double, nullable=False),
    UniqueConstraint("run", "path", "sha256"),
)

workers = Table(
    "workers",
    metadata,
    Column("name", String(200), primary_key=True),
    Column("pid", Integer, nullable=False),
    Column("host", Words, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("seen_at", Double, nullable=False),
)
