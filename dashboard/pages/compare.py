"""Page 5, Compare: finished runs on the same rows side by side, beside three plain references."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from autopu_core.charts import results as charts
from autopu_core.charts.search import convergence, hyperparameter_frequencies
from autopu_core.evaluation.references import REFERENCES
from autopu_core.runs import RunRecord, comparison
from autopu_core.runs.reporting import metric_cells
from dashboard import components, engine, guide, state, words
from dashboard.components import plain

_REFERENCE_TITLES = frozenset(reference.title for reference in REFERENCES.values())
_ESTIMATES = (
    "**These numbers are estimates.** Most rows have no known answer; what is shown holds if the labelled positives "
    "are a random draw of all positives. Points are hollow where they are estimates."
)


def choose(finished: Sequence[RunRecord]) -> list[RunRecord]:
    """The runs to compare; those that can't stand beside the first are named with the reason."""
    titles = {record.id: f"{components.run_name(record)} · {record.dataset_name}" for record in finished}
    chosen = [run for run in state.selected_runs() if run in titles] or [finished[0].id]
    st.session_state["compared_runs"] = chosen
    st.multiselect(
        "Runs to compare",
        list(titles),
        format_func=titles.__getitem__,
        key="compared_runs",
        on_change=lambda: state.select_runs(st.session_state["compared_runs"]),
        help="Only runs on the same table, labels, folds and hidden positives can be compared.",
    )
    records = [engine.finished_run(record) for run in chosen for record in finished if record.id == run]
    first = records[0]
    refused = {record.id: reason for record in records if (reason := comparison.why_not(first, record))}
    for run, reason in refused.items():
        st.warning(f"Run {run} isn't shown: it can't be compared with run {first.id}, because it has {plain(reason)}.")
    return [record for record in records if record.id not in refused]


def others(records: Sequence[RunRecord], finished: Sequence[RunRecord]) -> None:
    """Finished runs that can't be compared with these, and why."""
    shown = {record.id for record in records}
    reasons = [
        (components.run_name(record), record.dataset_name, reason)
        for record in map(engine.finished_run, finished)
        if record.id not in shown and (reason := comparison.why_not(records[0], record))
    ]
    if reasons:
        with st.expander(f"{len(reasons)} other run{'s' * (len(reasons) > 1)} can't be compared with these: why?"):
            st.dataframe(pd.DataFrame(reasons, columns=["Run", "Table", "It has"]), hide_index=True)


def test_results(records: Sequence[RunRecord]) -> None:
    """Remarks, the table of metrics with intervals, and the strip plot of one metric."""
    genuine = records[0].settings.task == "genuine"
    if genuine:
        st.warning(_ESTIMATES, icon=":material/help:")
    if remarks := [plain(remark) for remark in comparison.remarks(records)]:
        st.info("  \n".join(remarks), icon=":material/lightbulb:")  # one below the other
    if len(records) > 1:
        st.caption(comparison.OPTIMISM)
    meanings = comparison.meanings(records[0])
    methods = comparison.metric_table(records)["method"].dropna().unique()
    interval = "over the folds" if any("fold" in str(method) for method in methods) else "by resampling the test rows"
    st.caption(
        f"Mean on the test rows, and 95% interval {interval}. Grey points and the last columns: plain references."
    )
    st.dataframe(metric_cells(records), hide_index=True, key="metric_table")
    metric = st.selectbox(
        "Metric",
        [name for name in meanings if name in records[0].result["folds"][0]["test"]],
        format_func=lambda name: meanings[name].title,
        key="compared_metric",
        persist_state="session",
    )
    st.caption(plain(meanings[metric].meaning))
    values = comparison.fold_values(records, metric)
    figure = charts.metric_strip(values, meanings[metric].title, _REFERENCE_TITLES, genuine, components.theme())
    components.chart(figure, "metric_strip")


def curves(records: Sequence[RunRecord]) -> None:
    """How the searches got there."""
    axis = components.cost_axis("compared_axis")
    figure = convergence(comparison.all_trials(engine.store(), records), axis, components.theme())
    components.chart(figure, "compared_convergence")


