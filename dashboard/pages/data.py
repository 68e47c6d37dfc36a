"""Page 1, Data: a table, the column with the diagnosis, and what is learned from."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from autopu_core.charts import data as charts
from autopu_core.runs import DatasetRecord
from autopu_core.tables import ENDINGS, LEARNED_ROLES, ROLES, as_text
from dashboard import components, engine, guide, state
from dashboard.components import plain
from dashboard.draft import Draft

_PREVIEWED_ROWS = 200
_OFFERED_VALUES = 200
_DRAWN_VALUES = 15
_ROLE_WORDS = {
    "numeric": "measurement",
    "category": "kind",
    "date": "date",
    "text": "free text",
    "identifier": "identifier",
    "constant": "constant",
}


# -- choosing a table -----------------------------------------------------------------------------------------------


def begin(dataset: str, target: str | None = None, positive: tuple[str, ...] = ()) -> None:
    """Choose a table, with what its description proposes."""
    record = engine.dataset(dataset)
    proposed = record.description
    target = target or proposed["proposed_target"]
    counts = engine.value_counts(dataset, target) if target else {}
    only_yes_or_nothing = len(counts) == 1 and sum(counts.values()) < record.rows
    draft = Draft(
        target=target,
        positive=positive or tuple(proposed["proposed_positive"]),
        group=proposed["proposed_group"],
        task="genuine" if only_yes_or_nothing else "engineered",
    )
    state.choose_dataset(dataset, draft)


def begin_sample(name: str) -> None:
    sample = next(sample for sample in engine.samples() if sample.name == name)
    begin(engine.add_sample(name), sample.target, sample.positive)


def choose_table() -> None:
    """Upload, samples, and tables that are in the store already."""
    upload, ready = st.columns([3, 2], gap="large")
    with upload:
        st.subheader("Your own table", anchor=False)
        _upload()
    with ready:
        st.subheader("Or try a sample", anchor=False)
        for sample in engine.samples():
            with st.container(border=True):
                st.markdown(f"**{sample.title}**")
                left, right = st.columns([3, 2], vertical_alignment="center")
                left.caption(f"Licence: {sample.licence}")
                right.button(
                    "Use this",
                    key=f"sample-{sample.name}",
                    on_click=components.attempt,
                    args=(begin_sample, sample.name),
                    width="stretch",
                )
    if known := engine.datasets():
        st.subheader("Or go on with one from before", anchor=False)
        columns = st.columns(3)
        for position, record in enumerate(known[:12]):
            with columns[position % 3].container(border=True):
                st.markdown(f"**{plain(record.name)}**")
                st.caption(f"{record.rows:,} rows, {record.columns} columns, {record.created.astimezone():%d %b %Y}")
                st.button(
                    "Open",
                    key=f"open-{record.id}",
                    on_click=components.attempt,
                    args=(begin, record.id),
                    width="stretch",
                )


def _upload() -> None:
    turn = st.session_state.setdefault("upload_turn", 0)
    uploaded = st.file_uploader(
        "Excel, CSV, or another table file, one row for each patient",
        type=list(ENDINGS),
        key=f"upload-{turn}",
        help="CSV and TSV in any usual encoding, Excel (.xlsx, .xls), Parquet, ARFF, SPSS (.sav), Stata (.dta), Orange "
        "(.tab). The first line holds the names of the columns.",
    )
    st.caption(":material/lock: The table stays on this computer; nothing is sent anywhere.")
    if uploaded is None:
        return
    with components.errors_as_sentences():
        sheet = components.chosen_sheet(uploaded, f"sheet-{turn}")
        if sheet is not None and not st.button("Read this sheet", type="primary"):
            return
        with st.spinner("Reading the table …"):
            begin(engine.add_upload(uploaded.getvalue(), uploaded.name, sheet))
        st.session_state["upload_turn"] = turn + 1  # a new, empty uploader: the file's copy in memory is let go
        st.rerun()


def summary(record: DatasetRecord) -> None:
    """The chosen table in one line, with ways to another one."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/table: **{plain(record.name)}**", width="stretch")
        st.caption(f"{record.rows:,} rows · {record.columns} columns", width="content")
        st.button("Choose another table", on_click=state.choose_dataset, args=(None,))
        with st.popover("Delete", icon=":material/delete:", key=f"delete-{record.id}"):
            used = len(engine.runs(record.id))
            also = f" and the {used} run{'s' if used != 1 else ''} on it" if used else ""
            st.markdown(f"The table{also} will be gone for good.")
            st.button(
                "Delete for good",
                type="primary",
                key="delete_dataset",
                on_click=components.attempt,
                args=(delete, record.id),
            )
    for sentence in record.notes:
        st.caption(f":material/info: {plain(sentence)}")


