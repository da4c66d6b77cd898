"""The layer rules of docs/architecture.md, read from the imports."""

from __future__ import annotations

import ast
import functools
import re
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


def test_codegen_needs_only_the_contract_documents_of_core_and_the_dialects():
    allowed = {
        *("echidna_mcp.contracts", "echidna_mcp.errors", "echidna_mcp_codegen"),
        *("echidna_mcp.plugins", "echidna_mcp.wording"),
    }
    found = {
        ".".join(name.split(".")[:2])
        for path in modules(CODEGEN)
        for name in imported(path)
        if name.startswith("echidna_mcp")
    }
    known = {name for name in found if name.split(".")[0] == "echidna_mcp"}
    assert known
    assert known <= allowed


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


# What decides a result: no clock, no chance, no environment, no order of a set. Whole
# folders, so that a new module is held to it; what is excepted says why.
DECIDING = (
    "core/echidna_mcp/rounds",
    "core/echidna_mcp/solving",
    "core/echidna_mcp/fuzz",
    "core/echidna_mcp/kernel/language",
    "core/echidna_mcp/abi",
    "core/echidna_mcp/cheatcodes",
    "core/echidna_mcp/program",
    "core/echidna_mcp/evm",
    "core/echidna_mcp/views",
    "plugins/echidna_mcp_plugins/py_evm",
    "plugins/echidna_mcp_plugins/native",
)
NOT_DECIDING = (
    # When blocks are compiled decides how fast they run, never what they do.
    "plugins/echidna_mcp_plugins/native/hot",
    # A file beside the store, for people; no result depends on it.
    "core/echidna_mcp/views/command_log.py",
)
FORBIDDEN = frozenset(
    {
        *("time", "random", "secrets", "uuid", "datetime", "os", "threading"),
        *("multiprocessing", "concurrent", "subprocess", "asyncio", "signal"),
        *("sqlite3", "sqlite_utils"),
    }
)
EXCEPTIONS = {
    # Machine code is loaded in a thread, before there are tasks.
    "core/echidna_mcp/fuzz/kernels/loading.py: concurrent",
    # What went wrong is remembered by thread, since threads run tasks side by side.
    "core/echidna_mcp/kernel/language/pending.py: threading",
    # A search gives way to other programs: when it goes on, not how.
    "core/echidna_mcp/kernel/language/processor.py: os",
    "core/echidna_mcp/kernel/language/processor.py: time",
}


def deciding(root: Path = ROOT) -> list[Path]:
    """Return the modules that decide results."""
    excepted = [root / each for each in NOT_DECIDING]
    return [
        path
        for folder in DECIDING
        for path in modules(root / folder)
        if not any(path == each or each in path.parents for each in excepted)
    ]


def impure_imports(root: Path = ROOT) -> set[str]:
    """Return `file: module` for what code that decides results may not import."""
    return {
        f"{path.relative_to(root).as_posix()}: {name.split('.')[0]}"
        for path in deciding(root)
        for name in imported(path)
        if name.split(".")[0] in FORBIDDEN
    }


def test_code_that_decides_results_has_no_clock_and_no_chance():
    assert impure_imports() == EXCEPTIONS


FOLDERS = sorted({path.parent.relative_to(ROOT).as_posix() for path in deciding()})


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize(
    "text",
    [
        "import time\n",
        "from random import randrange\n",
        "def later():\n    import os.path\n",
    ],
)
def test_a_forbidden_import_in_any_deciding_folder_is_found(tmp_path, folder, text):
    place = tmp_path / folder
    place.mkdir(parents=True)
    (place / "innocent.py").write_text("import operator\n", "utf-8")
    assert impure_imports(tmp_path) == set()
    (place / "intruder.py").write_text(text, "utf-8")
    (found,) = impure_imports(tmp_path)
    assert found.startswith(f"{folder}/intruder.py: ")


