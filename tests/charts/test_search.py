"""What the charts of a search draw, and say in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autopu_core.charts import search as charts
from autopu_core.charts.theme import alternative_text

EVIL = "<b onclick=x>&"


def trials(fitness, run="1 · GA base", search="fold 1", cpu_seconds=1.0, elapsed=None, outcome="scored"):
    """Trials of one search as the store gives them."""
    count = len(fitness)
    return pd.DataFrame(
        {
            "run": run,
            "search": search,
            "number": np.arange(count),
            "fitness": np.asarray(fitness, dtype=float),
            "outcome": outcome,
            "cpu_seconds": cpu_seconds,
            "elapsed": np.arange(count) + 0.5 if elapsed is None else elapsed,
        }
    )


def lines(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.mode == "lines"]


def dots(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.mode == "markers"]


def height(line: go.Scatter, x: np.ndarray) -> np.ndarray:
    """What a line of steps that turn after each point shows at x."""
    assert line.line.shape == "hv"
    return np.asarray(line.y)[np.searchsorted(line.x, x, side="right") - 1]


def test_every_trial_is_a_dot_and_the_best_so_far_a_line():
    figure = charts.convergence(trials([0.2, 0.5, 0.4, 0.7, 0.1]))
    (line,) = lines(figure)
    (dot,) = dots(figure)
    assert (list(dot.x), list(dot.y)) == ([1, 2, 3, 4, 5], [0.2, 0.5, 0.4, 0.7, 0.1])
    assert list(dot.customdata) == [0, 1, 2, 3, 4]
    assert list(height(line, np.arange(1, 6))) == [0.2, 0.5, 0.5, 0.7, 0.7]
    assert line.name == "1 · GA base"
    assert line.line.color == dot.marker.color
    assert figure.layout.xaxis.title.text == "candidates assessed"
    assert figure.layout.yaxis.title.text == "fitness (inner cross-validation)"
    assert alternative_text(figure) == "Best fitness so far against candidates assessed: 1 · GA base reached 0.700."


def test_trials_are_drawn_in_the_optimiser_order_in_whatever_order_they_finished():
    made = trials([0.2, 0.5, 0.4, 0.7])
    shuffled = made.sample(frac=1, random_state=3)
    assert charts.convergence(shuffled) == charts.convergence(made)


def test_against_computing_time_it_adds_up_and_against_time_it_never_goes_back():
    made = trials([0.1, 0.3, 0.2], cpu_seconds=[2.0, 0.0, 5.0], elapsed=[4.0, 3.5, 9.0])
    for x, title, along in (
        ("cpu_seconds", "computing time, CPU seconds", [2, 2, 7]),
        ("elapsed", "time, seconds", [4, 4, 9]),
    ):
        figure = charts.convergence(made, x)
        assert list(dots(figure)[0].x) == along
        assert figure.layout.xaxis.title.text == title
        assert title in alternative_text(figure)


def test_failed_and_overdue_trials_are_crosses():
    made = trials([0.3, 0.0, 0.5, 0.1], outcome=["scored", "failed", "scored", "timed_out"])
    scored, failed = dots(charts.convergence(made))
    assert (list(scored.y), scored.marker.symbol) == ([0.3, 0.5], "circle")
    assert (list(failed.y), failed.marker.symbol) == ([0.0, 0.1], "x")
    assert "failed" in failed.hovertemplate


_CURVES = st.lists(st.lists(st.integers(0, 20).map(lambda value: value / 20), min_size=1, max_size=30), max_size=3)


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), _CURVES)
def test_the_line_is_exactly_the_best_so_far_and_the_strong_one_the_mean_of_the_searches(first, others):
    curves = [first, *others]
    made = pd.concat([trials(curve, search=f"fold {number}") for number, curve in enumerate(curves)])
    drawn = lines(charts.convergence(made))
    for line, curve in zip(drawn, curves, strict=False):
        best = np.maximum.accumulate(curve)
        assert np.array_equal(height(line, np.arange(1, len(curve) + 1)), best)
        assert len(line.x) <= len(np.unique(best)) + 1  # nothing is drawn twice
    assert len(drawn) == (1 if len(curves) == 1 else len(curves) + 1)
    if len(curves) > 1:
        # A search that ended earlier keeps what it reached.
        longest = max(map(len, curves))
        held = [np.maximum.accumulate([*curve, *[0.0] * (longest - len(curve))]) for curve in curves]
        expected = np.mean(held, axis=0)
        assert height(drawn[-1], np.arange(1, longest + 1)) == pytest.approx(expected)


def test_faint_lines_for_the_folds_and_a_strong_mean_with_a_name():
    made = pd.concat(
        [trials([0.2, 0.4]), trials([0.6, 0.8], search="fold 2"), trials([0.5], run="2 · BO base", search="hold-out")]
    )
    figure = charts.convergence(made)
    one, two, mean, other = lines(figure)
    assert one.opacity == two.opacity < 0.5
    assert not one.showlegend
    assert not two.showlegend
    assert mean.name == "1 · GA base (mean of 2 searches)"
    assert list(mean.y) == pytest.approx([0.4, 0.6])
    assert mean.line.width > one.line.width
    assert one.line.color == mean.line.color != other.line.color
    assert other.name == "2 · BO base"
    assert alternative_text(figure).endswith("1 · GA base reached 0.800; 2 · BO base reached 0.500.")


def test_there_is_no_mean_before_every_search_has_assessed_something():
    made = pd.concat(
        [
            trials([0.2, 0.4, 0.6], cpu_seconds=[1.0, 1.0, 1.0]),
            trials([0.9], search="fold 2", cpu_seconds=2.5),
        ]
    )
    mean = lines(charts.convergence(made, "cpu_seconds"))[-1]
    assert (list(mean.x), list(mean.y)) == ([2.5, 3.0], pytest.approx([0.65, 0.75]))


def test_of_ten_thousand_trials_the_best_so_far_is_kept_exactly_and_so_are_the_dots_that_made_it():
    rng = np.random.default_rng(8)
    fitness = np.minimum(rng.beta(2, 5, 10_000) + np.linspace(0, 0.3, 10_000), 1)
    figure = charts.convergence(trials(fitness))
    (line,) = lines(figure)
    best = np.maximum.accumulate(fitness)
    numbers = np.arange(1, 10_001)
    assert np.array_equal(height(line, numbers), best)
    assert len(line.x) < 100
    assert line.x[-1] == 10_000
    (dot,) = dots(figure)
    assert len(dot.x) <= 1300
    assert np.array_equal(dot.y, fitness[np.asarray(dot.x) - 1])
    rises = numbers[np.r_[True, best[1:] > best[:-1]]]
    assert set(rises) <= set(dot.x)
    assert np.diff(dot.x).max() < 20  # evenly: no stretch of the search is left out


def test_up_to_twelve_hundred_trials_are_all_drawn():
    rng = np.random.default_rng(0)
    (dot,) = dots(charts.convergence(trials(rng.random(1200))))
    assert len(dot.x) == 1200


def frequencies(rows):
    return pd.DataFrame(rows, columns=["parameter", "value", "count", "selection_percent", "baseline_percent"])


def test_chosen_values_beside_chance_the_most_frequent_first():
    figure = charts.hyperparameter_frequencies(
        frequencies(
            [
                ("classifier_2", "lda", 1, 20.0, 5.6),
                ("classifier_2", "knn", 4, 80.0, 5.6),
                ("classifier_2", "svc", 0, 0.0, 5.6),
                ("flag_1b", "True", 5, 100.0, 50.0),
            ]
        ),
        "classifier_2",
    )
    chosen, chance = figure.data
    assert (list(chosen.y), list(chosen.x), chosen.name) == (["knn", "lda"], [80, 20], "chosen")
    assert (list(chance.y), list(chance.x), chance.name) == (["knn", "lda"], [5.6, 5.6], "by chance")
    assert figure.layout.xaxis.title.text == "share, %"
    assert figure.layout.yaxis.type == "category"  # 0.05 is one of the values, not a place on an axis
    assert alternative_text(figure) == "classifier_2: most often knn (80 %, by chance 6 %)."


def test_reuse_of_fits():
    figure = charts.reuse(15_000, 4000, 1234)
    (bars,) = figure.data
    assert dict(zip(bars.y, bars.x, strict=True)) == {
        "needed one by one": 15_000,
        "different ones": 4000,
        "computed": 1234,
    }
    assert list(bars.text) == ["15,000", "4,000", "1,234"]
    assert len(set(bars.marker.color)) == 3
    assert figure.layout.xaxis.title.text == "fits"
    assert alternative_text(figure) == "15000 fits one by one, 4000 different ones, 1234 computed."


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (charts.convergence(pd.DataFrame()), "Nothing has been assessed yet."),
        (charts.convergence(trials([])), "Nothing has been assessed yet."),
        (charts.hyperparameter_frequencies(frequencies([]), "flag_1b"), "Not chosen yet."),
        (charts.hyperparameter_frequencies(frequencies([("flag_1b", "True", 0, 0.0, 50.0)]), "flag_1b"), "Not chosen"),
    ],
)
def test_a_chart_of_nothing_says_why(figure, said):
    assert not figure.data
    assert alternative_text(figure).startswith(said)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_and_values_stay_text(theme):
    many = pd.concat([trials([0.1], EVIL, "fold 1"), trials([0.1], EVIL, "fold 2"), trials([0.1], EVIL + "2")])
    for figure in (
        charts.convergence(many, theme=theme),
        charts.hyperparameter_frequencies(frequencies([("p", EVIL, 1, 100.0, 5.0)]), "p", theme),
    ):
        assert EVIL in alternative_text(figure)
        for trace in figure.data:
            shown = [trace.name, *(trace.y if trace.y is not None else [])]
            assert not [text for text in shown if isinstance(text, str) and "<" in text]
