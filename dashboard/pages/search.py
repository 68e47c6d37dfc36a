"""Page 3, Search: which optimisers look for a pipeline, in which space, for how long."""

from __future__ import annotations

import streamlit as st

from autopu_core.errors import AutoPUError
from autopu_core.runs import BASELINES, OBJECTIVES, OPTIMIZERS, PRESETS, SPACES, SYSTEMS
from dashboard import components, engine, guide, state, words
from dashboard.components import duration, plain

_BUDGET = ("configurations", "iterations", "k", "final_search")


# -- how to search --------------------------------------------------------------------------------------------------


def optimisers() -> None:
    """One card for each optimiser; several may be chosen."""
    st.subheader("Who searches?", anchor=False, help=words.TIPS["Optimiser"])
    st.caption("Several can run on the same data one after the other; they share folds, hidden positives and fits.")
    chosen = state.draft().optimizers
    for offered in (OPTIMIZERS, BASELINES):
        if offered is BASELINES:
            st.caption("Or a published method to compare with, tuned over its own settings:")
        for column, (name, title) in zip(st.columns(4), offered.items(), strict=False):
            with column.container(border=True, height="stretch"):
                key = f"optimizer-{name}@{state.dataset()}"
                st.session_state[key] = name in chosen
                st.checkbox(f"**{title}**", key=key, on_change=_toggle, args=(name, key))
                st.caption(words.OPTIMIZER_MEANINGS[name])


def _toggle(name: str, key: str) -> None:
    chosen = {*state.draft().optimizers, name} if st.session_state[key] else {*state.draft().optimizers} - {name}
    state.change(optimizers=tuple(each for each in SYSTEMS if each in chosen))


def where_and_what_for() -> None:
    """Search space and objective."""
    left, right = st.columns(2, gap="large")
    with left:
        space = state.kept(
            st.segmented_control,
            "Where? The search space",
            "space",
            options=list(SPACES),
            format_func=SPACES.__getitem__,
            required=True,
            help=words.TIPS["Spy"],
        )
        st.caption(words.SPACE_MEANINGS[space])
    with right:
        objective = state.kept(
            st.selectbox,
            "What for? The number to make large",
            "objective",
            options=list(OBJECTIVES),
            format_func=OBJECTIVES.__getitem__,
            help=words.TIPS["Objective"],
        )
        st.caption(words.OBJECTIVE_MEANINGS[objective])


def presets() -> dict[str, st.delta_generator.DeltaGenerator]:
    """One card for each preset; returns where each card's time goes."""
    st.subheader("How much searching?", anchor=False)
    places = {}
    for column, name in zip(st.columns(3), PRESETS, strict=True):
        title, meaning = words.PRESET_MEANINGS[name]
        with column.container(border=True, height="stretch"):
            st.markdown(f"**{title}**")
            st.caption(f"{meaning} {words.PRESET_DESIGNS[name]}" if state.draft().test == "preset" else meaning)
            places[name] = st.empty()
            places[name].markdown("…")
            chosen = state.draft().preset == name
            st.button(
                "Chosen" if chosen else "Choose",
                key=f"preset-{name}",
                icon=":material/check:" if chosen else None,
                type="primary" if chosen else "secondary",
                width="stretch",
                on_click=state.change,
                kwargs={"preset": name, **dict.fromkeys(_BUDGET)},
            )
    return places


def show_times(places: dict[str, st.delta_generator.DeltaGenerator]) -> None:
    """The expected time of all chosen searches, for each preset."""
    draft = state.draft()
    with st.spinner("Measuring how fast this computer is …"):
        for name, place in places.items():
            settings = [draft.settings(state.dataset(), optimizer, name) for optimizer in draft.optimizers]
            estimates = [engine.estimate(each) for each in settings]
            low, high = sum(each.low for each in estimates), sum(each.high for each in estimates)
            tried = sum(each.assessments_per_search * len(each.searches) for each in settings)
            place.markdown(
                f"**{duration(low)} to {duration(high)}**  \n{tried:,} trials, {len(settings[0].searches)} "
                f"search{'es' if len(settings[0].searches) > 1 else ''} for each optimiser"
            )


# -- advanced settings ----------------------------------------------------------------------------------------------


