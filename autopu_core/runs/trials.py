"""The journal of a run: one row for each trial, and what the pages read out of them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from sqlalchemy import Row, case, func, insert, select
from sqlalchemy.exc import IntegrityError

from autopu_core.errors import StoreError
from autopu_core.runs.schema import to_json, trials
from autopu_core.runs.shelf import Shelf, owned_run
from autopu_core.search.journal import Trial

_HEXADECIMAL = re.compile(r"(?:[0-9a-f]{2}){1,255}")

_TIDY_TYPES = {
    "rowid": "int64",
    "search": "str",
    "number": "int64",
    "batch": "int64",
    "key": "str",
    "outcome": "str",
    "fitness": "float64",
    "reason": "str",
    "repeat_of": "Int64",
    "cpu_seconds": "float64",
    "cpu_seconds_naive": "float64",
    "fits_naive": "int64",
    "fits_distinct": "int64",
    "fits_computed": "int64",
    "elapsed": "float64",
}


class Trials(Shelf):
    """The part of the store that keeps trials."""

    def journal(self, run: int, worker: str | None = None) -> StoreJournal:
        """The journal that the searches of a run write to.

        Args:
            worker: who writes; every write checks that the run is still this worker's.
        """
        return StoreJournal(self, run, worker)

    def trials(
        self, run: int, search: str | None = None, after: int | None = None, genes: bool = False
    ) -> pd.DataFrame:
        """The trials of a run in the order in which they were written, one row each.

        Args:
            search: only this search's.
            after: only those with a larger `rowid`, for a page that has the earlier ones already.
            genes: also one column for each gene of the candidates.

        Returns:
            Columns rowid, search, number, batch, key, outcome, fitness, reason, repeat_of, cpu_seconds,
            cpu_seconds_naive, fits_naive, fits_distinct, fits_computed, elapsed (see `Trial`; `fits_distinct` is the
            number of its `new_fits`).
        """
        columns = [trials.c.id if name == "rowid" else trials.c[name] for name in _TIDY_TYPES]
        query = select(*columns, *([trials.c.candidate] if genes else [])).where(trials.c.run == run)
        if search is not None:
            query = query.where(trials.c.search == search)
        if after is not None:
            query = query.where(trials.c.id > after)
        with self.database.read() as connection:
            rows = connection.execute(query.order_by(trials.c.id)).all()
        names = [*_TIDY_TYPES, "candidate"] if genes else list(_TIDY_TYPES)
        frame = pd.DataFrame.from_records(rows, columns=names).astype(_TIDY_TYPES)
        if not genes:
            return frame
        return frame.drop(columns="candidate").join(pd.DataFrame.from_records(list(frame["candidate"])))

    def trial(self, run: int, search: str, number: int) -> Trial:
        """One trial with everything that is known of it.

        Raises:
            StoreError: there is no such trial.
        """
        query = select(trials).where(trials.c.run == run, trials.c.search == search, trials.c.number == number)
        with self.database.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise StoreError(f"Run {run} has no trial {number} in the search {search!r}.")
        return _trial(row)

    def search_totals(self, run: int) -> pd.DataFrame:
        """What each search of a run has done so far, in the order in which they began.

        Returns:
            Columns search, assessments, distinct_candidates, failed, timed_out, best (fitness), elapsed (active wall
            seconds), cpu_seconds, cpu_seconds_naive, fits_naive, fits_distinct, fits_computed.
        """
        totals = {
            "assessments": func.count(),
            "distinct_candidates": func.count(trials.c.key.distinct()),
            "failed": func.sum(case((trials.c.outcome == "failed", 1), else_=0)),
            "timed_out": func.sum(case((trials.c.outcome == "timed_out", 1), else_=0)),
            "best": func.max(trials.c.fitness),
            "elapsed": func.max(trials.c.elapsed),
            "cpu_seconds": func.sum(trials.c.cpu_seconds),
            "cpu_seconds_naive": func.sum(trials.c.cpu_seconds_naive),
            "fits_naive": func.sum(trials.c.fits_naive),
            "fits_distinct": func.sum(trials.c.fits_distinct),
            "fits_computed": func.sum(trials.c.fits_computed),
        }
        query = (
            select(trials.c.search, *(total.label(name) for name, total in totals.items()))
            .where(trials.c.run == run)
            .group_by(trials.c.search)
            .order_by(func.min(trials.c.id))
        )
        with self.database.read() as connection:
            rows = connection.execute(query).all()
        return pd.DataFrame.from_records(rows, columns=["search", *totals])

    def charged_fits(self, run: int) -> set[str]:
        """Keys of all distinct fits that the run's trials have been charged for; a resumed run isn't charged again."""
        query = select(trials.c.new_fits).where(trials.c.run == run, trials.c.fits_distinct > 0)
        with self.database.read() as connection:
            return {key for packed in connection.scalars(query) for key in unpack_keys(packed)}

    def _recorded(self, run: int, search: str) -> dict[int, Trial]:
        query = select(trials).where(trials.c.run == run, trials.c.search == search).order_by(trials.c.number)
        with self.database.read() as connection:
            return {row.number: _trial(row) for row in connection.execute(query)}

    def _write_trials(self, run: int, worker: str | None, new: Sequence[Trial]) -> None:
        with self.database.write() as connection:
            owned_run(connection, run, worker)
            try:
                connection.execute(insert(trials), [_values(run, trial) for trial in new])
            except IntegrityError as error:
                numbers = ", ".join(f"{trial.number} of {trial.search!r}" for trial in new[:3])
                raise StoreError(
                    f"Run {run} has one of these trials already, and a trial is never rewritten: {numbers}"
                    f"{' ..' if len(new) > 3 else ''}."
                ) from error


@dataclass(frozen=True)
class StoreJournal:
    """A run's journal in the store (see `autopu_core.search.journal.Journal`)."""

    store: Trials
    run: int
    worker: str | None = None

    def recorded(self, search: str) -> dict[int, Trial]:
        """Trials that a former attempt at this search wrote, by number."""
        return self.store._recorded(self.run, search)

    def write(self, trial: Trial) -> None:
        """Keep a trial.

        Raises:
            StoreError: a trial with this number is there already, or the run isn't.
            LeaseLostError: another worker has taken the run over.
        """
        self.write_many([trial])

    def write_many(self, new: Sequence[Trial]) -> None:
        """Keep several trials, all or none, in one transaction; errors as in `write`."""
        if new:
            self.store._write_trials(self.run, self.worker, new)


