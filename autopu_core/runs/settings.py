"""What a run is: every choice that a person makes before it starts, checked once, here."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from autopu_core.errors import SettingsError
from autopu_core.pu.methods import METHODS, Method

Task = Literal["engineered", "genuine"]

OPTIMIZERS = {
    "ga": "Genetic algorithm (GA)",
    "bo": "Bayesian optimisation (BO)",
    "ebo": "Evolutionary Bayesian optimisation (EBO)",
    "random": "Random search",
}
BASELINES = {
    "s_em": "S-EM (spies and expectation maximisation)",
    "df_pu": "DF-PU (deep forests)",
}
"""Published PU learners, tuned over their grids; they are chosen like an optimiser and have no search space."""

SYSTEMS = OPTIMIZERS | BASELINES
SHORT_NAMES = {"ga": "GA", "bo": "BO", "ebo": "EBO", "random": "Random", "s_em": "S-EM", "df_pu": "DF-PU"}
SPACES = {"base": "Base", "extended": "Extended (with spies)"}
OBJECTIVES = {
    "f_measure": "F-measure against the labels",
    "lee_liu": "Lee-Liu criterion",
    "pu_f1": "F-measure corrected by the estimated class prior",
}


@dataclass(frozen=True)
class Preset:
    """A budget (configurations, iterations, k children in each EBO iteration) and the test design that goes with it."""

    configurations: int
    iterations: int
    k: int
    folds: int | None
    holdout: float | None
    final_search: bool


_COMPARED = (
    *("dataset", "target", "positive", "negative", "use_known_negatives", "task", "delta", "group", "drop", "roles"),
    *("dates", "scale", "folds", "holdout", "inner_folds", "seed"),
)

PRESETS = {
    "quick": Preset(configurations=20, iterations=8, k=5, folds=None, holdout=0.2, final_search=False),
    "standard": Preset(configurations=50, iterations=25, k=10, folds=5, holdout=None, final_search=True),
    "paper": Preset(configurations=101, iterations=50, k=10, folds=5, holdout=None, final_search=True),
}


@dataclass(frozen=True)
class RunSettings:
    """All settings of one run; immutable, JSON-ready, and complete: with the data set they determine every result.

    Attributes:
        dataset: id of the data set in the store.
        target: name of the target column.
        positive: values of the target that mean positive, as text.
        negative: values that are known to mean negative (genuine data only), as text.
        use_known_negatives: known negatives are reliable negatives from the start; otherwise they only judge.
        task: `engineered` hides a share of the positives of every training set; `genuine` takes the labels as they are.
        delta: share of positives to hide, 0 <= delta < 1 (engineered only).
        group: column whose equal values stay in one fold (a patient's id), or None.
        drop: columns left out of learning.
        roles: columns whose guessed role the person overruled.
        dates: `days` turns a date into days since the earliest, `drop` leaves date columns out.
        scale: standardise the table's numeric columns.
        optimizer, space, objective: names, see the tables above; a baseline as optimizer ignores the space.
        preset: name of the preset that the budget came from.
        configurations, iterations, k: the optimizer's budget.
        folds, holdout: outer cross-validation folds, or the share of rows kept for one test; exactly one is given.
        inner_folds: folds of the objective's cross-validation.
        final_search: search once more on all rows for the exported model.
        hide_in_final: the final search also hides delta of the positives.
        seed: of everything random.
        jobs: processes; -1 means one per core. It never changes a result.
        time_limit: active wall seconds for all searches of the run, or None.
        fit_limit: seconds for one fit, or None.
        memory_limit_mb: a fit that would need more is refused beforehand.
        cache: reuse and keep fits in the data folder.
    """

    dataset: str
    target: str
    positive: tuple[str, ...]
    negative: tuple[str, ...] = ()
    use_known_negatives: bool = False
    task: Task = "engineered"
    delta: float = 0.4
    group: str | None = None
    drop: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    dates: Literal["days", "drop"] = "days"
    scale: bool = False
    optimizer: str = "ebo"
    space: str = "base"
    objective: str = "f_measure"
    preset: str = "quick"
    configurations: int = 20
    iterations: int = 8
    k: int = 5
    folds: int | None = None
    holdout: float | None = 0.2
    inner_folds: int = 5
    final_search: bool = False
    hide_in_final: bool = False
    seed: int = 0
    jobs: int = -1
    time_limit: float | None = None
    fit_limit: float | None = None
    memory_limit_mb: int = 2048
    cache: bool = True

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def from_preset(cls, preset: str, **choices: Any) -> RunSettings:
        """Settings with a preset's budget; a choice that is None leaves the preset's value.

        Raises:
            SettingsError: unknown preset, or a setting out of range.
        """
        if preset not in PRESETS:
            raise SettingsError(f"There is no preset {preset!r}; choose one of {', '.join(PRESETS)}.")
        values = dataclasses.asdict(PRESETS[preset])
        given = {name: value for name, value in choices.items() if value is not None}
        if "folds" in given and "holdout" in given:
            raise SettingsError("Choose either a number of folds or a hold-out share, not both.")
        if "folds" in given:
            values["holdout"] = None
        if "holdout" in given:
            values["folds"] = None
        return cls(**{**values, **given, "preset": preset})

    @property
    def searches(self) -> list[str]:
        """Names of the searches that the run makes, in order."""
        outer = [f"fold {number + 1}" for number in range(self.folds)] if self.folds else ["hold-out"]
        return outer + (["final"] if self.final_search else [])

    @property
    def method(self) -> Method:
        """What is searched: the PU learner with its space."""
        if self.optimizer == "df_pu":
            return METHODS["df_pu" if self.preset == "paper" else "df_pu_reduced"]
        return METHODS[self.optimizer if self.optimizer in BASELINES else self.space]

    @property
    def strategy(self) -> str:
        """How it is searched: the optimizer; a baseline tries its whole grid."""
        return "grid" if self.optimizer in BASELINES else self.optimizer

    @property
    def system(self) -> str:
        """Short name of optimizer and space, as in "EBO base" or "S-EM"."""
        short = SHORT_NAMES[self.optimizer]
        return short if self.optimizer in BASELINES else f"{short} {self.space}"

    @property
    def title(self) -> str:
        """The same in words."""
        if self.optimizer in BASELINES:
            return BASELINES[self.optimizer]
        return f"{OPTIMIZERS[self.optimizer]}, {SPACES[self.space].lower()} space"

    @property
    def budget(self) -> str:
        """How much is tried in each search, in words."""
        if self.optimizer in BASELINES:
            return f"all {self.assessments_per_search} settings"
        return f"{self.configurations} configurations, {self.iterations} iterations, k {self.k}"

    @property
    def assessments_per_search(self) -> int:
        """Assessments that one search makes when nothing stops it."""
        if self.optimizer in BASELINES:
            return self.method.space.distinct_size
        return {
            "ga": self.configurations * (self.iterations + 1),
            "bo": self.configurations + self.iterations,
            "ebo": self.configurations + self.iterations * (self.k + 1),
            "random": self.configurations + self.iterations * (self.k + 1),
        }[self.optimizer]

    @property
    def compared(self) -> dict[str, Any]:
        """The settings that data, labels, folds and hidden positives follow from, as in `to_dict`."""
        record = self.to_dict()
        if self.task == "genuine":
            record["delta"] = 0.0  # nothing is hidden, whatever was chosen before
        return {name: record[name] for name in _COMPARED}

    @property
    def comparison_key(self) -> str:
        """Equal for runs whose test scores may be compared: same data, labels, folds and hidden positives."""
        text = json.dumps(self.compared, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON-ready values."""
        record = dataclasses.asdict(self)
        return {name: list(value) if isinstance(value, tuple) else value for name, value in record.items()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> RunSettings:
        """The settings that `to_dict` wrote."""
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in record.items()})


