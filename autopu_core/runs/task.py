"""From a table and settings to the rows that a run learns from and tests on; what can't work is refused here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from autopu_core.errors import SettingsError, TableError
from autopu_core.evaluation.protocol import OuterSplit, final_split, outer_splits
from autopu_core.pu.auto import LearningTask
from autopu_core.pu.folds import folds
from autopu_core.pu.labels import Labels, read_labels
from autopu_core.runs.settings import RunSettings
from autopu_core.search.seeds import derive_seed
from autopu_core.tables import Table, TablePreparer, describe_table


@dataclass(frozen=True)
class RunTask:
    """What a run works on.

    Attributes:
        settings: of the run.
        labels: which rows take part, and their labels.
        features: DataFrame (rows that take part, columns learned from).
        groups: (n,) or None.
        preparer: unfitted.
        outer: training and test sets.
        final: all rows, for the exported model.
    """

    settings: RunSettings
    labels: Labels
    features: pd.DataFrame
    groups: np.ndarray | None
    preparer: TablePreparer
    outer: tuple[OuterSplit, ...]
    final: OuterSplit

    @property
    def searched(self) -> list[OuterSplit]:
        """The splits that are searched on, in order."""
        return [*self.outer, self.final] if self.settings.final_search else list(self.outer)

    def split(self, search: str) -> OuterSplit:
        """The split of a search, by its name."""
        return next(split for split in (*self.outer, self.final) if split.name == search)

    def learning_task(self, split: OuterSplit) -> LearningTask:
        """The rows that the search of a split may see: never its test rows, never hidden labels."""
        return LearningTask(
            rows=self.features.iloc[split.train],
            s=split.s,
            known_negative=self.labels.known_negative[split.train],
            use_known_negatives=self.settings.use_known_negatives,
            groups=None if self.groups is None else self.groups[split.train],
            preparer=self.preparer,
            seed=derive_seed(self.settings.seed, split.name),
        )

    def counts(self) -> dict[str, int]:
        """Rows of each kind, over all rows and in the first training set."""
        positive = self.labels.positive
        first = self.outer[0]
        labelled = int(first.s.sum())
        return {
            "rows": len(positive),
            "left_out": self.labels.left_out,
            "features": self.features.shape[1],
            "positives": int(positive.sum()),
            "known_negatives": int(self.labels.known_negative.sum()),
            "others": int((~positive & ~self.labels.known_negative).sum()),
            "training_rows": len(first.train),
            "test_rows": len(first.test),
            "labelled": labelled,
            "hidden": int(positive[first.train].sum()) - labelled,
        }


def prepare_task(table: Table, settings: RunSettings, guessed_roles: Mapping[str, str] | None = None) -> RunTask:
    """Check the settings against the table and lay out the run.

    Args:
        guessed_roles: what `describe_table` said of the columns, where that is known already.

    Raises:
        AutoPUError: a column is missing, the labels don't allow the folds, or nothing is left to learn from.
    """
    roles = {**(describe_table(table).roles() if guessed_roles is None else guessed_roles), **settings.roles}
    genuine = settings.task == "genuine"
    labels = read_labels(_column(table, settings.target), settings.positive, settings.negative, genuine)
    for name in (*settings.drop, *settings.roles):
        _column(table, name)
    groups = None
    if settings.group is not None:
        column = _column(table, settings.group).iloc[labels.rows]
        if column.isna().any():
            raise TableError(
                f"{int(column.isna().sum())} rows have no value in the group column {settings.group!r}, so it isn't "
                "known whose they are; fill it in or leave those rows out."
            )
        groups = pd.factorize(column)[0]
    not_learned = {settings.target, settings.group, *settings.drop}
    kept = [name for name in table.frame.columns if name not in not_learned]
    if not kept:
        raise SettingsError("No column is left to learn from; leave fewer columns out.")
    preparer = TablePreparer(roles={name: roles[name] for name in kept}, dates=settings.dates, scale=settings.scale)
    features = table.frame.loc[:, kept].iloc[labels.rows].reset_index(drop=True)
    common: dict[str, Any] = {"inner_folds": settings.inner_folds, "seed": settings.seed, "groups": groups}
    outer = outer_splits(labels, delta=settings.delta, n_folds=settings.folds, share=settings.holdout, **common)
    final = final_split(labels, delta=settings.delta if settings.hide_in_final else 0.0, **common)
    task = RunTask(settings, labels, features, groups, preparer, tuple(outer), final)
    for split in task.searched:
        folds(split.s, settings.inner_folds, 0, None if groups is None else groups[split.train])
    return task


def _column(table: Table, name: str) -> pd.Series:
    if name not in table.frame.columns:
        raise SettingsError(
            f"The table {table.name} has no column {name!r}; it has {', '.join(map(repr, table.frame.columns[:12]))}"
            f"{' ..' if table.frame.shape[1] > 12 else ''}."
        )
    return table.frame[name]
