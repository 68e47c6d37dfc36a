import dataclasses

import pytest

from autopu_core.errors import SettingsError, StoreError
from autopu_core.runs import LeaseLostError
from autopu_core.runs.queue import MAX_ATTEMPTS


def test_a_submitted_run_is_seen_with_all_that_it_was_given(store, run, settings):
    seen = store.run(run)
    assert seen.settings == settings
    assert (seen.status, seen.versions, seen.dataset_name) == ("queued", {"python": "3.11"}, "patients.csv")
    assert (seen.result, seen.error, seen.worker, seen.started, seen.finished) == (None,) * 5
    assert seen.created.isoformat() == "1970-01-12T13:46:40+00:00"


def test_settings_of_every_type_come_back_equal(store, run, settings):
    rich = dataclasses.replace(
        settings, negative=("no", "nein"), roles={"a": "numeric"}, drop=("x",), time_limit=1.5, folds=5, holdout=None
    )
    assert store.run(store.create_run(rich, {})).settings == rich


def test_a_run_needs_its_data_set(store, settings):
    with pytest.raises(StoreError, match="no data set '0f0f0f0f0f0f'"):
        store.create_run(settings, {})


def test_runs_are_claimed_in_the_order_in_which_they_were_submitted(store, run, settings, clock):
    clock.now += 1
    second = store.create_run(settings, {})
    assert [store.claim_next("w1"), store.claim_next("w2"), store.claim_next("w3")] == [run, second, None]
    assert [record.id for record in store.runs()] == [second, run]
    assert [record.worker for record in store.runs()] == ["w2", "w1"]


def test_a_claimed_run_cannot_be_claimed_again_while_its_lease_lasts(store, run, clock):
    assert store.claim_run(run, "w1", 10)
    assert not store.claim_run(run, "w2", 10)
    clock.now += 9.9
    assert not store.claim_run(run, "w2", 10)
    assert store.run(run).status == "running"


def test_an_expired_lease_shows_as_interrupted_and_may_be_claimed(store, run, clock):
    store.claim_run(run, "w1", 10)
    clock.now += 10
    assert store.run(run).status == "interrupted"
    assert store.runs()[0].status == "interrupted"
    assert store.run(run).worker is None
    assert store.claim_next("w2", 10) == run
    assert store.run(run).attempts == 2
    with pytest.raises(LeaseLostError):
        store.renew_lease(run, "w1")


def test_a_renewed_lease_holds(store, run, clock):
    store.claim_run(run, "w1", 10)
    for _ in range(5):
        clock.now += 8
        assert store.renew_lease(run, "w1") is None
        assert not store.claim_run(run, "w2", 10)


def test_a_sleeper_whose_run_nobody_took_goes_on(store, run, clock):
    store.claim_run(run, "w1", 10)
    clock.now += 8 * 3600
    store.renew_lease(run, "w1")
    assert store.run(run).status == "running"


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_a_dead_workers_run_is_free_after_a_jump_of_the_clock_in_either_direction(store, run, clock, jump):
    store.claim_run(run, "w1", 10)
    clock.now += jump
    assert store.run(run).status == "interrupted"
    assert store.claim_next("w2", 10) == run


def test_a_small_correction_of_the_clock_changes_nothing(store, run, clock):
    store.claim_run(run, "w1", 10)
    clock.now -= 5
    assert store.run(run).status == "running"
    assert not store.claim_run(run, "w2", 10)


def test_a_run_that_keeps_killing_its_worker_waits_for_a_person(store, run, clock):
    for attempt in range(MAX_ATTEMPTS):
        assert store.claim_next(f"w{attempt}", 10) == run
        clock.now += 11
    assert store.claim_next("another", 10) is None
    store.resume_run(run)
    assert store.claim_next("another", 10) == run


def test_nothing_is_written_by_a_worker_that_lost_its_lease(store, run, clock, make_trial):
    store.claim_run(run, "w1", 10)
    clock.now += 11
    store.claim_run(run, "w2", 10)
    for write in (
        lambda: store.finish_run(run, "w1", "finished", {}),
        lambda: store.save_progress(run, {}, "w1"),
        lambda: store.pending_command(run, "w1"),
        lambda: store.journal(run, "w1").write(make_trial(0)),
        lambda: store.save_fold(run, "fold 1", {}, "w1"),
        lambda: store.add_model(run, store.home.models / "m", "ab", {}, "w1"),
    ):
        with pytest.raises(LeaseLostError):
            write()
    assert store.trials(run).empty
    assert store.folds(run) == {}
    assert store.models() == []
    assert store.run(run).worker == "w2"
    store.journal(run, "w2").write(make_trial(0))


def test_a_finished_run_keeps_its_result(store, run):
    store.claim_run(run, "w1")
    store.save_progress(run, {"search": "fold 1", "done": 3}, "w1")
    store.finish_run(run, "w1", "finished", {"folds": [{"f_measure": 0.9}]})
    seen = store.run(run)
    assert (seen.status, seen.result, seen.worker) == ("finished", {"folds": [{"f_measure": 0.9}]}, None)
    assert seen.progress == {"search": "fold 1", "done": 3}
    assert seen.finished is not None
    assert store.runs()[0].result is None
    assert store.runs(results=True)[0].result == seen.result
    assert store.claim_next("w2") is None


