"""Tables that ship with the project; README.md in this folder says where they come from and what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

__all__ = ["SAMPLES", "Sample", "sample_path"]


@dataclass(frozen=True)
class Sample:
    """A table that anybody may try the program with.

    Attributes:
        name: what it is called on the command line.
        file: its file in this folder.
        title: what it is about.
        target, positive: the diagnosis column and its positive values.
        source, licence: where it comes from.
    """

    name: str
    file: str
    title: str
    target: str
    positive: tuple[str, ...]
    source: str
    licence: str


SAMPLES = (
    Sample(
        name="breast_cancer_wisconsin",
        file="breast_cancer_wisconsin.csv",
        title="Breast masses: cell nuclei in fine-needle aspirates, malignant or benign",
        target="diagnosis",
        positive=("malignant",),
        source="scikit-learn's copy of the Breast Cancer Wisconsin (Diagnostic) data set",
        licence="BSD-3-Clause (scikit-learn)",
    ),
    Sample(
        name="alzheimers_biomarkers",
        file="alzheimers_biomarkers.csv",
        title="Cognitive impairment: proteins in spinal fluid, age, sex and genotype",
        target="Class",
        positive=("Impaired",),
        source="ad_data of the R package modeldata 1.1.0",
        licence="MIT (modeldata)",
    ),
)


def sample_path(name: str) -> Path:
    """Path of a sample's file.

    Raises:
        KeyError: there is no sample of that name.
    """
    files = {sample.name: sample.file for sample in SAMPLES}
    return Path(str(resources.files(__name__) / files[name]))
