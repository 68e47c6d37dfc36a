"""Placeholder until the page is there."""

import streamlit as st

st.info("This page is on its way.")
