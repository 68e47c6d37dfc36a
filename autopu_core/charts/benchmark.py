"""Charts of a benchmark: systems compared over data sets (figures 3 and 4 of the PU paper, and what they leave out)."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from autopu_core.charts.theme import REFERENCE, Theme, colour, empty, finish, safe
from autopu_core.evaluation.statistics import RankComparison

_BETTER, _NOT_BETTER = colour(2), colour(4)
_ROW = 34  # pixels between two names of a critical-difference diagram
_BAR = 0.32  # of a row, between two bars of it
_LETTER = 0.0085  # width of a letter as a share of a usual diagram's width
_LEAST_LENGTH = 1.0  # of its axis, in ranks


def f_against_delta(means: pd.DataFrame, references: frozenset[str] = frozenset(), theme: Theme = "light") -> go.Figure:
    """Figures 3 and 4: mean F of each system at each share of hidden positives.

    Args:
        means: columns system (title), delta (0-1), f_measure, and, where the paper's values are to be drawn as dashed
            lines, f_measure_published (may have gaps).
        references: systems that are plain references, drawn in grey.
    """
    if means.empty:
        return empty("No data set has been finished by all of these systems yet.", theme)
    figure, said = go.Figure(), []
    for position, (system, rows) in enumerate(means.groupby("system", sort=False)):
        rows = rows.sort_values("delta")
        shade = REFERENCE if system in references else colour(position)
        lines = {"f_measure": ("solid", "circle", safe(system))}
        if "f_measure_published" in rows.columns:
            lines["f_measure_published"] = ("dot", "circle-open", f"{safe(system)} (paper)")
        for column, (dash, symbol, name) in lines.items():
            if rows[column].isna().all():
                continue
            figure.add_scatter(
                x=100 * rows["delta"],
                y=rows[column],
                mode="lines+markers",
                name=name,
                line={"color": shade, "width": 2, "dash": dash},
                marker={"size": 9, "symbol": symbol},
                hovertemplate=f"{name}, %{{x:.0f}} % hidden: %{{y:.3f}}<extra></extra>",
            )
        values = ", ".join(f"{row.f_measure:.3f} at {row.delta:.0%}" for row in rows.itertuples())
        said.append(f"{system} {values}")
    figure.update_xaxes(tickvals=sorted(100 * means["delta"].unique()))
    return finish(figure, f"Mean F-measure: {'; '.join(said)}.", theme, "positives hidden, %", "mean F-measure", 440)


def critical_difference(
    comparison: RankComparison | None, titles: Mapping[str, str] | None = None, theme: Theme = "light"
) -> go.Figure:
    """Mean ranks on a line, best left; a bar joins systems that don't differ (Demšar 2006, figure 1).

    Args:
        comparison: None where too little is finished.
        titles: system -> what it is called; by default its name.
    """
    if comparison is None:
        return empty("Ranks need at least 3 systems and 2 data sets that all of them have finished.", theme)
    ranks = comparison.ranks.rename(titles or {})
    groups = [[(titles or {}).get(system, system) for system in group] for group in comparison.groups]
    length = max(float(ranks.iloc[-1] - ranks.iloc[0]), comparison.critical_difference, _LEAST_LENGTH)
    start = float(ranks.iloc[0])
    left, right = start - 0.04 * length, start + 1.04 * length
    figure = go.Figure()
    half = (len(ranks) + 1) // 2
    below_bars = _BAR * (len(groups) + 1)
    for position, (system, rank) in enumerate(ranks.items()):
        on_left = position < half
        row = -below_bars - 0.5 - (position if on_left else len(ranks) - 1 - position)
        side = left if on_left else right
        figure.add_scatter(
            x=[rank, rank, side],
            y=[0, row, row],
            mode="lines",
            line={"color": REFERENCE, "width": 1.5},
            hoverinfo="skip",
            showlegend=False,
        )
        figure.add_annotation(
            x=side,
            y=row,
            text=f"{safe(system)}  <b>{rank:.2f}</b>" if on_left else f"<b>{rank:.2f}</b>  {safe(system)}",
            xanchor="right" if on_left else "left",
            showarrow=False,
        )
    for position, group in enumerate(groups):
        height = -_BAR * (position + 1)
        ends = [ranks[group[0]] - 0.012 * length, ranks[group[-1]] + 0.012 * length]
        figure.add_scatter(
            x=ends,
            y=[height, height],
            mode="lines",
            line={"color": colour(0), "width": 6},
            name="no difference",
            hovertemplate=f"no difference: {', '.join(map(safe, group))}<extra></extra>",
            showlegend=False,
        )
    figure.add_scatter(
        x=ranks, y=[0] * len(ranks), mode="markers", marker={"size": 9, "color": colour(0)}, showlegend=False,
        hovertext=[safe(system) for system in ranks.index], hovertemplate="%{hovertext}: %{x:.2f}<extra></extra>",
    )  # fmt: skip
    _scale(figure, start, length, comparison.critical_difference)
    rows = below_bars + half + 2.0
    finish(figure, _in_words(comparison, ranks, groups), theme, height=round(40 + _ROW * rows))
    names = min(0.36, _LETTER * (6 + max(len(str(system)) for system in ranks.index)))  # share of the width, each side
    side = length * names / (1 - 2 * names)
    figure.update_xaxes(visible=False, range=[left - side, right + side])
    figure.update_yaxes(visible=False, range=[2.0 - rows, 2.0])
    return figure


def _scale(figure: go.Figure, start: float, length: float, critical: float) -> None:
    """The line of ranks, and above it how long the critical difference is."""
    for x, y, width in (([start, start + length], 0, 1.5), ([start, start + critical], 0.8, 3)):
        figure.add_scatter(
            x=x, y=[y, y], mode="lines", line={"color": REFERENCE, "width": width}, hoverinfo="skip", showlegend=False
        )
    figure.add_annotation(x=start, y=1.25, text=f"critical difference {critical:.2f}", xanchor="left", showarrow=False)


def _in_words(comparison: RankComparison, ranks: pd.Series, groups: list[list[str]]) -> str:
    listed = ", ".join(f"{system} {rank:.2f}" for system, rank in ranks.items())
    alike = "; ".join(", ".join(group) for group in groups) or "none"
    return (
        f"Mean ranks over {comparison.data_sets} data sets, best first: {listed}. Critical difference "
        f"{comparison.critical_difference:.2f}; systems that don't differ: {alike}."
    )


def differences(values: pd.DataFrame, opponent: str, theme: Theme = "light") -> go.Figure:
    """How far each system is above or below its opponent: a dot for each data set, the mean as a bar.

    A mean that isn't above 0 is drawn in another colour: that system fails.

    Args:
        values: columns system (title), dataset (title), difference (of F).
        opponent: what 0 stands for, e.g. "random search".
    """
    if values.empty:
        return empty("No data set has been finished by a system and its opponent yet.", theme)
    figure, means = go.Figure(), values.groupby("system", sort=False)["difference"].mean()
    for system, mean in means.items():
        rows, name = values[values["system"] == system], f"{safe(system)}<br>{mean:+.3f}"
        figure.add_scatter(
            x=[name] * len(rows),
            y=rows["difference"],
            mode="markers",
            marker={"size": 9, "color": REFERENCE, "symbol": "circle-open", "line": {"width": 2}},
            customdata=[safe(dataset) for dataset in rows["dataset"]],
            hovertemplate="%{customdata}: %{y:+.3f}<extra></extra>",
            showlegend=False,
        )
        figure.add_scatter(
            x=[name],
            y=[mean],
            mode="markers",
            marker={
                "symbol": "line-ew-open",
                "size": 40,
                "line": {"width": 5},
                "color": _BETTER if mean > 0 else _NOT_BETTER,
            },
            hovertemplate="mean %{y:+.3f}<extra></extra>",
            showlegend=False,
        )
    figure.add_hline(y=0, line={"dash": "dot", "color": REFERENCE, "width": 2})
    listed = ", ".join(f"{system} {mean:+.3f}" for system, mean in means.items())
    alt = f"Mean F-measure above {opponent}: {listed}."
    return finish(figure, alt, theme, None, f"F above {safe(opponent)} (0: equal)", 400)


def time_against_f(
    times: pd.DataFrame, reference: tuple[str, float] | None = None, theme: Theme = "light"
) -> go.Figure:
    """Computing time of a cross-validation against mean F; an optimiser is joined with random search at its budget.

    Args:
        times: columns system (title), family (title of the system that it belongs to), random (bool: it is that
            optimiser's random search), cpu_minutes, f_measure.
        reference: (title, mean F) of a plain reference that takes next to no time, drawn as a line.
    """
    if times.empty:
        return empty("No data set has been finished by all systems yet.", theme)
    figure = go.Figure()
    for position, (family, rows) in enumerate(times.groupby("family", sort=False)):
        shade = colour(position)
        figure.add_scatter(
            x=rows["cpu_minutes"],
            y=rows["f_measure"],
            mode="lines+markers",
            name=safe(family),
            line={"color": shade, "width": 1, "dash": "dot"},
            marker={
                "size": 12,
                "symbol": [_symbol(position, random) for random in rows["random"]],
                "color": shade,
                "line": {"width": 2, "color": shade},
            },
            customdata=[safe(system) for system in rows["system"]],
            hovertemplate="%{customdata}: F %{y:.3f}, %{x:.2f} CPU minutes<extra></extra>",
        )
    if reference is not None:
        title, f_measure = reference
        figure.add_hline(
            y=f_measure, line={"dash": "dash", "color": REFERENCE}, annotation_text=f"{safe(title)} {f_measure:.3f}"
        )
    figure.update_xaxes(type="log")
    listed = "; ".join(f"{row.system} {row.cpu_minutes:.2f} min, F {row.f_measure:.3f}" for row in times.itertuples())
    alt = f"CPU minutes of a cross-validation and mean F-measure: {listed}."
    if reference is not None:
        alt += f" {reference[0]}: F {reference[1]:.3f}."
    return finish(figure, alt, theme, "CPU minutes of a cross-validation (logarithmic)", "mean F-measure", 440)


def _symbol(position: int, random: bool) -> str:
    """More families than colours: the second round of colours has another shape."""
    shape = ("circle", "square", "diamond")[position // 7 % 3]
    return f"{shape}-open" if random else shape
