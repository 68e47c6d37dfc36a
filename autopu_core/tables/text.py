"""Whether bytes are the text of a table, and in which encoding."""

from __future__ import annotations

import codecs
import json

from autopu_core.errors import TableError

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x28\xb5\x2f\xfd")
_HEAD = 4000


def encoding_of(content: bytes, name: str) -> tuple[str, str | None]:
    """The encoding that decodes all of the content, and a note where it had to be guessed.

    Raises:
        TableError: the content is no text, is damaged, or is the text of something other than a table.
    """
    _refuse_other_files(content, name)
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            if not _decodes(content, encoding):
                raise TableError(f"{name} begins like {encoding} text but isn't; save it again as UTF-8.")
            return encoding, None
    head = content[:_HEAD]
    for encoding, high in (("utf-16-le", 1), ("utf-16-be", 0)):
        if _zeros(head[high::2]) > 0.7 and _zeros(head[1 - high :: 2]) < 0.01 and _decodes(content, encoding):
            return encoding, "The text was read as UTF-16."
    if 0 in content or sum(byte < 9 or 13 < byte < 32 for byte in head) > 0.02 * len(head):
        raise TableError(f"{name} is not a table, or is damaged: it holds binary data; export it as CSV or Excel.")
    try:
        content.decode("utf-8")
        return "utf-8", None
    except UnicodeDecodeError as error:
        _refuse_damaged(content, error, name)
    if _decodes(content, "cp1252"):
        return "cp1252", "The text was read as Windows-1252 (Western European); check accented letters."
    from charset_normalizer import from_bytes

    guess = from_bytes(content[:1_000_000]).best()
    if guess is None or not _decodes(content, guess.encoding):
        raise TableError(f"The encoding of {name} can't be told; save it as UTF-8.")
    return guess.encoding, f"The text was read as {guess.encoding}; check accented letters."


def _zeros(part: bytes) -> float:
    return part.count(0) / max(len(part), 1)


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeError:
        return False
    return True


def _refuse_damaged(content: bytes, error: UnicodeDecodeError, name: str) -> None:
    """Text that is UTF-8 but for a few bytes is damaged; as Windows-1252 all its accents would be misread."""
    readable = content.decode("utf-8", errors="ignore")
    beyond_ascii = sum(ord(sign) > 127 for sign in readable) if not readable.isascii() else 0
    broken = sum(byte > 127 for byte in content) - sum(len(sign.encode()) for sign in readable if ord(sign) > 127)
    if beyond_ascii >= max(1, broken):
        line = content.count(b"\n", 0, error.start) + 1
        raise TableError(f"{name} is UTF-8 text with damaged bytes in line {line}; get a new copy of it.") from None


def _refuse_other_files(content: bytes, name: str) -> None:
    if content.startswith(_COMPRESSED):
        raise TableError(f"{name} is compressed; unpack it first.")
    start, end = content[:_HEAD].lstrip().lower(), content[-200:].rstrip()
    if start.startswith(b"%pdf"):
        raise TableError(f"{name} is a PDF document; ask for the table behind it as CSV or Excel.")
    if start.startswith(b"{\\rtf"):
        raise TableError(f"{name} is a text document (RTF); save its table as CSV.")
    if start.startswith((b"<!doctype", b"<html", b"<table", b"<?xml", b"<workbook")):
        raise TableError(f"{name} is a web page or XML, not a table; open it in Excel and save it as .xlsx.")
    if (start[:1], end[-1:]) in ((b"{", b"}"), (b"[", b"]")) and _is_json(content):
        raise TableError(f"{name} is JSON, not a table; export it as CSV.")


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True