def pack_keys(keys: Collection[str]) -> bytes:
    """Fit keys as bytes: digests of one length as digests (after a byte that says how long), anything else as JSON."""
    widths = {len(key) for key in keys}
    if len(widths) == 1 and all(_HEXADECIMAL.fullmatch(key) for key in keys):
        return bytes([widths.pop() // 2]) + bytes.fromhex("".join(keys))
    return b"\0" + to_json(list(keys)).encode() if keys else b""


def unpack_keys(packed: bytes) -> tuple[str, ...]:
    """The keys that `pack_keys` packed, in their order."""
    if not packed:
        return ()
    width, body = packed[0], packed[1:]
    if width == 0:
        return tuple(json.loads(body))
    return tuple(body[start : start + width].hex() for start in range(0, len(body), width))


def _pack_folds(folds: Sequence[Mapping[str, Any]]) -> str:
    """Their names once, then only values: five folds of every trial are most of what a journal holds."""
    names = list(folds[0]) if folds else []
    if any(list(fold) != names for fold in folds):
        return to_json([None, *folds])
    return to_json([names, *(list(fold.values()) for fold in folds)])


def _unpack_folds(packed: str) -> tuple[dict[str, Any], ...]:
    names, *folds = json.loads(packed)
    return tuple(folds if names is None else (dict(zip(names, fold, strict=True)) for fold in folds))


def _values(run: int, trial: Trial) -> dict[str, Any]:
    return {
        "run": run,
        "search": trial.search,
        "number": trial.number,
        "batch": trial.batch,
        "candidate": dict(trial.candidate),
        "key": trial.key,
        "outcome": trial.outcome,
        "fitness": trial.fitness,
        "folds": _pack_folds(trial.folds),
        "reason": trial.reason,
        "repeat_of": trial.repeat_of,
        "cpu_seconds": trial.cpu_seconds,
        "cpu_seconds_naive": trial.cpu_seconds_naive,
        "fits_naive": trial.fits_naive,
        "fits_distinct": len(trial.new_fits),
        "fits_computed": trial.fits_computed,
        "new_fits": pack_keys(trial.new_fits),
        "elapsed": trial.elapsed,
    }


def _trial(row: Row) -> Trial:
    return Trial(
        search=row.search,
        number=row.number,
        batch=row.batch,
        candidate=row.candidate,
        key=row.key,
        outcome=row.outcome,
        fitness=row.fitness,
        folds=_unpack_folds(row.folds),
        reason=row.reason,
        repeat_of=row.repeat_of,
        cpu_seconds=row.cpu_seconds,
        cpu_seconds_naive=row.cpu_seconds_naive,
        fits_naive=row.fits_naive,
        fits_computed=row.fits_computed,
        new_fits=unpack_keys(row.new_fits),
        elapsed=row.elapsed,
    )
