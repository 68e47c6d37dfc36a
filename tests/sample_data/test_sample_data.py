"""The tables that ship: found, complete, what their source holds, and described without help."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

import sample_data
from autopu_core.tables import TablePreparer, as_text, describe_table, read_table
from sample_data import SAMPLES, sample_path
from sample_data.make_samples import alzheimers, wisconsin

SHAPES = {"breast_cancer_wisconsin": (569, 31), "alzheimers_biomarkers": (333, 131)}
POSITIVES = {"breast_cancer_wisconsin": 212, "alzheimers_biomarkers": 91}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_sample_is_read_and_described_without_help(sample: sample_data.Sample) -> None:
    table = read_table(sample_path(sample.name))
    description = describe_table(table)
    assert table.frame.shape == SHAPES[sample.name]
    assert table.notes == ()
    assert not table.frame.isna().any().any()
    assert (description.proposed_target, description.proposed_positive) == (sample.target, sample.positive)
    assert as_text(table.frame[sample.target]).isin(sample.positive).sum() == POSITIVES[sample.name]
    assert np.isfinite(TablePreparer(description.roles()).fit_transform(table.frame)).all()


def test_wisconsin_is_scikit_learns_copy() -> None:
    frame = read_table(sample_path("breast_cancer_wisconsin")).frame
    source = load_breast_cancer()
    np.testing.assert_array_equal(frame.drop(columns="diagnosis").to_numpy(), source.data)
    np.testing.assert_array_equal(frame["diagnosis"] == "malignant", source.target == 0)
    pd.testing.assert_frame_equal(frame, wisconsin(), check_dtype=False)


def test_alzheimers_only_changes_the_order_of_columns(tmp_path: Path) -> None:
    frame = pd.read_csv(sample_path("alzheimers_biomarkers"))
    shuffled = frame[sorted(frame.columns)]
    shuffled.to_csv(tmp_path / "ad_data.csv", index=False)
    made = alzheimers(tmp_path / "ad_data.csv")
    assert list(made.columns[:3]) == ["age", "male", "Genotype"]
    assert made.columns[-1] == "Class"
    pd.testing.assert_frame_equal(made[shuffled.columns], shuffled)


def test_every_sample_has_its_source_and_licence_beside_it() -> None:
    readme = sample_path("breast_cancer_wisconsin").with_name("README.md").read_text()
    licences = sample_path("breast_cancer_wisconsin").with_name("LICENCES.md").read_text()
    for sample in SAMPLES:
        assert f"## {sample.file}" in readme
        assert f"## {sample.file}" in licences
        assert sample.source
        assert sample.licence


def test_unknown_sample() -> None:
    with pytest.raises(KeyError):
        sample_path("absent")
