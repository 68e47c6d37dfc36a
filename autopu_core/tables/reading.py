"""Reading a clinical file of any usual kind, told by its content rather than by its name."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from autopu_core.errors import TableError
from autopu_core.tables.cells import typed_column, uses_decimal_comma
from autopu_core.tables.delimited import Grid, decode, parse
from autopu_core.tables.table import Table, distinct_names, written

_MOST_UNPACKED = 1_500_000_000
_MOST_RATIO = 300
_ORANGE_TYPES = {"c", "d", "s", "t", "continuous", "discrete", "string", "time"}
_ORANGE_FLAGS = {"", "class", "meta", "m", "i", "ignore", "c", "weight", "w"}

ENDINGS = ("csv", "tsv", "txt", "data", "tab", "xlsx", "xls", "parquet", "arff", "sav", "dta")
"""Endings that the faces offer; the content decides."""


def read_table(source: Path | str | bytes | BinaryIO, name: str | None = None, *, sheet: str | None = None) -> Table:
    """Read a table: CSV or TSV in any usual encoding, Excel, Parquet, ARFF, SPSS, Stata, or Orange's .tab.

    Args:
        source: a path, the content, or a file opened for reading bytes.
        name: what the table is called; by default the file's name.
        sheet: of a workbook; by default the first with content.

    Raises:
        TableError: the file can't be read, or is no table; one sentence says what to do.
    """
    content, name = _content(source, name)
    if not content.strip():
        raise TableError(f"{name} is empty.")
    return _reader(content, name)(content, name, sheet)


def _content(source: Any, name: str | None) -> tuple[bytes, str]:
    if isinstance(source, bytes):
        return source, name or "table"
    if hasattr(source, "read"):
        return source.read(), name or Path(getattr(source, "name", "table")).name
    path = Path(source)
    try:
        return path.read_bytes(), name or path.name
    except FileNotFoundError:
        raise TableError(f"There is no file {str(path)!r}.") from None
    except OSError as error:
        raise TableError(f"{path} can't be read ({error.strerror or error}).") from None


def _reader(content: bytes, name: str) -> Callable[[bytes, str, str | None], Table]:
    if content.startswith(b"PK\x03\x04") or content.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _read_workbook
    if content.startswith(b"PAR1"):
        return _read_parquet
    if content.startswith((b"$FL2", b"$FL3")):
        return _read_spss
    if content.startswith(b"<stata_dta>") or (content[0] in (110, 111, 112, 113, 114, 115) and content[1] in (1, 2)):
        return _read_stata
    return _read_text


# -- text -----------------------------------------------------------------------------------------------------------


def _read_text(content: bytes, name: str, sheet: str | None) -> Table:
    text, note = decode(content, name)
    if re.search(r"^\s*@relation\b", text[:20_000], re.IGNORECASE | re.MULTILINE) and "@data" in text.lower():
        return _read_arff(text, name)
    notes = [note] if note else []
    orange = _orange_lines(text)
    grid = parse(_without_lines(text, orange), name) if orange else parse(text, name)
    if orange:
        notes.append("Orange's lines of types and roles were read as such, not as patients.")
    return _typed(name, Grid(grid.names, grid.rows, notes + grid.notes))


def _orange_lines(text: str) -> bool:
    """Whether lines 2 and 3 are Orange's types and flags rather than rows."""
    lines = text.splitlines()[:3]
    if len(lines) < 3:
        return False
    header, types, flags = (line.split("\t") for line in lines)
    if len(header) < 2 or len(types) != len(header) or len(flags) > len(header):
        return False
    known_flags = all(flag.strip() in _ORANGE_FLAGS or "=" in flag for flag in flags)
    known_types = [cell.strip() in _ORANGE_TYPES for cell in types]
    return known_flags and sum(known_types) >= len(types) / 4 and any(flag.strip() for flag in flags)


def _without_lines(text: str, orange: bool) -> str:
    lines = text.splitlines(keepends=True)
    return "".join([lines[0], *lines[3:]]) if orange else text


