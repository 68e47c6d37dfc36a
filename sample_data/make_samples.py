"""Writes the sample tables again from their sources.

    python -m sample_data.make_samples [--modeldata ad_data.csv]

The Wisconsin table comes from scikit-learn. The Alzheimer's table is R's `write.csv(modeldata::ad_data, "ad_data.csv",
row.names = FALSE)` with its columns in another order; without that file it is left as it is.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_breast_cancer

FOLDER = Path(__file__).parent


def wisconsin() -> pd.DataFrame:
    """569 rows, 30 measurements, and the diagnosis as text."""
    data = load_breast_cancer(as_frame=True)
    frame = data.data.rename(columns=lambda name: name.replace(" ", "_"))
    names = dict(enumerate(data.target_names))
    return frame.assign(diagnosis=data.target.map(names))


def alzheimers(exported: Path) -> pd.DataFrame:
    """333 rows: age, sex and genotype first, then the proteins, the class last."""
    frame = pd.read_csv(exported)
    first = ["age", "male", "Genotype"]
    return frame[[*first, *(name for name in frame.columns if name not in (*first, "Class")), "Class"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modeldata", type=Path)
    given = parser.parse_args()
    wisconsin().to_csv(FOLDER / "breast_cancer_wisconsin.csv", index=False)
    if given.modeldata:
        alzheimers(given.modeldata).to_csv(FOLDER / "alzheimers_biomarkers.csv", index=False)


if __name__ == "__main__":
    main()
