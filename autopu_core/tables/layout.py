"""Where in a block of records the table begins, how wide it is, and which line names its columns.

Records are lists of cells of text, from a file with separators or from a sheet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import pyarrow as pa

from autopu_core.errors import TableError
from autopu_core.tables.cells import MISSING_TOKENS

LOOKED_AT = 400
"""Records that decide on the layout."""

_NUMERIC = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MOST_TITLES = 50
_CHUNK = 5_000

Record = tuple[int, list[str]]
"""Number of the line (or row) in the file, cells."""


@dataclass(frozen=True)
class Grid:
    """Columns of text: names, as many arrays of cells, and notes on what was skipped or guessed."""

    names: list[str]
    columns: list[pa.Array]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Layout:
    """Width of the table in cells, names of the columns, and how many records stand before the first patient."""

    width: int
    names: list[str]
    skipped: int
    notes: list[str]


def is_blank(record: Sequence[str]) -> bool:
    """Whether no cell of a record has content."""
    return not any(cell and not cell.isspace() for cell in record)


def find_layout(
    records: list[Record], name: str, comment: list[str] | None = None, *, row_names: bool = False
) -> Layout:
    """The layout that the first records of a file show.

    Args:
        records: the first records, none blank.
        name: of the file, for messages.
        row_names: the first column may be names of rows that the line of names leaves out, as R writes them; not where
            a comma separates, as rows would also be longer by one through a decimal comma.
        comment: cells of the last line of comment above the records; it may be the line of names, as in "#id,age".

    Raises:
        TableError: there are names but no rows, or names and rows don't fit together.
    """
    width = _width(records)
    notes: list[str] = []
    wide = [n for n, (_, record) in enumerate(records) if len(record) >= width]
    start = next((n for n in wide if _filled(records[n][1]) > width / 2), wide[0])
    names = _names_above(records, start, width, name, row_names)
    if names is None and _is_header(records[start][1][:width], records[start + 1 :], comment, width):
        names, after = _exact(*records[start], width, name), start + 1
    else:
        after = start
        if names is None and start and len(records[start - 1][1]) == width:
            names = records[start - 1][1]  # most of them are empty
    titles = after - (names is not None)
    if names is None and comment and len(comment) == width:
        names = comment
        notes.append("The names of the columns were taken from the line of comment above the table.")
    if titles > _MOST_TITLES:
        raise TableError(
            f"{name} has {titles} lines that don't fit the {width} columns below them; remove or correct those lines."
        )
    if titles:
        shown = " ".join(cell.strip() for cell in records[0][1] if cell.strip())[:60]
        notes.append(f"{_counted(titles, 'line')} before the table skipped: {shown!r}.")
    if names is None:
        names = [f"column_{number}" for number in range(1, width + 1)]
        notes.append("The file has no line of column names; the columns are numbered.")
    return Layout(width, names, after, notes)


def fill(layout: Layout, records: Iterator[Record], name: str) -> Grid:
    """Columns from all records of the file, blank ones among them.

    Raises:
        TableError: no rows, or a row of another length; the sentence names the line.
    """
    parts: list[list[pa.Array]] = [[] for _ in range(layout.width)]
    counts = {"blank": 0}
    rows = _rows(layout, records, name, counts)
    while chunk := list(islice(rows, _CHUNK)):
        for part, cells in zip(parts, zip(*chunk, strict=True), strict=True):
            part.append(pa.array(cells, pa.string()))
    if not parts[0]:
        raise TableError(f"{name} has a line of column names but no rows.")
    columns = [pa.concat_arrays(part) for part in parts]
    notes = list(layout.notes)
    if counts["blank"]:
        notes.append(f"{_counted(counts['blank'], 'empty line')} left out.")
    empty = [n for n, column in enumerate(columns) if not layout.names[n].strip() and _is_empty(column)]
    if empty:
        notes.append(f"{_counted(len(empty), 'empty column')} without a name left out.")
    kept = [n for n in range(layout.width) if n not in set(empty)]
    return Grid([layout.names[n] for n in kept], [columns[n] for n in kept], notes)


def _rows(layout: Layout, records: Iterable[Record], name: str, counts: dict[str, int]) -> Iterator[list[str]]:
    width, before = layout.width, layout.skipped
    waiting = 0  # blank lines count only between rows, not after the last
    for line, record in records:
        if is_blank(record):
            waiting += len(record) > 1 or width == 1
            continue
        if before:
            before -= 1
            waiting = 0
            continue
        if len(record) != width:
            if len(record) > width and is_blank(record[width:]):
                record = record[:width]
            else:
                raise TableError(
                    f"Line {line} of {name} has {_counted(len(record), 'value')} where the table has "
                    f"{_counted(width, 'column')}; correct that line (perhaps a separator inside a value needs quotes)."
                )
        counts["blank"] += waiting
        waiting = 0
        yield record


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _is_empty(column: pa.Array) -> bool:
    return all(not cell.strip() for cell in column.unique().to_pylist())


def _filled(record: Sequence[str]) -> int:
    return sum(1 for cell in record if cell and not cell.isspace())


def _width(records: list[Record]) -> int:
    """Cells of most records, without a last one that is blank throughout (rows that end with a separator)."""
    counts = Counter(len(record) for _, record in records)
    width = max(counts, key=lambda cells: (counts[cells], cells))
    full = [record for _, record in records if len(record) == width]
    shorter = max((len(record) for _, record in records if len(record) < width), default=0)
    while width > max(shorter, 1) and shorter and all(not record[width - 1].strip() for record in full):
        width -= 1
    return width


def _exact(line: int, names: list[str], width: int, name: str) -> list[str]:
    if not is_blank(names[width:]):
        raise _misfit(line, len(names), width, name)
    return names[:width]


def _misfit(line: int, names: int, width: int, name: str) -> TableError:
    return TableError(
        f"Line {line} of {name} looks like the column names but has {names} of them, while the rows have "
        f"{_counted(width, 'value')}; correct that line."
    )


def _names_above(records: list[Record], start: int, width: int, name: str, row_names: bool) -> list[str] | None:
    """Column names from the line above the first full row, where that line is a little longer or shorter."""
    if not start:
        return None
    line, above = records[start - 1]
    while above and not above[-1].strip():
        above = above[:-1]
    if not _is_header(above, records[start:], None, len(above)):
        return None
    if len(above) == width:
        return above
    firsts = [record[0] for _, record in records[start:] if len(record) == width]
    if row_names and len(above) == width - 1 and len(set(firsts)) == len(firsts):
        return ["", *above]  # R writes the names of the columns only, not that of the row names
    if len(above) > width / 2:
        raise _misfit(line, len(above), width, name)
    return None


def _is_header(first: list[str], others: list[Record], comment: list[str] | None, width: int) -> bool:
    """Whether a record holds names rather than a patient.

    A column votes for names where numbers follow a text, and against where a number stands among numbers or a text
    comes again below. Without any vote a record of different texts is taken as names, unless a comment could be them.
    """
    cells = [cell.strip() for cell in first]
    if all(_is_number(cell) or _is_gap(cell) for cell in cells):
        return False
    rows = [record for _, record in others[: max(20, 100_000 // width)] if len(record) >= len(cells)]
    votes = proven = 0
    for position, cell in enumerate(cells):
        below = {record[position].strip() for record in rows}
        below = {other for other in below if not _is_gap(other)}
        if _is_gap(cell) or not below:
            continue
        numeric = sum(map(_is_number, below)) > 0.8 * len(below)
        if numeric:
            votes += -1 if _is_number(cell) else 1
            proven += not _is_number(cell)
        elif cell in below:
            votes -= 1
    if comment is not None and len(comment) == width > 2 and not proven:
        return False
    return votes > 0 or (votes == 0 and not any(map(_is_number, cells)))


def _is_number(cell: str) -> bool:
    return _NUMERIC.fullmatch(cell) is not None


def _is_gap(cell: str) -> bool:
    return cell.lower() in MISSING_TOKENS
