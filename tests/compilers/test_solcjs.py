from __future__ import annotations

import os
from pathlib import Path

import pytest
from solc import compile_solidity, require_solc

from echidna_mcp.errors import (
    CompilationError,
    CompilerUnavailableError,
    ConfigError,
    TargetError,
    UsageError,
)
from echidna_mcp.evm.fork import FORKS, ForkName
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program, Span
from echidna_mcp_plugins.compilers.solidity.npm_solc import find_package
from echidna_mcp_plugins.compilers.solidity.settings import SolcSettings
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs

pytestmark = pytest.mark.solc

TOKEN = """pragma solidity ^0.8.0;
contract Token { mapping(address => uint) public balanceOf; }
"""


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_sol", ".sol")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def solcjs(target: Path, contract: str | None = None, solc_args: str = "") -> Program:
    require_solc()
    request = CompileRequest(target=target, contract=contract, solc_args=solc_args)
    assert SolcJs().accepts(request)
    return SolcJs().compile(request)


def texts(program: Program, spans: tuple[Span, ...]) -> list[str]:
    return [
        program.sources[s.file].content.encode()[s.start : s.start + s.length].decode()
        for s in spans
    ]


def test_program_is_the_same_wherever_it_lies(tmp_path: Path, monkeypatch):
    files = {
        "src__Test_sol": 'import "../lib/Token.sol"; contract Test is Token {}',
        "lib__Token_sol": TOKEN,
    }
    one = solcjs(write(tmp_path / "one", **files) / "src" / "Test.sol")
    write(tmp_path / "deeper" / "two", **files)
    monkeypatch.chdir(tmp_path / "deeper" / "two" / "src")
    two = solcjs(Path("Test.sol"))
    assert one.digest == two.digest
    assert [s.path for s in one.sources] == ["lib/Token.sol", "src/Test.sol"]
    assert one.main == "src/Test.sol:Test"


def test_round_trip_through_json_keeps_everything():
    program = compile_solidity(TOKEN)
    assert Program.from_json(program.to_json()) == program
    assert program.compiler.startswith("solc 0.8.37+commit.")


def test_imports_from_node_modules_libraries_and_remappings(tmp_path: Path):
    root = write(
        tmp_path,
        contracts__Test_sol="""
            import "@pkg/A.sol"; import {B} from "solady/B.sol"; import "mapped/C.sol";
            import "plain/D.sol";
            contract Test is A, B, C, D {}""",
        node_modules__pkg__unused="",
        lib__solady__src__B_sol="contract B {}",
        lib__plain__D_sol="contract D {}",
        vendor__C_sol="contract C {}",
    )
    (root / "node_modules" / "@pkg").mkdir()
    (root / "node_modules" / "@pkg" / "A.sol").write_text("contract A {}")
    (root / "remappings.txt").write_text("mapped/=vendor/\n")
    program = solcjs(root / "contracts" / "Test.sol")
    assert program.main == "contracts/Test.sol:Test"
    assert [s.path for s in program.sources] == [
        "@pkg/A.sol",
        "contracts/Test.sol",
        "plain/D.sol",
        "solady/B.sol",
        "vendor/C.sol",
    ]


def test_remapping_in_the_arguments(tmp_path: Path):
    root = write(tmp_path, T_sol='import "x/A.sol"; contract T is A {}')
    write(root, deep__A_sol="contract A {}")
    assert solcjs(root / "T.sol", solc_args="x/=deep/").main == "T.sol:T"


def test_directory_leaves_dependencies_out(tmp_path: Path):
    root = write(
        tmp_path,
        a__A_sol="contract A {}",
        B_sol="contract B { function echidna_ok() public returns (bool) {} }",
        lib__x__X_sol="this is no Solidity",
        node_modules__y__Y_sol="neither",
        out__Z_sol="nor this",
    )
    program = solcjs(root)
    assert [c.qualified_name for c in program.contracts] == ["B.sol:B", "a/A.sol:A"]
    assert program.main == "B.sol:B"


def test_foundry_project(tmp_path: Path):
    root = write(
        tmp_path,
        contracts__A_sol='import "dep/D.sol"; contract A is D { }',
        test__A_t_sol="",
        script__Deploy_sol="contract Deploy {}",
        lib__dep__src__D_sol="contract D { function d() public {} }",
    )
    (root / "foundry.toml").write_text(
        '[profile.default]\nsrc = "contracts"\noptimizer = true\noptimizer_runs = 1\n'
    )
    program = solcjs(root)
    assert [c.qualified_name for c in program.contracts] == [
        "contracts/A.sol:A",
        "lib/dep/src/D.sol:D",
    ]
    assert program.main == "contracts/A.sol:A"
    (root / "foundry.toml").write_text('[profile.default]\nsrc = "contracts"\n')
    plain = solcjs(root)
    assert len(plain.main_contract.runtime_code) > len(
        program.main_contract.runtime_code
    )


