"""What is slow to import is imported by who needs it, and by nobody else.

Each test asks a fresh interpreter: in this one, other tests have imported everything.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = {
    "eth": "py-evm",
    "llvmlite": "the compiler of the kernel language",
    "mcp": "the MCP SDK",
    "pydantic_core": "of the SDK",
    "rich": "the live display",
    "sqlite_utils": "the store",
    "starlette": "of the HTTP server",
    "uvicorn": "of the HTTP server",
}


def imported(code: str) -> set[str]:
    """Return what of `SLOW` an interpreter has imported after it ran some code."""
    end = f"import sys; print('imported:', *{set(SLOW)} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{end}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (line,) = [x for x in done.stdout.splitlines() if x.startswith("imported:")]
    return set(line.split()[1:])


NATIVE = """
from echidna_mcp.evm.backend import BackendConfig, Message
from echidna_mcp.plugins.manager import PluginManager

backend = PluginManager.load().backends["native"].create(BackendConfig())

def ask(precompile):
    message = Message(sender=1, to=precompile, data=bytes(128), gas=100_000)
    assert backend.call(message, coverage=True).status.succeeded
"""


def test_the_native_evm_does_without_py_evm():
    code = f"{NATIVE}\nbackend.set_account(99, code=bytes(1))\nask(99)"
    assert "eth" not in imported(code)


@pytest.mark.parametrize(
    ("name", "number", "is_ours"),
    [("ECRECOVER", 1, False), ("SHA256", 2, True), ("IDENTITY", 4, True)],
)
def test_a_precompile_brings_py_evm_if_it_is_not_ours(name, number, is_ours):
    assert ("eth" not in imported(f"{NATIVE}\nask({number})")) is is_ours, name


def test_a_whole_campaign_on_the_native_evm_does_without_py_evm():
    run = """
import sys, tempfile
from echidna_mcp.cli.main import main
with tempfile.TemporaryDirectory() as directory:
    sys.argv = ["echidna-mcp", "run", "--corpus-dir", directory, "--format", "none",
                "--executor", "inline", "--workers", "1", "--round-budget", "20000",
                "--test-limit", "100", "--seed", "1", "--test-mode", "exploration"]
    try:
        main()
    except SystemExit as left:
        assert left.code in (0, None), left.code
"""
    assert imported(run).isdisjoint({"eth", "mcp", "rich", "starlette", "uvicorn"})


def test_plugins_are_registered_without_what_they_stand_on():
    load = """
from echidna_mcp.plugins.manager import PluginManager
loaded = PluginManager.load("default")
assert loaded.backends and loaded.transports and loaded.tools and loaded.compilers
"""
    assert imported(load).isdisjoint(
        {"eth", "llvmlite", "mcp", "rich", "starlette", "uvicorn"}
    )


def test_the_command_line_knows_its_options_before_it_imports_anything():
    assert imported("import echidna_mcp.cli.main") == set()


def test_the_campaign_process_is_started_before_anything_is_imported():
    assert imported("import echidna_mcp.server.campaign_child") == set()


def test_the_modules_that_a_transport_names_are_what_takes_long():
    load = """
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.server.http import HttpServer
from echidna_mcp.server.transport import HttpTransport

offered = PluginManager.load("default").transports.values()
http = [each for each in offered if isinstance(each, HttpTransport)]
HttpServer(http).load()
"""
    assert {"mcp", "starlette", "uvicorn"} <= imported(load)
