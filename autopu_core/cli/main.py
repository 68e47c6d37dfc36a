"""Entry point of `autopu`: commands are collected here; bad input becomes one sentence and exit code 2."""

from __future__ import annotations

import os
import sys

import typer

from autopu_core.cli import benchmark, compare, dashboard, data, model, runs, search
from autopu_core.errors import AutoPUError

app = typer.Typer(
    name="autopu",
    help="Finds the best learner for a clinical table whose labels may be incomplete.",
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
dashboard.register(app)
data.register(app)
search.register(app)
model.register(app)
compare.register(app)
benchmark.register(app)
app.add_typer(runs.app, name="runs")


def main() -> None:
    """Run the command line; never a traceback for something that a person did."""
    try:
        code = app(standalone_mode=False)
    except AutoPUError as error:
        _say(str(error))
        code = 2
    except typer.TyperException as error:
        describe = getattr(error, "format_message", None)
        _say(describe() if describe else str(error))
        code = 2
    except (typer.Abort, KeyboardInterrupt):
        _say("Stopped.")
        code = 130
    except BrokenPipeError:
        # The reader went away (autopu .. | head); nothing is left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)


def _say(sentence: str) -> None:
    print(f"autopu: {sentence}", file=sys.stderr)
