"""Artifacts of a project: read if they are fresh, else compiled, never stale."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from solc import require_solc
from stored_builds import (
    full_build_info,
    save,
    standard_input,
    standard_output,
    write_foundry,
    write_hardhat_2,
    write_hardhat_3,
    write_sources,
)

from echidna_mcp.errors import CompilationError, CompilerUnavailableError
from echidna_mcp.program.compile import compile_target
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.artifacts import artifact
from echidna_mcp_plugins.compilers.artifacts.project_artifacts import first_error
from echidna_mcp_plugins.compilers.solidity import solc, solc_installed, solcjs

pytestmark = pytest.mark.solc

COMPILERS = [
    compiler
    for module in (artifact, solc, solc_installed, solcjs)
    for compiler in module.register_compilers()
]
SOURCES = {
    "src/Vault.sol": "contract Vault { uint t; function f(uint x) public { t = x; } }",
    "src/Empty.sol": "",
    "test/Test.sol": "import '../src/Vault.sol'; contract Test is Vault { "
    "function echidna_ok() public returns (bool) { return t < 9; } }",
}
TOML = "[profile.default]\n"


@pytest.fixture(autouse=True)
def only_what_a_test_installs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_solc()
    monkeypatch.setenv("ECHIDNA_MCP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "node").symlink_to(shutil.which("node") or "")
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")


def foundry(root: Path, *, info: bool = True, ast: bool = True) -> Path:
    given = standard_input(SOURCES, {"optimizer": {"enabled": False, "runs": 200}})
    output = standard_output(given)
    write_sources(root, SOURCES)
    save(root / "foundry.toml", TOML)
    out = write_foundry(root, output, ast=ast)
    if info:
        form = "ethers-rs-sol-build-info-1"
        save(out / "build-info" / "b1.json", full_build_info(given, output, form))
    return out


def hardhat(root: Path) -> Path:
    given = standard_input(SOURCES)
    write_sources(root, SOURCES)
    save(root / "hardhat.config.js", "throw new Error('not run')")
    return write_hardhat_2(root, given, standard_output(given))


def hardhat_3(root: Path) -> Path:
    given = standard_input({f"project/{p}": text for p, text in SOURCES.items()})
    output = standard_output(given)
    for contracts in output["contracts"].values():
        for entry in contracts.values():
            del entry["metadata"]  # It does not ask for it.
    write_sources(root, SOURCES)
    save(root / "hardhat.config.ts", "throw new Error('not run')")
    return write_hardhat_3(root, given, output)


def compiled(
    root: Path, *, solc_is_here: bool = True, **wishes: Any
) -> tuple[Program, list[str]]:
    told: list[str] = []
    request = CompileRequest(target=root, tell=told.append, **wishes)
    compilers = COMPILERS if solc_is_here else artifact.register_compilers()
    return compile_target(request, compilers), told


@pytest.mark.parametrize("make", [foundry, hardhat, hardhat_3])
def test_fresh_artifacts_are_read(make: Any, tmp_path: Path):
    place = make(tmp_path / "p")
    for _ in ("read", "from the cache"):
        program, told = compiled(tmp_path / "p", solc_is_here=False)
        assert program.main == "test/Test.sol:Test"
        assert told[-1] == f"{place} is fresh: nothing was compiled."
        assert program.main_contract.functions


def test_fresh_artifacts_and_our_own_solc_agree(tmp_path: Path):
    root = tmp_path / "p"
    foundry(root)
    fresh, _ = compiled(root)
    shutil.rmtree(root / "out")
    own, told = compiled(root)
    assert not any("fresh" in text for text in told)
    for a, b in zip(fresh.contracts, own.contracts, strict=True):
        assert a.qualified_name == b.qualified_name
        assert a.abi == b.abi
        assert a.functions == b.functions


CHANGES = {
    "source": ("src/Vault.sol", SOURCES["src/Vault.sol"] + "// later"),
    "imported": ("src/Empty.sol", "contract New {}"),
    "new": ("test/Other.sol", "contract Other {}"),
    "settings": ("foundry.toml", TOML + "optimizer = true\n"),
    "rules": ("foundry.toml", TOML + "evm_version = 'paris'\n"),
    "metadata": ("foundry.toml", TOML + "bytecode_hash = 'none'\n"),
    "reasons": ("foundry.toml", TOML + "revert_strings = 'strip'\n"),
    "runs": ("foundry.toml", TOML + "optimizer_runs = 200\n"),
    "damaged": ("out/Vault.sol/Vault.json", "{"),
    "no contract": ("out/Vault.sol/Vault.json", '{"abi": [], "bytecode": {}}'),
}


@pytest.mark.parametrize("change", CHANGES)
def test_stale_artifacts_are_compiled_instead(change: str, tmp_path: Path):
    root = tmp_path / "p"
    foundry(root)
    compiled(root)  # what is kept of it does not count any more
    path, text = CHANGES[change]
    save(root / path, text)
    program, told = compiled(root)
    assert program.main == "test/Test.sol:Test"
    assert not any("fresh" in sentence for sentence in told)


@pytest.mark.parametrize("make", [foundry, hardhat_3])
def test_stale_artifacts_without_a_compiler_are_no_program(make: Any, tmp_path: Path):
    make(tmp_path / "p")
    save(tmp_path / "p" / "src" / "Vault.sol", "contract Vault {} // later")
    with pytest.raises(
        CompilerUnavailableError, match=r"src/Vault\.sol was changed after .* compile"
    ) as caught:
        compiled(tmp_path / "p", solc_is_here=False)
    tried = caught.value.details["tried"]
    assert next(iter(tried)) == "fresh-artifacts"
    assert "is not installed" in tried["project-tool"]


def test_artifacts_are_those_of_the_solc_that_the_project_names(tmp_path: Path):
    root = tmp_path / "p"
    foundry(root)
    save(root / "foundry.toml", TOML + "solc = '0.8.37'\n")
    assert "is fresh" in compiled(root, solc_is_here=False)[1][-1]
    save(root / "foundry.toml", TOML + "solc = '0.8.36'\n")
    with pytest.raises(CompilerUnavailableError, match="compiled with another solc"):
        compiled(root, solc_is_here=False)


def test_what_is_compiled_from_a_file_that_is_gone_is_no_target(tmp_path: Path):
    root = tmp_path / "p"
    foundry(root)
    (root / "test" / "Test.sol").unlink()
    program, _ = compiled(root, solc_is_here=False)
    assert program.main == "src/Vault.sol:Vault"


def test_without_syntax_trees_our_own_solc_is_better(tmp_path: Path):
    foundry(tmp_path / "p", info=False, ast=False)
    program, told = compiled(tmp_path / "p")
    assert program.main_contract.functions
    assert not any("fresh" in text for text in told)


def test_without_syntax_trees_fresh_artifacts_are_better_than_nothing(tmp_path: Path):
    foundry(tmp_path / "p", info=False, ast=False)
    program, told = compiled(tmp_path / "p", solc_is_here=False)
    assert program.main == "test/Test.sol:Test"
    assert program.main_contract.functions == ()
    assert "reports know no functions" in told[-1]


@pytest.mark.parametrize(
    "wish", [{"solc_args": "--optimize"}, {"evm_version": "cancun"}]
)
def test_who_has_wishes_gets_what_is_compiled_so(wish: Any, tmp_path: Path):
    foundry(tmp_path / "p")
    _, told = compiled(tmp_path / "p", **wish)
    assert not any("fresh" in text for text in told)


FORGE = """#!/bin/sh
[ "$1" = --version ] && { echo "forge Version: 1.7.1"; exit; }
echo "$FOUNDRY_DYNAMIC_TEST_LINKING $*" >> %s/log
while [ "$1" != --out ]; do shift; done
cp -r %s/out "$2"
"""


def install_forge(tmp_path: Path, text: str = FORGE) -> Path:
    """Install a forge that writes what the real solc made of the same sources."""
    made = tmp_path / "made"
    foundry(made)
    forge = tmp_path / "bin" / "forge"
    forge.write_text(text.replace("%s", str(made)))
    forge.chmod(0o755)
    return made / "log"


def test_without_a_solc_the_tool_of_the_project_compiles(tmp_path: Path):
    log = install_forge(tmp_path)
    root = tmp_path / "p"
    foundry(root)
    shutil.rmtree(root / "out")
    for _ in ("compiled", "from the cache"):
        program, told = compiled(root, solc_is_here=False)
        assert program.main == "test/Test.sol:Test"
        assert program.main_contract.functions
        assert told[-1] == f"forge compiled {root}: no solc suits it."
    assert log.read_text().startswith("false build --build-info --ast --offline --out")
    assert len(log.read_text().splitlines()) == 1
    assert not (root / "out").exists()


def test_a_tool_that_fails_says_why(tmp_path: Path):
    install_forge(tmp_path, "#!/bin/sh\necho 'no such remapping' >&2; exit 1\n")
    root = tmp_path / "p"
    foundry(root)
    shutil.rmtree(root / "out")
    with pytest.raises(CompilerUnavailableError, match="fails: no such remapping"):
        compiled(root, solc_is_here=False)


FORGE_PRINTS = """\x1b[31mError\x1b[0m: Compiler run failed:
Warning (2072): Unused local variable.
 --> src/A.sol:9:9:
\x1b[31mError (2314): Expected identifier but got '{'\x1b[0m
 --> src/B.sol:1:10:
  |
1 | contract { bad
  |          ^
Error (7576): Undeclared identifier.
 --> src/C.sol:1:1:
"""
HARDHAT_PRINTS = """Compiling 2 files with 0.8.26
ParserError: Expected identifier but got '{'
 --> contracts/B.sol:1:10:
  |
Error HH600: Compilation failed
For more info run Hardhat with --show-stack-traces
"""


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (
            FORGE_PRINTS,
            "src/B.sol:1:10: Error (2314): Expected identifier but got '{'",
        ),
        (
            HARDHAT_PRINTS,
            "contracts/B.sol:1:10: ParserError: Expected identifier but got '{'",
        ),
        ("Error: forge is odd\nmore\n", "Error: forge is odd"),
        ("no such remapping\n", ""),
    ],
)
def test_the_first_error_of_a_tool_is_found(printed: str, expected: str):
    assert first_error(printed) == expected


def test_a_tool_whose_compiler_refuses_says_where(tmp_path: Path):
    save(tmp_path / "printed", FORGE_PRINTS)
    script = (
        f"#!/bin/sh\n[ $1 = --version ] || {{ cat {tmp_path}/printed >&2; exit 1; }}"
    )
    install_forge(tmp_path, script)
    root = tmp_path / "p"
    foundry(root)
    shutil.rmtree(root / "out")
    with pytest.raises(
        CompilerUnavailableError, match=r"fails: src/B\.sol:1:10: Error \(2314\): Exp"
    ):
        compiled(root, solc_is_here=False)


def test_stale_artifacts_without_syntax_trees_are_called_stale(tmp_path: Path):
    foundry(tmp_path / "p", info=False, ast=False)
    save(tmp_path / "p" / "src" / "Vault.sol", "contract Vault {} // later")
    with pytest.raises(CompilerUnavailableError) as caught:
        compiled(tmp_path / "p", solc_is_here=False)
    told = caught.value.details["tried"]["project-tool"]
    assert "src/Vault.sol was changed after" in told
    assert "forge is not installed" in told


def test_our_own_solc_comes_before_the_tool(tmp_path: Path):
    log = install_forge(tmp_path)
    root = tmp_path / "p"
    foundry(root)
    shutil.rmtree(root / "out")
    compiled(root)
    assert not log.exists()


def test_a_directory_within_a_project_is_no_project(tmp_path: Path):
    foundry(tmp_path / "p")
    _, told = compiled(tmp_path / "p" / "test")
    assert not any("fresh" in text for text in told)


def test_broken_source_is_an_error_as_without_artifacts(tmp_path: Path):
    foundry(tmp_path / "p")
    save(tmp_path / "p" / "test" / "Test.sol", "contract Test { uint x = ; }")
    with pytest.raises(CompilationError, match=r"test/Test\.sol:1:26: ParserError"):
        compiled(tmp_path / "p")
