"""Between a run at work and the people who watch it: commands in, progress out, time kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autopu_core.runs.settings import RunSettings
from autopu_core.runs.store import Store
from autopu_core.search.journal import Trial
from autopu_core.search.loop import ActiveClock, SearchStopped
from autopu_core.search.planner import Planner

_HEARD_SECONDS = 0.5  # how often commands are looked for and progress is written
_RENEWED_SECONDS = 5.0


class Control:
    """Called by the planner several times a second; renews the lease, obeys commands, keeps the time limit.

    Args:
        store, run, worker: whose lease it is.
        settings: of the run.
        listen: called with each progress record.

    A call raises `SearchStopped` with the reason "cancel", "pause" or "time limit", or `LeaseLostError`.
    """

    def __init__(
        self, store: Store, run: int, worker: str, settings: RunSettings, listen: Callable[[dict[str, Any]], None]
    ) -> None:
        self.store, self.run, self.worker, self.settings, self.listen = store, run, worker, settings, listen
        self.searches = settings.searches
        totals = store.search_totals(run).set_index("search")
        self._spent = {name: float(totals["elapsed"].get(name, 0.0)) for name in self.searches}
        self._done = {name: int(totals["assessments"].get(name, 0)) for name in self.searches}
        self._planned = dict.fromkeys(self.searches, settings.assessments_per_search)
        self._stage = ("starting", self.searches[0])
        self._clock: ActiveClock | None = None
        self._allowed: float | None = None
        self._best: float | None = None
        self._planner: Planner | None = None
        self._heard = self._renewed = -float("inf")

    def __call__(self) -> None:
        elapsed = None
        if self._clock is not None:
            elapsed = self._spent[self._stage[1]] = self._clock.read()
        now = time.monotonic()
        if now - self._heard >= _HEARD_SECONDS:
            self._heard = now
            self._report()
            self._obey(now)
        if elapsed is not None and self._allowed is not None and elapsed >= self._allowed:
            raise SearchStopped("time limit")

    def watch(self, planner: Planner) -> None:
        """Report what this planner has in work."""
        self._planner = planner

    def stage(self, name: str, search: str) -> None:
        """Say what the run does now: "preparing", "searching", "testing" or "exporting"."""
        self._stage = (name, search)
        self._heard = -float("inf")
        self()

    @contextmanager
    def searching(self, search: str, planned: int) -> Iterator[ActiveClock]:
        """While a search runs: its clock, and the part of the time limit that is left for it."""
        self._stage = ("searching", search)
        self._planned[search] = planned
        self._best, self._done[search] = None, 0
        already = self._spent[search]
        position = self.searches.index(search)
        if self.settings.time_limit is not None:
            spent_before = sum(self._spent[name] for name in self.searches[:position])
            left = self.settings.time_limit - spent_before
            self._allowed = max(0.0, left) / (len(self.searches) - position)
        self._clock = ActiveClock(already)
        try:
            yield self._clock
        finally:
            self._clock = self._allowed = None
            self._planned[search] = self._done[search]

    def on_trial(self, trial: Trial) -> None:
        """Count a trial, new or replayed."""
        self._done[trial.search] = self._done.get(trial.search, 0) + 1
        self._best = trial.fitness if self._best is None else max(self._best, trial.fitness)

    def _trying(self) -> list[dict[str, Any]]:
        if self._planner is None:
            return []
        at_work = list(self._planner.in_work.values())[: self._planner.executor.workers]
        return [{"classifier": question.kind, "rows": question.size} for _, question in at_work]

    # -- inside -----------------------------------------------------------------------------------------------------

    def _obey(self, now: float) -> None:
        if now - self._renewed >= _RENEWED_SECONDS:
            command = self.store.renew_lease(self.run, self.worker)
            self._renewed = now
        else:
            command = self.store.pending_command(self.run, self.worker)
        if command in ("cancel", "pause"):
            raise SearchStopped(command)

    def _report(self) -> None:
        stage, search = self._stage
        elapsed = sum(self._spent.values())
        done, planned = sum(self._done.values()), sum(self._planned.values())
        progress = {
            "stage": stage,
            "search": search,
            "search_number": self.searches.index(search) + 1 if search in self.searches else len(self.searches),
            "searches": len(self.searches),
            "assessments": self._done.get(search, 0),
            "planned": self._planned.get(search, 0),
            "assessments_in_all": done,
            "planned_in_all": planned,
            "elapsed": elapsed,
            "left": _seconds_left(elapsed, done, planned, self.settings.time_limit),
            "best": self._best,
            "trying": self._trying(),
        }
        self.store.save_progress(self.run, progress, self.worker)
        self.listen(progress)


def _seconds_left(elapsed: float, done: int, planned: int, limit: float | None) -> float | None:
    """Expected seconds until all searches have ended, from the pace so far; None before there is one."""
    if not done:
        return None
    left = elapsed / done * (planned - done)
    return left if limit is None else max(0.0, min(left, limit - elapsed))
