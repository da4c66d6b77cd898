from __future__ import annotations

import ctypes
import gc
import importlib
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import kernel_arguments
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_arguments import (
    Box,
    advance,
    ask_twice,
    missing,
    mixed,
    next8,
    next16,
    next32,
    next64,
    next128,
    next256,
    next512,
    pick,
    shift,
    spin,
)

from echidna_mcp import kernel
from echidna_mcp.errors import KernelBuildError
from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp.kernel.language.arena import arena
from echidna_mcp.kernel.language.errors import KernelError
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.kernel.language.record import blank
from echidna_mcp.kernel.library.build import BuildOptions, build
from echidna_mcp.kernel.library.calling import KernelMemoryError
from echidna_mcp.kernel.library.library import KernelUsageError, Library
from echidna_mcp.kernel.library.mode import Mode
from echidna_mcp.kernel.library.plan import Plan
from echidna_mcp.user_cache import ObjectCache
from echidna_mcp_plugins import native as native_evm
from echidna_mcp_plugins.native.host.library import evm_plan

NEXT = {
    8: next8,
    16: next16,
    32: next32,
    64: next64,
    128: next128,
    256: next256,
    512: next512,
}
FUNCTIONS: tuple[Any, ...] = (
    *NEXT.values(),
    mixed,
    advance,
    ask_twice,
    pick,
    shift,
    spin,
)
PLAN = Plan(functions=FUNCTIONS)
MODES: tuple[Mode, ...] = ("compiled", "checked", "plain")


@pytest.fixture(scope="module")
def libraries(tmp_path_factory) -> dict[Mode, Library]:
    cache = ObjectCache(tmp_path_factory.mktemp("kernels"))
    return {mode: Library.load(PLAN, mode=mode, cache=cache) for mode in MODES}


@pytest.fixture(params=MODES)
def library(request, libraries) -> Library:
    return libraries[request.param]


@pytest.fixture(params=MODES[:2])
def native(request, libraries) -> Library:
    return libraries[request.param]


def full_box(**values: Any) -> Box:
    made = blank(Box)
    made.name, made.table = bytearray(4), words([0, 0])
    for name, value in values.items():
        setattr(made, name, value)
    return made


# --------------------------------------------------------------------------- values


@pytest.mark.parametrize("bits", sorted(NEXT))
@given(data=st.data())
def test_integers_of_every_width_go_in_and_out(libraries, bits, data):
    value = data.draw(st.integers(0, 2**bits - 1))
    for library in libraries.values():
        assert library.function(NEXT[bits])(value) == (value + 1) % 2**bits


@pytest.mark.parametrize("bits", sorted(NEXT))
def test_the_largest_integer_wraps_and_a_larger_one_is_refused(native, bits):
    function = native.function(NEXT[bits])
    assert function(2**bits - 1) == 0
    for wrong in (2**bits, -1):
        with pytest.raises(OverflowError):
            function(wrong)
    with pytest.raises(TypeError):
        function("1")


def test_arguments_of_all_types_arrive_where_they_belong(library):
    name, table, box = bytearray(b"ab"), words([1, 2]), full_box()
    huge = (1 << 511) | 5
    result = library.function(mixed)(200, name, 7 << 200, table, 65535, box, huge)
    assert result == huge >> 500
    assert (name, table.tolist()) == (b"\xc8b", [7, 2])
    assert (box.plain, box.huge) == (65535, huge)


@pytest.mark.parametrize(
    ("name", "table"),
    [
        (memoryview(bytearray(2)), memoryview(words([0]))),
        (arena(2), arena(8).cast("Q")),
        (memoryview(words([0])).cast("B"), words([0])),
    ],
)
def test_buffers_may_be_views(library, name, table):
    library.function(mixed)(9, name, 5 << 200, table, 0, full_box(), 0)
    assert (name[0], table[0]) == (9, 5)


