"""Files of SPSS (.sav) and Stata (.dta)."""

from __future__ import annotations

from typing import Any

import pandas as pd

from autopu_core.errors import TableError
from autopu_core.tables.native import UnreadableError, apart
from autopu_core.tables.table import written

_SHOWN = 3


def read_statistics(content: bytes, name: str) -> tuple[pd.DataFrame, list[str]]:
    """Values with their labels, and notes.

    A column whose values all have a label shows the labels. One of which only some have, such as an age with a label
    for 99 "not known", is a measurement with special values: it keeps its numbers, and a note names the labels.

    Raises:
        TableError: the file is damaged or of an unknown version.
    """
    kind, ending = ("SPSS", "sav") if content.startswith(b"$FL") else ("Stata", "dta")
    try:
        frame, value_labels = apart("read_statistics_file", content, ending)
    except UnreadableError as error:
        raise TableError(f"{name} can't be read as {kind} ({error}); export it again, or as CSV.") from None
    notes = [f"Read as {kind}."]
    if len(frame) and frame.shape[1]:
        for column, labels in value_labels.items():
            frame[column], note = _labelled(frame[column], labels)
            if note:
                notes.append(note)
    return frame, notes


def _labelled(column: pd.Series, labels: dict[Any, str]) -> tuple[pd.Series, str | None]:
    present = column.dropna().unique()
    special = [value for value in present if value in labels]
    if not special:
        return column, None
    if len(special) == len(present) and len(set(labels.values())) == len(labels):
        return column.map(labels).astype("str").where(column.notna()), None
    shown = ", ".join(f"{written(value)} = {labels[value]!r}" for value in special[:_SHOWN])
    return column, (
        f"{column.name!r} keeps its numbers because some have no label of their own ({shown}); empty those cells if "
        "they mean missing."
    )
