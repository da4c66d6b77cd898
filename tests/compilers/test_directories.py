"""A directory compiles as far as it can; who is fuzzed is never guessed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import invoke
from solc import require_packages, require_solc

from echidna_mcp.errors import CompilationError, CompilerUnavailableError, TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs

pytestmark = pytest.mark.solc

TESTED = "contract {} {{ function echidna_ok() public returns (bool) {{}} }}"
TOKEN = "contract Token { function mint() public {} }"
EXPECTED = "ParserError: Expected primary expression."
BROKEN = "contract Broken { uint x = ; }"
OLD = "pragma solidity =0.7.6; contract Old { function f() public {} }"


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_solc()
    monkeypatch.setenv("ECHIDNA_MCP_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def two_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer the npm packages `solc` and `solc-0.7`."""
    packages = require_packages("solc-0.7")
    monkeypatch.setenv("SOLCJS", str(packages))


def project(tmp_path: Path, **files: str) -> Path:
    root = tmp_path / "p"
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.sol"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def compiled(
    target: Path, contract: str | None = None, *others: str
) -> tuple[Program, list[str]]:
    told: list[str] = []
    request = CompileRequest(
        target=target, contract=contract, others=others, tell=told.append
    )
    return SolcJs().compile(request), told


def names(program: Program) -> list[str]:
    return [contract.name for contract in program.contracts]


def test_a_file_that_does_not_compile_is_left_out_and_told(tmp_path: Path):
    root = project(tmp_path, T=TESTED.format("T"), Token=TOKEN, Broken=BROKEN)
    for _ in ("compiled", "from the cache"):
        program, told = compiled(root)
        assert (program.main, names(program)) == ("T.sol:T", ["T", "Token"])
        assert told == [
            "T.sol:T is fuzzed; --contract chooses another: Token.",
            f"Broken.sol is left out: Broken.sol:1:28: {EXPECTED}",
        ]


def test_what_imports_such_a_file_is_left_out_as_well(tmp_path: Path):
    root = project(
        tmp_path,
        Broken="contract Broken { function f() public { g(); } }",
        User='import "./Broken.sol"; contract User is Broken {}',
        T=TESTED.format("T"),
    )
    program, told = compiled(root)
    assert names(program) == ["T"]
    assert [text.split(":")[0] for text in told] == [
        "Broken.sol is left out",
        "User.sol is left out",
    ]


def test_one_error_after_another_is_found(tmp_path: Path):
    # solc reports types only when everything parses.
    root = project(
        tmp_path,
        Parse=BROKEN,
        Type="contract Type { function f() public { g(); } }",
        T=TESTED.format("T"),
    )
    program, told = compiled(root)
    assert names(program) == ["T"]
    assert len(told) == 2


def test_many_files_that_are_left_out_are_counted(tmp_path: Path):
    bad = {f"B{i}": BROKEN for i in range(5)}
    _, told = compiled(project(tmp_path, T=TESTED.format("T"), **bad))
    assert len(told) == 4
    assert told[-1] == "2 other files are left out likewise."


def test_an_import_that_is_missing_costs_one_file_only(tmp_path: Path):
    root = project(
        tmp_path, T=TESTED.format("T"), A='import "gone/X.sol"; contract A {}'
    )
    program, told = compiled(root)
    assert program.main == "T.sol:T"
    assert told[0].startswith("A.sol is left out: A.sol:1: the import 'gone/X.sol' ")


def test_a_file_that_may_hold_the_target_is_not_passed_over(tmp_path: Path):
    wrong = "contract T { function echidna_ok() public returns (bool) { return 1; } }"
    root = project(tmp_path, Token=TOKEN, T=wrong)
    with pytest.raises(CompilationError, match=r"^T\.sol:1:.*T\.sol may hold the cont"):
        compiled(root)
    assert names(compiled(root, "Token")[0]) == ["Token"]


