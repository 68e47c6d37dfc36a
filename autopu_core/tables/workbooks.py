"""Excel workbooks, old and new, without opening what would fill the memory."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import Any

import pandas as pd

from autopu_core.errors import TableError
from autopu_core.tables.layout import LOOKED_AT, Grid, Record, fill, find_layout, is_blank
from autopu_core.tables.native import UnreadableError, apart, filled_sheets, read_sheets
from autopu_core.tables.table import written

_MOST_UNPACKED = 1_500_000_000
_MOST_RATIO = 300
_SMALL = 50_000_000
_MOST_CELLS = 30_000_000
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_BROKEN_ARCHIVE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(ValueError, KeyError, RuntimeError, NotImplementedError),
)
"""What `zipfile` raises on damaged archives."""
_PIECE = 1 << 22
_OVERLAP = 200
_ROW = re.compile(rb'<row [^>]*?r="(\d+)"')
_CELL = re.compile(rb'<c [^>]*?r="([A-Z]{1,3})(\d{1,7})"')
_UNCALCULATED = re.compile(rb"(?:</f>|<f[^>]*/>)(?:<v\s*/>|<v></v>|(?=</c>))")


def workbook_sheets(content: bytes, name: str) -> list[str]:
    """Names of the visible sheets with content.

    Raises:
        TableError: no workbook, a damaged or encrypted one, or one that would fill the memory.
    """
    return _open(content, name, filled_sheets, None)[0]


def read_workbook(content: bytes, name: str, sheet: str | None) -> Grid:
    """The cells of one sheet as text: the sheet asked for, or the first visible one with content.

    Raises:
        TableError: no workbook, a damaged or encrypted one, one that would fill the memory, or no such sheet.
    """
    (sheets, chosen, rows), uncalculated = _open(content, name, read_sheets, sheet)
    if sheet is not None and sheet not in sheets:
        raise TableError(f"{name} has no sheet {sheet!r}; it has {', '.join(map(repr, sheets))}.")
    if chosen is None:
        raise TableError(f"{name} has no sheet with content.")
    records = list(_records(rows))
    filled = [(line, record) for line, record in records if not is_blank(record)]
    layout = find_layout(filled[:LOOKED_AT], name)
    others = [other for other in sheets if other != chosen]
    if sheet is None and others:
        layout.notes.insert(0, f"The sheet {chosen!r} was read; not {', '.join(map(repr, others))}.")
    if uncalculated:
        layout.notes.append(
            f"{uncalculated} formula{'s have' if uncalculated > 1 else ' has'} no stored result and count as empty; "
            "open the file in Excel and save it to have them calculated."
        )
    return fill(layout, iter(records), name)


def _open(content: bytes, name: str, read: Callable[..., Any], sheet: str | None) -> tuple[Any, int]:
    """(What a function of `native` reads, number of formulas without a result)."""
    try:
        if content.startswith(b"PK"):
            uncalculated = _check_archive(content, name)
            return read(content, sheet), uncalculated
        if _ENCRYPTED in content:
            raise TableError(f"{name} is protected by a password; save a copy without one.")
        return apart(read.__name__, content, sheet), 0
    except UnreadableError as error:
        raise TableError(
            f"{name} can't be opened as an Excel file ({_first_line(error)}); it may be damaged or of another kind; "
            "open it in Excel and save it again."
        ) from None


def _records(rows: list[list[Any]]) -> Iterator[Record]:
    for number, row in enumerate(rows, start=1):
        yield number, ["" if cell is None else _text(cell) for cell in row]


def _text(cell: Any) -> str:
    if type(cell) is str:
        return cell
    if isinstance(cell, datetime):
        return written(pd.Timestamp(cell))
    return cell.isoformat() if isinstance(cell, date) else written(cell)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120].rstrip(".")


# -- archives that would fill the memory ------------------------------------------------------------------------------


def _check_archive(content: bytes, name: str) -> int:
    """Refuse what isn't a workbook or is far larger than it looks; number of formulas without a result.

    The reader allots a cell for every place up to the last one with content, so one value at the far corner of a sheet
    would need hundreds of gigabytes.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if not any(entry.filename.startswith("xl/") for entry in entries):
                raise TableError(
                    f"{name} is an archive but no Excel workbook; unpack it, or save it as .xlsx if it is one sheet."
                )
            if any(entry.filename == "xl/workbook.bin" for entry in entries):
                raise TableError(f"{name} is a binary workbook (.xlsb); save it as .xlsx.")
            unpacked = sum(entry.file_size for entry in entries)
            if unpacked > _MOST_UNPACKED or (unpacked > _SMALL and unpacked > _MOST_RATIO * len(content)):
                raise TableError(
                    f"{name} would unpack to {unpacked / 1e9:.1f} GB, which no table needs; it wasn't opened."
                )
            sheets = [entry for entry in entries if re.match(r"xl/worksheets/[^/]+\.xml$", entry.filename)]
            return sum(_check_sheet(archive, entry, name) for entry in sheets)
    except _BROKEN_ARCHIVE:
        raise TableError(f"{name} is damaged or cut off; get a new copy of it.") from None


def _check_sheet(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> int:
    rows = columns = cells = uncalculated = 0
    wide = False
    with archive.open(entry) as stream:
        tail = b""
        while piece := stream.read(_PIECE):
            text = tail + piece
            rows = max(rows, *map(int, _ROW.findall(text)), 0)
            cells += piece.count(b"<c ")
            wide = wide or re.search(rb' r="[A-Z]{2}', text) is not None
            uncalculated += len(_UNCALCULATED.findall(piece))
            tail = text[-_OVERLAP:]
    if rows * (16_384 if wide else 26) <= _MOST_CELLS:
        return uncalculated
    with archive.open(entry) as stream:
        tail = b""
        while piece := stream.read(_PIECE):
            for letters, row in set(_CELL.findall(tail + piece)):
                rows, columns = max(rows, int(row)), max(columns, _column_number(letters))
            tail = piece[-_OVERLAP:]
    if rows * columns > max(_MOST_CELLS, 50 * cells):
        raise TableError(
            f"{name} has a cell far away from its table (the sheet reaches to row {rows} and column {columns} with "
            f"only {cells} cells); delete the rows and columns outside of the table and save it again."
        )
    return uncalculated


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
