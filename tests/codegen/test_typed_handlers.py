"""A changed document makes mypy point at every handler that no longer fits."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from mypy import api

from echidna_mcp_codegen.__main__ import main

ROOT = Path(__file__).parents[2]
HANDLERS = """\
from __future__ import annotations

from echidna_mcp.tools.tool import Tool, ToolContext
from stubs.inputs import ReadLogsInput, GetCorpusSizeInput
from stubs.outputs import GetCorpusSizeOutput, ReadLogsOutput
from stubs.tools import get_corpus_size_tool, read_logs_tool


async def read(args: ReadLogsInput, context: ToolContext) -> ReadLogsOutput:
    worker = args.worker_id  # line 10
    return {"events": [], "totalCount": args.count + (worker or 0)}


async def size(args: GetCorpusSizeInput, context: ToolContext) -> GetCorpusSizeOutput:
    return {"size": 50}  # line 15


async def wrong(args: ReadLogsInput, context: ToolContext) -> int:
    return 1


def tools() -> list[Tool]:
    return [read_logs_tool(read), get_corpus_size_tool(size)]
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    directory = tmp_path_factory.mktemp("typed")
    (directory / "handlers.py").write_text(HANDLERS, encoding="utf-8")
    return directory


def generated(workspace, change):
    """Generate stubs from changed documents and return what mypy says, by line."""
    contracts = workspace / "contracts"
    shutil.rmtree(contracts, ignore_errors=True)
    shutil.copytree(ROOT / "contracts", contracts)
    for name, edit in change.items():
        path = contracts / f"{name}.json"
        document = json.loads(path.read_text(encoding="utf-8"))
        edit(document)
        path.write_text(json.dumps(document), encoding="utf-8")
    output = str(workspace / "stubs")
    package = ["--contracts", str(contracts), "--output", output, "--package", "stubs"]
    assert main(package) == 0
    return mypy(workspace)


def mypy(workspace):
    config = workspace / "mypy.ini"
    paths = f"{workspace}:{ROOT / 'core'}"
    config.write_text(f"[mypy]\nmypy_path = {paths}\n", encoding="utf-8")
    out, err, _ = api.run(
        [
            *("--strict", "--no-error-summary", "--explicit-package-bases"),
            *("--config-file", str(config), "--follow-imports", "silent"),
            *("--cache-dir", str(workspace / "cache")),
            *(str(workspace / "handlers.py"), str(workspace / "stubs")),
        ]
    )
    assert err == ""
    return [line.replace(f"{workspace}/", "") for line in out.splitlines()]


def rename_worker_id(document):
    properties = document["inputSchema"]["properties"]
    properties["worker"] = properties.pop("workerId")


def size_becomes_text(document):
    document["outputSchema"]["properties"]["size"] = {"type": "string"}
    document["examples"] = [{"input": {}, "output": {"size": "50"}}]


def test_handlers_that_fit_pass_and_each_that_no_longer_fits_is_named(workspace):
    assert generated(workspace, {}) == []

    renamed = generated(workspace, {"read_logs": rename_worker_id})
    assert len(renamed) == 1
    assert renamed[0].startswith("handlers.py:10: error:")
    assert '"ReadLogsInput" has no attribute "worker_id"' in renamed[0]

    retyped = generated(workspace, {"get_corpus_size": size_becomes_text})
    assert len(retyped) == 1
    assert retyped[0].startswith("handlers.py:15: error:")
    assert '"size" has type "str"' in retyped[0]

    both = {"read_logs": rename_worker_id, "get_corpus_size": size_becomes_text}
    assert [line.split(":")[1] for line in generated(workspace, both)] == ["10", "15"]


def test_a_handler_of_another_type_is_refused_where_it_is_registered(workspace):
    source = HANDLERS.replace("read_logs_tool(read)", "read_logs_tool(wrong)")
    assert source != HANDLERS
    assert generated(workspace, {}) == []
    (workspace / "handlers.py").write_text(source, encoding="utf-8")
    try:
        errors = [line for line in mypy(workspace) if ": error:" in line]
    finally:
        (workspace / "handlers.py").write_text(HANDLERS, encoding="utf-8")
    assert len(errors) == 1
    assert errors[0].startswith("handlers.py:23: error: Argument 1")
    assert 'expected "ReadLogs"' in errors[0]


def without_parameter(document):
    del document["inputs"]["tier"]
    document.pop("examples")


def without_waiting(document):
    del document["properties"]["wait_for_execution"]
    document["examples"] = [{"transaction_id": "0" * 64, "network": "testnet"}]


@pytest.mark.parametrize(
    ("family", "tool", "change", "handlers", "lost"),
    [
        ("editor", "mcp.tools.list", without_parameter, "family.py", "tier"),
        (
            *("circular", "get_transaction_status", without_waiting),
            *("family/__init__.py", "wait_for_execution"),
        ),
    ],
)
def test_handlers_of_every_dialect_are_pointed_at_when_a_document_changes(
    tmp_path, *, family, tool, change, handlers, lost
):
    plugins = tmp_path / "plugins"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "plugins", plugins, ignore=ignored)
    contracts = shutil.copytree(ROOT / "contracts" / family, tmp_path / "contracts")
    path = contracts / f"{tool}.json"
    document = json.loads(path.read_text("utf-8"))
    change(document)
    path.write_text(json.dumps(document), "utf-8")
    package = f"echidna_mcp_plugins.{family}._generated"
    output = plugins / package.replace(".", "/")
    options = ["--dialect", family, "--contracts", str(contracts)]
    assert main([*options, "--output", str(output), "--package", package]) == 0
    config = tmp_path / "mypy.ini"
    paths = f"{plugins}:{ROOT / 'core'}"
    config.write_text(f"[mypy]\nmypy_path = {paths}\n", encoding="utf-8")
    handlers = plugins / "echidna_mcp_plugins" / family / handlers
    out, err, _ = api.run(
        [
            *("--strict", "--no-error-summary", "--explicit-package-bases"),
            *("--config-file", str(config), "--follow-imports", "silent"),
            *("--cache-dir", str(tmp_path / "cache"), str(handlers)),
        ]
    )
    assert err == ""
    [line] = [each for each in out.splitlines() if ": error: " in each]
    assert line.startswith(str(handlers)), out
    assert f'has no attribute "{lost}"' in line
