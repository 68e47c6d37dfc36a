"""Where a table comes from, and that the kind of file doesn't change what is read."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from autopu_core.errors import TableError
from autopu_core.tables import read_table


def cohort() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 90, 50),
            "hb": rng.normal(13, 2, 50).round(3),
            "stage": rng.choice(["I", "II", "IV"], 50),
            "smoker": rng.random(50) < 0.5,
            "seen": pd.Timestamp(2020, 1, 1) + pd.to_timedelta(rng.integers(0, 400, 50), unit="D"),
        }
    )
    frame["seen"] = frame["seen"].astype("datetime64[us]")
    frame["stage"] = frame["stage"].astype("str")
    frame.loc[3:6, "hb"] = np.nan
    frame.loc[4, "stage"] = None
    return frame


def write(frame: pd.DataFrame, path: Path) -> Path:
    {
        ".csv": lambda: frame.to_csv(path, index=False),
        ".tsv": lambda: frame.to_csv(path, index=False, sep="\t", encoding="utf-16"),
        ".txt": lambda: frame.to_csv(path, index=False, sep=";", decimal=","),
        ".xlsx": lambda: frame.to_excel(path, index=False),
        ".parquet": lambda: frame.to_parquet(path),
    }[path.suffix]()
    return path


@pytest.mark.parametrize("ending", ["csv", "tsv", "txt", "xlsx", "parquet"])
def test_every_kind_of_file_gives_the_same_table(ending: str, tmp_path: Path) -> None:
    table = read_table(write(cohort(), tmp_path / f"cohort.{ending}"))
    pd.testing.assert_frame_equal(table.frame, cohort())
    assert table.fingerprint == read_table(write(cohort(), tmp_path / "other.csv")).fingerprint
    assert table.name == f"cohort.{ending}"


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "cohort.csv"
    path.write_text("age,sex\n63,m\n")
    sources = [path, str(path), path.read_bytes(), io.BytesIO(path.read_bytes()), io.StringIO(path.read_text())]
    with path.open("rb") as opened:
        tables = [read_table(source) for source in [*sources, opened]]
    assert {table.fingerprint for table in tables} == {tables[0].fingerprint}
    assert [table.name for table in tables] == ["cohort.csv"] * 2 + ["table"] * 3 + ["cohort.csv"]
    assert read_table(path, "given").name == "given"


@pytest.mark.parametrize(
    ("path", "says"), [("absent.csv", "There is no file"), (".", "is a folder"), ("a\0b", "can't be read")]
)
def test_a_path_that_can_not_be_read(path: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=says):
        read_table(tmp_path / path)


def test_fifty_thousand_rows_are_read_in_seconds(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50_000, 10)).round(5)).rename(columns="x{}".format)
    frame["class"] = pd.Series(rng.choice(["yes", "no"], 50_000), dtype="str")
    read = read_table(write(frame, tmp_path / "large.csv"))
    pd.testing.assert_frame_equal(read.frame, frame)


def test_parquet_keeps_an_index_that_is_more_than_a_count(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [63, 41]}, index=["P1", "P2"])
    frame.to_parquet(tmp_path / "a.parquet")
    assert read_table(tmp_path / "a.parquet").frame.to_dict("list") == {"age": [63, 41], "index": ["P1", "P2"]}
    frame.rename_axis("patient").to_parquet(tmp_path / "b.parquet")
    assert read_table(tmp_path / "b.parquet").frame.to_dict("list") == {"age": [63, 41], "patient": ["P1", "P2"]}