def test_rounds_know_neither_campaign_nor_store():
    forbidden = ("echidna_mcp.campaign", "echidna_mcp.server", "echidna_mcp.plugins")
    assert offenders(CORE / "rounds", *forbidden, "echidna_mcp.events.store") == []


def test_code_that_decides_results_has_no_floating_point_and_no_hash_of_objects():
    strays = []
    for path in deciding():
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
    for path in deciding():
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
def test_no_module_is_longer_than_500_lines(package):
    """Most have below 400; one that belongs together is not cut for a number."""
    long = {
        str(path.relative_to(ROOT)): lines
        for path in modules(package)
        if "_generated" not in path.parts
        and "@generated" not in path.read_text("utf-8")[:40]
        and (lines := len(path.read_text("utf-8").splitlines())) > 500
    }
    assert long == {}


def folder_of(module: str) -> str | None:
    """Return the package in which a name of ours lies; None if it is not ours."""
    top, *parts = module.split(".")
    place = {"echidna_mcp": CORE, "echidna_mcp_plugins": PLUGINS}.get(top)
    if place is None:
        return None
    found = [top]
    for part in parts:
        if not (place / part / "__init__.py").exists():
            break
        place /= part
        found.append(part)
    return ".".join(found)


def folders() -> dict[str, set[str]]:
    """Return every folder with the folders from which its modules import."""
    found: dict[str, set[str]] = {}
    for package in (CORE, PLUGINS):
        for path in modules(package):
            parts = (package.name, *path.parent.relative_to(package).parts)
            folder = ".".join(parts)
            others = {folder_of(name) for name in imported(path)} - {folder, None}
            found.setdefault(folder, set()).update(filter(None, others))
    return found


def test_imports_between_folders_go_one_way():
    graph = folders()
    assert len(graph) > 30
    # A folder that nothing imports which is left goes, until none is left.
    while over := [
        each for each in graph if not any(each in x for x in graph.values())
    ]:
        for folder in over:
            del graph[folder]
    circles = {
        folder: sorted(others & graph.keys()) for folder, others in graph.items()
    }
    assert circles == {}


@pytest.mark.parametrize(
    ("page", "package", "folder"),
    [
        ("architecture.md", "echidna_mcp", CORE),
        ("native.md", "echidna_mcp_plugins.native", PLUGINS / "native"),
    ],
)
def test_a_folder_imports_only_from_those_below_it_in_the_documentation(
    page, package, folder
):
    text = (ROOT / "docs" / page).read_text("utf-8")
    names = {path.parent.name for path in folder.glob("*/__init__.py")}
    rows = [line for line in text.splitlines() if line.startswith("|")]
    order = [
        name for row in rows for name in re.findall(NAMES[page], row) if name in names
    ]
    order = list(dict.fromkeys(order))
    assert sorted(order) == sorted(names - {"demo", "__pycache__"})
    if page == "native.md":  # Read from what is at the bottom to what stands on it.
        order.reverse()
    place = {f"{package}.{name}": number for number, name in enumerate(order)}
    upward = [
        f"{one} imports {other}"
        for one, others in folders().items()
        for other in others
        if (a := place_of(one, place)) is not None
        and (b := place_of(other, place)) is not None
        and a > b
    ]
    assert upward == []


NAMES = {
    "architecture.md": r"(?:^\| |, )`([a-z_]+)`(?=,| \|)",
    "native.md": r"`([a-z_]+)/`:",
}
"""How the rows of a table name folders."""


def place_of(folder: str, place: dict[str, int]) -> int | None:
    """Return the number of the room in which a folder lies."""
    found = [n for name, n in place.items() if f"{folder}.".startswith(f"{name}.")]
    return found[0] if found else None


def test_no_folder_has_more_than_about_twenty_modules():
    sizes = {
        str(folder.relative_to(ROOT)): len(found)
        for package in (CORE, PLUGINS)
        for folder in {path.parent for path in modules(package)}
        if len(found := [*folder.glob("[!_]*.py")]) > 23
    }
    assert sizes == {}