def _typed(name: str, grid: Grid) -> Table:
    """Give the columns of a grid of text their types."""
    names, renamed = distinct_names([cell.strip() for cell in grid.names])
    cells = list(zip(*grid.rows, strict=True))
    decimal_comma = uses_decimal_comma(cells)
    columns, missing, notes = {}, {}, [*grid.notes, *renamed]
    if decimal_comma:
        notes.append("Numbers were read with a decimal comma.")
    for column, values in zip(names, cells, strict=True):
        typed = typed_column(column, values, decimal_comma)
        columns[column] = typed.values
        if typed.missing:
            missing[column] = typed.missing
        if typed.note:
            notes.append(typed.note)
    return Table.from_frame(pd.DataFrame(columns), name, tuple(notes), missing)


def _read_arff(text: str, name: str) -> Table:
    import arff

    try:
        loaded = arff.load(io.StringIO(text))
    except (arff.ArffException, ValueError) as error:
        raise TableError(f"{name} is no valid ARFF file ({str(error).strip().rstrip('.')}); save it as CSV.") from None
    names = [attribute for attribute, _ in loaded["attributes"]]
    if not loaded["data"]:
        raise TableError(f"{name} has column names but no rows.")
    frame = pd.DataFrame(loaded["data"], columns=names)
    numeric = {attribute for attribute, kind in loaded["attributes"] if kind in ("REAL", "NUMERIC", "INTEGER")}
    rows = [["" if value is None else written(value) for value in row] for row in frame.itertuples(index=False)]
    table = _typed(name, Grid(names, rows, ["Read as ARFF."]))
    unread = [column for column in numeric if column in table.frame and table.frame[column].dtype.kind not in "if"]
    if unread:
        raise TableError(f"The numeric attribute {unread[0]!r} of {name} holds something that is no number.")
    return table


# -- binary files ---------------------------------------------------------------------------------------------------


def _read_workbook(content: bytes, name: str, sheet: str | None) -> Table:
    from python_calamine import CalamineError, CalamineWorkbook

    if content.startswith(b"PK"):
        _refuse_bombs(content, name)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(content))
        names = workbook.sheet_names
        if sheet is not None and sheet not in names:
            raise TableError(f"{name} has no sheet {sheet!r}; it has {', '.join(map(repr, names))}.")
        chosen, rows = None, []
        for candidate in [sheet] if sheet is not None else names:
            rows = workbook.get_sheet_by_name(candidate).to_python(skip_empty_area=True)
            if any(any(cell not in ("", None) for cell in row) for row in rows):
                chosen = candidate
                break
    except (CalamineError, zipfile.BadZipFile, OSError, ValueError, KeyError) as error:
        raise TableError(
            f"{name} can't be opened as an Excel file ({error}); it may be damaged, encrypted or of another kind; "
            "open it in Excel and save it again."
        ) from None
    if chosen is None:
        raise TableError(f"{name} has no sheet with content.")
    notes = []
    if sheet is None and len(names) > 1:
        others = ", ".join(repr(other) for other in names if other != chosen)
        notes.append(f"The sheet {chosen!r} was read; not {others}.")
    return _from_cells(name, rows, notes)


