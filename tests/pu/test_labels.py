import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autopu_core.errors import LabelError
from autopu_core.pu.labels import hide_positives, read_labels


def column(*values):
    return pd.Series(list(values), name="diagnosis", dtype="str")


# -- hiding ---------------------------------------------------------------------------------------------------------


@given(
    y=st.lists(st.booleans(), min_size=1, max_size=120),
    delta=st.floats(0, 0.95),
    seed=st.integers(0, 1000),
)
def test_exactly_the_share_is_hidden_and_nothing_else_changes(y, delta, seed):
    y = np.array(y)
    hidden = round(delta * y.sum())
    if y.sum() - hidden < 1:
        with pytest.raises(LabelError, match="are needed"):
            hide_positives(y, delta, seed)
        return
    s = hide_positives(y, delta, seed)
    assert s.sum() == y.sum() - hidden
    assert (s <= y).all()
    assert (s == hide_positives(y, delta, seed)).all()


def test_every_positive_is_hidden_as_often():
    y = np.array([1, 0, 1, 1, 0, 1, 1])
    hidden = np.array([y - hide_positives(y, 0.4, seed) for seed in range(2000)])
    assert (hidden.sum(axis=1) == 2).all()
    often = hidden.mean(axis=0)
    assert often[y == 0].max() == 0
    assert np.abs(often[y == 1] - 0.4).max() < 0.04  # four standard errors


def test_groups_are_hidden_together_and_as_near_to_the_share_as_they_allow():
    y = np.repeat([1, 0], [30, 10])
    groups = np.repeat(np.arange(20), 2)
    for seed in range(20):
        s = hide_positives(y, 0.4, seed, groups=groups)
        assert s.sum() == 18
        labelled = s.reshape(20, 2)
        assert (labelled[:, 0] == labelled[:, 1]).all()


def test_whole_groups_give_the_nearest_number_and_each_is_hidden_as_often():
    y, groups = np.ones(30), np.repeat(np.arange(10), 3)
    for delta, hidden in ((0.33, 9), (0.36, 12), (0.05, 3), (0.04, 0)):  # of 10, 11, 2 and 1 to hide
        assert 30 - hide_positives(y, delta, groups=groups).sum() == hidden
    often = np.mean([1 - hide_positives(y, 0.3, seed, groups)[::3] for seed in range(2000)], axis=0)
    assert np.abs(often - 0.3).max() < 0.041  # four standard errors


def test_only_positives_of_a_hidden_group_are_hidden():
    y = np.tile([1, 0], 12)
    s = hide_positives(y, 0.5, groups=np.repeat(np.arange(6), 4))
    assert (s[y == 0] == 0).all()
    assert s.reshape(6, 4)[:, ::2].sum(axis=1).tolist().count(2) == 3


@pytest.mark.parametrize("delta", [-0.1, 1.0, 1.5, float("nan")])
def test_a_share_out_of_range_is_refused(delta):
    with pytest.raises(LabelError, match="at least 0 and below 1"):
        hide_positives(np.ones(5), delta)


def test_too_few_left_for_the_inner_folds_is_one_sentence_with_the_numbers():
    with pytest.raises(LabelError, match=r"Hiding 60% of 10 positives leaves 4 labelled, but at least 5 are needed"):
        hide_positives(np.repeat([1, 0], [10, 10]), 0.6, least=5)
    with pytest.raises(LabelError, match="leaves 4 labelled groups, but at least 5"):
        hide_positives(np.ones(20), 0.6, groups=np.repeat(np.arange(10), 2), least=5)


# -- reading --------------------------------------------------------------------------------------------------------


def test_an_engineered_task_leaves_out_rows_without_a_target():
    labels = read_labels(column("sick", None, "well", "sick", None), ["sick"])
    assert labels.rows.tolist() == [0, 2, 3]
    assert labels.positive.tolist() == [True, False, True]
    assert not labels.known_negative.any()
    assert labels.left_out == 2


def test_a_genuine_task_takes_them_as_unlabelled_and_knows_its_negatives():
    labels = read_labels(column("sick", None, "well", "sick", None), ["sick"], ["well"], genuine=True)
    assert labels.rows.tolist() == [0, 1, 2, 3, 4]
    assert labels.positive.tolist() == [True, False, False, True, False]
    assert labels.known_negative.tolist() == [False, False, True, False, False]
    assert labels.left_out == 0


def test_values_are_compared_as_people_write_them():
    numbers = pd.Series([1.0, 0.0, np.nan, 1.0], name="y")
    assert read_labels(numbers, ["1"]).positive.tolist() == [True, False, True]
    assert read_labels(pd.Series([True, False], name="y"), ["True"]).positive.tolist() == [True, False]
    several = read_labels(column("AD", "MCI", "control"), ["AD", "MCI"])
    assert several.positive.tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("values", "positive", "negative", "genuine", "sentence"),
    [
        (["a", "b"], ["c"], [], False, r"column 'diagnosis' has no value 'c'; it holds 'a' \(1 rows\), 'b' \(1 rows\)"),
        (["a", "b"], ["a"], ["x"], True, "no value 'x'"),
        (["a", "b"], ["a"], ["b"], False, "only be named in a genuine task"),
        (["a", "a"], ["a"], [], False, "there is no negative row"),
        (["a", "b"], ["a"], ["b"], True, "there is no unlabelled row"),
        ([None, None], ["a"], [], True, "it holds no value at all"),
    ],
)
def test_what_cannot_be_learned_from_is_said_in_a_sentence(values, positive, negative, genuine, sentence):
    with pytest.raises(LabelError, match=sentence):
        read_labels(column(*values), positive, negative, genuine)
