"""Page 4, Live: what the searches do, once a second, and the buttons that steer them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from autopu_core.charts import search as charts
from autopu_core.evaluation import hyperparameter_frequencies
from autopu_core.pu.methods import METHODS
from autopu_core.runs import RunRecord
from dashboard import components, engine, guide, state, words
from dashboard.components import duration, number, plain

_ACTIVE = ("queued", "running")
_EVERY_SECONDS = {True: 1.0, False: 5.0}  # while something is at work or waits; otherwise only in case that changes
_LATEST = 12
_CARDS_IN_A_ROW = 3
_STAGES = {
    "starting": "Starting",
    "preparing": "Preparing the rows",
    "searching": "Searching",
    "testing": "Testing on rows the search never saw",
    "exporting": "Writing the model",
}


# -- one card for each run ------------------------------------------------------------------------------------------


def card(record: RunRecord) -> None:
    """Status, progress, best so far, time, and the buttons of one run."""
    with st.container(border=True, height="stretch", key=f"run-{record.id}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{components.run_name(record)}**", width="stretch")
            components.status_badge(record)
        st.caption(f"{record.settings.title}, {_task(record)}, {plain(record.dataset_name)}")
        progress = record.progress
        best, left, spent = st.columns(3)
        best.metric("Best", number(progress.get("best")), help=words.TIPS["Fitness"])
        spent.metric("Elapsed", duration(progress.get("elapsed", 0.0)), help="Active time of all searches of this run.")
        if record.status == "running":
            left.metric("Left", _about(progress.get("left")), help="From the pace so far; an estimate.")
        else:
            _tested(left, record)
        done, planned = progress.get("assessments_in_all", 0), progress.get("planned_in_all", 0)
        share = 1.0 if record.status == "finished" else min(1.0, done / planned) if planned else 0.0
        st.progress(share, text=_doing(record, done, planned))
        buttons(record)


def _task(record: RunRecord) -> str:
    settings = record.settings
    return f"{settings.delta:.0%} hidden" if settings.task == "engineered" else "labels as they are"


def _about(seconds: float | None) -> str:
    return "–" if seconds is None else f"~ {duration(seconds)}"


def _tested(place: st.delta_generator.DeltaGenerator, record: RunRecord) -> None:
    """The test score of a finished run."""
    genuine = record.settings.task == "genuine"
    summary = {}
    if record.status == "finished":
        result = engine.finished_run(record).result or {}
        summary = result.get("test", {}).get("system", {}).get("pu_f1" if genuine else "f_measure", {})
    title = "Test F (estimate)" if genuine else "Test F"
    place.metric(title, number(summary.get("mean")), help=f"On the test rows. {words.TIPS['F-measure']}")


def _doing(record: RunRecord, done: int, planned: int) -> str:
    """What the run does now, in words."""
    progress = record.progress
    if record.status == "queued":
        return "Waits for its turn." if not done else f"Waits for its turn; {done:,} trials are kept."
    if record.status == "finished":
        return f"{done:,} candidates tried."
    if record.status == "interrupted":
        return f"Its process ended unexpectedly after {done:,} trials; all of them are kept. Resume it to go on."
    if record.status != "running":
        return f"{done:,} of {planned:,} candidates tried; all of them are kept."
    if not planned:
        return "Starting …"
    stage = _STAGES.get(progress["stage"], progress["stage"])
    where = f" ({progress['search']})" if progress["searches"] > 1 else ""
    return f"{stage}{where}. {done:,} of {planned:,} candidates tried."


def buttons(record: RunRecord) -> None:
    """What can be done with a run in its present state."""
    with st.container(horizontal=True, gap="small"):
        if record.status in _ACTIVE and record.command in ("pause", "cancel"):
            _button("Go on after all", "play_arrow", engine.carry_on, record)
        elif record.status in _ACTIVE:
            _button("Pause", "pause", engine.pause, record)
            _button("Cancel", "stop", engine.cancel, record, "Ends the run; the best so far is kept.")
        elif record.status != "finished":
            _button("Resume", "play_arrow", engine.resume, record, "Goes on where it stopped.")
        if record.status in ("finished", "failed") and record.settings.time_limit is not None:
            search_longer(record)
        if record.status not in _ACTIVE:
            with st.popover("Delete", icon=":material/delete:", key=f"delete-{record.id}"):
                st.markdown("The run, its trials and its models will be gone for good.")
                _button("Delete for good", "delete_forever", delete, record)
    if record.error:
        st.error(plain(record.error))


def search_longer(record: RunRecord) -> None:
    """More time for a run that its time limit may have ended."""
    with st.popover("Search longer", icon=":material/more_time:", key=f"longer-{record.id}"):
        key = f"minutes-{record.id}"
        spent = record.settings.time_limit / 60
        st.number_input("Time limit for the whole run, minutes", min_value=spent, value=2 * spent, key=key)
        st.button(
            "Go on",
            key=f"go-on-{record.id}",
            on_click=lambda: components.attempt(engine.resume, record.id, 60 * st.session_state[key]),
        )


def _button(label: str, icon: str, action: object, record: RunRecord, tip: str | None = None) -> None:
    st.button(
        label,
        icon=f":material/{icon}:",
        key=f"{label}-{record.id}",
        help=tip,
        on_click=components.attempt,
        args=(action, record.id),
    )


def delete(run: int) -> None:
    engine.delete_run(run)
    state.select_runs([other for other in state.selected_runs() if other != run])


# -- what all shown runs have found so far --------------------------------------------------------------------------


def progress_curve(records: Sequence[RunRecord]) -> None:
    """Best so far and every trial, against what a person wants to pay in."""
    axis = components.cost_axis("live_axis")
    trials = [engine.trials(record.id) for record in records]
    if any(len(frame) for frame in trials):
        key = tuple((components.run_name(record), len(frame)) for record, frame in zip(records, trials, strict=True))
        components.chart(_curve(key, axis, components.theme(), trials), "convergence")
    else:
        st.info("Nothing has been tried yet; the curve begins with the first candidates.")


@st.cache_resource(show_spinner=False, max_entries=30)
def _curve(key: tuple[tuple[str, int], ...], axis: str, theme: str, _trials: list[pd.DataFrame]) -> object:
    wanted = ["search", "number", "fitness", "outcome", "cpu_seconds", "elapsed"]
    named = [frame[wanted].assign(run=name) for (name, _), frame in zip(key, _trials, strict=True) if len(frame)]
    return charts.convergence(pd.concat(named, ignore_index=True), axis, theme)


def tried_now(records: Sequence[RunRecord]) -> None:
    """The fits in work, and the latest trials."""
    for record in records:
        trying = record.progress.get("trying", []) if record.status == "running" else []
        if trying:
            fits = ", ".join(f"{words.value(fit['classifier'])} on {fit['rows']:,} rows" for fit in trying)
            st.markdown(f":material/sync: Run {record.id} is learning: {fits}")
    latest = [
        engine.trials(record.id).tail(_LATEST).assign(run=components.run_name(record))
        for record in records
        if len(engine.trials(record.id))
    ]
    if not latest:
        st.info("Nothing has been tried yet.")
        return
    st.caption("The latest trials, newest first.")
    st.dataframe(_readable(pd.concat(latest, ignore_index=True)), hide_index=True, key="latest_trials")


def _readable(trials: pd.DataFrame) -> pd.DataFrame:
    """Trials as people read them, newest first."""
    ordered = trials.sort_values("rowid", ascending=False)
    outcomes = {"scored": "scored", "failed": "failed on a fold", "timed_out": "too slow on a fold"}
    shown = pd.DataFrame(
        {
            "Run": ordered["run"],
            "Search": ordered["search"],
            "Trial": ordered["number"],
            "Fitness": ordered["fitness"].round(4),
            "Outcome": ordered["outcome"].map(outcomes),
        }
    )
    recipes = [json.loads(key) for key in ordered["key"]]  # without the parts that play no role
    for name, title in words.PARTS.items():
        if any(name in recipe for recipe in recipes):
            shown[title] = [words.value(recipe[name]) if name in recipe else "" for recipe in recipes]
    return shown


def choices_so_far(records: Sequence[RunRecord]) -> None:
    """How often each value of a hyperparameter was tried."""
    space = records[0].settings.method.space
    alike = [record for record in records if record.settings.method.space.name == space.name]
    parameter = st.selectbox(
        "Part of the recipe",
        [name for name in words.PARTS if any(each.name == name for each in space.parameters)],
        format_func=words.PARTS.__getitem__,
        key="live_parameter",
        persist_state="session",
    )
    trials = [engine.trials(record.id) for record in alike]
    if not any(len(frame) for frame in trials):
        st.info("Nothing has been tried yet.")
        return
    counts = _frequencies(
        tuple((record.id, len(frame)) for record, frame in zip(alike, trials, strict=True)), space.name, trials
    )
    st.caption(
        "What the searches have come to prefer: the share of all trials so far that used each value, beside the share "
        "that chance would give. Trials in which this part plays no role aren't counted."
        + ("" if len(alike) == len(records) else " Only the runs in the same search space as the first.")
    )
    named = counts.assign(value=[words.value(value) for value in counts["value"]])
    components.chart(charts.hyperparameter_frequencies(named, parameter, components.theme()), "frequencies")


@st.cache_resource(show_spinner=False, max_entries=20)
def _frequencies(key: tuple[tuple[int, int], ...], space: str, _trials: list[pd.DataFrame]) -> pd.DataFrame:
    searched = METHODS[space].space
    genes = [each.name for each in searched.parameters]
    tried = [candidate for frame in _trials if len(frame) for candidate in frame[genes].to_dict("records")]
    return hyperparameter_frequencies(tried, searched)


def failures(records: Sequence[RunRecord]) -> None:
    """Why candidates could not be scored on a fold, the most frequent reason first."""
    reasons = pd.concat([engine.trials(record.id)["reason"] for record in records]).dropna()
    if reasons.empty:
        st.success("No candidate has failed so far.", icon=":material/check:")
        return
    st.caption(
        "A candidate that can't be learned or decides nothing counts 0 on that fold and the search goes on. Some of "
        "this is normal: not every recipe suits every table."
    )
    counted = reasons.value_counts().rename_axis("Reason").reset_index(name="Candidates")
    st.dataframe(counted, hide_index=True, key="failures")


def saved_work(records: Sequence[RunRecord]) -> None:
    """Fits needed one by one, different ones, and those that were computed."""
    trials = [engine.trials(record.id) for record in records]
    naive, distinct, computed = (
        sum(int(frame[f"fits_{kind}"].sum()) for frame in trials) for kind in ("naive", "distinct", "computed")
    )
    if not naive:
        st.info("Nothing has been learned yet.")
        return
    st.caption(
        f"Equal fits are computed once: {naive:,} would be needed one by one, {computed:,} were computed"
        + (f", {naive / computed:.1f} times fewer." if computed else "; all others were known from earlier runs."),
        help=words.TIPS["Fit"],
    )
    components.chart(charts.reuse(naive, distinct, computed, components.theme()), "reuse")


# -- the page -------------------------------------------------------------------------------------------------------

TABS = {
    "Progress": progress_curve,
    "What is tried": tried_now,
    "Preferences": choices_so_far,
    "Failures": failures,
    "Work saved": saved_work,
}


def live(numbers: tuple[int, ...], statuses: dict[int, str]) -> None:
    """All that changes by itself; only this part of the page is drawn again every second.

    Args:
        numbers: the runs to show.
        statuses: of them when the page around was drawn; where one has changed, so has the rest of the page.
    """
    components.show_notice()
    known = {record.id: record for record in engine.runs()}
    records = [known[each] for each in numbers if each in known]
    if any(record.status == "queued" for record in known.values()):
        engine.ensure_worker()
    if {record.id: record.status for record in records} != statuses:
        st.rerun()
    for start in range(0, len(records), _CARDS_IN_A_ROW):
        row = records[start : start + _CARDS_IN_A_ROW]
        for column, record in zip(st.columns(max(2, len(row))), row, strict=False):
            with column:
                card(record)
    if records:
        for tab, draw in zip(st.tabs(list(TABS), key="live_tabs", on_change="rerun"), TABS.values(), strict=True):
            if tab.open:
                with tab:
                    draw(records)


def shown_runs(known: Sequence[RunRecord]) -> tuple[int, ...]:
    """The runs in the address; without any, those at work, else the latest one."""
    numbers = [record.id for record in known]
    chosen = [each for each in state.selected_runs() if each in numbers]
    active = [record.id for record in reversed(known) if record.status in _ACTIVE]
    return tuple(chosen or active or numbers[:1])


components.heading("Live", "What the searches are doing. They go on when you close this page, and it finds them again.")
runs = engine.runs()
shown = shown_runs(runs)
if not runs:
    st.info("No search has been started yet.", icon=":material/arrow_back:")
    if st.button("To Search"):
        guide.go_to("search")
else:
    state.select_runs(shown)
    st.session_state["shown_runs"] = list(shown)
    titles = {record.id: f"{components.run_name(record)} · {record.dataset_name}" for record in runs}
    st.multiselect(
        "Runs shown",
        list(titles),
        format_func=titles.__getitem__,
        key="shown_runs",
        on_change=lambda: state.select_runs(st.session_state["shown_runs"]),
    )
    statuses = {record.id: record.status for record in runs if record.id in shown}
    active = any(status in _ACTIVE for status in statuses.values())
    st.fragment(components.guarded(live), run_every=_EVERY_SECONDS[active])(shown, statuses)
    if "finished" in statuses.values():
        guide.next_step("compare", "On to Compare")
