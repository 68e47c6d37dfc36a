"""The PU paper's tables as people read them: titles instead of names, the published value beside ours, plain notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from autopu_core.evaluation import benchmark_statistics as statistics
from autopu_core.evaluation import benchmark_words as words
from autopu_core.evaluation.benchmark import AUTO_PU, BASELINES, RANDOM_SEARCH, BenchmarkResults, system_title
from autopu_core.evaluation.benchmark_published import PUBLISHED, beside, published, published_run_times
from autopu_core.evaluation.metrics import METRICS
from autopu_core.pu.classifiers import TITLES as CLASSIFIER_TITLES

OVERVIEW = "Overview: all systems"
AGAINST_RANDOM_SEARCH = "Optimisers against random search with the same budget"
AGAINST_CORRECTED_FOREST = "Against the corrected forest"
RUN_TIMES = "Run times"
"""Titles of the tables that the paper doesn't have."""

_FIVE_SYSTEMS = {space: (*systems, *BASELINES) for space, systems in AUTO_PU.items()}
_COMPARED_ALONE = (
    "Each row is a test of its own (Wilcoxon, 5%), over the data sets that both have finished; among many rows a few "
    "pass it by luck."
)
_BREAST_CANCER = (
    "The paper's rows of the three breast cancer tables look exchanged for some systems: compare over all data sets, "
    "not row by row."
)


@dataclass(frozen=True)
class NamedTable:
    """A table to print or draw.

    Attributes:
        number: of the paper's table; None for those that the paper doesn't have.
        title: with the number.
        note: what the rows mean, over how many data sets, and what to be careful with; whole sentences.
        frame: rows for people, with headings; values are numbers, text or booleans.
    """

    number: int | None
    title: str
    note: str
    frame: pd.DataFrame


def paper_tables(results: BenchmarkResults, published_folder: Path | None = None) -> list[NamedTable]:
    """All tables that these results have something for: the summary first, then tables 3 to 16, then the run times.

    Args:
        published_folder: a folder with the paper's printed tables, see `benchmark_published`; their values stand beside
            ours in columns that end in "(paper)".

    Raises:
        TableError: the folder lacks a table, or the results don't fit together.
    """
    build = _Builder(results, published_folder)
    tables = [
        build.overview(),
        build.against_random_search(),
        build.against_corrected_forest(),
        build.data_sets(),
        build.f_measures(4, "the optimisers in the base space", AUTO_PU["base"]),
        build.all_pairs(5, "base"),
        build.correlations(6, "base"),
        build.f_measures(7, "the published PU learners", BASELINES),
        build.against_baselines(8, "base"),
        build.f_measures(9, "the optimisers in the extended space", AUTO_PU["extended"]),
        build.all_pairs(10, "extended"),
        build.correlations(11, "extended"),
        build.against_baselines(12, "extended"),
        *(build.chosen_values(number, optimizer) for number, optimizer in ((13, "ga"), (14, "bo"), (15, "ebo"))),
        build.iteration_counts(),
        build.run_times(),
    ]
    return [table for table in tables if len(table.frame)]


