"""The model that a person takes home: one pickle file that takes raw rows, and a model card beside it.

Whoever loads the file under other library versions is warned, before anything of the model itself is unpickled.
"""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import platform
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from autopu_core import __version__
from autopu_core.errors import ModelError, TableError
from autopu_core.tables import Table, as_text

FORMAT = 1
MODEL_FILE = "model.pkl"
CARD_FILE = "model_card.json"
REQUIREMENTS_FILE = "requirements.txt"
_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "joblib")
_MODEL_PICKLE = re.compile(rb"autopu_core\.export\.bundle")


def current_versions() -> dict[str, str]:
    """Python's version and those of the libraries that results and pickles depend on."""
    versions = {"python": platform.python_version(), "autopu-dashboard": __version__}
    return versions | {name: metadata.version(name) for name in _PACKAGES}


@dataclass
class ExportedModel:
    """A fitted pipeline that scores rows in the shape of the table that it was learned from.

    Attributes:
        pipeline: fitted scikit-learn pipeline, preparation included.
        columns: columns that it needs, in any order; more may be there.
        target: name of the target column, not needed for scoring.
        positive: values of the target that mean positive.
        versions: see `current_versions`, of the installation that made it.
        fingerprint: of the table that it was learned from.
        threshold: rows with at least this probability are called positive.
    """

    pipeline: Any
    columns: tuple[str, ...]
    target: str
    positive: tuple[str, ...]
    versions: Mapping[str, str]
    fingerprint: str = ""
    threshold: float = 0.5

    def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
        """Probability of being positive for each row, float64 (n,).

        Raises:
            TableError: a column is missing or can't be read as what it was.
        """
        if len(rows) == 0:
            raise TableError("The table has no rows to score.")
        frame = Table.from_frame(rows, "rows to score").frame
        return self.pipeline.predict_proba(frame)[:, 1]

    def predict(self, rows: pd.DataFrame) -> np.ndarray:
        """Whether each row is called positive, bool (n,)."""
        return self.predict_proba(rows) >= self.threshold

    def score(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with all their columns, and `probability` and `predicted` ("positive" or "not positive") behind.

        The new columns get a number behind their name where the table already has one of that name.
        """
        probability = self.predict_proba(rows)
        scored = rows.copy()
        scored[_free_name("probability", rows)] = probability
        called = np.where(probability >= self.threshold, "positive", "not positive")
        scored[_free_name("predicted", rows)] = called
        return scored

    def learned_from(self, rows: pd.DataFrame) -> bool:
        """Whether these are the very rows that it was learned from, so that metrics on them say little."""
        return Table.from_frame(rows, "rows").fingerprint == self.fingerprint

    def truth(self, rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray] | None:
        """Where the table has the target: which rows have a value there, and whether that is positive; else None."""
        if self.target not in rows.columns:
            return None
        text = as_text(rows[self.target])
        return text.notna().to_numpy(), text.isin(list(self.positive)).to_numpy(dtype=bool)

    def __reduce__(self) -> tuple[Any, ...]:
        content = {name: value for name, value in vars(self).items() if name != "versions"}
        return _rebuild, (FORMAT, dict(self.versions), pickle.dumps(content, protocol=5))


def _rebuild(file_format: int, versions: dict[str, str], content: bytes) -> ExportedModel:
    if file_format > FORMAT:
        raise ModelError(
            f"This model was written by a newer version of the program ({versions.get('autopu-dashboard')}); "
            "update the program to load it."
        )
    now = current_versions()
    different = [f"{name} {made} (here {now[name]})" for name, made in versions.items() if now.get(name, made) != made]
    if different:
        warnings.warn(
            f"This model was made with {', '.join(different)}; predictions may differ or fail. "
            f"The file {REQUIREMENTS_FILE} beside it recreates the original environment.",
            stacklevel=2,
        )
    return ExportedModel(versions=versions, **pickle.loads(content))


def save_model(model: ExportedModel, card: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Write the pickle, the model card and the requirements into a folder.

    Returns:
        The card with the file's name and SHA-256 added.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = pickle.dumps(model, protocol=5)
    (folder / MODEL_FILE).write_bytes(content)
    complete = {**card, "file": MODEL_FILE, "sha256": hashlib.sha256(content).hexdigest()}
    (folder / CARD_FILE).write_text(json.dumps(complete, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / REQUIREMENTS_FILE).write_text(requirements(model.versions), encoding="utf-8")
    return complete


def requirements(versions: Mapping[str, str]) -> str:
    """Text of a requirements file that recreates the environment of a model, as far as the model depends on it."""
    pinned = [f"{name}=={version}" for name, version in versions.items() if name not in ("python", "autopu-dashboard")]
    head = (
        f"# Made with Python {versions['python']} and autopu-dashboard {versions['autopu-dashboard']}.\n"
        "# Install autopu-dashboard itself from its repository: pip install /path/to/the/clone\n"
    )
    return head + "\n".join(pinned) + "\n"


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, hex.

    Raises:
        ModelError: the file can't be read.
    """
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ModelError(f"The model file {path} can't be read ({error.strerror or error}).") from None


def load_model(path: Path, known_hash: bool) -> ExportedModel:
    """Unpickle a model file.

    Args:
        path: the file.
        known_hash: this installation wrote a file with this SHA-256, or the person vouches for it. Unpickling runs code
            from the file, so nothing else is ever loaded.

    Raises:
        ModelError: unknown hash, not a model, or made by a newer version.
    """
    digest = file_sha256(path)
    if not known_hash:
        raise ModelError(
            f"{path.name} wasn't written by this installation (SHA-256 {digest[:12]}..), and loading a pickle runs "
            "code from it; if you trust where it came from, say --trust."
        )
    content = path.read_bytes()
    if not _MODEL_PICKLE.search(content[:200]):
        raise ModelError(f"{path.name} is not a model that this program wrote.")
    try:
        model = pickle.load(io.BytesIO(content))
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            f"{path.name} can't be loaded with the libraries installed here ({type(error).__name__}: {error}); "
            f"install those of its {REQUIREMENTS_FILE}."
        ) from error
    if not isinstance(model, ExportedModel):
        raise ModelError(f"{path.name} is not a model that this program wrote.")
    return model


def load_own_model(path: Path, sha256: str) -> tuple[ExportedModel, list[str]]:
    """A model that this installation wrote and nobody changed since, and the warnings on loading it.

    Raises:
        ModelError: the file is gone or was changed.
    """
    if file_sha256(path) != sha256:
        raise ModelError(
            f"The model file {path.name} was changed since it was written, so it isn't loaded; export it again."
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = load_model(path, known_hash=True)
    return model, [str(warning.message) for warning in caught]


def _free_name(name: str, rows: pd.DataFrame) -> str:
    candidates = [name, *(f"{name}_{number}" for number in range(2, len(rows.columns) + 3))]
    return next(candidate for candidate in candidates if candidate not in rows.columns)
