import numpy as np
import pandas as pd
import pytest

from autopu_core.runs.estimate import estimate_run, expected_fits, expected_time
from autopu_core.runs.settings import RunSettings
from autopu_core.runs.task import prepare_task
from autopu_core.tables import Table


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


def test_time_grows_with_the_budget_and_a_limit_bounds_it():
    quick, paper = (expected_time(settings(preset, jobs=2), 0.1) for preset in ("quick", "paper"))
    assert 0 < quick.low < quick.high < paper.low
    assert expected_time(settings("paper", time_limit=60.0), 0.1).high == 60
    assert expected_time(settings(jobs=4), 0.1).high == pytest.approx(expected_time(settings(jobs=2), 0.1).high / 2)


def test_an_estimate_is_measured_on_the_table_itself():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=90), "y": np.where(np.arange(90) % 3, "no", "yes")})
    estimate = estimate_run(prepare_task(Table.from_frame(frame, "t.csv"), settings(jobs=1)))
    assert 0 < estimate.low < estimate.high < 3600
