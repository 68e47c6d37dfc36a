"""The PU paper's tables from a benchmark's results, with the published value beside ours where it is at hand.

Every table is made of the data sets that all systems in it have finished; its note says how many these are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from autopu_core.errors import TableError
from autopu_core.evaluation.benchmark import BenchmarkResults
from autopu_core.evaluation.frequencies import hyperparameter_frequencies, most_frequent_values
from autopu_core.evaluation.references import REFERENCES
from autopu_core.evaluation.statistics import average_ranks, correlation_with_prevalence, wilcoxon_holm
from autopu_core.pu.spaces import BASE_SPACE, EXTENDED_SPACE

_OPTIMIZERS = ("ga", "bo", "ebo")
_GENERATIONS = {"base": "1", "extended": "2"}
BASE, EXTENDED = ([f"{name}_{space}" for name in _OPTIMIZERS] for space in _GENERATIONS)
BASELINES = ["df_pu", "s_em"]

SYSTEM_TITLES = (
    {
        f"{name}_{space}": f"{name.upper()}-{generation}"
        for space, generation in _GENERATIONS.items()
        for name in _OPTIMIZERS
    }
    | {
        f"random_{name}_{space}": f"Random ({name.upper()}-{generation}'s budget)"
        for space, generation in _GENERATIONS.items()
        for name in _OPTIMIZERS
    }
    | {"s_em": "S-EM", "df_pu": "DF-PU"}
    | {name: reference.title for name, reference in REFERENCES.items()}
)
"""What systems are called in tables and charts; the paper's names where it has them."""

_METRICS = ("f_measure", "precision", "recall")
_TOO_FEW = 2


@dataclass(frozen=True)
class NamedTable:
    """One table.

    Attributes:
        number: of the paper's table ("4"), or a word where the paper has none.
        title: what it shows.
        note: how to read it, in plain words.
        frame: the table, ready to be shown.
    """

    number: str
    title: str
    note: str
    frame: pd.DataFrame


def paper_tables(results: BenchmarkResults, published: Path | None = None) -> list[NamedTable]:
    """All tables that the results allow.

    Args:
        results: of a benchmark.
        published: folder with the paper's tables as CSV files, or None.

    Raises:
        TableError: the folder has none of these files.
    """
    printed = Published(published)
    made = [
        _data_sets(results),
        _f_measures("4", results, BASE, printed),
        _tests("5", results, BASE, None, printed),
        _prevalence("6", results, BASE, printed),
        _f_measures("7", results, BASELINES, printed),
        *(_tests("8", results, [system, *BASELINES], system, printed) for system in BASE),
        _f_measures("9", results, EXTENDED, printed),
        _tests("10", results, EXTENDED, None, printed),
        _prevalence("11", results, EXTENDED, printed),
        *(_tests("12", results, [system, *BASELINES], system, printed) for system in EXTENDED),
        *(
            _frequencies(str(number), results, name, printed)
            for number, name in zip((13, 14, 15), _OPTIMIZERS, strict=True)
        ),
        _iteration_counts(results, printed),
        _times(results, printed),
        _against_random(results),
        _f_measures("references", results, list(REFERENCES), printed),
    ]
    return [table for table in made if len(table.frame)]


class Published:
    """The paper's printed tables, read from a folder when they are asked for."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is not None and not list(self.folder.glob("table*.csv")):
            raise TableError(f"{folder} holds none of the paper's tables (table04_f_measure_base.csv ..).")

    def read(self, name: str) -> pd.DataFrame | None:
        """The table whose file name begins so; None where it isn't at hand."""
        found = [] if self.folder is None else sorted(self.folder.glob(f"{name}*.csv"))
        return pd.read_csv(found[0]) if found else None

    def beside(
        self, ours: pd.DataFrame, name: str, on: Sequence[str], value: str, rename: dict[str, str]
    ) -> pd.DataFrame:
        """Our table with a column `published`."""
        printed = self.read(name)
        if printed is None or ours.empty:
            return ours
        columns = {**rename, value: "published"}
        printed = printed.rename(columns=columns)[[*on, "published"]]
        return ours.merge(printed, on=list(on), how="left")


# -- scores ---------------------------------------------------------------------------------------------------------


