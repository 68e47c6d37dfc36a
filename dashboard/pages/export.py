"""Page 6, Export: the pipeline in plain words, and everything to take home."""

from __future__ import annotations

import json
from html import escape
from textwrap import wrap

import streamlit as st

from autopu_core.charts.results import pipeline_diagram
from autopu_core.export.words import citations, describe_pipeline, methods_paragraph
from autopu_core.runs import RunRecord
from dashboard import components, engine, guide, state, words
from dashboard.components import number, plain

_WIDTH = 38
_EXPORTABLE = ("finished", "cancelled", "paused", "interrupted", "failed")


def choose(runs: list[RunRecord]) -> RunRecord:
    """One run; the address remembers it."""
    titles = {record.id: f"{components.run_name(record)} · {record.dataset_name}" for record in runs}
    known = [run for run in state.selected_runs() if run in titles]
    st.session_state["exported_run"] = known[0] if known else runs[0].id
    st.selectbox(
        "Run",
        list(titles),
        format_func=titles.__getitem__,
        key="exported_run",
        on_change=lambda: state.select_runs([st.session_state["exported_run"], *state.selected_runs()]),
    )
    return engine.run(st.session_state["exported_run"])


def drawing(candidate: dict) -> None:
    """The phases as boxes."""
    steps = [
        (escape(title), "<br>".join(escape(line) for line in wrap(text, _WIDTH)))
        for title, text in describe_pipeline(candidate)
    ]
    components.chart(pipeline_diagram(steps, components.theme()), "pipeline")


def model_files(written: dict, key: str) -> None:
    """Buttons for the pickle, the model card and the requirements."""
    files = engine.model_files(written["path"])
    labels = {
        "model.pkl": (
            "Model (pickle)",
            "application/octet-stream",
            "Scores new patients, in Python or on any computer where this program is installed.",
        ),
        "model_card.json": (
            "Model card",
            "application/json",
            "What the model is for, what it learned from, how it was tested, and its limits.",
        ),
        "requirements.txt": ("Requirements", "text/plain", "The Python packages, with versions, that the model needs."),
    }
    with st.container(horizontal=True):
        for name, content in files.items():
            label, kind, tip = labels[name]
            options = {"key": f"{key}-{name}", "help": tip, "icon": ":material/download:", "on_click": "ignore"}
            st.download_button(label, content, name, kind, **options)
    st.caption(
        f"Fingerprint of the model's file (SHA-256): `{written['sha256']}`. Loading a pickle runs code from it: only "
        "load files you trust."
    )


def final_model(record: RunRecord) -> None:
    """The run's own choice."""
    if record.result is None:
        st.info("This run was stopped before its end; below you can still export any pipeline that it has tried.")
        return
    final = record.result["final"]
    st.markdown(
        f"Chosen as {plain(final['how'])}. Its fitness there: {number(final['fitness'])}.", help=words.TIPS["Fitness"]
    )
    drawing(final["candidate"])
    if record.result["model"]:
        model_files(record.result["model"], f"final-{record.id}")
    with st.expander("The drawing as text"):
        for title, text in describe_pipeline(final["candidate"]):
            st.markdown(f"**{plain(title)}.** {plain(text)}")


def other_pipeline(record: RunRecord) -> None:
    """Any trial, refitted on all rows."""
    trials = engine.trials(record.id)
    if trials.empty:
        st.info("Nothing has been tried in this run.")
        return
    distinct = trials[trials["repeat_of"].isna()].sort_values(["fitness", "number"], ascending=[False, True])
    recipes = [json.loads(key) for key in distinct["key"]]  # without the parts that play no role
    shown = distinct[["search", "number", "fitness"]].reset_index(drop=True)
    parts = {
        title: [words.value(recipe[name]) if name in recipe else "" for recipe in recipes]
        for name, title in words.PARTS.items()
        if any(name in recipe for recipe in recipes)
    }
    st.caption("Choose a row, the best by fitness first. It is then learned again from all rows.")
    chosen = st.dataframe(
        shown.round({"fitness": 4}).set_axis(["Search", "Trial", "Fitness"], axis=1).assign(**parts),
        hide_index=True,
        key=f"trials-{record.id}",
        on_select="rerun",
        selection_mode="single-row",
    )
    rows = chosen.selection.rows
    if rows:
        trial, search = int(shown.loc[rows[0], "number"]), str(shown.loc[rows[0], "search"])
        drawing(recipes[rows[0]])
        if st.button(f"Learn trial {trial} of {plain(search)} from all rows", icon=":material/model_training:"):
            with st.spinner("Learning it from all rows …"):
                st.session_state["exported"] = (record.id, engine.export_trial(record.id, trial, search))
    run, written = st.session_state.get("exported", (None, None))
    if run == record.id:
        pipeline = written["card"]["pipeline"]
        st.success(f"Trial {pipeline['trial']} of {plain(pipeline['search'])} is ready.")
        model_files(written, "other")


def documents(record: RunRecord) -> None:
    """Trials as CSV, the report, and the methods paragraph."""
    with st.container(horizontal=True):
        st.download_button(
            "Trials (CSV)",
            lambda: engine.trials_csv(record.id),
            f"run_{record.id}_trials.csv",
            "text/csv",
            icon=":material/table:",
            on_click="ignore",
        )
        if record.result is not None:
            st.download_button(
                "Report (HTML)",
                lambda: engine.report([record.id]),
                f"run_{record.id}_report.html",
                "text/html",
                icon=":material/description:",
                on_click="ignore",
                help="One file with all charts in it; it opens without a network.",
            )
    if record.result is None:
        return
    st.markdown("**Methods paragraph for a paper**")
    settings = record.settings.to_dict()
    st.code(methods_paragraph(settings, record.result, record.versions), language=None, wrap_lines=True)
    st.markdown("**Please cite**")
    for source in citations(settings, record.result["final"]["candidate"]):
        st.markdown(f"- {plain(source)}")


def card(record: RunRecord) -> None:
    """What the model card says, as a table."""
    if record.result is None or not record.result["model"]:
        st.info("There is no model yet.")
        return
    told = record.result["model"]["card"]
    rows = {
        "Intended use": told["intended_use"],
        "Target": f"{told['target']} = {', '.join(told['positive'])}",
        "Table": f"{told['data']['name']}, {told['data']['rows']} rows",
        "Columns": ", ".join(told["columns"]),
        "Made with": ", ".join(f"{name} {version}" for name, version in told["versions"].items()),
    }
    with st.container(key="card"):
        for title, text in rows.items():
            st.markdown(f"**{title}.** {plain(text)}")
        st.markdown("\n".join(["**Limits.**\n", *(f"- {plain(limit)}" for limit in told["limits"])]))


TABS = {
    "The model": final_model,
    "Another pipeline": other_pipeline,
    "Report and trials": documents,
    "Model card": card,
}

components.heading("Export", "The pipeline that was found, in plain words, and the files to take home.")
runs = [record for record in engine.runs() if record.status in _EXPORTABLE]
if not runs:
    st.info("No run has ended yet.", icon=":material/arrow_back:")
    if st.button("To Live"):
        guide.go_to("live")
else:
    exported = choose(runs)
    for tab, draw in zip(st.tabs(list(TABS), key="export_tabs", on_change="rerun"), TABS.values(), strict=True):
        if tab.open:
            with tab:
                draw(exported)
    guide.next_step("predict", "On to Predict")
