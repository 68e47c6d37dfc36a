"""Pure functions from tidy data to plotly figures, used by the dashboard and the report."""
