"""Statistics that compare systems over data sets (PU paper, sections 5.3 and 6; Demšar 2006).

`scores` is always a DataFrame with one row for each data set (its index) and one column for each system. Scores that
differ by less than float noise are ties: means of the same fold scores may differ in the sixteenth digit.
"""

from __future__ import annotations

import difflib
import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from autopu_core.errors import TableError

NOISE_DECIMALS = 9
"""Scores and differences are rounded to this many decimals before they are compared."""

_EXACT_UP_TO = 50

STRENGTHS = ((0.10, "negligible"), (0.40, "weak"), (0.70, "moderate"), (0.90, "strong"), (np.inf, "very strong"))
"""Words for the size of a correlation, each below its bound (Schober, Boer & Schwarte 2018)."""


def average_ranks(scores: pd.DataFrame, *, higher_is_better: bool = True) -> pd.Series:
    """Mean rank of every system over the data sets: 1 is best, ties share the mean of their ranks.

    Raises:
        TableError: a score is missing, or a name stands twice.
    """
    _check(scores, least_systems=1)
    return _ranks(scores, higher_is_better).mean()


def wilcoxon_holm(
    scores: pd.DataFrame,
    control: str | None = None,
    *,
    alpha: float = 0.05,
    higher_is_better: bool = True,
    decimals: int | None = NOISE_DECIMALS,
) -> pd.DataFrame:
    """Wilcoxon signed-rank tests between systems, with Holm's correction as the PU paper states it.

    Differences of 0 are dropped; equal differences share their mean rank. The null distribution is exact where no
    difference is 0 (with equal differences slightly conservative), and the normal approximation elsewhere: the
    published p-values follow from this. With five data sets or fewer no exact p-value can be below 0.05.

    Args:
        scores: (data sets, systems), at least 2 systems.
        control: a system that is compared with each of the others (tables 8 and 12); None compares all pairs, in the
            order of the columns (tables 5 and 10).
        alpha: significance level of the whole family of comparisons.
        higher_is_better: whether rank 1 goes to the highest score or to the lowest.
        decimals: differences are rounded to so many decimals; None leaves float noise in, as the paper does.

    Returns:
        One row for each pair: `system_a`, `system_b`, `rank_a`, `rank_b` (mean ranks between the two), `p_value`
        (two-sided), `alpha` (of the n comparisons the smallest p-value is held against alpha / n, the next against
        alpha / (n - 1) ..), and `significant` (p_value < alpha, as for all smaller p-values).

    Raises:
        TableError: fewer than 2 systems, a score is missing, a name stands twice, or the control isn't a system.
    """
    _check(scores, least_systems=2)
    if control is not None and control not in scores.columns:
        raise TableError(f"There is no system {control!r} to be the control; choose one of {_listed(scores.columns)}.")
    pairs = (
        itertools.combinations(scores.columns, 2)
        if control is None
        else ((control, other) for other in scores.columns if other != control)
    )
    rows = []
    for a, b in pairs:
        ranks = _ranks(scores[[a, b]], higher_is_better).mean()
        p_value = _signed_rank_p_value(scores[a].to_numpy() - scores[b].to_numpy(), decimals)
        rows.append({"system_a": a, "system_b": b, "rank_a": ranks[a], "rank_b": ranks[b], "p_value": p_value})
    table = pd.DataFrame(rows)
    table["alpha"], table["significant"] = _holm(table["p_value"].to_numpy(), alpha)
    return table


def correlation_with_prevalence(scores: pd.DataFrame, prevalence: pd.Series) -> pd.DataFrame:
    """Pearson's correlation of each column with the percentage of positives (tables 6, 11 and, for the chosen iteration
    count of phase 1A, table 16).

    Args:
        scores: (data sets, systems).
        prevalence: share or percentage of positives in the original data, by data set; it may know more data sets.

    Returns:
        One row for each system: `system`, `pearson_r` (NaN where the scores don't vary), `p_value` (two-sided),
        `strength` (a word of `STRENGTHS`) and `data_sets`, their number.

    Raises:
        TableError: a data set has no percentage under the same name, there are fewer than 3, a score is missing, or a
            name stands twice.
    """
    _check(scores, least_systems=1)
    _check(prevalence.to_frame("percentage of positives"), least_systems=1)
    if unknown := [name for name in scores.index if name not in prevalence.index]:
        near = difflib.get_close_matches(str(unknown[0]), [str(name) for name in prevalence.index], 1)
        raise TableError(
            f"No percentage of positives is known for {_listed(unknown)}; give both tables the same data set names"
            f"{f' (did you mean {near[0]!r}?)' if near else ''}."
        )
    if len(scores) < 3:
        raise TableError(f"A correlation needs at least 3 data sets, not {len(scores)}.")
    share = prevalence.reindex(scores.index).to_numpy(dtype=np.float64)
    rows = []
    for system in scores.columns:
        values = np.round(scores[system].to_numpy(dtype=np.float64), NOISE_DECIMALS)
        r = p_value = np.nan
        if np.ptp(values) > 0 and np.ptp(share) > 0:
            r, p_value = (float(value) for value in stats.pearsonr(values, share))
        rows.append((system, r, p_value, correlation_strength(r), len(values)))
    return pd.DataFrame(rows, columns=["system", "pearson_r", "p_value", "strength", "data_sets"])


