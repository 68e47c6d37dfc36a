"""Clinical files as they are passed around: each compared with what was found by looking into it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from autopu_core.tables import TablePreparer, describe_table, read_table

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the folder ../shared with the clinical files is absent")


@dataclass(frozen=True)
class Known:
    """What a file holds: shape, cells of the first and last row, missing cells, and what its description must say."""

    file: str
    shape: tuple[int, int]
    target: str
    first: dict[str, object]
    last: dict[str, object]
    missing: dict[str, int] = field(default_factory=dict)
    tokens: dict[str, dict[str, int]] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    group: str | None = None


RAW = [
    Known(
        "Autism-Child-Data.arff",
        (292, 21),
        "Class/ASD",
        {"A1_Score": 1, "age": 6, "ethnicity": "Others", "contry_of_res": "Jordan", "Class/ASD": "NO"},
        {"age": 4, "gender": "f", "ethnicity": "South Asian", "result": 3, "Class/ASD": "NO"},
        missing={"age": 4, "ethnicity": 43, "relation": 43},
        tokens={"age": {"?": 4}},
        roles={"age_desc": "constant", "ethnicity": "category", "result": "numeric"},
        counts={"NO": 151, "YES": 141},
        notes=("ARFF",),
    ),
    Known(
        "Breast Cancer METABRIC.csv",
        (1985, 34),
        "Patient's Vital Status",
        {"Patient ID": "MB-0000", "Age at Diagnosis": 75.65, "Integrative Cluster": "4ER+", "Tumor Size": 22},
        {"Patient ID": "MB-7299", "Overall Survival (Months)": 201.9, "Tumor Size": 20},
        missing={"Tumor Stage": 515, "Cellularity": 68, "Patient's Vital Status": 5},
        roles={"Patient ID": "identifier", "Sex": "constant", "Integrative Cluster": "category"},
        notes=("'Integrative Cluster' is kept as text",),
    ),
    Known(
        "HepatitisCdata.csv",
        (615, 14),
        "Category",
        {"column_1": 1, "Category": "0=Blood Donor", "Age": 32, "ALB": 38.5, "PROT": 69},
        {"column_1": 615, "Category": "3=Cirrhosis", "Sex": "f", "CHE": 9.07, "GGT": 34},
        missing={"ALB": 1, "ALP": 18, "ALT": 1, "CHOL": 10, "PROT": 1},
        tokens={"ALP": {"NA": 18}},
        roles={"column_1": "identifier"},
        counts={"0=Blood Donor": 533},
        notes=("Column 1 has no name",),
    ),
    Known(
        "breast_cancer.csv",
        (569, 31),
        "column_31",
        {"column_1": 17.99, "column_4": 1001, "column_31": 0},
        {"column_1": 7.76, "column_7": 0, "column_31": 1},
        counts={"1": 357, "0": 212},
        notes=("'569 30 malignant benign'", "no line of column names"),
    ),
    Known(
        "column_2C_weka.csv",
        (310, 7),
        "class",
        {"pelvic_incidence": 63.0278175, "pelvic_tilt numeric": 22.55258597, "class": "Abnormal"},
        {"degree_spondylolisthesis": -0.199249089, "class": "Normal"},
        counts={"Abnormal": 210, "Normal": 100},
    ),
    Known(
        "dataR2.csv",
        (116, 10),
        "Classification",
        {"Age": 48, "HOMA": 0.467408667, "Classification": 0},
        {"MCP.1": 90.09, "Classification": 1},
        counts={"1": 64},
    ),
    Known(
        "diabetes.csv",
        (768, 9),
        "Outcome",
        {"Pregnancies": 6, "Insulin": 0, "BMI": 33.6, "Outcome": 1},
        {"Pregnancies": 1, "BMI": 30.4, "Outcome": 0},
        counts={"1": 268},
    ),
    Known(
        "diabetes_data_upload.csv",
        (520, 17),
        "class",
        {"Age": 40, "sudden weight loss": "No", "class": "Positive"},
        {"Age": 42, "Gender": "Male", "class": "Negative"},
        counts={"Positive": 320},
        warnings=("269 rows are an exact repeat",),
    ),
    Known(
        "healthcare-dataset-stroke-data.csv",
        (5110, 12),
        "stroke",
        {"id": 34496, "bmi": 47.5, "smoking_status": "Unknown", "stroke": 0},
        {"id": 29955, "age": 0.08, "bmi": 16.9, "stroke": 0},
        missing={"bmi": 201, "smoking_status": 0},
        tokens={"bmi": {"N/A": 201}},
        roles={"id": "identifier", "work_type": "category"},
        counts={"1": 249},
    ),
    Known(
        "heart-disease-304.csv",
        (303, 14),
        "target",
        {"age": 63, "oldpeak": 2.3, "target": 1},
        {"age": 57, "thal": 2, "target": 0},
        counts={"1": 165},
    ),
    Known(
        "heart_disease.tab",
        (303, 14),
        "diameter narrowing",
        {
            "age": 63,
            "gender": "male",
            "rest ECG": "left vent hypertrophy",
            "ST by exercise": 2.3,
            "thal": "fixed defect",
        },
        {"age": 38, "thal": "normal", "diameter narrowing": 0},
        missing={"major vessels colored": 4, "thal": 2},
        tokens={"thal": {"?": 2}, "major vessels colored": {"?": 4}},
        counts={"1": 139, "0": 164},
        notes=("Orange", "tabs"),
    ),
    Known(
        "heart_failure_clinical_records_dataset.csv",
        (299, 13),
        "DEATH_EVENT",
        {"age": 75, "platelets": 265000, "DEATH_EVENT": 1},
        {"age": 50, "time": 285, "DEATH_EVENT": 0},
        counts={"1": 96},
    ),
    Known(
        "indian_liver_patient.csv",
        (583, 11),
        "Dataset",
        {"Age": 65, "Gender": "Female", "ALBGLBR": 0.9, "Dataset": 1},
        {"Dataset": 2},
        missing={"ALBGLBR": 4},
        tokens={"ALBGLBR": {"": 4}},
        counts={"1": 416, "2": 167},
    ),
    Known(
        "oasis_longitudinal.csv",
        (373, 15),
        "Group",
        {"Subject ID": "OAS2_0001", "Group": "Nondemented", "MMSE": 27, "ASF": 0.883},
        {},
        missing={"SES": 19, "MMSE": 2},
        roles={"MRI ID": "identifier", "Hand": "constant"},
        counts={"Nondemented": 190, "Demented": 146, "Converted": 37},
        warnings=("'Subject ID' has 150 different values",),
        group="Subject ID",
    ),
    Known(
        "parkinsons.data",
        (195, 24),
        "status",
        {"name": "phon_R01_S01_1", "MDVP:Fo(Hz)": 119.992, "status": 1, "PPE": 0.284654},
        {"name": "phon_R01_S50_6", "MDVP:Jitter(Abs)": 0.00003, "status": 0, "PPE": 0.148569},
        roles={"name": "identifier"},
        counts={"1": 147},
        notes=("1 line before the table skipped: 'Citazione",),
        warnings=("32 different beginnings",),
    ),
    Known(
        "pbc_survival.csv",
        (418, 20),
        "status",
        {"id": 1, "age": 58.76522929500342, "sex": "f", "alk.phos": 1718, "stage": 4},
        {"id": 418, "platelet": 350, "stage": 4},
        missing={"trt": 106, "chol": 134, "stage": 6, "bili": 0},
        roles={"id": "identifier"},
    ),
    Known(
        "wdbc_with_ids.csv",
        (569, 32),
        "diagnosis",
        {"id": 842302, "diagnosis": "M", "radius_mean": 17.99, "fractal_dimension_worst": 0.1189},
        {"id": 92751, "diagnosis": "B", "fractal_dimension_worst": 0.07039},
        roles={"id": "identifier"},
        counts={"M": 212, "B": 357},
    ),
]


@pytest.mark.parametrize("known", RAW, ids=lambda known: known.file)
def test_raw_file(known: Known) -> None:
    table = read_table(SHARED / "raw" / known.file)
    frame, description = table.frame, describe_table(table)
    assert frame.shape == known.shape
    for row, cells in ((0, known.first), (-1, known.last)):
        assert frame[list(cells)].iloc[row].to_dict() == cells
    assert {name: int(frame[name].isna().sum()) for name in known.missing} == known.missing
    assert {name: table.missing_tokens[name] for name in known.tokens} == known.tokens
    assert {name: description.roles()[name] for name in known.roles} == known.roles
    assert description.proposed_target == known.target
    assert description.proposed_group == known.group
    counts = frame[known.target].value_counts()
    assert {str(value): int(count) for value, count in counts.items() if str(value) in known.counts} == known.counts
    for sentences, parts in ((table.notes, known.notes), (description.warnings, known.warnings)):
        assert all(any(part in sentence for sentence in sentences) for part in parts), sentences
    assert np.isfinite(TablePreparer(description.roles()).fit_transform(frame)).all()


def test_every_raw_file_is_known() -> None:
    assert {path.name for path in (SHARED / "raw").iterdir()} == {known.file for known in RAW}


CLEAN = [*sorted((SHARED / "pu").glob("*.csv")), *sorted((SHARED / "mlc").glob("*.csv"))] if SHARED.is_dir() else []


@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.name)
def test_clean_table_is_what_its_lines_say(path: Path) -> None:
    """Every cell against Python's own reading of it."""
    table = read_table(path)
    header, *lines = path.read_text().splitlines()
    assert list(table.frame.columns) == header.split(",")
    numbers = np.array([[float(cell or "nan") for cell in line.split(",")] for line in lines])
    np.testing.assert_array_equal(table.frame.to_numpy(dtype=np.float64), numbers)
    assert sum(sum(tokens.values()) for tokens in table.missing_tokens.values()) == np.isnan(numbers).sum()
    assert all(table.frame.dtypes.map(lambda dtype: dtype.kind in "if"))
    assert table.notes == ()


