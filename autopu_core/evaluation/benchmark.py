"""Results of a benchmark as tidy tables, the folder of files that they are kept in, and what its systems are called."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from autopu_core.errors import TableError
from autopu_core.evaluation.references import REFERENCES

AUTO_PU = {
    "base": ("ga_base", "bo_base", "ebo_base"),
    "extended": ("ga_extended", "bo_extended", "ebo_extended"),
}
"""The optimisers by search space, in the order of the paper's tests."""

BASELINES = ("df_pu", "s_em")
"""The two published PU learners, in the order of the paper's tests."""

RANDOM_SEARCH = {system: f"random_{system}" for systems in AUTO_PU.values() for system in systems}
"""Each optimiser -> random search with the same budget in the same space."""

_PAPER_TITLES = {
    **{f"{optimizer}_base": f"{optimizer.upper()}-1" for optimizer in ("ga", "bo", "ebo")},
    **{f"{optimizer}_extended": f"{optimizer.upper()}-2" for optimizer in ("ga", "bo", "ebo")},
}
SYSTEM_TITLES = {
    **_PAPER_TITLES,
    **{RANDOM_SEARCH[system]: f"Random search ({title}'s budget)" for system, title in _PAPER_TITLES.items()},
    "df_pu": "DF-PU",
    "s_em": "S-EM",
    **{name: reference.title for name, reference in REFERENCES.items()},
}
"""All systems in the order in which they are shown, with the names that the PU paper gives them (section 6)."""

_TEXT = {"dataset", "system", "fold", "metric", "candidate", "title"}
_MAY_BE_EMPTY = {"value", "fitness"}
_COLUMNS = {
    "scores": ("dataset", "delta", "system", "fold", "metric", "value"),
    "chosen": ("dataset", "delta", "system", "fold", "candidate", "fitness"),
    "costs": (
        *("dataset", "delta", "system", "assessments", "fits_naive", "fits_distinct", "fits_computed"),
        *("cpu_seconds", "wall_seconds"),
    ),
    "datasets": ("dataset", "title", "rows", "features", "positives", "positive_percent"),
}
_KEYS = {
    "scores": ["dataset", "delta", "system", "fold", "metric"],
    "chosen": ["dataset", "delta", "system", "fold"],
    "costs": ["dataset", "delta", "system"],
    "datasets": ["dataset"],
}
_AGAIN = "write the results again with 'autopu benchmark'"


@dataclass(frozen=True)
class BenchmarkResults:
    """What a benchmark found.

    Attributes:
        scores: one row for each data set, delta, system, fold and metric (names as in `METRICS`); `value` is NaN where
            a metric is undefined.
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

    @property
    def systems(self) -> list[str]:
        """Systems that have scores, in the order in which they are shown; unknown ones come last."""
        return in_order(self.scores["system"].unique())

    @property
    def deltas(self) -> list[float]:
        """Shares of hidden positives, ascending."""
        return sorted(self.scores["delta"].unique().tolist())

    @cached_property
    def fold_means(self) -> pd.DataFrame:
        """Means over the folds: index delta, metric, dataset, one column for each system.

        NaN where a system hasn't finished, or the metric is undefined on a fold.
        """
        by_cell = self.scores.groupby(["delta", "metric", "dataset", "system"])["value"]
        return by_cell.mean(skipna=False).unstack("system")

    def only(self, systems: Iterable[str]) -> BenchmarkResults:
        """The results of some systems."""
        kept = set(systems)
        scores, chosen, costs = (
            frame[frame["system"].isin(kept)].reset_index(drop=True) for frame in (self.scores, self.chosen, self.costs)
        )
        return BenchmarkResults(scores, chosen, costs, self.datasets, self.provenance)

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
        """What `write` wrote, number for number.

        Raises:
            TableError: a file is missing, has other columns, or holds what can't be a result.
        """
        folder = Path(folder)
        tables = {name: _read_table(folder, name) for name in _COLUMNS}
        for row, text in enumerate(tables["chosen"]["candidate"], start=2):
            if not _is_json_object(text):
                raise TableError(f"Line {row} of {folder / 'chosen.csv'} holds no candidate in JSON; {_AGAIN}.")
        path = folder / "provenance.json"
        try:
            text = path.read_text(encoding="utf-8") if path.is_file() else "{}"
        except (ValueError, OSError) as error:
            raise TableError(f"{path} can't be read ({error}); {_AGAIN}.") from None
        if not _is_json_object(text):
            raise TableError(f"{path} holds no JSON object; {_AGAIN}.")
        return cls(**tables, provenance=json.loads(text))


def in_order(systems: Iterable[str]) -> list[str]:
    """Systems in the order in which they are shown; unknown ones come last, by name."""
    places = {name: place for place, name in enumerate(SYSTEM_TITLES)}
    return sorted(systems, key=lambda name: (places.get(name, len(places)), name))


def system_title(name: str) -> str:
    """What a system is called."""
    return SYSTEM_TITLES.get(name, name)


def _read_table(folder: Path, name: str) -> pd.DataFrame:
    path, columns = folder / f"{name}.csv", _COLUMNS[name]
    if not path.is_file():
        raise TableError(f"{folder} holds no benchmark results ({path.name} is missing); name another folder.")
    try:
        # Texts such as "NA" stay texts.
        table = pd.read_csv(
            path,
            dtype=dict.fromkeys(_TEXT.intersection(columns), str),
            keep_default_na=False,
            na_values=[""],
        )
    except (ValueError, OSError) as error:
        raise TableError(f"{path} can't be read as CSV ({error}); {_AGAIN}.") from None
    if tuple(table.columns) != columns:
        raise TableError(f"{path} should have the columns {', '.join(columns)}; {_AGAIN}.")
    for column in columns:
        if len(table) and column not in _TEXT and not is_numeric_dtype(table[column]):
            wrong = table.index[pd.to_numeric(table[column], errors="coerce").isna() & table[column].notna()][0]
            raise TableError(f"Line {wrong + 2} of {path} has no number in {column!r}; {_AGAIN}.")
        if column not in _MAY_BE_EMPTY and table[column].isna().any():
            raise TableError(f"Line {table[column].isna().argmax() + 2} of {path} has nothing in {column!r}; {_AGAIN}.")
    twice = table.duplicated(_KEYS[name])
    if twice.any():
        raise TableError(f"Line {twice.argmax() + 2} of {path} says again what stands above it; {_AGAIN}.")
    return table


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
