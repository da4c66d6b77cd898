"""The layer rules of docs/architecture.md, read from the imports."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = ROOT / "core" / "echidna_mcp"
PLUGINS = ROOT / "plugins" / "echidna_mcp_plugins"
CODEGEN = ROOT / "codegen" / "echidna_mcp_codegen"


def modules(package: Path) -> list[Path]:
    return sorted(package.rglob("*.py"))


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text("utf-8"))))


def imported(path: Path) -> Iterator[str]:
    """Every absolute module name that a file imports, wherever it does."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def offenders(package: Path, *forbidden: str) -> list[str]:
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(package)
        for name in imported(path)
        if any(name == f or name.startswith(f + ".") for f in forbidden)
    ]


def test_core_imports_neither_plugins_nor_codegen():
    forbidden = ("echidna_mcp_plugins", "echidna_mcp_codegen")
    assert offenders(CORE, *forbidden) == []


def test_plugins_do_not_import_codegen_or_the_command_line():
    forbidden = ("echidna_mcp_codegen", "echidna_mcp.cli")
    assert offenders(PLUGINS, *forbidden) == []


def test_codegen_needs_only_the_contract_documents_of_core():
    allowed = {"echidna_mcp.contracts", "echidna_mcp.errors", "echidna_mcp_codegen"}
    found = {
        ".".join(name.split(".")[:2])
        for path in modules(CODEGEN)
        for name in imported(path)
        if name.startswith("echidna_mcp")
    }
    assert {name for name in found if name.split(".")[0] == "echidna_mcp"} <= allowed


@pytest.mark.parametrize(
    "library", ["mcp", "eth", "vyper", "datamodel_code_generator", "rlp", "trie"]
)
def test_core_does_not_know_libraries_that_belong_to_a_plugin(library):
    assert offenders(CORE, library) == []


def test_generated_code_is_imported_through_the_contract_packages_only():
    strays = [
        text
        for text in offenders(CORE, "echidna_mcp._generated")
        if not text.startswith(
            ("core/echidna_mcp/_generated", "core/echidna_mcp/contracts")
        )
    ]
    assert strays == []


# What decides a result: no clock, no chance, no environment, no order of a set.
DECIDING = [
    *modules(CORE / "fuzz"),
    # The rest of the kernel only decides how code runs, never what comes out: compiled
    # and plain functions are compared where they are used.
    *(CORE / "kernel" / f"{name}.py" for name in ["division", "memory"]),
    *modules(CORE / "abi"),
    *modules(CORE / "evm"),
    *(
        CORE / "campaign" / f"{name}.py"
        for name in [
            "calls",
            "commands",
            "deployment",
            "digest",
            "engine",
            "interface",
            "judge",
            "recorder",
            "round",
            "shrinking",
            "tasks",
        ]
    ),
    *(
        CORE / "views" / f"{name}.py"
        for name in [
            "campaign",
            "corpus",
            "coverage",
            "dictionary",
            "priorities",
            "progress",
            "properties",
        ]
    ),
    *modules(PLUGINS / "evm"),
]


@pytest.mark.parametrize(
    "module", ["time", "random", "secrets", "uuid", "datetime", "os", "threading"]
)
def test_code_that_decides_results_has_no_clock_and_no_chance(module):
    strays = [
        str(path.relative_to(ROOT))
        for path in DECIDING
        if any(
            name == module or name.startswith(module + ".") for name in imported(path)
        )
    ]
    assert strays == []


def test_code_that_decides_results_has_no_floating_point_and_no_hash_of_objects():
    strays = []
    for path in DECIDING:
        # How near a name must be to be suggested in a message decides nothing.
        harmless = {
            id(node.value)
            for node in nodes(path)
            if isinstance(node, ast.keyword) and node.arg == "cutoff"
        }
        for node in nodes(path):
            bad = (
                isinstance(node, ast.Constant)
                and isinstance(node.value, float)
                and id(node) not in harmless
            )
            bad |= (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in {"hash", "id", "float"}
            )
            bad |= isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
            if bad:
                strays.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert strays == []


def test_code_that_decides_results_never_iterates_over_a_set():
    strays = []
    for path in DECIDING:
        for node in nodes(path):
            if isinstance(node, ast.For | ast.comprehension):
                source = node.iter
                is_set = isinstance(source, ast.Set | ast.SetComp) or (
                    isinstance(source, ast.Call)
                    and isinstance(source.func, ast.Name)
                    and source.func.id in {"set", "frozenset"}
                )
                if is_set:
                    strays.append(f"{path.relative_to(ROOT)}:{source.lineno}")
    assert strays == []


@pytest.mark.parametrize("package", [CORE, PLUGINS, CODEGEN])
def test_no_module_is_longer_than_400_lines(package):
    long = {
        str(path.relative_to(ROOT)): lines
        for path in modules(package)
        if "_generated" not in path.parts
        and (lines := len(path.read_text("utf-8").splitlines())) > 400
    }
    assert long == {}