def delete(dataset: str) -> None:
    engine.delete_dataset(dataset)
    state.choose_dataset(None)


# -- what the table says --------------------------------------------------------------------------------------------


def diagnosis(record: DatasetRecord) -> None:
    """The target column, its positive values, known negatives, and the patient column."""
    names = [column["name"] for column in record.description["columns"]]
    st.subheader("Diagnosis", anchor=False)
    target = state.kept(
        st.selectbox,
        "Column that holds the diagnosis",
        "target",
        options=names,
        index=None,
        placeholder="Choose a column",
        also=lambda name: {"positive": engine.propose_positive(record.id, name) if name else (), "negative": ()},
    )
    if target is None:
        return
    counts = engine.value_counts(record.id, target)
    empty = record.rows - sum(counts.values())
    positive = state.kept(
        st.multiselect,
        "What in it means positive (the patient has the condition)?",
        "positive",
        options=list(counts)[:_OFFERED_VALUES],
        format_func=lambda value: f"{value} ({counts[value]:,} rows)",
        show=list,
        keep=tuple,
        placeholder="Choose one or several values",
    )
    share = sum(counts.get(value, 0) for value in positive)
    if positive:
        rest = record.rows - share - empty
        said = f"{share:,} positive rows, {rest:,} others"
        st.caption(said + (f", {empty:,} with an empty cell." if empty else "."))
    state.kept(
        st.multiselect,
        "Known negatives (only if some are certain)",
        "negative",
        options=[value for value in list(counts)[:_OFFERED_VALUES] if value not in positive],
        format_func=lambda value: f"{value} ({counts[value]:,} rows)",
        show=list,
        keep=tuple,
        placeholder="None",
        help="Only where your labels are incomplete (next page): values that mean the condition is certainly absent. "
        "Such rows are never treated as unlabelled. Leave it empty where all other values are negative.",
    )
    state.kept(
        st.selectbox,
        "Column that names the patient (only if a patient has several rows)",
        "group",
        options=[name for name in names if name != target],
        index=None,
        placeholder="Every row is another patient",
        help="Rows of one patient then stay together: never one in training and another in the test.",
    )


def attention(record: DatasetRecord) -> None:
    """Warnings of the description, and columns that may give the answer away."""
    draft = state.draft()
    settled = record.description.get("settled_by_group", ()) if draft.group else ()
    warnings = [warning for warning in record.description["warnings"] if warning not in settled]
    if draft.target and draft.positive and draft.target in engine.roles(record.id):
        for name, reason in engine.suspects(record.id, draft.target, draft.positive):
            if name not in draft.drop and name != draft.group:
                warnings.append(
                    f"{reason[0].upper()}{reason[1:]}. If {name!r} is only filled in after the diagnosis, leave it out."
                )
    if not warnings:
        return
    with st.expander(
        f"**{len(warnings)} thing{'s' if len(warnings) > 1 else ''} to look at**",
        expanded=True,
        icon=":material/warning:",
    ):
        st.markdown("\n".join(f"- {plain(warning)}" for warning in warnings))


