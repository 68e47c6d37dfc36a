"""How every chart looks: colours that colour-blind people can tell apart, in light and dark, and alternative text."""

from __future__ import annotations

import html
from typing import Literal

import plotly.graph_objects as go

Theme = Literal["light", "dark"]

# Okabe & Ito's palette without its yellow, which is too faint on white; readable on both backgrounds. The grey is as
# dark as it is because a lighter one looks like the palette's pink to who can't see green.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#707070")
LABELLED, HIDDEN, NEGATIVE = "#0072B2", "#E69F00", "#707070"
REFERENCE = "#707070"
_INK = {"light": "#1F2933", "dark": "#E6EAEE"}
_GRID = {"light": "rgba(31,41,51,0.12)", "dark": "rgba(230,234,238,0.18)"}


def safe(text: object) -> str:
    """Text of a user for a chart: plotly would take markup in it literally."""
    return html.escape(str(text), quote=False)


def colour(position: int) -> str:
    """The colour of the n-th series."""
    return PALETTE[position % len(PALETTE)]


def finish(
    figure: go.Figure, alt: str, theme: Theme = "light", x: str | None = None, y: str | None = None, height: int = 380
) -> go.Figure:
    """Give a figure its look, axis titles and alternative text (`figure.layout.meta["alt"]`)."""
    axis = {"gridcolor": _GRID[theme], "zerolinecolor": _GRID[theme], "automargin": True}
    figure.update_layout(
        font={"family": "system-ui, sans-serif", "size": 14, "color": _INK[theme]},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        colorway=list(PALETTE),
        margin={"l": 10, "r": 10, "t": 30, "b": 10},
        height=height,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        hoverlabel={"font": {"size": 13}},
        meta={"alt": alt},
    )
    figure.update_xaxes(title=x, **axis)
    figure.update_yaxes(title=y, **axis)
    return figure


def empty(message: str, theme: Theme = "light", height: int = 200) -> go.Figure:
    """A figure that says why there is nothing to show."""
    figure = go.Figure()
    figure.add_annotation(text=safe(message), showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper")
    finish(figure, message, theme, height=height)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return figure


def alternative_text(figure: go.Figure) -> str:
    """One or two plain sentences that say what a figure shows."""
    return (figure.layout.meta or {}).get("alt", "")
