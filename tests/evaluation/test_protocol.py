import numpy as np
import pandas as pd
import pytest

from autopu_core.errors import LabelError
from autopu_core.evaluation.protocol import final_split, outer_splits
from autopu_core.pu.labels import read_labels

RNG = np.random.default_rng(0)
TARGET = pd.Series(RNG.permutation(np.repeat(["sick", "well"], [60, 140])), name="diagnosis")
LABELS = read_labels(TARGET, ["sick"])
DESIGN = {"n_folds": 5, "share": None, "inner_folds": 5}


HOLD_OUT = {"n_folds": None, "share": 0.2, "inner_folds": 5}


@pytest.mark.parametrize("design", [DESIGN, HOLD_OUT])
def test_positives_are_hidden_in_training_only_and_just_the_share(design):
    splits = outer_splits(LABELS, delta=0.4, seed=3, **design)
    for split in splits:
        y = LABELS.positive[split.train]
        assert (split.s <= y).all()
        assert y.sum() - split.s.sum() == round(0.4 * y.sum())
        assert not set(split.train) & set(split.test)
    tested = np.concatenate([split.test for split in splits])
    assert len(set(tested)) == len(tested) == (200 if len(splits) == 5 else 40)


def test_folds_and_hidden_positives_follow_from_the_seed_alone():
    first, again, other = (outer_splits(LABELS, delta=0.4, seed=seed, **DESIGN) for seed in (3, 3, 4))
    assert all((a.test == b.test).all() and (a.s == b.s).all() for a, b in zip(first, again, strict=True))
    assert any((a.test != b.test).any() for a, b in zip(first, other, strict=True))
    other_delta = outer_splits(LABELS, delta=0.2, seed=3, **DESIGN)
    assert all((a.test == b.test).all() for a, b in zip(first, other_delta, strict=True))


@pytest.mark.parametrize("design", [DESIGN, HOLD_OUT])
def test_rows_of_a_group_stay_together(design):
    groups = np.arange(200) // 4
    final = final_split(LABELS, delta=0.4, inner_folds=5, seed=1, groups=groups)
    for split in [*outer_splits(LABELS, delta=0.4, seed=1, groups=groups, **design), final]:
        assert not set(groups[split.train]) & set(groups[split.test])
        positive_groups = groups[split.train][LABELS.positive[split.train]]
        hidden = groups[split.train][LABELS.positive[split.train] & (split.s == 0)]
        labelled = groups[split.train][split.s == 1]
        assert not set(hidden) & set(labelled)
        assert set(hidden) | set(labelled) == set(positive_groups)


def test_a_genuine_task_keeps_its_labels():
    labels = read_labels(TARGET.where(TARGET == "sick"), ["sick"], genuine=True)
    for split in outer_splits(labels, delta=0.4, seed=1, **DESIGN):
        assert (split.s == labels.positive[split.train]).all()


def test_the_final_search_sees_all_rows_and_hides_only_if_asked():
    for delta, labelled in ((0.0, 60), (0.4, 36)):
        split = final_split(LABELS, delta=delta, inner_folds=5, seed=1)
        assert split.name == "final"
        assert split.train.tolist() == list(range(200))
        assert len(split.test) == 0
        assert split.s.sum() == labelled


def test_too_few_labelled_positives_for_the_inner_folds():
    few = read_labels(pd.Series(["sick"] * 6 + [None] * 60, name="d"), ["sick"], genuine=True)
    with pytest.raises(LabelError, match="Only 4 labelled positives are left for training, too few for 5 inner folds"):
        outer_splits(few, delta=0.0, seed=0, n_folds=3, share=None, inner_folds=5)
    just_enough = outer_splits(few, delta=0.0, seed=0, n_folds=3, share=None, inner_folds=4)
    assert [split.s.sum() for split in just_enough] == [4, 4, 4]
    with pytest.raises(LabelError, match="leaves"):
        outer_splits(LABELS, delta=0.95, seed=0, **DESIGN)
