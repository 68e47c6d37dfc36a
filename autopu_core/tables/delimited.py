"""Text files with separators: which separator, which lines are comment, and the records between."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from autopu_core.errors import TableError
from autopu_core.tables.layout import LOOKED_AT, Grid, Record, fill, find_layout, is_blank

_SEPARATORS = {"\t": "tab", ";": "semicolon", "|": "vertical bar", ",": "comma", " ": "space"}
_FOREIGN = {
    separator: re.compile("[" + re.escape("".join(other for other in "\t;|," if other != separator)) + "]")
    for separator in "\t;|,"
}
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+\s*")
_CONSISTENT = 0.9
_TRIED = 50  # records whose cells are looked at for other separators
_COMMENT = re.compile(r"\s*(?:#|%|//)")
_DECLARED = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)
_NUMERIC = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_HEAD = 1_000_000
_NEVER = "\x1f"  # a separator that no text has

csv.field_size_limit(2**31 - 1)


def parse(content: bytes, encoding: str, name: str) -> tuple[Grid, str]:
    """The columns of a text with separators, and the separator ("" where there is one column).

    Raises:
        TableError: no rows, or rows of different lengths; the sentence names the line.
    """
    head = _lines(content, encoding)
    comments, declared, names = 0, None, None
    lines = list(islice(_whole_lines(head), 20 * LOOKED_AT))
    while comments < len(lines) and (not lines[comments].strip() or _COMMENT.match(lines[comments])):
        names = lines[comments] if lines[comments].strip() else names
        comments += 1
    if comments < len(lines) and (found := _DECLARED.fullmatch(lines[comments])):
        declared, comments = found[1], comments + 1
    body = lines[comments:]
    if not any(line.strip() for line in body):
        raise TableError(f"{name} is empty.")
    separator = declared or _separator("".join(body))
    records = _first_records("".join(body), separator, comments)
    if not records:
        raise TableError(f"{name} is empty.")
    comment = None if names is None else _commented_names(names, separator)
    layout = find_layout(records, name, comment, row_names=separator != ",")
    if names is not None:
        layout.notes.insert(0, f"{comments} line{'s' if comments > 1 else ''} of comment before the table skipped.")
    if separator not in (",", ""):
        layout.notes.append(f"The columns are separated by {_SEPARATORS.get(separator, repr(separator))}s.")
    return fill(layout, _records(_lines(content, encoding), separator, comments, name), name), separator


def _lines(content: bytes, encoding: str) -> io.TextIOWrapper:
    """Lines decoded as they are needed; their endings are kept, so that quoted cells may hold line breaks."""
    return io.TextIOWrapper(io.BytesIO(content), encoding=encoding, newline="")


def _whole_lines(stream: io.TextIOWrapper) -> Iterator[str]:
    """Lines within the first million signs, so that a file that is one line isn't read twice."""
    left = _HEAD
    for line in stream:
        yield line
        left -= len(line)
        if left < 0:
            return


def _separator(text: str) -> str:
    """What separates cells: gives records of equal length whose cells hold no other separator; "" if there is none."""
    best: tuple[float, int] = (0.0, 0)
    chosen = ""
    for separator, foreign in _FOREIGN.items():
        records = [record for _, record in _first_records(text, separator, 0)]
        width, count = max(Counter(map(len, records)).items(), key=lambda item: item[1], default=(0, 0))
        if width < 2:
            continue
        cells = [cell for record in records[:_TRIED] if len(record) == width for cell in record if cell]
        mixed = sum(1 for cell in cells if foreign.search(cell) and not _DECIMAL_COMMA.fullmatch(cell))
        share = count / len(records)
        clean = 1 - mixed / max(len(cells), 1)
        best_so_far = ((1.0 if share >= _CONSISTENT else share) * round(clean, 2), width)
        if best_so_far > best:
            best, chosen = best_so_far, separator
    if chosen:
        return chosen
    return " " if _is_spaced(text) else ""


def _is_spaced(text: str) -> bool:
    """Whether runs of spaces separate cells for certain: equally many in several lines, most of them numbers."""
    rows = [line.split() for line in text.splitlines()[:LOOKED_AT] if line.strip()]
    if len(rows) < 3 or len(rows[0]) < 2 or len({len(row) for row in rows}) > 1:
        return False
    cells = [cell for row in rows[1:] for cell in row]
    return sum(_NUMERIC.fullmatch(cell) is not None for cell in cells) > len(cells) / 2


def _first_records(text: str, separator: str, skipped: int) -> list[Record]:
    """The first records, none blank; quotation marks out of place are tolerated here."""
    found = ((line, record) for line, record in _split(io.StringIO(text, newline=""), separator, strict=False))
    return [(line + skipped, record) for line, record in islice(found, LOOKED_AT) if not is_blank(record)]


def _records(stream: io.TextIOWrapper, separator: str, skipped: int, name: str) -> Iterator[Record]:
    for _ in range(skipped):
        stream.readline()
    line = 0
    try:
        for line, record in _split(stream, separator, strict=True):
            yield line + skipped, record
    except csv.Error as error:
        raise TableError(
            f"After line {line + skipped} of {name} a quotation mark stands where it can't be understood ({error}); "
            "correct that line."
        ) from None


def _split(stream: io.TextIOBase, separator: str, *, strict: bool) -> Iterator[Record]:
    """Number of the line that each record ends on, and its cells.

    Strict: an opening quotation mark that is never closed would swallow rows, so it is an error.
    """
    if separator == " ":
        yield from ((number, line.split()) for number, line in enumerate(stream, start=1))
        return
    reader = csv.reader(stream, delimiter=separator or _NEVER, skipinitialspace=True, strict=strict)
    for record in reader:
        yield reader.line_num, record


def _commented_names(line: str, separator: str) -> list[str]:
    text = line.strip().lstrip("#").lstrip("/").strip() if not line.lstrip().startswith("%") else line.strip()
    return (
        next(csv.reader([text], delimiter=separator or _NEVER, skipinitialspace=True))
        if separator != " "
        else text.split()
    )
