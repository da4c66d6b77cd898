"""The real solc of the npm package, behind the command line of a solc binary."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from solc import compile_solidity, require_solc

from echidna_mcp.errors import CompilerUnavailableError, UsageError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp_plugins.compilers.solidity.solc import Solc
from echidna_mcp_plugins.compilers.solidity.solc_binary import installed_versions
from echidna_mcp_plugins.compilers.solidity.solc_installed import InstalledSolc

pytestmark = pytest.mark.solc

SOURCE = "pragma solidity ^0.8.0; contract A { function f() public {} }"
BINARY = """#!{node}
const solc = require({package!r});
if (process.argv[2] === '--version') {{
  console.log('solc, the solidity compiler commandline interface');
  console.log('Version: ' + {version!r});
}} else if (process.argv[2] === '--standard-json') {{
  process.stdout.write(solc.compile(require('fs').readFileSync(0, 'utf8')));
}}
"""


def make_binary(path: Path, version: str = "0.8.37+commit.f401782d.Linux.g++") -> Path:
    require_solc()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        BINARY.format(
            node=shutil.which("node"), package=os.environ["SOLCJS"], version=version
        )
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def target(tmp_path: Path) -> Path:
    file = tmp_path / "project" / "Test.sol"
    file.parent.mkdir()
    file.write_text(SOURCE)
    return file


def test_given_binary_makes_the_same_program_as_the_npm_package(
    target: Path, tmp_path: Path
):
    binary = make_binary(tmp_path / "mysolc")
    program = Solc().compile(CompileRequest(target=target, solc=binary))
    assert program == compile_solidity(SOURCE)


def test_binary_on_path(target: Path, tmp_path: Path, monkeypatch):
    make_binary(tmp_path / "bin" / "solc")
    expected = compile_solidity(SOURCE)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert Solc().compile(CompileRequest(target=target)) == expected


def test_binary_of_another_version_is_not_taken_unless_it_was_given(
    target: Path, tmp_path: Path, monkeypatch
):
    binary = make_binary(tmp_path / "bin" / "solc", "0.7.6+commit.7338295f.Linux.g++")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(
        CompilerUnavailableError,
        match=r"is 0\.7\.6.*, but the source wants `\^0\.8\.0`",
    ):
        Solc().compile(CompileRequest(target=target))
    given = Solc().compile(CompileRequest(target=target, solc=binary))
    assert given.compiler == "solc 0.7.6+commit.7338295f"


def test_no_binary(target: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CompilerUnavailableError, match="no solc on PATH"):
        Solc().compile(CompileRequest(target=target))


def test_given_binary_that_is_none(target: Path, tmp_path: Path):
    with pytest.raises(UsageError, match="which does not exist"):
        Solc().compile(CompileRequest(target=target, solc=tmp_path / "no"))
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\necho hello\n")
    script.chmod(0o755)
    with pytest.raises(UsageError, match="does not print the version of a solc"):
        Solc().compile(CompileRequest(target=target, solc=script))
    script.write_text("#!/bin/sh\necho 'no version set' >&2\nexit 1\n")
    with pytest.raises(UsageError, match="fails: no version set"):
        Solc().compile(CompileRequest(target=target, solc=script))


def test_newest_installed_version_that_fits(target: Path, tmp_path: Path, monkeypatch):
    home = tmp_path / "home"
    select = home / ".solc-select" / "artifacts"
    for version in ("0.8.9", "0.8.30", "0.9.1"):
        make_binary(
            select / f"solc-{version}" / f"solc-{version}", f"{version}+commit.aa.Linux"
        )
    make_binary(home / ".solcx" / "solc-v0.8.10", "0.8.10+commit.aa.Linux")
    monkeypatch.setenv("HOME", str(home))
    program = InstalledSolc().compile(CompileRequest(target=target))
    assert program.compiler == "solc 0.8.30+commit.aa"
    assert sorted(v for v, _ in installed_versions(home)) == [
        (0, 8, 9),
        (0, 8, 10),
        (0, 8, 30),
        (0, 9, 1),
    ]


def test_no_installed_version(target: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(CompilerUnavailableError, match="run `solc-select install"):
        InstalledSolc().compile(CompileRequest(target=target))
