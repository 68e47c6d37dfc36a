import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from autopu_core import (
    AutoPUClassifier,
    CascadeForestClassifier,
    DeepForestPUClassifier,
    SpyEMClassifier,
    TwoStepClassifier,
)
from autopu_core.errors import AutoPUError, SettingsError
from autopu_core.pu.auto import LearningTask, fit_pipeline, inner_folds
from autopu_core.pu.methods import METHODS
from autopu_core.search.space import Parameter, SearchSpace
from autopu_core.tables import TablePreparer

CHEAP = SearchSpace(
    "cheap",
    [
        Parameter("iteration_count_1a", (1, 2, 3), "numeric"),
        Parameter("threshold_1a", (0.3, 0.5), "numeric"),
        Parameter("classifier_1a", ("gaussian_nb", "lda"), "nominal"),
        Parameter("flag_1b", (False,), "boolean"),
        Parameter("classifier_2", ("gaussian_nb", "lda", "knn"), "nominal"),
    ],
)
CERTAIN = SearchSpace(
    "certain",
    [
        *CHEAP.parameters[:2],
        Parameter("classifier_1a", ("decision_tree",), "nominal"),  # knows its rows, so it always finds a negative
        *CHEAP.parameters[3:],
    ],
)
_NAMED_S = "the second argument of fit is called s, as in the field, for PU labels aren't y"


def expected_failures(estimator):
    """The checks that PU data don't allow, each with its reason."""
    if isinstance(estimator, CascadeForestClassifier):
        return {}
    failures = {"check_fit_score_takes_y": _NAMED_S}
    if isinstance(estimator, SpyEMClassifier):
        failures["check_estimators_dtypes"] = "its labels are noise, so no row looks more negative than the spies"
    return failures


@parametrize_with_checks(
    [
        TwoStepClassifier(classifier_1a="decision_tree"),
        SpyEMClassifier(),
        DeepForestPUClassifier(reliable_negative_rate=0.5, iterations=1),
        AutoPUClassifier(search_space=CERTAIN, configurations=3, iterations=1, k=1, inner_folds=2),
        CascadeForestClassifier(),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def patients():
    rng = np.random.default_rng(4)
    y = np.arange(120) % 3 == 0
    X = rng.normal(size=(120, 4)) + 1.5 * y[:, None]
    return X, (y & (rng.random(120) < 0.6)).astype(int), y


def small(**choices):
    return AutoPUClassifier(**({"search_space": CHEAP, "configurations": 6, "iterations": 3, "k": 2} | choices))


@pytest.mark.parametrize("optimizer", ["ga", "bo", "ebo", "random", "grid"])
def test_the_winner_is_the_best_by_inner_fitness_refitted(patients, optimizer):
    X, s, y = patients
    model = small(optimizer=optimizer).fit(X, s)
    best = max(trial.fitness for trial in model.trials_)
    assert model.best_fitness_ == best
    assert model.best_candidate_ == CHEAP.active(next(t for t in model.trials_ if t.fitness == best).candidate)
    assert ((model.predict(X) == 1) == y).mean() > 0.8
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(clone(model).fit(X, s).predict_proba(X), model.predict_proba(X))


def test_processes_do_not_change_the_result(patients):
    X, s, _ = patients
    alone, pool = small(random_state=5).fit(X, s), small(random_state=5, n_jobs=2).fit(X, s)
    assert [(t.key, t.fitness, t.fits_naive) for t in alone.trials_] == [
        (t.key, t.fitness, t.fits_naive) for t in pool.trials_
    ]
    needed, again = ({fit for trial in model.trials_ for fit in trial.new_fits} for model in (alone, pool))
    assert needed == again
    np.testing.assert_array_equal(alone.predict_proba(X), pool.predict_proba(X))


def test_a_baseline_is_searched_like_any_other(patients):
    X, s, _ = patients
    model = AutoPUClassifier(optimizer="grid", search_space="s_em").fit(X, s)
    assert len(model.trials_) == METHODS["s_em"].space.size == 77
    assert set(model.best_candidate_) == {"spy_rate", "spy_tolerance"}
    assert isinstance(model.pipeline_[-1], SpyEMClassifier)


def test_what_cannot_be_searched_is_said(patients):
    X, s, _ = patients
    with pytest.raises(SettingsError, match="no search space 'huge'"):
        small(search_space="huge").fit(X, s)
    with pytest.raises(AutoPUError, match="too few for 5 folds"):
        small().fit(X, np.arange(120) < 4)
    with pytest.raises(ValueError, match="3 classes"):
        small().fit(X, np.arange(120) % 3)


def test_known_negatives_are_judged_on_and_learned_from_only_where_asked(patients):
    X, s, y = patients
    known = ~y & (np.arange(120) < 30)
    for asked in (False, True):
        task = LearningTask(X, s, known, use_known_negatives=asked)
        assert (task.learned_from == (np.ones(120, bool) if asked else ~known)).all()
        learner = fit_pipeline({}, task)[-1]
        learned = np.flatnonzero(task.learned_from)
        reliable = set(learned[learner.reliable_negatives_])
        assert (set(np.flatnonzero(known)) <= reliable) == asked


def test_a_preparer_sees_the_training_rows_of_its_fold_only(tmp_path):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"a": rng.normal(size=60)})
    rows.loc[::7, "a"] = np.nan
    s = (np.arange(60) % 2).astype(int)
    task = LearningTask(rows, s, np.zeros(60, bool), preparer=TablePreparer(roles={"a": "numeric"}), seed=2)
    for fold in inner_folds(task, 3, tmp_path):
        n_train = fold.judged[0]
        values = fold.rows.matrix.values
        assert len(values) == 60
        assert not np.isnan(values).any()
        imputed = values[values[:, 1] == 1, 0]  # the indicator says where the value was missing
        observed = values[:n_train][values[:n_train, 1] == 0, 0]
        np.testing.assert_allclose(imputed, np.median(observed))
