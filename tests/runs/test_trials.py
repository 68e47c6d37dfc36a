import dataclasses
import pickle
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autopu_core.errors import StoreError
from autopu_core.runs.trials import pack_keys, unpack_keys


def test_a_trial_comes_back_equal(store, run, make_trial):
    written = make_trial(4, outcome="failed", reason="No reliable negative.", repeat_of=2, fitness=1 / 3)
    store.journal(run).write(written)
    assert store.trial(run, "fold 1", 4) == written
    assert pickle.loads(pickle.dumps(store.trial(run, "fold 1", 4))) == written


def test_folds_that_differ_in_their_names_come_back_equal(store, run, make_trial):
    for number, folds in enumerate([(), ({"rows": 1}, {"rows": 2, "reason": "None."}), ({},)]):
        store.journal(run).write(make_trial(number, folds=folds))
        assert store.trial(run, "fold 1", number).folds == folds


def test_the_journal_answers_with_the_trials_of_one_search(store, run, make_trial):
    journal = store.journal(run)
    assert journal.recorded("fold 1") == {}
    trials = [make_trial(0), make_trial(1), make_trial(0, search="final")]
    journal.write_many(trials)
    journal.write_many([])
    assert journal.recorded("fold 1") == {0: trials[0], 1: trials[1]}
    assert journal.recorded("final") == {0: trials[2]}


def test_numbers_out_of_a_table_or_an_array_are_numbers(store, run, make_trial):
    written = make_trial(np.int64(4), repeat_of=np.int64(2), fitness=np.float32(0.5), fits_naive=np.int32(9))
    store.journal(np.int64(run)).write(written)
    assert store.trial(np.int64(run), "fold 1", np.int64(4)) == written
    assert type(store.trial(run, "fold 1", 4).number) is int


def test_a_trial_is_never_rewritten(store, run, make_trial):
    journal = store.journal(run)
    journal.write(make_trial(3))
    with pytest.raises(StoreError, match="never rewritten: 3 of 'fold 1'"):
        journal.write(make_trial(3, fitness=9.0))
    with pytest.raises(StoreError, match="never rewritten"):
        journal.write_many([make_trial(2), make_trial(3)])
    assert list(journal.recorded("fold 1")) == [3]
    assert journal.recorded("fold 1")[3].fitness == 3 / 7
    journal.write(make_trial(3, search="fold 2"))


def test_a_journal_of_a_run_that_is_gone_says_so(store, run, make_trial):
    journal = store.journal(run)
    store.delete_run(run)
    with pytest.raises(StoreError, match="There is no run"):
        journal.write(make_trial(0))


def test_trials_as_a_table(store, run, make_trial):
    store.journal(run).write_many([make_trial(1), make_trial(0), make_trial(0, search="final", repeat_of=5)])
    frame = store.trials(run)
    assert list(zip(frame["search"], frame["number"], strict=True)) == [("fold 1", 1), ("fold 1", 0), ("final", 0)]
    assert frame["fitness"].tolist() == [1 / 7, 0, 0]
    assert frame["fits_distinct"].tolist() == [2, 2, 2]
    assert frame["reason"].isna().all()
    assert frame["repeat_of"].isna().tolist() == [True, True, False]
    assert store.trials(run, search="final")["number"].tolist() == [0]
    assert "classifier_1a" not in frame
    assert store.trials(run, genes=True)["classifier_1a"].tolist() == ["extra_trees"] * 3
    assert store.trials(run, genes=True)["flag_1b"].dtype == bool


def test_trials_that_a_page_has_not_seen_yet(store, run, make_trial):
    journal = store.journal(run)
    journal.write_many([make_trial(0), make_trial(1)])
    seen = store.trials(run)["rowid"].max()
    assert store.trials(run, after=seen).empty
    journal.write(make_trial(0, search="fold 2"))
    new = store.trials(run, after=seen)
    assert new["search"].tolist() == ["fold 2"]
    assert new["rowid"].item() > seen


@pytest.mark.parametrize("genes", [False, True])
def test_no_trials_are_a_table_of_the_same_types(store, run, make_trial, genes):
    empty = store.trials(run, genes=genes)
    store.journal(run).write(make_trial(0, reason="Because."))
    assert empty.empty
    assert empty.dtypes.to_dict().items() <= store.trials(run, genes=genes).dtypes.to_dict().items()


def test_a_trial_that_is_not_there(store, run):
    with pytest.raises(StoreError, match="Run 1 has no trial 7 in the search 'fold 1'"):
        store.trial(run, "fold 1", 7)


def test_totals_of_each_search(store, run, make_trial):
    store.journal(run).write_many(
        [
            make_trial(0, search="fold 2", outcome="timed_out", elapsed=4.5),
            make_trial(1, search="fold 2", key=make_trial(0).key, new_fits=(), elapsed=3.0),
            make_trial(0, search="final", outcome="failed"),
        ]
    )
    totals = store.search_totals(run).set_index("search")
    assert totals.index.tolist() == ["fold 2", "final"]
    assert totals.loc["fold 2"].to_dict() == {
        "assessments": 2,
        "distinct_candidates": 1,
        "failed": 0,
        "timed_out": 1,
        "best": 1 / 7,
        "elapsed": 4.5,
        "cpu_seconds": 0.5,
        "cpu_seconds_naive": 6.0,
        "fits_naive": 30,
        "fits_distinct": 2,
        "fits_computed": 4,
    }
    assert totals.loc["final", "failed"] == 1


def test_the_fits_that_a_run_was_charged_for_are_known_again(store, run, make_trial):
    store.journal(run).write_many([make_trial(0), make_trial(1, new_fits=()), make_trial(2, new_fits=("odd key",))])
    assert store.charged_fits(run) == {*make_trial(0).new_fits, "odd key"}


@settings(max_examples=50)
@given(
    st.one_of(
        st.lists(st.binary(min_size=8, max_size=8).map(bytes.hex)),
        st.lists(st.text("0123456789abcdef")),
        st.lists(st.text()),
    )
)
def test_packed_keys_come_back_equal(keys):
    assert unpack_keys(pack_keys(keys)) == tuple(keys)


def test_digests_are_packed_tightly():
    assert len(pack_keys([f"{number:016x}" for number in range(100)])) == 801


def test_ten_thousand_trials_are_read_in_no_time(store, run, make_trial):
    journal = store.journal(run)
    trials = [make_trial(number) for number in range(10_000)]
    for start in range(0, 10_000, 1000):
        journal.write_many(trials[start : start + 1000])
    began = time.perf_counter()
    frame = store.trials(run)
    all_of_them = time.perf_counter() - began
    began = time.perf_counter()
    last = store.trials(run, after=int(frame["rowid"].iloc[-11]))
    totals = store.search_totals(run)
    update = time.perf_counter() - began
    assert len(frame) == 10_000
    assert last["number"].tolist() == list(range(9_990, 10_000))
    assert totals["assessments"].tolist() == [10_000]
    # Measured 0.1 s and 0.02 s on a quiet machine; the bounds leave room for a busy one.
    assert all_of_them < 1.0
    assert update < 0.3


def test_genes_of_every_run_can_be_joined(store, run, make_trial):
    narrow = dataclasses.replace(make_trial(0), candidate={"iteration_count_1a": 1})
    store.journal(run).write_many([narrow, make_trial(1)])
    frame = store.trials(run, genes=True)
    assert frame["iteration_count_1a"].tolist() == [1, 3]
    assert pd.isna(frame["classifier_1a"].iloc[0])
