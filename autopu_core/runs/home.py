"""The data folder of a user: the database, data sets, models, the cache of fits and scratch space."""

from __future__ import annotations

import errno
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import platformdirs

from autopu_core.errors import SettingsError, StoreError
from autopu_core.search.cache import DEFAULT_DISK_BYTES, DiskCache

HOME_VARIABLE = "AUTOPU_HOME"
CACHE_VARIABLE = "AUTOPU_CACHE_GB"

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


class Home:
    """The data folder, made on first use and readable by its owner only, since it holds patients' data.

    Args:
        root: the folder; by default what `AUTOPU_HOME` says, else the user's data folder of the system.

    Raises:
        StoreError: the folder can't be made.
    """

    def __init__(self, root: Path | str | None = None) -> None:
        chosen = root or os.environ.get(HOME_VARIABLE) or platformdirs.user_data_dir("autopu", appauthor=False)
        self.root = Path(chosen).expanduser().resolve()
        with file_sentences(self.root):
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for folder in (self.datasets, self.models, self.cache, self.scratch):
                folder.mkdir(exist_ok=True)

    @property
    def database(self) -> Path:
        """The SQLite file, used unless another database is named."""
        return self.root / "autopu.sqlite3"

    @property
    def datasets(self) -> Path:
        """One Parquet file for each data set."""
        return self.root / "datasets"

    @property
    def models(self) -> Path:
        """One folder for each run."""
        return self.root / "models"

    @property
    def cache(self) -> Path:
        """Fits that any search may reuse."""
        return self.root / "cache"

    def open_cache(self) -> DiskCache:
        """The cache of fits, bounded by what `AUTOPU_CACHE_GB` says, else by 2 GiB.

        Raises:
            SettingsError: the bound isn't a positive number.
        """
        return DiskCache(self.cache, _cache_bytes(os.environ.get(CACHE_VARIABLE)))

    @property
    def scratch(self) -> Path:
        """Files that nobody misses once the process that made them has ended."""
        return self.root / "scratch"

    def portable(self, path: Path) -> str:
        """The path as the database keeps it: relative where it lies in the folder, so that the folder can move."""
        path = Path(path).resolve()
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)

    def resolve(self, stored: str) -> Path:
        """The path that `portable` wrote."""
        return self.root / stored


def _cache_bytes(setting: str | None) -> int:
    if not setting:
        return DEFAULT_DISK_BYTES
    try:
        gigabytes = float(setting)
    except ValueError:
        gigabytes = math.nan
    if not 0 < gigabytes < math.inf:
        raise SettingsError(f"{CACHE_VARIABLE} must be a number of gigabytes above 0, such as 0.5, not {setting!r}.")
    return round(gigabytes * 1024**3)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` in one step, once it is complete and on the disk.

    Raises:
        StoreError: the disk is full, the folder is read-only.
    """
    with file_sentences(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        finally:
            Path(name).unlink(missing_ok=True)


@contextmanager
def file_sentences(path: Path) -> Iterator[None]:
    """Turns what the system says about a file into a `StoreError` of one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StoreError(
                f"The disk that holds {path} is full; free some space or move the data folder with {HOME_VARIABLE}."
            ) from error
        if error.errno in _FORBIDDEN:
            raise StoreError(
                f"{path} can't be written; change its permissions or choose another data folder with {HOME_VARIABLE}."
            ) from error
        raise StoreError(
            f"{path} can't be used ({error.strerror or error}); choose another data folder with {HOME_VARIABLE}."
        ) from error
