from types import SimpleNamespace

import pandas as pd
import pytest

import autopu_core.tables
from autopu_core.errors import StoreError


@pytest.fixture(autouse=True)
def table_class(monkeypatch):
    monkeypatch.setattr(autopu_core.tables, "Table", SimpleNamespace, raising=False)


def test_a_table_comes_back_equal(store, table):
    dataset = store.add_dataset(table, {"columns": [{"name": "size", "examples": (1.5,)}]})
    loaded = store.load_table(dataset)
    pd.testing.assert_frame_equal(loaded.frame, table.frame, check_exact=True)
    assert (loaded.name, loaded.fingerprint, loaded.notes, loaded.missing_tokens) == (
        table.name,
        table.fingerprint,
        table.notes,
        table.missing_tokens,
    )
    record = store.dataset(dataset)
    assert (record.rows, record.columns) == (3, 5)
    assert record.description == {"columns": [{"name": "size", "examples": [1.5]}]}


def test_the_same_content_is_kept_once(store, table):
    first = store.add_dataset(table, {})
    assert store.add_dataset(SimpleNamespace(**{**vars(table), "name": "copy.xlsx"}), {}) == first
    assert [record.name for record in store.datasets()] == ["patients.csv"]
    assert len(list(store.home.datasets.iterdir())) == 1


def test_the_newest_is_listed_first(store, table, clock):
    store.add_dataset(table, {})
    clock.now += 1
    store.add_dataset(SimpleNamespace(**{**vars(table), "name": "other.csv", "fingerprint": "aa" * 32}), {})
    assert [record.name for record in store.datasets()] == ["other.csv", "patients.csv"]


@pytest.mark.parametrize("damage", ["missing", "damaged"])
def test_a_lost_file_is_one_sentence_and_uploading_again_mends_it(store, table, damage):
    dataset = store.add_dataset(table, {})
    (path,) = store.home.datasets.iterdir()
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(StoreError, match=r"data set 'patients.csv' .* upload the table again"):
        store.load_table(dataset)
    store.add_dataset(table, {})
    assert store.load_table(dataset).frame.equals(table.frame)


@pytest.mark.parametrize("name", ["../autopu", "", "0f0f0f0f0f0e"])
def test_an_id_that_is_not_there_never_becomes_a_path(store, table, name):
    store.add_dataset(table, {})
    for ask in (store.dataset, store.load_table, store.delete_dataset):
        with pytest.raises(StoreError, match="There is no data set"):
            ask(name)


def test_a_data_set_in_use_is_deleted_only_together_with_its_runs(store, run, settings):
    with pytest.raises(StoreError, match=r"'patients.csv' is used by run 1"):
        store.delete_dataset(settings.dataset)
    store.claim_run(run, "w")
    with pytest.raises(StoreError, match="Run 1 is running; cancel it"):
        store.delete_dataset(settings.dataset, with_runs=True)
    assert len(store.datasets()) == len(store.runs()) == len(list(store.home.datasets.iterdir())) == 1
    store.finish_run(run, "w", "finished", {})
    store.delete_dataset(settings.dataset, with_runs=True)
    assert store.datasets() == store.runs() == list(store.home.datasets.iterdir()) == []


def test_a_data_set_without_runs_is_deleted_with_its_file(store, table):
    store.delete_dataset(store.add_dataset(table, {}))
    assert store.datasets() == list(store.home.datasets.iterdir()) == []
