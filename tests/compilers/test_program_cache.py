"""An unchanged project is not compiled again, and a changed one is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from solc import require_solc

from echidna_mcp.errors import CompilationError, TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.artifacts.artifact import Artifact
from echidna_mcp_plugins.compilers.solidity.solc import Solc
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs
from echidna_mcp_plugins.compilers.vyper.compiler import Vyper

pytestmark = pytest.mark.solc

BINARY = """#!{node}
const fs = require('fs');
if (process.argv[2] === '--version') {{
  console.log('Version: {version}+commit.f401782d.Linux.g++');
}} else {{
  fs.appendFileSync({log!r}, 'x');
  const solc = require({package!r});
  process.stdout.write(solc.compile(fs.readFileSync(0, 'utf8')));
}}
"""
A = """import "./B.sol"; import "d/D.sol";
contract A is B, D { function echidna_ok() public returns (bool) {} }"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ECHIDNA_MCP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "programs"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "p"
    for name, text in {
        "src/A.sol": A,
        "src/B.sol": "contract B {}",
        "lib/d/src/D.sol": "contract D {}",
        # Else `d/` is a directory of `lib`, whatever lies elsewhere.
        "foundry.toml": "[profile.default]\nauto_detect_remappings = false\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


class Counted:
    """The real solc behind a script that counts how often it compiles."""

    def __init__(self, directory: Path) -> None:
        require_solc()
        self._log = directory / "log"
        self._log.touch()
        self.binary = directory / "mysolc"
        self.install("0.8.37")

    def install(self, version: str) -> None:
        self.binary.write_text(
            BINARY.format(
                node=shutil.which("node"),
                package=os.environ["SOLCJS"],
                log=str(self._log),
                version=version,
            )
        )
        self.binary.chmod(0o755)

    @property
    def count(self) -> int:
        return self._log.stat().st_size

    def compile(self, target: Path, **request: str | None) -> Program:
        return Solc().compile(
            CompileRequest(target=target, solc=self.binary, **request)  # type: ignore[arg-type]
        )


@pytest.fixture
def solc(tmp_path: Path) -> Counted:
    return Counted(tmp_path)


def test_unchanged_project_is_not_compiled_again(project: Path, solc: Counted):
    first = solc.compile(project)
    second = solc.compile(project)
    assert solc.count == 1
    assert second == first
    assert second.digest == first.digest
    assert json.dumps(second.to_json()) == json.dumps(first.to_json())


def _edit(name: str, text: str) -> Callable[[Path], object]:
    def edit(project: Path) -> object:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        return (project / name).write_text(text)

    return edit


@pytest.mark.parametrize(
    "change",
    [
        _edit("src/A.sol", A + " "),
        _edit("src/B.sol", "contract B { uint x; }"),
        _edit("lib/d/src/D.sol", "contract D { uint y; }"),
        _edit("src/C.sol", "contract C {}"),
        # Found before `lib`, so it takes the place of the file there.
        _edit("d/D.sol", "contract D { uint shadow; }"),
        _edit("node_modules/d/D.sol", "contract D { uint shadow; }"),
        _edit("remappings.txt", "unused/=lib/\n"),
        _edit("foundry.toml", "[profile.default]\noptimizer = true\n"),
        _edit("foundry.toml", "[profile.default]\nevm_version = 'paris'\n"),
    ],
)
def test_whatever_the_compiler_would_see_compiles_again(
    project: Path, solc: Counted, change: Callable[[Path], object]
):
    solc.compile(project)
    change(project)
    changed = solc.compile(project)
    assert solc.count == 2
    for source in changed.sources:
        shadow = [project / source.path, project / "node_modules" / source.path]
        there = next((file for file in shadow if file.exists()), None)
        assert there is None or there.read_text() == source.content


def test_removed_source_compiles_again_or_is_missed(project: Path, solc: Counted):
    (project / "src" / "C.sol").write_text("contract C {}")
    assert "C" in {c.name for c in solc.compile(project).contracts}
    (project / "src" / "C.sol").unlink()
    assert "C" not in {c.name for c in solc.compile(project).contracts}
    (project / "src" / "B.sol").unlink()
    with pytest.raises(CompilationError, match="can't be found"):
        solc.compile(project)


def test_another_compiler_target_or_wish_is_another_entry(project: Path, solc: Counted):
    wishes: list[dict[str, str | None]] = [
        {},
        {"contract": "B"},
        {"prefix": "test_"},
        {"solc_args": "--optimize"},
        {"solc_args": "--evm-version paris"},
    ]
    for count, wish in enumerate(wishes, 1):
        solc.compile(project, **wish)
        assert solc.count == count
    solc.compile(project / "src" / "A.sol")
    solc.install("0.8.36")
    assert solc.compile(project).compiler.startswith("solc 0.8.36")
    assert solc.count == len(wishes) + 2


def test_damaged_entries_are_made_anew(project: Path, solc: Counted, cache: Path):
    first = solc.compile(project)
    (entry,) = cache.iterdir()
    good = entry.read_bytes()
    for bad in (b"", good[:-1], good[:40] + b"x" + good[41:], b"\0" * len(good)):
        entry.write_bytes(bad)
        before = solc.count
        assert solc.compile(project) == first
        assert solc.count == before + 1
        assert entry.read_bytes() == good


def test_without_a_place_to_keep_it_everything_works(
    project: Path, solc: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("ECHIDNA_MCP_CACHE", str(tmp_path / "file"))
    assert solc.compile(project) == solc.compile(project)
    assert solc.count == 2


def test_failure_is_not_kept(project: Path, solc: Counted, cache: Path):
    (project / "src" / "B.sol").write_text("contract B { uint x = y; }")
    for count in (1, 2):
        with pytest.raises(CompilationError, match="Undeclared identifier"):
            solc.compile(project)
        assert solc.count == count
    assert not cache.exists()


def test_what_is_not_allowed_any_more_is_refused_also_with_an_entry(
    project: Path, tmp_path: Path
):
    outside = tmp_path / "x" / "X.sol"
    outside.parent.mkdir()
    outside.write_text("contract X {}")
    target = project / "src" / "A.sol"
    target.write_text('import "../../x/X.sol"; contract A is X {}')
    require_solc()
    allowed = CompileRequest(target=target, allow_paths=(outside.parent,))
    assert SolcJs().compile(allowed) == SolcJs().compile(allowed)
    with pytest.raises(TargetError, match="outside the project"):
        SolcJs().compile(CompileRequest(target=target))


WRITE = """
import sys, pathlib
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp_plugins.compilers.solidity.solc import Solc
target, solc = map(pathlib.Path, sys.argv[1:])
print(Solc().compile(CompileRequest(target=target, solc=solc)).digest)
"""


def test_writers_at_the_same_time_do_not_hurt_each_other(
    project: Path, solc: Counted, cache: Path
):
    command = [sys.executable, "-c", WRITE, str(project), str(solc.binary)]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    digests = {writer.communicate(timeout=120)[0] for writer in writers}
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    before = solc.count
    assert digests == {f"{solc.compile(project).digest}\n".encode()}
    assert solc.count == before
    assert len(list(cache.iterdir())) == 1


MAIN = "import dep\n@external\ndef f() -> uint256:\n    return dep.X\n"


def vyper(target: Path) -> Program:
    return Vyper().compile(CompileRequest(target=target))


@pytest.fixture
def vyper_target(tmp_path: Path) -> Path:
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "dep.vy").write_text("X: constant(uint256) = 1\n")
    (tmp_path / "v" / "A.vy").write_text(MAIN)
    return tmp_path / "v" / "A.vy"


def test_vyper_is_not_run_again(vyper_target: Path, monkeypatch: pytest.MonkeyPatch):
    first = vyper(vyper_target)
    # Nothing can be started any more.
    monkeypatch.setattr(sys, "executable", "/nowhere")
    second = vyper(vyper_target)
    assert (second, second.digest) == (first, first.digest)


def test_vyper_sees_a_change_of_an_import(vyper_target: Path):
    first = vyper(vyper_target)
    (vyper_target.parent / "dep.vy").write_text("X: constant(uint256) = 2\n")
    second = vyper(vyper_target)
    assert second.main_contract.runtime_code != first.main_contract.runtime_code
    (vyper_target.parent / "dep.vy").unlink()
    with pytest.raises(CompilationError, match="ModuleNotFound"):
        vyper(vyper_target)


def test_vyper_sees_a_file_that_comes_before_the_import(
    vyper_target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # The working directory is looked at last, before the packages of Python.
    monkeypatch.chdir(vyper_target.parent)
    nested = vyper_target.parent / "src"
    nested.mkdir()
    vyper_target.rename(nested / "A.vy")
    (vyper_target.parent / "ape-config.yaml").touch()
    first = vyper(nested / "A.vy")
    (nested / "dep.vy").write_text("X: constant(uint256) = 3\n")
    second = vyper(nested / "A.vy")
    assert second.main_contract.runtime_code != first.main_contract.runtime_code


def test_artifact_sees_a_change_of_its_sources(tmp_path: Path):
    code = {"object": "6001", "sourceMap": "", "linkReferences": {}}
    contract = {"abi": [], "evm": {"bytecode": code, "deployedBytecode": code}}
    output = {"contracts": {"A.sol": {"A": contract}}, "sources": {"A.sol": {"id": 0}}}
    target = tmp_path / "a.json"
    target.write_text(json.dumps(output))

    def contents() -> list[str]:
        program = Artifact().compile(CompileRequest(target=target))
        assert program.digest == Program.from_json(program.to_json()).digest
        return [source.content for source in program.sources]

    assert contents() == [""]
    (tmp_path / "A.sol").write_text("one")
    assert contents() == contents() == ["one"]
    (tmp_path / "A.sol").write_text("two")
    assert contents() == ["two"]
    (tmp_path / "A.sol").unlink()
    assert contents() == [""]