def correlation_strength(r: float) -> str:
    """The word for the size of a correlation, whatever its sign; "undefined" for NaN."""
    if np.isnan(r):
        return "undefined"
    return next(word for bound, word in STRENGTHS if abs(r) < bound)


@dataclass(frozen=True)
class RankComparison:
    """More than two systems compared by their ranks: what a critical-difference diagram shows.

    Attributes:
        ranks: mean rank by system, best (lowest) first.
        statistic, p_value: Friedman's test that all systems rank alike, corrected for ties.
        alpha: significance level.
        critical_difference: mean ranks that are less than this apart don't differ (Nemenyi).
        p_values: Nemenyi's p-value for each pair of systems, in the order of `ranks`; 1 on the diagonal.
        groups: largest sets of systems, best first, within which no two differ; a diagram joins each by a bar. Systems
            that differ from all others are in none.
        data_sets: number of data sets.
    """

    ranks: pd.Series
    statistic: float
    p_value: float
    alpha: float
    critical_difference: float
    p_values: pd.DataFrame
    groups: tuple[tuple[str, ...], ...]
    data_sets: int


def friedman_nemenyi(scores: pd.DataFrame, *, alpha: float = 0.05, higher_is_better: bool = True) -> RankComparison:
    """Friedman's test and Nemenyi's critical difference (Demšar 2006, section 3.2.2).

    The critical difference means something only where Friedman's p-value is below alpha.

    Args:
        scores: (data sets, systems), at least 3 systems and 2 data sets.
        alpha: significance level.
        higher_is_better: whether rank 1 goes to the highest score or to the lowest (training time).

    Raises:
        TableError: too few systems or data sets, a score is missing, or a name stands twice.
    """
    _check(scores, least_systems=3)
    n, k = scores.shape
    if n < 2:
        raise TableError(f"Ranks need at least 2 data sets, not {n}.")
    by_data_set = _ranks(scores, higher_is_better)
    ranks = by_data_set.mean().sort_values(kind="stable")
    statistic, p_value = 0.0, 1.0
    if (by_data_set.nunique(axis=1) > 1).any():
        statistic, p_value = (float(value) for value in stats.friedmanchisquare(*by_data_set.to_numpy().T))
    unit = np.sqrt(k * (k + 1) / (6 * n))
    critical = float(stats.studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2) * unit)
    apart = np.abs(np.subtract.outer(ranks.to_numpy(), ranks.to_numpy()))
    pairwise = np.clip(stats.studentized_range.sf(apart / unit * np.sqrt(2), k, np.inf), 0.0, 1.0)
    return RankComparison(
        ranks=ranks,
        statistic=statistic,
        p_value=p_value,
        alpha=alpha,
        critical_difference=critical,
        p_values=pd.DataFrame(pairwise, index=ranks.index, columns=ranks.index),
        groups=_groups(ranks, critical),
        data_sets=n,
    )


def _groups(ranks: pd.Series, critical_difference: float) -> tuple[tuple[str, ...], ...]:
    """Largest runs of systems, in order of rank, whose ends are less than the critical difference apart."""
    found, end_of_last = [], 0
    for start, rank in enumerate(ranks):
        end = int(np.searchsorted(ranks.to_numpy(), rank + critical_difference, side="left"))
        if end > max(end_of_last, start + 1):
            found.append(tuple(ranks.index[start:end]))
        end_of_last = max(end_of_last, end)
    return tuple(found)


def _ranks(scores: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    return scores.round(NOISE_DECIMALS).rank(axis=1, ascending=not higher_is_better)


def _signed_rank_p_value(differences: np.ndarray, decimals: int | None) -> float:
    if decimals is not None:
        differences = np.round(differences, decimals)
    if not differences.any():
        return 1.0
    exact = differences.all() and len(differences) <= _EXACT_UP_TO
    return float(stats.wilcoxon(differences, method="exact" if exact else "asymptotic").pvalue)


def _holm(p_values: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Holm's level for each p-value, and whether it and all smaller ones are below theirs."""
    order = np.argsort(p_values, kind="stable")
    levels, significant = np.empty(len(order)), np.empty(len(order), dtype=bool)
    levels[order] = alpha / np.arange(len(order), 0, -1)
    significant[order] = np.logical_and.accumulate(p_values[order] < levels[order])
    return levels, significant


def _check(scores: pd.DataFrame, least_systems: int) -> None:
    for names, kind in ((scores.index, "data set"), (scores.columns, "system")):
        if not names.is_unique:
            raise TableError(f"The {kind} {names[names.duplicated()][0]!r} stands twice; each may have one score only.")
    if scores.shape[1] < least_systems:
        raise TableError(f"This comparison needs at least {least_systems} systems, not {scores.shape[1]}.")
    if scores.empty:
        raise TableError("There is no data set to compare the systems on; finish at least one first.")
    gaps = scores.isna().to_numpy()
    if gaps.any():
        row, column = np.argwhere(gaps)[0]
        raise TableError(
            f"{scores.columns[column]} has no score on {scores.index[row]}; compare on data sets that all systems "
            "have finished."
        )


def _listed(names: pd.Index | list[str]) -> str:
    return ", ".join(repr(name) for name in names)
