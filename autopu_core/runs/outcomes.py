"""What a run leaves behind besides its trials: results of test folds, predictions of their rows, and models."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from sqlalchemy import Row, delete, insert, select

from autopu_core.errors import StoreError
from autopu_core.runs.home import file_sentences
from autopu_core.runs.records import ModelRecord, as_utc
from autopu_core.runs.schema import folds, models, predictions
from autopu_core.runs.shelf import Shelf, owned_run


class Outcomes(Shelf):
    """The part of the store that keeps test results and models. Saving again replaces what was saved."""

    def save_fold(self, run: int, search: str, result: Mapping[str, Any], worker: str | None = None) -> None:
        """Keep what a finished test fold gave, so that a resumed run needn't test it again."""
        with self.database.write() as connection:
            owned_run(connection, run, worker)
            connection.execute(delete(folds).where(folds.c.run == run, folds.c.search == search))
            connection.execute(
                insert(folds).values(
                    run=run, search=search, result=dict(result), saved_at=self.database.now(connection)
                )
            )

    def folds(self, run: int) -> dict[str, dict[str, Any]]:
        """Results of the finished test folds by search, in the order in which they were saved."""
        query = select(folds.c.search, folds.c.result).where(folds.c.run == run).order_by(folds.c.saved_at)
        with self.database.read() as connection:
            return {row.search: row.result for row in connection.execute(query)}

    def save_predictions(self, run: int, search: str, frame: pd.DataFrame, worker: str | None = None) -> None:
        """Keep the predictions for the test rows of one search.

        Args:
            frame: one row for each row and system: row, truth, labelled, probability, predicted, system.
        """
        buffer = io.BytesIO()
        frame.reset_index(drop=True).to_parquet(buffer, compression="zstd")
        with self.database.write() as connection:
            owned_run(connection, run, worker)
            connection.execute(delete(predictions).where(predictions.c.run == run, predictions.c.search == search))
            connection.execute(insert(predictions).values(run=run, search=search, parquet=buffer.getvalue()))

    def predictions(self, run: int) -> pd.DataFrame:
        """Predictions of all test folds: a column `search`, then those of `save_predictions`; perhaps no rows."""
        query = select(predictions.c.search, predictions.c.parquet).where(predictions.c.run == run)
        with self.database.read() as connection:
            rows = connection.execute(query.order_by(predictions.c.search)).all()
        if not rows:
            return pd.DataFrame(columns=["search", "row", "truth", "labelled", "probability", "predicted", "system"])
        frames = {row.search: pd.read_parquet(io.BytesIO(row.parquet)) for row in rows}
        return pd.concat(frames, names=["search"]).reset_index(level="search").reset_index(drop=True)

    def model_folder(self, run: int) -> Path:
        """The folder for a run's model files, made where it is missing; it is deleted with the run."""
        folder = self.home.models / str(run)
        with file_sentences(folder):
            folder.mkdir(exist_ok=True)
        return folder

    def add_model(self, run: int, path: Path, sha256: str, card: Mapping[str, Any], worker: str | None = None) -> int:
        """Note a model file that this installation has written, anywhere; from now on its hash is known.

        Returns:
            Number of the model.
        """
        values = {"run": run, "path": self.home.portable(path), "sha256": sha256}
        with self.database.write() as connection:
            owned_run(connection, run, worker)
            connection.execute(delete(models).where(*(models.c[name] == value for name, value in values.items())))
            inserted = connection.execute(
                insert(models).values(**values, card=dict(card), created_at=self.database.now(connection))
            )
            return inserted.inserted_primary_key[0]

    def models(self, run: int | None = None) -> list[ModelRecord]:
        """All models, or those of one run, newest first."""
        query = select(models).order_by(models.c.id.desc())
        with self.database.read() as connection:
            rows = connection.execute(query if run is None else query.where(models.c.run == run)).all()
        return [self._model(row) for row in rows]

    def model_by_hash(self, sha256: str) -> ModelRecord:
        """The latest model with this content.

        Raises:
            StoreError: this installation didn't write such a file.
        """
        query = select(models).where(models.c.sha256 == sha256.lower()).order_by(models.c.id.desc()).limit(1)
        with self.database.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise StoreError(f"This installation hasn't written a model with the SHA-256 {sha256}.")
        return self._model(row)

    def known_hash(self, sha256: str) -> bool:
        """Whether this installation wrote a model file with this content."""
        with self.database.read() as connection:
            return connection.scalar(select(models.c.id).where(models.c.sha256 == sha256.lower()).limit(1)) is not None

    def _model(self, row: Row) -> ModelRecord:
        return ModelRecord(
            id=row.id,
            run=row.run,
            path=self.home.resolve(row.path),
            sha256=row.sha256,
            card=row.card,
            created=as_utc(row.created_at),
        )
