from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from echidna_mcp.user_cache import ObjectCache, default_directory


def files(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_what_was_put_is_found(tmp_path):
    cache = ObjectCache(tmp_path / "new" / "place")
    assert cache.get("a") is None
    cache.put("a", b"code")
    assert cache.get("a") == b"code"
    assert cache.get("b") is None
    cache.put("a", b"other")
    assert ObjectCache(tmp_path / "new" / "place").get("a") == b"other"
    assert files(tmp_path / "new" / "place") == ["a.obj"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[:20],
        lambda _data: b"",
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: bytes([data[0] ^ 1]) + data[1:],
        lambda data: data + b"more",
    ],
)
def test_a_damaged_object_is_not_used(tmp_path, damage):
    cache = ObjectCache(tmp_path)
    cache.put("a", b"code" * 100)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get("a") is None
    cache.put("a", b"new")
    assert cache.get("a") == b"new"


def test_without_a_directory_nothing_is_kept_and_it_says_so_once():
    told: list[str] = []
    cache = ObjectCache(None, warn=told.append)
    assert cache.get("a") is None
    cache.put("a", b"code")
    cache.put("b", b"code")
    assert cache.get("a") is None
    assert len(told) == 1
    assert "ECHIDNA_MCP_CACHE" in told[0]


def test_a_place_that_is_no_directory_means_no_cache(tmp_path):
    told: list[str] = []
    (tmp_path / "file").write_text("not a directory")
    cache = ObjectCache(tmp_path / "file" / "kernels", warn=told.append)
    cache.put("a", b"code")
    cache.put("b", b"code")
    assert cache.get("a") is None
    assert len(told) == 1


def test_a_full_disk_means_no_cache(tmp_path):
    script = (
        "import sys; from pathlib import Path;"
        "from echidna_mcp.user_cache import ObjectCache;"
        "cache = ObjectCache(Path(sys.argv[1]), warn=print);"
        "cache.put('a', bytes(100_000)); cache.put('b', bytes(100_000));"
        "assert cache.get('a') is None; cache.put('c', b'small');"
        "assert cache.get('c') == b'small'"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(done.stdout.splitlines()) == 1
    assert "not kept" in done.stdout
    assert files(tmp_path) == ["c.obj"]


def test_writers_and_readers_of_one_key_never_see_half_an_object(tmp_path):
    objects = [bytes([number]) * 300_000 for number in range(3)]
    wrong: list[object] = []
    stop = threading.Event()

    def write(content: bytes) -> None:
        cache = ObjectCache(tmp_path)
        while not stop.is_set():
            cache.put("a", content)

    writers = [threading.Thread(target=write, args=(each,)) for each in objects]
    for writer in writers:
        writer.start()
    cache = ObjectCache(tmp_path)
    deadline = time.monotonic() + 0.5
    seen = set()
    while time.monotonic() < deadline or not seen:
        found = cache.get("a")
        if found is not None:
            seen.add(found[0])
            if found not in objects:
                wrong.append(found)
    stop.set()
    for writer in writers:
        writer.join()
    assert wrong == []
    assert seen
    assert files(tmp_path) == ["a.obj"]


def test_the_files_that_were_not_used_for_longest_go(tmp_path):
    cache = ObjectCache(tmp_path, most_files=3)
    for age, key in enumerate("abc"):
        cache.put(key, b"code")
        os.utime(tmp_path / f"{key}.obj", (1_000 + age, 1_000 + age))
    assert cache.get("a") == b"code"  # used just now
    cache.put("d", b"code")
    assert files(tmp_path) == ["a.obj", "c.obj", "d.obj"]


def test_the_size_of_all_files_is_limited(tmp_path):
    cache = ObjectCache(tmp_path, most_bytes=1_000)
    cache.put("a", bytes(700))
    os.utime(tmp_path / "a.obj", (1_000, 1_000))
    cache.put("b", bytes(700))
    assert files(tmp_path) == ["b.obj"]
    cache.put("c", bytes(5_000))
    assert files(tmp_path) == ["c.obj"]


def test_other_files_are_left_alone(tmp_path):
    (tmp_path / "README").write_text("mine")
    cache = ObjectCache(tmp_path, most_files=1)
    cache.put("a", b"code")
    cache.put("b", b"code")
    assert "README" in files(tmp_path)


def test_the_environment_names_the_place(monkeypatch, tmp_path):
    monkeypatch.setenv("ECHIDNA_MCP_CACHE", str(tmp_path))
    assert default_directory() == tmp_path / "kernels"


@pytest.mark.skipif(sys.platform != "linux", reason="the XDG rules")
def test_the_place_follows_the_xdg_rules(monkeypatch, tmp_path):
    monkeypatch.delenv("ECHIDNA_MCP_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_directory() == tmp_path / "xdg" / "echidna-mcp" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_directory() == tmp_path / ".cache" / "echidna-mcp" / "kernels"


def test_without_a_home_there_is_no_place(monkeypatch):
    monkeypatch.delenv("ECHIDNA_MCP_CACHE", raising=False)

    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nobody)
    assert default_directory() is None
