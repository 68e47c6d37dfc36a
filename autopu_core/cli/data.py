"""`autopu samples` and `autopu describe`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from autopu_core.cli.output import out, print_json, print_table
from autopu_core.tables import Table, describe_table, read_table
from sample_data import SAMPLES, sample_path

TablePath = Annotated[str, typer.Argument(metavar="TABLE", help="A table file, or the name of a sample.")]
Sheet = Annotated[str | None, typer.Option(help="Sheet of a workbook; the first one with content by default.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(samples)
    app.command()(describe)


def open_table(source: str, sheet: str | None = None) -> Table:
    """The table at a path, or the sample of that name."""
    path = Path(source)
    if not path.exists() and source in {sample.name for sample in SAMPLES}:
        path = sample_path(source)
    return read_table(path, sheet=sheet)


def samples(as_json: AsJson = False) -> None:
    """Show the tables that ship with the project."""
    records = [
        {
            "name": sample.name,
            "title": sample.title,
            "target": sample.target,
            "positive": ", ".join(sample.positive),
            "licence": sample.licence,
            "path": str(sample_path(sample.name)),
        }
        for sample in SAMPLES
    ]
    if as_json:
        print_json(records)
        return
    columns = ("name", "title", "target", "positive", "path")
    print_table(None, columns, [[record[name] for name in columns] for record in records])


def describe(table: TablePath, sheet: Sheet = None, as_json: AsJson = False) -> None:
    """Show the columns of a table, what they seem to be, and what to look out for."""
    read = open_table(table, sheet)
    description = describe_table(read)
    if as_json:
        record = {
            "name": read.name,
            "rows": len(read.frame),
            "fingerprint": read.fingerprint,
            "notes": list(read.notes),
            "missing_tokens": read.missing_tokens,
        }
        print_json({**record, **description.to_dict()})
        return
    print_table(
        f"{read.name}: {len(read.frame)} rows, {read.frame.shape[1]} columns",
        ("column", "role", "missing", "distinct", "examples", "left out because"),
        [
            [
                column.name,
                column.role,
                f"{column.missing_share:.0%}" if column.missing else "",
                column.distinct,
                ", ".join(column.examples),
                column.reason if column.leave_out else "",
            ]
            for column in description.columns
        ],
    )
    for sentence in (*read.notes, *description.warnings):
        out.print(f"- {escape(sentence)}")
    if description.proposed_target:
        values = " ".join(f"--positive {value!r}" for value in description.proposed_positive)
        out.print(f"\nPerhaps: autopu search {table} --target {description.proposed_target!r} {values}", markup=False)
