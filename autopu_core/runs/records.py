"""What the store answers with: immutable records, times as UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from autopu_core.errors import StoreError
from autopu_core.runs.settings import RunSettings

Status = Literal["queued", "running", "paused", "interrupted", "cancelled", "finished", "failed"]
Command = Literal["pause", "cancel", "resume"]


class LeaseLostError(StoreError):
    """The run belongs to another worker now, or was deleted: whoever meets this stops working on it."""


@dataclass(frozen=True)
class DatasetRecord:
    """One data set in the store.

    Attributes:
        id: short id, derived from the content.
        name: name of the file it came from.
        rows, columns: its shape.
        notes: sentences on how it was read.
        missing_tokens: column -> token as written -> count.
        description: what `describe_table` said of it; empty in a listing.
    """

    id: str
    name: str
    fingerprint: str
    rows: int
    columns: int
    notes: tuple[str, ...]
    missing_tokens: dict[str, dict[str, int]]
    description: dict[str, Any]
    created: datetime


@dataclass(frozen=True)
class RunRecord:
    """One run as it is seen now.

    Attributes:
        id: its number.
        dataset_name: name of the file that its data set came from.
        versions: of the libraries it was started with.
        status: a run whose worker has let its lease expire is `interrupted`.
        command: what a person asked of the worker and it hasn't done yet.
        worker: who works on it, None where nobody does.
        attempts: how often a worker has taken it since it was last submitted or resumed.
        progress: what the worker wrote last.
        result: of its last completed attempt; None before, and in a listing that didn't ask for results.
        error: why it failed, one sentence.
        created, queued, started, finished: submitted, last put in the queue, first taken by a worker, last ended.
    """

    id: int
    settings: RunSettings
    dataset_name: str
    versions: dict[str, str]
    status: Status
    command: Command | None
    worker: str | None
    attempts: int
    progress: dict[str, Any]
    result: dict[str, Any] | None
    error: str | None
    created: datetime
    queued: datetime
    started: datetime | None
    finished: datetime | None


@dataclass(frozen=True)
class ModelRecord:
    """A model file that this installation wrote."""

    id: int
    run: int
    path: Path
    sha256: str
    card: dict[str, Any]
    created: datetime


@dataclass(frozen=True)
class WorkerRecord:
    """A worker process and when it last gave a sign of life."""

    name: str
    pid: int
    host: str
    started: datetime
    seen: datetime


def as_utc(seconds: float | None) -> datetime | None:
    """Seconds since 1970 as a time, None where there is none."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
