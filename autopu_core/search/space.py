"""Parameters, candidates and the search space that everything else follows from.

Sampling, mutation, crossover, the surrogate's encoding, the canonical key of a candidate and the size of the space all
follow from one tuple of `Parameter`s, so adding a hyperparameter is one line.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

Kind = Literal["numeric", "boolean", "nominal"]


@dataclass(frozen=True)
class Parameter:
    """One hyperparameter: its name, its possible values, how a surrogate sees it, and when it matters.

    Args:
        name: name of the hyperparameter.
        choices: the values it can take, in their natural order.
        kind: `numeric` is encoded as its number, `boolean` as 0/1, `nominal` as one column per choice.
        active_when: conditions on other parameters, each `(name, values)`. The parameter is active when every named
            parameter is itself active and has one of the values. No condition means always active.
    """

    name: str
    choices: tuple[Any, ...]
    kind: Kind
    active_when: tuple[tuple[str, tuple[Any, ...]], ...] = ()

    def __post_init__(self) -> None:
        if not self.choices or len(set(self.choices)) != len(self.choices):
            raise ValueError(f"Parameter {self.name!r} needs at least one choice and no choice twice.")

    @property
    def width(self) -> int:
        """Number of columns of its encoding."""
        return len(self.choices) if self.kind == "nominal" else 1


@dataclass(frozen=True)
class Candidate(Mapping[str, Any]):
    """One configuration: a read-only mapping from parameter name to value, inactive genes included."""

    items_: tuple[tuple[str, Any], ...]
    _lookup: dict[str, Any] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_lookup", dict(self.items_))

    @classmethod
    def of(cls, **values: Any) -> Candidate:
        """A candidate from keyword arguments, in their order."""
        return cls(tuple(values.items()))

    def __getitem__(self, name: str) -> Any:
        return self._lookup[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lookup)

    def __len__(self) -> int:
        return len(self.items_)

    def replace(self, **changes: Any) -> Candidate:
        """A copy with some genes changed."""
        unknown = set(changes) - set(self._lookup)
        if unknown:
            raise KeyError(f"Not a parameter of this candidate: {', '.join(sorted(unknown))}.")
        return Candidate(tuple((name, changes.get(name, value)) for name, value in self.items_))


class SearchSpace:
    """An ordered set of parameters, some of which only matter under a condition.

    Args:
        name: what the space is called in settings and reports.
        parameters: the parameters; a condition may only name a parameter that stands before.
    """

    def __init__(self, name: str, parameters: Sequence[Parameter]) -> None:
        self.name = name
        self.parameters = tuple(parameters)
        self._by_name: dict[str, Parameter] = {}
        for parameter in self.parameters:
            if parameter.name in self._by_name:
                raise ValueError(f"The parameter {parameter.name!r} stands twice in the space {name!r}.")
            for controller, values in parameter.active_when:
                if controller not in self._by_name or not set(values) <= set(self._by_name[controller].choices):
                    raise ValueError(f"The condition of {parameter.name!r} on {controller!r} can't be met.")
            self._by_name[parameter.name] = parameter

    def __repr__(self) -> str:
        return f"SearchSpace({self.name!r}, {len(self.parameters)} parameters, {self.size:,} combinations)"

    def __getitem__(self, name: str) -> Parameter:
        return self._by_name[name]

    # -- size -------------------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Number of raw combinations, inactive genes counted as if they mattered."""
        return math.prod(len(parameter.choices) for parameter in self.parameters)

    @cached_property
    def distinct_size(self) -> int:
        """Number of combinations that differ once inactive genes are left out."""
        controllers = {name for parameter in self.parameters for name, _ in parameter.active_when}
        ordered = [parameter for parameter in self.parameters if parameter.name in controllers]
        settings: set[tuple[tuple[str, Any], ...]] = set()
        for values in itertools.product(*(parameter.choices for parameter in ordered)):
            chosen = dict(zip((parameter.name for parameter in ordered), values, strict=True))
            settings.add(tuple((p.name, chosen[p.name]) for p in ordered if self._is_active(p, chosen)))
        return sum(
            math.prod(
                len(parameter.choices)
                for parameter in self.parameters
                if parameter.name not in controllers and self._is_active(parameter, dict(setting))
            )
            for setting in settings
        )

    # -- activity and identity --------------------------------------------------------------------------------------

    def _is_active(self, parameter: Parameter, values: Mapping[str, Any]) -> bool:
        return all(
            controller in values
            and values[controller] in allowed
            and self._is_active(self._by_name[controller], values)
            for controller, allowed in parameter.active_when
        )

    def active(self, candidate: Mapping[str, Any]) -> dict[str, Any]:
        """The genes that matter for this candidate, by name."""
        return {p.name: candidate[p.name] for p in self.parameters if self._is_active(p, candidate)}

    def key(self, candidate: Mapping[str, Any]) -> str:
        """Canonical text of a candidate: equal for candidates that differ in inactive genes only."""
        return json.dumps(self.active(candidate), separators=(",", ":"))

    def candidate(self, values: Mapping[str, Any]) -> Candidate:
        """A candidate from a mapping (as stored in JSON); missing genes get the first choice.

        Raises:
            ValueError: a value isn't one of the parameter's choices, or a name is unknown.
        """
        unknown = set(values) - set(self._by_name)
        if unknown:
            raise ValueError(f"The space {self.name!r} has no parameter {', '.join(sorted(unknown))}.")
        genes = []
        for parameter in self.parameters:
            value = values.get(parameter.name, parameter.choices[0])
            if value not in parameter.choices:
                raise ValueError(f"{value!r} is not a choice of {parameter.name!r}.")
            genes.append((parameter.name, parameter.choices[parameter.choices.index(value)]))
        return Candidate(tuple(genes))

    # -- drawing ----------------------------------------------------------------------------------------------------

    def draw_gene(self, name: str, rng: np.random.Generator) -> Any:
        """One value of a parameter, uniformly."""
        choices = self._by_name[name].choices
        return choices[int(rng.integers(len(choices)))]

    def sample(self, n: int, rng: np.random.Generator) -> list[Candidate]:
        """`n` candidates, every gene drawn uniformly and independently (repeats are possible)."""
        columns = [rng.integers(len(parameter.choices), size=n) for parameter in self.parameters]
        return [
            Candidate(
                tuple((p.name, p.choices[column[row]]) for p, column in zip(self.parameters, columns, strict=True))
            )
            for row in range(n)
        ]

    # -- encoding ---------------------------------------------------------------------------------------------------

    @property
    def encoded_names(self) -> list[str]:
        """Names of the columns that `encode` returns."""
        return [
            name
            for p in self.parameters
            for name in ([f"{p.name}={choice}" for choice in p.choices] if p.kind == "nominal" else [p.name])
        ]

    def encode(self, candidates: Sequence[Mapping[str, Any]]) -> np.ndarray:
        """Raw genes as numbers for a surrogate.

        Returns:
            float array (len(candidates), number of encoded columns): numeric genes as they are, boolean as 0/1, nominal
            one-hot. Inactive genes are encoded too, as in the PU paper.
        """
        encoded = np.zeros((len(candidates), sum(p.width for p in self.parameters)))
        start = 0
        for parameter in self.parameters:
            values = [candidate[parameter.name] for candidate in candidates]
            if parameter.kind == "nominal":
                index = {choice: position for position, choice in enumerate(parameter.choices)}
                encoded[np.arange(len(values)), [start + index[value] for value in values]] = 1.0
            else:
                encoded[:, start] = values
            start += parameter.width
        return encoded
