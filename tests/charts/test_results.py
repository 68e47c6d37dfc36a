"""What the charts of tested systems draw, and say in words."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from autopu_core.charts import results as charts
from autopu_core.charts.theme import REFERENCE, alternative_text

EVIL = "<b onclick=x>&"
SYSTEMS = ("1 · GA base", "2 · S-EM", "Logistic regression")
REFERENCES = frozenset(["Logistic regression"])


def lines(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.mode == "lines"]


def named(figure: go.Figure, start: str) -> go.Scatter:
    (trace,) = [trace for trace in figure.data if (trace.name or "").startswith(start)]
    return trace


def values() -> pd.DataFrame:
    rows = [
        (system, fold, value)
        for system, of_folds in zip(SYSTEMS, ([0.8, 0.6], [0.7, 0.5], [0.5, 0.4]), strict=True)
        for fold, value in zip(("fold 1", "fold 2"), of_folds, strict=True)
    ]
    return pd.DataFrame(rows, columns=["system", "fold", "value"])


def test_metric_strip_has_a_dot_for_each_fold_a_bar_at_the_mean_and_a_line_for_each_fold():
    figure = charts.metric_strip(values(), "F-measure", REFERENCES)
    bars = [trace for trace in figure.data if trace.marker.symbol == "line-ew-open"]
    assert [(bar.x[0], bar.y[0]) for bar in bars] == [
        (SYSTEMS[0], pytest.approx(0.7)),
        (SYSTEMS[1], pytest.approx(0.6)),
        (SYSTEMS[2], pytest.approx(0.45)),
    ]
    dots = [trace for trace in figure.data if trace.marker.symbol == "circle"]
    assert [list(dot.y) for dot in dots] == [[0.8, 0.6], [0.7, 0.5], [0.5, 0.4]]
    assert all(list(dot.customdata) == ["fold 1", "fold 2"] for dot in dots)
    assert [(list(line.x), list(line.y)) for line in lines(figure)] == [
        (list(SYSTEMS), [0.8, 0.7, 0.5]),
        (list(SYSTEMS), [0.6, 0.5, 0.4]),
    ]
    colours = [dot.marker.color for dot in dots]
    assert colours[2] == REFERENCE
    assert REFERENCE not in colours[:2]
    assert colours[0] != colours[1]
    assert figure.layout.yaxis.title.text == "F-measure"
    assert alternative_text(figure) == (
        "F-measure, mean: 1 · GA base 0.700, 2 · S-EM 0.600, Logistic regression 0.450."
    )


def test_an_estimate_looks_different_and_says_so():
    exact = charts.metric_strip(values(), "F-measure")
    estimate = charts.metric_strip(values(), "F-measure", estimated=True)
    symbols = [
        {trace.marker.symbol for trace in figure.data if trace.customdata is not None} for figure in (exact, estimate)
    ]
    assert symbols == [{"circle"}, {"circle-open"}]
    assert estimate.layout.yaxis.title.text == "F-measure (estimate)"


def test_one_holdout_joins_nothing():
    one = values()[values()["fold"] == "fold 1"]
    assert lines(charts.metric_strip(one, "F-measure")) == []


def test_a_metric_that_is_undefined_on_a_fold_leaves_a_gap():
    partly = values()
    partly.loc[0, "value"] = None
    figure = charts.metric_strip(partly, "Recall")
    assert alternative_text(figure).startswith("Recall, mean: 1 · GA base 0.600")
    (first, _) = lines(figure)
    assert np.isnan(first.y[list(first.x).index(SYSTEMS[0])])


def predictions(*systems: str, rows: int = 200, seed: int = 0) -> pd.DataFrame:
    """Predictions of each system on the same rows, with equal probabilities among them."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(rows) < 0.3).astype(int)
    return pd.concat(
        [
            pd.DataFrame({"system": system, "truth": truth, "probability": np.round(rng.beta(2 + 2 * truth, 4), 1)})
            for system in systems
        ],
        ignore_index=True,
    )


