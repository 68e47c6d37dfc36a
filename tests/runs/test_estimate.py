import numpy as np
import pandas as pd
import pytest

from autopu_core.pu.classifiers import CLASSIFIERS
from autopu_core.pu.methods import METHODS
from autopu_core.runs.estimate import estimate_run, expected_fits, expected_time
from autopu_core.runs.settings import RunSettings
from autopu_core.runs.task import prepare_task
from autopu_core.tables import Table

PRESETS_USED = ("quick", "paper")
REDUCED_ROUNDS = METHODS["df_pu_reduced"].space["iterations"].choices


def settings(preset="quick", **choices):
    return RunSettings.from_preset(preset, dataset="d", target="y", positive=("yes",), **choices)


@pytest.mark.parametrize(
    ("preset", "optimizer", "measured"),
    [
        ("quick", "ga", 2429),
        ("quick", "ebo", 1512),
        ("quick", "bo", 952),
        ("paper", "ga", 19742),
        ("paper", "ebo", 7970),
        ("paper", "bo", 3357),
    ],
)
def test_expected_fits_are_near_what_was_measured_on_the_wisconsin_table(preset, optimizer, measured):
    assert expected_fits(settings(preset, optimizer=optimizer)) == pytest.approx(measured, rel=0.25)


EACH = dict.fromkeys(CLASSIFIERS, 0.1)


def test_time_grows_with_the_budget_and_a_limit_bounds_it():
    quick, paper = (expected_time(settings(preset, jobs=2), EACH) for preset in ("quick", "paper"))
    assert 0 < quick.low < quick.high < paper.low
    assert expected_time(settings("paper", time_limit=60.0), EACH).high == 60
    assert expected_time(settings(jobs=4), EACH).high == pytest.approx(expected_time(settings(jobs=2), EACH).high / 2)


def test_the_time_of_a_baseline_follows_from_its_grid_and_its_own_learner():
    seconds_of = EACH | {"deep_forest": 2.0}
    reduced, full = (expected_time(settings(preset, optimizer="df_pu", jobs=1), seconds_of) for preset in PRESETS_USED)
    assert reduced.high / 2 == pytest.approx(5 * (sum(REDUCED_ROUNDS) + 9) * 2.0)
    assert full.low * 2 == pytest.approx(6 * 5 * (55 + 100) * 2.0)  # five folds and a final search
    spies = expected_time(settings(optimizer="s_em"), seconds_of)
    assert spies == expected_time(settings(optimizer="s_em"), seconds_of | {"deep_forest": 9.0})


def test_an_estimate_is_measured_on_the_table_itself():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=90), "y": np.where(np.arange(90) % 3, "no", "yes")})
    estimate = estimate_run(prepare_task(Table.from_frame(frame, "t.csv"), settings(jobs=1)))
    assert 0 < estimate.low < estimate.high < 3600
