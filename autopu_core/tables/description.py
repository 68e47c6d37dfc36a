"""What the columns of a table seem to be, what to look out for, and which guesses a person may start from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from autopu_core.tables.table import Table, as_text

Role = Literal["numeric", "category", "date", "text", "identifier", "constant"]
ROLES: dict[str, str] = {
    "numeric": "a measurement",
    "category": "one of a few kinds",
    "date": "a day",
    "text": "free text, not learned from",
    "identifier": "names a patient or record, not learned from",
    "constant": "the same everywhere, not learned from",
}
LEARNED_ROLES = ("numeric", "category", "date")

_ID_NAME = re.compile(
    r"(?:^|[\s_.-])(?:id|ids|mrn|pid|ssn|uuid|guid|patient|subject|participant|record|case|accession|barcode|name)"
    r"(?:$|[\s_.-]|no$|nr$|number$)|(?:patient|subject|record|case)[\s_.-]?(?:id|no|nr|number|code)",
    re.IGNORECASE,
)
_PATIENT_NAME = re.compile(r"patient|subject|participant|person|mrn|(?:^|[\s_])pid(?:$|[\s_])", re.IGNORECASE)
_TARGET_NAME = re.compile(
    r"diagnos|target|outcome|class$|^class|label|disease|status|category|group|death|died|surviv|case.?control|result",
    re.IGNORECASE,
)
_POSITIVE = re.compile(
    r"^(?:yes|y|true|positive|pos|\+|1|case|sick|ill|disease[d]?|malignant|abnormal|impaired|present|dead|died.*|patient|m)$",
    re.IGNORECASE,
)
_MOST_LEVELS = 50
_FEW_LEVELS = 10
_CODES_FOR_MISSING = (-9, -99, -999, -9999, 99, 999, 9999)
_LEAK_AUC = 0.99
_EXAMPLES = 3


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
    """All columns, warnings as sentences, and proposals that a person may overrule."""

    columns: tuple[ColumnDescription, ...]
    warnings: tuple[str, ...]
    duplicate_rows: int
    proposed_target: str | None
    proposed_positive: tuple[str, ...]
    proposed_group: str | None

    def roles(self) -> dict[str, str]:
        """Column -> role."""
        return {column.name: column.role for column in self.columns}

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


def describe_table(table: Table) -> TableDescription:
    """Describe a table; nothing of it is changed."""
    frame = table.frame
    columns = tuple(describe_column(name, frame[name]) for name in frame.columns)
    target = _proposed_target(columns)
    positive = _proposed_positive(frame[target]) if target else ()
    group = _proposed_group(frame, columns)
    duplicates = int(frame.duplicated().sum())
    warnings = [*_column_warnings(frame, columns), *_group_warning(frame, group)]
    if duplicates:
        warnings.append(
            f"{duplicates} row{'s are' if duplicates > 1 else ' is'} an exact repeat of an earlier one; if they "
            "are the same patients, remove them or name the patient column."
        )
    return TableDescription(columns, tuple(warnings), duplicates, target, positive, group)


def describe_column(name: str, column: pd.Series) -> ColumnDescription:
    """Role, missing cells, examples and whether to leave the column out."""
    present = column.dropna()
    distinct = int(present.nunique())
    role = guess_role(name, column)
    examples = tuple(as_text(present.drop_duplicates().head(_EXAMPLES)).tolist())
    reason = {
        "constant": "it has no values" if distinct == 0 else "it is the same everywhere",
        "identifier": "it names patients or records",
        "text": "it is free text",
    }.get(role)
    missing = int(column.isna().sum())
    share = missing / len(column) if len(column) else 0.0
    return ColumnDescription(name, role, missing, share, distinct, examples, reason is not None, reason)


def guess_role(name: str, column: pd.Series) -> Role:
    """What a column seems to be, from its name, type and values."""
    present = column.dropna()
    distinct = present.nunique()
    if distinct < 2:
        return "constant"
    unique_share = distinct / len(present)
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "date"
    if pd.api.types.is_bool_dtype(column.dtype):
        return "category"
    if pd.api.types.is_numeric_dtype(column.dtype):
        whole = pd.api.types.is_integer_dtype(column.dtype) or bool((present % 1 == 0).all())
        if whole and unique_share > 0.9 and len(present) > 20 and (_ID_NAME.search(name) or _counts_up(present)):
            return "identifier"
        if whole and _ID_NAME.search(name) and distinct > _MOST_LEVELS:
            return "identifier"
        return "numeric"
    if (unique_share > 0.9 and len(present) > 20) or (_ID_NAME.search(name) and distinct > _FEW_LEVELS):
        spaces = present.str.strip().str.contains(r"\s\S+\s", regex=True).mean()
        return "text" if spaces > 0.5 and not _ID_NAME.search(name) else "identifier"
    long = present.str.len().mean() > 40 or (distinct > _MOST_LEVELS and unique_share > 0.5)
    return "text" if long else "category"


def leak_suspects(frame: pd.DataFrame, roles: Mapping[str, str], positive: np.ndarray) -> list[tuple[str, str]]:
    """Columns that alone nearly give the answer away, with the reason in words.

    Args:
        frame: rows of the table, without the target column.
        roles: column -> role.
        positive: bool (n,).
    """
    suspects = []
    if not 0 < positive.sum() < len(positive):
        return suspects
    for name in frame.columns:
        if roles.get(name) not in LEARNED_ROLES:
            continue
        column = frame[name]
        if roles[name] == "category":
            rates = pd.Series(positive).groupby(as_text(column).fillna("").to_numpy()).mean()
            score = as_text(column).fillna("").map(rates).to_numpy(dtype=float)
            if len(rates) > 0.2 * len(column):
                continue
        else:
            number = column.astype("int64").astype(float) if roles[name] == "date" else column.astype(float)
            score = number.fillna(number.median()).to_numpy()
        auc = roc_auc_score(positive, score)
        if max(auc, 1 - auc) >= _LEAK_AUC:
            suspects.append((name, f"the column {name!r} alone tells positives from the others almost perfectly"))
            continue
        gaps = column.isna().to_numpy()
        if 0 < gaps.sum() < len(gaps) and max(a := roc_auc_score(positive, gaps), 1 - a) >= _LEAK_AUC:
            suspects.append((name, f"whether {name!r} is filled in already tells positives from the others"))
    return suspects


def _counts_up(present: pd.Series) -> bool:
    return bool((present.diff().dropna() == 1).mean() > 0.95)


def _proposed_target(columns: tuple[ColumnDescription, ...]) -> str | None:
    def fitness(position: int) -> tuple[int, int, int]:
        column = columns[position]
        named = bool(_TARGET_NAME.search(column.name))
        at_edge = position == len(columns) - 1
        return (2 * named + 2 * at_edge + (column.distinct == 2), at_edge, -position)

    possible = [
        n for n, c in enumerate(columns) if 2 <= c.distinct <= _FEW_LEVELS and c.role in ("category", "numeric")
    ]
    if not possible:
        return None
    best = max(possible, key=fitness)
    return columns[best].name if fitness(best)[0] >= 2 else None


def _proposed_positive(column: pd.Series) -> tuple[str, ...]:
    counts = as_text(column).value_counts()
    named = [value for value in counts.index if _POSITIVE.match(value)]
    if named:
        return (named[0],)
    return (str(counts.index[-1]),) if len(counts) == 2 else ()


def _proposed_group(frame: pd.DataFrame, columns: tuple[ColumnDescription, ...]) -> str | None:
    for column in columns:
        if column.role in ("identifier", "category", "numeric", "text") and _PATIENT_NAME.search(column.name):
            rows = int(frame[column.name].notna().sum())
            if column.distinct > _FEW_LEVELS and rows > 1.05 * column.distinct:
                return column.name
    return None


def _group_warning(frame: pd.DataFrame, group: str | None) -> list[str]:
    if group is None:
        return []
    return [
        f"{group!r} has {frame[group].nunique()} different values in {len(frame)} rows: several rows seem to belong to "
        "one patient; name it as the patient column so that they stay together."
    ]


def _column_warnings(frame: pd.DataFrame, columns: tuple[ColumnDescription, ...]) -> list[str]:
    warnings = []
    for column in columns:
        if 0.5 < column.missing_share < 1:
            warnings.append(f"{column.name!r} is missing in {column.missing_share:.0%} of the rows.")
        values = frame[column.name]
        if column.role == "numeric":
            for code in _CODES_FOR_MISSING:
                count = int((values == code).sum())
                others = values[(values != code) & values.notna()]
                if count > 1 and len(others) > 10 and _far_outside(code, others):
                    warnings.append(
                        f"{column.name!r} has the value {code} in {count} rows, which may mean missing; if so, "
                        "empty those cells."
                    )
            if np.isinf(values.to_numpy(dtype=float)).any():
                warnings.append(f"{column.name!r} holds infinite values, which are treated as missing.")
        if column.role == "category" and column.distinct > 30:
            warnings.append(f"{column.name!r} has {column.distinct} kinds; the rare ones are taken together.")
    return warnings


def _far_outside(code: int, others: pd.Series) -> bool:
    low, high = others.quantile(0.01), others.quantile(0.99)
    width = max(high - low, 1e-12)
    return code < low - width or code > high + width
