"""Auto-PU: the best positive-unlabelled learning pipeline for a table whose labels may be incomplete."""

__version__ = "0.1.0"
