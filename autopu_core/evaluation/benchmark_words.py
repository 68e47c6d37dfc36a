"""Headings and sentences of the benchmark's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from autopu_core.evaluation.benchmark import in_order, system_title
from autopu_core.evaluation.benchmark_published import PUBLISHED
from autopu_core.evaluation.benchmark_statistics import VERDICTS

_LISTED = 6  # more than so many left-out data sets are counted, not named
_HEADINGS: dict[str, str] = {
    "delta": "Hidden, %",
    "dataset": "Data set",
    "rows": "Rows",
    "features": "Features",
    "positives": "Positives",
    "positive_percent": "Positive, %",
    "system": "System",
    "system_a": "First system",
    "system_b": "Second system",
    "metric": "Metric",
    "data_sets": "Data sets",
    "cells": "Cross-validations",
    "f_measure": "Mean F",
    "f_measure_opponent": "Mean F of opponent",
    "difference": "Difference",
    "rank": "Mean rank",
    "best": "Best on",
    "wins": "Better on",
    "ties": "Equal on",
    "losses": "Worse on",
    "rank_a": "Rank of first",
    "rank_b": "Rank of second",
    "p_value": "p-value",
    "alpha": "Holm's alpha",
    "significant": "Significant",
    "verdict": "Verdict",
    "pearson_r": "Correlation r",
    "strength": "Strength",
    "hyperparameter": "Hyperparameter",
    "search_space": "Search space",
    "searches": "Searches",
    "most_selected": "Most selected",
    "selection_percent": "Selected, %",
    "baseline_percent": "By chance, %",
    "cpu_minutes": "CPU minutes",
    "wall_minutes": "Wall minutes",
    "minutes": "Minutes",
    "assessments": "Assessments",
    "fits_naive": "Fits one by one",
    "fits_distinct": "Different fits",
    "fits_computed": "Computed fits",
    "same": "Mean F (paper, same data sets)",
    "all": "Mean F (paper, all its data sets)",
}


def heading(name: Any) -> str:
    """What a column of a tidy table is called; a title of a system stays as it is."""
    if name in _HEADINGS:
        return _HEADINGS[name]
    ours = str(name).removesuffix(PUBLISHED)
    return f"{_HEADINGS[ours]} (paper)" if ours != name else str(name)


def basis(counts: Mapping[float, int], left_out: Sequence[str]) -> str:
    """Over how many data sets a comparison goes, and where it lacks which systems.

    Args:
        counts: delta -> data sets that all systems have finished.
        left_out: what is left out, in words.
    """
    if len(set(counts.values())) == 1:
        said = f"Over {data_sets(next(iter(counts.values())))}."
    else:
        said = f"Over {', '.join(f'{data_sets(count)} at {delta:.0%}' for delta, count in counts.items())}."
    if not left_out:
        return said
    shown = left_out if len(left_out) <= _LISTED else [*left_out[:_LISTED], f"{len(left_out) - _LISTED} more"]
    return f"{said} Left out because not all systems have finished there: {'; '.join(shown)}."


def verdicts(table: pd.DataFrame, opponent: str) -> str:
    """Who has no higher mean F than the opponent comes first: this is what a reader must not miss.

    Args:
        table: columns `system`, `delta`, `verdict`, see `against`.
    """
    behind = table[table["verdict"].isin(VERDICTS[2:])]
    beaten = table[table["verdict"] == VERDICTS[0]]
    if behind.empty:
        said = f"Every system has a higher mean F than {opponent}."
    else:
        said = f"Not better than {opponent}: {_cells(behind)}."
    return said + (f" Better beyond chance: {_cells(beaten)}." if len(beaten) else " None is better beyond chance.")


def _cells(rows: pd.DataFrame) -> str:
    """ "GA-1 at 20% and 60%; BO-1 at 40%"."""
    deltas = rows.groupby("system")["delta"]
    return "; ".join(
        f"{system_title(system)} at {listed(f'{delta:.0%}' for delta in deltas.get_group(system))}"
        for system in in_order(deltas.groups)
    )


def means_and_wins(table: pd.DataFrame) -> str:
    """Mean F of each system, and on how many data sets no other is better; empty without rows.

    Args:
        table: what `summary` returns.
    """
    said = []
    for delta, rows in table.groupby("delta"):
        systems = listed(_mean_and_wins(row) for row in rows.itertuples())
        said.append(f"at {delta:.0%} {systems} of {data_sets(rows['data_sets'].max())}")
    return f"Mean (best on): {'; '.join(said)}." if said else ""


def _mean_and_wins(row: Any) -> str:
    return f"{system_title(row.system)} {row.f_measure:.3f} ({row.wins})"


def too_few_data_sets(table: pd.DataFrame) -> str:
    """A warning where the exact test can't reach Holm's alpha: of n data sets its smallest p-value is 2 / 2^n.

    Args:
        table: columns `data_sets`, `alpha`; may be empty.
    """
    if table.empty:
        return ""
    count, strictest = int(table["data_sets"].min()), float(table["alpha"].min())
    smallest = 2.0 ** (1 - count)
    if smallest < strictest:
        return ""
    return (
        f"With {data_sets(count)} p-values don't get below about {smallest:.2g}, so the strictest alpha "
        f"({strictest:.2g}) is out of reach however large the differences are."
    )


def data_sets(count: int) -> str:
    """ "1 data set", "6 data sets"."""
    return f"{count} data set{'' if count == 1 else 's'}"


def listed(words: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
