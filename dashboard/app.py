"""The frame around every page: state from the address, the guided path, and the chosen page."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import streamlit as st

from dashboard import components, guide, state

_STATIC = Path(__file__).parent / "static"


def main() -> None:
    """One run of the script; Streamlit calls for it after every interaction."""
    st.set_page_config(page_title="Auto-PU Dashboard", page_icon=str(_STATIC / "icon.svg"), layout="wide")
    st.html(_STATIC / "style.css")
    state.load()
    page = st.navigation(
        [
            # Without icons: Streamlit would have the browser fetch them elsewhere for the tab.
            st.Page(guide.page_file(name), title=title, icon="", default=position == 0)
            for position, (name, title, _) in enumerate((*guide.PAGES, *guide.FURTHER_PAGES))
        ],
        position="hidden",
    )
    with components.errors_as_sentences(), st.sidebar:
        guide.adopt_table()
        st.markdown("### Auto-PU Dashboard")
        guide.draw()
    with components.errors_as_sentences():
        components.show_notice()
        page.run()
    state.sync()
    _spare_the_collector(len(sys.modules))


@st.cache_resource(show_spinner=False, max_entries=1)
def _spare_the_collector(modules: int) -> None:
    """Keep what modules hold out of the garbage collection that Streamlit does after every run of the script.

    It would take a tenth of a second each time, which on the live page is each second. Done again as modules come in.
    """
    gc.collect()
    gc.freeze()