def advanced() -> None:
    """Everything that a preset or a default decides otherwise."""
    with st.expander("Advanced settings", icon=":material/tune:"):
        budget, computing, data = st.columns(3, gap="large")
        with budget:
            st.markdown("**Budget**")
            _count(
                "Configurations at the start",
                "configurations",
                2,
                10_000,
                "The first, random recipes; the GA's population.",
            )
            _count("Iterations", "iterations", 0, 10_000, "Generations of the GA, rounds of BO and EBO.")
            _count("Children assessed in each round (k)", "k", 0, 1000, "Only for EBO and random search.")
            state.kept(
                st.checkbox,
                "Final search on all rows",
                "final_search",
                show=lambda _: state.draft().budget("final_search"),
                help=words.TIPS["Final search"],
            )
            if state.draft().task == "engineered":
                state.kept(st.checkbox, "Hide positives in that search, too", "hide_in_final")
            state.kept(
                st.number_input,
                "Inner folds",
                "inner_folds",
                min_value=2,
                max_value=20,
                step=1,
                help="Folds of the cross-validation by which recipes are judged.",
            )
        with computing:
            st.markdown("**Computing**")
            state.kept(
                st.number_input,
                "Processes",
                "jobs",
                min_value=-1,
                max_value=256,
                step=1,
                help="-1 means one for each processor core. It never changes a result.",
                keep=lambda jobs: jobs or -1,
            )
            _minutes("Time limit for each run, minutes", "time_limit", 60.0, "The best so far is kept and tested.")
            _minutes(
                "Limit for one fit, seconds",
                "fit_limit",
                1.0,
                "A fit that takes longer is ended; its candidate counts as failed on that fold.",
            )
            state.kept(
                st.number_input,
                "Memory for one fit, MB",
                "memory_limit_mb",
                min_value=64,
                max_value=1_000_000,
                step=256,
                help="A fit that would need more is refused beforehand.",
            )
            state.kept(
                st.checkbox, "Reuse and keep fits", "cache", help=f"{words.TIPS['Fit']} They are kept on this computer."
            )
        with data:
            st.markdown("**Data and chance**")
            state.kept(
                st.number_input,
                "Seed",
                "seed",
                min_value=0,
                max_value=2**31 - 1,
                step=1,
                help="Of everything random: the same seed gives the same folds, hidden positives and trials.",
            )
            state.kept(
                st.radio,
                "Dates",
                "dates",
                options=["days", "drop"],
                format_func={"days": "as days since the earliest", "drop": "left out"}.__getitem__,
            )
            state.kept(
                st.checkbox,
                "Standardise measurements",
                "scale",
                help="Mean 0 and standard deviation 1. Methods that need it do it themselves.",
            )


def _count(label: str, name: str, least: int, most: int, tip: str) -> None:
    state.kept(
        st.number_input,
        label,
        name,
        min_value=least,
        max_value=most,
        step=1,
        help=tip,
        show=lambda _: state.draft().budget(name),
    )


def _minutes(label: str, name: str, unit: float, tip: str) -> None:
    state.kept(
        st.number_input,
        label,
        name,
        min_value=0.1,
        max_value=100_000.0,
        step=1.0,
        placeholder="none",
        help=tip,
        show=lambda seconds: None if seconds is None else seconds / unit,
        keep=lambda value: None if value is None else value * unit,
    )


# -- starting -------------------------------------------------------------------------------------------------------


def start() -> None:
    """What will be done, in one sentence, and the button."""
    draft = state.draft()
    design = draft.settings(state.dataset(), draft.optimizers[0])
    tested = f"{design.folds} folds" if design.folds else f"a hold-out of {design.holdout:.0%}"
    labels = f"{draft.delta:.0%} of the positives hidden" if draft.task == "engineered" else "labels as they are"
    names = ", ".join(SYSTEMS[name] for name in draft.optimizers)
    st.markdown(
        f"**{names}** on **{plain(engine.dataset(state.dataset()).name)}**: {labels}, tested on {tested}"
        f"{', then one more search on all rows for the model' if design.final_search else ''}."
    )
    if st.button("Start", type="primary", icon=":material/play_arrow:", key="start"):
        with components.errors_as_sentences():
            settings = [draft.settings(state.dataset(), optimizer) for optimizer in draft.optimizers]
            engine.task(settings[0])
            state.select_runs(engine.submit(settings))
            guide.go_to("live")


# -- the page -------------------------------------------------------------------------------------------------------

components.heading("Search", "Try many ways of learning from your table, and keep the best.")
if missing := guide.missing_on_data()[0] or guide.missing_on_setup()[0]:
    st.info(plain(missing), icon=":material/arrow_back:")
    if st.button("Back to Data" if guide.missing_on_data()[0] else "Back to PU set-up"):
        guide.go_to("data" if guide.missing_on_data()[0] else "pu_setup")
else:
    optimisers()
    where_and_what_for()
    places = presets()
    advanced()
    try:
        if state.draft().optimizers:
            start()
            show_times(places)
        else:
            st.info("Choose at least one optimiser above.", icon=":material/arrow_upward:")
    except AutoPUError as error:
        st.error(plain(error), icon=":material/error:")
