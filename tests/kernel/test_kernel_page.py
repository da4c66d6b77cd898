"""What docs/kernel.md shows works."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

from documentation import page

from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp.kernel.language import memory
from echidna_mcp.kernel.language.types import INTEGERS
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.plan import Plan

PAGE = page("docs/kernel.md")


def first_example(folder: Any) -> Any:
    example, _ = PAGE.blocks("python")
    path = folder / "page_example.py"
    path.write_text(example)
    spec = importlib.util.spec_from_file_location("page_example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["page_example"] = module
    spec.loader.exec_module(module)
    return module


def test_the_example_runs_in_all_modes(tmp_path: Any):
    module = first_example(tmp_path)
    plan = Plan(functions=(module.sum_words,))
    runs = [
        Library.load(plan, mode="compiled").function(module.sum_words),
        Library.load(plan, mode="checked").function(module.sum_words),
        module.sum_words,
    ]
    data = bytearray(b"\xff" * 64 + bytes(31) + b"\x07")
    heap = module.Heap(size=len(data), data=data)
    assert [run(heap, 0) for run in runs] == [5, 5, 5]
    assert [run(heap, 64) for run in runs] == [7, 7, 7]


def test_the_page_names_all_of_the_language():
    for name in INTEGERS:
        assert f"`{name}`" in PAGE.text
    for name, value in vars(memory).items():
        if callable(value) and value.__module__ == memory.__name__:
            shown = name in PAGE.text or name.startswith("wrap")
            assert shown or name == "words", name


def test_what_the_page_uses_of_units_exists():
    _, example = PAGE.blocks("python")
    for name in ("require", "implement", "add_ir", "offset", "export"):
        assert name in example + PAGE.prose
        assert callable(getattr(Unit, name))