def mean_scores(results: BenchmarkResults, metric: str, systems: Sequence[str], delta: float) -> pd.DataFrame:
    """Mean over the folds of one metric: index data set, one column for each system, by its title.

    Only data sets that all these systems have finished; empty where there are none.
    """
    scores = results.scores
    kept = scores[(scores["metric"] == metric) & (scores["delta"] == delta) & scores["system"].isin(list(systems))]
    table = kept.pivot_table(index="dataset", columns="system", values="value", aggfunc="mean")
    table = table.reindex(columns=list(systems)).dropna()
    return table.rename(columns=SYSTEM_TITLES).rename_axis(columns=None)


def deltas(results: BenchmarkResults) -> list[float]:
    """The shares of hidden positives that occur, ascending."""
    return sorted(results.scores["delta"].unique())


def _data_sets(results: BenchmarkResults) -> NamedTable:
    frame = results.datasets[["title", "rows", "features", "positives", "positive_percent"]].round(2)
    frame = frame.set_axis(["Data set", "Rows", "Features", "Positives", "Positives, %"], axis=1)
    return NamedTable("3", "Table 3: the data sets", "As they were read, before anything was hidden.", frame)


def _f_measures(number: str, results: BenchmarkResults, systems: list[str], printed: Published) -> NamedTable:
    rows = []
    for delta in deltas(results):
        scores = mean_scores(results, "f_measure", systems, delta)
        long = scores.reset_index().melt("dataset", var_name="system", value_name="f_measure")
        rows.append(long.assign(delta=delta))
    ours = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
    note = "Mean F-measure on the test folds, against the true labels."
    if ours.empty:
        return NamedTable(number, "", note, ours)
    best = ours.groupby(["dataset", "delta"])["f_measure"].transform("max").round(9) == ours["f_measure"].round(9)
    wins = ours[best].groupby("system").size()
    note += " Best most often: " + ", ".join(
        f"{name} {count}" for name, count in wins.sort_values(ascending=False).items()
    )
    means = ours.groupby(["delta", "system"], sort=False)["f_measure"].mean().reset_index()
    ours = pd.concat([ours, means.assign(dataset="mean of these")], ignore_index=True)
    file = {"4": "table04", "7": "table07", "9": "table09"}.get(number)
    if file is not None:
        ours = printed.beside(
            ours, file, ["dataset", "delta", "system"], "f_measure", {"dataset": "name", "slug": "dataset"}
        )
    title = "F-measure of the plain references" if file is None else f"Table {number}: F-measure"
    return NamedTable(number, title, f"{note}.", _first(ours, "dataset", "delta", "system"))


def _tests(
    number: str, results: BenchmarkResults, systems: list[str], control: str | None, printed: Published
) -> NamedTable:
    rows, counted = [], set()
    for delta in deltas(results):
        for metric in _METRICS:
            scores = mean_scores(results, metric, systems, delta)
            if len(scores) < _TOO_FEW:
                continue
            counted.add(len(scores))
            tested = wilcoxon_holm(scores, control=None if control is None else SYSTEM_TITLES[control])
            rows.append(tested.assign(delta=delta, metric=metric))
    ours = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
    against = "" if control is None else f", {SYSTEM_TITLES[control]} against the baselines"
    note = (
        f"Wilcoxon signed-rank tests over {_numbers(counted)} data sets with Holm's correction; rank 1 is better. With "
        "five data sets or fewer nothing can be significant."
    )
    if len(ours):
        file = {"5": "table05", "8": "table08", "10": "table10", "12": "table12"}[number]
        of_f = printed.beside(
            ours[ours["metric"] == "f_measure"], file, ["delta", "system_a", "system_b"], "f_measure_p_value", {}
        )
        ours = pd.concat([of_f, ours[ours["metric"] != "f_measure"]], ignore_index=True)
    return NamedTable(number, f"Table {number}: significance{against}", note, _first(ours, "metric", "delta"))


def _prevalence(number: str, results: BenchmarkResults, systems: list[str], printed: Published) -> NamedTable:
    percent = results.datasets.set_index("dataset")["positive_percent"]
    return _correlations(
        number,
        "F-measure and percentage of positives",
        {delta: mean_scores(results, "f_measure", systems, delta) for delta in deltas(results)},
        percent,
        printed,
        "table06" if number == "6" else "table11",
    )


