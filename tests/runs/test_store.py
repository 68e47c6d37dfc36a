import pickle
import time

import pandas as pd
import pytest
from sqlalchemy import insert, select

from autopu_core.errors import StoreError
from autopu_core.runs import Store
from autopu_core.runs.schema import runs


def test_a_pickled_store_opens_the_same_one(store, run):
    again = pickle.loads(pickle.dumps(store))
    assert [record.id for record in again.runs()] == [run]
    assert (again.home.root, again.url) == (store.home.root, store.url)
    again.close()


def test_the_database_is_the_one_that_the_variable_names(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOPU_DATABASE_URL", f"sqlite:///{tmp_path}/elsewhere.db")
    Store(tmp_path / "home")
    assert (tmp_path / "elsewhere.db").exists()
    assert not (tmp_path / "home" / "autopu.sqlite3").exists()
    monkeypatch.setenv("AUTOPU_DATABASE_URL", "mysqli")
    with pytest.raises(StoreError, match="'mysqli' isn't a database URL"):
        Store(tmp_path / "home")


@pytest.mark.parametrize("name", ["a?b#c%20d", "müller & söhne"])
def test_a_folder_of_any_name(tmp_path, name):
    Store(tmp_path / name).beat("w", 1, "here")
    assert (tmp_path / name / "autopu.sqlite3").exists()
    assert len(Store(tmp_path / name).live_workers()) == 1


def test_a_moved_data_folder_is_complete(tmp_path, table, settings):
    store = Store(tmp_path / "old")
    dataset = store.add_dataset(table, {})
    run = store.create_run(settings, {})
    path = store.model_folder(run) / "model.pkl"
    path.write_bytes(b"model")
    store.add_model(run, path, "ab", {})
    store.close()
    (tmp_path / "old").rename(tmp_path / "new")
    moved = Store(tmp_path / "new")
    assert moved.model_by_hash("ab").path.read_bytes() == b"model"
    assert moved.dataset(dataset).name == "patients.csv"


def test_the_clock_of_the_database_or_the_machine_is_about_right(store):
    real = Store(store.home.root, store.url)
    with real.database.read() as connection:
        assert abs(real.database.now(connection) - time.time()) < 60
    real.close()


def test_deleting_leaves_nothing_behind(tmp_path, table, settings, make_trial):
    secret = "Xanthippe-4711"
    table.frame["diagnosis, in 'words'"] = pd.Series([secret] * 3, dtype="str")
    table.missing_tokens = {secret: {"?": 1}}
    store = Store(tmp_path / "home")
    store.add_dataset(table, {"examples": [secret]})
    for _ in range(2):
        run = store.create_run(settings, {})
        store.claim_run(run, "w")
        store.journal(run, "w").write_many([make_trial(number, reason=secret) for number in range(500)])
        store.save_progress(run, {"candidate": secret}, "w")
        store.save_fold(run, "fold 1", {"note": secret}, "w")
        store.save_predictions(run, "fold 1", pd.DataFrame({"row": [1], "system": [secret]}), "w")
        path = store.model_folder(run) / "model.pkl"
        path.write_text(secret)
        path.with_suffix(".json").write_text(secret)
        elsewhere = store.home.models / f"loose-{run}.pkl"
        elsewhere.write_text(secret)
        exported = tmp_path / f"exported-{run}.pkl"
        exported.write_text("mine")
        for file in (path, elsewhere, exported):
            store.add_model(run, file, "ab", {"note": secret}, "w")
        store.finish_run(run, "w", "finished", {"note": secret}, error=secret)

    first, second = sorted(record.id for record in store.runs())
    store.delete_run(first)
    assert store.trials(first).empty
    assert len(store.trials(second)) == 500
    assert len(store.folds(second)) == len(store.predictions(second)) == 1
    assert {model.run for model in store.models()} == {second}
    assert not (store.home.models / str(first)).exists()
    store.delete_dataset(settings.dataset, with_runs=True)

    with store.database.read() as connection:
        left = {
            name: connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar()
            for name in ("datasets", "runs", "results", "trials", "folds", "predictions", "models")
        }
    assert set(left.values()) == {0}, left
    files = [path for path in store.home.root.rglob("*") if path.is_file()]
    assert {path.name.split("-")[0] for path in files} == {"autopu.sqlite3"}
    assert not any(secret.encode() in path.read_bytes() for path in files)
    Store(tmp_path / "empty").close()
    assert store.home.database.stat().st_size <= 1.5 * (tmp_path / "empty" / "autopu.sqlite3").stat().st_size
    assert (tmp_path / "exported-1.pkl").exists(), "a copy that a person keeps elsewhere is the person's"


def test_a_thousand_runs_are_listed_in_no_time(store, run):
    with store.database.write() as connection:
        (row,) = connection.execute(select(runs)).mappings()
        copies = [{**row, "id": number, "progress": {"done": number}} for number in range(2, 1001)]
        connection.execute(insert(runs), copies)
    began = time.perf_counter()
    listed = store.runs()
    # Measured 0.05 s on a quiet machine.
    assert time.perf_counter() - began < 0.5
    assert len(listed) == 1000
