"""What the columns of a table seem to be, what to look out for, and which guesses a person may start from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from autopu_core.tables.proposals import nested_names, propose_group, propose_positive, propose_target
from autopu_core.tables.roles import MOST_LEVELS, Role, guess_role
from autopu_core.tables.table import Table, written

LARGEST = float(np.finfo(np.float32).max)
"""Trees compute with float32; what is larger is treated as missing."""

_REASONS = {"identifier": "it names patients or records", "text": "it is free text"}
_CODES_FOR_MISSING = np.array((-9, -99, -999, -9999, 99, 999, 9999), dtype=np.float64)
_EXAMPLES = 3
_NAMED_SINGLY = 5


@dataclass(frozen=True)
class ColumnDescription:
    """What one column seems to be.

    Attributes:
        role: see `ROLES`.
        missing, missing_share: missing cells.
        distinct: different values.
        examples: up to three values as text.
        leave_out: a proposal; `reason` says why.
    """

    name: str
    role: Role
    missing: int
    missing_share: float
    distinct: int
    examples: tuple[str, ...]
    leave_out: bool = False
    reason: str | None = None


@dataclass(frozen=True)
class TableDescription:
    """All columns, warnings as sentences, and proposals that a person may overrule.

    Attributes:
        settled_by_group: those of the warnings that need no attention any more once the patient column is named.
    """

    columns: tuple[ColumnDescription, ...]
    warnings: tuple[str, ...]
    duplicate_rows: int
    proposed_target: str | None
    proposed_positive: tuple[str, ...]
    proposed_group: str | None
    settled_by_group: tuple[str, ...] = ()

    def roles(self) -> dict[str, Role]:
        """Column -> role."""
        return {column.name: column.role for column in self.columns}

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


def describe_table(table: Table) -> TableDescription:
    """Describe a table; nothing of it is changed."""
    frame = table.frame
    columns = tuple(describe_column(name, frame[name]) for name in frame.columns)
    roles = {column.name: column.role for column in columns}
    target = propose_target(frame, roles)
    positive = propose_positive(frame[target]) if target else ()
    group = propose_group(frame, roles)
    duplicates = int(frame.duplicated().sum())
    warnings = [*_missing_warnings(columns), *_number_warnings(frame, columns), *_kinds_warnings(columns)]
    several_rows = _several_rows_warnings(frame, roles, group)
    warnings += several_rows
    if duplicates:
        warnings.append(
            f"{duplicates} row{'s are' if duplicates > 1 else ' is'} an exact repeat of an earlier one; if they "
            "are the same patients, remove them or name the patient column."
        )
    return TableDescription(columns, tuple(warnings), duplicates, target, positive, group, tuple(several_rows))


def describe_column(name: str, column: pd.Series) -> ColumnDescription:
    """Role, missing cells, examples and whether to leave the column out."""
    codes, kinds = pd.factorize(column)
    role = guess_role(name, column)
    reason = _REASONS.get(role)
    if role == "constant":
        reason = "it is the same everywhere" if len(kinds) else "it has no values"
    missing = int((codes < 0).sum())
    share = missing / len(column) if len(column) else 0.0
    examples = tuple(written(kind) for kind in kinds[:_EXAMPLES])
    return ColumnDescription(name, role, missing, share, len(kinds), examples, reason is not None, reason)


# -- warnings ---------------------------------------------------------------------------------------------------------


def _missing_warnings(columns: tuple[ColumnDescription, ...]) -> list[str]:
    sparse = [column for column in columns if 0.5 < column.missing_share < 1]
    if len(sparse) <= _NAMED_SINGLY:
        return [f"{c.name!r} is missing in {min(c.missing_share, 0.99):.0%} of the rows." for c in sparse]
    return [f"{len(sparse)} columns are missing in more than half of the rows: {_some(c.name for c in sparse)}."]


def _number_warnings(frame: pd.DataFrame, columns: tuple[ColumnDescription, ...]) -> list[str]:
    warnings, infinite, large = [], [], []
    for column in columns:
        if column.role != "numeric":
            continue
        values = frame[column.name].to_numpy(dtype=np.float64)
        present = values[~np.isnan(values)]
        for code in _CODES_FOR_MISSING[np.isin(_CODES_FOR_MISSING, present)]:
            others = present[present != code]
            count = len(present) - len(others)
            if count > 1 and len(others) > 10 and _is_far_outside(code, others):
                warnings.append(
                    f"{column.name!r} has the value {code:g} in {count} rows, which may mean missing; if so, "
                    "empty those cells."
                )
        infinite += [column.name] if np.isinf(present).any() else []
        large += [column.name] if (np.abs(present[np.isfinite(present)]) > LARGEST).any() else []
    if infinite:
        warnings.append(f"Infinite values, treated as missing, occur in {_some(infinite)}.")
    if large:
        warnings.append(f"Numbers beyond 3.4e38, treated as missing, occur in {_some(large)}.")
    return warnings


def _is_far_outside(code: float, others: np.ndarray) -> bool:
    low, high = np.quantile(others, (0.01, 0.99))
    with np.errstate(invalid="ignore", over="ignore"):
        width = max(high - low, 1e-12)
        return bool(code < low - width or code > high + width)


def _kinds_warnings(columns: tuple[ColumnDescription, ...]) -> list[str]:
    return [
        f"{column.name!r} has {column.distinct} kinds; those beyond the {MOST_LEVELS} most frequent are taken together."
        for column in columns
        if column.role == "category" and column.distinct > MOST_LEVELS
    ]


def _several_rows_warnings(frame: pd.DataFrame, roles: dict[str, Role], group: str | None) -> list[str]:
    if group is not None:
        return [
            f"{group!r} has {frame[group].nunique()} different values in {len(frame)} rows: several rows seem to "
            "belong to one patient; name it as the patient column so that they stay together."
        ]
    if nested := nested_names(frame, roles):
        name, beginnings = nested
        return [
            f"The values of {name!r} have only {beginnings} different beginnings in {len(frame)} rows "
            f"({written(frame[name].iloc[0])!r} ..): if those are patients with several rows, add a column that names "
            "the patient, and choose it as the patient column so that they stay together."
        ]
    return []


def _some(names: Any) -> str:
    shown = [repr(name) for name in names]
    return ", ".join(shown[:_NAMED_SINGLY]) + (f" and {len(shown) - _NAMED_SINGLY} more" if len(shown) > 5 else "")
