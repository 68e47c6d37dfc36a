"""What a browser remembers: the chosen table, the chosen runs and the draft of their settings.

All of it stands in the address as well, so a reload or a second browser finds the same. Within a session the session's
copy is the truth: an address that a browser sends along may be older than the last click.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from dashboard.draft import Draft

_DATASET, _RUNS, _DRAFT, _NOTICE = "autopu_dataset", "autopu_runs", "autopu_draft", "autopu_notice"


def load() -> None:
    """Take over what the address says when a browser comes for the first time."""
    if _DRAFT in st.session_state:
        return
    parameters = {name: st.query_params.get_all(name) for name in st.query_params}
    st.session_state[_DATASET] = next(iter(parameters.get("dataset", [])), None)
    st.session_state[_RUNS] = tuple(int(text) for text in parameters.get("run", []) if text.isdecimal())
    st.session_state[_DRAFT] = Draft.from_address(parameters)


def sync() -> None:
    """Write the state into the address where it differs."""
    wanted = {name: value if isinstance(value, list) else [value] for name, value in address().items()}
    if {name: st.query_params.get_all(name) for name in st.query_params} != wanted:
        st.query_params.from_dict(wanted)


def address() -> dict[str, str | list[str]]:
    """The parameters that links to other pages carry along."""
    chosen: dict[str, str | list[str]] = {} if dataset() is None else {"dataset": dataset(), **draft().to_address()}
    if selected_runs():
        chosen["run"] = [str(run) for run in selected_runs()]
    return chosen


def dataset() -> str | None:
    """Id of the chosen table."""
    return st.session_state[_DATASET]


def choose_dataset(chosen: str | None, proposal: Draft | None = None) -> None:
    """Choose a table, and begin a draft for it; the runs of another table are no longer chosen."""
    if chosen != dataset():
        st.session_state[_RUNS] = ()
    st.session_state[_DATASET] = chosen
    st.session_state[_DRAFT] = proposal or Draft()


def selected_runs() -> tuple[int, ...]:
    """Numbers of the chosen runs."""
    return st.session_state[_RUNS]


def select_runs(runs: Sequence[int]) -> None:
    """Choose runs to look at."""
    st.session_state[_RUNS] = tuple(dict.fromkeys(runs))


def draft() -> Draft:
    """The settings as they are chosen now."""
    return st.session_state[_DRAFT]


def change(**values: Any) -> None:
    """Change choices of the draft; the widgets follow."""
    st.session_state[_DRAFT] = dataclasses.replace(draft(), **values)


def kept(
    widget: Callable[..., Any],
    label: str,
    name: str,
    *,
    show: Callable[[Any], Any] = lambda value: value,
    keep: Callable[[Any], Any] = lambda value: value,
    also: Callable[[Any], dict[str, Any]] = lambda value: {},
    **options: Any,
) -> Any:
    """Draw a widget whose value is a choice of the draft, so that it survives a change of page and a reload.

    Args:
        widget: a Streamlit input, such as `st.slider`; where it has `options`, what isn't one of them isn't chosen.
        name: field of the draft.
        show, keep: from the draft's value to the widget's and back.
        also: other choices that change with this one.

    Returns:
        The draft's value.
    """
    key = f"{name}@{dataset()}"
    value = show(getattr(draft(), name))
    if "options" in options:
        possible = list(options["options"])
        if isinstance(value, list | tuple):
            value = [each for each in value if each in possible]
        elif value not in possible:
            value = None if options.get("index", 0) is None else next(iter(possible), None)
    if "max_value" in options and value is not None:  # an address may say anything
        value = min(max(value, options["min_value"]), options["max_value"])
    st.session_state[key] = value

    def remember() -> None:
        chosen = keep(st.session_state[key])
        change(**{name: chosen, **also(chosen)})

    widget(label, key=key, on_change=remember, **options)
    return getattr(draft(), name)


def notify(sentence: str | None) -> None:
    """Keep a sentence that the next run of the script shows."""
    st.session_state[_NOTICE] = sentence


def take_notice() -> str | None:
    """The sentence to show, once."""
    return st.session_state.pop(_NOTICE, None)
