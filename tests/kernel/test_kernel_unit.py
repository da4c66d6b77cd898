"""Units: symbols, entries, and raw IR beside kernel functions."""

from __future__ import annotations

from typing import Any

import kernel_constructs as samples
import llvmlite.binding as llvm
import pytest
from kernel_modules import functions_of, module_of

from echidna_mcp.kernel.compiler.access import FIELD, FIXED, MEMORY
from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp.kernel.language.errors import KernelError
from echidna_mcp.kernel.language.types import offsets
from echidna_mcp.kernel.library.build import BuildOptions, build, host
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.plan import Plan

TEXT = """\
@record
class Box:
    count: u64
    data: Bytes
    wide: u256
def double(a: u64) -> u64:
    return wrap64(a * 2)
def mixed(box: Box, small: u8, data: Bytes, wide: u512, row: Words) -> u256:
    return wrap256(small) + wrap256(data[0]) + wrap256(wide) + wrap256(row[0])
def replaced(a: u64, data: Bytes) -> u64:
    return double(a) + data[1]
def caller(a: u64, data: Bytes) -> u64:
    return replaced(a, data) + 1
def summed(box: Box) -> u64:
    total = 0
    for i in range(box.count):
        total = wrap64(total + box.data[i])
        box.data[i] = i & 255
        box.wide = wrap256(box.wide + 1)
    return total
@inline
def small(a: u64) -> u64:
    return a
@cold
def rare(a: u64) -> u64:
    return a
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory: Any) -> Any:
    return module_of(tmp_path_factory.mktemp("kernel"), TEXT)


def parsed(unit: Unit) -> llvm.ModuleRef:
    host()
    module = llvm.parse_assembly(unit.render())
    module.verify()
    return module


def test_a_function_is_translated_once_with_what_it_calls(code: Any):
    unit = Unit()
    first = unit.require(code.caller)
    assert unit.require(code.caller) is first
    names = [each.name for each in parsed(unit).functions if not each.is_declaration]
    names.remove("kernel_nanoseconds")  # What an intrinsic calls; each unit has it.
    stem = first.symbol.removeprefix("@").removesuffix("caller")
    assert sorted(names) == [
        f"{stem}{each}" for each in ("caller", "double", "replaced")
    ]


def test_the_calling_form_of_a_function(code: Any):
    plain, checked = Unit().require(code.mixed), Unit(checked=True).require(code.mixed)
    buffers = ("ptr", "%box"), ("i8", "%small"), ("ptr", "%data")
    assert plain.slots == (*buffers, ("i512", "%wide"), ("ptr", "%row"))
    assert checked.slots == (
        *buffers,
        ("i64", "%data.length"),
        ("i512", "%wide"),
        ("ptr", "%row"),
        ("i64", "%row.length"),
    )
    assert plain.ir_result == "i256"
    assert plain.call("%a", "1", "%b", "2", "%c") == (
        f"call i256 {plain.symbol}(ptr %a, i8 1, ptr %b, i512 2, ptr %c)"
    )
    with pytest.raises(ValueError, match="shorter"):
        checked.call("%a", "1", "%b", "2", "%c")


def test_an_entry_has_the_layout_of_its_types(code: Any):
    unit = Unit()
    entry = unit.export(code.mixed)
    assert entry.symbol.startswith("entry.")
    assert unit.export(code.mixed) is entry
    starts, size = offsets(entry.parameters)
    assert starts == [0, 8, 16, 32, 96]
    assert entry.size == size + 32
    assert f"define void @{entry.symbol}(ptr %arguments)" in unit.render()


def test_functions_of_one_name_get_different_symbols(code: Any, tmp_path: Any):
    other = module_of(tmp_path, "def double(a: u64) -> u64:\n    return a\n")
    other.double.__module__ = code.double.__module__
    unit = Unit()
    assert unit.require(code.double).symbol != unit.require(other.double).symbol
    parsed(unit)


def test_marks_become_attributes(code: Any):
    unit = Unit()
    lines = {}
    for function in (code.small, code.rare, code.double):
        symbol = unit.require(function).symbol
        (line,) = [x for x in unit.render().splitlines() if f"{symbol}(" in x]
        lines[function.__name__] = line
    assert "alwaysinline nounwind" in lines["small"]
    assert "noinline cold nounwind" in lines["rare"]
    assert lines["double"].endswith(") nounwind {")


@pytest.mark.parametrize("mode", ["compiled", "checked"])
def test_a_body_of_raw_ir_takes_the_place_of_the_python_one(code: Any, mode: Any):
    def raw_body(unit: Unit) -> None:
        def body(compiled: Any) -> str:
            call = unit.require(code.double).call("%a")
            assert ("%data.length" in str(compiled.slots)) == unit.checked
            return f"start:\n  %x = {call}\n  %y = add i64 %x, 1000\n  ret i64 %y"

        unit.implement(code.replaced, body)

    plan = Plan(functions=(code.caller,), build=raw_body)
    run = Library.load(plan, mode=mode).function(code.caller)
    assert run(4, bytearray(2)) == 1009


def test_raw_ir_reaches_fields_and_functions(code: Any):
    def add(unit: Unit) -> None:
        at = unit.offset(code.Box, "wide")
        assert at == 24
        with pytest.raises(KeyError, match=r"Box\.size"):
            unit.offset(code.Box, "size")
        unit.implement(
            code.summed,
            f"entry:\n  %p = getelementptr i8, ptr %box, i64 {at}\n"
            "  %w = load i256, ptr %p, align 8, !tbaa !3\n"
            "  %x = trunc i256 %w to i64\n"
            "  %y = call i64 @own.helper(i64 %x)\n  ret i64 %y",
        )
        call = unit.require(code.double).call("%x")
        unit.add_ir(
            "define internal i64 @own.helper(i64 %x) {\n"
            f"  %r = {call}\n  ret i64 %r, !note !100\n}}\n!100 = !{{}}"
        )

    run = Library.load(Plan(functions=(code.summed,), build=add)).function(code.summed)
    box = code.Box(wide=21, data=bytearray())
    assert run(box) == 42
    assert code.summed(box) == 0


def test_implementing_too_late_is_a_mistake(code: Any):
    unit = Unit()
    unit.require(code.double)
    with pytest.raises(AssertionError, match="before it is required"):
        unit.implement(code.double, "entry:\n  ret i64 0")


def test_the_text_does_not_depend_on_the_run(code: Any):
    texts = set()
    for _ in range(2):
        unit = Unit(checked=True)
        for function in functions_of(code):
            unit.export(function)
        texts.add(unit.render())
    assert len(texts) == 1


def loop_blocks(function: llvm.ValueRef) -> list[str]:
    """Return the blocks that jump to themselves."""
    found = []
    for block in function.blocks:
        *_, last = block.instructions
        if f"label %{block.name}" in str(last):
            found.append(str(block))
    return found


@pytest.mark.parametrize("told", [True, False])
def test_addresses_of_buffers_are_loaded_once_in_a_loop(code: Any, told: bool):
    unit = Unit()
    unit.export(code.summed)
    text = unit.render()
    if not told:
        for kind in (FIELD, MEMORY, FIXED):
            text = text.replace(f", {kind}", "")
    host()
    module = llvm.parse_assembly(text)
    machine = llvm.Target.from_default_triple().create_target_machine()
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    (function,) = [f for f in module.functions if f.name.startswith("entry.")]
    blocks = loop_blocks(function)
    assert blocks
    assert any("load ptr" in block for block in blocks) is not told


def test_a_mistake_leaves_the_unit_usable_for_messages(code: Any, tmp_path: Any):
    bad = module_of(tmp_path, "def bad(a: u64) -> u64:\n    return -a\n")
    unit = Unit()
    with pytest.raises(KernelError):
        unit.require(bad.bad)
    assert unit.require(code.double).result is not None


@pytest.mark.parametrize("checked", [False, True])
def test_all_samples_build_without_passes(checked: bool):
    unit = Unit(checked=checked)
    for function in functions_of(samples):
        unit.export(function)
    assert build(unit.render(), BuildOptions(passes=0, codegen=0))
