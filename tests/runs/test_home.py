import errno
import os
import stat
from contextlib import contextmanager
from pathlib import Path

import pytest

from autopu_core.errors import SettingsError, StoreError
from autopu_core.runs import Home, Store
from autopu_core.runs.home import file_sentences, replacing


@contextmanager
def ordinary_user():
    """Permissions don't stop root, who runs the tests in a container."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def read_only(tmp_path):
    """A folder that can be seen but not written."""
    closed = [folder for folder in (tmp_path, *tmp_path.parents) if not folder.stat().st_mode & stat.S_IXOTH]
    modes = {folder: stat.S_IMODE(folder.stat().st_mode) for folder in closed}
    for folder in closed:
        folder.chmod(0o755)
    folder = tmp_path / "read-only"
    folder.mkdir()
    yield folder
    folder.chmod(0o755)
    for folder, mode in modes.items():
        folder.chmod(mode)


def test_the_folder_is_the_one_named_else_the_variables_else_the_systems(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOPU_HOME", str(tmp_path / "variable"))
    assert Home().root == tmp_path / "variable"
    assert Home(tmp_path / "named").root == tmp_path / "named"
    monkeypatch.delenv("AUTOPU_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Home().root.is_relative_to(tmp_path)


def test_the_folder_has_its_parts_and_is_the_owners(tmp_path):
    home = Home(tmp_path / "a" / "b")
    assert sorted(path.name for path in home.root.iterdir()) == ["cache", "datasets", "models", "scratch"]
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700


def test_paths_inside_the_folder_move_with_it(tmp_path):
    old, new = Home(tmp_path / "old"), Home(tmp_path / "new")
    assert new.resolve(old.portable(old.models / "3" / "model.pkl")) == new.models / "3" / "model.pkl"
    assert new.resolve(old.portable(tmp_path / "elsewhere.pkl")) == tmp_path / "elsewhere.pkl"


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "file"
    with replacing(path) as file:
        file.write(b"old")

    def write_half():
        with replacing(path) as file:
            file.write(b"half of the new")
            raise KeyError

    with pytest.raises(KeyError):
        write_half()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "is full; free some space or move the data folder with AUTOPU_HOME"),
        (errno.EROFS, "can't be written; change its permissions"),
        (errno.EIO, r"can't be used \(Input/output error\)"),
    ],
)
def test_what_the_system_says_of_a_file_becomes_one_sentence(number, words):
    with pytest.raises(StoreError, match=words), file_sentences(Path("table.parquet")):
        raise OSError(number, os.strerror(number))


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "home"):
        with pytest.raises(StoreError, match="choose another data folder with AUTOPU_HOME"):
            Store(path)


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps permissions otherwise.")
def test_a_read_only_folder_is_refused_with_a_sentence(read_only):
    read_only.chmod(0o555)
    with ordinary_user(), pytest.raises(StoreError, match=r"read-only.* can't be written; change its permissions"):
        Store(read_only / "home")


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps permissions otherwise.")
def test_a_store_that_became_read_only_is_refused_with_a_sentence(read_only):
    Store(read_only).close()
    for path in read_only.iterdir():
        path.chmod(0o555)
    read_only.chmod(0o555)
    with ordinary_user(), pytest.raises(StoreError, match=r"^The database .* folder with AUTOPU_HOME\.$"):
        Store(read_only).sign_off("nobody")


def test_the_bound_of_the_cache_is_a_setting(tmp_path, monkeypatch):
    home = Home(tmp_path)
    monkeypatch.delenv("AUTOPU_CACHE_GB", raising=False)
    assert home.open_cache().limit == 2 * 1024**3
    monkeypatch.setenv("AUTOPU_CACHE_GB", "0.5")
    assert home.open_cache().limit == 512 * 1024**2


@pytest.mark.parametrize("bound", ["none", "0", "-1", "inf", "nan"])
def test_a_bound_that_is_no_bound_is_refused(tmp_path, monkeypatch, bound):
    monkeypatch.setenv("AUTOPU_CACHE_GB", bound)
    with pytest.raises(SettingsError, match="AUTOPU_CACHE_GB must be a number of gigabytes"):
        Home(tmp_path).open_cache()