def test_damaged_foundry_toml(tmp_path: Path):
    root = write(tmp_path, A_sol="contract A {}")
    (root / "foundry.toml").write_text("[profile")
    with pytest.raises(ConfigError, match=r"foundry\.toml can't be read"):
        solcjs(root / "A.sol")


def test_functions_of_bases_belong_to_the_derived_contract():
    program = compile_solidity(
        """
        abstract contract Base {
            modifier only(uint x) { require(x > 0); _; }
            function f(uint x) public virtual only(x) returns (uint) { return x; }
            function g() external only(1) {}
            function missing() public virtual;
        }
        contract C is Base {
            struct P { uint a; address[] b; }
            enum E { X }
            uint[] public list;
            constructor() only(2) {}
            function f(uint x) public override returns (uint) { return super.f(x); }
            function h(P calldata p, E e, Base b) external { _i(); Lib.used(); free(); }
            function h() external {}
            function missing() public override {}
            function _i() internal {}
            fallback() external {}
            receive() external payable {}
        }
        library Lib { function used() internal {} function unused() internal {} }
        function free() {}
        """,
        "C",
    )
    main = program.main_contract
    found = {
        (f.signature, text.split("(")[0].split("{")[0].strip(), f.modifiers)
        for f, text in zip(
            main.functions,
            texts(program, tuple(f.span for f in main.functions)),
            strict=True,
        )
    }
    assert found == {
        ("list(uint256)", "uint[] public list", ()),
        ("constructor", "constructor", ("only",)),
        ("f(uint256)", "function f", ()),
        ("f", "function f", ("only",)),
        ("g()", "function g", ("only",)),
        ("h((uint256,address[]),uint8,address)", "function h", ()),
        ("h()", "function h", ()),
        ("missing()", "function missing", ()),
        ("_i", "function _i", ()),
        ("fallback()", "fallback", ()),
        ("receive()", "receive", ()),
        ("only", "modifier only", ()),
        ("used", "function used", ()),
        ("free", "function free", ()),
    }


BRANCHES = """contract T { uint t;
    function f(uint x, bool b) public {
        if (x > 1) t = 1;
        for (uint i = 0; i < x; i++) t++;
        while (t > x) t--;
        do { t++; } while (t < 3);
        require(b || x > 2);
        assert(b && x > 3);
        t = b ? 4 : 5;
        t = x + t * 2;
    } }"""


def test_branches_are_the_statements_that_branch():
    program = compile_solidity(BRANCHES)
    found = set(texts(program, program.main_contract.branches))
    # Conditions of loops stand for loops in code that went through Yul.
    assert found - {"i < x", "t > x", "t < 3"} == {
        "if (x > 1) t = 1",
        "for (uint i = 0; i < x; i++) t++",
        "while (t > x) t--",
        "do { t++; } while (t < 3);",
        "require(b || x > 2)",
        "b || x > 2",
        "assert(b && x > 3)",
        "b && x > 3",
        "b ? 4 : 5",
    }


@pytest.mark.parametrize(
    ("solc_args", "option"), [("--via-ir", "viaIR"), ("--optimize", "optimizer")]
)
def test_arguments_change_the_code(solc_args: str, option: str):
    plain = compile_solidity(BRANCHES).main_contract
    changed = compile_solidity(BRANCHES, solc_args=solc_args).main_contract
    assert changed.runtime_code != plain.runtime_code, option
    assert changed.branches


def test_evm_version_and_runs_reach_solc():
    push0 = compile_solidity(TOKEN, solc_args="--evm-version shanghai")
    old = compile_solidity(TOKEN, solc_args="--evm-version=paris --optimize-runs 3")
    assert 0x5F in push0.main_contract.runtime_code[:40]
    assert push0.main_contract.runtime_code != old.main_contract.runtime_code


@pytest.mark.parametrize(
    ("solc_args", "message"),
    [
        ("--wat", "solcArgs holds '--wat', which is not supported"),
        ("--optimize-runs many", "--optimize-runs needs a value, not 'many'"),
        ("--evm-version", "--evm-version needs a value"),
        ("'", "can't be split"),
    ],
)
def test_arguments_that_are_not_understood(solc_args: str, message: str):
    with pytest.raises(UsageError, match=message):
        compile_solidity(TOKEN, solc_args=solc_args)


