"""Charts of searches, running or finished."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from autopu_core.charts.theme import Theme, colour, empty, finish, safe

X = Literal["assessments", "cpu_seconds", "elapsed"]
_X_TITLES = {
    "assessments": "candidates assessed",
    "cpu_seconds": "computing time, CPU seconds",
    "elapsed": "time, seconds",
}
_MOST_DOTS = 1200
_DOT_OPACITY = {"light": 0.4, "dark": 0.7}


def convergence(trials: pd.DataFrame, x: X = "assessments", theme: Theme = "light", height: int = 380) -> go.Figure:
    """Fitness of every trial as dots and the best so far as a line, one colour for each run.

    A run with several searches (outer folds) shows each as a faint line and their mean as a strong one.

    Args:
        trials: columns run (name), search, number, fitness, outcome, cpu_seconds, elapsed.
        x: what the horizontal axis counts.
    """
    if trials.empty:
        return empty("Nothing has been assessed yet.", theme, height)
    figure = go.Figure()
    ends = []
    for position, (run, of_run) in enumerate(trials.groupby("run", sort=False)):
        curves = []
        for _, of_search in of_run.groupby("search", sort=False):
            ordered = of_search.sort_values("number")
            along = _along(ordered, x)
            best = ordered["fitness"].cummax().to_numpy()
            curves.append((along, best))
            _dots(figure, ordered, along, position, str(run), theme)
        many = len(curves) > 1
        for along, best in (_corners(*curve) for curve in curves):
            figure.add_scatter(
                x=along,
                y=best,
                mode="lines",
                line={"color": colour(position), "width": 1 if many else 3, "shape": "hv"},
                opacity=0.35 if many else 1.0,
                name=safe(run),
                legendgroup=str(run),
                showlegend=not many,
                hovertemplate="best so far %{y:.3f}<extra></extra>",
            )
        if many:
            grid = np.unique(np.concatenate([along for along, _ in curves]))
            grid = grid[grid >= max(along[0] for along, _ in curves)]  # there is no mean before all have begun
            mean = np.mean([_step(grid, along, best) for along, best in curves], axis=0)
            grid, mean = _corners(grid, mean)
            figure.add_scatter(
                x=grid,
                y=mean,
                mode="lines",
                line={"color": colour(position), "width": 3, "shape": "hv"},
                name=f"{safe(run)} (mean of {len(curves)} searches)",
                legendgroup=str(run),
            )
        ends.append(f"{run} reached {max(best[-1] for _, best in curves):.3f}")
    alt = f"Best fitness so far against {_X_TITLES[x]}: {'; '.join(ends)}."
    return finish(figure, alt, theme, _X_TITLES[x], "fitness (inner cross-validation)", height)


def _along(ordered: pd.DataFrame, x: X) -> np.ndarray:
    if x == "assessments":
        return ordered["number"].to_numpy() + 1
    if x == "cpu_seconds":
        return ordered["cpu_seconds"].cumsum().to_numpy()
    return np.maximum.accumulate(ordered["elapsed"].to_numpy())


def _step(grid: np.ndarray, along: np.ndarray, best: np.ndarray) -> np.ndarray:
    return best[np.searchsorted(along, grid, side="right") - 1]


def _corners(along: np.ndarray, best: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points of a step curve at which it rises, and its ends: all that is needed to draw it."""
    corners = np.flatnonzero(np.diff(best, prepend=-np.inf))
    kept = np.union1d(corners, [len(best) - 1])
    return along[kept], best[kept]


def _dots(figure: go.Figure, ordered: pd.DataFrame, along: np.ndarray, position: int, run: str, theme: Theme) -> None:
    """Of many trials an even selection is drawn, and every one that was the best so far."""
    if len(ordered) > _MOST_DOTS:
        best = ordered["fitness"].cummax().to_numpy()
        rises = np.flatnonzero(np.diff(best, prepend=-np.inf))
        shown = np.union1d(np.linspace(0, len(ordered) - 1, _MOST_DOTS).astype(int), rises)
        ordered, along = ordered.iloc[shown], along[shown]
    scored = (ordered["outcome"] == "scored").to_numpy()
    for chosen, symbol, note in ((scored, "circle", ""), (~scored, "x", " (a fold failed)")):
        if chosen.any():
            figure.add_trace(
                go.Scatter(
                    x=along[chosen],
                    y=ordered["fitness"].to_numpy()[chosen],
                    mode="markers",
                    marker={"color": colour(position), "size": 6, "opacity": _DOT_OPACITY[theme], "symbol": symbol},
                    customdata=ordered["number"].to_numpy()[chosen],
                    name=f"{safe(run)} trials",
                    legendgroup=run,
                    showlegend=False,
                    hovertemplate=f"trial %{{customdata}}: %{{y:.3f}}{note}<extra></extra>",
                )
            )


def hyperparameter_frequencies(frequencies: pd.DataFrame, parameter: str, theme: Theme = "light") -> go.Figure:
    """How often each value of one hyperparameter was chosen, beside what chance would give.

    Args:
        frequencies: columns parameter, value, count, selection_percent, baseline_percent.
        parameter: which one.
    """
    rows = frequencies[frequencies["parameter"] == parameter]
    rows = rows[rows["count"] > 0].sort_values("selection_percent", ascending=False).head(20)
    if rows.empty:
        return empty("Not chosen yet.", theme)
    names = [safe(value) for value in rows["value"]]
    figure = go.Figure(
        go.Bar(x=rows["selection_percent"], y=names, orientation="h", marker_color=colour(0), name="chosen")
    )
    figure.add_scatter(
        x=rows["baseline_percent"],
        y=names,
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 18, "color": colour(4), "line": {"width": 3}},
        name="by chance",
    )
    figure.update_yaxes(autorange="reversed", type="category")
    top = rows.iloc[0]
    shares = f"({top['selection_percent']:.0f} %, by chance {top['baseline_percent']:.0f} %)"
    alt = f"{parameter}: most often {top['value']} {shares}."
    return finish(figure, alt, theme, "share, %", None, height=120 + 26 * len(rows))


def reuse(naive: int, distinct: int, computed: int, theme: Theme = "light") -> go.Figure:
    """Fits that one-by-one assessment would need, different ones among them, and those that were computed."""
    names = ["needed one by one", "different ones", "computed"]
    figure = go.Figure(
        go.Bar(
            x=[naive, distinct, computed],
            y=names,
            orientation="h",
            text=[f"{count:,}" for count in (naive, distinct, computed)],
            marker_color=[colour(6), colour(5), colour(0)],
            cliponaxis=False,
        )
    )
    figure.update_yaxes(autorange="reversed")
    alt = f"{naive} fits one by one, {distinct} different ones, {computed} computed."
    return finish(figure, alt, theme, "fits", None, height=190)
