"""What commands print: one JSON value, or tables for people."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """One JSON value on standard output; numbers that JSON doesn't know become null."""
    json.dump(_clean(value), sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def print_table(title: str | None, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table; cells are shown as text, numbers to three decimals."""
    table = RichTable(title=None if title is None else escape(title), title_justify="left")
    for name in header:
        table.add_column(escape(name))
    for row in rows:
        table.add_row(*(escape(as_cell(value)) for value in row))
    out.print(table)


def as_cell(value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.3f}"
    return str(value)


def duration(seconds: float) -> str:
    """Seconds as "45 s", "3 min" or "2 h 10 min"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _clean(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
