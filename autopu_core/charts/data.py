"""Charts of a table before anything is learned from it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from autopu_core.charts.theme import (
    HIDDEN,
    LABELLED,
    NEGATIVE,
    PALETTE,
    Theme,
    colour,
    empty,
    finish,
    safe,
)
from autopu_core.tables.description import LARGEST

_MOST_COLUMNS = 40
_MOST_LEVELS = 12
_MOST_EDGES = 41
KINDS = {
    "labelled": LABELLED,
    "hidden": HIDDEN,
    "negative": NEGATIVE,
    "unlabelled": NEGATIVE,
    "known negative": PALETTE[3],
}


def class_balance(counts: Mapping[str, int], theme: Theme = "light") -> go.Figure:
    """Rows for each value of the target, as horizontal bars.

    Args:
        counts: value -> rows.
    """
    if not counts:
        return empty("The target column has no values.", theme)
    rows = list(counts.values())
    total = sum(rows)
    text = [f"{count:,} ({count / total:.0%})" for count in rows]
    names = [safe(name) for name in counts]
    figure = go.Figure(go.Bar(x=rows, y=names, orientation="h", text=text, marker_color=colour(0), cliponaxis=False))
    alt = "Rows for each value: " + ", ".join(f"{name} {count}" for name, count in counts.items()) + "."
    figure.update_yaxes(autorange="reversed", type="category")
    return finish(figure, alt, theme, "rows", None, height=110 + 34 * len(rows))


def missingness(shares: Mapping[str, float], theme: Theme = "light") -> go.Figure:
    """Share of missing cells of the columns that have any, the most incomplete first.

    Args:
        shares: column -> share, 0 .. 1.
    """
    gaps = sorted(((share, name) for name, share in shares.items() if share > 0), reverse=True)
    if not gaps:
        return empty("No value is missing.", theme, height=120)
    shown = gaps[:_MOST_COLUMNS]
    figure = go.Figure(
        go.Bar(
            x=[100 * share for share, _ in shown],
            y=[safe(name) for _, name in shown],
            orientation="h",
            marker_color=colour(1),
            hovertemplate="%{y}: %{x:.1f} % missing<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_xaxes(range=[0, 100])
    alt = f"{len(gaps)} columns have missing values; the most incomplete is {gaps[0][1]} with {gaps[0][0]:.0%}."
    return finish(figure, alt, theme, "missing, % of rows", None, height=100 + 22 * len(shown))


def distribution_by_class(values: pd.Series, classes: pd.Series, theme: Theme = "light") -> go.Figure:
    """How a column is distributed in each class, as shares so that rare classes can be compared.

    Args:
        values: numeric, date or text column (n,).
        classes: (n,) text.
    """
    dates = pd.api.types.is_datetime64_any_dtype(values.dtype)
    numeric = pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype)
    if numeric:
        values = values.where(np.abs(values) <= LARGEST)  # what lies beyond counts as missing in learning, too
    frame = pd.DataFrame({"value": values.to_numpy(), "class": classes.astype("str").to_numpy()}).dropna()
    if frame.empty:
        return empty("The column has no values.", theme)
    figure = go.Figure()
    levels = sorted(frame["class"].unique())[:_MOST_LEVELS]
    if numeric or dates:
        # Plotly counts a time axis in milliseconds.
        numbers = frame["value"].astype("datetime64[ms]").astype("int64") if dates else frame["value"]
        edges = _bin_edges(numbers.to_numpy(dtype=np.float64))
        middles = (edges[:-1] + edges[1:]) / 2
        for position, level in enumerate(levels):
            counts, _ = np.histogram(numbers[frame["class"] == level], edges)
            share = 100 * counts / max(counts.sum(), 1)
            figure.add_bar(
                x=middles.astype("int64").astype("datetime64[ms]") if dates else middles,
                y=share,
                width=np.diff(edges),
                name=safe(level),
                marker_color=colour(position),
                opacity=0.6,
            )
        figure.update_layout(barmode="overlay")
    else:
        common = frame["value"].astype("str").value_counts().index[:_MOST_LEVELS]
        for position, level in enumerate(levels):
            share = frame.loc[frame["class"] == level, "value"].astype("str").value_counts(normalize=True)
            heights = [100 * share.get(value, 0.0) for value in common]
            figure.add_bar(
                x=[safe(value) for value in common], y=heights, name=safe(level), marker_color=colour(position)
            )
        figure.update_layout(barmode="group")
        figure.update_xaxes(type="category")
    alt = f"Distribution of {values.name} in {len(levels)} classes, in percent of each class."
    return finish(figure, alt, theme, safe(values.name), "% of the class")


def _bin_edges(numbers: np.ndarray) -> np.ndarray:
    """At most 41 edges, all different; a column that is constant, as far as an axis could show, gets one bin."""
    low, high = numbers.min(), numbers.max()
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        half = max(0.5, abs(high) / 1000)
        return np.array([low - half, high + half])
    edges = np.histogram_bin_edges(numbers, bins="auto")
    return edges if len(edges) <= _MOST_EDGES else np.linspace(low, high, _MOST_EDGES)


def label_bar(counts: Mapping[str, int], theme: Theme = "light") -> go.Figure:
    """Labelled positives, hidden positives and the others, as one bar with its numbers.

    Args:
        counts: kind of row (see `KINDS`) -> rows, in the order of the bar.
    """
    if not sum(counts.values()):
        return empty("There are no rows.", theme)
    figure = go.Figure()
    for kind, rows in counts.items():
        figure.add_bar(
            x=[rows],
            y=[""],
            orientation="h",
            name=safe(kind),
            text=f"{rows:,}",
            textposition="inside",
            insidetextanchor="middle",
            marker_color=KINDS.get(kind, NEGATIVE),
            hovertemplate=f"{safe(kind)}: {rows:,} rows<extra></extra>",
        )
    figure.update_layout(barmode="stack", legend_traceorder="normal")
    alt = "Training rows: " + ", ".join(f"{rows} {kind}" for kind, rows in counts.items()) + "."
    finish(figure, alt, theme, "training rows", None, height=170)
    figure.update_layout(margin={"t": 50})
    return figure


def projection(points: pd.DataFrame, theme: Theme = "light") -> go.Figure:
    """A map of the rows in two dimensions, coloured by what is known of them.

    Args:
        points: columns x, y, kind (see `KINDS`).
    """
    if points.empty:
        return empty("There is nothing to draw.", theme)
    figure = go.Figure()
    symbols = {"labelled": "circle", "hidden": "diamond", "known negative": "square"}
    for kind in sorted(points["kind"].unique(), key=lambda kind: list(KINDS).index(kind), reverse=True):
        rows = points[points["kind"] == kind]
        figure.add_scatter(
            x=rows["x"],
            y=rows["y"],
            mode="markers",
            name=kind,
            marker={"color": KINDS[kind], "size": 7, "opacity": 0.75, "symbol": symbols.get(kind, "x-thin-open")},
            hoverinfo="name",
        )
    alt = (
        "Map of the rows: "
        + ", ".join(f"{count} {kind}" for kind, count in points["kind"].value_counts().items())
        + "."
    )
    figure.update_layout(legend_traceorder="reversed")  # drawn last, named first
    finish(figure, alt, theme, "direction in which rows differ most", "direction in which they differ next", height=420)
    figure.update_xaxes(showticklabels=False)  # of principal components: only distances between rows mean something
    figure.update_yaxes(showticklabels=False)
    return figure
