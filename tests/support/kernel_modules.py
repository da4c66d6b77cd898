"""Kernel code made at run time, and kernel functions in all modes."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from echidna_mcp.kernel.compiler.source import is_kernel_function
from echidna_mcp.kernel.library.build import BuildOptions
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.plan import Plan

_NUMBERS = itertools.count()
HEADER = """\
from __future__ import annotations

from collections.abc import Callable

from echidna_mcp.kernel.language.marks import *
from echidna_mcp.kernel.language.memory import *
from echidna_mcp.kernel.language.record import record

"""
HEADER_LINES = HEADER.count("\n")


def module_of(folder: Path, text: str) -> ModuleType:
    """Import a module with this text after the `HEADER`."""
    name = f"kernel_code_{next(_NUMBERS)}"
    path = folder / f"{name}.py"
    path.write_text(HEADER + text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def functions_of(module: ModuleType) -> list[Any]:
    """Return the kernel functions that a module defines."""
    return [
        value
        for value in vars(module).values()
        if is_kernel_function(value) and value.__module__ == module.__name__
    ]


class Modes:
    """Kernel functions, compiled and compiled with checks."""

    def __init__(
        self, functions: Iterable[Any], *, options: BuildOptions | None = None
    ) -> None:
        plan = Plan(functions=tuple(functions))
        self.compiled = Library.load(plan, options=options)
        self.checked = Library.load(plan, mode="checked", options=options)

    def both(self, function: Callable[..., Any]) -> list[Callable[..., Any]]:
        """Return the function as machine code, without and with checks."""
        return [self.compiled.function(function), self.checked.function(function)]
