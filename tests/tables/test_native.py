"""A reader that claims all memory, ends its process or never ends costs one file, not the program."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autopu_core.errors import TableError
from autopu_core.tables import native, read_table
from autopu_core.tables.native import UnreadableError, apart

OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such memory limit")
def test_a_workbook_that_claims_all_memory_is_refused() -> None:
    """The header is that of a sound workbook but for its table of sectors, which it says is endless."""
    header = bytearray(OLD_EXCEL + bytes(504))
    header[24:34] = b"\x3e\x00\x03\x00\xfe\xff\x09\x00\x06\x00"
    header[44:48] = b"\xff\xff\xff\x7f"
    with pytest.raises(TableError, match="can't be opened as an Excel file"):
        read_table(bytes(header) + bytes(4096))


def test_a_reader_that_dies_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    dead = subprocess.CompletedProcess([], returncode=-6, stdout=b"", stderr=b"memory allocation failed")
    monkeypatch.setattr(native.subprocess, "run", lambda *_, **__: dead)
    with pytest.raises(TableError, match="its reader gave up"):
        read_table(OLD_EXCEL + bytes(600), "old.xls")


def test_a_reader_that_never_ends_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_SECONDS", 0.0)
    with pytest.raises(UnreadableError, match="too long"):
        apart("read_sheets", OLD_EXCEL, None)