@given(st.data())
def test_compiled_code_and_python_see_the_same_record(libraries, data):
    fields = {"tiny": 8, "short": 16, "middle": 32, "plain": 64}
    fields |= {"double": 128, "wide": 256, "huge": 512}
    values = {n: data.draw(st.integers(0, 2**bits - 1)) for n, bits in fields.items()}
    for library in libraries.values():
        box = full_box(**values)
        library.function(advance)(box)
        for name, bits in fields.items():
            assert getattr(box, name) == (values[name] + 3) % 2**bits
        assert (box.name[0], box.table[0]) == (3, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, b"ab", 0, words([1]), 0, None, 0), "name: bytes is no Bytes"),
        ((1, words([1]), 0, words([1]), 0, None, 0), "name: array is no Bytes"),
        ((1, bytearray(1), 0, bytearray(8), 0, None, 0), "table: bytearray is no"),
        ((1, bytearray(1), 0, [1], 0, None, 0), "table: list is no Words"),
        ((1, bytearray(1), 0, words([1]), 0, object(), 0), "box must be a Box"),
        ((1, bytearray(1), 0, words([1]), 0, None, 0), "box must be a Box"),
        ((None, bytearray(1), 0, words([1]), 0, full_box(), 0), "one must be a number"),
    ],
)
def test_arguments_of_wrong_types_are_named(native, arguments, message):
    with pytest.raises(TypeError, match=message):
        native.function(mixed)(*arguments)


def test_a_number_that_does_not_fit_is_named(native):
    arguments = (1, bytearray(1), 0, words([1]), 65536, full_box(), 0)
    with pytest.raises(OverflowError, match="three is u16; 65536 does not fit"):
        native.function(mixed)(*arguments)


def test_buffers_can_be_resized_after_a_call(native):
    name, table = bytearray(2), words([0])
    native.function(mixed)(1, name, 0, table, 0, full_box(), 0)
    name.append(1)
    table.append(1)
    caught: list[Exception] = []
    for wrong in (-1, 256):
        try:
            native.function(mixed)(wrong, name, 0, table, 0, full_box(), 0)
        except OverflowError as error:
            caught.append(error)  # kept, with its traceback
    name.append(1)
    table.append(1)
    assert len(caught) == 2


def test_the_wrapper_looks_like_the_function(native):
    made = native.function(pick)
    assert (made.__name__, made.__doc__) == ("pick", "Return a byte.")
    assert native.function(pick) is made


def test_a_function_keeps_its_machine_code():
    function = Library.load(Plan(functions=(pick,))).function(pick)
    gc.collect()
    assert function(bytearray(b"ab"), 1) == ord("b")


def test_plain_mode_returns_the_function_itself(libraries):
    assert libraries["plain"].function(pick) is pick


def test_a_function_that_is_not_in_the_plan_is_refused(native):
    with pytest.raises(KernelUsageError, match="missing is not in the plan"):
        native.function(missing)


def test_a_function_that_can_not_be_compiled_is_named(tmp_path):
    path = tmp_path / "broken_kernel.py"
    path.write_text(
        '"""Broken."""\n\nfrom __future__ import annotations\n\n'
        "from echidna_mcp.kernel.language.memory import u64\n\n\n"
        "def broken(value: u64) -> u64:\n    return [value][0]\n"
    )
    module = ModuleType("broken_kernel")
    module.__file__ = str(path)
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    sys.modules["broken_kernel"] = module
    try:
        with pytest.raises(KernelError, match=r"broken_kernel\.py:9"):
            Library.load(Plan(functions=(module.broken,)))
    finally:
        del sys.modules["broken_kernel"]


# ----------------------------------------------------------------------- callbacks


def test_callbacks_are_called(library):
    box = full_box(ask=lambda value: value * 2)
    assert library.function(ask_twice)(box, 3) == 12


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_exception_of_a_callback_is_raised_and_no_other_callback_runs(library, kind):
    calls: list[int] = []

    def fail(value: int) -> int:
        calls.append(value)
        raise kind("on purpose")

    box = full_box(ask=fail)
    with pytest.raises(kind, match="on purpose"):
        library.function(ask_twice)(box, 3)
    assert calls == [3]
    box.ask = lambda value: value + 1
    assert library.function(ask_twice)(box, 3) == 5


