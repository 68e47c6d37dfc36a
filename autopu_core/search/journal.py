"""What a search remembers: one `Trial` per assessment, written to a `Journal` as it finishes.

The journal is the truth: the live page, the comparison, the report and `resume` read it. A search that starts with a
filled journal is answered from it, so a resumed search equals an uninterrupted one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

Outcome = Literal["scored", "failed", "timed_out"]


@dataclass(frozen=True)
class Trial:
    """One assessment of one candidate.

    Attributes:
        search: which search of the run: "fold 1", "fold 2" .., or "final".
        number: position in the optimizer's order, from 0.
        batch: generation or iteration in which it was asked for, from 0.
        candidate: all genes, inactive ones included.
        key: canonical key of the candidate (inactive genes left out).
        outcome: `failed` and `timed_out` mean that at least one fold could not be scored and counted 0.
        fitness: value of the objective, higher is better.
        folds: per inner fold its counts and, where it failed, the reason: keys `rows`, `labelled`,
            `predicted_positive`, `labelled_predicted_positive`, `reason` (None where it was scored).
        reason: the first reason in words, None where every fold was scored.
        repeat_of: number of the earlier trial with the same key whose result this one took over, else None.
        cpu_seconds: CPU seconds of the distinct fits that this trial was the first of its run to need, computed or
            reused. The sum over trials is the run's honest cost.
        cpu_seconds_naive: CPU seconds that its fits took, repeats included: what this assessment would cost alone.
        fits_naive: fits that this assessment would need alone.
        fits_computed: fits that were really computed for it (not found in any cache).
        new_fits: short keys of the distinct fits it was the first to need; their number is its part of `fits_distinct`.
        elapsed: active wall seconds of the search when the trial finished.
    """

    search: str
    number: int
    batch: int
    candidate: Mapping[str, Any]
    key: str
    outcome: Outcome
    fitness: float
    folds: tuple[Mapping[str, Any], ...] = ()
    reason: str | None = None
    repeat_of: int | None = None
    cpu_seconds: float = 0.0
    cpu_seconds_naive: float = 0.0
    fits_naive: int = 0
    fits_computed: int = 0
    new_fits: tuple[str, ...] = field(default=(), repr=False)
    elapsed: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON-ready values."""
        record = asdict(self)
        record["candidate"] = dict(self.candidate)
        record["folds"] = [dict(fold) for fold in self.folds]
        record["new_fits"] = list(self.new_fits)
        return record


class Journal(Protocol):
    """Where a search writes its trials; implemented by the store and, for tests and notebooks, by `MemoryJournal`."""

    def recorded(self, search: str) -> dict[int, Trial]:
        """Trials that a former attempt at this search wrote, by number."""
        ...

    def write(self, trial: Trial) -> None:
        """Keep a trial; a number that is already recorded is an error."""
        ...


class MemoryJournal:
    """A journal in a list."""

    def __init__(self) -> None:
        self.trials: list[Trial] = []

    def recorded(self, search: str) -> dict[int, Trial]:
        return {trial.number: trial for trial in self.trials if trial.search == search}

    def write(self, trial: Trial) -> None:
        if any(known.number == trial.number and known.search == trial.search for known in self.trials):
            raise ValueError(f"Trial {trial.number} of {trial.search!r} is already recorded.")
        self.trials.append(trial)
