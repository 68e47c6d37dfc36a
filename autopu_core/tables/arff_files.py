"""Weka's ARFF files, which name the type of each column."""

from __future__ import annotations

import arff

from autopu_core.errors import TableError
from autopu_core.tables.cells import Column
from autopu_core.tables.table import distinct_names, written


def read_arff(text: str, name: str) -> tuple[list[Column], set[str]]:
    """Columns of the file, and the names of those that it calls nominal.

    Raises:
        TableError: the file breaks ARFF's rules.
    """
    try:
        loaded = arff.loads(text)
    except (arff.ArffException, ValueError, TypeError, IndexError) as error:
        message = (str(error).strip().splitlines() or ["it breaks the format's rules"])[0][:120].rstrip(".")
        raise TableError(f"{name} is no valid ARFF file ({message}); save it as CSV.") from None
    if not loaded["data"]:
        raise TableError(f"{name} has column names but no rows.")
    names, _ = distinct_names([attribute for attribute, _ in loaded["attributes"]])
    columns, nominal = [], set()
    for column, (_, kind), cells in zip(names, loaded["attributes"], zip(*loaded["data"], strict=True), strict=True):
        texts = ["?" if cell is None else written(cell) for cell in cells]
        columns.append(Column.from_cells(column, texts))
        if isinstance(kind, list):
            nominal.add(column)
    return columns, nominal
