"""What is slow to import is imported by who needs it, and by nobody else.

Each test asks a fresh interpreter: in this one, other tests have imported everything.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from command_line import artifact

SUPPORT = Path(__file__).parents[1] / "support"
SLOW = {
    "echidna_mcp.evidence": "what seals",
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
    code = f"import sys; sys.path.insert(0, {str(SUPPORT)!r})\n{code}"
    end = f"print('imported:', *{set(SLOW)} & set(sys.modules))"
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
from echidna_mcp.evm.backend import BackendConfig, Message, Watch
from echidna_mcp.plugins.manager import PluginManager

config = BackendConfig(fork="osaka")
backend = PluginManager.load().backends["native"].create(config)

def ask(account, data=b""):
    message = Message(sender=1, to=account, data=data, gas=10**6)
    return backend.call(message, Watch(coverage=True))
"""


def test_the_native_evm_does_without_py_evm():
    run = "backend.set_account(99, code=bytes(1)); assert ask(99).status.succeeded"
    assert "eth" not in imported(f"{NATIVE}\n{run}")


def test_no_precompile_imports_anything_in_the_thread_that_runs_it():
    # With input that fails at once, and with input that goes all the way.
    code = f"""{NATIVE}
import sys, threading
from precompile_inputs import GOOD

before, found = set(sys.modules), []

def run():
    for number in (*range(1, 0x12), 0x100):
        ask(number, bytes(213))
        ask(number, GOOD[number])
        found.append(number)

thread = threading.Thread(target=run)
thread.start()
thread.join()
assert len(found) == 18, found
assert set(sys.modules) == before, set(sys.modules) - before
"""
    assert "eth" not in imported(code)


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
    assert imported(run).isdisjoint(
        {"echidna_mcp.evidence", "eth", "mcp", "rich", "starlette", "uvicorn"}
    )


def test_commands_that_may_seal_at_their_end_import_what_seals_then():
    load = "import echidna_mcp.cli.commands.run, echidna_mcp.cli.commands.serve"
    assert "echidna_mcp.evidence" not in imported(load)


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


def test_what_would_be_run_is_told_without_what_only_a_campaign_needs(tmp_path):
    artifact(tmp_path / "T.json")
    (tmp_path / "echidna.yaml").write_text("target: T.json")
    told = f"""
import os
from echidna_mcp.cli.main import main
os.chdir({str(tmp_path)!r})
sys.argv = ["echidna-mcp"]
main()
"""
    assert imported(told) <= {"sqlite_utils"}


def test_the_campaign_process_is_started_before_anything_is_imported():
    assert imported("import echidna_mcp.server.campaign_child") == set()


def test_the_modules_that_a_transport_names_are_what_takes_long():
    load = """
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.server.http import HttpServer
from echidna_mcp.catalogue.transport import HttpTransport

offered = PluginManager.load("default").transports.values()
http = [each for each in offered if isinstance(each, HttpTransport)]
HttpServer(http).load()
"""
    assert {"mcp", "starlette", "uvicorn"} <= imported(load)
