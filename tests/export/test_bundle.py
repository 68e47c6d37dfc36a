"""The model file: what it takes, what it warns of, and what is never loaded."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
import sys
import types
import warnings
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from autopu_core.errors import ModelError, TableError
from autopu_core.export import bundle
from autopu_core.export.bundle import (
    ExportedModel,
    current_versions,
    file_sha256,
    load_model,
    load_own_model,
    requirements,
    save_model,
)
from autopu_core.export.card import model_card


@pytest.fixture
def saved(model, tmp_path):
    """Path of the model's file, and the card beside it."""
    card = save_model(model, {"name": "Auto-PU model of run 1"}, tmp_path / "model")
    return tmp_path / "model" / card["file"], card


def rewritten(model: ExportedModel, path: Path, **changes: object) -> Path:
    """The same model as another installation would have written it."""
    path.write_bytes(pickle.dumps(replace(model, **changes), protocol=5))
    return path


# -- scoring ---------------------------------------------------------------------------------------------------------


def test_probabilities_are_the_pipeline_s_in_whatever_order_the_columns_come_and_whatever_else_there_is(model, clinic):
    expected = model.pipeline.predict_proba(clinic.drop(columns="diagnosis"))[:, 1]
    for rows in (
        clinic,
        clinic[["smoker", "seen", "ward", "marker"]],
        clinic.assign(**{"patient id": range(90), "=1+1": "x"})[
            ["=1+1", "smoker", "diagnosis", "ward", "patient id", "marker", "seen"]
        ],
        clinic.rename(columns=lambda name: f" {name} "),
        clinic.set_axis(np.arange(90)[::-1], axis=0),
    ):
        assert np.array_equal(model.predict_proba(rows), expected)


def test_rows_of_a_file_as_another_program_reads_it_give_the_same(model, clinic, tmp_path):
    clinic.to_csv(tmp_path / "clinic.csv", index=False)
    read = pd.read_csv(tmp_path / "clinic.csv")  # dates stay texts
    assert model.predict_proba(read) == pytest.approx(model.predict_proba(clinic))
    assert model.predict_proba(clinic.astype(object)) == pytest.approx(model.predict_proba(clinic))


def test_kinds_that_were_never_seen_count_as_none_of_those_known_and_gaps_are_filled(model, clinic):
    strange = clinic.assign(ward="moon", marker=np.nan)
    scored = model.predict_proba(strange)
    assert np.isfinite(scored).all()
    names = list(model.pipeline.named_steps["prepare"].get_feature_names_out())
    prepared = model.pipeline.named_steps["prepare"].transform(strange)
    assert not prepared[:, [position for position, name in enumerate(names) if name.startswith("ward")]].any()
    empty = clinic.assign(ward=None, marker=np.nan, seen=pd.NaT, smoker=None)
    assert len(set(model.predict_proba(empty))) == 1  # all that is known of these rows is nothing


def test_one_row_alone_is_scored_as_among_others(model, clinic):
    together = model.predict_proba(clinic)
    assert [model.predict_proba(clinic.iloc[[row]])[0] for row in (0, 7, 89)] == pytest.approx(together[[0, 7, 89]])


def test_a_missing_column_is_named_in_a_sentence(model, clinic):
    with pytest.raises(TableError, match=r"lacks 2 of the 4 columns that were learned from: 'marker', 'ward'\."):
        model.score(clinic.drop(columns=["ward", "marker"]))


def test_a_number_that_is_none_is_named_in_a_sentence(model, clinic):
    with pytest.raises(TableError, match="'marker' should hold numbers, but has 'high'"):
        model.score(clinic.assign(marker="high"))


def test_a_table_without_rows_is_refused(model, clinic):
    with pytest.raises(TableError, match="has no rows to score"):
        model.score(clinic.head(0))


def test_scores_stand_behind_all_columns_and_nothing_else_changes(model, clinic):
    rows = clinic.set_axis(clinic.index + 100, axis=0)
    scored = model.score(rows)
    assert list(scored.columns) == [*clinic.columns, "probability", "predicted"]
    pd.testing.assert_frame_equal(scored[list(clinic.columns)], rows)
    called = np.where(model.predict_proba(rows) >= 0.5, "positive", "not positive")
    assert scored["predicted"].tolist() == called.tolist()
    assert {"positive", "not positive"} == set(called)