def test_nothing_that_compiles_is_the_first_error(tmp_path: Path):
    root = project(tmp_path, A=BROKEN, B=BROKEN)
    with pytest.raises(CompilationError, match=r"^A\.sol:1:28: ParserError"):
        compiled(root)


def test_only_what_defines_the_named_contract_has_to_compile(tmp_path: Path):
    root = project(
        tmp_path,
        a__Token=TOKEN,
        a__Broken=BROKEN,
        Vault='import "./a/Token.sol"; contract Vault is Token {}',
        Other="// contract Vault\ncontract Other {}",
    )
    program, told = compiled(root, "Vault")
    assert (program.main, names(program)) == ("Vault.sol:Vault", ["Vault", "Token"])
    assert told == []
    assert names(compiled(root, "a/Token.sol:Token")[0]) == ["Token"]
    with pytest.raises(CompilationError, match="ParserError"):
        compiled(root, "Broken")


def test_what_is_deployed_besides_is_compiled_as_well(tmp_path: Path):
    root = project(tmp_path, Token=TOKEN, Oracle="contract Oracle {}", Broken=BROKEN)
    assert names(compiled(root, "Token", "Oracle")[0]) == ["Oracle", "Token"]
    with pytest.raises(CompilationError, match="ParserError"):
        compiled(root, "Token", "Broken")


def test_a_name_that_nobody_defines_is_explained(tmp_path: Path):
    root = project(tmp_path, Token=TOKEN, Broken=BROKEN)
    with pytest.raises(TargetError, match="no contract 'Tokn'; did you mean Token"):
        compiled(root, "Tokn")


def test_a_token_is_not_fuzzed_silently_instead_of_its_test(tmp_path: Path):
    test = "contract Test { Token t = new Token(); function f() public {} }"
    root = project(tmp_path, T=TOKEN + test)
    assert compiled(root / "T.sol")[0].main == "T.sol:Test"
    other = project(tmp_path / "other", T=TOKEN + TOKEN.replace("Token", "Other"))
    with pytest.raises(TargetError, match="could be fuzzed: Other, Token; name one"):
        compiled(other / "T.sol")
    heir = project(tmp_path / "heir", T=TOKEN + "contract Heir is Token {}")
    assert compiled(heir / "T.sol")[0].main == "T.sol:Heir"


def test_each_file_is_compiled_with_a_version_that_it_allows(
    tmp_path: Path, two_versions: None
):
    root = project(
        tmp_path,
        Old=OLD,
        T="pragma solidity ^0.8.0;" + TESTED.format("T"),
        Any="pragma solidity >=0.7.0; contract Any {}",
    )
    program, told = compiled(root)
    assert program.compiler.startswith("solc 0.8.37+")
    assert names(program) == ["Any", "T"]
    assert told[-1] == (
        f"{program.compiler} compiles what is fuzzed; files that other compilers "
        "compile are no part of it: Old.sol."
    )
    old, _ = compiled(root, "Old")
    assert old.compiler == "solc 0.7.6+commit.7338295f"
    assert [s.path for s in old.sources] == ["Old.sol"]


def test_all_compilers_that_have_tests_of_a_suite_give_a_program(
    tmp_path: Path, two_versions: None
):
    of_foundry = "contract {}Test {{ function test_it() external {{}} }}"
    root = project(
        tmp_path,
        Old="pragma solidity =0.7.6;" + of_foundry.format("Old"),
        New="pragma solidity ^0.8.0;" + of_foundry.format("New"),
        Both="pragma solidity >=0.7.0;" + of_foundry.format("Both"),
        lib__dep__Dep="pragma solidity =0.7.6;" + of_foundry.format("Dep"),
    )
    for _ in ("compiled", "from the cache"):
        told: list[str] = []
        others: list[Program] = []
        request = CompileRequest(
            target=root, suite=True, tell=told.append, also=others.append
        )
        program = SolcJs().compile(request)
        assert (program.main, names(program)) == (
            "Both.sol:BothTest",
            ["BothTest", "NewTest"],
        )
        [other] = others
        assert other.main == "Old.sol:OldTest"
        assert other.compiler.startswith("solc 0.7.6+")
        assert told == []


