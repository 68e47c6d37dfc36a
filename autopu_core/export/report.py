"""A stand-alone HTML report: everything inside one file, nothing fetched from elsewhere, all text of users escaped."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from autopu_core.charts.theme import alternative_text

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1F2933; background: #FFF; max-width: 1000px; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.8rem; } h2 { font-size: 1.3rem; margin-top: 2.2rem; border-bottom: 1px solid #D5DBE1; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; margin: 0.8rem 0; }
th, td { text-align: left; padding: 0.3rem 0.6rem; border-bottom: 1px solid #E4E8EC; vertical-align: top; }
th { background: #F4F6F8; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
.estimate { background: #FFF6E0; border-left: 4px solid #E69F00; padding: 0.6rem 1rem; }
.remark { background: #F4F6F8; border-left: 4px solid #0072B2; padding: 0.6rem 1rem; margin: 0.5rem 0; }
figure { margin: 1rem 0; } figcaption, .small { color: #52606D; font-size: 0.88rem; }
"""


@dataclass
class Section:
    """A heading and what stands below it, in order: texts, tables and figures."""

    title: str
    parts: list[str] = field(default_factory=list)

    def text(self, *sentences: str, kind: str | None = None) -> Section:
        """A paragraph for each text; `kind` is "estimate" or "remark" for a box."""
        name = f' class="{kind}"' if kind else ""
        self.parts += [f"<p{name}>{html.escape(sentence)}</p>" for sentence in sentences]
        return self

    def table(self, frame: pd.DataFrame) -> Section:
        """A table; numbers to three decimals."""
        head = "".join(f"<th>{html.escape(str(name))}</th>" for name in frame.columns)
        rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in frame.itertuples(index=False))
        self.parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
        return self

    def facts(self, facts: dict[str, Any]) -> Section:
        """Names and values, one in a row."""
        return self.table(pd.DataFrame({"": list(facts), " ": [_text(value) for value in facts.values()]}))

    def figure(self, figure: go.Figure) -> Section:
        """An interactive chart with its alternative text as the caption."""
        chart = figure.to_html(
            full_html=False, include_plotlyjs=False, config={"displaylogo": False, "displayModeBar": False}
        )
        self.parts.append(f"<figure>{chart}<figcaption>{html.escape(alternative_text(figure))}</figcaption></figure>")
        return self

    def list(self, items: Sequence[str]) -> Section:
        """A list of texts."""
        self.parts.append("<ul>" + "".join(f"<li>{html.escape(item)}</li>" for item in items) + "</ul>")
        return self


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """The whole report as one HTML document."""
    body = "".join(f"<section><h2>{html.escape(part.title)}</h2>{''.join(part.parts)}</section>" for part in sections)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'; img-src data: blob:\">"
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style><script>{get_plotlyjs()}</script></head>"
        f"<body><h1>{html.escape(title)}</h1><p>{html.escape(lead)}</p>{body}</body></html>\n"
    )


def _cell(value: Any) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    start = '<td class="number">' if number else "<td>"
    return f"{start}{html.escape(_text(value))}</td>"


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return str(value)
