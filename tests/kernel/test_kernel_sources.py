"""All kernel code of the project compiles, in both modes, and LLVM accepts it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import time
from types import ModuleType
from typing import Any

import llvmlite.binding as llvm
import pytest

import echidna_mcp.fuzz
import echidna_mcp_plugins.native
from echidna_mcp.kernel.compiler.source import is_kernel_function
from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp.kernel.language import division
from echidna_mcp.kernel.library.build import host
from echidna_mcp_plugins.native.interpreter import execution

HOST_SIDE = {
    "echidna_mcp.fuzz.climbing.starting",
    "echidna_mcp.fuzz.kernels.loading",
    "echidna_mcp.fuzz.tables",
}
"""Modules of `fuzz` that only Python calls."""
REFERENCES = {"echidna_mcp_plugins.native.interpreter.plain"}
"""Modules whose functions run as plain Python alone: the interpreter's twin."""
RAW = [execution.execute]
"""Functions with a body of raw IR, whose Python body is no kernel code."""


def modules_of(package: ModuleType) -> list[ModuleType]:
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    modules = [importlib.import_module(each.name) for each in found]
    return [each for each in modules if each.__name__ not in REFERENCES]


def functions_in(module: ModuleType) -> list[Any]:
    return [
        value
        for value in vars(module).values()
        if inspect.isfunction(value) and value.__module__ == module.__name__
    ]


def kernel_functions() -> list[Any]:
    modules = [
        division,
        *modules_of(echidna_mcp.fuzz),
        *modules_of(echidna_mcp_plugins.native),
    ]
    return [
        function
        for module in modules
        for function in functions_in(module)
        if is_kernel_function(function)
    ]


def whole_unit(*, checked: bool) -> Unit:
    unit = Unit(checked=checked)
    for function in RAW:
        unit.implement(function, "entry:\n  ret void")
    for function in kernel_functions():
        unit.export(function)
    return unit


@pytest.mark.parametrize("checked", [False, True])
def test_all_kernel_code_compiles(checked: bool):
    host()
    llvm.parse_assembly(whole_unit(checked=checked).render()).verify()


def test_kernel_code_is_found():
    names = {function.__name__ for function in kernel_functions()}
    assert {"build_sequence", "shrink_candidate", "below", "divide256"} <= names
    assert {"find_account", "keccak256", "charge", "execute"} <= names
    assert len(names) > 300


def test_all_of_the_fuzzing_code_is_kernel_code():
    others = [
        f"{module.__name__}.{function.__name__}"
        for module in modules_of(echidna_mcp.fuzz)
        if module.__name__ not in HOST_SIDE
        for function in functions_in(module)
        if not is_kernel_function(function)
    ]
    assert others == []


def test_no_wide_division_reaches_llvm():
    text = whole_unit(checked=False).render()
    for instruction in ("udiv", "urem", "sdiv", "srem"):
        for bits in (128, 256, 512):
            assert f"{instruction} i{bits} " not in text


def test_translation_takes_not_much_longer_than_python_takes_to_compile_the_same():
    modules = {sys.modules[each.__module__] for each in kernel_functions()}
    texts = [inspect.getsource(module) for module in modules]
    whole_unit(checked=False)  # What is kept from the first time is there.
    ratios = []
    for _ in range(3):
        start = time.process_time()
        for text in texts:
            compile(text, "kernels", "exec")
        compiled = time.process_time()
        whole_unit(checked=False)
        ratios.append((time.process_time() - compiled) / (compiled - start))
    assert min(ratios) < 12  # It is 4.
