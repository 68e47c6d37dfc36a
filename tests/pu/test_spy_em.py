import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import f1_score
from sklearn.naive_bayes import GaussianNB

from autopu_core import SpyEMClassifier
from autopu_core.errors import FitError
from autopu_core.pu.fits import PreparedMatrix
from autopu_core.pu.learners import PhaseFailedError, learning_rows_of
from autopu_core.pu.soft_naive_bayes import SoftNaiveBayes, expectation_maximisation, least_error
from autopu_core.pu.spy_em import SPY_EM_SPACE, spied_negatives, spy_em
from autopu_core.pu.two_step import draw_spies
from autopu_core.search.executor import InlineExecutor
from autopu_core.search.planner import Planner, run_alone


@given(n=st.integers(6, 60), d=st.integers(1, 5), seed=st.integers(0, 999))
def test_with_hard_labels_it_is_scikit_learns_naive_bayes(n, d, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    X = rng.normal(size=(n, d)) * rng.uniform(0.1, 10, size=d)
    ours, theirs = SoftNaiveBayes.fit(X, y.astype(float)), GaussianNB().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


def test_soft_labels_weigh_rows_worked_by_hand():
    X = np.array([[0.0], [1.0], [2.0], [4.0]])
    model = SoftNaiveBayes.fit(X, np.array([0.0, 0.5, 0.5, 1.0]))
    # negative: weights 1, 1/2, 1/2 on 0, 1, 2: mean 3/4, mean square 5/4; positive: 1/2, 1/2, 1 on 1, 2, 4
    np.testing.assert_allclose(model.means[:, 0], [0.75, 2.75])
    smoothing = 1e-9 * X.var()
    np.testing.assert_allclose(model.variances[:, 0], [1.25 - 0.75**2 + smoothing, 18.5 / 2 - 2.75**2 + smoothing])
    np.testing.assert_allclose(np.exp(model.log_prior), [0.5, 0.5])
    expected = norm(2.75, np.sqrt(9.25 - 2.75**2)).logpdf(3.0) - norm(0.75, np.sqrt(1.25 - 0.75**2)).logpdf(3.0)
    np.testing.assert_allclose(model.log_odds(np.array([[3.0]])), expected, rtol=1e-6)


def test_a_class_without_any_weight_is_an_error_in_words():
    with pytest.raises(FitError, match="all rows to one class"):
        SoftNaiveBayes.fit(np.zeros((3, 1)), np.ones(3))


def test_expectation_maximisation_finds_the_two_halves_and_keeps_the_positives():
    rng = np.random.default_rng(0)
    negative, positive = rng.normal(0, 1, size=(200, 2)), rng.normal(4, 1, size=(200, 2))
    mixed = np.vstack([negative, positive[50:]])
    *_, last = expectation_maximisation(positive[:50], mixed, mixed[:0])
    np.testing.assert_allclose(last.means, [[0, 0], [4, 4]], atol=0.25)
    assert (last.log_odds(positive) > 0).mean() > 0.98


def test_the_iteration_is_the_last_before_the_error_grows():
    """Three models of one column that cut at 1, 2 and 0: fewer rows called positive, then more again."""
    cut = {}
    for name, place in (("first", 1.0), ("second", 2.0), ("third", 0.0)):
        cut[name] = SoftNaiveBayes(np.log([0.5, 0.5]), np.array([[place - 1], [place + 1]]), np.ones((2, 1)))
    X_positive, X_all = np.array([[3.0], [4.0]]), np.array([[-1.0], [0.5], [1.5], [2.5]])
    assert least_error(iter([cut["first"], cut["second"], cut["third"]]), X_positive, X_all) is cut["second"]
    assert least_error(iter([cut["first"], cut["third"], cut["second"]]), X_positive, X_all) is cut["first"]
    # A cut at 3.5 misses one of the two positives: that outweighs calling fewer rows positive.
    strict = SoftNaiveBayes(np.log([0.5, 0.5]), np.array([[2.5], [4.5]]), np.ones((2, 1)))
    assert least_error(iter([cut["second"], strict]), X_positive, X_all) is cut["second"]


def patients(seed=0, n=160):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    X = rng.normal(size=(n, 3)) + 2.0 * y[:, None]
    return X, (y & (rng.random(n) < 0.6)).astype(int), y


def plain_step_1(X, P, U, spies, tolerance):
    """Step 1 with scikit-learn's naive Bayes: every soft row stands twice, weighted, until nothing moves."""
    kept, mixed = sorted(set(P) - set(spies)), sorted({*U, *spies})
    soft = np.zeros(len(mixed))
    for _ in range(200):
        rows = [*kept, *mixed, *mixed]
        labels = [1] * len(kept) + [1] * len(mixed) + [0] * len(mixed)
        weights = np.concatenate([np.ones(len(kept)), soft, 1 - soft])
        keep = weights > 0
        model = GaussianNB().fit(X[rows][keep], np.array(labels)[keep], sample_weight=weights[keep])
        joint = model.predict_joint_log_proba(X[mixed])
        new = 1 / (1 + np.exp(joint[:, 0] - joint[:, 1]))
        if np.abs(new - soft).max() < 1e-4:
            break
        soft = new
    odds = dict(zip(mixed, joint[:, 1] - joint[:, 0], strict=True))
    threshold = sorted(odds[spy] for spy in spies)[int(tolerance * len(spies) + 1e-9)]
    return [row for row in U if odds[row] < threshold]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("tolerance", [0.0, 0.05, 0.1])
def test_the_reliable_negatives_are_those_of_the_algorithm_written_down_plainly(seed, tolerance):
    X, s, _ = patients(seed)
    rows = learning_rows_of(s, PreparedMatrix(X), seed)
    spies = draw_spies(rows, 0.2).tolist()
    expected = plain_step_1(X, rows.labelled.tolist(), rows.unlabelled.tolist(), spies, tolerance)
    found = run_alone(spied_negatives({"spy_rate": 0.2, "spy_tolerance": tolerance}, rows))
    assert found.tolist() == expected


def test_the_plan_and_the_estimator_are_one_learner():
    X, s, y = patients()
    genes = {"spy_rate": 0.15, "spy_tolerance": 0.05}
    rows = learning_rows_of(s, PreparedMatrix(X), 7)
    reliable, probability = run_alone(spy_em(genes, rows))
    model = SpyEMClassifier(**genes, random_state=7).fit(X, s)
    assert model.reliable_negatives_.tolist() == reliable.tolist()
    known = ~np.isnan(probability)
    assert known.sum() == len(X) - s.sum() - len(reliable)
    np.testing.assert_allclose(model.predict_proba(X)[known, 1], probability[known], atol=1e-12)
    assert ((model.predict(X) == 1) == y).mean() > 0.85


def test_all_tolerances_share_the_first_step():
    X, s, _ = patients()
    rows = learning_rows_of(s, PreparedMatrix(X), 1)
    planner = Planner(InlineExecutor())
    plans = {value: spy_em({"spy_rate": 0.2, "spy_tolerance": value}, rows) for value in (0.0, 0.01, 0.02, 0.1)}
    results = {key: result[0].tolist() for key, result, _ in planner.run(plans)}
    different = {tuple(reliable) for reliable in results.values()}
    assert len(planner.asked) == 1 + len(different)


def test_nothing_below_the_spies_is_a_failure_in_words():
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    rows = learning_rows_of(np.array([1, 1, 0, 0]), PreparedMatrix(X), 0)
    with pytest.raises(PhaseFailedError, match=r"step 1"):
        run_alone(spied_negatives({"spy_rate": 0.35, "spy_tolerance": 0.0}, rows_above(rows)))


def rows_above(rows):
    """The same rows with every unlabelled one a copy of a labelled one: nobody looks more negative than a spy."""
    values = rows.matrix.values.copy()
    values[rows.unlabelled] = values[rows.labelled].min()
    return learning_rows_of(np.array([1, 1, 0, 0]), PreparedMatrix(values), 0)


def test_the_grid_is_the_papers():
    assert SPY_EM_SPACE.size == 77
    assert SPY_EM_SPACE["spy_rate"].choices[-1] == 0.35
    assert SPY_EM_SPACE["spy_tolerance"].choices[-1] == 0.10


def test_it_learns_the_wisconsin_table(wisconsin_folds):
    scores = [
        f1_score(y, SpyEMClassifier().fit(X, s).predict(X_test)) for X, s, _, X_test, y in wisconsin_folds(n_folds=5)
    ]
    assert np.mean(scores) >= 0.90