def columns_table(record: DatasetRecord) -> None:
    """What each column is, and whether it is learned from; both can be changed."""
    draft = state.draft()
    shown = [column for column in record.description["columns"] if column["name"] not in (draft.target, draft.group)]
    roles = {column["name"]: draft.roles.get(column["name"], column["role"]) for column in shown}
    left_out = {name: name in draft.drop or role not in LEARNED_ROLES for name, role in roles.items()}
    learned = len(shown) - sum(left_out.values())
    st.caption(
        f"{learned} of {len(shown)} columns are learned from. What a column is can be changed, and columns left out: "
        "those that name the patient, and those that are only filled in after the diagnosis."
    )
    frame = pd.DataFrame(
        {
            "column": list(roles),
            "role": [_ROLE_WORDS[role] for role in roles.values()],
            "leave out": list(left_out.values()),
            "missing": [100 * column["missing_share"] for column in shown],
            "different": [column["distinct"] for column in shown],
            "examples": [", ".join(column["examples"]) for column in shown],
        }
    )
    key = f"columns@{record.id}"

    def remember() -> None:
        state.change(**_edited(st.session_state[key]["edited_rows"], list(roles), roles))

    st.data_editor(
        frame,
        key=key,
        on_change=remember,
        hide_index=True,
        height=min(420, 38 + 35 * len(frame)),
        disabled=["column", "missing", "different", "examples"],
        column_config={
            "column": st.column_config.TextColumn("Column", width="medium"),
            "role": st.column_config.SelectboxColumn(
                "What it is",
                options=list(_ROLE_WORDS.values()),
                required=True,
                help="; ".join(f"{_ROLE_WORDS[role]}: {meaning}" for role, meaning in ROLES.items()),
            ),
            "leave out": st.column_config.CheckboxColumn("Leave out", help="Not learned from"),
            "missing": st.column_config.ProgressColumn("Missing", format="%.0f%%", min_value=0, max_value=100),
            "different": st.column_config.NumberColumn("Different values"),
            "examples": st.column_config.TextColumn("Examples", width="large"),
        },
    )


def _edited(rows: dict[int, dict], names: list[str], roles: dict[str, str]) -> dict:
    """Changes of the draft from the rows that a person edited in the table."""
    draft = state.draft()
    drop, given = list(draft.drop), dict(draft.roles)
    for position, changed in rows.items():
        name = names[int(position)]
        if "role" in changed:
            given[name] = next(role for role, word in _ROLE_WORDS.items() if word == changed["role"])
            drop = [each for each in drop if each != name]
        if changed.get("leave out") is True and name not in drop:
            drop.append(name)
        elif changed.get("leave out") is False:
            drop = [each for each in drop if each != name]
            if given.get(name, roles[name]) not in LEARNED_ROLES:
                state.notify(
                    f"{name!r} is {ROLES[roles[name]]}; to learn from it, say in the table that it is a measurement, a "
                    "kind or a date."
                )
    return {"drop": tuple(drop), "roles": given}


def charts_of(record: DatasetRecord) -> None:
    """Class balance, missing values, and one column by class."""
    draft, theme = state.draft(), components.theme()
    balance, gaps, one = st.tabs(["Diagnosis", "Missing values", "One column by diagnosis"])
    with balance:
        if draft.target:
            counts = engine.value_counts(record.id, draft.target)
            shown = dict(list(counts.items())[:_DRAWN_VALUES])
            components.chart(charts.class_balance(shown, theme), "class_balance")
            if len(counts) > len(shown):
                st.caption(f"The {len(shown)} most frequent of {len(counts)} values.")
        else:
            st.info("Choose the column with the diagnosis above.")
    with gaps:
        shares = {column["name"]: column["missing_share"] for column in record.description["columns"]}
        components.chart(charts.missingness(shares, theme), "missingness")
    with one:
        names = [column["name"] for column in record.description["columns"] if column["name"] != draft.target]
        if draft.target and draft.positive and names:
            name = st.selectbox("Column", names, key=f"drawn@{record.id}", persist_state="session")
            frame = engine.table(record.id).frame
            text = as_text(frame[draft.target])
            classes = text.isin(list(draft.positive)).map({True: "positive", False: "other"})
            components.chart(charts.distribution_by_class(frame[name], classes, theme), "distribution")
        else:
            st.info("Choose the diagnosis and what means positive above.")


# -- the page -------------------------------------------------------------------------------------------------------

components.heading("Data", "A table in which every row is a patient, and the column that holds the diagnosis.")

chosen = next((record for record in engine.datasets() if record.id == state.dataset()), None)
if chosen is None:
    choose_table()
else:
    chosen = engine.dataset(chosen.id)
    summary(chosen)
    left, right = st.columns([2, 3], gap="large")
    with left:
        diagnosis(chosen)
    with right:
        charts_of(chosen)
    attention(chosen)
    columns, rows = st.tabs(["Columns", "Rows"])
    with columns:
        columns_table(chosen)
    with rows:
        if chosen.rows > _PREVIEWED_ROWS:
            st.caption(f"The first {_PREVIEWED_ROWS} of {chosen.rows:,} rows.")
        st.dataframe(engine.table(chosen.id).frame.head(_PREVIEWED_ROWS), height=420)
    guide.next_step("pu_setup", "On to PU set-up", guide.missing_on_data()[0])
