"""Readers written in C and Rust, for files that may be damaged on purpose or by accident.

A few wrong bytes in an old workbook or an SPSS file can make such a reader claim all memory, or end the process. Run as
a script, this module is that process: it reads the file from standard input under a memory limit and writes what it
found to standard output. So it imports nothing of the project.
"""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_MEMORY = 3_000_000_000
_MEMORY_PER_BYTE = 40
_SECONDS = 60
_SECONDS_PER_BYTE = 5e-6


class UnreadableError(Exception):
    """The reader refused the file, or came to grief over it."""


def filled_sheets(content: bytes, _argument: str | None = None) -> list[str]:
    """Names of the visible sheets of a workbook with content, or of all with content where none is visible.

    Raises:
        UnreadableError: no workbook, or a damaged one.
    """
    from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(content))
        visible = [entry.name for entry in workbook.sheets_metadata if entry.visible == SheetVisibleEnum.Visible]
        return [name for name in visible or workbook.sheet_names if workbook.get_sheet_by_name(name).height]
    except (CalamineError, OSError, ValueError, KeyError) as error:
        raise UnreadableError(str(error)) from None


def read_sheets(content: bytes, sheet: str | None) -> tuple[list[str], str | None, list[list[Any]]]:
    """Names of all sheets of a workbook, the one that was read, and its cells row by row.

    Args:
        content: of an .xlsx or .xls file.
        sheet: the one to read; by default the first visible one with content.

    Raises:
        UnreadableError: no workbook, or a damaged one.
    """
    from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(content))
        names = workbook.sheet_names
        visible = [entry.name for entry in workbook.sheets_metadata if entry.visible == SheetVisibleEnum.Visible]
        for candidate in [sheet] if sheet is not None else visible or names:
            if candidate not in names:
                break
            rows = workbook.get_sheet_by_name(candidate).to_python(skip_empty_area=False)
            if any(cell not in ("", None) for row in rows for cell in row):
                return names, candidate, rows
    except (CalamineError, OSError, ValueError, KeyError) as error:
        raise UnreadableError(str(error)) from None
    return names, None, []


def read_statistics_file(content: bytes, kind: str) -> tuple[Any, dict[str, dict[Any, str]]]:
    """A DataFrame with codes, and column -> code -> label.

    Args:
        content: of the file.
        kind: "sav" or "dta".

    Raises:
        UnreadableError: the file is damaged or of an unknown version.
    """
    import pyreadstat

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{kind}"  # the reader wants a file with a name
        path.write_bytes(content)
        try:
            frame, about = (pyreadstat.read_sav if kind == "sav" else pyreadstat.read_dta)(str(path))
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, OverflowError, MemoryError) as error:
            raise UnreadableError(str(error)) from None
    return frame, about.variable_value_labels


def apart(function: str, content: bytes, argument: str | None) -> Any:
    """What a function of this module returns, computed in a process of its own.

    Raises:
        UnreadableError: it failed, ran out of memory, or took too long.
    """
    request = pickle.dumps((function, content, argument))
    limit = _SECONDS + _SECONDS_PER_BYTE * len(content)
    try:
        done = subprocess.run(
            [sys.executable, __file__], input=request, capture_output=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        raise UnreadableError("it takes too long to read") from None
    if done.returncode != 0 or not done.stdout:
        raise UnreadableError("its reader gave up")
    outcome, result = pickle.loads(done.stdout)
    if outcome == "unreadable":
        raise UnreadableError(result)
    return result


def _serve() -> None:
    function, content, argument = pickle.load(sys.stdin.buffer)
    readers = {
        "filled_sheets": filled_sheets,
        "read_sheets": read_sheets,
        "read_statistics_file": read_statistics_file,
    }
    _limit_memory(_MEMORY + _MEMORY_PER_BYTE * len(content))
    try:
        answer = ("read", readers[function](content, argument))
    except UnreadableError as error:
        answer = ("unreadable", str(error))
    sys.stdout.buffer.write(pickle.dumps(answer))


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # Windows: the process alone must do
        return
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    _serve()
