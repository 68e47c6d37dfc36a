"""The choices of a person before a search starts, and how they are written in the page's address.

Only what differs from the defaults is in the address, under the names of `RunSettings`; so a reload, a bookmark or a
second browser finds it all.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from autopu_core.errors import SettingsError
from autopu_core.runs import PRESETS, RunSettings

_TEXTS = ("target", "group")


@dataclass(frozen=True)
class Draft:
    """Settings as they are being chosen; `RunSettings` says what each means.

    Attributes:
        test: `preset` (the test design that goes with the preset), `holdout` or `folds`.
        optimizers: one run is started for each.
        configurations, iterations, k, final_search: None leaves the preset's value.
    """

    target: str | None = None
    positive: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()
    use_known_negatives: bool = False
    group: str | None = None
    drop: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    dates: str = "days"
    scale: bool = False
    task: str = "engineered"
    delta: float = 0.4
    test: str = "preset"
    holdout: float = 0.2
    folds: int = 5
    optimizers: tuple[str, ...] = ("ebo",)
    space: str = "base"
    objective: str = "f_measure"
    preset: str = "quick"
    configurations: int | None = None
    iterations: int | None = None
    k: int | None = None
    final_search: bool | None = None
    hide_in_final: bool = False
    inner_folds: int = 5
    seed: int = 0
    jobs: int = -1
    time_limit: float | None = None
    fit_limit: float | None = None
    memory_limit_mb: int = 2048
    cache: bool = True

    def settings(self, dataset: str, optimizer: str, preset: str | None = None) -> RunSettings:
        """Settings of one run.

        Args:
            preset: another preset than the chosen one, to see what it would take.

        Raises:
            SettingsError: something isn't chosen yet, or out of range.
        """
        if self.target is None:
            raise SettingsError("Choose the column that holds the diagnosis on the Data page.")
        if not self.positive:
            raise SettingsError("Choose the value that means positive on the Data page.")
        own = ("optimizers", "preset", "test", "holdout", "folds", "negative", "use_known_negatives")
        values = {name: value for name, value in _fields(self).items() if name not in own}
        if self.test != "preset":
            values[self.test] = getattr(self, self.test)
        if self.task == "genuine":
            values |= {"negative": self.negative, "use_known_negatives": self.use_known_negatives}
        return RunSettings.from_preset(preset or self.preset, dataset=dataset, optimizer=optimizer, **values)

    def budget(self, name: str) -> Any:
        """A value that the preset gives unless the person has chosen another."""
        chosen = getattr(self, name)
        return getattr(PRESETS[self.preset], name) if chosen is None else chosen

    def to_address(self) -> dict[str, str | list[str]]:
        """What differs from the defaults, as parameters of an address."""
        changed = {name: value for name, value in _fields(self).items() if value != getattr(_DEFAULT, name)}
        return {name: _written(value) for name, value in changed.items()}

    @classmethod
    def from_address(cls, parameters: Mapping[str, list[str]]) -> Draft:
        """The draft that `to_address` wrote; what can't be read is left at its default."""
        values = {}
        for name, default in _fields(_DEFAULT).items():
            if parameters.get(name):
                try:
                    values[name] = _read(name, default, parameters[name])
                except ValueError:
                    continue
        return cls(**values)


_DEFAULT = Draft()


def _fields(draft: Draft) -> dict[str, Any]:
    return {each.name: getattr(draft, each.name) for each in dataclasses.fields(draft)}


def _written(value: Any) -> str | list[str]:
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return [f"{name}={role}" for name, role in value.items()]
    return json.dumps(value)


def _read(name: str, default: Any, written: list[str]) -> Any:
    if name in _TEXTS or isinstance(default, str):
        return written[-1]
    if isinstance(default, tuple):
        return tuple(written)
    if isinstance(default, Mapping):
        return {text.rpartition("=")[0]: text.rpartition("=")[2] for text in written if "=" in text}
    value = json.loads(written[-1])
    if isinstance(value, bool) != (isinstance(default, bool) or name == "final_search"):
        raise ValueError(f"{value!r} is no value of {name}.")
    if not isinstance(value, bool | int | float):
        raise ValueError(f"{value!r} is no value of {name}.")
    return type(default)(value) if isinstance(default, int | float) else value