def test_scoring_twice_keeps_the_first_scores(model, clinic):
    twice = replace(model, threshold=0.0).score(model.score(clinic).assign(predicted_3="own"))
    assert list(twice.columns)[-5:] == ["probability", "predicted", "predicted_3", "probability_2", "predicted_2"]
    assert set(twice["predicted_2"]) == {"positive"}
    assert twice["predicted"].tolist() == model.score(clinic)["predicted"].tolist()


def test_exactly_the_threshold_is_positive(model, clinic):
    probability = model.predict_proba(clinic)
    called = replace(model, threshold=probability[4]).predict(clinic)
    assert called[4]
    assert called.sum() == (probability >= probability[4]).sum()


def test_it_knows_the_rows_that_it_was_learned_from(model, clinic):
    assert model.learned_from(clinic)
    assert not model.learned_from(clinic.iloc[1:])
    assert not model.learned_from(clinic.assign(marker=clinic["marker"] + 1e-9))


def test_truth_is_known_where_the_target_has_a_value(model, clinic):
    rows = clinic.head(4).assign(diagnosis=["sick", None, " sick ", "well"])
    known, positive = model.truth(rows)
    assert known.tolist() == [True, False, True, True]
    assert positive.tolist() == [True, False, True, False]
    assert model.truth(rows.drop(columns="diagnosis")) is None
    numbers = replace(model, positive=("2", "4"))
    known, positive = numbers.truth(pd.DataFrame({"diagnosis": [2.0, np.nan, 4.0, 3.0]}))
    assert positive.tolist() == [True, False, True, False]


# -- saving and loading ----------------------------------------------------------------------------------------------


