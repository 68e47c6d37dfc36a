"""What the charts of a table draw, and say in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autopu_core.charts import data as charts
from autopu_core.charts.theme import HIDDEN, LABELLED, NEGATIVE, alternative_text

EVIL = "<b onclick=x>&"


def drawn(figure: go.Figure, name: str) -> go.Bar | go.Scatter:
    (trace,) = [trace for trace in figure.data if trace.name == name]
    return trace


def test_class_balance_in_the_order_given_with_shares():
    figure = charts.class_balance({"malignant": 241, "benign": 458, "unknown": 1})
    (bars,) = figure.data
    assert list(bars.x) == [241, 458, 1]
    assert list(bars.y) == ["malignant", "benign", "unknown"]
    assert list(bars.text) == ["241 (34%)", "458 (65%)", "1 (0%)"]
    assert figure.layout.yaxis.type == "category"  # a value "1" is a name, not a place on an axis
    assert figure.layout.yaxis.autorange == "reversed"  # the first one on top
    assert figure.layout.xaxis.title.text == "rows"
    assert alternative_text(figure) == "Rows for each value: malignant 241, benign 458, unknown 1."


def test_missingness_leaves_complete_columns_out_and_begins_with_the_worst():
    figure = charts.missingness({"age": 0.0, "size": 0.25, "nodes": 0.5, "grade": 0.125})
    (bars,) = figure.data
    assert list(bars.y) == ["nodes", "size", "grade"]
    assert list(bars.x) == [50, 25, 12.5]
    assert list(figure.layout.xaxis.range) == [0, 100]
    assert figure.layout.xaxis.title.text == "missing, % of rows"
    assert alternative_text(figure) == "3 columns have missing values; the most incomplete is nodes with 50%."


def test_missingness_of_a_very_wide_table_shows_the_worst_columns_only():
    shares = {f"c{number}": number / 200 for number in range(1, 101)}
    (bars,) = charts.missingness(shares).data
    assert list(bars.y) == [f"c{number}" for number in range(100, 60, -1)]
    assert alternative_text(charts.missingness(shares)).startswith("100 columns")


def test_a_complete_table_misses_nothing():
    figure = charts.missingness({"age": 0.0})
    assert not figure.data
    assert alternative_text(figure) == "No value is missing."


def test_distribution_of_a_number_in_percent_of_each_class():
    rng = np.random.default_rng(0)
    classes = pd.Series(["other"] * 900 + ["positive"] * 100)
    values = pd.Series(np.r_[rng.normal(0, 1, 900), rng.normal(5, 1, 100)], name="size")
    figure = charts.distribution_by_class(values, classes)
    assert [trace.name for trace in figure.data] == ["other", "positive"]
    for trace, middle in zip(figure.data, (0, 5), strict=True):
        assert sum(trace.y) == pytest.approx(100)
        assert np.average(trace.x, weights=trace.y) == pytest.approx(middle, abs=0.3)
    assert figure.layout.barmode == "overlay"
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("size", "% of the class")
    assert alternative_text(figure) == "Distribution of size in 2 classes, in percent of each class."


_ANY = arrays.arrays(np.float64, st.integers(1, 60), elements=st.floats(width=64))


@settings(max_examples=40)
@given(_ANY, st.integers(1, 3))
def test_every_number_that_learning_takes_is_in_one_bin_whatever_the_others_are(values, classes):
    levels = pd.Series([f"class {row % classes}" for row in range(len(values))])
    figure = charts.distribution_by_class(pd.Series(values, name="x"), levels)
    taken = np.abs(values) <= np.finfo(np.float32).max  # false for what is missing or infinite
    assert {trace.name for trace in figure.data} == set(levels[taken])
    for trace in figure.data:
        assert sum(trace.y) == pytest.approx(100)
        assert len(trace.x) <= 40
        assert np.all(np.diff(trace.x) > 0)
        assert np.all(np.asarray(trace.width) > 0)


def test_distribution_of_dates_on_a_time_axis():
    first = pd.Series(pd.date_range("2020-01-01", periods=100, name="seen"))
    values = pd.concat([first, first + pd.Timedelta(days=300)], ignore_index=True).rename("seen")
    figure = charts.distribution_by_class(values, pd.Series(["early"] * 100 + ["late"] * 100))
    early, late = figure.data
    for trace, start in ((early, first.min()), (late, first.min() + pd.Timedelta(days=300))):
        # Bins as wide as they are drawn hold all of the class, and nothing outside of its hundred days.
        half = np.asarray(trace.width, dtype="timedelta64[ms]") / 2
        filled = np.asarray(trace.y) > 0
        ends = np.asarray(trace.x, dtype="datetime64[ms]")
        assert sum(trace.y) == pytest.approx(100)
        assert (ends + half)[filled].min() >= np.datetime64(start)
        assert (ends - half)[filled].max() <= np.datetime64(start + pd.Timedelta(days=100))


def test_a_single_date_is_one_bar():
    values = pd.Series(pd.to_datetime(["2020-02-29", None, "2020-02-29"]), name="seen")
    (bar,) = charts.distribution_by_class(values, pd.Series(["a", "a", "a"])).data
    assert list(bar.y) == [100]
    assert np.asarray(bar.x, dtype="datetime64[D]") == np.datetime64("2020-02-29")


def test_distribution_of_kinds_shows_the_twelve_most_frequent_of_all_rows():
    # Kind k occurs 20 - k times, in turns in both classes.
    kinds = [f"kind {number}" for number in range(15) for _ in range(20 - number)]
    classes = pd.Series(["a", "b"] * (len(kinds) // 2) + ["a"] * (len(kinds) % 2))
    figure = charts.distribution_by_class(pd.Series(kinds, dtype="str", name="kind"), classes)
    for trace in figure.data:
        assert list(trace.x) == [f"kind {number}" for number in range(12)]
        of_class = pd.Series(kinds)[classes == trace.name]
        assert trace.y[0] == pytest.approx(100 * (of_class == "kind 0").mean())
    assert figure.layout.xaxis.type == "category"


def test_a_boolean_column_has_two_kinds_and_gaps_are_left_out():
    values = pd.Series([True, True, False, True], name="smoker")
    classes = pd.Series(["yes", "yes", "yes", None], dtype="str")
    (bars,) = charts.distribution_by_class(values, classes).data
    assert dict(zip(bars.x, bars.y, strict=True)) == {"True": pytest.approx(200 / 3), "False": pytest.approx(100 / 3)}


@pytest.mark.parametrize("values", [[], [np.nan, np.nan], [np.inf, -np.inf]])
def test_a_column_without_values_says_so(values):
    figure = charts.distribution_by_class(pd.Series(values, dtype="float64"), pd.Series(["a"] * len(values)))
    assert not figure.data
    assert alternative_text(figure) == "The column has no values."


def test_label_bar_stacks_in_the_order_given():
    figure = charts.label_bar({"labelled": 1200, "hidden": 800, "negative": 3000})
    assert [(bar.name, bar.x[0], bar.text) for bar in figure.data] == [
        ("labelled", 1200, "1,200"),
        ("hidden", 800, "800"),
        ("negative", 3000, "3,000"),
    ]
    assert [bar.marker.color for bar in figure.data] == [LABELLED, HIDDEN, NEGATIVE]
    assert figure.layout.barmode == "stack"
    assert figure.layout.xaxis.title.text == "training rows"
    assert alternative_text(figure) == "Training rows: 1200 labelled, 800 hidden, 3000 negative."


def test_projection_draws_labelled_rows_last_so_that_nothing_covers_them():
    points = pd.DataFrame(
        {
            "x": [0.0, 1.0, 2.0, 3.0],
            "y": [4.0, 5.0, 6.0, 7.0],
            "kind": ["labelled", "negative", "hidden", "negative"],
        }
    )
    figure = charts.projection(points)
    assert [trace.name for trace in figure.data] == ["negative", "hidden", "labelled"]
    assert (list(drawn(figure, "negative").x), list(drawn(figure, "negative").y)) == ([1, 3], [5, 7])
    looks = {(trace.marker.color, trace.marker.symbol) for trace in figure.data}
    assert len({symbol for _, symbol in looks}) == len({shade for shade, _ in looks}) == 3
    assert alternative_text(figure) == "Map of the rows: 2 negative, 1 labelled, 1 hidden."


@pytest.mark.parametrize(
    "figure",
    [
        charts.class_balance({}),
        charts.missingness({}),
        charts.label_bar({}),
        charts.label_bar({"labelled": 0}),
        charts.projection(pd.DataFrame(columns=["x", "y", "kind"])),
    ],
)
def test_a_chart_of_nothing_says_why(figure):
    assert not figure.data
    assert alternative_text(figure).endswith(".")
    assert figure.layout.annotations[0].text == alternative_text(figure)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_and_values_of_a_table_stay_text_and_the_alternative_text_has_them_as_written(theme):
    numbers, kinds = pd.Series([1.0, 2.0], name=EVIL), pd.Series([EVIL, EVIL], dtype="str", name=EVIL)
    for figure in (
        charts.class_balance({EVIL: 2}, theme),
        charts.missingness({EVIL: 0.5}, theme),
        charts.distribution_by_class(numbers, kinds, theme),
        charts.distribution_by_class(kinds, kinds, theme),
    ):
        assert EVIL in alternative_text(figure)
        shown = figure.to_dict()
        shown["layout"].pop("meta")  # the alternative text is set as text
        assert EVIL not in str(shown)
        assert "&lt;b onclick=x&gt;&amp;" in str(shown)