def area_of_steps(line: go.Scatter) -> float:
    """Area below a line whose steps run along before they rise or fall, as plotly's shape "hv" draws them."""
    assert line.line.shape == "hv"
    return float(np.abs(np.diff(line.x)) @ np.asarray(line.y)[:-1])


def test_roc_curves_have_the_area_that_they_name():
    made = predictions(*SYSTEMS)
    figure = charts.roc_curves(made, REFERENCES)
    for system in SYSTEMS:
        rows = made[made["system"] == system]
        area = roc_auc_score(rows["truth"], rows["probability"])
        line = named(figure, system)
        assert line.name == f"{system} ({area:.3f})"
        assert np.trapezoid(line.y, line.x) == pytest.approx(area)
        assert f"{system} {area:.3f}" in alternative_text(figure)
    assert (list(named(figure, "guessing").x), list(named(figure, "guessing").y)) == ([0, 1], [0, 1])
    assert figure.layout.xaxis.title.text == "false alarms (1 - specificity)"
    assert figure.layout.yaxis.title.text == "found (sensitivity)"


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(2, 60))
def test_the_area_below_a_drawn_precision_recall_curve_is_the_average_precision(seed, rows):
    made = predictions("a", rows=rows, seed=seed)
    if made["truth"].nunique() < 2:
        made.loc[[0, 1], "truth"] = [0, 1]
    line = named(charts.precision_recall_curves(made), "a")
    assert area_of_steps(line) == pytest.approx(average_precision_score(made["truth"], made["probability"]))


def test_a_system_that_knows_nothing_has_the_prevalence_as_its_precision_everywhere():
    made = pd.DataFrame({"system": "a", "truth": [1, 0, 0, 0], "probability": 0.5})
    figure = charts.precision_recall_curves(made)
    assert area_of_steps(named(figure, "a")) == 0.25
    assert figure.layout.shapes[0].y0 == figure.layout.shapes[0].y1 == 0.25
    assert "25% are positive" in figure.layout.annotations[0].text
    assert alternative_text(figure) == "Precision and recall of a; prevalence 25%."
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("found (recall)", "precision")


@pytest.mark.parametrize("draw", [charts.roc_curves, charts.precision_recall_curves])
def test_systems_keep_their_colours_and_references_are_grey_and_dashed(draw):
    strip = charts.metric_strip(values(), "F-measure", REFERENCES)
    shades = {trace.x[0]: trace.marker.color for trace in strip.data if trace.marker.symbol == "circle"}
    figure = draw(predictions(*SYSTEMS), REFERENCES)
    assert {system: named(figure, system).line.color for system in SYSTEMS} == shades
    assert named(figure, SYSTEMS[2]).line.dash == "dash"
    # One that can't be drawn doesn't pass its colour on.
    made = predictions(*SYSTEMS)
    made.loc[made["system"] == SYSTEMS[0], "truth"] = 0
    figure = draw(made, REFERENCES)
    assert named(figure, SYSTEMS[1]).line.color == shades[SYSTEMS[1]]
    assert not [trace for trace in figure.data if (trace.name or "").startswith(SYSTEMS[0])]


def test_confusion_counts_and_shares_of_each_true_class():
    counts = {"true_positive": 30, "false_negative": 10, "false_positive": 1200, "true_negative": 4800}
    figure = charts.confusion(counts)
    (cells,) = figure.data
    assert cells.y[0] == "truly<br>negative"
    assert cells.x[0] == "called<br>negative"
    assert [list(row) for row in cells.z] == [[0.8, 0.2], [0.25, 0.75]]
    assert [list(row) for row in cells.text] == [["4,800<br>80%", "1,200<br>20%"], ["10<br>25%", "30<br>75%"]]
    assert alternative_text(figure) == (
        "true positive: 30, false positive: 1200, true negative: 4800, false negative: 10."
    )


