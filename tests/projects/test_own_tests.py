"""What a released package has of its own tests: of each we say what forge says.

Uniswap's v4-core ships all of its Foundry tests, with scripts that some of them run.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from command_line import invoke
from forge_verdicts import forge_statuses, our_statuses, write_compiler
from node_packages import require_package
from real_projects import PROJECTS

SETTINGS = """\
[profile.default]
optimizer_runs = 200
ffi = true
fs_permissions = [
    { access = "read-write", path = ".forge-snapshots/" },
    { access = "read", path = "./out" },
    { access = "read", path = "./test/bin" },
]
evm_version = "cancun"
gas_limit = "300000000"
bytecode_hash = "none"
allow_internal_expect_revert = true

[profile.default.fuzz]
runs = 50

[profile.pr.fuzz]
runs = 10_000

[profile.ci.fuzz]
runs = 100_000

[profile.debug.fuzz]
runs = 100
"""
"""Its own, without the pipeline over IR, which takes a quarter of an hour."""
EXACT = "pragma solidity 0.8.26;"
ANY = "pragma solidity ^0.8.26;"
TESTS = 598


def test_of_each_test_of_v4_core_we_say_what_forge_says(tmp_path, monkeypatch):
    project = _project(tmp_path)
    monkeypatch.chdir(project)
    theirs = forge_statuses(project, PROJECTS, "projects")
    done = invoke(
        *("run", ".", "--as", "foundry", "--allow-ffi", "--solc", "./solc"),
        *("--seed", 1, "--format", "json", "--corpus-dir", tmp_path / "campaigns"),
    )
    ours = our_statuses(done.out)
    assert len(ours) == TESTS
    assert ours == theirs
    assert done.code == (1 if "failed" in theirs.values() else 0), done.err


def _project(directory: Path) -> Path:
    """Return a copy of the package that the newest solc compiles."""
    project = directory / "v4-core"
    package = require_package(PROJECTS, "@uniswap/v4-core", "projects")
    shutil.copytree(package, project, ignore=shutil.ignore_patterns("out"))
    (project / "foundry.toml").write_text(SETTINGS, "utf-8")
    changed = 0
    # The one that it asks for runs out of stack as WebAssembly.
    for source in (project / "src").rglob("*.sol"):
        text = source.read_text("utf-8")
        if EXACT in text:
            source.write_text(text.replace(EXACT, ANY), "utf-8")
            changed += 1
    assert changed == 1, "PoolManager"
    write_compiler(project, PROJECTS, "projects")
    return project
