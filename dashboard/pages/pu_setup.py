"""Page 2, PU set-up: what the labels say, how many positives are hidden, and how the result is tested."""

from __future__ import annotations

import streamlit as st

from autopu_core.charts import data as charts
from autopu_core.errors import AutoPUError
from autopu_core.runs import RunSettings
from dashboard import components, engine, guide, state, words
from dashboard.components import plain

_MARKS = (20, 40, 60)
_MOST_HIDDEN = 90


def labels() -> None:
    """Engineered or genuine, with what belongs to each."""
    st.subheader("What do your labels say?", anchor=False)
    task = state.kept(
        st.radio,
        "What do your labels say?",
        "task",
        options=["engineered", "genuine"],
        format_func={"engineered": words.ENGINEERED, "genuine": words.GENUINE}.__getitem__,
        captions=[words.ENGINEERED_MEANING, words.GENUINE_MEANING],
        label_visibility="collapsed",
    )
    st.space("xsmall")
    if task == "engineered":
        hidden()
    elif state.draft().negative:
        state.kept(
            st.checkbox,
            "Learn from the known negatives, too",
            "use_known_negatives",
            help="They are then reliable negatives from the start. Otherwise they only judge the result.",
        )
    if task == "genuine":
        st.info(
            "Test results will be **estimates**. They lean on an assumption: that the labelled patients are a random "
            "draw of all positive ones (SCAR). Where the sicker are diagnosed first, they are too rosy.",
            icon=":material/info:",
        )


def hidden() -> None:
    """The share of positives to hide: any by the slider, or one of the paper's."""
    state.kept(
        st.slider,
        "Share of the positives to hide while learning (delta)",
        "delta",
        min_value=0,
        max_value=_MOST_HIDDEN,
        step=5,
        format="%d%%",
        show=lambda share: min(_MOST_HIDDEN, round(100 * share)),
        keep=lambda percent: percent / 100,
        help="As if that many patients had never been diagnosed. The published experiments hide 20, 40 and 60%.",
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("As in the paper:", width="content")
        for mark in _MARKS:
            st.button(
                f"{mark}%",
                key=f"mark-{mark}",
                on_click=state.change,
                kwargs={"delta": mark / 100},
                type="primary" if round(100 * state.draft().delta) == mark else "secondary",
            )


def test_design() -> None:
    """Hold-out, folds, or what the preset has."""
    st.subheader("How is the result tested?", anchor=False)
    test = state.kept(
        st.radio,
        "How is the result tested?",
        "test",
        options=["preset", "holdout", "folds"],
        format_func={
            "preset": "As suits the amount of searching (recommended)",
            "holdout": "Once, on a part of the rows (hold-out)",
            "folds": "Several times, on every row once (cross-validation)",
        }.__getitem__,
        captions=[
            "A hold-out of 20% for a quick search, five folds for a thorough one.",
            "Fast, but chance plays a part in small tables.",
            "As many searches as folds: slower, and more certain.",
        ],
        label_visibility="collapsed",
    )
    if test == "holdout":
        state.kept(
            st.slider,
            "Rows kept for the test",
            "holdout",
            min_value=10,
            max_value=50,
            step=5,
            format="%d%%",
            show=lambda share: round(100 * share),
            keep=lambda percent: percent / 100,
        )
    elif test == "folds":
        state.kept(st.slider, "Folds", "folds", min_value=2, max_value=10, help=words.TIPS["Cross-validation folds"])


def numbers(settings: RunSettings) -> None:
    """What the choices mean for the rows, as numbers, a bar and a map."""
    task = engine.task(settings)
    counts, genuine = task.counts(), settings.task == "genuine"
    rest = counts["training_rows"] - counts["labelled"] - counts["hidden"]
    known = int(task.labels.known_negative[task.outer[0].train].sum())
    bar = (
        {"labelled": counts["labelled"], "unlabelled": rest - known, "known negative": known}
        if genuine
        else {"labelled": counts["labelled"], "hidden": counts["hidden"], "negative": rest}
    )
    tips = {
        "labelled": ("Labelled", "Positives that are known while learning."),
        "hidden": ("Hidden", words.TIPS["Hidden positive"]),
        "negative": ("True negatives", "Treated as unlabelled while learning, like the hidden positives."),
        "unlabelled": ("Unlabelled", words.TIPS["Unlabelled"]),
        "known negative": ("Known negatives", words.TIPS["Known negative"]),
    }
    each = f"in the first of {settings.folds} training sets" if settings.folds else "in the training set"
    st.subheader("What that means for your rows", anchor=False)
    for column, (kind, rows) in zip(st.columns(4), [*bar.items(), ("test", counts["test_rows"])][:4], strict=False):
        title, tip = tips.get(kind, ("Test rows", "Never seen by the search; they judge the result."))
        column.metric(title, f"{rows:,}", help=tip)
    st.caption(f"{counts['training_rows']:,} rows {each}, {counts['features']} columns learned from.")
    if counts["left_out"]:
        st.warning(
            f"{counts['left_out']:,} rows without a diagnosis are left out. If an empty cell means that nobody looked, "
            "your labels are incomplete: choose that on the left, and these rows are learned from as unlabelled.",
            icon=":material/help:",
        )
    theme = components.theme()
    components.chart(charts.label_bar({kind: rows for kind, rows in bar.items() if rows}, theme), "label_bar")
    with st.expander("Map of the rows", expanded=True, icon=":material/scatter_plot:"):
        st.caption(
            "Patients who are alike lie close together. Where labelled and other rows form separate clouds, learning "
            "is easy; where they mix, it is hard.",
            help=f"The first two principal components of the prepared columns. {words.TIPS['Separability']}",
        )
        components.chart(charts.projection(engine.projection(settings), theme), "projection")


def chosen_settings() -> RunSettings | None:
    """The settings as they stand; why they can't work is shown instead."""
    try:
        settings = state.draft().settings(state.dataset(), "ebo")
        engine.task(settings)
    except AutoPUError as error:
        st.error(plain(error), icon=":material/error:")
        return None
    return settings


components.heading(
    "PU set-up", "What is known of the patients, what is hidden while learning, and how the result is tested."
)
if missing := guide.missing_on_data()[0]:
    st.info(f"{plain(missing)}", icon=":material/arrow_back:")
    if st.button("Back to Data"):
        guide.go_to("data")
else:
    left, right = st.columns([2, 3], gap="large")
    with left:
        labels()
        test_design()
    with right:
        settings = chosen_settings()
        if settings is not None:
            numbers(settings)
    guide.next_step("search", "On to Search", None if settings else "These choices can't work together; see above.")