def _refuse_bombs(content: bytes, name: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        raise TableError(f"{name} is damaged or cut off; get a new copy of it.") from None
    if unpacked > _MOST_UNPACKED or (unpacked > 50_000_000 and unpacked > _MOST_RATIO * len(content)):
        raise TableError(f"{name} would unpack to {unpacked / 1e9:.1f} GB, which no table needs; it wasn't opened.")


def _from_cells(name: str, rows: list[list[Any]], notes: list[str]) -> Table:
    """A table from the typed cells of a sheet."""
    rows = [row for row in rows if any(cell not in ("", None) for cell in row)]
    filled = [sum(cell not in ("", None) for cell in row) for row in rows]
    full = max(filled)
    start = next(number for number, count in enumerate(filled) if count > full / 2)
    if start:
        notes.append(
            f"{start} line{'s' if start > 1 else ''} before the table skipped: {written(_first(rows[0]))[:60]!r}."
        )
    header, body = rows[start], rows[start + 1 :]
    if any(isinstance(cell, float | int) and not isinstance(cell, bool) for cell in header) and not any(
        isinstance(cell, str) and cell.strip() for cell in header
    ):
        notes.append("The sheet has no line of column names; the columns are numbered.")
        header, body = [f"column_{number}" for number in range(1, len(header) + 1)], rows[start:]
    if not body:
        raise TableError(f"{name} has a line of column names but no rows.")
    kept = [
        position
        for position, cell in enumerate(header)
        if cell not in ("", None) or any(row[position] not in ("", None) for row in body)
    ]
    names, renamed = distinct_names([written(header[position] or "") for position in kept])
    columns, missing = {}, {}
    notes += renamed
    for column, position in zip(names, kept, strict=True):
        cells = [row[position] for row in body]
        dates = [cell for cell in cells if isinstance(cell, date | datetime)]
        if dates and all(cell in ("", None) or isinstance(cell, date | datetime) for cell in cells):
            columns[column] = pd.Series(pd.to_datetime([None if cell in ("", None) else cell for cell in cells]))
            continue
        typed = typed_column(column, ["" if cell is None else written(_cell(cell)) for cell in cells])
        columns[column] = typed.values
        if typed.missing:
            missing[column] = typed.missing
        if typed.note:
            notes.append(typed.note)
    return Table.from_frame(pd.DataFrame(columns), name, tuple(notes), missing)


def _cell(cell: Any) -> Any:
    return pd.Timestamp(cell) if isinstance(cell, date | datetime) else cell


def _first(row: list[Any]) -> Any:
    return next(cell for cell in row if cell not in ("", None))


def _read_parquet(content: bytes, name: str, sheet: str | None) -> Table:
    try:
        frame = pd.read_parquet(io.BytesIO(content))
    except (OSError, ValueError) as error:
        raise TableError(f"{name} can't be read as Parquet ({str(error).splitlines()[0]}); export it again.") from None
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    return _with_rows(frame, name, ())


def _read_spss(content: bytes, name: str, sheet: str | None) -> Table:
    import pyreadstat

    return _read_by(pyreadstat.read_sav, content, name, ".sav", "SPSS", apply_value_formats=True)


def _read_stata(content: bytes, name: str, sheet: str | None) -> Table:
    import pyreadstat

    return _read_by(pyreadstat.read_dta, content, name, ".dta", "Stata", apply_value_formats=True)


def _read_by(read: Any, content: bytes, name: str, ending: str, kind: str, **options: Any) -> Table:
    """By a reader that wants a path."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{ending}"
        path.write_bytes(content)
        try:
            frame, _ = read(str(path), **options)
        except Exception as error:
            # The reader's C library raises its own kinds of errors; a person needs the sentence only.
            raise TableError(f"{name} can't be read as {kind} ({error}); export it as CSV.") from None
    return _with_rows(frame, name, (f"Read as {kind}; labelled values are shown by their labels.",))


def _with_rows(frame: pd.DataFrame, name: str, notes: tuple[str, ...]) -> Table:
    """A table from a typed file; empty texts are missing there too."""
    if frame.shape[1] == 0 or len(frame) == 0:
        raise TableError(f"{name} has no rows.")
    table = Table.from_frame(frame, name, notes)
    columns, missing = {}, {}
    for column, values in table.frame.items():
        if not isinstance(values.dtype, pd.StringDtype):
            columns[column] = values
            continue
        typed = typed_column(str(column), ["" if pd.isna(value) else value for value in values])
        keep_text = typed.values.dtype.kind in "ifM"
        columns[column] = values.where(values.str.strip() != "") if keep_text else typed.values
        if typed.missing:
            missing[str(column)] = typed.missing
    return Table.from_frame(pd.DataFrame(columns), name, table.notes, missing)
