"""Results of a benchmark as tidy tables, and the folder of files that they are kept in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from autopu_core.errors import TableError

_COLUMNS = {
    "scores": ("dataset", "delta", "system", "fold", "metric", "value"),
    "chosen": ("dataset", "delta", "system", "fold", "candidate", "fitness"),
    "costs": (
        *("dataset", "delta", "system", "assessments", "fits_naive", "fits_distinct", "fits_computed"),
        *("cpu_seconds", "wall_seconds"),
    ),
    "datasets": ("dataset", "title", "rows", "features", "positives", "positive_percent"),
}


@dataclass(frozen=True)
class BenchmarkResults:
    """What a benchmark found.

    Attributes:
        scores: one row for each data set, delta, system, fold and metric.
        chosen: one row for each data set, delta, system and fold: the candidate (JSON text of its active
            hyperparameters) and its inner fitness.
        costs: one row for each data set, delta and system, all folds together.
        datasets: one row for each data set: title, rows, features, positives, percentage of positives.
        provenance: preset, folds, seed, versions, when it was measured.
    """

    scores: pd.DataFrame
    chosen: pd.DataFrame
    costs: pd.DataFrame
    datasets: pd.DataFrame
    provenance: dict[str, Any]

    def write(self, folder: Path) -> None:
        """Write `scores.csv`, `chosen.csv`, `costs.csv`, `datasets.csv` and `provenance.json`.

        Raises:
            TableError: the folder can't be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name in _COLUMNS:
                getattr(self, name).to_csv(folder / f"{name}.csv", index=False, lineterminator="\n")
            text = json.dumps(self.provenance, indent=2) + "\n"
            (folder / "provenance.json").write_text(text, encoding="utf-8")
        except OSError as error:
            raise TableError(f"{folder} can't be written ({error.strerror or error}); choose another folder.") from None

    @classmethod
    def read(cls, folder: Path) -> BenchmarkResults:
        """What `write` wrote.

        Raises:
            TableError: a file is missing or has other columns.
        """
        tables = {}
        for name, columns in _COLUMNS.items():
            path = Path(folder) / f"{name}.csv"
            if not path.is_file():
                raise TableError(f"{folder} holds no benchmark results ({path.name} is missing); name another folder.")
            try:
                tables[name] = pd.read_csv(path)
            except (ValueError, OSError) as error:
                raise TableError(f"{path} can't be read as CSV ({error}); run the benchmark again.") from None
            if tuple(tables[name].columns) != columns:
                raise TableError(f"{path} should have the columns {', '.join(columns)}; run the benchmark again.")
        provenance = Path(folder) / "provenance.json"
        try:
            known = json.loads(provenance.read_text(encoding="utf-8")) if provenance.is_file() else {}
        except ValueError as error:
            raise TableError(f"{provenance} isn't JSON ({error}); run the benchmark again.") from None
        return cls(**tables, provenance=known)