def test_paths_that_only_matter_to_a_binary_are_accepted():
    assert compile_solidity(TOKEN, solc_args="--allow-paths .").main == "Test.sol:Token"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("contract A {\n uint x = ;\n}", r"^Test\.sol:2:11: ParserError: Expected"),
        (
            'contract A { uint x = "a"; uint y = "b"; }',
            r"^Test\.sol:1:23: TypeError: .*\(and 1 more",
        ),
        ('import "./no.sol";', r"^Test\.sol:1: the import './no\.sol' can't be found"),
        ('\n import "@x/no.sol";', r"^Test\.sol:2: the import '@x/no\.sol' can't be"),
    ],
)
def test_errors_name_file_and_line(source: str, message: str):
    with pytest.raises(CompilationError, match=message):
        compile_solidity(source)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "defines no contract"),
        ("interface I { function f() external; }", "only interfaces"),
        ("library L { function f() internal {} }", "only interfaces"),
        ("library L { function f() external {} }", "only interfaces"),
        ("abstract contract A { function f() public virtual; }", "only interfaces"),
    ],
)
def test_targets_that_can_not_be_fuzzed(source: str, message: str):
    with pytest.raises(TargetError, match=message):
        compile_solidity(source)


def test_other_contracts_may_need_linking():
    program = compile_solidity(
        "library L { function f() external {} } "
        "contract A { function g() external { L.f(); } } contract B {}",
        "B",
    )
    assert program.main == "Test.sol:B"
    assert [c.name for c in program.contracts] == ["A", "B", "L"]


def test_files_that_are_no_text(tmp_path: Path):
    (tmp_path / "A.sol").write_bytes(b"\xff\xfe contract")
    with pytest.raises(TargetError, match="is not UTF-8"):
        solcjs(tmp_path / "A.sol")


def test_byte_offsets_survive_text_that_is_not_ascii():
    program = compile_solidity(
        '// ünïcödé ☃\ncontract A { string s = unicode"☃"; '
        "function f(bool b) public { if (b) delete s; } }"
    )
    main = program.main_contract
    assert texts(program, main.branches) == ["if (b) delete s"]
    assert "function f(bool b) public { if (b) delete s; }" in texts(
        program, tuple(f.span for f in main.functions)
    )


def test_version_that_the_pragma_refuses():
    with pytest.raises(
        CompilerUnavailableError, match=r"is 0\.8\.37, but the source wants `\^0\.4\.0`"
    ):
        compile_solidity("pragma solidity ^0.4.0; contract A {}")


def test_missing_package_and_missing_node(tmp_path: Path, monkeypatch):
    (tmp_path / "A.sol").write_text("contract A {}")
    (tmp_path / "bin").mkdir()
    monkeypatch.delenv("SOLCJS", raising=False)
    monkeypatch.chdir(tmp_path)
    request = CompileRequest(target=tmp_path / "A.sol")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(CompilerUnavailableError, match="no node on PATH"):
        SolcJs().compile(request)
    node = tmp_path / "bin" / "node"
    node.write_text("#!/bin/sh\nexit 1\n")
    node.chmod(0o755)
    with pytest.raises(CompilerUnavailableError, match="run `npm install solc`"):
        SolcJs().compile(request)


def test_package_is_found_above_the_target(tmp_path: Path, monkeypatch):
    package = tmp_path / "node_modules" / "solc"
    package.mkdir(parents=True)
    (package / "soljson.js").touch()
    (tmp_path / "src").mkdir()
    monkeypatch.delenv("SOLCJS", raising=False)
    assert find_package(tmp_path / "src" / "A.sol") == package
    monkeypatch.setenv("SOLCJS", os.fspath(tmp_path / "node_modules"))
    assert find_package(Path("A.sol")) == package


def fork_of(tmp_path: Path, *, solc_args: str = "", asked: ForkName | None = None):
    (tmp_path / "T.sol").write_text(TOKEN, "utf-8")
    require_solc()
    return SolcJs().compile(
        CompileRequest(
            target=tmp_path / "T.sol", solc_args=solc_args, evm_version=asked
        )
    )


def test_the_program_says_which_fork_solc_compiled_for(tmp_path: Path):
    assert fork_of(tmp_path).evm_version == "osaka"
    assert fork_of(tmp_path, solc_args="--evm-version paris").evm_version == "paris"


def test_the_fork_that_is_asked_for_wins_over_foundry_toml_not_over_arguments(
    tmp_path: Path,
):
    (tmp_path / "foundry.toml").write_text("[profile.default]\nevm_version='london'\n")
    assert fork_of(tmp_path).evm_version == "london"
    assert fork_of(tmp_path, asked="cancun").evm_version == "cancun"
    args = "--evm-version paris"
    assert fork_of(tmp_path, solc_args=args, asked="cancun").evm_version == "paris"


@pytest.mark.parametrize(
    ("version", "asked"),
    [
        ((0, 8, 19), []),
        ((0, 8, 20), ["shanghai"]),
        ((0, 8, 26), ["shanghai", "cancun"]),
        ((0, 8, 28), ["shanghai", "cancun", "prague"]),
        ((0, 8, 29), list(FORKS)),
    ],
)
def test_an_older_solc_is_not_asked_for_what_it_does_not_know(version, asked):
    settings = {fork: SolcSettings(rules=fork).to_json(version) for fork in FORKS}
    assert [fork for fork in FORKS if "evmVersion" in settings[fork]] == asked
