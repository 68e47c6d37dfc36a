import pandas as pd
import pytest

from autopu_core.errors import StoreError


def predictions(probability: float) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "row": [3, 8],
            "truth": [1, 0],
            "labelled": [False, False],
            "probability": [probability, 0.25],
            "predicted": [1, 0],
            "system": ["search", "logistic_regression"],
        },
        index=[7, 7],
    )


def test_results_of_finished_folds_in_the_order_in_which_they_finished(store, run, clock):
    assert store.folds(run) == {}
    store.save_fold(run, "fold 2", {"test": {"f_measure": 0.5}})
    clock.now += 1
    store.save_fold(run, "fold 1", {"test": {"f_measure": 0.75}})
    assert list(store.folds(run)) == ["fold 2", "fold 1"]
    store.save_fold(run, "fold 2", {"test": {"f_measure": 1.0}})
    assert store.folds(run)["fold 2"] == {"test": {"f_measure": 1.0}}


def test_predictions_of_all_folds_and_saving_again_replaces(store, run):
    store.save_predictions(run, "fold 1", predictions(0.1))
    store.save_predictions(run, "fold 2", predictions(0.2))
    store.save_predictions(run, "fold 1", predictions(0.3))
    saved = store.predictions(run)
    assert saved["search"].tolist() == ["fold 1", "fold 1", "fold 2", "fold 2"]
    expected = predictions(0.3).reset_index(drop=True)
    pd.testing.assert_frame_equal(saved[saved["search"] == "fold 1"].drop(columns="search"), expected)


def test_a_run_without_predictions_has_an_empty_table_with_the_same_columns(store, run):
    empty = store.predictions(run)
    store.save_predictions(run, "hold-out", predictions(0.5))
    assert empty.empty
    assert empty.columns.tolist() == store.predictions(run).columns.tolist()


def test_a_model_is_known_by_its_hash(store, run):
    path = store.model_folder(run) / "model.pkl"
    number = store.add_model(run, path, "ab12", {"task": "engineered"})
    found = store.model_by_hash("AB12")
    assert (found.id, found.run, found.path, found.card) == (number, run, path, {"task": "engineered"})
    assert store.known_hash("ab12")
    assert not store.known_hash("ab13")
    with pytest.raises(StoreError, match="ab13"):
        store.model_by_hash("ab13")


def test_noting_a_model_again_updates_its_card_and_a_copy_elsewhere_is_another_one(store, run, tmp_path):
    path = store.model_folder(run) / "model.pkl"
    for card in ({"version": 1}, {"version": 2}):
        store.add_model(run, path, "ab12", card)
    assert [model.card for model in store.models(run)] == [{"version": 2}]
    store.add_model(run, tmp_path / "exported.pkl", "ab12", {})
    assert [model.path for model in store.models()] == [tmp_path / "exported.pkl", path]
    assert store.models(run + 1) == []