def _iteration_counts(results: BenchmarkResults, printed: Published) -> NamedTable:
    chosen = results.chosen[results.chosen["system"].isin([*BASE, *EXTENDED])]
    counts = [json.loads(candidate).get("iteration_count_1a") for candidate in chosen["candidate"]]
    table = chosen.assign(count=counts, system=chosen["system"].map(SYSTEM_TITLES))
    means = {
        delta: table[table["delta"] == delta].pivot_table(index="dataset", columns="system", values="count").dropna()
        for delta in deltas(results)
    }
    percent = results.datasets.set_index("dataset")["positive_percent"]
    title = "chosen iteration count of phase 1A and percentage of positives"
    return _correlations("16", title, means, percent, printed, "table16")


def _correlations(
    number: str,
    title: str,
    by_delta: dict[float, pd.DataFrame],
    percent: pd.Series,
    printed: Published,
    file: str,
) -> NamedTable:
    rows = [
        correlation_with_prevalence(values, percent).assign(delta=delta)
        for delta, values in by_delta.items()
        if len(values) >= 3
    ]
    ours = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
    ours = printed.beside(ours, file, ["system", "delta"], "pearson_r", {})
    note = "Pearson's correlation over the data sets, with the words of Schober et al. for its strength."
    return NamedTable(number, f"Table {number}: {title}", note, _first(ours, "system", "delta"))


# -- what was chosen, and what it cost ------------------------------------------------------------------------------


def _frequencies(number: str, results: BenchmarkResults, optimizer: str, printed: Published) -> NamedTable:
    tables = {}
    for space in (BASE_SPACE, EXTENDED_SPACE):
        of_system = results.chosen[results.chosen["system"] == f"{optimizer}_{space.name}"]
        if len(of_system):
            candidates = [json.loads(text) for text in of_system["candidate"]]
            tables[space.name] = hyperparameter_frequencies(candidates, space)
    ours = most_frequent_values(tables).drop(columns="parameter") if tables else pd.DataFrame()
    if len(ours):
        on = ["hyperparameter", "search_space"]
        ours = printed.beside(ours, f"table{number}", on, "most_selected", {"most_selected": "published"})
    note = (
        "The value chosen most often, and how often, in per cent of the searches in which it plays a role; the "
        "baseline "
        "is what choosing at random would give."
    )
    return NamedTable(number, f"Table {number}: what {optimizer.upper()} chose most often", note, ours)


def _times(results: BenchmarkResults, printed: Published) -> NamedTable:
    costs = results.costs.assign(system=results.costs["system"].map(SYSTEM_TITLES))
    means = (
        costs.groupby("system")[["assessments", "fits_computed", "cpu_seconds", "wall_seconds"]].mean().reset_index()
    )
    means = printed.beside(means, "runtime_minutes", ["system"], "minutes_per_5fold_cv_per_dataset", {}).rename(
        columns={"published": "published_minutes_on_48_cores"}
    )
    note = (
        "Means over data sets and deltas, all folds together. CPU seconds count each fit that a system needs once, "
        "also "
        "where another system had computed it; wall seconds profit from that."
    )
    return NamedTable("times", "Run times", note, means)


def _against_random(results: BenchmarkResults) -> NamedTable:
    rows = []
    for system in (*BASE, *EXTENDED):
        for delta in deltas(results):
            pair = mean_scores(results, "f_measure", [system, f"random_{system}"], delta)
            if pair.empty:
                continue
            own, random = (pair[name].round(9) for name in pair.columns)
            rows.append(
                {
                    "system": SYSTEM_TITLES[system],
                    "delta": delta,
                    "data_sets": len(pair),
                    "f_measure": own.mean(),
                    "random": random.mean(),
                    "difference": own.mean() - random.mean(),
                    "better": int((own > random).sum()),
                    "worse": int((own < random).sum()),
                    "p_value": wilcoxon_holm(pair)["p_value"].iloc[0],
                }
            )
    note = "Each optimiser beside random search that tries as many candidates: a positive difference is its merit."
    return NamedTable("random", "Against random search at the same budget", note, pd.DataFrame(rows))


def overall_ranks(results: BenchmarkResults, delta: float) -> pd.Series:
    """Mean rank of every system that has finished the same data sets, by F-measure."""
    present = [name for name in SYSTEM_TITLES if name in set(results.scores["system"])]
    return average_ranks(mean_scores(results, "f_measure", present, delta)).sort_values()


def _first(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    """The same table with these columns first."""
    if frame.empty:
        return frame
    return frame[[*names, *(name for name in frame.columns if name not in names)]]


def _numbers(counted: set[int]) -> str:
    return " or ".join(map(str, sorted(counted))) or "no"
