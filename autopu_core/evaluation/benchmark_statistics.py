"""What the PU paper's tables 3-16 say, computed from the results of a benchmark (sections 5.3 and 6).

Only data sets that all compared systems have finished count in a comparison; the column `data_sets` says how many these
were. A score of a system on a data set is the mean over the outer folds. Functions return tidy tables with the names of
systems and data sets as they stand in `BenchmarkResults`; what can't be compared has no row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from autopu_core.errors import TableError
from autopu_core.evaluation.benchmark import AUTO_PU, BenchmarkResults, in_order
from autopu_core.evaluation.frequencies import hyperparameter_frequencies, most_frequent_values
from autopu_core.evaluation.statistics import (
    NOISE_DECIMALS,
    RankComparison,
    average_ranks,
    correlation_with_prevalence,
    friedman_nemenyi,
    wilcoxon_holm,
)
from autopu_core.pu.spaces import BASE_SPACE, EXTENDED_SPACE
from autopu_core.search.space import SearchSpace

TESTED_METRICS = ("f_measure", "precision", "recall")
"""The metrics that the paper tests."""

_SPACES = {"base": BASE_SPACE, "extended": EXTENDED_SPACE}
_LEAST_FOR_CORRELATION = 3

VERDICTS = ("beats it", "ahead, perhaps by chance", "does not beat it", "clearly worse")
"""How a system stands against its opponent, best first."""
_EQUAL_RANK = 1.5


def mean_scores(
    results: BenchmarkResults,
    delta: float,
    systems: Sequence[str],
    metric: str = "f_measure",
    *,
    finished_by_all: bool = True,
) -> pd.DataFrame:
    """Mean over the folds of a metric.

    Args:
        delta: share of hidden positives.
        systems: those to compare; one without any score at this delta has no column.
        finished_by_all: leave out data sets that one of the systems lacks; otherwise its cell there is NaN.

    Returns:
        (data sets in alphabetical order, systems in the given order).
    """
    means = results.fold_means
    if (delta, metric) not in means.index:
        return pd.DataFrame(index=pd.Index([], name="dataset"))
    table = means.loc[(delta, metric)].reindex(columns=[system for system in systems if system in means.columns])
    table = table.dropna(axis="columns", how="all").dropna(how="all").rename_axis(columns=None)
    return table.dropna() if finished_by_all else table


def f_measures(results: BenchmarkResults, systems: Sequence[str]) -> pd.DataFrame:
    """Tables 4, 7 and 9: `delta`, `dataset`, `system`, `f_measure`, for all that is finished."""
    tables = [
        mean_scores(results, delta, systems, finished_by_all=False)
        .melt(var_name="system", value_name="f_measure", ignore_index=False)
        .reset_index()
        .assign(delta=delta)
        for delta in results.deltas
    ]
    return _stacked(tables, ["delta", "dataset", "system", "f_measure"]).dropna(ignore_index=True)


def summary(results: BenchmarkResults, systems: Sequence[str]) -> pd.DataFrame:
    """What tables 4, 7 and 9 come down to.

    Returns:
        One row for each delta and system: `data_sets`, `f_measure` (mean over them), `rank` (mean rank among these
        systems, 1 is best) and `wins` (data sets on which no other of these systems is better; equals win together).
    """
    tables = []
    for delta in results.deltas:
        scores = mean_scores(results, delta, systems)
        if scores.empty:
            continue
        rounded = scores.round(NOISE_DECIMALS)
        wins = rounded.eq(rounded.max(axis=1), axis=0).sum()
        columns = {"data_sets": len(scores), "f_measure": scores.mean(), "rank": average_ranks(scores), "wins": wins}
        tables.append(pd.DataFrame(columns).rename_axis("system").reset_index().assign(delta=delta))
    return _stacked(tables, ["delta", "system", "data_sets", "f_measure", "rank", "wins"])


def wilcoxon_all_pairs(results: BenchmarkResults, systems: Sequence[str]) -> pd.DataFrame:
    """Tables 5 and 10: every pair of systems, `wilcoxon_holm` with `delta`, `metric` and `data_sets`."""
    return _wilcoxon(results, [(None, tuple(systems))])


def wilcoxon_against(results: BenchmarkResults, controls: Sequence[str], others: Sequence[str]) -> pd.DataFrame:
    """Tables 8 and 12: each control against the others, a family of tests of its own, as in `wilcoxon_all_pairs`."""
    return _wilcoxon(results, [(control, (control, *others)) for control in controls])


def _wilcoxon(results: BenchmarkResults, families: Iterable[tuple[str | None, tuple[str, ...]]]) -> pd.DataFrame:
    tables = []
    for delta in results.deltas:
        for metric in TESTED_METRICS:
            for control, systems in families:
                scores = mean_scores(results, delta, systems, metric)
                if scores.shape[1] < 2 or scores.empty or (control is not None and control not in scores.columns):
                    continue
                tested = wilcoxon_holm(scores, control)
                tables.append(tested.assign(delta=delta, metric=metric, data_sets=len(scores)))
    columns = ["delta", "metric", "system_a", "system_b", "data_sets", "rank_a", "rank_b", "p_value", "alpha"]
    return _stacked(tables, [*columns, "significant"])


def prevalence_correlations(results: BenchmarkResults, systems: Sequence[str]) -> pd.DataFrame:
    """Tables 6 and 11: how F goes with the percentage of positives, `correlation_with_prevalence` with `delta`."""
    return _correlations(results, [(delta, mean_scores(results, delta, systems)) for delta in results.deltas])


def iteration_count_correlations(results: BenchmarkResults) -> pd.DataFrame:
    """Table 16: how the chosen number of parts in phase 1A (mean over the folds) goes with the percentage of positives.

    Each system is on its own, over all data sets that it has finished.
    """
    chosen = _chosen_genes(results, [system for systems in AUTO_PU.values() for system in systems])
    counts = chosen.assign(count=[genes["iteration_count_1a"] for genes in chosen["genes"]])
    means = counts.groupby(["delta", "dataset", "system"])["count"].mean().unstack("system")
    base_beside_extended = [system for pair in zip(*AUTO_PU.values(), strict=True) for system in pair]
    return _correlations(
        results,
        [
            (delta, of_delta.droplevel("delta")[[system]].dropna())
            for system in base_beside_extended
            if system in means.columns
            for delta, of_delta in means.groupby("delta")
        ],
    )


def _correlations(results: BenchmarkResults, tables: Iterable[tuple[float, pd.DataFrame]]) -> pd.DataFrame:
    percent = results.datasets.set_index("dataset")["positive_percent"]
    found = [
        correlation_with_prevalence(scores, percent).assign(delta=delta)
        for delta, scores in tables
        if len(scores) >= _LEAST_FOR_CORRELATION
    ]
    return _stacked(found, ["system", "delta", "data_sets", "pearson_r", "p_value", "strength"])


def chosen_values(results: BenchmarkResults, optimizer: str) -> pd.DataFrame:
    """Tables 13-15: what the searches of one optimiser chose most often in each space, see `most_frequent_values`.

    Args:
        optimizer: "ga", "bo" or "ebo".

    Returns:
        With `searches`, how many there were in that space.

    Raises:
        TableError: a candidate doesn't come from the space.
    """
    genes = {space: _chosen_genes(results, [f"{optimizer}_{space}"])["genes"].tolist() for space in _SPACES}
    genes = {space: chosen for space, chosen in genes.items() if chosen}
    table = most_frequent_values(
        {space: hyperparameter_frequencies(chosen, _SPACES[space]) for space, chosen in genes.items()}
    )
    return table.assign(searches=[len(genes[space]) for space in table["search_space"]])


def _chosen_genes(results: BenchmarkResults, systems: Sequence[str]) -> pd.DataFrame:
    """The rows of `chosen` of some optimisers, with their active genes in the column `genes`."""
    chosen = results.chosen[results.chosen["system"].isin(systems)]
    spaces = [_SPACES[system.rpartition("_")[2]] for system in chosen["system"]]
    return chosen.assign(genes=[_genes(text, space) for text, space in zip(chosen["candidate"], spaces, strict=True)])


def _genes(text: str, space: SearchSpace) -> dict[str, Any]:
    try:
        values = json.loads(text)
        space.candidate(values)  # refuses what isn't a choice
        return space.active(values)
    except (KeyError, ValueError):
        raise TableError(
            f"{text} is no candidate of the space {space.name!r}; choose results that this program has written."
        ) from None


def against(results: BenchmarkResults, opponents: Mapping[str, str]) -> pd.DataFrame:
    """Systems against one opponent each: random search with the same budget, a plain reference.

    Args:
        opponents: system -> what it is held against.

    Returns:
        One row for each delta and system: `opponent`, `data_sets`, `f_measure` and `f_measure_opponent` (means),
        `difference` of the two, `wins`, `ties`, `losses` (data sets), `p_value` (two-sided Wilcoxon signed-rank test,
        each a comparison of its own) and `verdict`, one of `VERDICTS`.
    """
    rows = []
    for delta in results.deltas:
        for system, opponent in opponents.items():
            scores = mean_scores(results, delta, (system, opponent))
            if scores.shape[1] < 2 or scores.empty:
                continue
            (test,) = wilcoxon_holm(scores).itertuples()
            differences = (scores[system] - scores[opponent]).round(NOISE_DECIMALS)
            difference = float(differences.mean())
            rows.append(
                {
                    "delta": delta,
                    "system": system,
                    "opponent": opponent,
                    "data_sets": len(scores),
                    "f_measure": scores[system].mean(),
                    "f_measure_opponent": scores[opponent].mean(),
                    "difference": difference,
                    "wins": int((differences > 0).sum()),
                    "ties": int((differences == 0).sum()),
                    "losses": int((differences < 0).sum()),
                    "p_value": test.p_value,
                    "verdict": _verdict(difference, test.significant, test.rank_a),
                }
            )
    columns = ["delta", "system", "opponent", "data_sets", "f_measure", "f_measure_opponent", "difference"]
    return pd.DataFrame(rows, columns=[*columns, "wins", "ties", "losses", "p_value", "verdict"])


def differences(results: BenchmarkResults, opponents: Mapping[str, str]) -> pd.DataFrame:
    """`delta`, `dataset`, `system`, `difference`: F minus the opponent's F, where both have finished."""
    tables = []
    for delta in results.deltas:
        for system, opponent in opponents.items():
            scores = mean_scores(results, delta, (system, opponent))
            if scores.shape[1] == 2:
                difference = (scores[system] - scores[opponent]).round(NOISE_DECIMALS)
                tables.append(difference.rename("difference").reset_index().assign(delta=delta, system=system))
    return _stacked(tables, ["delta", "dataset", "system", "difference"])