@pytest.mark.parametrize("path", [path for path in CLEAN if path.parent.name == "pu"], ids=lambda path: path.name)
def test_clean_table_is_described_and_passes_unchanged(path: Path) -> None:
    table = read_table(path)
    description = describe_table(table)
    assert description.proposed_target == "target"
    assert description.proposed_positive == ("1",)
    learned = [name for name in table.frame.columns if description.roles()[name] == "numeric"]
    assert set(table.frame.columns) - set(learned) <= {c.name for c in description.columns if c.role == "constant"}
    prepared = TablePreparer(description.roles()).fit_transform(table.frame)
    np.testing.assert_array_equal(prepared, table.frame[learned].to_numpy(dtype=np.float64))


@pytest.mark.parametrize("name", ["HepatitisCdata.csv", "pbc_survival.csv", "Breast Cancer METABRIC.csv"])
def test_agrees_with_pandas_on_numbers(name: str) -> None:
    path = SHARED / "raw" / name
    ours, theirs = read_table(path).frame, pd.read_csv(path)
    for mine, column in zip(ours.columns, theirs.columns, strict=True):
        if theirs[column].dtype.kind in "if":
            np.testing.assert_array_equal(ours[mine].to_numpy(dtype=float), theirs[column].to_numpy(dtype=float))
