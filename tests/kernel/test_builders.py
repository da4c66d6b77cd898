"""Libraries that are built as several objects, and libraries beside others."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Any

import pytest
from kernel_arguments import next64, next256, pick

from echidna_mcp.errors import KernelBuildError
from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp.kernel.language.memory import Bytes, u64
from echidna_mcp.kernel.library import builders
from echidna_mcp.kernel.library.build import BuildOptions, build
from echidna_mcp.kernel.library.calling import KernelMemoryError
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.mode import Mode
from echidna_mcp.kernel.library.plan import Plan
from echidna_mcp.user_cache import ObjectCache

COMPILED: tuple[Mode, ...] = ("compiled", "checked")


def pick_next(buffer: Bytes, at: u64) -> u64:
    return next64(pick(buffer, at))


def pick_twice(buffer: Bytes, at: u64) -> u64:
    return pick_next(buffer, pick(buffer, at))


def plan(parts: int, *functions: Any) -> Plan:
    return Plan(functions=functions, shared=True, parts=parts)


# ----------------------------------------------------------------------- several parts


@pytest.mark.parametrize("mode", COMPILED)
@pytest.mark.parametrize("parts", [2, 3, 40])
def test_functions_call_each_other_across_parts(mode, parts, tmp_path):
    wanted = plan(parts, pick_twice, pick_next, next256)
    for cached in (False, True):
        library = Library.load(wanted, mode=mode, cache=ObjectCache(tmp_path))
        assert library.cached is cached
        assert library.function(pick_twice)(bytearray(b"\1\7"), 0) == 8
        assert library.function(next256)(41) == 42


def test_each_function_is_built_once():
    unit = Unit(shared=True)
    for function in (pick_twice, next256):
        unit.export(function)
    texts = unit.render_parts(3)
    for name in ("@k.test_builders.pick_next(", "@k.kernel_arguments.pick("):
        assert sum(f"define dso_local i64 {name}" in text for text in texts) == 1
        assert sum(f"declare i64 {name}" in text for text in texts) == 2


def test_a_check_in_another_part_names_its_place():
    library = Library.load(plan(4, pick_twice), mode="checked")
    with pytest.raises(KernelMemoryError, match=r"kernel_arguments\.py:\d+ pick: "):
        library.function(pick_twice)(bytearray(b"\1"), 0)


def test_all_parts_but_the_first_are_built_by_other_processes(monkeypatch):
    built = []

    def spy(text: str, options: BuildOptions) -> bytes:
        built.append(text)
        return build(text, options)

    monkeypatch.setattr(builders, "build", spy)
    library = Library.load(plan(3, pick_twice))
    assert len(built) == 1
    assert library.function(pick_twice)(bytearray(b"\1\7"), 0) == 8


@pytest.mark.parametrize(
    "command",
    [
        ("no-such-program",),
        (sys.executable, "-c", "import os; os.abort()"),
        (sys.executable, "-c", "print('half of an object'); exit(1)"),
        (sys.executable, "-c", ""),
    ],
)
def test_a_builder_that_fails_is_not_needed(monkeypatch, command):
    monkeypatch.setattr(builders, "COMMAND", command)
    library = Library.load(plan(3, pick_twice))
    assert library.function(pick_twice)(bytearray(b"\1\7"), 0) == 8


def test_a_builder_that_is_killed_is_not_needed(monkeypatch, tmp_path):
    note = tmp_path / "process"
    script = (
        "import os, pathlib, sys, time;"
        "pathlib.Path(sys.argv[1]).write_text(str(os.getpid()));"
        "time.sleep(60)"
    )
    command = (sys.executable, "-c", script, str(note))
    monkeypatch.setattr(builders, "COMMAND", command)

    def kill() -> None:
        while not (note.exists() and note.read_text()):
            time.sleep(0.01)
        os.kill(int(note.read_text()), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    library = Library.load(plan(2, pick_twice))
    thread.join()
    assert library.function(pick_twice)(bytearray(b"\1\7"), 0) == 8


def test_a_builder_that_hangs_is_ended(monkeypatch):
    command = (sys.executable, "-c", "import time; time.sleep(60)")
    monkeypatch.setattr(builders, "COMMAND", command)
    monkeypatch.setattr(builders, "MOST_SECONDS", 0.2)
    library = Library.load(plan(2, pick_twice))
    assert library.function(pick_twice)(bytearray(b"\1\7"), 0) == 8


def test_ir_that_no_builder_takes_is_an_error():
    good, bad = "define void @f() { ret void }", "define i64 @f() { ret i32 1 }"
    with pytest.raises(KernelBuildError, match="LLVM refuses"):
        builders.build_all([good, bad], BuildOptions())


# ------------------------------------------------------------- beside another library


@pytest.mark.parametrize("mode", COMPILED)
def test_a_library_calls_the_one_beside_which_it_is_loaded(mode, tmp_path):
    cache = ObjectCache(tmp_path)
    for cached in (False, True):
        below = Library.load(plan(1, pick, next64), mode=mode, cache=cache)
        library = Library.load(
            plan(2, pick_twice), mode=mode, cache=cache, beside=below
        )
        assert (below.cached, library.cached) == (cached, cached)
        assert library.function(pick_twice)(bytearray(b"\1\7"), 0) == 8


def test_what_the_library_below_has_is_not_built_again():
    below = Library.load(plan(1, pick))
    unit = Unit(shared=True, beside=below.shared)
    unit.export(pick_twice)
    (text,) = unit.render_parts(1)
    assert "declare i64 @k.kernel_arguments.pick(" in text
    assert "define dso_local i64 @k.kernel_arguments.next64(" in text


def test_a_check_of_the_library_below_names_its_place():
    below = Library.load(plan(1, pick), mode="checked")
    library = Library.load(plan(1, pick_twice), mode="checked", beside=below)
    for function in (library.function(pick_twice), below.function(pick)):
        with pytest.raises(KernelMemoryError, match=r"kernel_arguments\.py:\d+ pick: "):
            function(bytearray(b"\1"), 1)


@pytest.mark.parametrize("mode", COMPILED)
def test_an_added_object_calls_both_libraries(mode):
    below = Library.load(plan(1, pick), mode=mode)
    library = Library.load(plan(1, pick_next), mode=mode, beside=below)
    unit = Unit(checked=mode == "checked", shared=True, beside=library.shared)
    symbol = unit.export(pick_twice).symbol
    text = unit.render()
    assert "declare i64 @k.test_builders.pick_next(" in text
    assert "declare i64 @k.kernel_arguments.pick(" in text
    assert library.add_object(build(text), [symbol])[symbol]


def test_a_library_beside_another_is_cached_apart(tmp_path):
    cache = ObjectCache(tmp_path)
    alone = Library.load(plan(1, pick_next), cache=cache)
    below = Library.load(plan(1, pick), cache=cache)
    assert not Library.load(plan(1, pick_next), cache=cache, beside=below).cached
    assert Library.load(plan(1, pick_next), cache=cache).key == alone.key