def test_a_callback_may_call_compiled_code_that_fails(native):
    inner = full_box(ask=lambda _value: 1 // 0)
    ask = native.function(ask_twice)

    def nested(value: int) -> int:
        with pytest.raises(ZeroDivisionError):
            ask(inner, value)
        return value + 1

    assert ask(full_box(ask=nested), 5) == 7


def test_a_callback_that_answers_nonsense_raises(native):
    with pytest.raises(TypeError):
        native.function(ask_twice)(full_box(ask=lambda _value: "no"), 3)
    assert native.function(next64)(1) == 2


def test_a_missing_callback_raises(library):
    with pytest.raises(TypeError, match=r"Box\.ask is not set"):
        library.function(ask_twice)(full_box(), 3)


# --------------------------------------------------------------------- checked mode


def test_an_access_out_of_bounds_names_its_place(libraries):
    checked = libraries["checked"].function(pick)
    assert checked(bytearray(b"abc"), 2) == ord("c")
    for at in (3, 2**64 - 1):
        with pytest.raises(KernelMemoryError, match=r"kernel_arguments\.py:\d+ pick: "):
            checked(bytearray(b"abc"), at)
    assert checked(bytearray(b"abc"), 0) == ord("a")


@pytest.mark.parametrize(
    "arguments", [(1, 0, 4), (0, 1, 4), (5, 0, 0), (0, 0, 2**64 - 1)]
)
def test_a_copy_out_of_bounds_changes_nothing(libraries, arguments):
    name = bytearray(b"abcd")
    with pytest.raises(KernelMemoryError, match="shift"):
        libraries["checked"].function(shift)(name, *arguments)
    assert name == b"abcd"
    name.append(1)


def test_threads_see_their_own_traps_only(libraries):
    checked = libraries["checked"].function(pick)
    wrong: list[str] = []

    def run(number: int) -> None:
        memory = bytearray(range(100))
        for turn in range(3_000):
            good = (turn + number) % 2 == 0
            try:
                result = checked(memory, turn % 100 if good else 100 + turn)
            except KernelMemoryError:
                if good:
                    wrong.append("a good access failed")
            else:
                if not good or result != turn % 100:
                    wrong.append("a bad access passed")

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# ------------------------------------------------------------------------- threads


def test_the_gil_is_free_during_a_call(native):
    turns = 0
    seen: list[int] = []

    def run() -> None:
        before = turns
        native.function(spin)(words([1]), 100_000_000)
        seen.append(turns - before)

    thread = threading.Thread(target=run)
    thread.start()
    while thread.is_alive():
        turns += 1
        time.sleep(0.001)
    # Were the GIL held, there would be one turn at most.
    assert seen[0] > 5


def test_threads_do_not_share_arguments(native):
    results: dict[int, list[int]] = {}
    function = native.function(spin)

    def run(seed: int) -> None:
        results[seed] = [function(words([seed]), 2_000) for _ in range(300)]

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, found in results.items():
        assert set(found) == {spin(words([seed]), 2_000)}


# --------------------------------------------------------------------------- cache


def test_the_second_start_uses_the_cache(tmp_path):
    cache = ObjectCache(tmp_path)
    plan = Plan(functions=(pick, next256))
    first = Library.load(plan, cache=cache)
    second = Library.load(plan, cache=cache)
    assert (first.cached, second.cached) == (False, True)
    for library in (first, second):
        assert library.function(pick)(bytearray(b"ab"), 1) == ord("b")
        assert library.function(next256)(2**256 - 1) == 0


def test_checked_code_from_the_cache_still_names_the_place(tmp_path):
    cache = ObjectCache(tmp_path)
    plan = Plan(functions=(pick,))
    Library.load(plan, mode="checked", cache=cache)
    again = Library.load(plan, mode="checked", cache=cache)
    assert again.cached
    with pytest.raises(KernelMemoryError, match=r"kernel_arguments\.py:\d+ pick"):
        again.function(pick)(bytearray(1), 1)


@pytest.mark.parametrize("keep", [0, 10, 40, 500, -1])
def test_a_damaged_cache_is_rebuilt(tmp_path, keep):
    cache = ObjectCache(tmp_path)
    plan = Plan(functions=(pick,))
    Library.load(plan, cache=cache)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:keep])
    again = Library.load(plan, cache=cache)
    assert not again.cached
    assert again.function(pick)(bytearray(b"ab"), 1) == ord("b")
    assert Library.load(plan, cache=cache).cached


