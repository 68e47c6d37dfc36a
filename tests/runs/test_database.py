import os
import sqlite3
import threading
import time

import pytest
from sqlalchemy import event, insert, text

from autopu_core.errors import StoreError
from autopu_core.runs import Store, database, schema
from autopu_core.runs.database import Database, on_network_folder


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/test.sqlite3"


def pragma(tmp_path, name):
    with sqlite3.connect(tmp_path / "test.sqlite3") as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


def set_version(tmp_path, version):
    with sqlite3.connect(tmp_path / "test.sqlite3") as connection:
        connection.execute("UPDATE autopu_schema SET version = ?", [version])
    connection.close()


def count_workers(url):
    with Database(url).read() as connection:
        return connection.scalar(text("SELECT count(*) FROM workers"))


def add_worker(connection, name="w"):
    connection.execute(insert(schema.workers).values(name=name, pid=1, host="h", started_at=0, seen_at=0))


def test_sqlite_keeps_a_write_ahead_log(url, tmp_path):
    Database(url)
    assert pragma(tmp_path, "journal_mode") == "wal"


def test_on_a_network_folder_it_keeps_a_rollback_journal_and_works_alike(url, tmp_path, monkeypatch):
    Database(url).close()
    monkeypatch.setattr(database, "on_network_folder", lambda path: True)
    opened = Database(url)
    assert pragma(tmp_path, "journal_mode") == "delete"
    with opened.write() as connection:
        add_worker(connection)
    assert count_workers(url) == 1


def test_network_folders_are_told_from_local_ones(tmp_path, monkeypatch):
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/sda / ext4 rw 0 0\nserver:/home /home nfs4 rw 0 0\n/dev/sdb /home/local ext4 rw 0 0\n"
        "server:/x /mnt/my\\040share cifs rw 0 0\n"
    )
    monkeypatch.setattr(database, "_MOUNTS", mounts)
    found = {
        path: on_network_folder(database.Path(path))
        for path in ("/var/x", "/home/ada/x", "/home/local/x", "/homework/x", "/mnt/my share/x")
    }
    assert found == {
        "/var/x": False,
        "/home/ada/x": True,
        "/home/local/x": False,
        "/homework/x": False,
        "/mnt/my share/x": True,
    }
    monkeypatch.setattr(database, "_MOUNTS", tmp_path / "not there")
    assert not on_network_folder(tmp_path)


def test_a_block_that_fails_leaves_nothing(url):
    def write_and_fail():
        with Database(url).write() as connection:
            add_worker(connection)
            raise KeyError

    with pytest.raises(KeyError):
        write_and_fail()
    assert count_workers(url) == 0


def test_a_reader_sees_one_state_while_others_write(url):
    reader, writer = Database(url), Database(url)
    with reader.read() as reading:
        before = reading.scalar(text("SELECT count(*) FROM workers"))
        with writer.write() as writing:
            add_worker(writing)
        assert reading.scalar(text("SELECT count(*) FROM workers")) == before
    assert count_workers(url) == before + 1


def test_writers_wait_for_each_other(url):
    first, second = Database(url), Database(url)
    began = time.monotonic()

    def write():
        with second.write() as connection:
            add_worker(connection, "second")

    thread = threading.Thread(target=write)
    with first.write() as connection:
        thread.start()
        time.sleep(0.3)
        add_worker(connection, "first")
    thread.join()
    assert time.monotonic() - began < 5
    assert count_workers(url) == 2


def test_a_database_that_stays_busy_is_named(url, monkeypatch):
    holder = Database(url)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.2)
    impatient = Database(url)
    with holder.write(), pytest.raises(StoreError, match="has been busy for"), impatient.write():
        pass


