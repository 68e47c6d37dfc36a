"""Roles, warnings and proposals, on small tables whose answer a clinician would give at once."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from autopu_core.tables import Table, TableDescription, describe_table

N = 60


def describe(**columns: object) -> TableDescription:
    return describe_table(Table.from_frame(pd.DataFrame(columns), "t"))


def numbers(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=N)


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("hb", numbers(), "numeric"),
        ("age", np.arange(N) % 40 + 20, "numeric"),
        ("platelets", np.random.default_rng(0).permutation(N) * 1000 + 150_000, "numeric"),
        ("id", np.random.default_rng(0).permutation(N) + 1000, "identifier"),
        ("Patient ID", np.repeat(np.arange(N // 2), 2), "numeric"),
        ("patient_id", np.append(np.arange(N - 5), np.arange(5)) * 17, "identifier"),
        ("column_1", np.arange(1, N + 1), "identifier"),
        ("Unnamed: 0", np.arange(N), "identifier"),
        ("mrn", [f"M{n:05d}" for n in range(N)], "identifier"),
        ("sample", [f"S{n}" for n in range(N)], "identifier"),
        ("sex", ["m", "f"] * (N // 2), "category"),
        ("ok", [True, False] * (N // 2), "category"),
        ("remark", [f"seen in ward {n} with cough" for n in range(N)], "text"),
        ("seen", pd.date_range("2020-01-01", periods=N), "date"),
        ("country", ["DE"] * N, "constant"),
        ("nothing", [np.nan] * N, "constant"),
        ("label", ["yes", None] * (N // 2), "category"),
        ("flag", [1.0, np.nan] * (N // 2), "numeric"),
    ],
)
def test_role(name: str, values: object, role: str) -> None:
    column = describe(**{name: values}).columns[0]
    assert column.role == role
    assert column.leave_out == (role in ("identifier", "text", "constant"))
    assert (column.reason is not None) == column.leave_out


def test_counts_and_examples() -> None:
    column = describe(x=[1.0, 1.0, 2.5, np.nan]).columns[0]
    assert (column.missing, column.missing_share, column.distinct) == (1, 0.25, 2)
    assert column.examples == ("1", "2.5")


@pytest.mark.parametrize(
    ("columns", "target", "positive"),
    [
        ({"diagnosis": ["M", "B"] * 30, "hb": numbers()}, "diagnosis", ("M",)),
        ({"hb": numbers(), "Outcome": [0, 1, 0] * 20}, "Outcome", ("1",)),
        ({"hb": numbers(), "x": ["a", "b"] * 30}, "x", ("a",)),
        ({"status": [1, 0] * 30, "ppe": numbers()}, "status", ("1",)),
        ({"sex": ["m", "f"] * 30, "class": ["ckd", "notckd"] * 30, "hb": numbers()}, "class", ("ckd",)),
        ({"hb": numbers(), "disease": ["yes", None] * 30}, "disease", ("yes",)),
        ({"hb": numbers(), "stage": [1, 2, 3, 4] * 15}, "stage", ()),
        ({"hb": numbers(), "group": ["Control", "Impaired"] * 30}, "group", ("Impaired",)),
        ({"hb": numbers(), "state": ["healthy", "sepsis"] * 30}, "state", ("sepsis",)),
        ({"hb": numbers(), "bmi": numbers(1)}, None, ()),
    ],
)
def test_proposed_target(columns: dict, target: str | None, positive: tuple[str, ...]) -> None:
    description = describe(**columns)
    assert description.proposed_target == target
    if columns.get("x") is None:
        assert description.proposed_positive == positive


def test_several_rows_of_a_patient() -> None:
    description = describe(subject=[f"S{n // 3}" for n in range(N)], hb=numbers())
    assert description.proposed_group == "subject"
    (warning,) = (warning for warning in description.warnings if "one patient" in warning)
    assert description.settled_by_group == (warning,)
    assert describe(subject=[f"S{n}" for n in range(N)], hb=numbers()).proposed_group is None


def test_patients_hidden_in_names_of_records() -> None:
    names = [f"S{n // 3:02d}_{n % 3}" for n in range(N)]
    assert any("20 different beginnings" in warning for warning in describe(name=names, hb=numbers()).warnings)
    plain = describe(name=[f"MB-{n:04d}" for n in range(N)], hb=numbers())
    assert plain.warnings == ()


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([*numbers()[:-3], 999, 999, 999], "the value 999 in 3 rows"),
        ([*numbers()[:-2], -99, -99], "the value -99 in 2 rows"),
        ([*numbers()[:-1], np.inf], "Infinite values"),
        ([*numbers()[:-1], 1e39], "beyond 3.4e38"),
        ([1.0] * 5 + [2.0] * 5 + [np.nan] * 50, "missing in 83%"),
        ([f"k{n % 55}" for n in range(200)], "55 kinds"),
    ],
)
def test_warning(values: list, says: str) -> None:
    assert any(says in warning for warning in describe(x=values).warnings)


def test_a_score_that_ends_at_99_is_no_gap() -> None:
    percent = np.append(np.linspace(0, 98, N - 2).round(), [99, 99])
    assert describe(percent=percent, hb=numbers()).warnings == ()


def test_many_sparse_columns_make_one_warning() -> None:
    sparse = {f"x{n}": [1.0, 2.0, *[np.nan] * 10] for n in range(8)}
    assert [warning for warning in describe(**sparse).warnings if "8 columns" in warning]


def test_duplicate_rows() -> None:
    description = describe(a=[1, 1, 2], b=["x", "x", "y"])
    assert description.duplicate_rows == 1
    assert any("exact repeat" in warning for warning in description.warnings)


def test_description_is_json_ready() -> None:
    description = describe(a=numbers(), seen=pd.date_range("2020-01-01", periods=N), c=["x", None] * 30)
    record = json.loads(json.dumps(description.to_dict()))
    assert [column["name"] for column in record["columns"]] == ["a", "seen", "c"]
    assert description.roles() == {"a": "numeric", "seen": "date", "c": "category"}