def test_a_saved_model_has_its_hash_in_the_card_and_scores_as_before(model, clinic, saved):
    path, card = saved
    assert card["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest() == file_sha256(path)
    assert json.loads((path.parent / "model_card.json").read_text(encoding="utf-8")) == card
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the same libraries: nothing to warn of
        loaded = load_model(path, known_hash=True)
    assert np.array_equal(loaded.predict_proba(clinic), model.predict_proba(clinic))
    for name in ("columns", "target", "positive", "versions", "fingerprint", "threshold"):
        assert getattr(loaded, name) == getattr(model, name)


def test_a_fresh_process_loads_it_as_the_card_says(clinic, model, saved):
    path, _ = saved
    clinic.to_parquet(path.parent / "rows.parquet")
    record = types.SimpleNamespace(name="clinic.csv", fingerprint="", rows=90, columns=5)
    settings = {"task": "engineered", "target": "diagnosis", "positive": ["sick"]}
    card = model_card(
        run=1, dataset=record, settings=settings, roles={}, result={"final": {}}, versions={}, created="2026-01-01"
    )
    script = (
        "import pandas; rows = pandas.read_parquet('rows.parquet'); "
        f"{card['how_to_load'].partition('  #')[0].replace('model.score(rows)', 'scored = model.score(rows)')}; "
        "scored.to_parquet('scored.parquet')"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", script],
        cwd=path.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    scored = pd.read_parquet(path.parent / "scored.parquet")
    assert scored["probability"].to_numpy() == pytest.approx(model.predict_proba(clinic), abs=1e-12)


def test_a_file_of_unknown_origin_is_refused_until_somebody_vouches_for_it(saved):
    path, card = saved
    with pytest.raises(ModelError, match="wasn't written by this installation") as refused:
        load_model(path, known_hash=False)
    assert card["sha256"][:12] in str(refused.value)
    assert "--trust" in str(refused.value)
    assert isinstance(load_model(path, known_hash=True), ExportedModel)


class _Trap:
    """Unpickling this makes a folder."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


@pytest.mark.parametrize("known_hash", [False, True])
def test_nothing_of_a_file_that_is_no_model_is_run(known_hash, tmp_path):
    file = tmp_path / "evil.pkl"
    file.write_bytes(pickle.dumps(_Trap(tmp_path / "trapped")))
    with pytest.raises(ModelError, match=r"evil\.pkl"):
        load_model(file, known_hash)
    assert not (tmp_path / "trapped").exists()


def test_a_file_that_was_changed_since_is_not_run_by_the_pages(model, saved, tmp_path):
    path, card = saved
    own, said = load_own_model(path, card["sha256"])
    assert isinstance(own, ExportedModel)
    assert said == []
    rewritten(model, path, pipeline=_Trap(tmp_path / "trapped"))
    with pytest.raises(ModelError, match=r"model\.pkl was changed since it was written.*export it again"):
        load_own_model(path, card["sha256"])
    assert not (tmp_path / "trapped").exists()


def test_a_file_that_is_gone_is_a_sentence(tmp_path):
    for load in (lambda path: load_model(path, known_hash=True), lambda path: load_own_model(path, "ab")):
        with pytest.raises(ModelError, match=r"gone\.pkl can't be read \(No such file"):
            load(tmp_path / "gone.pkl")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", pickle.dumps({"a": 1})])
def test_other_files_are_no_models(content, tmp_path):
    file = tmp_path / "other.pkl"
    file.write_bytes(content)
    with pytest.raises(ModelError, match=r"other\.pkl is not a model that this program wrote"):
        load_model(file, known_hash=True)


def test_a_pickle_that_only_mentions_the_program_is_no_model(tmp_path):
    file = tmp_path / "other.pkl"
    file.write_bytes(pickle.dumps("autopu_core.export.bundle"))
    with pytest.raises(ModelError, match="is not a model that this program wrote"):
        load_model(file, known_hash=True)


def test_a_damaged_file_is_a_sentence_with_a_way_out(saved):
    path, _ = saved
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ModelError, match=r"can't be loaded with the libraries installed here .*requirements\.txt"):
        load_model(path, known_hash=True)


def test_another_version_of_a_library_is_named_with_both_versions(model, clinic, tmp_path):
    versions = {**current_versions(), "scikit-learn": "0.24.2", "numpy": "1.19.0"}
    file = rewritten(model, tmp_path / "old.pkl", versions=versions)
    with pytest.warns(UserWarning, match="predictions may differ or fail") as caught:
        loaded = load_model(file, known_hash=True)
    (warning,) = caught
    for name in ("scikit-learn", "numpy"):
        assert f"{name} {versions[name]} (here {metadata.version(name)})" in str(warning.message)
    assert "pandas" not in str(warning.message)
    assert "requirements.txt" in str(warning.message)
    assert loaded.versions == versions  # those that it was made with, also when it is saved again
    assert np.array_equal(loaded.predict_proba(clinic), model.predict_proba(clinic))
    _, said = load_own_model(file, file_sha256(file))
    assert said == [str(warning.message)]


def test_the_warning_comes_before_anything_of_the_model_that_may_fail(model, tmp_path, monkeypatch):
    module = types.ModuleType("of_an_older_version")
    exec("class Estimator: pass", module.__dict__)
    module.Estimator.__module__ = module.__name__
    monkeypatch.setitem(sys.modules, module.__name__, module)
    versions = {**current_versions(), "scikit-learn": "0.24.2"}
    file = rewritten(model, tmp_path / "old.pkl", versions=versions, pipeline=module.Estimator())
    monkeypatch.delitem(sys.modules, module.__name__)
    with (
        pytest.warns(UserWarning, match=r"scikit-learn 0\.24\.2"),
        pytest.raises(ModelError, match=r"No module named 'of_an_older_version'.*requirements\.txt"),
    ):
        load_model(file, known_hash=True)


def test_a_file_of_a_newer_program_is_refused_with_its_version(model, tmp_path, monkeypatch):
    versions = {**current_versions(), "autopu-dashboard": "7.0"}
    with monkeypatch.context() as newer:
        newer.setattr(bundle, "FORMAT", bundle.FORMAT + 1)
        file = rewritten(model, tmp_path / "new.pkl", versions=versions)
    with pytest.raises(ModelError, match=r"newer version of the program \(7\.0\); update the program"):
        load_model(file, known_hash=True)


def test_requirements_pin_what_the_model_depends_on(saved):
    path, _ = saved
    lines = (path.parent / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if not line.startswith("#")]
    assert pinned == [
        f"{name}=={metadata.version(name)}" for name in ("numpy", "scipy", "pandas", "scikit-learn", "joblib")
    ]
    assert current_versions()["python"] in lines[0]
    assert requirements({"python": "3.11.2", "autopu-dashboard": "0.1", "numpy": "2.0"}).endswith("\nnumpy==2.0\n")