class _Builder:
    def __init__(self, results: BenchmarkResults, published_folder: Path | None) -> None:
        self.results = results
        self.folder = published_folder
        self.titles = dict(zip(results.datasets["dataset"], results.datasets["title"], strict=True))

    def overview(self) -> NamedTable:
        systems = self.results.systems
        table = statistics.summary(self.results, systems).rename(columns={"wins": "best"})
        if self.folder is not None and len(table):
            table = self._with_published_means(table)
        note = (
            "Mean F-measure on test rows (1 is perfect), mean rank among the systems shown (1 is best), and the number "
            f"of data sets on which no other system is better. {self._basis(systems)} Whoever picks the best of "
            "several systems by these numbers gets one that is too good: part of it is luck."
        )
        return self._table(None, OVERVIEW, note, table)

    def _with_published_means(self, table: pd.DataFrame) -> pd.DataFrame:
        printed = pd.concat([published(self.folder, number) for number in (4, 7, 9)])
        of_all = printed.groupby(["delta", "system"])["f_measure"].mean()
        used = {
            delta: set(statistics.mean_scores(self.results, delta, self.results.systems).index)
            for delta in self.results.deltas
        }
        same = printed[[row.dataset in used.get(row.delta, ()) for row in printed.itertuples()]]
        of_same = same.groupby(["delta", "system"])["f_measure"].agg(["mean", "count"])
        table = table.merge(of_same.reset_index(), how="left", on=["delta", "system"])
        table["same"] = table["mean"].where(table["count"] == table["data_sets"])
        table = table.drop(columns=["mean", "count"])
        return table.merge(of_all.rename("all").reset_index(), how="left", on=["delta", "system"])

    def against_random_search(self) -> NamedTable:
        table = statistics.against(self.results, RANDOM_SEARCH).drop(columns="opponent")
        note = (
            f"{words.verdicts(table, 'random search with its own budget')} Random search tries as many recipes as the "
            "optimiser beside it, without learning from them; an optimiser that isn't ahead of it isn't worth its "
            f"effort. {_COMPARED_ALONE}"
        )
        return self._table(None, AGAINST_RANDOM_SEARCH, note, table)

    def against_corrected_forest(self) -> NamedTable:
        searched = [system for system in self.results.systems if system in {*RANDOM_SEARCH, *BASELINES}]
        table = statistics.against(self.results, dict.fromkeys(searched, "corrected_forest")).drop(columns="opponent")
        note = (
            f"{words.verdicts(table, 'the corrected forest')} The corrected forest is one random forest and takes half "
            f"a second; a search has to be ahead of it to be worth its time. {_COMPARED_ALONE}"
        )
        return self._table(None, AGAINST_CORRECTED_FOREST, note, table)

    def data_sets(self) -> NamedTable:
        table = self.results.datasets.drop(columns="title").sort_values("dataset", ignore_index=True)
        note = "Rows without a label are left out. Positives are counted before any is hidden."
        return self._table(3, "Data sets", note, self._beside(table, 3))

    def f_measures(self, number: int, of: str, systems: Sequence[str]) -> NamedTable:
        long = self._beside(statistics.f_measures(self.results, systems), number)
        values = [name for name in long.columns if name.startswith("f_measure")]
        wide = long.pivot(index=["delta", "dataset"], columns="system", values=values)
        order = [(value, system) for value in values for system in systems if (value, system) in wide.columns]
        wide = wide[order]
        wide.columns = [
            system_title(system) + (" (paper)" if value.endswith(PUBLISHED) else "") for value, system in order
        ]
        note = f"F-measure on test rows{self._folds()}; 1 is perfect. An empty cell isn't finished yet. "
        note += words.means_and_wins(statistics.summary(self.results, systems))
        note += f" {_BREAST_CANCER}" if self.folder is not None else ""
        return self._table(number, f"F-measure of {of}", note.rstrip(), wide.reset_index())

    def all_pairs(self, number: int, space: str) -> NamedTable:
        table = statistics.wilcoxon_all_pairs(self.results, AUTO_PU[space])
        return self._tests(number, f"Pairs of optimisers in the {space} space", table, AUTO_PU[space])

    def against_baselines(self, number: int, space: str) -> NamedTable:
        table = statistics.wilcoxon_against(self.results, AUTO_PU[space], BASELINES)
        title = f"Optimisers in the {space} space against the published PU learners"
        return self._tests(number, title, table, _FIVE_SYSTEMS[space])

    def _tests(self, number: int, title: str, table: pd.DataFrame, systems: Sequence[str]) -> NamedTable:
        joined = self._beside(table, number)
        if f"alpha{PUBLISHED}" in joined.columns:
            below = joined[f"p_value{PUBLISHED}"] < joined[f"alpha{PUBLISHED}"]
            joined[f"significant{PUBLISHED}"] = below.astype(object).where(joined[f"alpha{PUBLISHED}"].notna(), None)
            joined = joined.drop(columns=f"alpha{PUBLISHED}")
        joined["metric"] = joined["metric"].map({name: METRICS[name].title for name in statistics.TESTED_METRICS})
        note = (
            "Mean ranks between the two (the lower is better) and Wilcoxon's signed-rank test over the data sets. A "
            f"difference is significant where its p-value is below Holm's alpha. {self._basis(systems)} "
            f"{words.too_few_data_sets(table)}"
        )
        return self._table(number, title, note.rstrip(), joined)

    def correlations(self, number: int, space: str) -> NamedTable:
        table = statistics.prevalence_correlations(self.results, _FIVE_SYSTEMS[space])
        note = (
            "Pearson's correlation of F with the percentage of positives in the data set: above 0, F is higher where "
            f"positives are frequent. {self._basis(_FIVE_SYSTEMS[space])}"
        )
        title = f"F-measure and percentage of positives, {space} space"
        return self._table(number, title, note, self._beside(table, number))

    def chosen_values(self, number: int, optimizer: str) -> NamedTable:
        table = self._beside(statistics.chosen_values(self.results, optimizer), number)
        table = table[table["selection_percent"].notna()].drop(columns="parameter")
        table["most_selected"] = table["most_selected"].map(lambda value: CLASSIFIER_TITLES.get(value, value))
        note = (
            "The most frequent value of each hyperparameter among the chosen recipes, its share, and the share that "
            "drawing at random would give. A part that a recipe doesn't use isn't counted; the paper counts it."
        )
        if number == 15 and self.folder is not None:
            note += " The paper misprints the shares by chance of spy rate and tolerance: they are 14.29 and 9.09 %."
        return self._table(number, f"What {optimizer.upper()} chose most often", note, table)

    def iteration_counts(self) -> NamedTable:
        table = self._beside(statistics.iteration_count_correlations(self.results), 16)
        note = (
            "Pearson's correlation of the chosen number of parts in phase 1A (mean over the folds) with the percentage "
            "of positives: below 0, rarer positives go with more parts. Each system over all data sets that it has "
            "finished."
        )
        return self._table(16, "Parts of phase 1A and percentage of positives", note, table)

    def run_times(self) -> NamedTable:
        table = statistics.run_times(self.results)
        if self.folder is not None:
            table = beside(table.assign(minutes=float("nan")), published_run_times(self.folder)).drop(columns="minutes")
        note = (
            "Time of one cross-validation on one data set, mean over those that all systems have finished. CPU "
            "time counts each different fit once, also where an earlier system had computed it; wall time gains from "
            "such fits, so later systems look faster than they are. The plain references take about a second, which "
            "nobody measured."
        )
        if self.folder is not None:
            note += " The paper's minutes are for 5 folds and its full budget on 48 cores: only their ratios compare."
        return self._table(None, RUN_TIMES, note, table)

    def _beside(self, table: pd.DataFrame, number: int) -> pd.DataFrame:
        return table if self.folder is None else beside(table, published(self.folder, number))

    def _folds(self) -> str:
        folds = self.results.provenance.get("folds")
        return f", mean over {folds} folds" if folds else ""

    def _basis(self, systems: Sequence[str]) -> str:
        counts = {delta: len(statistics.mean_scores(self.results, delta, systems)) for delta in self.results.deltas}
        left_out = [
            f"{self.titles.get(dataset, dataset)} at {delta:.0%} ({words.listed(map(system_title, lacking))})"
            for dataset, delta, lacking in statistics.unfinished(self.results, systems)
        ]
        return words.basis(counts, left_out)

    def _table(self, number: int | None, title: str, note: str, frame: pd.DataFrame) -> NamedTable:
        """Names become titles, columns get their headings."""
        frame = frame.copy()
        for column in frame.columns.intersection(["system", "system_a", "system_b"]):
            frame[column] = frame[column].map(system_title)
        if "dataset" in frame.columns:
            frame["dataset"] = frame["dataset"].map(lambda name: self.titles.get(name, name))
        if "delta" in frame.columns:
            percent = (100 * frame["delta"].astype(float)).round(1)
            frame["delta"] = percent.astype(int) if (percent == percent.round()).all() else percent
        beginning = ("delta", "metric", "dataset", "system", "verdict", "hyperparameter")
        first = [name for name in beginning if name in frame.columns]
        frame = frame[[*first, *(name for name in frame.columns if name not in first)]]
        full = title if number is None else f"Table {number}. {title}"
        return NamedTable(number, full, note, frame.rename(columns=words.heading).reset_index(drop=True))
