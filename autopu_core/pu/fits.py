"""The one question under every PU learner: how probable is it that each row is positive, when a classifier learns rows
P against rows N?

`FitQuestion` states it, with a key that determines the answer; `FitWork` computes it in a worker. A planner
(`autopu_core.search.planner`) sees to it that equal questions are computed once.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from autopu_core.pu.classifiers import positive_probability, refusal
from autopu_core.search.executor import Work

Asked = Literal["negatives", "others", "unlabelled"]
"""`negatives`: the rows N themselves, in-sample as phase 1A wants; `others`: every row outside P and N; `unlabelled`:
every row outside P, those of N included. All in index order."""

DEFAULT_MEMORY_BYTES = 2 * 1024**3


@dataclass(frozen=True)
class PreparedMatrix:
    """A prepared numeric table that questions refer to by row number.

    Attributes:
        values: float64 array (rows, columns), no missing values.
        path: `.npy` file with the same content for workers to map into memory; None means that the array itself is
            sent.
    """

    values: np.ndarray
    path: Path | None = None

    @cached_property
    def fingerprint(self) -> str:
        """Hash of shape and content."""
        digest = hashlib.blake2b(repr(self.values.shape).encode(), digest_size=16)
        digest.update(np.ascontiguousarray(self.values).data)
        return digest.hexdigest()

    @property
    def source(self) -> np.ndarray | str:
        """What a worker is sent: see `load_matrix`."""
        return self.values if self.path is None else str(self.path)

    def save(self, folder: Path) -> PreparedMatrix:
        """The same matrix, in a file of this folder named after its content."""
        path = folder / f"{self.fingerprint}.npy"
        if not path.exists():
            np.save(path, self.values)
        return PreparedMatrix(self.values, path)


@dataclass(frozen=True)
class FitQuestion:
    """Learn `positive_rows` (1) against `negative_rows` (0) and predict the rows asked for.

    Attributes:
        matrix: the prepared table.
        classifier: name of a candidate classifier.
        positive_rows, negative_rows: row numbers, each sorted and without repeats, int32; they don't overlap.
        asked: which rows are predicted.
        seed: of the classifier.
        memory_limit: bytes; a fit that would need more is refused.
    """

    matrix: PreparedMatrix
    classifier: str
    positive_rows: np.ndarray
    negative_rows: np.ndarray
    asked: Asked
    seed: int
    memory_limit: int = DEFAULT_MEMORY_BYTES

    @cached_property
    def key(self) -> str:
        """Digest of everything that the answer depends on, library versions included."""
        facts = (self.matrix.fingerprint, self.classifier, self.asked, self.seed, library_versions())
        digest = hashlib.blake2b(repr(facts).encode(), digest_size=20)
        for rows in (self.positive_rows, self.negative_rows):
            digest.update(len(rows).to_bytes(8, "big"))
            digest.update(np.ascontiguousarray(rows, dtype=np.int32).data)
        return digest.hexdigest()

    @property
    def kind(self) -> str:
        """Cost depends on the classifier most."""
        return self.classifier

    @property
    def size(self) -> int:
        """Rows learned from."""
        return len(self.positive_rows) + len(self.negative_rows)

    def refusal(self) -> str | None:
        """Why this fit can't end well, or None."""
        return refusal(self.classifier, self.size, self.matrix.values.shape[1], self.memory_limit)

    def work(self) -> Work:
        """The computation, to be sent to a worker."""
        return FitWork(
            self.matrix.source, self.classifier, self.positive_rows, self.negative_rows, self.asked, self.seed
        )


@dataclass(frozen=True)
class FitWork:
    """A `FitQuestion` as a picklable call; see there."""

    source: np.ndarray | str
    classifier: str
    positive_rows: np.ndarray
    negative_rows: np.ndarray
    asked: Asked
    seed: int

    def __call__(self) -> np.ndarray:
        """Probability of the positive class for the rows asked for, float64 (n,)."""
        values = load_matrix(self.source)
        X, y = learning_rows(values, self.positive_rows, self.negative_rows)
        asked = self.negative_rows
        if self.asked == "others":
            asked = other_rows(len(values), self.positive_rows, self.negative_rows)
        elif self.asked == "unlabelled":
            asked = other_rows(len(values), self.positive_rows)
        if len(asked) == 0:
            return np.empty(0)
        return positive_probability(self.classifier, X, y, values[asked], self.seed)


def learning_rows(
    values: np.ndarray, positive_rows: np.ndarray, negative_rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """X (n, d) and y (n,) of P against N, in index order.

    Index order, rather than P before N, because some learners depend on the order of rows and a person who fits the
    classifier on their own table would keep it.
    """
    rows = np.concatenate([positive_rows, negative_rows])
    order = np.argsort(rows, kind="stable")
    y = np.concatenate([np.ones(len(positive_rows), dtype=np.int64), np.zeros(len(negative_rows), dtype=np.int64)])
    return np.ascontiguousarray(values[rows[order]]), y[order]


def other_rows(n_rows: int, *rows: np.ndarray) -> np.ndarray:
    """Row numbers outside all the given ones (P and N, say), in index order."""
    outside = np.ones(n_rows, dtype=bool)
    for inside in rows:
        outside[inside] = False
    return np.flatnonzero(outside).astype(np.int32)


@lru_cache(maxsize=1)
def library_versions() -> tuple[tuple[str, str], ...]:
    """Versions of what a fit's result depends on."""
    import numpy
    import scipy
    import sklearn

    from autopu_core import __version__

    return (
        ("numpy", numpy.__version__),
        ("scipy", scipy.__version__),
        ("scikit-learn", sklearn.__version__),
        ("autopu", __version__),
    )


def load_matrix(source: np.ndarray | str) -> np.ndarray:
    """The prepared values (rows, columns): the array itself, or the file of that name, mapped into memory."""
    return _mapped(source) if isinstance(source, str) else source


@lru_cache(maxsize=16)
def _mapped(path: str) -> np.ndarray:
    return np.load(path, mmap_mode="r")
