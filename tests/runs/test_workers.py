def test_a_worker_lives_as_long_as_its_heart_beats(store, clock):
    store.beat("w1", 11, "here")
    clock.now += 15
    store.beat("w2", 12, "there")
    assert [(worker.name, worker.pid, worker.host) for worker in store.live_workers(20)] == [
        ("w1", 11, "here"),
        ("w2", 12, "there"),
    ]
    clock.now += 10
    store.beat("w2", 12, "there")
    (alive,) = store.live_workers(20)
    assert alive.name == "w2"
    assert (alive.seen - alive.started).total_seconds() == 10


def test_a_worker_that_signs_off_is_not_waited_for(store):
    store.beat("w1", 11, "here")
    store.sign_off("w1")
    assert store.live_workers() == []


def test_a_heartbeat_from_the_future_is_no_sign_of_life(store, clock):
    store.beat("w1", 11, "here")
    clock.now -= 3600
    assert store.live_workers(20) == []


def test_workers_of_long_ago_are_forgotten(store, clock):
    store.beat("w1", 11, "here")
    clock.now += 2 * 24 * 3600
    store.beat("w2", 12, "here")
    assert [worker.name for worker in store.live_workers(1e9)] == ["w2"]
