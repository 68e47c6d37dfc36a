"""Waiting for a run that somebody else does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from autopu_core.runs.records import RunRecord
from autopu_core.runs.store import Store


def wait_for_run(
    store: Store, run: int, listen: Callable[[dict[str, Any]], None] = lambda progress: None, poll: float = 0.5
) -> RunRecord:
    """Poll until a run is neither queued nor running.

    Args:
        listen: called with each progress record that isn't empty.
        poll: seconds between looks.
    """
    while True:
        record = store.run(run)
        if record.progress:
            listen(record.progress)
        if record.status not in ("queued", "running"):
            return record
        time.sleep(poll)