def choices(records: Sequence[RunRecord]) -> None:
    """What the searches chose, as in the PU paper's tables 13 to 15."""
    by_name = {components.run_name(record): record for record in records}
    name = st.selectbox("Run", list(by_name), key="compared_choices")
    record = by_name[name]
    of_all = st.toggle("Count everything that was tried instead of what was chosen", key="compared_all")
    table = comparison.assessed_frequencies(engine.store(), record) if of_all else comparison.chosen_frequencies(record)
    st.caption(
        "Share of the searches whose choice has each value, beside the share that chance would give. With few searches "
        "these shares say little."
    )
    parts = list(words.PARTS)
    table = table.sort_values("parameter", key=lambda names: names.map(parts.index), kind="stable")
    readable = table[table["count"] > 0].assign(
        parameter=[words.PARTS.get(parameter, parameter) for parameter in table.loc[table["count"] > 0, "parameter"]],
        value=[words.value(value) for value in table.loc[table["count"] > 0, "value"]],
    )
    shown = readable[["parameter", "value", "count", "selection_percent", "baseline_percent", "difference"]].round(2)
    titles = ["Part of the recipe", "Value", "Times", "Chosen, %", "By chance, %", "Difference"]
    st.dataframe(shown.set_axis(titles, axis=1), hide_index=True, key="frequency_table")
    parameter = st.selectbox("Draw", list(dict.fromkeys(readable["parameter"])), key="compared_parameter")
    figure = hyperparameter_frequencies(readable, parameter, components.theme())
    components.chart(figure, "compared_frequencies")


def rankings(records: Sequence[RunRecord]) -> None:
    """ROC and precision-recall curves and the four counts; only where the truth is known."""
    if records[0].settings.task == "genuine":
        st.info("These curves need true labels of the test rows, which a genuine task doesn't have.")
        return
    predictions = comparison.pooled_predictions(engine.store(), records)
    st.caption("The test rows of all folds together. Grey: plain references.")
    left, right = st.columns(2)
    with left:
        st.markdown(
            "**ROC curve**",
            help="How many positives are found at each rate of false alarms. In "
            "brackets: the area under the curve; 1 is perfect, 0.5 is guessing.",
        )
        components.chart(charts.roc_curves(predictions, _REFERENCE_TITLES, components.theme()), "roc")
    with right:
        st.markdown(
            "**Precision and recall**", help="Of those called positive, the share that are, at each share found."
        )
        figure = charts.precision_recall_curves(predictions, _REFERENCE_TITLES, components.theme())
        components.chart(figure, "precision_recall")
    for column, record in zip(st.columns(max(2, len(records))), records, strict=False):
        with column:
            st.markdown(f"**Calls of {components.run_name(record)}**")
            figure = charts.confusion(comparison.confusion_counts(record), components.theme())
            components.chart(figure, f"confusion-{record.id}")


def cost(records: Sequence[RunRecord]) -> None:
    """What the searches cost."""
    table = comparison.costs(records)
    st.caption(
        "Computing time counts each different fit that a run needed once, also where an earlier run had computed it."
    )
    fits = ("Fits one by one", "Different fits", "Computed here")
    titles = ["Run", "Tried", *fits, "Computing time, s", "Time on the clock, s"]
    st.dataframe(table.set_axis(titles, axis=1).round(1), hide_index=True, key="cost_table")
    components.chart(charts.cost_bars(table, components.theme()), "cost")


TABS = {
    "Test results": test_results,
    "Search": curves,
    "What was chosen": choices,
    "ROC and calls": rankings,
    "Cost": cost,
}

components.heading("Compare", "How well the finished runs did on rows that no search has seen.")
finished = [record for record in engine.runs() if record.status == "finished"]
if not finished:
    st.info("No run has finished yet.", icon=":material/arrow_back:")
    if st.button("To Live"):
        guide.go_to("live")
else:
    compared = choose(finished)
    for tab, draw in zip(st.tabs(list(TABS), key="compare_tabs", on_change="rerun"), TABS.values(), strict=True):
        if tab.open:
            with tab:
                draw(compared)
    others(compared, finished)
    guide.next_step("export", "On to Export")
