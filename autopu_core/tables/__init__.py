"""Reading clinical files, describing their columns, and preparing them for learning."""

from autopu_core.tables.cells import MISSING_TOKENS
from autopu_core.tables.description import ColumnDescription, TableDescription, describe_table
from autopu_core.tables.leaks import leak_suspects
from autopu_core.tables.preparation import TablePreparer
from autopu_core.tables.reading import ENDINGS, read_table, sheet_names
from autopu_core.tables.roles import LEARNED_ROLES, ROLES
from autopu_core.tables.table import Table, as_text

__all__ = [
    "ENDINGS",
    "LEARNED_ROLES",
    "MISSING_TOKENS",
    "ROLES",
    "ColumnDescription",
    "Table",
    "TableDescription",
    "TablePreparer",
    "as_text",
    "describe_table",
    "leak_suspects",
    "read_table",
    "sheet_names",
]
