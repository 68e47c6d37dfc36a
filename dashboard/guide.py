"""The guided path: the steps from a table to a prediction, and what each still lacks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from autopu_core.errors import AutoPUError
from autopu_core.runs import RunRecord
from dashboard import engine, state
from dashboard.components import plain


@dataclass(frozen=True)
class Step:
    """One page of the path.

    Attributes:
        page: name of the page's file.
        title, icon: in the path.
        missing: what is still to be done here, None where nothing is.
        note: what was done.
    """

    page: str
    title: str
    icon: str
    missing: str | None = None
    note: str = ""


PAGES = (
    ("data", "Data", ":material/table_chart:"),
    ("pu_setup", "PU set-up", ":material/visibility_off:"),
    ("search", "Search", ":material/travel_explore:"),
    ("live", "Live", ":material/monitoring:"),
    ("compare", "Compare", ":material/compare_arrows:"),
    ("export", "Export", ":material/download:"),
    ("predict", "Predict", ":material/person_search:"),
)
FURTHER_PAGES = (
    ("benchmark", "Benchmark", ":material/leaderboard:"),
    ("glossary", "Glossary", ":material/menu_book:"),
)
"""Pages that aren't steps of the path."""


def page_file(name: str) -> str:
    """File of a page, as Streamlit's links want it."""
    return str(Path(__file__).parent / "pages" / f"{name}.py")


def steps() -> list[Step]:
    """All steps with what they lack now."""
    here = engine.runs(state.dataset()) if state.dataset() else []
    lacks = {
        "Data": missing_on_data(),
        "PU set-up": missing_on_setup(),
        "Search": (None, "") if here else (missing_on_search() or "Start a search.", ""),
        **_missing_of_runs(here),
    }
    return [Step(page, title, icon, *lacks[title]) for page, title, icon in PAGES]


def missing_on_data() -> tuple[str | None, str]:
    """(what is missing, what is chosen) on the Data page."""
    if state.dataset() is None:
        return "Choose a table.", ""
    try:
        record = engine.dataset(state.dataset())
    except AutoPUError:
        return "This table isn't here any more; choose one.", ""
    draft = state.draft()
    names = {column["name"] for column in record.description["columns"]}
    if draft.target not in names:
        return "Choose the column with the diagnosis.", record.name
    if not draft.positive:
        return "Choose what means positive.", record.name
    return None, record.name


def missing_on_setup() -> tuple[str | None, str]:
    """(why the choices can't work, or what is missing before; what is chosen) on the PU set-up page."""
    if missing_on_data()[0]:
        return "First choose the data.", ""
    draft = state.draft()
    try:
        refused = engine.refusal(draft.settings(state.dataset(), "ebo"))
    except AutoPUError as error:
        refused = str(error)
    chosen = f"{draft.delta:.0%} of the positives hidden" if draft.task == "engineered" else "labels as they are"
    return (None, chosen) if refused is None else ("These choices can't work together.", "")


def missing_on_search() -> str | None:
    """What has to be done before a search can start."""
    if missing_on_data()[0]:
        return "First choose the data."
    if missing_on_setup()[0]:
        return "First finish the set-up."
    return None if state.draft().optimizers else "Choose how to search."


def _missing_of_runs(here: list[RunRecord]) -> dict[str, tuple[str | None, str]]:
    active = sum(record.status in ("queued", "running") for record in here)
    finished = sum(record.status == "finished" for record in here)
    return {
        "Live": (None, f"{active} at work or waiting" if active else _count(len(here), "run"))
        if here
        else ("No search yet.", ""),
        "Compare": (None, f"{_count(finished, 'finished run')}") if finished else ("No finished run yet.", ""),
        "Export": (None, "") if finished else ("No finished run yet.", ""),
        "Predict": (None, "") if engine.any_model() else ("No model yet.", ""),
    }


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def adopt_table() -> None:
    """An address that names runs but no table means the table of the first of them."""
    if state.dataset() is None and state.selected_runs():
        known = {record.id: record.settings.dataset for record in engine.runs()}
        chosen = [run for run in state.selected_runs() if run in known]
        if chosen:
            state.choose_dataset(known[chosen[0]])
            state.select_runs(chosen)


def draw() -> None:
    """The path in the side bar; links carry the state along."""
    for position, step in enumerate(steps(), start=1):
        with st.container(key=f"step-{step.page}"):
            st.page_link(
                page_file(step.page), label=f"{position}. {step.title}", icon=step.icon, query_params=state.address()
            )
            _note(step)
    st.divider()
    for page, title, icon in FURTHER_PAGES:
        st.page_link(page_file(page), label=title, icon=icon, query_params=state.address())


def _note(step: Step) -> None:
    if step.missing:
        st.caption(f":orange[:material/radio_button_unchecked:] {plain(step.missing)}")
    elif step.note:
        st.caption(f":green[:material/check_circle:] {plain(step.note)}")


def next_step(name: str, label: str, missing: str | None = None) -> None:
    """The way on at the end of a page.

    Args:
        name: of the next page.
        missing: what still has to be done here first.
    """
    st.space("small")
    if missing:
        st.info(plain(missing), icon=":material/arrow_upward:")
    elif st.button(label, type="primary", icon=":material/arrow_forward:", key=f"to-{name}"):
        go_to(name)


def go_to(name: str) -> None:
    """Turn to another page at once; not in a callback."""
    st.switch_page(page_file(name), query_params=state.address())
