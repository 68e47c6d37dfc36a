"""The PU paper's printed tables, read from a folder that a person names, to stand beside ours.

The project holds none of them. The folder has one CSV file for each table, `table03_*.csv` to `table16_*.csv`, and
`runtime_*.csv`. Systems go by the paper's names (GA-1 ..), data sets by `slug`, for the paper spells their titles in
several ways.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from autopu_core.errors import TableError
from autopu_core.evaluation.benchmark import SYSTEM_TITLES
from autopu_core.evaluation.benchmark_statistics import TESTED_METRICS
from autopu_core.evaluation.frequencies import TITLES as PARAMETER_TITLES

KEYS = ("dataset", "delta", "metric", "system", "system_a", "system_b", "parameter", "search_space")
"""Columns that say what a row is about; all others are values."""
PUBLISHED = "_published"
"""Ending of a column with the paper's values."""

_NAMES = {title: name for name, title in (*SYSTEM_TITLES.items(), *PARAMETER_TITLES.items())}
_TEXT = {*KEYS, "title", "most_selected"} - {"delta"}
_TESTS = ("rank_a", "rank_b", "p_value", "alpha")

_F_MEASURES = {"slug": "dataset", "delta": "delta", "system": "system", "f_measure": "f_measure"}
_CORRELATIONS = {"system": "system", "delta": "delta", "pearson_r": "pearson_r"}
_FREQUENCIES = {
    "hyperparameter": "parameter",
    "search_space": "search_space",
    "most_selected": "most_selected",
    "selection_pct": "selection_percent",
    "baseline_pct": "baseline_percent",
    "difference_pct": "difference",
}
_TESTED = {
    **{name: name for name in ("delta", "system_a", "system_b")},
    **{f"{metric}_{column}": f"{metric}_{column}" for metric in TESTED_METRICS for column in _TESTS},
}
_DATA_SETS = {
    "slug": "dataset",
    "dataset": "title",
    "n_instances": "rows",
    "n_features": "features",
    "positive_pct": "positive_percent",
}
_RUN_TIMES = {"system": "system", "minutes_per_5fold_cv_per_dataset": "minutes"}
_COLUMNS = {
    3: _DATA_SETS,
    **dict.fromkeys((4, 7, 9), _F_MEASURES),
    **dict.fromkeys((5, 8, 10, 12), _TESTED),
    **dict.fromkeys((6, 11, 16), _CORRELATIONS),
    **dict.fromkeys((13, 14, 15), _FREQUENCIES),
}
"""Number of a table -> its columns in the file, and what they are called here."""


def published(folder: Path, number: int) -> pd.DataFrame:
    """A table of the paper, with the names of `benchmark_statistics`.

    Returns:
        3: `dataset`, `title`, `rows`, `features`, `positive_percent`. 4, 7, 9: `dataset`, `delta`, `system`,
        `f_measure`. 5, 8, 10, 12: `delta`, `metric`, `system_a`, `system_b`, `rank_a`, `rank_b`, `p_value`, `alpha`.
        6, 11, 16: `system`, `delta`, `pearson_r`. 13-15: `parameter`, `search_space`, `most_selected` (as printed),
        `selection_percent`, `baseline_percent`, `difference`.

    Raises:
        TableError: the folder lacks the file, or the file isn't what it should be.
        KeyError: the paper's table of this number isn't about results.
    """
    table = _read(folder, f"table{number:02d}_*.csv", _COLUMNS[number])
    return _one_row_per_metric(table) if _COLUMNS[number] is _TESTED else table


def published_run_times(folder: Path) -> pd.DataFrame:
    """The paper's `minutes` of a 5-fold cross-validation on one data set by `system`, on its machine with 48 cores.

    Raises:
        TableError: as `published`.
    """
    return _read(folder, "runtime_*.csv", _RUN_TIMES)


def beside(ours: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """Our rows with the paper's values: each value column that both have, again, as `.._published`.

    Rows are matched by all `KEYS` that both have; where the paper has no such row the value is missing.
    """
    keys = [name for name in KEYS if name in ours.columns and name in theirs.columns]
    values = [name for name in theirs.columns if name in ours.columns and name not in keys]
    renamed = theirs[[*keys, *values]].rename(columns={name: f"{name}{PUBLISHED}" for name in values})
    if ours.empty:  # its columns have no types to match by
        return ours.reindex(columns=[*ours.columns, *renamed.columns.difference(keys, sort=False)])
    return ours.merge(renamed, how="left", on=keys, validate="many_to_one")


def _read(folder: Path, pattern: str, columns: dict[str, str]) -> pd.DataFrame:
    files = sorted(Path(folder).expanduser().glob(pattern))
    if not files:
        raise TableError(f"{folder} has no {pattern}: name the folder that holds the paper's tables 3-16 as CSV files.")
    path = files[0]
    try:
        table = pd.read_csv(path, dtype=str)
    except (ValueError, OSError) as error:
        raise TableError(f"{path} can't be read as CSV ({error}); repair it or name another folder.") from None
    if lacking := [name for name in columns if name not in table.columns]:
        raise TableError(f"{path} has no column {lacking[0]!r}; it should have {', '.join(columns)}.")
    table = table[list(columns)].rename(columns=columns)
    for column in table.columns:
        table[column] = table[column].str.strip() if column in _TEXT else _numbers(table[column], path)
    for column in table.columns.intersection(["system", "system_a", "system_b", "parameter"]):
        table[column] = table[column].replace(_NAMES)
    keys = [name for name in table.columns if name in KEYS]
    if (twice := table.duplicated(keys)).any():
        raise TableError(f"Line {twice.argmax() + 2} of {path} says again what stands above it; leave one of them out.")
    return table


def _numbers(column: pd.Series, path: Path) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce")
    if (wrong := numbers.isna() & column.notna()).any():
        line = wrong.argmax()
        raise TableError(f"Line {line + 2} of {path} has {column[line]!r} where a number should be; correct it.")
    return numbers


def _one_row_per_metric(table: pd.DataFrame) -> pd.DataFrame:
    by_metric = [
        table[["delta", "system_a", "system_b"]].assign(
            metric=metric, **{column: table[f"{metric}_{column}"] for column in _TESTS}
        )
        for metric in TESTED_METRICS
    ]
    columns = ["delta", "metric", "system_a", "system_b", *_TESTS]
    return pd.concat(by_metric, ignore_index=True)[columns]