def test_a_failed_run_says_why_and_a_new_attempt_forgets_it(store, run):
    store.claim_run(run, "w1")
    store.finish_run(run, "w1", "failed", error="The disk is full.\0\ud800")
    assert store.run(run).error == "The disk is full.\ufffd?"
    store.resume_run(run)
    assert (store.run(run).status, store.run(run).error) == ("queued", None)


def test_the_result_of_a_former_attempt_stays_until_there_is_a_new_one(store, run):
    store.claim_run(run, "w1")
    store.finish_run(run, "w1", "cancelled", {"best": 1})
    store.resume_run(run)
    assert store.run(run).result == {"best": 1}
    store.claim_run(run, "w2")
    store.finish_run(run, "w2", "finished", {"best": 2})
    assert store.run(run).result == {"best": 2}


@pytest.mark.parametrize("asked", ["pause", "cancel"])
def test_the_worker_learns_of_a_command_when_it_renews(store, run, asked):
    store.claim_run(run, "w1")
    assert store.pending_command(run, "w1") is None
    store.command(run, asked)
    assert (store.run(run).status, store.run(run).command) == ("running", asked)
    assert store.pending_command(run, "w1") == asked
    assert store.renew_lease(run, "w1") == asked
    store.finish_run(run, "w1", "paused")
    assert store.run(run).command is None


@pytest.mark.parametrize("taken_back", ["resume", None])
def test_a_command_can_be_taken_back(store, run, taken_back):
    store.claim_run(run, "w1")
    store.command(run, "pause")
    store.command(run, taken_back)
    assert store.renew_lease(run, "w1") is None


def test_a_command_outlives_the_worker_that_should_have_obeyed(store, run, clock):
    store.claim_run(run, "w1", 10)
    store.command(run, "cancel")
    clock.now += 11
    store.claim_run(run, "w2", 10)
    assert store.renew_lease(run, "w2") == "cancel"


@pytest.mark.parametrize(("asked", "reached"), [("pause", "paused"), ("cancel", "cancelled")])
@pytest.mark.parametrize("abandoned", [False, True])
def test_a_run_without_a_worker_obeys_at_once(store, run, clock, asked, reached, abandoned):
    if abandoned:
        store.claim_run(run, "w1", 10)
        clock.now += 11
    store.command(run, asked)
    assert store.run(run).status == reached
    assert store.claim_next("w2") is None
    store.command(run, "resume")
    assert store.claim_next("w2") == run


def test_a_run_that_has_ended_takes_no_commands(store, run):
    store.claim_run(run, "w1")
    store.finish_run(run, "w1", "finished", {})
    with pytest.raises(StoreError, match="Run 1 is finished already; there is nothing left to cancel"):
        store.command(run, "cancel")


@pytest.mark.parametrize("status", ["paused", "interrupted", "cancelled", "failed", "finished"])
def test_every_run_that_stopped_can_be_resumed(store, run, status):
    store.claim_run(run, "w1")
    store.finish_run(run, "w1", status)
    store.resume_run(run, time_limit=60.0, jobs=2)
    seen = store.run(run)
    assert (seen.status, seen.settings.time_limit, seen.settings.jobs, seen.attempts) == ("queued", 60.0, 2, 0)


def test_what_is_waiting_or_running_cannot_be_resumed(store, run):
    with pytest.raises(StoreError, match="queued already"):
        store.resume_run(run)
    store.claim_run(run, "w1")
    with pytest.raises(StoreError, match="running already"):
        store.resume_run(run)


def test_resuming_changes_nothing_that_the_trials_depend_on(store, run):
    store.command(run, "pause")
    with pytest.raises(StoreError, match="seed can't change"):
        store.resume_run(run, seed=1)
    with pytest.raises(SettingsError, match="time limit"):
        store.resume_run(run, time_limit=-1.0)
    assert store.run(run).status == "paused"


def test_a_running_run_is_not_deleted(store, run, clock):
    store.claim_run(run, "w1", 10)
    with pytest.raises(StoreError, match="cancel it before"):
        store.delete_run(run)
    clock.now += 11
    store.delete_run(run)
    assert store.runs() == []
    with pytest.raises(LeaseLostError):
        store.renew_lease(run, "w1")


def test_the_number_of_a_deleted_run_is_not_given_again(store, run, settings):
    store.delete_run(run)
    assert store.create_run(settings, {}) > run


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.run(99),
        lambda store: store.claim_run(99, "w"),
        lambda store: store.command(99, "cancel"),
        lambda store: store.resume_run(99),
        lambda store: store.delete_run(99),
        lambda store: store.save_progress(99, {}),
        lambda store: store.save_fold(99, "fold 1", {}),
    ],
)
def test_an_unknown_run_is_named_with_the_way_to_list_them(store, ask):
    with pytest.raises(StoreError, match="There is no run 99; `autopu runs list`"):
        ask(store)
