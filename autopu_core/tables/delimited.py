"""Text files with separators: encoding, separator, what stands before the header, and whether there is a header."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass

from autopu_core.errors import TableError
from autopu_core.tables.cells import MISSING_TOKENS

_SEPARATORS = {"\t": "tab", ";": "semicolon", "|": "vertical bar", ",": "comma"}
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOOKED_AT = 400  # records that decide on separator and width
_CONSISTENT = 0.9
_COMMENT = re.compile(r"\s*(?:#|%|//)")
_NUMERIC = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?")

csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True)
class Grid:
    """Cells of text: names of the columns, rows of equal length, and notes on what was skipped or guessed."""

    names: list[str]
    rows: list[list[str]]
    notes: list[str]


def decode(content: bytes, name: str) -> tuple[str, str | None]:
    """Text of a file, and a note where the encoding had to be guessed.

    Raises:
        TableError: the content is no text.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            try:
                return content.decode(encoding), None
            except UnicodeDecodeError:
                raise TableError(f"{name} begins like {encoding} text but isn't; save it again as UTF-8.") from None
    head = content[:4000]
    if head.count(0) > len(head) // 4:
        for encoding, position in (("utf-16-le", 1), ("utf-16-be", 0)):
            if head[position::2].count(0) > 0.7 * len(head[position::2]):
                try:
                    return content.decode(encoding), "The text was read as UTF-16."
                except UnicodeDecodeError:
                    break
    if 0 in head or sum(byte < 9 or 13 < byte < 32 for byte in head) > 0.02 * len(head):
        raise TableError(f"{name} is not a table: it holds binary data; export it as CSV or Excel.")
    try:
        return content.decode("utf-8"), None
    except UnicodeDecodeError:
        pass
    try:
        return content.decode("cp1252"), "The text was read as Windows-1252 (Western European); check accented letters."
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes

        guess = from_bytes(content[:1_000_000]).best()
        if guess is None:
            raise TableError(f"The encoding of {name} can't be told; save it as UTF-8.") from None
        return content.decode(guess.encoding, errors="replace"), f"The text was read as {guess.encoding}; check it."


def parse(text: str, name: str) -> Grid:
    """Records of a text with separators.

    Raises:
        TableError: no rows, or rows of different lengths; the sentence names the line.
    """
    notes: list[str] = []
    lines = text.splitlines(keepends=True)
    comments = 0
    while comments < len(lines) and (not lines[comments].strip() or _COMMENT.match(lines[comments])):
        comments += 1
    if comments and any(line.strip() for line in lines[:comments]):
        notes.append(f"{comments} lines of comment before the table were skipped.")
    body = "".join(lines[comments:])
    if not body.strip():
        raise TableError(f"{name} is empty.")
    separator, records = _split(body)
    if separator not in (",", ""):
        notes.append(f"The columns are separated by {_SEPARATORS.get(separator, 'space')}s.")
    width = _width(records)
    start = next(number for number, (_, record) in enumerate(records) if len(record) == width)
    header = _names_above(records, start, width, name, comments)
    start -= header is not None
    if start:
        shown = separator.join(records[0][1])[:60]
        notes.append(f"{start} line{'s' if start > 1 else ''} before the table skipped: {shown!r}.")
    if header is None and _is_header(records[start][1], records[start + 1 :]):
        header = records[start][1]
    if header is None:
        header = [f"column_{number}" for number in range(1, width + 1)]
        notes.append("The file has no line of column names; the columns are numbered.")
        rows = records[start:]
    else:
        rows = records[start + 1 :]
    return _checked(name, header, rows, comments, notes)


def _names_above(
    records: list[tuple[int, list[str]]], start: int, width: int, name: str, offset: int
) -> list[str] | None:
    """Column names from the line above the first full row, where that line is a little longer or shorter."""
    if not start or not _is_header(records[start - 1][1], records[start:]):
        return None
    line, above = records[start - 1]
    while above and not above[-1].strip():
        above = above[:-1]
    if len(above) == width:
        return above
    if len(above) == width - 1:
        return ["", *above]  # R writes the names of the columns only, not that of the row names
    if len(above) > width / 2:
        raise TableError(
            f"Line {line + offset} of {name} looks like the column names but has {len(above)} of them, while the rows "
            f"have {width} values; correct that line."
        )
    return None


def _split(body: str) -> tuple[str, list[tuple[int, list[str]]]]:
    """The separator, and the records with the number of the line that each ends on; blank lines left out."""
    best: tuple[float, int, str] = (0.0, 0, "")
    head = "".join(body.splitlines(keepends=True)[:_LOOKED_AT])
    for preference, separator in enumerate(_SEPARATORS):
        widths = [len(record) for _, record in _records(head, separator)]
        (width, count), *_ = Counter(widths).most_common(1)
        share = count / len(widths)
        if width > 1 and share >= _CONSISTENT:
            best = (1.0, -preference, separator)
            break
        if width > 1:
            best = max(best, (share, width, separator))
    if best[2]:
        return best[2], _records(body, best[2])
    spaced = [line.split() for line in head.splitlines() if line.strip()]
    widths = {len(cells) for cells in spaced}
    if len(widths) == 1 and widths.pop() > 1 and len(spaced) > 1 and all(map(_NUMERIC.fullmatch, spaced[-1])):
        return " ", [(n, line.split()) for n, line in enumerate(body.splitlines(), start=1) if line.strip()]
    return "", _records(body, "\0")


def _records(text: str, separator: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    return [(reader.line_num, record) for record in reader if any(cell.strip() for cell in record)]


def _width(records: list[tuple[int, list[str]]]) -> int:
    counts = Counter(len(record) for _, record in records)
    return max(counts, key=lambda width: (counts[width], width))


def _is_header(first: list[str], others: list[tuple[int, list[str]]]) -> bool:
    """Names rather than data: no more than a few numbers, and different texts."""
    cells = [cell.strip() for cell in first]
    numbers = sum(bool(_NUMERIC.fullmatch(cell)) for cell in cells)
    gaps = sum(cell.lower() in MISSING_TOKENS for cell in cells)
    if numbers + gaps == len(cells):
        return False
    if not numbers:
        return True
    rows = [record for _, record in others[:50] if len(record) == len(first)]
    in_rows = [sum(bool(_NUMERIC.fullmatch(cell.strip())) for cell in record) for record in rows]
    return numbers <= 0.5 * len(cells) and (not rows or numbers < 0.5 * max(in_rows))


def _checked(name: str, header: list[str], records: list, offset: int, notes: list[str]) -> Grid:
    if not records:
        raise TableError(f"{name} has a line of column names but no rows.")
    width = len(header)
    rows = []
    for line, record in records:
        if len(record) > width and not any(cell.strip() for cell in record[width:]):
            record = record[:width]
        if len(record) != width:
            raise TableError(
                f"Line {line + offset} of {name} has {len(record)} values where the table has {width} columns; correct "
                "that line (perhaps a separator inside a value needs quotes)."
            )
        rows.append(record)
    empty = [
        position
        for position in range(width)
        if not header[position].strip() and not any(row[position].strip() for row in rows)
    ]
    if empty:
        notes.append(f"{len(empty)} empty column{'s' if len(empty) > 1 else ''} without a name left out.")
        kept = [position for position in range(width) if position not in set(empty)]
        header = [header[position] for position in kept]
        rows = [[row[position] for position in kept] for row in rows]
    return Grid(header, rows, notes)
