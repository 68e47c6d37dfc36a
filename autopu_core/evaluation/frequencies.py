"""How often a search chose each value of each hyperparameter (PU paper, section 6.3, tables 13-15)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from autopu_core.search.space import SearchSpace

TITLES = {
    "iteration_count_1a": "Phase 1A Iteration Count",
    "threshold_1a": "Phase 1A RN Threshold",
    "classifier_1a": "Phase 1A Classifier",
    "flag_1b": "Phase 1B Flag",
    "threshold_1b": "Phase 1B RN Threshold",
    "classifier_1b": "Phase 1B Classifier",
    "spy_rate": "Spy rate",
    "spy_tolerance": "Spy tolerance",
    "spy_flag": "Spy flag",
    "classifier_2": "Phase 2 Classifier",
}
"""The hyperparameters of a two-step learner as the paper's tables call them, in their order."""

_COLUMNS = ["parameter", "value", "count", "cases", "selection_percent", "baseline_percent", "difference"]


def hyperparameter_frequencies(
    candidates: Sequence[Mapping[str, Any]], space: SearchSpace, *, active_only: bool = True
) -> pd.DataFrame:
    """How often each value was chosen, against what choosing at random would give.

    A gene that doesn't matter for a candidate (the threshold of a phase 1B that is off) says nothing about what is
    good, so by default it isn't counted, and percentages are of the candidates for which the hyperparameter is active.
    The paper counts every gene of all runs: its percentages of phase 1B genes are multiples of 1/300 although phase 1B
    is off in half of the runs.

    Args:
        candidates: the chosen configurations, one for each search. Inactive genes may be absent, unless all count.
        space: the search space that they were chosen from.
        active_only: count active genes only; False counts as the paper does.

    Returns:
        One row for each value of each parameter, in the space's order: `parameter`, `value` (as text), `count`, `cases`
        (candidates counted for this parameter), `selection_percent` (0 where there are no cases), `baseline_percent`
        (100 / number of values), and `difference` in percentage points.

    Raises:
        ValueError: a value isn't one of the parameter's choices, or a gene that is to be counted is absent.
    """
    genes = [space.active(candidate) if active_only else candidate for candidate in candidates]
    rows = []
    for parameter in space.parameters:
        if not active_only and any(parameter.name not in gene for gene in genes):
            raise ValueError(f"A candidate has no {parameter.name!r}; without inactive genes count active ones only.")
        counts = Counter(gene[parameter.name] for gene in genes if parameter.name in gene)
        if unknown := [value for value in counts if value not in parameter.choices]:
            raise ValueError(f"{unknown[0]!r} is not a choice of {parameter.name!r} in the space {space.name!r}.")
        cases = counts.total()
        baseline = 100 / len(parameter.choices)
        for value in parameter.choices:
            percent = 100 * counts[value] / cases if cases else 0.0
            rows.append((parameter.name, str(value), counts[value], cases, percent, baseline, percent - baseline))
    return pd.DataFrame(rows, columns=_COLUMNS)


def most_frequent_values(frequencies: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The most frequent value of each hyperparameter, in the form of the paper's tables 13-15.

    Args:
        frequencies: for each search space by name (base before extended, as in the paper) what
            `hyperparameter_frequencies` gave for one optimiser.

    Returns:
        One row for each hyperparameter of any space, in the paper's order, and each space: `parameter`,
        `hyperparameter` (its title), `search_space`, `most_selected` (the first of equally frequent values),
        `selection_percent`, `baseline_percent`, `difference`. A hyperparameter that the space doesn't have, or that no
        candidate had active, has missing values there.
    """
    parameters = dict.fromkeys(name for table in frequencies.values() for name in table["parameter"])
    in_paper = [name for name in TITLES if name in parameters]
    ordered = in_paper + [name for name in parameters if name not in TITLES]
    rows = []
    for name in ordered:
        for space, table in frequencies.items():
            row = {"parameter": name, "hyperparameter": TITLES.get(name, name), "search_space": space}
            counted = table[(table["parameter"] == name) & (table["cases"] > 0)]
            if len(counted):
                best = counted.loc[counted["count"].idxmax()]
                row["most_selected"] = best["value"]
                row |= {column: best[column] for column in ("selection_percent", "baseline_percent", "difference")}
            rows.append(row)
    columns = [
        *("parameter", "hyperparameter", "search_space", "most_selected"),
        *("selection_percent", "baseline_percent", "difference"),
    ]
    return pd.DataFrame(rows, columns=columns)
