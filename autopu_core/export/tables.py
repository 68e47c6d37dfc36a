"""Tables that leave the program: written by the file's ending, with spreadsheet formulas defused."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from autopu_core.errors import TableError

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as .csv, .tsv, .xlsx or .parquet.

    Raises:
        TableError: another ending, or the file can't be written.
    """
    writers = {".csv": write_csv, ".tsv": write_csv, ".xlsx": _write_excel, ".parquet": pd.DataFrame.to_parquet}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise TableError(f"Tables can be written as {', '.join(writers)}, not as {path.suffix or path.name!r}.")
    try:
        writer(frame, path)
    except OSError as error:
        raise TableError(f"{path} can't be written ({error.strerror or error}); choose another place.") from None


def write_csv(frame: pd.DataFrame, path: Path | None = None) -> str | None:
    """CSV in UTF-8 with a byte order mark, so that Excel reads accents right; the text itself where there is no
    path."""
    separator = "\t" if path is not None and path.suffix.lower() == ".tsv" else ","
    text = defused(frame).to_csv(index=False, sep=separator)
    if path is None:
        return text
    path.write_text(text, encoding="utf-8-sig")
    return None


def _write_excel(frame: pd.DataFrame, path: Path) -> None:
    defused(frame).to_excel(path, index=False)


def defused(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy in which no text cell or column name starts a spreadsheet formula: such text gets an apostrophe in
    front."""
    safe = frame.rename(columns=lambda name: _defuse(str(name)))
    for position, dtype in enumerate(safe.dtypes):
        if not (pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_datetime64_any_dtype(dtype)):
            column = safe.iloc[:, position]
            safe.isetitem(position, column.map(lambda cell: _defuse(cell) if isinstance(cell, str) else cell))
    return safe


def _defuse(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
