"""From the columns of any file to a table of plain types."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd
import pyarrow as pa

from autopu_core.errors import TableError
from autopu_core.tables.cells import Column, Style, decimal_style, typed_column
from autopu_core.tables.layout import Grid
from autopu_core.tables.table import Table, distinct_names, plain_column


def from_grid(name: str, grid: Grid, nominal: Collection[str] = (), *, doubtful_point: bool = False) -> Table:
    """Give the columns of a grid of text their types.

    Args:
        name: of the file.
        grid: the columns.
        nominal: columns that the file itself calls kinds; numbers in them are codes where there are more than two.
        doubtful_point: see `typed_column`.
    """
    names, renamed = distinct_names(grid.names)
    columns = [Column.from_cells(column, cells) for column, cells in zip(names, grid.columns, strict=True)]
    style = decimal_style(columns)
    notes = [*grid.notes, *renamed]
    if style == "comma":
        notes.append("Numbers were read with a decimal comma.")
    return assemble(name, columns, notes, nominal, style, doubtful_point)


def from_frame(frame: pd.DataFrame, name: str, notes: list[str]) -> Table:
    """A table from a file that knows its types; texts in it are treated as those of any other file.

    Raises:
        TableError: no rows or columns, or a column of something that is no cell.
    """
    if frame.shape[1] == 0 or len(frame) == 0:
        raise TableError(f"{name} has no rows.")
    names, renamed = distinct_names([str(column) for column in frame.columns])
    columns: list[Column | pd.Series] = []
    for position, column in enumerate(names):
        values = plain_column(frame.iloc[:, position], column)
        if isinstance(values.dtype, pd.StringDtype):
            columns.append(Column.from_cells(column, pa.array(values, pa.string(), from_pandas=True)))
        else:
            columns.append(values.rename(column))
    style = decimal_style([column for column in columns if isinstance(column, Column)])
    return assemble(name, columns, notes + renamed, (), style)


def assemble(
    name: str,
    columns: list[Column | pd.Series],
    notes: list[str],
    nominal: Collection[str] = (),
    style: Style = None,
    doubtful_point: bool = False,
) -> Table:
    """A table from columns of text, which get their types here, and columns that have one.

    Args: see `from_grid`; `style` is the decimal sign of the texts.
    """
    values: dict[str, Any] = {}
    missing: dict[str, Mapping[str, int]] = {}
    for column in columns:
        if isinstance(column, pd.Series):
            values[str(column.name)] = plain_column(column, str(column.name))
            continue
        as_kinds = column.name in nominal and len(column.present) > 2
        typed = typed_column(column, style, doubtful_point=doubtful_point, as_text=as_kinds)
        values[column.name] = typed.values
        if typed.missing:
            missing[column.name] = typed.missing
        if typed.note:
            notes.append(typed.note)
    return Table.from_plain(pd.DataFrame(values), name, tuple(notes), missing)
