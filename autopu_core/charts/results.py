"""Charts of tested systems and of the pipeline that is taken home."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from itertools import count, cycle

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from sklearn.metrics import precision_recall_curve, roc_curve

from autopu_core.charts.theme import REFERENCE, Theme, colour, empty, finish, safe


def metric_strip(
    values: pd.DataFrame,
    metric_title: str,
    references: frozenset[str] = frozenset(),
    estimated: bool = False,
    theme: Theme = "light",
) -> go.Figure:
    """One metric of several systems: every test fold as a dot, the folds joined across systems, the mean as a bar.

    Args:
        values: columns system, fold, value.
        metric_title: of the axis.
        references: systems that are plain references, drawn in grey.
        estimated: the metric is an estimate; dots are hollow.
    """
    values = values.dropna(subset=["value"])
    if values.empty:
        return empty("No test result yet.", theme)
    systems = list(dict.fromkeys(values["system"]))
    figure = go.Figure()
    if values["fold"].nunique() > 1:
        for _, fold in values.groupby("fold"):
            ordered = fold.set_index("system").reindex(systems)["value"]
            figure.add_scatter(
                x=[safe(system) for system in systems],
                y=ordered,
                mode="lines",
                line={"color": REFERENCE, "width": 1},
                opacity=0.4,
                showlegend=False,
                hoverinfo="skip",
            )
    for position, system in enumerate(systems):
        of_system = values[values["system"] == system]
        shade = REFERENCE if system in references else colour(position)
        figure.add_scatter(
            x=[safe(system)] * len(of_system),
            y=of_system["value"],
            mode="markers",
            marker={
                "size": 11,
                "color": shade,
                "symbol": "circle-open" if estimated else "circle",
                "line": {"width": 2},
            },
            customdata=of_system["fold"],
            hovertemplate="%{customdata}: %{y:.3f}<extra></extra>",
            showlegend=False,
        )
        figure.add_scatter(
            x=[safe(system)],
            y=[of_system["value"].mean()],
            mode="markers",
            marker={"symbol": "line-ew-open", "size": 34, "color": shade, "line": {"width": 4}},
            hovertemplate="mean %{y:.3f}<extra></extra>",
            showlegend=False,
        )
    means = values.groupby("system", sort=False)["value"].mean()
    alt = f"{metric_title}, mean: " + ", ".join(f"{system} {mean:.3f}" for system, mean in means.items()) + "."
    title = f"{metric_title} (estimate)" if estimated else metric_title
    return finish(figure, alt, theme, None, title)


def roc_curves(
    predictions: pd.DataFrame, references: frozenset[str] = frozenset(), theme: Theme = "light"
) -> go.Figure:
    """Receiver operating characteristic of several systems, test folds pooled.

    Args:
        predictions: columns system, truth (0/1), probability.
        references: systems that are plain references, drawn in grey.
    """
    figure, ends = go.Figure(), []
    for system, rows, line in _with_both_classes(predictions, references):
        false_alarms, found, _ = roc_curve(rows["truth"], rows["probability"])
        area = float(np.trapezoid(found, false_alarms))
        figure.add_scatter(
            x=false_alarms,
            y=found,
            mode="lines",
            name=f"{safe(system)} ({area:.3f})",
            line=line,
        )
        ends.append(f"{system} {area:.3f}")
    if not ends:
        return empty("No test predictions with both classes yet.", theme)
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line={"dash": "dot", "color": REFERENCE}, name="guessing")
    alt = "ROC curves; area under the curve: " + ", ".join(ends) + "."
    return finish(figure, alt, theme, "false alarms (1 - specificity)", "found (sensitivity)", 420)


def precision_recall_curves(
    predictions: pd.DataFrame, references: frozenset[str] = frozenset(), theme: Theme = "light"
) -> go.Figure:
    """Precision against recall of several systems, test folds pooled, with the prevalence as the line of guessing.

    Args:
        predictions: columns system, truth (0/1), probability.
        references: systems that are plain references, drawn in grey.
    """
    figure, names = go.Figure(), []
    for system, rows, line in _with_both_classes(predictions, references):
        precision, recall, _ = precision_recall_curve(rows["truth"], rows["probability"])
        figure.add_scatter(
            x=recall,
            y=precision,
            mode="lines",
            name=safe(system),
            line={**line, "shape": "hv"},  # from recall 1 down: the area below it is the average precision
        )
        names.append(str(system))
    if not names:
        return empty("No test predictions with both classes yet.", theme)
    prevalence = float(predictions["truth"].mean())
    figure.add_hline(
        y=prevalence,
        line={"dash": "dot", "color": REFERENCE},
        annotation_text=f"guessing: {prevalence:.0%} are positive",
        annotation_position="bottom left",
    )
    figure.update_yaxes(range=[0, 1.02])
    return finish(
        figure,
        f"Precision and recall of {', '.join(names)}; prevalence {prevalence:.0%}.",
        theme,
        "found (recall)",
        "precision",
        420,
    )


def _with_both_classes(
    predictions: pd.DataFrame, references: frozenset[str]
) -> Iterator[tuple[str, pd.DataFrame, dict[str, object]]]:
    """(system, its rows, how its line is drawn); systems keep the colours that they have in other charts."""
    colours, dashes = count(), cycle(("dash", "dashdot"))
    if predictions.empty:
        return
    for system, rows in predictions.groupby("system", sort=False):
        plain = system in references
        line = {"color": REFERENCE, "dash": next(dashes)} if plain else {"color": colour(next(colours))}
        if rows["truth"].nunique() == 2:
            yield str(system), rows, {**line, "width": 2}


def confusion(counts: Mapping[str, int], theme: Theme = "light") -> go.Figure:
    """The four counts of a confusion matrix as shaded cells, test folds summed.

    Args:
        counts: true_positive, false_positive, true_negative, false_negative.
    """
    cells = [
        [counts["true_negative"], counts["false_positive"]],
        [counts["false_negative"], counts["true_positive"]],
    ]
    totals = [max(1, sum(row)) for row in cells]
    shares = [[cell / total for cell in row] for row, total in zip(cells, totals, strict=True)]
    text = [
        [f"{cell:,}<br>{share:.0%}" for cell, share in zip(*pair, strict=True)]
        for pair in zip(cells, shares, strict=True)
    ]
    figure = go.Figure(
        go.Heatmap(
            z=shares,
            x=["called<br>negative", "called<br>positive"],  # in two lines, or narrow columns would turn them
            y=["truly<br>negative", "truly<br>positive"],
            text=text,
            texttemplate="%{text}",
            colorscale=[[0, "rgba(0,114,178,0.05)"], [1, "rgba(0,114,178,0.75)"]],
            showscale=False,
            zmin=0,
            zmax=1,
            hoverinfo="skip",
        )
    )
    alt = ", ".join(
        f"{name.replace('_', ' ')}: {counts[name]}"
        for name in ("true_positive", "false_positive", "true_negative", "false_negative")
    )
    finish(figure, alt + ".", theme, None, None, 250)
    figure.update_traces(textfont_color=figure.layout.font.color)  # Plotly's own choice is too faint on dark
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(showgrid=False)
    return figure


def cost_bars(costs: pd.DataFrame, theme: Theme = "light") -> go.Figure:
    """Computing time of runs.

    Args:
        costs: columns run, cpu_seconds, wall_seconds.
    """
    if costs.empty:
        return empty("No run chosen.", theme)
    figure = go.Figure()
    for position, (column, name) in enumerate(
        (("cpu_seconds", "computing time"), ("wall_seconds", "time on the clock"))
    ):
        figure.add_bar(
            x=costs[column],
            y=[safe(run) for run in costs["run"]],
            orientation="h",
            name=name,
            marker_color=colour(position),
        )
    figure.update_layout(barmode="group")
    figure.update_yaxes(autorange="reversed", type="category")
    alt = (
        "Cost: " + ", ".join(f"{row.run} {row.cpu_seconds:.0f} s of computing time" for row in costs.itertuples()) + "."
    )
    return finish(figure, alt, theme, "seconds", None, 140 + 50 * len(costs))


def pipeline_diagram(steps: list[tuple[str, str]], theme: Theme = "light") -> go.Figure:
    """The phases of a pipeline as boxes from left to right.

    Args:
        steps: (title, text with `<br>` line breaks), both safe already.
    """
    figure = go.Figure()
    width = 1 / len(steps)
    for position, (title, text) in enumerate(steps):
        left, right = position * width + 0.008, (position + 1) * width - 0.022
        figure.add_shape(
            type="rect",
            xref="paper",
            yref="paper",
            x0=left,
            x1=right,
            y0=0.02,
            y1=0.98,
            line={"color": colour(position), "width": 2},
            fillcolor="rgba(0,114,178,0.06)",
        )
        figure.add_annotation(
            xref="paper",
            yref="paper",
            x=(left + right) / 2,
            y=0.93,
            showarrow=False,
            xanchor="center",
            yanchor="top",
            text=f"<b>{title}</b><br><br>{text}",
            font={"size": 13},
            align="center",
        )
        if position < len(steps) - 1:
            figure.add_annotation(
                xref="paper",
                yref="paper",
                x=right + 0.015,
                y=0.5,
                text="▶",
                showarrow=False,
                xanchor="center",
                font={"size": 14},
            )
    alt = "; ".join(f"{html.unescape(title)}: {html.unescape(text.replace('<br>', ' '))}" for title, text in steps)
    finish(figure, alt, theme, height=240)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return figure
