"""The engine's calls keep what is costly and ask again for what changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autopu_core.pu.spaces import BASE_SPACE
from autopu_core.runs import RunSettings, Store
from autopu_core.search.journal import Trial
from dashboard import engine


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("AUTOPU_HOME", str(tmp_path))
    yield tmp_path
    engine.store().close()


@pytest.fixture
def sample(home: Path) -> str:
    return engine.add_sample("breast_cancer_wisconsin")


def settings(dataset: str, **choices: Any) -> RunSettings:
    return RunSettings.from_preset("quick", dataset=dataset, target="diagnosis", positive=("malignant",), **choices)


def trial(number: int) -> Trial:
    candidate = BASE_SPACE.sample(1, np.random.default_rng(number))[0]
    return Trial("hold-out", number, 0, dict(candidate), BASE_SPACE.key(candidate), "scored", number / 100)


def test_only_new_trials_are_read(sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = engine.store().create_run(settings(sample), {})
    journal = engine.store().journal(run)
    assert engine.trials(run).empty
    journal.write_many([trial(number) for number in range(5)])
    assert list(engine.trials(run)["number"]) == [0, 1, 2, 3, 4]

    asked = []
    read = Store.trials
    monkeypatch.setattr(
        Store, "trials", lambda *args, **options: asked.append(options.get("after")) or read(*args, **options)
    )
    journal.write_many([trial(5)])
    seen = engine.trials(run)
    assert list(seen["number"]) == [0, 1, 2, 3, 4, 5]
    assert asked == [int(seen["rowid"].iloc[4])]
    assert engine.trials(run) is seen  # nothing new: the very same


def test_what_has_no_influence_on_the_rows_shares_them(sample: str) -> None:
    first = engine.task(settings(sample, optimizer="ga"))
    assert engine.task(settings(sample, optimizer="bo", configurations=7, time_limit=5.0)) is first
    assert engine.task(settings(sample, delta=0.2)) is not first


def test_a_refusal_is_a_sentence(sample: str) -> None:
    assert engine.refusal(settings(sample)) is None
    assert "malign" in engine.refusal(
        RunSettings.from_preset("quick", dataset=sample, target="diagnosis", positive=("malign",))
    )


def test_a_role_that_does_not_suit_the_values_is_refused_before_the_run(sample: str, home: Path) -> None:
    frame = engine.table(sample).frame.assign(ward=["east", "west", "north"] * 189 + ["east", "west"])
    from autopu_core.tables import Table, describe_table

    table = Table.from_frame(frame, "wards.csv")
    dataset = engine.store().add_dataset(table, describe_table(table).to_dict())
    assert engine.refusal(settings(dataset)) is None
    assert "'ward'" in engine.refusal(settings(dataset, roles={"ward": "numeric"}))


def test_the_estimate_grows_with_the_budget(sample: str) -> None:
    small, large = engine.estimate(settings(sample)), engine.estimate(settings(sample, iterations=80))
    assert 0 < small.low < small.high < large.high


def test_the_map_shows_every_kind_of_row(sample: str) -> None:
    points = engine.projection(settings(sample))
    assert set(points["kind"]) == {"labelled", "hidden", "negative"}
    assert np.isfinite(points[["x", "y"]].to_numpy()).all()


def test_a_deleted_table_is_gone(sample: str) -> None:
    engine.store().create_run(settings(sample), {})
    engine.delete_dataset(sample)
    assert engine.datasets() == []
    assert engine.runs() == []


def test_one_worker_is_started_however_often_it_is_asked_for(sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    monkeypatch.setattr(engine.worker, "ensure_worker", lambda store: started.append(store))
    numbers = engine.submit([settings(sample, optimizer="ga"), settings(sample, optimizer="bo")])
    engine.ensure_worker()
    engine.ensure_worker()
    assert len(started) == 1
    assert [engine.run(number).status for number in numbers] == ["queued", "queued"]