def _check(settings: RunSettings) -> None:
    for name, choices in (("optimizer", SYSTEMS), ("space", SPACES), ("objective", OBJECTIVES)):
        if getattr(settings, name) not in choices:
            raise SettingsError(f"There is no {name} {getattr(settings, name)!r}; choose one of {', '.join(choices)}.")
    if settings.task not in ("engineered", "genuine"):
        raise SettingsError(f"The task is 'engineered' or 'genuine', not {settings.task!r}.")
    if not settings.positive:
        raise SettingsError(f"Say which value of {settings.target!r} means positive.")
    if both := set(settings.positive) & set(settings.negative):
        raise SettingsError(f"{sorted(both)[0]!r} can't be both a positive and a negative value.")
    if not 0 <= settings.delta < 1:
        raise SettingsError(
            f"The share of positives to hide (delta) must be at least 0 and below 1, not {settings.delta}."
        )
    if (settings.folds is None) == (settings.holdout is None):
        raise SettingsError("Choose either a number of folds or a hold-out share.")
    if settings.folds is not None and settings.folds < 2:
        raise SettingsError(f"Cross-validation needs at least 2 folds, not {settings.folds}.")
    if settings.holdout is not None and not 0 < settings.holdout < 1:
        raise SettingsError(f"The hold-out share must lie between 0 and 1, not {settings.holdout}.")
    for name, least in (("configurations", 2), ("iterations", 0), ("k", 0), ("inner_folds", 2), ("seed", 0)):
        if getattr(settings, name) < least:
            raise SettingsError(f"{name.replace('_', ' ')} must be at least {least}, not {getattr(settings, name)}.")
    for name in ("time_limit", "fit_limit"):
        value = getattr(settings, name)
        if value is not None and not value > 0:
            raise SettingsError(f"The {name.replace('_', ' ')} must be more than 0 seconds, not {value}.")
    if settings.jobs == 0 or settings.jobs < -1:
        raise SettingsError(f"jobs is a number of processes, or -1 for one per core, not {settings.jobs}.")
    if settings.target in settings.drop or settings.target == settings.group:
        raise SettingsError(f"The target column {settings.target!r} can't be left out or be the group column.")
