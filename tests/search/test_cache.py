import os
import subprocess
import sys

import numpy as np
import pytest

from autopu_core.search.cache import Answer, DiskCache, MemoryCache, NoCache

KEY = "ab" + "0" * 38


def answer(seed=0, n=40, cost=0.5):
    return Answer(np.random.default_rng(seed).random(n), cpu_seconds=cost)


def same(one, other):
    return np.array_equal(one.value, other.value) and one.cpu_seconds == other.cpu_seconds


def test_an_answer_comes_back_to_the_last_bit(tmp_path):
    cache = DiskCache(tmp_path)
    assert cache.get(KEY) is None
    cache.put(KEY, answer())
    assert same(DiskCache(tmp_path).get(KEY), answer())
    assert cache.count() == 1
    assert cache.size() == sum(path.stat().st_size for path in tmp_path.glob("*/*"))


def test_a_failure_is_remembered_and_a_timeout_is_not(tmp_path):
    cache = MemoryCache(behind=DiskCache(tmp_path))
    cache.put(KEY, Answer(None, failure="no reliable negative", cpu_seconds=0.1))
    cache.put("cd" + KEY[2:], Answer(None, failure="stopped", timed_out=True))
    again = MemoryCache(behind=DiskCache(tmp_path))
    assert again.get(KEY).failure == "no reliable negative"
    assert again.get("cd" + KEY[2:]) is None


def test_a_torn_or_changed_file_is_a_miss_never_a_wrong_answer(tmp_path):
    cache = DiskCache(tmp_path)
    cache.put(KEY, answer(n=5))
    (path,) = tmp_path.glob("*/*")
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        assert cache.get(KEY) is None
    for position in range(len(content)):
        changed = bytearray(content)
        changed[position] ^= 1
        path.write_bytes(changed)
        assert cache.get(KEY) is None
    path.write_bytes(content)
    assert same(cache.get(KEY), answer(n=5))


def test_the_bound_holds_and_cheap_answers_go_first(tmp_path):
    cache = DiskCache(tmp_path, limit=60_000)
    for number in range(300):
        cache.put(f"{number:02x}"[-2:] + f"{number:038d}", answer(number, n=100, cost=1.0 if number % 3 else 100.0))
    assert cache.size() <= 60_000
    kept = [path.parent.name + path.name for path in tmp_path.glob("*/*")]
    dear = sum(int(key[2:]) % 3 == 0 for key in kept)
    assert dear > 0.8 * len(kept) or dear == 100
    assert cache.clear() > 0
    assert cache.count() == 0


def test_memory_keeps_the_most_recently_used():
    cache = MemoryCache(limit=3 * answer().bytes)
    for number in range(3):
        cache.put(str(number), answer(number))
    assert cache.get("0") is not None
    cache.put("3", answer(3))
    assert cache.get("1") is None
    assert all(same(cache.get(str(number)), answer(number)) for number in (0, 2, 3))


def test_no_cache_remembers_nothing():
    cache = NoCache()
    cache.put(KEY, answer())
    assert cache.get(KEY) is None


def test_several_processes_share_one_folder(tmp_path):
    script = (
        "import sys, numpy as np\n"
        "from pathlib import Path\n"
        "from autopu_core.search.cache import Answer, DiskCache\n"
        "cache = DiskCache(Path(sys.argv[1]), limit=40_000)\n"
        "for number in range(300):\n"
        "    value = np.random.default_rng(number).random(40)\n"
        "    key = f'{number % 16:02x}' + f'{number:038d}'\n"
        "    found = cache.get(key)\n"
        "    assert found is None or np.array_equal(found.value, value)\n"
        "    cache.put(key, Answer(value))\n"
    )
    workers = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path)]) for _ in range(3)]
    assert [worker.wait(timeout=60) for worker in workers] == [0, 0, 0]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_costs_the_reuse_only(tmp_path):
    tmp_path.chmod(0o500)
    cache = DiskCache(tmp_path)
    cache.put(KEY, answer())
    assert cache.get(KEY) is None


def test_a_folder_that_is_a_file_costs_the_reuse_only(tmp_path):
    (tmp_path / "cache").write_text("not a folder")
    cache = DiskCache(tmp_path / "cache")
    cache.put(KEY, answer())
    assert cache.get(KEY) is None
