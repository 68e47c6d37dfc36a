"""What was computed once is not computed again: answers by the content of their question.

`MemoryCache` serves one run, `DiskCache` everybody on this computer. A key is a hash over everything that determines
the answer, so a hit is exactly what computing would give.
"""

from __future__ import annotations

import os
import struct
import time
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

DEFAULT_DISK_BYTES = 2 * 1024**3
DEFAULT_MEMORY_BYTES = 256 * 1024**2
_HALF_LIFE_DAYS = 14.0  # an unused answer loses half of its claim to stay in this time
_ABANDONED_SECONDS = 3600.0


@dataclass(frozen=True)
class Answer:
    """The answer to one question: probabilities, or why there are none.

    Attributes:
        value: float64 array (n,), or None.
        failure: reason in words where there is no value.
        timed_out: the failure is a limit that was passed; never cached.
        cpu_seconds: what computing it took, whoever did it.
    """

    value: np.ndarray | None
    failure: str | None = None
    timed_out: bool = False
    cpu_seconds: float = 0.0

    @property
    def bytes(self) -> int:
        """Memory that it takes, roughly."""
        return 200 + (0 if self.value is None else self.value.nbytes)


class AnswerCache(Protocol):
    """Where a planner looks before it asks a worker."""

    def get(self, key: str) -> Answer | None:
        """The answer, or None where it has to be computed."""
        ...

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer, if there is room for it."""
        ...


class MemoryCache:
    """The most recently used answers, up to a number of bytes; what falls out is still in `behind`, if there is one.

    Args:
        limit: bytes kept.
        behind: a slower cache that is asked on a miss and gets everything too.
    """

    def __init__(self, limit: int = DEFAULT_MEMORY_BYTES, behind: AnswerCache | None = None) -> None:
        self.limit = limit
        self.behind = behind
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> Answer | None:
        answer = self._answers.get(key)
        if answer is not None:
            self._answers.move_to_end(key)
            return answer
        answer = self.behind.get(key) if self.behind else None
        if answer is not None:
            self._keep(key, answer)
        return answer

    def put(self, key: str, answer: Answer) -> None:
        if answer.timed_out:
            return
        if key not in self._answers:
            self._keep(key, answer)
        if self.behind:
            self.behind.put(key, answer)

    def _keep(self, key: str, answer: Answer) -> None:
        self._answers[key] = answer
        self._bytes += answer.bytes
        while self._bytes > self.limit and len(self._answers) > 1:
            _, dropped = self._answers.popitem(last=False)
            self._bytes -= dropped.bytes


class NoCache:
    """Remembers nothing: every question is computed each time it is asked."""

    def get(self, key: str) -> Answer | None:
        return None

    def put(self, key: str, answer: Answer) -> None:
        return None


# -- on disk --------------------------------------------------------------------------------------------------------

_HEADER = struct.Struct("<4sBdII")  # magic, kind, CPU seconds, bytes of the payload, checksum of kind, cost and payload
_MAGIC = b"APU1"
_ARRAY, _FAILURE = 0, 1


class DiskCache:
    """Answers as small compressed files in folders by the first letters of their key.

    A file appears by an atomic rename and carries a checksum: a torn or foreign file is a miss, never a wrong answer.
    Several processes may use one folder. When the bound is passed the least useful answers go: those that cost little
    CPU for their size and weren't used for long.

    Args:
        folder: made if absent.
        limit: bytes on disk.
    """

    def __init__(self, folder: Path, limit: int = DEFAULT_DISK_BYTES) -> None:
        self.folder = Path(folder)
        self.limit = limit
        self._bytes: int | None = None

    def get(self, key: str) -> Answer | None:
        path = self._path(key)
        try:
            answer = _decode(path.read_bytes())
        except OSError:
            return None
        if answer is not None:
            self._touch(path)
        return answer

    def put(self, key: str, answer: Answer) -> None:
        if answer.timed_out:
            return
        content = _encode(answer)
        if len(content) > self.limit:
            return
        path = self._path(key)
        if self._bytes is None:
            self._bytes = self.size()
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(content)
            os.replace(temporary, path)
        except OSError:
            # A full or read-only disk costs the reuse of this answer, not the search.
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            return
        self._bytes += len(content)
        if self._bytes > self.limit:
            self._evict()

    def size(self) -> int:
        """Bytes in use."""
        return sum(stat.st_size for _, stat in self._files())

    def count(self) -> int:
        """Number of answers."""
        return sum(1 for _ in self._files())

    def clear(self) -> int:
        """Remove everything; returns the number of bytes that this freed."""
        freed = 0
        for path, stat in self._files(hidden=True):
            path.unlink(missing_ok=True)
            freed += stat.st_size
        self._bytes = 0
        return freed

    # -- inside -----------------------------------------------------------------------------------------------------

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]

    def _files(self, hidden: bool = False) -> Iterator[tuple[Path, os.stat_result]]:
        if not self.folder.is_dir():
            return
        for path in self.folder.glob("??/*"):
            if hidden or not path.name.startswith("."):
                try:
                    yield path, path.stat()
                except FileNotFoundError:
                    continue  # another process evicted it meanwhile

    def _touch(self, path: Path) -> None:
        try:
            os.utime(path)
        except OSError:
            return  # evicted meanwhile, or a read-only folder: only the order of eviction suffers

    def _evict(self) -> None:
        """Down to four fifths of the bound, and sweep what a crashed process left half-written."""
        now = time.time()
        ranked = []
        for path, stat in self._files(hidden=True):
            if path.name.startswith("."):
                if now - stat.st_mtime > _ABANDONED_SECONDS:
                    path.unlink(missing_ok=True)
                continue
            idle_days = max(0.0, now - stat.st_mtime) / 86400
            worth = _cost(path) / max(stat.st_size, 1) * 0.5 ** (idle_days / _HALF_LIFE_DAYS)
            ranked.append((worth, str(path), stat.st_size))
        total = sum(size for _, _, size in ranked)
        for _, path, size in sorted(ranked):
            if total <= 0.8 * self.limit:
                break
            Path(path).unlink(missing_ok=True)
            total -= size
        self._bytes = total


def _encode(answer: Answer) -> bytes:
    if answer.value is None:
        kind, payload = _FAILURE, (answer.failure or "").encode()
    else:
        kind, payload = _ARRAY, zlib.compress(np.ascontiguousarray(answer.value, dtype="<f8").tobytes(), 1)
    return (
        _HEADER.pack(_MAGIC, kind, answer.cpu_seconds, len(payload), _checksum(kind, answer.cpu_seconds, payload))
        + payload
    )


def _decode(content: bytes) -> Answer | None:
    if len(content) < _HEADER.size:
        return None
    magic, kind, cpu_seconds, length, checksum = _HEADER.unpack_from(content)
    payload = content[_HEADER.size :]
    if magic != _MAGIC or len(payload) != length or _checksum(kind, cpu_seconds, payload) != checksum:
        return None
    if kind == _FAILURE:
        return Answer(None, failure=payload.decode(), cpu_seconds=cpu_seconds)
    value = np.frombuffer(zlib.decompress(payload), dtype="<f8").astype(np.float64, copy=False)
    return Answer(value, cpu_seconds=cpu_seconds)


def _checksum(kind: int, cpu_seconds: float, payload: bytes) -> int:
    return zlib.crc32(payload, zlib.crc32(struct.pack("<Bd", kind, cpu_seconds)))


def _cost(path: Path) -> float:
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER.size)
    except OSError:
        return 0.0
    return _HEADER.unpack(header)[2] if len(header) == _HEADER.size else 0.0
