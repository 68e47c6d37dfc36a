"""The PU learners that a search can choose among: how a candidate of each learns, and the space it comes from.

Another framework (probability correction, biased learning, bagging) joins by one more entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.base import BaseEstimator

from autopu_core.pu.deep_forest_pu import (
    DEEP_FOREST_PU_REDUCED,
    DEEP_FOREST_PU_SPACE,
    DeepForestPUClassifier,
    deep_forest_pu,
)
from autopu_core.pu.objective import Learn
from autopu_core.pu.spaces import BASE_SPACE, EXTENDED_SPACE
from autopu_core.pu.spy_em import SPY_EM_SPACE, SpyEMClassifier, spy_em
from autopu_core.pu.two_step import TwoStepClassifier, two_step
from autopu_core.search.space import SearchSpace


@dataclass(frozen=True)
class Method:
    """A PU learner and the candidates of it that a search may try.

    Attributes:
        space: hyperparameters and their values.
        plan: a candidate on learning rows, as a plan that shares its fits; it returns the reliable negatives (sorted
            row numbers) and the probability of every other row of the matrix, see `two_step`.
        learner: the estimator that takes a candidate's active hyperparameters and `random_state`.
    """

    space: SearchSpace
    plan: Learn
    learner: Callable[..., BaseEstimator]


METHODS = {
    "base": Method(BASE_SPACE, two_step, TwoStepClassifier),
    "extended": Method(EXTENDED_SPACE, two_step, TwoStepClassifier),
    "s_em": Method(SPY_EM_SPACE, spy_em, SpyEMClassifier),
    "df_pu": Method(DEEP_FOREST_PU_SPACE, deep_forest_pu, DeepForestPUClassifier),
    "df_pu_reduced": Method(DEEP_FOREST_PU_REDUCED, deep_forest_pu, DeepForestPUClassifier),
}
