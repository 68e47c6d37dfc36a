"""The command line: the same verbs as the dashboard, for a terminal and for scripts."""

from autopu_core.cli.main import app, main

__all__ = ["app", "main"]
