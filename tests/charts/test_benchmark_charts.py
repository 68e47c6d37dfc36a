"""What the benchmark's charts draw, and say in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from autopu_core.charts import benchmark as charts
from autopu_core.charts.theme import REFERENCE, alternative_text
from autopu_core.evaluation.statistics import friedman_nemenyi

NAN = float("nan")


def drawn(figure: go.Figure, name: str) -> go.Scatter:
    (trace,) = [trace for trace in figure.data if trace.name == name]
    return trace


def test_mean_f_against_delta():
    means = pd.DataFrame(
        {
            "system": ["GA-1", "GA-1", "Corrected forest", "Corrected forest"],
            "delta": [0.6, 0.2, 0.2, 0.6],
            "f_measure": [0.68, 0.76, 0.79, 0.70],
            "f_measure_published": [0.681, 0.763, NAN, NAN],
        }
    )
    figure = charts.f_against_delta(means, frozenset(["Corrected forest"]))
    ours, paper = drawn(figure, "GA-1"), drawn(figure, "GA-1 (paper)")
    assert (list(ours.x), list(ours.y)) == ([20, 60], [0.76, 0.68])
    assert list(paper.y) == [0.763, 0.681]
    assert (ours.line.dash, paper.line.dash, ours.line.color == paper.line.color) == ("solid", "dot", True)
    assert drawn(figure, "Corrected forest").line.color == REFERENCE
    assert len(figure.data) == 3  # the paper has no corrected forest
    assert list(figure.layout.xaxis.tickvals) == [20, 60]
    assert alternative_text(figure) == (
        "Mean F-measure: GA-1 0.760 at 20%, 0.680 at 60%; Corrected forest 0.790 at 20%, 0.700 at 60%."
    )


@pytest.fixture
def comparison():
    rng = np.random.default_rng(4)
    base = rng.random(12)
    scores = pd.DataFrame(
        {"a": base, "b": base + 0.5 + 0.2 * rng.normal(size=12), "c": base + 0.6, "d": base - 1, "e": base - 1.01}
    )
    return friedman_nemenyi(scores)


def lines(figure: go.Figure) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.mode == "lines"]


def test_critical_difference_diagram(comparison):
    figure = charts.critical_difference(comparison, {"a": "Alpha", "b": "B & co"})
    (ranks,) = [trace for trace in figure.data if trace.mode == "markers"]
    assert list(ranks.x) == list(comparison.ranks)
    # One line leads from each rank to its name, at the height and the side of that name.
    names = {annotation.text: annotation for annotation in figure.layout.annotations}
    leaders = [line for line in lines(figure) if len(line.x) == 3]
    assert sorted(line.x[0] for line in leaders) == sorted(comparison.ranks)
    for system, rank in comparison.ranks.items():
        title = {"a": "Alpha", "b": "B &amp; co"}.get(system, system)
        (label,) = [each for text, each in names.items() if title in text.replace("<b>", " ").split("  ")]
        assert f"{rank:.2f}" in label.text
        (leader,) = [line for line in leaders if line.y[2] == label.y and line.x[2] == label.x]
        assert leader.x[0] == rank
    # A bar for each group, from its first to its last rank; no two at one height.
    bars = [line for line in lines(figure) if line.name == "no difference"]
    assert len(bars) == len(comparison.groups) >= 1
    for bar, group in zip(bars, comparison.groups, strict=True):
        assert bar.x[0] <= comparison.ranks[group[0]] <= comparison.ranks[group[-1]] <= bar.x[1]
        outside = [rank for system, rank in comparison.ranks.items() if system not in group]
        assert not [rank for rank in outside if bar.x[0] <= rank <= bar.x[1]]
    assert len({bar.y[0] for bar in bars}) == len(bars)
    # The bar above the line is as long as the critical difference.
    (critical,) = [line for line in lines(figure) if line.y[0] > 0]
    assert critical.x[1] - critical.x[0] == pytest.approx(comparison.critical_difference)
    assert "Alpha" in alternative_text(figure)
    assert "over 12 data sets" in alternative_text(figure)


def test_no_name_of_a_diagram_lies_on_another(comparison):
    rng = np.random.default_rng(0)
    many = friedman_nemenyi(pd.DataFrame(rng.random((8, 17)), columns=[f"system {n}" for n in range(17)]))
    for each in (comparison, many):
        figure = charts.critical_difference(each)
        places = [(label.xanchor, label.y) for label in figure.layout.annotations]
        assert len(set(places)) == len(places)
        lowest = min(y for line in lines(figure) for y in line.y)
        assert lowest > figure.layout.yaxis.range[0]


def test_differences_mark_who_fails():
    values = pd.DataFrame(
        {
            "system": ["GA-1", "GA-1", "BO-1", "BO-1", "EBO-1"],
            "dataset": ["Spine", "Autism", "Spine", "Autism", "Spine"],
            "difference": [0.03, -0.01, -0.02, 0.01, 0.0],
        }
    )
    figure = charts.differences(values, "random search")
    bars = [trace for trace in figure.data if trace.marker.symbol == "line-ew-open"]
    assert [bar.x[0] for bar in bars] == ["GA-1<br>+0.010", "BO-1<br>-0.005", "EBO-1<br>+0.000"]
    assert [bar.y[0] for bar in bars] == pytest.approx([0.01, -0.005, 0.0])
    colours = [bar.marker.color for bar in bars]
    assert colours[0] != colours[1]
    assert colours[1] == colours[2]  # equal isn't better
    dots = [trace for trace in figure.data if trace.marker.symbol == "circle-open"]
    assert [list(dot.customdata) for dot in dots] == [["Spine", "Autism"], ["Spine", "Autism"], ["Spine"]]
    assert alternative_text(figure) == ("Mean F-measure above random search: GA-1 +0.010, BO-1 -0.005, EBO-1 +0.000.")


def test_time_against_f_joins_an_optimiser_and_its_random_search():
    times = pd.DataFrame(
        {
            "system": ["GA-1", "Random search (GA-1's budget)", "S-EM"],
            "family": ["GA-1", "GA-1", "S-EM"],
            "random": [False, True, False],
            "cpu_minutes": [12.0, 15.0, 0.5],
            "f_measure": [0.76, 0.75, 0.63],
        }
    )
    figure = charts.time_against_f(times, ("Corrected forest", 0.79))
    joined = drawn(figure, "GA-1")
    assert (list(joined.x), list(joined.y)) == ([12, 15], [0.76, 0.75])
    assert list(joined.marker.symbol) == ["circle", "circle-open"]
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.shapes[0].y0 == 0.79
    assert "Random search (GA-1's budget) 15.00 min, F 0.750" in alternative_text(figure)
    assert alternative_text(figure).endswith("Corrected forest: F 0.790.")


def test_every_family_of_the_benchmark_looks_different():
    families = [f"system {n}" for n in range(8)]
    times = pd.DataFrame(
        {"system": families, "family": families, "random": False, "cpu_minutes": range(1, 9), "f_measure": 0.5}
    )
    looks = {(trace.marker.color, trace.marker.symbol[0]) for trace in charts.time_against_f(times).data}
    assert len(looks) == 8


@pytest.mark.parametrize(
    "figure",
    [
        charts.f_against_delta(pd.DataFrame(columns=["system", "delta", "f_measure"])),
        charts.critical_difference(None),
        charts.differences(pd.DataFrame(columns=["system", "dataset", "difference"]), "random search"),
        charts.time_against_f(pd.DataFrame(columns=["system", "family", "random", "cpu_minutes", "f_measure"])),
    ],
)
def test_a_chart_of_nothing_says_why(figure):
    assert not figure.data
    assert alternative_text(figure).endswith(".")
    assert figure.layout.annotations[0].text == alternative_text(figure)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_titles_from_outside_stay_text(theme, comparison):
    evil = "<b onclick=x>"
    means = pd.DataFrame({"system": [evil], "delta": [0.2], "f_measure": [0.5]})
    values = pd.DataFrame({"system": [evil], "dataset": [evil], "difference": [0.1]})
    times = pd.DataFrame(
        {"system": [evil], "family": [evil], "random": [False], "cpu_minutes": [1.0], "f_measure": [0.5]}
    )
    for figure in (
        charts.f_against_delta(means, theme=theme),
        charts.critical_difference(comparison, {"a": evil}, theme),
        charts.differences(values, evil, theme),
        charts.time_against_f(times, (evil, 0.5), theme),
    ):
        shown = figure.to_dict()
        shown["layout"].pop("meta")  # the alternative text is set as text
        assert evil not in str(shown)