def test_an_entry_that_is_whole_but_no_machine_code_is_rebuilt(tmp_path):
    cache = ObjectCache(tmp_path)
    plan = Plan(functions=(pick,))
    Library.load(plan, cache=cache)
    (path,) = tmp_path.iterdir()
    for content in (b"", b"nonsense" * 20, (2).to_bytes(8, "little") + b"{}"):
        cache.put(path.stem, content)
        again = Library.load(plan, cache=cache)
        assert not again.cached
        assert again.function(pick)(bytearray(b"ab"), 1) == ord("b")


def test_the_key_covers_everything_that_goes_in(monkeypatch):
    plan = Plan(functions=(pick, advance))
    key = plan.key()
    assert Plan(functions=(pick, advance)).key() == key
    assert Plan(functions=(advance, pick)).key() != key
    assert Plan(functions=(pick,)).key() != key
    assert Plan(functions=(pick, advance), parameters="2").key() != key
    assert Plan(functions=(pick, advance), inputs=(subprocess,)).key() != key
    assert plan.key("another processor") != key
    monkeypatch.setattr(kernel_arguments, "STEP", 4)
    assert plan.key() != key


def test_modes_and_options_are_cached_apart(tmp_path):
    cache = ObjectCache(tmp_path)
    plan = Plan(functions=(pick,))
    Library.load(plan, cache=cache)
    assert not Library.load(plan, cache=cache, mode="checked").cached
    assert not Library.load(plan, cache=cache, options=BuildOptions(passes=0)).cached
    assert Library.load(plan, cache=cache).cached


def test_the_key_follows_the_source_of_what_a_module_imports(tmp_path):
    script = (
        "import top; from echidna_mcp.kernel.library.plan import Plan;"
        "print(Plan(functions=(top.outer,)).key())"
    )
    head = (
        "from __future__ import annotations\n"
        "from echidna_mcp.kernel.language.memory import u64\n"
    )
    (tmp_path / "top.py").write_text(
        head + "from deep import inner\n\n\n"
        "def outer(value: u64) -> u64:\n    return inner(value)\n"
    )

    def key(deep: str) -> str:
        (tmp_path / "deep.py").write_text(head + deep)
        done = subprocess.run(
            [sys.executable, "-B", "-c", script],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    first = key("\n\ndef inner(value: u64) -> u64:\n    return value\n")
    other = key("\n\ndef inner(value: u64) -> u64:\n    return value + 1\n")
    assert first != other


def test_the_key_follows_every_module_below_a_package(tmp_path, monkeypatch):
    folder = tmp_path / "inputs_of_a_plan" / "room"
    folder.mkdir(parents=True)
    for place in (folder.parent, folder):
        (place / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    package = importlib.import_module("inputs_of_a_plan")
    plan = Plan(functions=(pick, advance), inputs=(package,))
    keys = [plan.key()]
    for text in ("", "A = 1\n", "A = 2\n"):
        (folder / "deep.py").write_text(text, "utf-8")
        keys.append(plan.key())
    (folder / "deep.py").rename(folder.parent / "deep.py")
    keys.append(plan.key())
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("package", [kernel, native_evm])
def test_machine_code_of_the_evm_is_kept_by_every_module_of_kernel_and_evm(
    package, monkeypatch
):
    read: set[Path] = set()
    text_of = Path.read_text

    def noted(path, *arguments, **options):
        read.add(path)
        return text_of(path, *arguments, **options)

    monkeypatch.setattr(Path, "read_text", noted)
    evm_plan().key()
    assert {*Path(package.__file__).parent.rglob("*.py")} <= read


@pytest.mark.parametrize("parts", [1, 2])
def test_two_processes_may_start_at_once(tmp_path, parts):
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[2]);"
        "from kernel_arguments import pick, shift;"
        "from echidna_mcp.kernel.library.plan import Plan;"
        "from echidna_mcp.kernel.library.library import Library;"
        "from echidna_mcp.user_cache import ObjectCache;"
        "cache = ObjectCache(Path(sys.argv[1]));"
        f"plan = Plan(functions=(pick, shift), parts={parts});"
        "library = Library.load(plan, cache=cache);"
        "print(library.function(pick)(bytearray(b'ab'), 1))"
    )
    support = str(Path(__file__).parents[1] / "support")
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path), support],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    assert [each.communicate()[0] for each in started] == ["98\n"] * 3
    assert len(list(tmp_path.iterdir())) == 1
    wanted = Plan(functions=(pick, shift), parts=parts)
    assert Library.load(wanted, cache=ObjectCache(tmp_path)).cached


