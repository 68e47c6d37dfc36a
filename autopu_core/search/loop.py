"""The search loop, one for every optimizer: journal, replay, repeats and an early end are written here only."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from autopu_core.errors import AutoPUError
from autopu_core.search.journal import Journal, Outcome, Trial
from autopu_core.search.optimizers.base import Optimizer
from autopu_core.search.planner import Cost, Plan, Planner
from autopu_core.search.space import Candidate


@dataclass(frozen=True)
class Assessment:
    """What an objective says of one candidate; see `Trial` for the fields."""

    fitness: float
    outcome: Outcome
    folds: tuple[dict[str, Any], ...] = ()
    reason: str | None = None


class Objective(Protocol):
    """Turns a candidate into plans (one for each inner fold) and their results into an assessment."""

    def plans(self, candidate: Candidate) -> Sequence[Plan[Any]]:
        """The plans to run; they don't depend on each other."""
        ...

    def assess(self, candidate: Candidate, results: Sequence[Any]) -> Assessment:
        """The verdict, given the plans' results in the order of `plans`."""
        ...


class SearchStopped(AutoPUError):  # noqa: N818  a normal way for a search to end
    """Raised by a control to end a search early; `reason` is "cancelled" or "time limit"."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The search was stopped ({reason}).")
        self.reason = reason


class JournalMismatchError(AutoPUError):
    """The journal holds other trials than this search makes: data, settings or versions have changed since."""


@dataclass(frozen=True)
class SearchResult:
    """How a search ended.

    Attributes:
        best: the trial with the highest fitness, the first of equals; None if nothing was assessed.
        trials: all trials in the optimizer's order.
        stopped: None after a whole search, else why it ended early.
    """

    best: Trial | None
    trials: tuple[Trial, ...]
    stopped: str | None = None


class ActiveClock:
    """Seconds in which the search was active: pauses and a sleeping machine don't count.

    Args:
        already: active seconds of former attempts at the same search.
        longest_step: a gap between two readings longer than this counts as sleep, in seconds.
        now: source of time.
    """

    def __init__(
        self, already: float = 0.0, longest_step: float = 60.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = already
        self._longest_step = longest_step
        self._now = now
        self._last = now()

    def read(self) -> float:
        """Active seconds so far."""
        now = self._now()
        step = now - self._last
        if 0 <= step <= self._longest_step:
            self._seconds += step
        self._last = now
        return self._seconds

    def skip(self) -> None:
        """Leave out the time since the last reading (a pause)."""
        self._last = self._now()


def run_search(
    optimizer: Optimizer,
    objective: Objective,
    planner: Planner,
    journal: Journal,
    *,
    search: str = "search",
    clock: ActiveClock | None = None,
    on_trial: Callable[[Trial], None] = lambda trial: None,
) -> SearchResult:
    """Ask, assess, journal, tell, until the optimizer has no more candidates.

    A journal that already holds trials of this search answers them, so a resumed search makes the same trials as an
    uninterrupted one. A candidate whose canonical key was assessed before costs nothing but counts as an assessment.

    Args:
        search: name under which the trials are journalled.
        clock: measures the active seconds that trials are stamped with.
        on_trial: called with each trial, old or new, once it is in the journal.

    Returns:
        The result; `stopped` says why where the planner's control raised `SearchStopped`.

    Raises:
        JournalMismatchError: the journal belongs to another search.
    """
    recorded = journal.recorded(search)
    for trial in recorded.values():
        planner.asked.update(trial.new_fits)
    clock = clock or ActiveClock(max((trial.elapsed for trial in recorded.values()), default=0.0))
    state = _State(optimizer, objective, planner, journal, search, clock, on_trial, recorded)
    stopped = None
    try:
        while batch := optimizer.ask():
            trials = state.assess(batch)
            optimizer.tell(batch, [trial.fitness for trial in trials])
    except SearchStopped as stop:
        stopped = stop.reason
    ordered = tuple(state.trials[number] for number in sorted(state.trials))
    best = max(ordered, key=lambda trial: (trial.fitness, -trial.number), default=None)
    return SearchResult(best, ordered, stopped)


@dataclass
class _State:
    """One search under way."""

    optimizer: Optimizer
    objective: Objective
    planner: Planner
    journal: Journal
    search: str
    clock: ActiveClock
    on_trial: Callable[[Trial], None]
    recorded: dict[int, Trial]

    def __post_init__(self) -> None:
        self.trials: dict[int, Trial] = {}
        self.first: dict[str, Trial] = {}
        self.batches = 0

    def assess(self, batch: Sequence[Candidate]) -> list[Trial]:
        """Trials of a batch in its order; new ones are journalled as they finish."""
        start = len(self.trials)
        keys = [self.optimizer.space.key(candidate) for candidate in batch]
        waiting: dict[str, list[int]] = {}
        for position, (candidate, key) in enumerate(zip(batch, keys, strict=True)):
            number = start + position
            if number in self.recorded:
                self._replay(self.recorded[number], key)
            elif key in self.first:
                self._repeat(self.first[key], number, candidate)
            else:
                waiting.setdefault(key, []).append(number)
        for key, assessment, cost in self._compute(
            {key: batch[numbers[0] - start] for key, numbers in waiting.items()}
        ):
            numbers = waiting[key]
            trial = self._new_trial(numbers[0], batch[numbers[0] - start], key, assessment, cost)
            self._keep(trial)
            for number in numbers[1:]:
                self._repeat(trial, number, batch[number - start])
        self.batches += 1
        return [self.trials[start + position] for position in range(len(batch))]

    def _compute(self, candidates: dict[str, Candidate]):
        """Yield (key, assessment, cost) of each candidate as its last fold ends."""
        plans = {key: list(self.objective.plans(candidate)) for key, candidate in candidates.items()}
        results: dict[str, dict[int, Any]] = {key: {} for key in plans}
        costs = {key: Cost() for key in plans}
        flat = {(key, fold): plan for key, folds in plans.items() for fold, plan in enumerate(folds)}
        for (key, fold), result, cost in self.planner.run(flat):
            results[key][fold] = result
            costs[key].add(cost)
            if len(results[key]) == len(plans[key]):
                ordered = [results[key][position] for position in range(len(plans[key]))]
                yield key, self.objective.assess(candidates[key], ordered), costs[key]

    def _new_trial(self, number: int, candidate: Candidate, key: str, assessment: Assessment, cost: Cost) -> Trial:
        return Trial(
            search=self.search,
            number=number,
            batch=self.batches,
            candidate=dict(candidate),
            key=key,
            outcome=assessment.outcome,
            fitness=assessment.fitness,
            folds=assessment.folds,
            reason=assessment.reason,
            cpu_seconds=cost.cpu_seconds,
            cpu_seconds_naive=cost.cpu_seconds_naive,
            fits_naive=cost.fits_naive,
            fits_computed=cost.fits_computed,
            new_fits=tuple(cost.new),
            elapsed=self.clock.read(),
        )

    def _replay(self, trial: Trial, key: str) -> None:
        if trial.key != key:
            raise JournalMismatchError(
                f"Trial {trial.number} of {self.search!r} was another candidate when it was recorded, so this run "
                "can't be resumed with today's data, settings or versions; start a new run."
            )
        self.trials[trial.number] = trial
        self.first.setdefault(key, trial)
        self.on_trial(trial)

    def _repeat(self, original: Trial, number: int, candidate: Candidate) -> None:
        first = original.number if original.repeat_of is None else original.repeat_of
        self._keep(
            replace(
                original,
                number=number,
                batch=self.batches,
                candidate=dict(candidate),
                repeat_of=first,
                cpu_seconds=0.0,
                fits_computed=0,
                new_fits=(),
                elapsed=self.clock.read(),
            )
        )

    def _keep(self, trial: Trial) -> None:
        self.journal.write(trial)
        self.trials[trial.number] = trial
        self.first.setdefault(trial.key, trial)
        self.on_trial(trial)
