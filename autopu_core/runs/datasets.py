"""Data sets: a row in the database and the table itself as a Parquet file in the data folder."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow
import pyarrow.parquet
from sqlalchemy import Row, delete, insert, select
from sqlalchemy.exc import IntegrityError

from autopu_core.errors import StoreError
from autopu_core.runs.home import file_sentences, replacing
from autopu_core.runs.queue import remove_runs
from autopu_core.runs.records import DatasetRecord, as_utc
from autopu_core.runs.schema import datasets, runs
from autopu_core.runs.shelf import Shelf

if TYPE_CHECKING:
    from autopu_core.tables import Table

_ID_LENGTH = 12


class Datasets(Shelf):
    """The part of the store that keeps tables."""

    def add_dataset(self, table: Table, description: Mapping[str, Any]) -> str:
        """Keep a table; one with the same content that is already there is left as it is.

        Returns:
            Its id, the first characters of the table's fingerprint.
        """
        dataset = table.fingerprint[:_ID_LENGTH]
        path = self._dataset_path(dataset)
        _keep(table.frame, path)  # before the transaction: a large table takes a moment, and others want to write
        values = {
            "id": dataset,
            "fingerprint": table.fingerprint,
            "name": table.name,
            "rows": len(table.frame),
            "columns": len(table.frame.columns),
            "notes": list(table.notes),
            "missing_tokens": table.missing_tokens,
            "description": description,
        }
        with self.database.write() as connection:
            if connection.scalar(select(datasets.c.id).where(datasets.c.id == dataset)) is None:
                # Elsewhere than on SQLite another process may add the same table at this moment; then it is there.
                with suppress(IntegrityError), connection.begin_nested():
                    connection.execute(insert(datasets).values(**values, created_at=self.database.now(connection)))
            _keep(table.frame, path)
        return dataset

    def load_table(self, dataset: str) -> Table:
        """The table as it was added.

        Raises:
            StoreError: there is no such data set, or its file is missing or damaged.
        """
        record = self.dataset(dataset)
        path = self._dataset_path(record.id)
        try:
            frame = pd.read_parquet(path)
        except (OSError, pyarrow.ArrowException) as error:
            raise StoreError(
                f"The file of data set {record.name!r} ({path}) is missing or damaged; upload the table again."
            ) from error
        from autopu_core.tables import Table

        return Table(
            frame=frame,
            name=record.name,
            fingerprint=record.fingerprint,
            notes=record.notes,
            missing_tokens=record.missing_tokens,
        )

    def datasets(self) -> list[DatasetRecord]:
        """All data sets, newest first, without their descriptions."""
        columns = [column for column in datasets.c if column.name != "description"]
        with self.database.read() as connection:
            rows = connection.execute(select(*columns).order_by(datasets.c.created_at.desc(), datasets.c.id)).all()
        return [_record(row, {}) for row in rows]

    def dataset(self, dataset: str) -> DatasetRecord:
        """One data set.

        Raises:
            StoreError: there is no such data set.
        """
        with self.database.read() as connection:
            row = connection.execute(select(datasets).where(datasets.c.id == dataset)).one_or_none()
        if row is None:
            raise _unknown(dataset)
        return _record(row, row.description)

    def delete_dataset(self, dataset: str, with_runs: bool = False) -> None:
        """Delete a data set for good: its row and its file.

        Args:
            with_runs: delete the runs that use it too; otherwise there must be none.

        Raises:
            StoreError: there is no such data set, runs use it, or one of them is running.
        """
        with self.database.write() as connection:
            row = connection.execute(select(datasets).where(datasets.c.id == dataset).with_for_update()).one_or_none()
            if row is None:
                raise _unknown(dataset)
            used_by = connection.scalars(select(runs.c.id).where(runs.c.dataset == dataset).order_by(runs.c.id)).all()
            if used_by and not with_runs:
                raise StoreError(
                    f"Data set {row.name!r} is used by run {', '.join(map(str, used_by))}; delete these runs first or "
                    "together with it."
                )
            remove_runs(connection, self.home, used_by, self.database.now(connection))
            # The file goes first: should the process end here, the row is still there to delete again.
            path = self._dataset_path(dataset)
            with file_sentences(path):
                path.unlink(missing_ok=True)
            connection.execute(delete(datasets).where(datasets.c.id == dataset))
        self.database.give_back_space()

    def _dataset_path(self, dataset: str) -> Path:
        return self.home.datasets / f"{dataset}.parquet"


def _keep(frame: pd.DataFrame, path: Path) -> None:
    if not _is_whole(path, len(frame)):
        with replacing(path) as file:
            frame.to_parquet(file, compression="zstd")


def _is_whole(path: Path, rows: int) -> bool:
    try:
        return pyarrow.parquet.read_metadata(path).num_rows == rows
    except (OSError, pyarrow.ArrowException):
        return False


def _record(row: Row, description: dict[str, Any]) -> DatasetRecord:
    return DatasetRecord(
        id=row.id,
        name=row.name,
        fingerprint=row.fingerprint,
        rows=row.rows,
        columns=row.columns,
        notes=tuple(row.notes),
        missing_tokens=row.missing_tokens,
        description=description,
        created=as_utc(row.created_at),
    )


def _unknown(dataset: object) -> StoreError:
    return StoreError(f"There is no data set {dataset!r}; the Data page lists the data sets there are.")
