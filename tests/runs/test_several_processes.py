"""Several processes on one SQLite store: nothing is done twice, nothing is lost, nobody meets a lock."""

import subprocess
import sys
import time
from collections import Counter

import pytest

from autopu_core.runs import Store

PROCESSES = 4
RUNS_EACH = 6
TRIALS = 5

# Each process makes the store (all at the same moment), adds the same table, submits runs and works until none is left.
HAMMER = """
import os, sys
from types import SimpleNamespace
import pandas as pd
from autopu_core.runs import RunSettings, Store
from autopu_core.search.journal import Trial

home, runs_each, trials = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
store = Store(home)
table = SimpleNamespace(
    frame=pd.DataFrame({"a": range(1000)}), name="t.csv", fingerprint="ab" * 32, notes=(), missing_tokens={}
)
dataset = store.add_dataset(table, {})
for _ in range(runs_each):
    store.create_run(RunSettings(dataset=dataset, target="a", positive=("1",)), {})
me = f"worker {os.getpid()}"
while any(record.status in ("queued", "running") for record in store.runs()):
    run = store.claim_next(me)
    if run is None:
        continue
    journal = store.journal(run, me)
    for number in range(trials):
        journal.write(Trial("fold 1", number, 0, {"gene": number}, "key", "scored", 0.5))
        store.renew_lease(run, me)
        store.save_progress(run, {"done": number}, me)
        store.beat(me, os.getpid(), "here")
    store.finish_run(run, me, "finished", {"by": me})
    print(run, flush=True)
"""

# Writes batches of seven trials for ever and says after each that it is kept.
WRITER = """
import sys
from autopu_core.runs import Store
from autopu_core.search.journal import Trial

store, run, me = Store(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
assert store.claim_run(run, me, lease_seconds=float(sys.argv[4]))
journal = store.journal(run, me)
number = len(journal.recorded("fold 1"))
while True:
    journal.write_many([Trial("fold 1", number + i, 0, {"gene": 1}, "key", "scored", 0.5) for i in range(7)])
    number += 7
    print(number, flush=True)
"""


def python(code: str, *arguments: object) -> subprocess.Popen:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], text=True, **pipes)


@pytest.mark.timeout(120)
def test_every_run_is_done_once_and_nobody_meets_a_lock(tmp_path):
    processes = [python(HAMMER, tmp_path / "home", RUNS_EACH, TRIALS) for _ in range(PROCESSES)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=100) for process in processes]
    assert [errors for _, errors in outputs] == [""] * PROCESSES
    done = Counter(int(run) for printed, _ in outputs for run in printed.split())
    assert done == dict.fromkeys(range(1, PROCESSES * RUNS_EACH + 1), 1)

    store = Store(tmp_path / "home")
    assert {(record.status, record.attempts) for record in store.runs()} == {("finished", 1)}
    assert {len(store.trials(record.id)) for record in store.runs()} == {TRIALS}
    assert len(store.datasets()) == 1
    assert len(store.live_workers(60)) >= 1


@pytest.mark.timeout(120)
def test_a_writer_that_is_killed_loses_nothing_it_has_written(tmp_path, table, settings):
    store = Store(tmp_path / "home")
    store.add_dataset(table, {})
    run = store.create_run(settings, {})
    lease = 0.3
    kept = 0
    for attempt in range(2):
        process = python(WRITER, tmp_path / "home", run, f"writer {attempt}", lease)
        for _ in range(5 + attempt * 20):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            kept = int(line)
        process.kill()
        process.communicate()
        found = sorted(store.journal(run).recorded("fold 1"))
        assert found == list(range(len(found)))
        assert len(found) >= kept
        assert len(found) % 7 == 0, "a batch is kept whole or not at all"
        later = Store(tmp_path / "home", clock=lambda: time.time() + lease)
        assert later.run(run).status == "interrupted"
    with store.database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
