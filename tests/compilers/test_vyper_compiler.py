from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from eth_abi import encode
from py_evm_runner import TARGET, Runner

from echidna_mcp.errors import (
    CompilationError,
    CompilerUnavailableError,
    TargetError,
)
from echidna_mcp.evm.fork import ForkName
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program, Span
from echidna_mcp.program.sourcemap import decode_map, instruction_starts
from echidna_mcp.reports.lines import CoverageIndex
from echidna_mcp_plugins.compilers.vyper.compiler import Vyper

OWNABLE = """# pragma version ^0.4.0
# ünïcödé
owner: public(address)
ADMIN: immutable(address)

@deploy
def __init__():
    self.owner = msg.sender
    ADMIN = msg.sender

@internal
def _check_owner():
    assert msg.sender == self.owner, "no"

@internal
def _unused():
    self.owner = ADMIN

@external
def transfer_ownership(new: address):
    self._check_owner()
    self.owner = new
"""
MAIN = """# pragma version ^0.4.0
import ownable
initializes: ownable
exports: ownable.transfer_ownership

# ☃
x: public(uint256)
K: immutable(uint256)

@deploy
def __init__():
    ownable.__init__()
    K = 5

@external
@nonreentrant
def set(v: uint256 = 3, w: int128 = -1):
    ownable._check_owner()
    for q: uint256 in range(3):
        if v > 3 and w < 0:
            self.x = v
    self.x += 1 if v > 7 else K

@external
@view
def echidna_ok() -> bool:
    return self.x < 10

@external
@payable
def __default__():
    pass
"""


def compile_vyper(target: Path, contract: str | None = None) -> Program:
    request = CompileRequest(target=target, contract=contract)
    assert Vyper().accepts(request)
    return Vyper().compile(request)


def text(program: Program, span: Span) -> str:
    source = program.sources[span.file].content.encode()
    return source[span.start : span.start + span.length].decode()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("vyper")
    (directory / "ownable.vy").write_text(OWNABLE, "utf-8")
    (directory / "Main.vy").write_text(MAIN, "utf-8")
    return directory


@pytest.fixture(scope="module")
def program(directory: Path) -> Program:
    return compile_vyper(directory / "Main.vy")


