"""The paper's printed tables, read from a folder that a person names."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from autopu_core.errors import TableError
from autopu_core.evaluation.benchmark_published import beside, published, published_run_times

PAPER = Path(__file__).parents[2].parent / "shared" / "paper"
needs_paper = pytest.mark.skipif(not PAPER.exists(), reason="the papers' printed tables aren't beside the project")

TABLE_4 = "slug,dataset,delta,system,f_measure\nspine,Spine,0.2,GA-1,0.652\nspine,Spine,0.2,BO-1,0.954\n"


def in_folder(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_names_become_ours(tmp_path):
    table = published(in_folder(tmp_path, "table04_any_name.csv", TABLE_4), 4)
    assert table.values.tolist() == [["spine", 0.2, "ga_base", 0.652], ["spine", 0.2, "bo_base", 0.954]]
    assert list(table.columns) == ["dataset", "delta", "system", "f_measure"]


def test_one_row_for_each_metric_of_a_test(tmp_path):
    text = (
        "delta,system_a,system_b,"
        "f_measure_rank_a,f_measure_rank_b,f_measure_p_value,f_measure_alpha,"
        "precision_rank_a,precision_rank_b,precision_p_value,precision_alpha,"
        "recall_rank_a,recall_rank_b,recall_p_value,recall_alpha\n"
        "0.2,GA-2,S-EM,1.1,1.9,3E-05,0.025,1.2,1.8,0.001,0.05,1.3,1.7,0.494,0.05\n"
    )
    table = published(in_folder(tmp_path, "table12_.csv", text), 12)
    assert table["metric"].tolist() == ["f_measure", "precision", "recall"]
    assert set(table["system_a"] + " " + table["system_b"]) == {"ga_extended s_em"}
    assert table["rank_a"].tolist() == [1.1, 1.2, 1.3]
    assert table["p_value"].tolist() == [3e-05, 0.001, 0.494]


def test_what_the_paper_does_not_have_is_missing(tmp_path):
    text = (
        "hyperparameter,search_space,most_selected,selection_pct,baseline_pct,difference_pct\n"
        "Spy flag,base,N/A,N/A,N/A,N/A\nSpy flag,extended,False,73.33,50.00,23.33\n"
    )
    table = published(in_folder(tmp_path, "table13_ga.csv", text), 13).set_index("search_space")
    assert table["parameter"].tolist() == ["spy_flag", "spy_flag"]
    assert table.loc["base", ["most_selected", "selection_percent"]].isna().all()
    assert table.loc["extended", "most_selected"] == "False"
    assert table.loc["extended", "difference"] == 23.33


def test_the_papers_value_stands_beside_ours(tmp_path):
    theirs = published(in_folder(tmp_path, "table04_f.csv", TABLE_4), 4)
    ours = pd.DataFrame(
        {"delta": [0.2, 0.4, 0.2], "dataset": "spine", "system": ["bo_base", "bo_base", "s_em"], "f_measure": 0.5}
    )
    joined = beside(ours, theirs)
    assert joined[ours.columns].equals(ours)
    assert joined["f_measure_published"].fillna(-1).tolist() == [0.954, -1, -1]
    assert list(beside(ours.head(0), theirs).columns) == [*ours.columns, "f_measure_published"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE_4.replace("f_measure", "f1"), r"table04_f\.csv has no column 'f_measure'; it should have slug, delta"),
        (TABLE_4.replace("0.954", "high"), r"Line 3 of .*table04_f\.csv has 'high' where a number should be"),
        (TABLE_4.replace("BO-1", "GA-1"), r"Line 3 of .*table04_f\.csv says again"),
        ("", r"table04_f\.csv can't be read as CSV"),
    ],
)
def test_a_table_that_is_not_what_it_should_be_is_told_in_a_sentence(tmp_path, text, message):
    in_folder(tmp_path, "table04_f.csv", text)
    with pytest.raises(TableError, match=message):
        published(tmp_path, 4)


def test_a_folder_without_the_table_is_named(tmp_path):
    with pytest.raises(TableError, match=r"has no table05_\*\.csv: name the folder that holds the paper's tables"):
        published(tmp_path, 5)
    with pytest.raises(TableError, match=r"has no runtime_\*\.csv"):
        published_run_times(tmp_path / "nowhere")


@needs_paper
def test_all_tables_of_the_paper_can_be_read():
    rows = {number: len(published(PAPER, number)) for number in range(3, 17)}
    assert rows == {
        **{3: 20, 4: 180, 5: 27, 6: 15, 7: 120, 8: 54, 9: 180, 10: 27, 11: 15, 12: 54},
        **{13: 20, 14: 20, 15: 20, 16: 18},
    }
    minutes = published_run_times(PAPER).set_index("system")["minutes"]
    assert minutes.to_dict() == {
        **{"ga_base": 226.3, "bo_base": 8.4, "ebo_base": 24.2},
        **{"ga_extended": 223.2, "bo_extended": 9.8, "ebo_extended": 20.2},
    }
