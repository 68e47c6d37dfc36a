import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autopu_core.errors import LabelError
from autopu_core.pu.folds import folds, holdout


@given(positives=st.integers(5, 60), others=st.integers(5, 90), n_folds=st.integers(2, 5), seed=st.integers(0, 99))
def test_each_row_is_tested_once_and_every_fold_has_its_share(positives, others, n_folds, seed):
    strata = np.random.default_rng(seed).permutation(np.repeat([1, 0], [positives, others]))
    splits = folds(strata, n_folds, seed)
    assert np.sort(np.concatenate([test for _, test in splits])).tolist() == list(range(len(strata)))
    for train, test in splits:
        assert not set(train) & set(test)
        assert len(train) + len(test) == len(strata)
        assert abs(strata[test].sum() - positives / n_folds) < 1
    again = folds(strata, n_folds, seed)
    assert all((a[1] == b[1]).all() for a, b in zip(splits, again, strict=True))


@given(n_groups=st.integers(8, 30), seed=st.integers(0, 99))
def test_no_group_stands_on_both_sides(n_groups, seed):
    rng = np.random.default_rng(seed)
    groups = rng.integers(n_groups, size=6 * n_groups)
    strata = (groups % 2 == 0).astype(int)
    splits = [*folds(strata, 3, seed, groups), holdout(strata, 0.25, seed, groups)]
    for train, test in splits:
        assert not set(groups[train]) & set(groups[test])
        assert strata[train].sum()
        assert strata[test].sum()


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(50), 2)])
def test_the_seed_decides_who_is_tested_with_whom(groups):
    strata = (np.arange(100) % 10 < 4).astype(int)
    drawn = {tuple(folds(strata, 4, seed, groups)[0][1]) for seed in range(12)}
    assert len(drawn) > 9


def test_groups_that_leave_a_fold_without_positives_are_refused():
    groups = np.repeat([0, 1, 2], [3, 2, 1])  # three positives; one and another row; one other row
    with pytest.raises(LabelError, match="one of 2 folds gets no positive row"):
        folds(np.array([1, 1, 1, 1, 0, 0]), 2, 0, groups)


def test_a_hold_out_keeps_the_share_of_both_kinds():
    strata = np.repeat([1, 0], [40, 160])
    train, test = holdout(strata, 0.2, 0)
    assert len(test) == 40
    assert strata[test].sum() == 8
    assert np.sort(np.concatenate([train, test])).tolist() == list(range(200))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: folds(np.repeat([1, 0], [4, 20]), 5, 0), "only 4 positive rows, too few for 5 folds"),
        (lambda: folds(np.repeat([1, 0], [20, 4]), 5, 0), "only 4 other rows, too few for 5 folds"),
        (lambda: folds(np.ones(20, int), 3, 0, np.zeros(20)), "Only 1 groups have a positive row"),
        (lambda: holdout(np.repeat([1, 0], [1, 20]), 0.2, 0), "at least 2 positive rows; this table has 1"),
        (lambda: holdout(np.repeat([1, 0], [2, 2]), 0.01, 0), "leaves too few for training or test"),
    ],
)
def test_too_few_rows_are_counted_in_the_sentence(make, sentence):
    with pytest.raises(LabelError, match=sentence):
        make()
