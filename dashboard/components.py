"""Pieces that pages share: text that is shown as text, charts with alternative text, errors as one sentence."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from autopu_core.charts.theme import Theme, alternative_text
from autopu_core.errors import AutoPUError
from autopu_core.runs import RunRecord
from autopu_core.runs.comparison import run_label
from dashboard import engine, state, words

log = logging.getLogger("dashboard")

_PUNCTUATION = str.maketrans({sign: f"\\{sign}" for sign in r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""})
_LINKS = re.compile(r"(?<=www)(?=\.)|(?<=:)(?=//)|(?<=@)", re.IGNORECASE)
_WORD_JOINER = "\u2060"  # invisible; keeps Markdown from making links of addresses
_CHART_OPTIONS = {"displaylogo": False, "displayModeBar": False}
_CHART_FONT = '"Source Sans", system-ui, sans-serif'  # the page's own


def plain(text: object) -> str:
    """Text from outside (column names, values, messages) for a place that takes Markdown: shown as it is written."""
    one_line = " ".join(str(text).split())
    return _LINKS.sub(_WORD_JOINER, one_line).translate(_PUNCTUATION)


def theme() -> Theme:
    """Whether the browser shows light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def chart(figure: go.Figure, key: str) -> None:
    """Draw a figure of `autopu_core.charts`, with its alternative text.

    Args:
        key: the same in every run of the script, so that the browser updates the chart instead of drawing it anew.
    """
    figure.update_layout(uirevision=key, font_family=_CHART_FONT)  # uirevision: a person's zoom survives updates
    figure.update_xaxes(title_font_size=figure.layout.font.size)  # Plotly would make titles larger than the page's text
    figure.update_yaxes(title_font_size=figure.layout.font.size)
    st.plotly_chart(figure, theme=None, key=key, config=_CHART_OPTIONS, alt=alternative_text(figure))


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """Show an error as one sentence; what nobody foresaw goes to the log with all details."""
    try:
        yield
    except AutoPUError as error:
        st.error(plain(error), icon=":material/error:")
    except Exception:
        # The last line of defence of a page: a person gets a sentence, the log the rest.
        log.exception("Unexpected error on a page")
        st.error(f"Something unexpected happened; reload the page. Details are in {plain(engine.log_file())}.")


def guarded(draw: Callable[..., None]) -> Callable[..., None]:
    """A fragment whose errors are shown as one sentence; fragments run again without the page around them."""

    @wraps(draw)
    def guarded_draw(*arguments: Any, **options: Any) -> None:
        with errors_as_sentences():
            draw(*arguments, **options)

    return guarded_draw


def attempt(action: Callable[..., Any], *arguments: Any) -> Any:
    """Do what a button asks; an error becomes a sentence on the next run of the page. For callbacks."""
    try:
        return action(*arguments)
    except AutoPUError as error:
        state.notify(str(error))
    except Exception:
        log.exception("Unexpected error after a click")
        state.notify(f"Something unexpected happened; details are in {engine.log_file()}.")
    return None


def show_notice() -> None:
    """Show what the last click had to say."""
    if sentence := state.take_notice():
        st.error(plain(sentence), icon=":material/error:")


def chosen_sheet(uploaded: UploadedFile, key: str) -> str | None:
    """The sheet of a workbook that a person chooses; None where there is nothing to choose.

    Raises:
        TableError: a damaged workbook.
    """
    with st.spinner("Looking into the file …"):
        sheets = engine.sheets(uploaded.getvalue(), uploaded.name)
    return st.selectbox("Sheet", sheets, key=key) if len(sheets) > 1 else None


def heading(title: str, sentence: str) -> None:
    """Title of a page and what it is for."""
    st.title(title, anchor=False)
    st.markdown(sentence)


def cost_axis(key: str) -> str:
    """What a search is drawn against, as a person chooses it: a column of the trials."""
    axes = {"assessments": "candidates tried", "cpu_seconds": "computing time", "elapsed": "time"}
    return st.segmented_control(
        "Against",
        list(axes),
        format_func=axes.__getitem__,
        default="assessments",
        required=True,
        key=key,
        persist_state="session",
        help="Computing time is what a run cost in all, each different fit counted once, also where it was reused.",
    )


def status_badge(record: RunRecord) -> None:
    """Status of a run as a coloured word."""
    word, colour, icon = words.STATUS[record.status]
    if record.command in ("pause", "cancel"):
        word = {"pause": "pausing …", "cancel": "stopping …"}[record.command]
    st.badge(word, icon=icon, color=colour)


def run_name(record: RunRecord) -> str:
    """What a run is called in lists and charts, on all pages as in the report: "3 · EBO base"."""
    return run_label(record)


def run_title(record: RunRecord) -> str:
    """A run in words."""
    return f"Run {record.id}: {record.settings.title}"


def duration(seconds: float | None) -> str:
    """Seconds as "45 s", "3 min" or "2 h 10 min"; a dash where unknown."""
    if seconds is None:
        return "–"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours < 48 else f"{hours / 24:.0f} days"


def number(value: float | None, digits: int = 3) -> str:
    """A number to three decimals; a dash where there is none."""
    return "–" if value is None or value != value else f"{value:.{digits}f}"
