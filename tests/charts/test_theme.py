"""Colours that everybody can tell apart, ink that can be read, and what every figure has."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import plotly.graph_objects as go
import pytest

from autopu_core.charts.theme import (
    HIDDEN,
    LABELLED,
    NEGATIVE,
    PALETTE,
    alternative_text,
    colour,
    empty,
    finish,
    safe,
)

# Machado, Oliveira & Fernandes (2009): what complete colour blindness makes of linear RGB.
_BLIND = {
    "none": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_BACKGROUNDS = {"light": "#FFFFFF", "dark": "#0E1117"}


def linear(code: str) -> np.ndarray:
    """Linear RGB (3,) of "#RRGGBB"."""
    channels = np.array([int(code[start : start + 2], 16) / 255 for start in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* (3,) of linear RGB."""
    ratio = _TO_XYZ @ np.clip(rgb, 0, 1) / _TO_XYZ.sum(axis=1)
    x, y, z = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(first: str, second: str) -> float:
    """Contrast ratio as WCAG defines it, 1 .. 21."""
    dark, light = sorted(_TO_XYZ[1] @ linear(code) for code in (first, second))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("kind", _BLIND)
def test_no_two_colours_look_alike_to_anybody(kind):
    seen = {code: lab(np.asarray(_BLIND[kind]) @ linear(code)) for code in PALETTE}
    closest = min(np.linalg.norm(seen[one] - seen[other]) for one, other in combinations(PALETTE, 2))
    assert closest > 12  # a difference of 2.3 is just noticeable


@pytest.mark.parametrize("kind", _BLIND)
def test_what_is_known_of_a_row_can_be_told_by_its_colour(kind):
    seen = [lab(np.asarray(_BLIND[kind]) @ linear(code)) for code in (LABELLED, HIDDEN, NEGATIVE)]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 25


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_ink_and_series_can_be_read_on_their_background(theme):
    background = _BACKGROUNDS[theme]
    figure = finish(go.Figure(), "Nothing.", theme)
    assert contrast(figure.layout.font.color, background) > 7
    assert min(contrast(code, background) for code in PALETTE) > 2


def test_after_the_last_colour_comes_the_first():
    assert [colour(position) for position in range(2 * len(PALETTE))] == [*PALETTE, *PALETTE]


def test_axis_titles_alternative_text_and_a_background_that_lets_the_page_through():
    figure = finish(go.Figure(go.Bar(x=[1], y=[2])), "One bar.", "dark", "across", "up", 321)
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("across", "up")
    assert figure.layout.height == 321
    assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert alternative_text(figure) == "One bar."


def test_light_and_dark_differ_in_ink_and_grid_only():
    light, dark = (finish(go.Figure(), "Same.", theme).to_dict()["layout"] for theme in ("light", "dark"))
    assert light["font"].pop("color") != dark["font"].pop("color")
    for axis in ("xaxis", "yaxis"):
        for line in ("gridcolor", "zerolinecolor"):
            assert light[axis].pop(line) != dark[axis].pop(line)
    assert light == dark


def test_an_empty_figure_says_why_in_the_picture_and_beside_it():
    figure = empty("No <b>rows</b>.", "dark")
    assert not figure.data
    assert figure.layout.annotations[0].text == "No &lt;b&gt;rows&lt;/b&gt;."
    assert alternative_text(figure) == "No <b>rows</b>."
    assert not figure.layout.xaxis.visible
    assert not figure.layout.yaxis.visible


def test_a_figure_from_elsewhere_has_no_alternative_text():
    assert alternative_text(go.Figure()) == ""


def test_markup_of_users_is_shown_and_not_obeyed():
    assert safe("p < 0.05 & <b>") == "p &lt; 0.05 &amp; &lt;b&gt;"
    assert safe(1.5) == "1.5"
