"""Reading a clinical file of any usual kind, told by its content rather than by its name."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from autopu_core.errors import TableError
from autopu_core.tables.assembly import assemble, from_frame, from_grid
from autopu_core.tables.delimited import parse
from autopu_core.tables.layout import Grid
from autopu_core.tables.table import Table, distinct_names
from autopu_core.tables.text import encoding_of

_WORKBOOK_BEGINS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
_ORANGE_TYPES = {"c", "d", "s", "t", "m", "continuous", "discrete", "string", "time"}
_ORANGE_NUMBERS = {"c", "continuous"}
_ORANGE_FLAGS = {"", "class", "meta", "m", "i", "ignore", "c", "weight", "w"}
_MOST_CELLS = 300_000_000
_UNNAMED_INDEX = re.compile(r"__index_level_\d+__")

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
    if not content.strip(b" \t\r\n\0"):
        raise TableError(f"{name} is empty.")
    if content.startswith(_WORKBOOK_BEGINS):
        from autopu_core.tables.workbooks import read_workbook

        return from_grid(name, read_workbook(content, name, sheet))
    if sheet is not None:
        raise TableError(f"{name} is no Excel workbook, so it has no sheet {sheet!r}.")
    return _reader(content)(content, name)


def sheet_names(content: bytes, name: str) -> list[str]:
    """Names of the visible sheets of a workbook that have content; empty where the file is of another kind.

    Raises:
        TableError: a damaged or encrypted workbook, or one that would fill the memory.
    """
    if not content.startswith(_WORKBOOK_BEGINS):
        return []
    from autopu_core.tables.workbooks import workbook_sheets

    return workbook_sheets(content, name)


def _content(source: Any, name: str | None) -> tuple[bytes, str]:
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), name or "table"
    if hasattr(source, "read"):
        content = source.read()
        return content if isinstance(content, bytes) else content.encode(), name or Path(_name_of(source)).name
    path = Path(source)
    try:
        return path.read_bytes(), name or path.name
    except FileNotFoundError:
        raise TableError(f"There is no file {str(path)!r}.") from None
    except IsADirectoryError:
        raise TableError(f"{str(path)!r} is a folder; name a file in it.") from None
    except (OSError, ValueError) as error:
        raise TableError(f"{str(path)!r} can't be read ({getattr(error, 'strerror', None) or error}).") from None


def _name_of(source: Any) -> str:
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "table"


def _reader(content: bytes) -> Callable[[bytes, str], Table]:
    if content.startswith(b"PAR1"):
        return _read_parquet
    if content.startswith((b"$FL2", b"$FL3", b"<stata_dta>")) or _is_old_stata(content):
        return _read_statistics
    return _read_text


def _is_old_stata(content: bytes) -> bool:
    return len(content) > 4 and content[0] in range(102, 116) and content[1] in (1, 2) and content[2] == 1


# -- text -----------------------------------------------------------------------------------------------------------


def _read_text(content: bytes, name: str) -> Table:
    encoding, note = encoding_of(content, name)
    notes = [note] if note else []
    start = content[:200_000].decode(encoding, errors="ignore")
    if re.search(r"^\s*@relation\b", start, re.IGNORECASE | re.MULTILINE):
        from autopu_core.tables.arff_files import read_arff

        columns, nominal = read_arff(content.decode(encoding), name)
        return assemble(name, columns, [*notes, "Read as ARFF."], nominal)
    kinds: list[str] = []
    if orange := _orange_kinds(start):
        content = _without_second_and_third_line(content.decode(encoding)).encode()
        encoding, kinds = "utf-8", orange
        notes.append("Lines 2 and 3 were read as Orange's types and roles, not as patients.")
    grid, separator = parse(content, encoding, name)
    names, _ = distinct_names(grid.names)
    nominal = {column for column, kind in zip(names, kinds, strict=False) if kind.strip() not in _ORANGE_NUMBERS}
    return from_grid(name, Grid(grid.names, grid.columns, notes + grid.notes), nominal, doubtful_point=separator == ";")


def _orange_kinds(text: str) -> list[str]:
    """Types of the columns in Orange's second line; none if lines 2 and 3 are patients."""
    lines = text.split("\n", 3)[:3]
    if len(lines) < 3:
        return []
    header, types, flags = (line.rstrip("\r").split("\t") for line in lines)
    if len(header) < 2 or len(types) != len(header) or len(flags) > len(header):
        return []
    known_flags = all(flag.strip() in _ORANGE_FLAGS or "=" in flag for flag in flags)
    known_types = sum(cell.strip() in _ORANGE_TYPES for cell in types)
    return types if known_flags and known_types >= len(types) / 4 and any(flag.strip() for flag in flags) else []


def _without_second_and_third_line(text: str) -> str:
    header, _, _, rest = text.split("\n", 3) if text.count("\n") > 2 else (text.split("\n", 1)[0], "", "", "")
    return f"{header}\n{rest}"


# -- files that know their types --------------------------------------------------------------------------------------


def _read_parquet(content: bytes, name: str) -> Table:
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(content))
        if file.metadata.num_rows * file.metadata.num_columns > _MOST_CELLS:
            raise TableError(
                f"{name} has {file.metadata.num_rows} rows, which is more than fits in memory; take a part."
            )
        # Without pandas' own remarks in the file: they may be damaged, and only say what is an index.
        frame = file.read().to_pandas(ignore_metadata=True)
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        raise TableError(f"{name} can't be read as Parquet ({_first_line(error)}); export it again.") from None
    frame.columns = [_UNNAMED_INDEX.sub("index", str(column)) for column in frame.columns]
    return from_frame(frame, name, [])


def _read_statistics(content: bytes, name: str) -> Table:
    from autopu_core.tables.statistics_files import read_statistics

    frame, notes = read_statistics(content, name)
    return from_frame(frame, name, notes)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120].rstrip(".")
