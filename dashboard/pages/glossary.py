"""Glossary: every term that the dashboard uses, in plain words."""

from __future__ import annotations

import streamlit as st

from dashboard import components, words

components.heading("Glossary", "The words of this program, in plain language.")
wanted = st.text_input("Find a word", placeholder="e.g. spy, SCAR, precision", key="glossary_search").strip().lower()
shown = {
    chapter: {term: meaning for term, meaning in terms.items() if wanted in f"{term} {meaning}".lower()}
    for chapter, terms in words.GLOSSARY.items()
}
if not any(shown.values()):
    st.info(f"Nothing about {components.plain(wanted)} here.")
for chapter, terms in shown.items():
    if terms:
        st.subheader(chapter, anchor=False)
        columns = st.columns(2, gap="large")
        for position, (term, meaning) in enumerate(terms.items()):
            columns[position % 2].markdown(f"**{term}**  \n{meaning}")
