"""Guesses that a person may start from: the diagnosis column, its positive values, the patient column."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

from autopu_core.tables.table import as_text

_FEW_LEVELS = 10
_CLEAR_TARGET = re.compile(r"diagnos|target|outcome|(?:^|[\s_./-])class|^classification|label|status", re.IGNORECASE)
_POSSIBLE_TARGET = re.compile(
    r"disease|category|group|death|died|surviv|case.?control|result|cancer|positive", re.IGNORECASE
)
_POSITIVE = re.compile(
    r"yes|y|true|positive|pos|\+|case|cases|sick|ill|diseased?|malignant|abnormal|impaired|demented|infected|present"
    r"|dead|deceased|died.*|recurred|relapsed?|patient|cancer|tumou?r|ckd|ja|oui|si|sí",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"no|n|false|negative|neg|-|controls?|healthy|normal|benign|absent|alive|living|survived|none|notckd|nein|non|0",
    re.IGNORECASE,
)
_PATIENT_NAME = re.compile(r"patient|subject|participant|person|mrn|(?:^|[\s_])pid(?:$|[\s_])", re.IGNORECASE)
_LAST_PART = re.compile(r"(.*\d.*\D)\d{1,3}")


def propose_target(frame: pd.DataFrame, roles: Mapping[str, str]) -> str | None:
    """The column that most looks like the diagnosis: by its name, at the end of the table, with two values."""
    best, chosen = 1, None
    for position, name in enumerate(frame.columns):
        if roles[name] not in ("category", "numeric"):
            continue
        distinct = frame[name].nunique()
        clear, possible = _CLEAR_TARGET.search(name), _POSSIBLE_TARGET.search(name)
        if distinct > _FEW_LEVELS or (distinct < 2 and not clear and not possible):
            continue
        score = (3 if clear else 2 if possible else 0) + 2 * (position == len(frame.columns) - 1) + (distinct == 2)
        if score > best or (score == best and chosen and position == len(frame.columns) - 1):
            best, chosen = score, name
    return chosen


def propose_positive(column: pd.Series) -> tuple[str, ...]:
    """The value that means positive, as text; empty where it can't be told."""
    counts = as_text(column).value_counts()
    kinds = [str(kind) for kind in counts.index]
    named = [kind for kind in kinds if _POSITIVE.fullmatch(kind)]
    if named:
        return (named[0],)
    if len(kinds) == 1:
        return (kinds[0],)
    if len(kinds) != 2:
        return ()
    if set(kinds) in ({"0", "1"}, {"1", "2"}):
        return ("1",)
    if {kind.upper() for kind in kinds} == {"M", "B"}:  # malignant, benign
        return tuple(kind for kind in kinds if kind.upper() == "M")
    others = [kind for kind in kinds if not _NEGATIVE.fullmatch(kind)]
    return (others[0],) if len(others) == 1 else (kinds[-1],)


def propose_group(frame: pd.DataFrame, roles: Mapping[str, str]) -> str | None:
    """The column whose name and repeated values look like patients with several rows each."""
    for name in frame.columns:
        if roles[name] in ("identifier", "category", "numeric", "text") and _PATIENT_NAME.search(name):
            distinct, present = frame[name].nunique(), int(frame[name].notna().sum())
            if distinct > _FEW_LEVELS and present > 1.05 * distinct:
                return name
    return None


def nested_names(frame: pd.DataFrame, roles: Mapping[str, str]) -> tuple[str, int] | None:
    """A column of names that differ only in a last number, such as S01_1 and S01_2, and how many beginnings it has."""
    for name in frame.columns:
        if roles[name] != "identifier" or not isinstance(frame[name].dtype, pd.StringDtype):
            continue
        beginnings = frame[name].dropna().str.extract(f"^{_LAST_PART.pattern}$", expand=False)
        distinct = beginnings.nunique()
        if beginnings.notna().all() and distinct > _FEW_LEVELS and 0.05 < distinct / len(beginnings) < 0.67:
            return name, distinct
    return None
