"""Each quick fit against scikit-learn's estimator, bit for bit: fails should scikit-learn change an algorithm."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from autopu_core.pu import quick_fits, trees
from autopu_core.pu.classifiers import make_classifier
from autopu_core.pu.quick_fits import QUICK_FITS

pytestmark = [
    pytest.mark.skipif(not trees.BUILDER_IS_KNOWN, reason="quick fits are off with this version of scikit-learn"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def problem(case: int):
    """X, y and rows to predict: random tables with ties, constant columns, equal rows, or large values."""
    rng = np.random.default_rng(case)
    n_rows, n_columns = int(rng.integers(4, 260)), int(rng.integers(1, 20))
    X = rng.normal(size=(n_rows, n_columns)) * 10.0 ** (case % 4)
    if case % 3 == 0:
        X = np.round(X)
    if case % 5 == 0:
        X[:, 0] = 1.0
    if case % 7 == 6:
        X[:] = X[0]
    y = (X[:, -1] + rng.normal(size=n_rows) * (case % 3) > 0).astype(np.int64)
    y[:2] = 0, 1
    return X, y, rng.normal(size=(int(rng.integers(1, 90)), n_columns))


@pytest.mark.parametrize("case", range(10))
@pytest.mark.parametrize("name", list(QUICK_FITS))
def test_equal_to_the_exported_classifier(name, case):
    X, y, rows = problem(case)
    try:
        expected = make_classifier(name, case).fit(X, y).predict_proba(rows)[:, 1]
    except ValueError:
        with pytest.raises(ValueError, match=r"\w"):
            QUICK_FITS[name](X, y, rows, case)
        return
    assert np.array_equal(QUICK_FITS[name](X, y, rows, case), expected)


@pytest.mark.parametrize("name", list(QUICK_FITS))
def test_equal_on_a_clinical_table(name):
    X, malignant = load_breast_cancer(return_X_y=True)
    y = 1 - malignant
    y[::6] = 1 - y[::6]
    expected = make_classifier(name, 11).fit(X[:330], y[:330]).predict_proba(X)[:, 1]
    assert np.array_equal(QUICK_FITS[name](X[:330], y[:330], X, 11), expected)


def test_gaussian_process_in_blocks_agrees_with_one_block(monkeypatch):
    X, y, rows = problem(1)
    whole = quick_fits.gaussian_process(X, y, rows, 0)
    monkeypatch.setattr(quick_fits, "KERNEL_VALUES", 3 * len(X))
    np.testing.assert_allclose(quick_fits.gaussian_process(X, y, rows, 0), whole, rtol=1e-9)
