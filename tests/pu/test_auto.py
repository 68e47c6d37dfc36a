import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from autopu_core import (
    AutoPUClassifier,
    CascadeForestClassifier,
    DeepForestPUClassifier,
    SpyEMClassifier,
    TwoStepClassifier,
)
from autopu_core.errors import AutoPUError, SettingsError
from autopu_core.pu import auto
from autopu_core.pu.auto import LearningTask, estimated_class_prior, fit_pipeline, inner_folds, refit_best
from autopu_core.pu.counts import lee_liu, pu_f1
from autopu_core.pu.learners import PhaseFailedError
from autopu_core.pu.methods import METHODS
from autopu_core.pu.objective import TwoStepObjective
from autopu_core.pu.spaces import EXTENDED_SPACE
from autopu_core.search.journal import Trial
from autopu_core.search.planner import WorkFailedError, run_alone
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


def trial(number, fitness, repeat_of=None, reason=None, threshold=0.3):
    candidate = CHEAP.candidate({"iteration_count_1a": number % 3 + 1, "threshold_1a": threshold})
    outcome = "failed" if reason else "scored"
    key = CHEAP.key(candidate)
    return Trial("search", number, 0, dict(candidate), key, outcome, fitness, reason=reason, repeat_of=repeat_of)


def test_a_winner_that_cannot_be_refitted_gives_way_to_the_next_best():
    trials = [trial(0, 0.4), trial(1, 0.8), trial(2, 0.9), trial(3, 0.8), trial(4, 0.9, repeat_of=2), trial(5, 0.0)]
    tried = []

    def refit(candidate):
        tried.append(candidate)
        if len(tried) < 3:
            raise PhaseFailedError("phase 1A found no reliable negative")
        return "fitted"

    best, pipeline = refit_best(trials, CHEAP, refit)
    assert (best.number, pipeline) == (3, "fitted")  # after 2 and 1: the first of equals, and nothing twice
    assert tried == [CHEAP.active(trials[number].candidate) for number in (2, 1, 3)]


def test_after_five_that_cannot_be_refitted_it_is_said_why():
    tried = []

    def refit(candidate):
        tried.append(candidate)
        raise WorkFailedError(f"reason {len(tried)}")

    with pytest.raises(AutoPUError, match=r"None of the 8 candidates .*: reason 5"):
        refit_best([trial(number, 0.5) for number in range(8)], CHEAP, refit)
    with pytest.raises(AutoPUError, match="every row was called negative"):
        refit_best([trial(0, 0.0)], CHEAP, refit)
    with pytest.raises(AutoPUError, match="phase 1A found nothing"):
        refit_best([trial(0, 0.0), trial(1, 0.0, reason="phase 1A found nothing")], CHEAP, refit)
    assert len(tried) == 5


def test_the_estimator_is_the_best_that_could_be_refitted(patients, monkeypatch):
    X, s, _ = patients
    usual, failed = auto.fit_pipeline, []

    def fails_once(candidate, task, learner):
        if not failed:
            failed.append(candidate)
            raise PhaseFailedError("phase 2: no")
        return usual(candidate, task, learner)

    monkeypatch.setattr(auto, "fit_pipeline", fails_once)
    model = small(optimizer="grid").fit(X, s)
    assert model.best_candidate_ != failed[0]
    assert model.best_fitness_ == max(t.fitness for t in model.trials_ if CHEAP.active(t.candidate) != failed[0])
    assert model.pipeline_[-1].get_params().items() >= model.best_candidate_.items()


@pytest.mark.parametrize("known_from", [120, 110])
def test_a_candidate_scores_what_its_estimator_scores_on_the_inner_folds(patients, tmp_path, known_from):
    """The plan of the objective and the estimator that is exported are one learner, judged against `s`."""
    X, s, y = patients
    known = ~y & (np.arange(120) >= known_from)
    objective = TwoStepObjective(inner_folds(LearningTask(X, s, known, seed=7), 3, tmp_path))
    judged = np.concatenate([fold.rows.matrix.values[fold.judged] for fold in objective.folds])
    assert sorted(map(tuple, judged)) == sorted(map(tuple, X))  # each row is judged once, known negatives too
    assert len({fold.rows.seed for fold in objective.folds}) == 3
    fitnesses = []
    for drawn in EXTENDED_SPACE.sample(12, np.random.default_rng(5)):
        named = {name: "lda" if value < "k" else "gaussian_nb" for name, value in drawn.items() if "class" in name}
        genes = {**drawn, **named}
        scores = []
        for fold in objective.folds:
            values, n_learned = fold.rows.matrix.values, fold.judged[0]
            assert n_learned == len(fold.rows.labelled) + len(fold.rows.unlabelled)
            labelled = np.isin(np.arange(n_learned), fold.rows.labelled)
            learner = TwoStepClassifier(**genes, random_state=fold.rows.seed)
            try:
                called = learner.fit(values[:n_learned], labelled).predict(values[fold.judged])
            except PhaseFailedError:
                called = np.zeros(len(fold.judged), dtype=bool)
            scores.append(f1_score(fold.s, called, zero_division=0))
        results = [run_alone(plan) for plan in objective.plans(genes)]
        fitnesses.append(objective.assess(genes, results).fitness)
        assert fitnesses[-1] == pytest.approx(np.mean(scores))
    assert len(set(fitnesses)) > 6