def test_tests_of_all_compilers_are_run_in_one_suite(
    tmp_path: Path, two_versions: None, monkeypatch: pytest.MonkeyPatch
):
    root = project(
        tmp_path,
        test__Old="pragma solidity =0.7.6; contract OldTest { "
        "function test_Wraps() external pure { require(uint8(255) + uint8(1) == 0); } "
        "function testFuzz_Fails(uint8 x) external pure { require(x != 77); } }",
        test__New="pragma solidity ^0.8.0; contract NewTest { "
        "function test_Fails_Overflow() external { uint8 x = 255; x++; } }",
    )
    (root / "foundry.toml").write_text("[profile.default]\n")
    monkeypatch.chdir(root)
    words = ("--workers", "1", "--round-budget", "30000", "--seed", "1")
    done = invoke("run", ".", *words, "--executor", "inline", "--format", "json")
    assert done.code == 1, done
    assert "compile are no part of it" not in done.err
    statuses = {t["name"]: t["status"] for t in json.loads(done.out)["tests"]}
    assert statuses == {
        "test_Wraps()": "passed",
        "testFuzz_Fails(uint8)": "failed",
        "test_Fails_Overflow()": "failed",
    }


def test_the_target_is_chosen_among_all_versions(tmp_path: Path, two_versions: None):
    old = "pragma solidity =0.7.6;" + TESTED.format("Old")
    root = project(tmp_path, Old=old, New="pragma solidity ^0.8.0; contract New {}")
    program, _ = compiled(root)
    assert program.main == "Old.sol:Old"
    assert program.compiler.startswith("solc 0.7.6+")
    assert program.evm_version == "istanbul"


def test_one_compiler_that_suits_all_is_preferred(tmp_path: Path, two_versions: None):
    files = {f"F{i}": f"pragma solidity =0.7.6; contract F{i} {{}}" for i in range(2)}
    root = project(tmp_path, T="pragma solidity >=0.7;" + TESTED.format("T"), **files)
    program, _ = compiled(root)
    assert program.compiler.startswith("solc 0.7.6+")
    assert len(program.contracts) == 3


def test_a_file_for_a_version_that_is_not_here_is_left_out(tmp_path: Path):
    old = OLD.replace("0.7.6", "0.5.3")
    root = project(tmp_path, Old=old, T=TESTED.format("T"))
    program, told = compiled(root)
    assert names(program) == ["T"]
    assert told[-1].startswith("Old.sol is left out: No solc here suits `=0.5.3`; run ")
    for how in ("solc-select install 0.5.3", "solcx", "npm install solc@0.5.3"):
        assert how in told[-1]


def test_a_target_for_a_version_that_is_not_here_says_what_to_install(tmp_path: Path):
    root = project(tmp_path, Old=OLD.replace("=0.7.6", "^0.5.2"), Token=TOKEN)
    with pytest.raises(
        CompilerUnavailableError, match=r"wants `\^0\.5\.2`; run `npm install solc@0"
    ):
        compiled(root, "Old")


def test_aliases_of_the_npm_package_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    alias = require_packages("solc-0.7") / "solc-0.7"
    monkeypatch.delenv("SOLCJS")
    monkeypatch.chdir(tmp_path)
    root = project(tmp_path, Old=OLD)
    modules = root / "node_modules"
    modules.mkdir()
    (modules / "solc-0.7").symlink_to(alias)
    (modules / "solc-tools").mkdir()
    (modules / "solc-tools" / "soljson.js").touch()  # another package
    program = SolcJs().compile(CompileRequest(target=root / "Old.sol"))
    assert program.compiler == "solc 0.7.6+commit.7338295f"
