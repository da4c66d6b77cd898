"""All compilers together, as the command line uses them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from solc import require_solc

from echidna_mcp.errors import CompilerUnavailableError, TargetError
from echidna_mcp.program.compile import compile_target
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp_plugins.compilers.artifacts import artifact
from echidna_mcp_plugins.compilers.solidity import solc, solc_installed, solcjs
from echidna_mcp_plugins.compilers.vyper import compiler as vyper

MODULES: tuple[ModuleType, ...] = (vyper, solcjs, solc_installed, solc, artifact)
COMPILERS: list[CompilerPlugin] = [
    compiler for module in MODULES for compiler in module.register_compilers()
]


def test_ranks_are_the_documented_order():
    ordered = [c.name for c in sorted(COMPILERS, key=lambda c: c.rank)]
    assert ordered == [
        *("artifact", "fresh-artifacts", "solc", "solc-select", "solcjs"),
        *("project-tool", "vyper"),
    ]


@pytest.mark.solc
def test_solidity_falls_through_to_the_npm_package(tmp_path: Path, monkeypatch):
    require_solc()
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "A.sol").write_text("contract A {}")
    program = compile_target(CompileRequest(target=tmp_path / "A.sol"), COMPILERS)
    assert program.compiler.startswith("solc ")


def test_vyper_is_for_vyper(tmp_path: Path):
    (tmp_path / "A.vy").write_text("x: public(uint256)\n")
    program = compile_target(CompileRequest(target=tmp_path / "A.vy"), COMPILERS)
    assert program.compiler.startswith("vyper ")


def test_every_missing_compiler_says_how_to_get_it(tmp_path: Path, monkeypatch):
    (tmp_path / "A.sol").write_text("contract A {}")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(CompilerUnavailableError) as caught:
        compile_target(CompileRequest(target=tmp_path / "A.sol"), COMPILERS)
    assert list(caught.value.details["tried"]) == ["solc", "solc-select", "solcjs"]
    for hint in ("--solc PATH", "solc-select install", "npm install solc"):
        assert hint in caught.value.message


def test_text_is_no_contract(tmp_path: Path):
    (tmp_path / "README.md").write_text("# A")
    with pytest.raises(TargetError, match="is no contract"):
        compile_target(CompileRequest(target=tmp_path / "README.md"), COMPILERS)
