"""Benchmark: systems compared over several tables, as the PU paper does, with its published values beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from autopu_core.charts import benchmark as charts
from autopu_core.evaluation import benchmark_statistics as statistics
from autopu_core.evaluation import benchmark_tables as tables
from autopu_core.evaluation.benchmark import (
    AUTO_PU,
    BASELINES,
    RANDOM_SEARCH,
    SYSTEM_TITLES,
    BenchmarkResults,
    system_title,
)
from autopu_core.evaluation.benchmark_published import beside, published
from autopu_core.evaluation.references import REFERENCES
from dashboard import components, engine
from dashboard.components import plain

_PROJECT, _STORE, _FOLDER = "The project's own results", "My runs", "A folder"
_FOREST = "corrected_forest"
_GROUPS = {
    "Base space, as in figure 3": (*AUTO_PU["base"], *BASELINES, _FOREST),
    "Extended space, as in figure 4": (*AUTO_PU["extended"], *BASELINES, _FOREST),
}
_NAMES = (
    "GA, BO and EBO are the optimisers of this program; **-1** searches the base space, **-2** the extended space with "
    "spies. DF-PU and S-EM are published PU learners. Every optimiser has a random search with the same budget beside "
    "it."
)
_HELP = {
    "Hidden, %": "Share of the positives that was hidden while learning.",
    "Mean F": "Mean F-measure on test rows: 1 finds every positive without a false alarm.",
    "Mean rank": "On each data set the best system gets rank 1, the next 2; this is the mean.",
    "Best on": "Data sets on which no other system is better.",
    "p-value": "How often chance alone would give a difference as large as this.",
    "Holm's alpha": "The p-value must be below it: stricter than 5% because several pairs are tested.",
    "Correlation r": "From -1 to 1; 0 means that the two have nothing to do with each other.",
    "By chance, %": "The share that drawing at random would give.",
    "CPU minutes": "Computing time, each different fit counted once.",
}


def choose_folder() -> Path | None:
    """Where the results are; None means the runs on this computer. Stops where nothing is chosen yet."""
    own = engine.project_benchmark()
    kinds = [_STORE, _FOLDER] if own is None else [_PROJECT, _STORE, _FOLDER]
    kind = st.segmented_control(
        "Results", kinds, default=kinds[0], required=True, key="benchmark_source", persist_state="session"
    )
    if kind == _STORE:
        return None
    if kind == _PROJECT:
        return own
    written = st.text_input(
        "Folder with results",
        key="benchmark_folder",
        persist_state="session",
        help="What 'autopu benchmark' was given with --output: it holds scores.csv, chosen.csv, costs.csv and "
        "datasets.csv.",
    ).strip()
    if not written:
        st.info("Name the folder that 'autopu benchmark' has written.", icon=":material/folder_open:")
        st.stop()
    return Path(written).expanduser()


def choose_published() -> Path | None:
    """A folder with the paper's printed tables, which the program doesn't contain."""
    written = st.text_input(
        "Folder with the paper's tables (optional)",
        key="benchmark_published",
        persist_state="session",
        help="One CSV file for each table of the paper, table03_*.csv to table16_*.csv, and runtime_*.csv. Their "
        "values then stand beside ours.",
    ).strip()
    return Path(written).expanduser() if written else None


def choose_systems(results: BenchmarkResults) -> list[str]:
    """The systems to compare: only data sets that all of them have finished count."""
    key = "benchmark_systems"
    chosen = [name for name in st.session_state.get(key, results.systems) if name in results.systems]
    st.session_state[key] = chosen or results.systems
    with st.expander(f"Systems: {len(st.session_state[key])} of {len(results.systems)}"):
        return st.multiselect(
            "Systems to compare",
            results.systems,
            format_func=system_title,
            key=key,
            help="A comparison counts only data sets that all of its systems have finished.",
        )


def origin(results: BenchmarkResults) -> None:
    """How the results came about."""
    known = results.provenance
    count = len(results.datasets)
    parts = [f"{count} data set{'' if count == 1 else 's'}"]
    parts += [f"preset {known['preset']}"] if known.get("preset") else []
    parts += [f"{known['folds']} folds"] if known.get("folds") else []
    parts += [f"seed {known['seed']}"] if "seed" in known else []
    parts += [f"measured {known['measured']}"] if known.get("measured") else []
    st.caption(plain(" · ".join(parts)))


def show(table: tables.NamedTable, key: str) -> None:
    """A table with its note and its download."""
    st.markdown(f"**{plain(table.title)}**")
    st.caption(plain(table.note))
    columns = {heading: _column(heading, table.frame[heading]) for heading in table.frame.columns}
    st.dataframe(table.frame, hide_index=True, column_config=columns, placeholder="", alt=table.title, key=key)
    st.download_button(
        "Download (.csv)",
        lambda: engine.as_file(table.frame, "csv"),
        f"benchmark_{key}.csv",
        icon=":material/download:",
        on_click="ignore",
        key=f"download-{key}",
    )


def _column(heading: str, values: pd.Series) -> Any:
    """As many decimals as the size of the numbers asks for."""
    tip = _HELP.get(heading.removesuffix(" (paper)"))
    if not pd.api.types.is_float_dtype(values):
        return st.column_config.Column(help=tip)
    size = values.abs().max()
    digits = 4 if heading.startswith("p-value") else 0 if size >= 100 else 1 if size >= 10 else 3
    return st.column_config.NumberColumn(help=tip, format=f"%.{digits}f")


def named(shown: list[tables.NamedTable], title: str) -> tables.NamedTable | None:
    """The table of this title, None where there is nothing to fill it."""
    return next((table for table in shown if table.title == title), None)


def delta_of(results: BenchmarkResults, key: str) -> float:
    """A share of hidden positives, chosen."""
    if st.session_state.get(key) not in results.deltas:  # other results had it
        st.session_state.pop(key, None)
    return st.segmented_control(
        "Positives hidden",
        results.deltas,
        default=results.deltas[0],
        required=True,
        format_func="{:.0%}".format,
        key=key,
        persist_state="session",
    )


def overview(results: BenchmarkResults, shown: list[tables.NamedTable], printed: Path | None) -> None:
    """Mean F of each system, as figures 3 and 4 and as a table."""
    group = st.segmented_control(
        "Draw",
        list(_GROUPS),
        default=next(iter(_GROUPS)),
        required=True,
        key="benchmark_figure",
        persist_state="session",
    )
    means = statistics.summary(results, _GROUPS[group])
    if printed is not None and len(means):
        theirs = pd.concat([published(printed, number) for number in (4, 7, 9)])
        means = beside(means, theirs.groupby(["delta", "system"], as_index=False)["f_measure"].mean())
        st.caption("Dotted lines: the paper's means over all its data sets.")
    means["system"] = means["system"].map(system_title)
    references = frozenset(reference.title for reference in REFERENCES.values())
    components.chart(charts.f_against_delta(means, references, components.theme()), "f_against_delta")
    if table := named(shown, tables.OVERVIEW):
        show(table, "overview")
    else:
        st.info("No data set has been finished by all of these systems: choose fewer systems above.")


def random_search(results: BenchmarkResults, shown: list[tables.NamedTable], printed: Path | None) -> None:
    """Whether the optimisers are worth their effort."""
    table = named(shown, tables.AGAINST_RANDOM_SEARCH)
    if table is None:
        st.info("No optimiser and its random search have finished the same data set yet.")
        return
    fails = table.frame["Verdict"].isin(statistics.VERDICTS[2:]).any()
    st.markdown(
        ":orange[:material/warning:] Not every optimiser is better than random search with the same budget: see the "
        "verdicts below."
        if fails
        else ":green[:material/check_circle:] Every optimiser has a higher mean F than random search with its budget."
    )
    delta = delta_of(results, "benchmark_random_delta")
    values = statistics.differences(results, RANDOM_SEARCH)
    values = values[values["delta"] == delta]
    titles = dict(zip(results.datasets["dataset"], results.datasets["title"], strict=True))
    values = values.assign(system=values["system"].map(system_title), dataset=values["dataset"].map(titles))
    components.chart(charts.differences(values, "random search", components.theme()), "against_random")
    show(table, "against_random_search")
    if forest := named(shown, tables.AGAINST_CORRECTED_FOREST):
        show(forest, "against_corrected_forest")


def ranks(results: BenchmarkResults, shown: list[tables.NamedTable], printed: Path | None) -> None:
    """More than two systems at once: mean ranks and the critical difference."""
    everything = {**_GROUPS, "All systems": tuple(results.systems)}
    group = st.segmented_control(
        "Compare",
        list(everything),
        default=next(iter(everything)),
        required=True,
        key="benchmark_ranks",
        persist_state="session",
    )
    delta = delta_of(results, "benchmark_rank_delta")
    comparison = statistics.rank_comparison(results, delta, everything[group])
    components.chart(charts.critical_difference(comparison, SYSTEM_TITLES, components.theme()), "critical_difference")
    if comparison is not None:
        p_value = "below 0.001" if comparison.p_value < 0.001 else f"{comparison.p_value:.3f}"
        alike = "" if comparison.p_value < comparison.alpha else ", so none differs from another"
        st.caption(
            f"Mean ranks over {comparison.data_sets} data sets; the best is on the left. Systems joined by a bar don't "
            f"differ by more than chance allows (Nemenyi's test, 5%). p-value that all are alike (Friedman's test): "
            f"{p_value}{alike}."
        )


def time(results: BenchmarkResults, shown: list[tables.NamedTable], printed: Path | None) -> None:
    """What the systems cost, and what they give for it."""
    table = named(shown, tables.RUN_TIMES)
    if table is None:
        st.info("No data set has been finished by all of these systems: choose fewer systems above.")
        return
    optimizer_of = {random: optimizer for optimizer, random in RANDOM_SEARCH.items()}
    times = statistics.run_times(results)
    forest = times[times["system"] == _FOREST]
    times = times[times["cpu_minutes"].notna()]
    times = times.assign(
        random=times["system"].isin(optimizer_of),
        family=[system_title(optimizer_of.get(name, name)) for name in times["system"]],
        system=times["system"].map(system_title),
    )
    reference = (system_title(_FOREST), forest["f_measure"].item()) if len(forest) else None
    st.caption("Hollow: random search with the budget of the optimiser that it is joined with.")
    components.chart(charts.time_against_f(times, reference, components.theme()), "time_against_f")
    show(table, "run_times")


def paper(results: BenchmarkResults, shown: list[tables.NamedTable], printed: Path | None) -> None:
    """Tables 3 to 16."""
    numbered = {table.number: table for table in shown if table.number is not None}
    if st.session_state.get("benchmark_table") not in numbered:  # other results had it
        st.session_state.pop("benchmark_table", None)
    number = st.selectbox(
        "Table",
        list(numbered),
        format_func=lambda chosen: numbered[chosen].title,
        key="benchmark_table",
        persist_state="session",
    )
    show(numbered[number], f"table_{number:02d}")


TABS = {
    "Overview": overview,
    "Against random search": random_search,
    "Ranks": ranks,
    "Time": time,
    "Tables of the paper": paper,
}

components.heading("Benchmark", "How the systems do on several tables, compared as in the paper that they come from.")
left, right = st.columns(2, gap="large")
with right:
    printed_tables = choose_published()
with left:
    folder = choose_folder()
found = engine.benchmark(folder)
if found.scores.empty:
    st.info(
        "There are no finished runs on tables with complete labels to compare yet. 'autopu benchmark' on the command "
        "line runs all systems on a folder of tables.",
        icon=":material/terminal:",
    )
else:
    origin(found)
    systems = choose_systems(found)
    compared = found.only(systems)
    named_tables = engine.benchmark_tables(folder, systems, printed_tables)
    st.caption(_NAMES)
    for tab, draw in zip(st.tabs(list(TABS), key="benchmark_tabs", on_change="rerun"), TABS.values(), strict=True):
        if tab.open:
            with tab:
                draw(compared, named_tables, printed_tables)