# -------------------------------------------------------------------------- raw IR


def add_raw(unit: Unit) -> None:
    """Export a table and a function that the second tier would use."""
    unit.add_ir("@answers = constant [2 x i64] [i64 41, i64 42], align 8")
    unit.add_ir(
        "define i64 @raw.next(i64 %value) {\n"
        "  %next = add i64 %value, 1\n  ret i64 %next\n}"
    )
    unit.implement(missing, "entry:\n  %twice = shl i64 %value, 1\n  ret i64 %twice")


RAW = Plan(functions=(missing, next64), build=add_raw)
MORE = """
declare i64 @raw.next(i64)
define i64 @raw.second(i64 %value) {
  %first = call i64 @raw.next(i64 %value)
  %second = call i64 @raw.next(i64 %first)
  ret i64 %second
}
"""


def call_at(address: int, value: int) -> int:
    function = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)(address)
    return int(function(value))


def test_raw_ir_is_part_of_the_library():
    library = Library.load(RAW)
    assert library.function(missing)(21) == 42
    assert call_at(library.address("raw.next"), 41) == 42
    table = (ctypes.c_uint64 * 2).from_address(library.address("answers"))
    assert list(table) == [41, 42]
    with pytest.raises(KernelUsageError, match=r"no symbol raw\.none"):
        library.address("raw.none")


def test_objects_can_be_added_that_use_the_library(capfd):
    library = Library.load(RAW)
    code = build(MORE)
    addresses = library.add_object(code, ["raw.second"])
    assert call_at(addresses["raw.second"], 40) == 42
    other = Library.load(RAW)  # the same symbols again, without a clash
    assert call_at(other.add_object(code, ["raw.second"])["raw.second"], 1) == 3
    with pytest.raises(KernelBuildError, match="can't load"):
        Library.load(Plan(functions=(pick,))).add_object(code, ["raw.second"])
    with pytest.raises(KernelBuildError, match="can't load"):
        library.add_object(b"no object", ["raw.second"])
    capfd.readouterr()  # LLVM says on standard error which symbol it missed


@pytest.mark.parametrize("mode", MODES[:2])
def test_functions_of_an_added_object_call_those_of_a_shared_library(mode: Mode):
    library = Library.load(Plan(functions=(next64, pick), shared=True), mode=mode)
    unit = Unit(checked=mode == "checked", beside=library.shared)
    called = unit.require(next64).call("%value")
    unit.add_ir(
        f"define i64 @added(i64 %value) {{\n  %next = {called}\n  ret i64 %next\n}}"
    )
    addresses = library.add_object(build(unit.render()), ["added"])
    assert "declare i64 @k.kernel_arguments.next64(i64)" in unit.render()
    assert call_at(addresses["added"], 41) == 42


def test_a_library_that_is_not_shared_keeps_its_functions_to_itself():
    assert Library.load(Plan(functions=(pick,))).shared == {}


def test_ir_that_llvm_refuses_is_an_error():
    with pytest.raises(KernelBuildError, match="LLVM refuses"):
        build("define i64 @f() { ret i32 1 }")


def test_plain_libraries_have_no_machine_code(libraries):
    with pytest.raises(KernelUsageError):
        libraries["plain"].address("entry.pick")
    with pytest.raises(KernelUsageError):
        libraries["plain"].add_object(b"", [])