def test_threads_share_one_database(url):
    shared = Database(url)

    def write(name):
        for number in range(10):
            with shared.write() as connection:
                add_worker(connection, f"{name} {number}")

    threads = [threading.Thread(target=write, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count_workers(url) == 80


@pytest.mark.skipif(not hasattr(os, "fork"), reason="This system doesn't fork.")
def test_a_forked_process_opens_connections_of_its_own(url):
    shared = Database(url)
    with shared.read():
        if (child := os.fork()) == 0:
            status = 1
            try:
                with shared.write() as connection:
                    add_worker(connection, "child")
                shared.close()
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
    with shared.write() as connection:
        add_worker(connection, "parent")
    assert count_workers(url) == 2


def test_a_newer_database_is_refused_and_left_as_it_is(url, tmp_path):
    Database(url).close()
    set_version(tmp_path, schema.SCHEMA_VERSION + 1)
    before = (tmp_path / "test.sqlite3").read_bytes()
    with pytest.raises(StoreError, match=r"made by a newer version of this program \(its format is 2"):
        Database(url)
    assert (tmp_path / "test.sqlite3").read_bytes() == before


def test_an_older_database_is_migrated_step_by_step(url, tmp_path, monkeypatch):
    Database(url).close()
    steps = {
        1: lambda connection: connection.execute(text("ALTER TABLE workers ADD COLUMN cores INTEGER DEFAULT 1")),
        2: lambda connection: connection.execute(text("UPDATE workers SET cores = 2")),
    }
    with sqlite3.connect(tmp_path / "test.sqlite3") as connection:
        connection.execute("INSERT INTO workers VALUES ('w', 1, 'h', 0, 0)")
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 3)
    monkeypatch.setattr(schema, "MIGRATIONS", steps)
    with Database(url).read() as connection:
        assert connection.scalar(text("SELECT cores FROM workers")) == 2
        assert connection.scalar(text("SELECT version FROM autopu_schema")) == 3


def test_a_migration_that_fails_leaves_the_old_database(url, tmp_path, monkeypatch):
    Database(url).close()

    def fail(connection):
        connection.execute(text("DROP TABLE workers"))
        connection.execute(text("SELECT * FROM nowhere"))

    monkeypatch.setattr(schema, "SCHEMA_VERSION", 2)
    monkeypatch.setattr(schema, "MIGRATIONS", {1: fail})
    with pytest.raises(StoreError, match="no such table: nowhere"):
        Database(url)
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 1)
    assert count_workers(url) == 0


def test_a_full_disk_is_one_sentence_and_harms_nothing(tmp_path):
    store = Store(tmp_path)
    store.beat("w", 1, "here")
    store.close()
    event.listen(
        store.database.engine, "connect", lambda connection, _: connection.execute("PRAGMA max_page_count = 1")
    )

    def fill():
        with store.database.write() as connection:
            for number in range(10_000):
                add_worker(connection, str(number))

    with pytest.raises(StoreError, match="its disk is full; free some space"):
        fill()
    assert [worker.name for worker in Store(tmp_path).live_workers()] == ["w"]


def test_a_file_of_another_kind(tmp_path):
    (tmp_path / "test.sqlite3").write_text("Dear diary, " * 1000)
    with pytest.raises(StoreError, match="isn't a database of this program"):
        Database(f"sqlite:///{tmp_path}/test.sqlite3")


def test_a_database_of_another_program_is_left_alone(url, tmp_path):
    with sqlite3.connect(tmp_path / "test.sqlite3") as connection:
        connection.execute("CREATE TABLE runs (distance REAL)")
    with pytest.raises(StoreError, match="holds tables of another program"):
        Database(url)
    with sqlite3.connect(tmp_path / "test.sqlite3") as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("runs",)]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("no url", "isn't a database URL"),
        ("sqlite://", "in memory can't be shared"),
        ("nosuch://user:secret@host/name", "needs a driver that isn't installed"),
        ("sqlite:////nonexistent/folder/file", "can't be opened"),
    ],
)
def test_a_url_that_leads_nowhere_is_one_sentence_without_the_password(wrong, words):
    with pytest.raises(StoreError, match=words) as raised:
        Database(wrong)
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)
