"""What a column seems to be: its role, guessed from name, type and values."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np
import pandas as pd

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

MOST_LEVELS = 50
"""Kinds of a category that are kept apart; rarer ones are taken together."""

_ID_NAME = re.compile(
    r"(?:^|[\s_.-])(?:id|ids|mrn|pid|ssn|uuid|guid|patient|subject|participant|record|case|accession|barcode|name)"
    r"(?:$|[\s_.-]|no$|nr$|number$)|(?:patient|subject|record|case)[\s_.-]?(?:id|no|nr|number|code)"
    r"|[a-z]I[dD]$|^(?:unnamed: ?0|row|rownames|index|lfd[\s_.-]?nr|nr|#)$",
    re.IGNORECASE,
)
_FEW_ROWS = 20
_NEARLY_ALL = 0.9
_FEW_LEVELS = 10
_LONG_TEXT = 40


def guess_role(name: str, column: pd.Series) -> Role:
    """The role of a column of a table, see `ROLES`; a person may overrule it.

    One value and gaps is no constant: a clinic's label is often "yes" or nothing.
    """
    codes, kinds = pd.factorize(column)
    present = int((codes >= 0).sum())
    distinct = len(kinds)
    if distinct == 0 or (distinct == 1 and present == len(column)):
        return "constant"
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "date"
    if pd.api.types.is_bool_dtype(column.dtype):
        return "category"
    unique_share = distinct / present
    if pd.api.types.is_numeric_dtype(column.dtype):
        return _of_numbers(name, column.to_numpy(), np.asarray(kinds), unique_share)
    return _of_texts(name, pd.Series(kinds, dtype="str"), present)


def _of_numbers(name: str, column: np.ndarray, kinds: np.ndarray, unique_share: float) -> Role:
    whole = column.dtype.kind == "i" or bool(np.isfinite(kinds).all() and (kinds == np.floor(kinds)).all())
    if not whole:
        return "numeric"
    named = _ID_NAME.search(name) is not None
    if unique_share > _NEARLY_ALL and len(kinds) > _FEW_ROWS and (named or _counts_up(column)):
        return "identifier"
    return "identifier" if named and len(kinds) > MOST_LEVELS else "numeric"


def _counts_up(column: np.ndarray) -> bool:
    present = column[~np.isnan(column)] if column.dtype.kind == "f" else column
    return bool((np.diff(present) == 1).mean() > 0.95)


def _of_texts(name: str, kinds: pd.Series, present: int) -> Role:
    distinct = len(kinds)
    named = _ID_NAME.search(name) is not None
    if (distinct > _NEARLY_ALL * present and present > _FEW_ROWS) or (named and distinct > _FEW_LEVELS):
        several_words = kinds.head(2000).str.contains(r"\S\s+\S+\s+\S", regex=True).mean()
        return "text" if several_words > 0.5 and not named else "identifier"
    long = kinds.str.len().mean() > _LONG_TEXT or (distinct > MOST_LEVELS and distinct > 0.5 * present)
    return "text" if long else "category"
