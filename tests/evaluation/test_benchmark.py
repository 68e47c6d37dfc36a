"""Results of a benchmark in a folder, and what they are called."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from autopu_core.errors import TableError
from autopu_core.evaluation.benchmark import RANDOM_SEARCH, SYSTEM_TITLES, BenchmarkResults


@pytest.fixture
def folder(tmp_path: Path, drawn) -> Path:
    drawn(np.random.default_rng(0), ["spine", "heart"], deltas=(0.2,)).write(tmp_path)
    return tmp_path


def test_what_is_written_comes_back_to_the_last_digit(tmp_path, drawn):
    results = drawn(np.random.default_rng(1), ["NA", "None", "0012"])  # a name isn't a missing value or a number
    results.scores.loc[0, "value"] = np.nan
    results.write(tmp_path / "new" / "folder")
    again = BenchmarkResults.read(tmp_path / "new" / "folder")
    for name in ("scores", "chosen", "costs", "datasets"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(results, name), check_exact=True)
    assert again.provenance == results.provenance


def test_nothing_can_be_written_and_read_too(tmp_path, made):
    made({}).write(tmp_path)
    empty = BenchmarkResults.read(tmp_path)
    assert (empty.systems, empty.deltas, len(empty.scores)) == ([], [], 0)


def test_systems_stand_in_the_order_of_the_titles_and_unknown_ones_last(made):
    results = made({("a", 0.2, name): [1.0] for name in ("zz", "corrected_forest", "aa", "s_em", "bo_base", "ga_base")})
    assert results.systems == ["ga_base", "bo_base", "s_em", "corrected_forest", "aa", "zz"]
    assert results.only(["s_em"]).systems == ["s_em"]


def test_titles_are_the_papers():
    assert [SYSTEM_TITLES[name] for name in ("ga_base", "ebo_extended", "df_pu", "s_em")] == [
        *("GA-1", "EBO-2", "DF-PU", "S-EM")
    ]
    assert SYSTEM_TITLES[RANDOM_SEARCH["bo_extended"]] == "Random search (BO-2's budget)"
    assert len(set(SYSTEM_TITLES.values())) == len(SYSTEM_TITLES) == 17


def test_means_over_folds(made):
    nan = float("nan")
    results = made({("a", 0.2, "x"): [0.5, 0.7], ("a", 0.2, "y"): [0.5, nan], ("b", 0.4, "x"): [0.1, 0.2]})
    means = results.fold_means
    assert means.loc[(0.2, "recall", "a"), "x"] == pytest.approx(0.6)
    assert means.loc[(0.4, "f_measure", "b"), "x"] == pytest.approx(0.15)
    assert means["y"].isna().all()  # undefined on one fold, or not there


def damage(folder: Path, name: str, before: str, after: str) -> None:
    text = (folder / name).read_text(encoding="utf-8")
    assert before in text
    (folder / name).write_text(text.replace(before, after, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "before", "after", "message"),
    [
        ("scores.csv", "metric,value", "metric,score", r"scores\.csv should have the columns dataset, delta"),
        ("scores.csv", "spine,0.2", "spine,few", r"Line 2 of .*scores\.csv has no number in 'delta'"),
        ("scores.csv", "spine,0.2", ",0.2", r"Line 2 of .*scores\.csv has nothing in 'dataset'"),
        ("scores.csv", "fold 1,precision", "fold 1,f_measure", r"Line 3 of .*scores\.csv says again what stands above"),
        ("datasets.csv", "heart,Heart", "spine,Heart", r"Line 3 of .*datasets\.csv says again"),
        ("chosen.csv", '"{""iteration', '"{iteration', r"Line 2 of .*chosen\.csv holds no candidate in JSON"),
        ("provenance.json", "{", "[", r"provenance\.json holds no JSON object"),
    ],
)
def test_a_damaged_folder_is_told_in_one_sentence(folder, name, before, after, message):
    damage(folder, name, before, after)
    with pytest.raises(TableError, match=message) as caught:
        BenchmarkResults.read(folder)
    assert "autopu benchmark" in str(caught.value)


@pytest.mark.parametrize("name", ["scores.csv", "chosen.csv", "costs.csv", "datasets.csv"])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(TableError, match=f"holds no benchmark results \\({name} is missing\\)"):
        BenchmarkResults.read(folder)


def test_a_file_that_is_no_csv_is_named(folder):
    (folder / "costs.csv").write_bytes(b"\xff\xfe\x00broken")
    with pytest.raises(TableError, match=r"costs\.csv"):
        BenchmarkResults.read(folder)
    (folder / "costs.csv").write_bytes(b"")
    with pytest.raises(TableError, match=r"costs\.csv can't be read as CSV"):
        BenchmarkResults.read(folder)


def test_a_folder_that_cannot_be_written_is_named(tmp_path, made):
    (tmp_path / "file").write_text("")
    with pytest.raises(TableError, match="can't be written"):
        made({}).write(tmp_path / "file" / "inside")
