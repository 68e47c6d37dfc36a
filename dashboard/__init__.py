"""The browser face of the engine: a Streamlit app without logic of its own."""
