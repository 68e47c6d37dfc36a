"""The script that Streamlit runs."""