@pytest.mark.parametrize("measure", ["lee_liu", "pu_f1"])
def test_another_objective_judges_the_same_trials_by_its_own_measure(patients, measure):
    X, s, _ = patients
    by_f, model = (small(optimizer="grid", objective=name).fit(X, s) for name in ("f_measure", measure))
    assert [t.folds for t in model.trials_] == [t.folds for t in by_f.trials_]
    prior = estimated_class_prior(LearningTask(X, s, np.zeros(120, bool)))
    assert s.mean() < prior < 1
    score = lee_liu if measure == "lee_liu" else partial(pu_f1, class_prior=prior)
    expected = [np.mean([score(counts) for counts in t.folds]) for t in model.trials_]
    assert [t.fitness for t in model.trials_] == pytest.approx(expected)
    assert model.best_fitness_ == pytest.approx(max(expected))


def test_rows_of_a_group_are_learned_or_judged_together(patients, tmp_path):
    X, s, _ = patients
    groups = np.arange(120) // 3
    group_of = {tuple(row): group for row, group in zip(X, groups, strict=True)}
    for fold in inner_folds(LearningTask(X, s, np.zeros(120, bool), groups=groups), 3, tmp_path):
        sides = [{group_of[tuple(row)] for row in part} for part in np.split(fold.rows.matrix.values, [fold.judged[0]])]
        assert not sides[0] & sides[1]
        assert sides[0] | sides[1] == set(groups)


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


@pytest.fixture
def with_known_negatives(patients):
    """X, s and six known negatives that look like labelled positives: no phase finds them by itself."""
    X, s, y = patients
    known = ~y & (np.arange(120) < 9)
    X = X.copy()
    X[known] = X[s == 1][: known.sum()] + 1e-6
    return X, s, known


def test_known_negatives_are_judged_on_and_learned_from_only_where_asked(with_known_negatives):
    X, s, known = with_known_negatives
    for asked in (False, True):
        task = LearningTask(X, s, known, use_known_negatives=asked)
        assert (task.learned_from == (np.ones(120, bool) if asked else ~known)).all()
        learner = fit_pipeline({"threshold_1a": 0.05}, task)[-1]
        learned = np.flatnonzero(task.learned_from)
        reliable = set(learned[learner.reliable_negatives_])
        assert len(reliable - set(np.flatnonzero(known))) > 5
        assert set(np.flatnonzero(known)) & reliable == (set(np.flatnonzero(known)) if asked else set())


@pytest.mark.parametrize("asked", [False, True])
def test_known_negatives_of_inner_folds(with_known_negatives, tmp_path, asked):
    X, s, known = with_known_negatives
    values_known = set(map(tuple, X[known]))
    for fold in inner_folds(LearningTask(X, s, known, use_known_negatives=asked), 3, tmp_path):
        is_known = np.array([tuple(row) in values_known for row in fold.rows.matrix.values])
        n_learned = fold.judged[0]
        assert is_known[n_learned:].any()
        assert not is_known[fold.rows.unlabelled].any()
        if asked:
            assert fold.rows.known_negatives.tolist() == np.flatnonzero(is_known[:n_learned]).tolist()
        else:
            assert fold.rows.known_negatives is None
            assert not is_known[:n_learned].any()


def test_the_class_prior_counts_known_negatives_as_rows_without_positives(patients):
    X, s, _ = patients
    unknown = estimated_class_prior(LearningTask(X, s, np.zeros(120, dtype=bool)))
    more = LearningTask(np.vstack([X, X[:40]]), np.append(s, np.zeros(40, int)), np.arange(160) >= 120)
    assert estimated_class_prior(more) == pytest.approx(unknown * 120 / 160)


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
