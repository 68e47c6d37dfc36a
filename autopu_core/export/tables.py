"""Tables that leave the program: written by the file's ending, with spreadsheet formulas defused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from autopu_core.errors import TableError

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_SHEET_ROWS, _SHEET_COLUMNS = 2**20, 2**14


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
    # Line ends as in RFC 4180. They also make the writer quote a cell with either sign of them: a bare carriage return
    # in a cell would begin a row, and what follows it might be a formula.
    text = defused(frame).to_csv(index=False, sep=separator, lineterminator="\r\n")
    if path is None:
        return text
    path.write_bytes(text.encode("utf-8-sig"))
    return None


def _write_excel(frame: pd.DataFrame, path: Path) -> None:
    if len(frame) + 1 > _SHEET_ROWS or frame.shape[1] > _SHEET_COLUMNS:
        raise TableError(
            f"A sheet of Excel holds {_SHEET_ROWS - 1:,} rows and {_SHEET_COLUMNS:,} columns at most, but this table "
            f"has {len(frame):,} and {frame.shape[1]:,}; write it as .csv or .parquet."
        )
    _with_text(defused(frame), _writable).to_excel(path, index=False)


def defused(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy in which no text cell or column name starts a spreadsheet formula: such text gets an apostrophe in
    front."""
    return _with_text(frame, _defuse)


def _with_text(frame: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    """A copy with column names and all cells that hold text changed."""
    changed = frame.rename(columns=lambda name: change(str(name)))
    for position, dtype in enumerate(changed.dtypes):
        if not (pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_datetime64_any_dtype(dtype)):
            column = changed.iloc[:, position]
            changed.isetitem(position, column.map(lambda cell: change(cell) if isinstance(cell, str) else cell))
    return changed


def _defuse(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _writable(text: str) -> str:
    """Control signs as the format of a workbook wants them (ECMA-376, ST_Xstring); it knows no other way."""
    return ILLEGAL_CHARACTERS_RE.sub(lambda sign: f"_x{ord(sign[0]):04X}_", text)