def test_program_is_the_same_wherever_it_lies(
    program: Program, directory: Path, tmp_path: Path, monkeypatch
):
    for name in ("Main.vy", "ownable.vy"):
        (tmp_path / name).write_bytes((directory / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    assert compile_vyper(Path("Main.vy")).digest == program.digest
    assert [s.path for s in program.sources] == ["Main.vy", "ownable.vy"]
    assert program.main == "Main.vy:Main"
    assert program.compiler.startswith("vyper 0.4")


def test_round_trip_through_json_keeps_everything(program: Program):
    assert Program.from_json(program.to_json()) == program


def test_functions_with_defaults_have_all_their_signatures(program: Program):
    found = {
        (f.signature, text(program, f.span).split(":\n")[0], f.modifiers)
        for f in program.main_contract.functions
    }
    head = "def set(v: uint256 = 3, w: int128 = -1)"
    assert found == {
        ("x()", "x: public(uint256)", ()),
        ("__init__", "def __init__()", ()),
        ("set()", head, ("nonreentrant",)),
        ("set(uint256)", head, ("nonreentrant",)),
        ("set(uint256,int128)", head, ("nonreentrant",)),
        ("echidna_ok()", "def echidna_ok() -> bool", ()),
        ("fallback()", "def __default__()", ()),
        ("_check_owner", "def _check_owner()", ()),
        ("transfer_ownership(address)", "def transfer_ownership(new: address)", ()),
    }


def test_branches_are_the_statements_that_branch(program: Program):
    found = [text(program, span) for span in program.main_contract.branches]
    assert [line.split("\n")[0] for line in found] == [
        "for q: uint256 in range(3):",
        "if v > 3 and w < 0:",
        "v > 3 and w < 0",
        "1 if v > 7 else K",
        'assert msg.sender == self.owner, "no"',
    ]


def test_map_has_one_entry_for_each_instruction(program: Program):
    main = program.main_contract
    starts = instruction_starts(main.runtime_code)
    assert len(decode_map(main.runtime_map)) == len(starts)
    constructor = main.creation_code[: main.creation_code.find(main.runtime_code)]
    assert len(decode_map(main.creation_map)) == len(instruction_starts(constructor))


def test_immutables_are_appended(program: Program):
    runner = Runner(program)
    main = program.main_contract
    code = runner.backend.code(TARGET)
    assert main.appended_immutables == 64
    assert code[: -main.appended_immutables] == main.runtime_code
    runner.call("echidna_ok()")
    assert set(runner.covered) == {"Main.vy:Main/create", "Main.vy:Main/runtime"}


def test_executed_lines_are_the_covered_ones(program: Program):
    runner = Runner(program)
    result = runner.call("set(uint256)", encode(["uint256"], [9]))
    assert result.status.succeeded
    (contract,) = CoverageIndex(program).report(runner.covered).contracts
    lines = {(path, text) for path, text in contract.lines}
    covered = set(contract.covered_lines)
    main = {line for path, line in covered if path == "Main.vy"}
    numbered = dict(enumerate(MAIN.split("\n"), 1))
    assert [numbered[line].strip() for line in sorted(main)] == [
        "def __init__():",
        "ownable.__init__()",
        "K = 5",
        "def set(v: uint256 = 3, w: int128 = -1):",
        "ownable._check_owner()",
        "for q: uint256 in range(3):",
        "if v > 3 and w < 0:",
        "self.x = v",
        "self.x += 1 if v > 7 else K",
    ]
    assert ("ownable.vy", 13) in covered
    assert ("ownable.vy", 22) in lines - covered
    assert not any(
        numbered[line].startswith("#") for p, line in lines if p == "Main.vy"
    )


def test_directory_prefers_the_contract_with_a_property(
    program: Program, directory: Path
):
    found = compile_vyper(directory)
    assert found.main == "Main.vy:Main"
    assert [c.name for c in found.contracts] == ["Main", "ownable"]
    assert compile_vyper(directory, "ownable").main == "ownable.vy:ownable"


def test_module_that_only_compiles_inside_another_is_no_error(tmp_path: Path):
    (tmp_path / "ownable.vy").write_text(OWNABLE, "utf-8")
    (tmp_path / "user.vy").write_text(
        "import ownable\nuses: ownable\n"
        "@internal\ndef f():\n    ownable._check_owner()\n"
    )
    (tmp_path / "Main.vy").write_text(
        "import ownable\nimport user\ninitializes: ownable\n"
        "initializes: user[ownable := ownable]\n"
        "@deploy\ndef __init__():\n    ownable.__init__()\n"
        "@external\ndef g():\n    user.f()\n"
    )
    assert compile_vyper(tmp_path).main == "Main.vy:Main"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x: uint25\n", r"^Bad\.vy:1:3: UnknownType: No builtin or user-defined"),
        (
            "@external\ndef f():\n    x: uint256 = y\n",
            r"^Bad\.vy:3:17: UndeclaredDefinition: 'y' has not been declared",
        ),
        ("def f(: uint256\n", r"^Bad\.vy:2:0: SyntaxException: EOF"),
        ("import nowhere\n", r"^Bad\.vy:1:0: ModuleNotFound"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, source: str, message: str):
    (tmp_path / "Bad.vy").write_text(source)
    with pytest.raises(CompilationError, match=message):
        compile_vyper(tmp_path / "Bad.vy")


def test_version_that_the_pragma_refuses(tmp_path: Path):
    (tmp_path / "Old.vy").write_text("# pragma version ^0.3.7\nx: uint256\n")
    with pytest.raises(CompilerUnavailableError, match=r"Vyper is 0\.4.*with pip"):
        compile_vyper(tmp_path / "Old.vy")


def test_file_that_is_no_text(tmp_path: Path):
    (tmp_path / "A.vy").write_bytes(b"\xff\xfe")
    with pytest.raises(TargetError, match="is not UTF-8"):
        compile_vyper(tmp_path / "A.vy")


def test_target_named_like_a_module_of_python_is_harmless(tmp_path: Path):
    (tmp_path / "json.py").write_text("raise SystemExit('shadowed')")
    (tmp_path / "vyper.py").write_text("raise SystemExit('shadowed')")
    (tmp_path / "json.vy").write_text("x: public(uint256)\n")
    assert compile_vyper(tmp_path / "json.vy").main == "json.vy:json"


def test_missing_package(directory: Path, monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name == "vyper" else real(name),
    )
    with pytest.raises(CompilerUnavailableError, match="run `pip install vyper`"):
        Vyper().compile(CompileRequest(target=directory))


@pytest.mark.parametrize(
    ("pragma", "asked", "fork"),
    [
        ("", None, "prague"),
        ("", "cancun", "cancun"),
        ("", "osaka", "prague"),  # this Vyper does not know it
        ("#pragma evm-version shanghai\n", None, "shanghai"),
        ("#pragma evm-version shanghai\n", "cancun", "shanghai"),
    ],
)
def test_the_program_says_which_fork_vyper_compiled_for(
    tmp_path: Path, pragma: str, asked: ForkName | None, fork: str
):
    (tmp_path / "A.vy").write_text(f"{pragma}x: public(uint256)\n", "utf-8")
    request = CompileRequest(target=tmp_path / "A.vy", evm_version=asked)
    assert Vyper().compile(request).evm_version == fork