def test_confusion_of_one_class_only():
    counts = {"true_positive": 0, "false_negative": 0, "false_positive": 0, "true_negative": 3}
    (cells,) = charts.confusion(counts).data
    assert [list(row) for row in cells.z] == [[1, 0], [0, 0]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_in_a_confusion_matrix_have_the_ink_of_the_theme(theme):
    counts = dict.fromkeys(("true_positive", "false_positive", "true_negative", "false_negative"), 1)
    figure = charts.confusion(counts, theme)
    assert figure.data[0].textfont.color == figure.layout.font.color


def test_costs():
    costs = pd.DataFrame({"run": SYSTEMS[:2], "cpu_seconds": [90.4, 12.0], "wall_seconds": [50.0, 6.0]})
    figure = charts.cost_bars(costs)
    assert [(bar.name, list(bar.x), list(bar.y)) for bar in figure.data] == [
        ("computing time", [90.4, 12.0], list(SYSTEMS[:2])),
        ("time on the clock", [50.0, 6.0], list(SYSTEMS[:2])),
    ]
    assert figure.data[0].marker.color != figure.data[1].marker.color
    assert figure.layout.xaxis.title.text == "seconds"
    assert alternative_text(figure) == ("Cost: 1 · GA base 90 s of computing time, 2 · S-EM 12 s of computing time.")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_pipeline_is_boxes_from_left_to_right_with_arrows_between(count):
    steps = [(f"Phase {number}", f"learns<br>part {number} &lt; 0.5") for number in range(count)]
    figure = charts.pipeline_diagram(steps)
    boxes = figure.layout.shapes
    assert len(boxes) == count
    for left, right in pairwise(boxes):
        assert left.x1 < right.x0
    assert all(0 <= box.x0 < box.x1 <= 1 for box in boxes)
    arrows = [note for note in figure.layout.annotations if note.text == "▶"]
    assert len(arrows) == count - 1
    for arrow, (left, right) in zip(arrows, pairwise(boxes), strict=True):
        assert left.x1 < arrow.x < right.x0
    for (title, text), box in zip(steps, boxes, strict=True):
        (words,) = [note for note in figure.layout.annotations if title in note.text]
        assert text in words.text
        assert box.x0 < words.x < box.x1
    assert alternative_text(figure).startswith("Phase 0: learns part 0 < 0.5")


@pytest.mark.parametrize(
    "figure",
    [
        charts.metric_strip(pd.DataFrame(columns=["system", "fold", "value"]), "Recall"),
        charts.metric_strip(pd.DataFrame({"system": ["a"], "fold": ["fold 1"], "value": [None]}), "Recall"),
        charts.roc_curves(pd.DataFrame(columns=["system", "truth", "probability"])),
        charts.roc_curves(pd.DataFrame({"system": ["a"], "truth": [1], "probability": [0.5]})),
        charts.precision_recall_curves(pd.DataFrame(columns=["system", "truth", "probability"])),
        charts.precision_recall_curves(pd.DataFrame({"system": ["a"], "truth": [0], "probability": [0.5]})),
        charts.cost_bars(pd.DataFrame()),
    ],
)
def test_a_chart_of_nothing_says_why(figure):
    assert not figure.data
    assert alternative_text(figure).endswith(".")
    assert figure.layout.annotations[0].text == alternative_text(figure)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_of_systems_stay_text(theme):
    strip = pd.DataFrame({"system": [EVIL, EVIL], "fold": ["fold 1", "fold 2"], "value": [0.5, 0.6]})
    costs = pd.DataFrame({"run": [EVIL], "cpu_seconds": [1.0], "wall_seconds": [1.0]})
    for figure in (
        charts.metric_strip(strip, "Recall", theme=theme),
        charts.roc_curves(predictions(EVIL), theme=theme),
        charts.precision_recall_curves(predictions(EVIL), theme=theme),
        charts.cost_bars(costs, theme),
    ):
        assert EVIL in alternative_text(figure)
        shown = figure.to_dict()
        shown["layout"].pop("meta")  # the alternative text is set as text
        assert EVIL not in str(shown)
        assert "&lt;b onclick=x&gt;&amp;" in str(shown)
