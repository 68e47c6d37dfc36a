"""A small clinic and a model of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from autopu_core.export.bundle import ExportedModel, current_versions
from autopu_core.tables import Table, TablePreparer


@pytest.fixture(scope="session")
def clinic() -> pd.DataFrame:
    """Raw rows as they come out of a file: numbers with gaps, kinds, a date, and a target."""
    rng = np.random.default_rng(5)
    sick = np.arange(90) % 3 == 0
    return pd.DataFrame(
        {
            "marker": np.where(np.arange(90) % 7 == 0, np.nan, rng.normal(size=90) + 2 * sick),
            "ward": pd.Series(rng.choice(["north", "south", "east"], size=90), dtype="str"),
            "seen": pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 300, 90), unit="D"),
            "smoker": rng.random(90) < 0.5,
            "diagnosis": pd.Series(np.where(sick, "sick", "well"), dtype="str"),
        }
    )


@pytest.fixture
def model(clinic: pd.DataFrame) -> ExportedModel:
    """Learned from the clinic."""
    table = Table.from_frame(clinic, "clinic.csv")
    features = table.frame.drop(columns="diagnosis")
    pipeline = Pipeline([("prepare", TablePreparer(scale=True)), ("learn", LogisticRegression())])
    pipeline.fit(features, (table.frame["diagnosis"] == "sick").to_numpy().astype(int))
    return ExportedModel(
        pipeline=pipeline,
        columns=pipeline.named_steps["prepare"].columns_,
        target="diagnosis",
        positive=("sick",),
        versions=current_versions(),
        fingerprint=table.fingerprint,
    )
