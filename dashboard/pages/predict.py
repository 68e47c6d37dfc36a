"""Page 7, Predict: score a new table with a model of this installation."""

from __future__ import annotations

import streamlit as st

from autopu_core.evaluation import METRICS
from autopu_core.runs import ModelRecord
from autopu_core.tables import ENDINGS, Table
from dashboard import components, engine, guide
from dashboard.components import number, plain

_SHOWN_ROWS = 500


def choose_model(models: list[ModelRecord]) -> ModelRecord:
    """A model that this installation wrote; nothing else is ever loaded."""
    titles = {
        model.id: f"Run {model.run} · {model.card['data']['name']} · {model.card['target']} = "
        f"{', '.join(model.card['positive'])} · {model.created.astimezone():%Y-%m-%d %H:%M}"
        for model in models
    }
    chosen = st.selectbox("Model", list(titles), format_func=titles.__getitem__, key="model", persist_state="session")
    return next(model for model in models if model.id == chosen)


def choose_table() -> Table | None:
    """A new file, or a table that is there already."""
    uploaded = st.file_uploader("A table with the same columns", type=list(ENDINGS), key="rows_to_score")
    if uploaded is not None:
        sheet = components.chosen_sheet(uploaded, "sheet_to_score")
        return engine.read_upload(uploaded.getvalue(), uploaded.name, sheet)
    known = {record.id: f"{record.name} ({record.rows:,} rows)" for record in engine.datasets()}
    chosen = st.selectbox("Or a table that is here already", list(known), index=None, format_func=known.__getitem__)
    return None if chosen is None else engine.table(chosen)


def results(model: ModelRecord, table: Table) -> None:
    """The scored rows, metrics where the table has the target, and the download."""
    scored = engine.score(model, table)
    called = int(scored.called.sum())
    rows, positive, share = st.columns(3)
    rows.metric("Rows", f"{len(scored.rows):,}")
    positive.metric("Called positive", f"{called:,}", help="Rows with a probability of at least 0.5.")
    share.metric("Share called positive", f"{called / len(scored.rows):.0%}")
    for warning in scored.warnings:
        st.warning(plain(warning))
    if scored.metrics is not None:
        st.markdown(f"**Against the column {plain(model.card['target'])}**, where it is filled in")
        if scored.learned_from:
            st.warning("The model was learned from this very table: these numbers say how well it remembers it.")
        elif model.card["task"] == "genuine":
            st.warning("Rows that aren't positive in this column may be undiagnosed: read these numbers with care.")
        for column, name in zip(st.columns(4) * 2, METRICS, strict=False):
            column.metric(METRICS[name].title, number(scored.metrics[name]), help=METRICS[name].meaning)
    st.markdown("**Rows, the most probable first**")
    ordered = scored.rows.sort_values(scored.probability_column, ascending=False)
    if len(ordered) > _SHOWN_ROWS:
        st.caption(
            f"The first {_SHOWN_ROWS:,} of {len(ordered):,} rows; the download has all, in the table's own order."
        )
    first = [scored.probability_column, scored.predicted_column]
    shown = ordered[[*first, *(name for name in ordered.columns if name not in first)]].head(_SHOWN_ROWS)
    three_decimals = {scored.probability_column: st.column_config.NumberColumn(format="%.3f")}
    st.dataframe(shown, hide_index=True, key="scored_rows", column_config=three_decimals)
    with st.container(horizontal=True):
        for ending in ("csv", "xlsx"):
            st.download_button(
                f"Download (.{ending})",
                lambda ending=ending: engine.as_file(scored.rows, ending),
                f"{table.name.rsplit('.', 1)[0]}_predicted.{ending}",
                icon=":material/download:",
                on_click="ignore",
            )


components.heading("Predict", "Give each row of a new table its probability of being positive.")
models = engine.models()
if not models:
    st.info("There is no model yet: finish a search first.", icon=":material/arrow_back:")
    if st.button("To Search"):
        guide.go_to("search")
else:
    chosen_model = choose_model(models)
    chosen_table = choose_table()
    if chosen_table is not None:
        results(chosen_model, chosen_table)
