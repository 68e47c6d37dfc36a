"""The worker: a process of its own that does the queued runs, so that closing a browser or a server loses nothing.

`ensure_worker` starts it where none is alive; it ends by itself when there has been nothing to do for a while.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from filelock import FileLock, Timeout

from autopu_core.runs.home import HOME_VARIABLE, Home
from autopu_core.runs.pools import Pools
from autopu_core.runs.records import LeaseLostError
from autopu_core.runs.run import execute_run
from autopu_core.runs.store import DATABASE_VARIABLE, Store

log = logging.getLogger(__name__)

IDLE_SECONDS = 120.0
_POLL_SECONDS = 0.5
_LOWER_PRIORITY = 10
_LOCK_SECONDS = 2.0  # longer than anybody holds the lock only to see whether it is free
_LOG_BYTES = 5_000_000


def worker_name() -> str:
    """A name that no other process has."""
    return f"{socket.gethostname()}-{os.getpid()}"


def worker_is_alive(store: Store) -> bool:
    """Whether a worker serves this data folder now."""
    lock = _lock(store.home)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False


def ensure_worker(store: Store, idle_seconds: float = IDLE_SECONDS) -> None:
    """Start a worker for this store unless one is alive. It is detached: it outlives the calling process."""
    if worker_is_alive(store):
        return
    environment = {**os.environ, HOME_VARIABLE: str(store.home.root)}
    if store.url:
        environment[DATABASE_VARIABLE] = store.url
    command = [sys.executable, "-m", "autopu_core.runs.worker", str(idle_seconds)]
    detached = (
        {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
        if os.name == "nt"
        else {"start_new_session": True}
    )
    with open(_log_file(store.home), "ab") as log_file:
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=log_file,
            env=environment,
            cwd=store.home.root,
            close_fds=True,
            **detached,
        )


def serve(store: Store, idle_seconds: float = IDLE_SECONDS) -> int:
    """Do queued runs one after the other until none has come for `idle_seconds`.

    Returns:
        Number of runs done; 0 at once where another worker serves this data folder already.
    """
    lock = _lock(store.home)
    try:
        lock.acquire(timeout=_LOCK_SECONDS)
    except Timeout:
        return 0
    name, done, idle_since = worker_name(), 0, time.monotonic()
    pools = Pools()
    try:
        remove_leftovers(store)
        while time.monotonic() - idle_since < idle_seconds:
            store.beat(name, os.getpid(), socket.gethostname())
            run = store.claim_next(name)
            if run is None:
                time.sleep(_POLL_SECONDS)
                continue
            log.info("Run %s begins", run)
            try:
                record = execute_run(store, run, name, pools=pools)
                log.info("Run %s is %s", run, record.status)
            except LeaseLostError:
                log.warning("Run %s was taken over or deleted", run)
            done, idle_since = done + 1, time.monotonic()
    finally:
        pools.close()
        store.sign_off(name)
        lock.release()
    return done


def remove_leftovers(store: Store) -> None:
    """Delete scratch folders of attempts that were killed."""
    running = {record.id for record in store.runs() if record.status == "running"}
    for folder in store.home.scratch.glob("run-*-*"):
        number = folder.name.split("-")[1]
        if not (number.isdigit() and int(number) in running):
            shutil.rmtree(folder, ignore_errors=True)


def _lock(home: Home) -> FileLock:
    return FileLock(home.root / "worker.lock", thread_local=False)


def _log_file(home: Home) -> Path:
    path = home.root / "worker.log"
    if path.exists() and path.stat().st_size > _LOG_BYTES:
        path.replace(path.with_suffix(".log.old"))
    return path


def main() -> None:
    """Entry point of the detached process."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    if hasattr(os, "nice"):
        os.nice(_LOWER_PRIORITY)  # the page comes first
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    idle_seconds = float(sys.argv[1]) if len(sys.argv) > 1 else IDLE_SECONDS
    with Store(url=os.environ.get(DATABASE_VARIABLE)) as store:
        serve(store, idle_seconds)


if __name__ == "__main__":
    main()