def _verdict(difference: float, significant: bool, rank: float) -> str:
    """The higher mean F decides; "beats it" and "clearly worse" also ask for the ranks, beyond chance."""
    if difference > 0:
        return VERDICTS[0] if significant and rank < _EQUAL_RANK else VERDICTS[1]
    return VERDICTS[3] if significant and rank > _EQUAL_RANK else VERDICTS[2]


def rank_comparison(results: BenchmarkResults, delta: float, systems: Sequence[str]) -> RankComparison | None:
    """Friedman's test and critical difference on F; None with fewer than 3 systems or 2 data sets in common."""
    scores = mean_scores(results, delta, systems)
    return friedman_nemenyi(scores) if scores.shape[1] >= 3 and len(scores) >= 2 else None


def run_times(results: BenchmarkResults) -> pd.DataFrame:
    """What a cross-validation on one data set costs, on average over the data sets and deltas that all have finished.

    Returns:
        One row for each system, in the order of `results.systems`: `cells` (pairs of data set and delta),
        `cpu_minutes` (each different fit charged once, computed or reused), `wall_minutes`, `assessments`,
        `fits_naive`, `fits_distinct`, `fits_computed`, and `f_measure`, the mean over the same cells. Systems whose
        costs aren't known (the plain references take seconds) have NaN there.
    """
    measures = ["cpu_minutes", "wall_minutes", "assessments", "fits_naive", "fits_distinct", "fits_computed"]
    columns = ["system", "cells", *measures, "f_measure"]
    scores = f_measures(results, results.systems)
    if scores.empty or results.costs.empty:
        return pd.DataFrame(columns=columns)
    table = scores.merge(results.costs, how="left", on=["dataset", "delta", "system"])
    table["cpu_minutes"], table["wall_minutes"] = table["cpu_seconds"] / 60, table["wall_seconds"] / 60
    finished = table[table.groupby(["dataset", "delta"])["system"].transform("nunique") == table["system"].nunique()]
    by_system = finished.groupby("system")
    means = by_system[[*measures, "f_measure"]].mean(skipna=False).assign(cells=by_system.size())
    return means.reindex(in_order(means.index)).reset_index()[columns]


def unfinished(results: BenchmarkResults, systems: Sequence[str]) -> list[tuple[str, float, list[str]]]:
    """(data set, delta, systems without a score there) for what `mean_scores` leaves out."""
    found = []
    for delta in results.deltas:
        scores = mean_scores(results, delta, systems, finished_by_all=False)
        for dataset, lacks in scores[scores.isna().any(axis=1)].isna().iterrows():
            found.append((str(dataset), delta, list(lacks.index[lacks])))
    return found


def _stacked(tables: Sequence[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    """Tables one below the other, with these columns in this order."""
    if not tables:
        return pd.DataFrame(columns=columns)
    return pd.concat(tables, ignore_index=True)[columns]
