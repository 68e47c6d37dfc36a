"""The search spaces of two-step PU learners (PU paper, section 3.1; spies: section 2.1)."""

from __future__ import annotations

from autopu_core.pu.classifiers import CLASSIFIERS
from autopu_core.search.space import Parameter, SearchSpace

_ITERATION_COUNTS = tuple(range(1, 11))
_THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 11))
_SPY_RATES = tuple(round(0.05 * step, 2) for step in range(1, 8))
_SPY_TOLERANCES = tuple(round(0.01 * step, 2) for step in range(11))
_WITH_1B = (("flag_1b", (True,)),)
_WITHOUT_SPIES = (("spy_flag", (False,)),)
_WITH_SPIES = (("spy_flag", (True,)),)

BASE_SPACE = SearchSpace(
    "base",
    [
        Parameter("iteration_count_1a", _ITERATION_COUNTS, "numeric"),
        Parameter("threshold_1a", _THRESHOLDS, "numeric"),
        Parameter("classifier_1a", CLASSIFIERS, "nominal"),
        Parameter("flag_1b", (False, True), "boolean"),
        Parameter("threshold_1b", _THRESHOLDS, "numeric", _WITH_1B),
        Parameter("classifier_1b", CLASSIFIERS, "nominal", _WITH_1B),
        Parameter("classifier_2", CLASSIFIERS, "nominal"),
    ],
)
"""11,664,000 combinations of phase 1A, 1B and 2 without spies."""

EXTENDED_SPACE = SearchSpace(
    "extended",
    [
        Parameter("spy_flag", (False, True), "boolean"),
        Parameter("spy_rate", _SPY_RATES, "numeric", _WITH_SPIES),
        Parameter("spy_tolerance", _SPY_TOLERANCES, "numeric", _WITH_SPIES),
        Parameter("iteration_count_1a", _ITERATION_COUNTS, "numeric"),
        Parameter("threshold_1a", _THRESHOLDS, "numeric", _WITHOUT_SPIES),
        *BASE_SPACE.parameters[2:],
    ],
)
"""1,796,256,000 combinations: phase 1A may set its threshold by spies."""
