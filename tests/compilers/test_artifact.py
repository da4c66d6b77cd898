from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from eth_hash.auto import keccak
from solc import compile_solidity, require_solc
from stored_builds import foundry_artifact, save

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.demo import load_demo
from echidna_mcp.errors import TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Link, Program
from echidna_mcp.program.plan import plan_of
from echidna_mcp_plugins.compilers.artifacts.artifact import Artifact

VAULT = "import './Base.sol'; contract Vault is Base { function f() public only {} }"
BASE = """abstract contract Base { uint immutable x = 3;
  modifier only() { require(msg.sender != address(0)); _; } }
contract Helper { function echidna_help() public pure returns (bool) { return true; } }
"""
SOURCES = {"src/Vault.sol": VAULT, "src/Base.sol": BASE}
SCRIPT = """const solc = require(process.argv[1]);
process.stdout.write(solc.compile(require('fs').readFileSync(0, 'utf8')));"""


def read(target: Path, contract: str | None = None) -> Program:
    request = CompileRequest(target=target, contract=contract)
    assert Artifact().accepts(request)
    return Artifact().compile(request)


@pytest.fixture(scope="module")
def output() -> dict[str, Any]:
    require_solc()
    question = {
        "language": "Solidity",
        "sources": {path: {"content": text} for path, text in SOURCES.items()},
        "settings": {
            "outputSelection": {
                "*": {"*": ["abi", "evm", "metadata"], "": ["ast"]},
            }
        },
    }
    done = subprocess.run(
        [shutil.which("node") or "", "-e", SCRIPT, os.environ["SOLCJS"]],
        input=json.dumps(question).encode(),
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


def write_sources(root: Path) -> None:
    for path, text in SOURCES.items():
        save(root / path, text)


def write_out(root: Path, output: dict[str, Any], *, ast: bool = True) -> Path:
    for path, by_name in output["contracts"].items():
        for name in by_name:
            save(
                root / "out" / Path(path).name / f"{name}.json",
                foundry_artifact(output, path, name, ast=ast),
            )
    return root / "out"


def check_whole(program: Program) -> None:
    """Everything that compiling the sources themselves would have given."""
    assert [c.qualified_name for c in program.contracts] == [
        "src/Base.sol:Helper",
        "src/Vault.sol:Vault",
    ]
    assert {s.path: s.content for s in program.sources} == SOURCES
    vault = program.contracts[1]
    assert vault.immutables == ()  # not used in runtime code
    assert vault.runtime_map
    functions = {f.signature: f.modifiers for f in vault.functions}
    assert functions == {"f()": ("only",), "only": ()}
    assert len(vault.branches) == 1


@pytest.mark.solc
def test_standard_output_with_sources_beside_it(output: dict[str, Any], tmp_path: Path):
    write_sources(tmp_path)
    program = read(save(tmp_path / "build" / "output.json", output))
    check_whole(program)
    assert program.main == "src/Base.sol:Helper"
    assert program.compiler.startswith("solc 0.8.37+commit.")
    assert (
        read(tmp_path / "build" / "output.json", "Vault").main_contract.name == "Vault"
    )


@pytest.mark.solc
def test_standard_output_inside_build_info(output: dict[str, Any], tmp_path: Path):
    given = {"sources": {path: {"content": text} for path, text in SOURCES.items()}}
    file = save(tmp_path / "info.json", {"input": given, "output": output})
    check_whole(read(file))


@pytest.mark.solc
def test_artifact_and_source_give_the_same_program(
    output: dict[str, Any], tmp_path: Path
):
    program = load_demo()
    question = {
        "language": "Solidity",
        "sources": {"Vault.sol": {"content": program.sources[0].content}},
        "settings": {
            "outputSelection": {
                "*": {"*": ["abi", "evm", "metadata", "storageLayout"], "": ["ast"]}
            }
        },
    }
    done = subprocess.run(
        [shutil.which("node") or "", "-e", SCRIPT, os.environ["SOLCJS"]],
        input=json.dumps(question).encode(),
        capture_output=True,
        check=True,
    )
    save(tmp_path / "Vault.sol", program.sources[0].content)
    assert read(save(tmp_path / "out.json", done.stdout.decode())) == program


@pytest.mark.solc
def test_foundry_out_directory(output: dict[str, Any], tmp_path: Path):
    write_sources(tmp_path)
    check_whole(read(write_out(tmp_path, output)))


@pytest.mark.solc
def test_one_file_of_foundry_names_the_target(output: dict[str, Any], tmp_path: Path):
    write_sources(tmp_path)
    out = write_out(tmp_path, output)
    program = read(out / "Vault.sol" / "Vault.json")
    check_whole(program)
    assert program.main == "src/Vault.sol:Vault"
    assert (
        read(out / "Vault.sol" / "Vault.json", "Helper").main_contract.name == "Helper"
    )


@pytest.mark.solc
def test_foundry_without_syntax_trees_still_has_lines(
    output: dict[str, Any], tmp_path: Path
):
    write_sources(tmp_path)
    program = read(write_out(tmp_path, output, ast=False), "Vault")
    assert program.main_contract.functions == ()
    assert {s.content for s in program.sources} == set(SOURCES.values())
    assert program.main_contract.runtime_map


@pytest.mark.solc
def test_source_numbers_of_several_builds_are_left_out(
    output: dict[str, Any], tmp_path: Path
):
    write_sources(tmp_path)
    out = write_out(tmp_path, output)
    file = out / "Base.sol" / "Helper.json"
    other = json.loads(file.read_text())
    other["id"] = output["sources"]["src/Vault.sol"]["id"]
    save(file, other)
    vault = read(out, "Vault").main_contract
    assert {f.span.file for f in vault.functions if f.signature == "f()"} == {-1}


@pytest.mark.solc
def test_changed_source_is_refused(output: dict[str, Any], tmp_path: Path):
    write_sources(tmp_path)
    (tmp_path / "src" / "Base.sol").write_text(BASE + "// new")
    out = write_out(tmp_path, output)
    with pytest.raises(
        TargetError, match=r"src/Base\.sol was changed after .* compile"
    ):
        read(out)


@pytest.mark.solc
def test_missing_sources_leave_the_code(output: dict[str, Any], tmp_path: Path):
    program = read(write_out(tmp_path, output))
    assert {s.content for s in program.sources} == {""}
    assert program.main_contract.runtime_code


@pytest.mark.solc
def test_combined_json(output: dict[str, Any], tmp_path: Path):
    write_sources(tmp_path)
    combined = {
        "contracts": {
            f"{path}:{name}": {
                "abi": json.dumps(entry["abi"]),
                "bin": entry["evm"]["bytecode"]["object"],
                "bin-runtime": entry["evm"]["deployedBytecode"]["object"],
                "srcmap": entry["evm"]["bytecode"]["sourceMap"],
                "srcmap-runtime": entry["evm"]["deployedBytecode"]["sourceMap"],
            }
            for path, by_name in output["contracts"].items()
            for name, entry in by_name.items()
        },
        "sourceList": sorted(SOURCES),
        "sources": {p: {"AST": s["ast"]} for p, s in output["sources"].items()},
        "version": "0.8.37+commit.x",
    }
    program = read(save(tmp_path / "combined.json", combined))
    check_whole(program)
    assert program.compiler == "solc 0.8.37+commit.x"


def test_own_program(tmp_path: Path):
    file = save(tmp_path / "program.json", load_demo().to_json())
    assert read(file) == load_demo()
    with pytest.raises(TargetError, match="no contract 'Nope'; there are: Vault"):
        read(file, "Nope")


@pytest.mark.solc
def test_main_of_own_program_can_be_chosen(tmp_path: Path):
    program = compile_solidity("contract A {} contract B {}", "A")
    file = save(tmp_path / "program.json", program.to_json())
    assert read(file).main == "Test.sol:A"
    assert read(file, "B").main == "Test.sol:B"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "can't be read as JSON"),
        ("{", "can't be read as JSON"),
        ("[]", "is no artifact that can be fuzzed"),
        ('{"name": "package"}', "is no artifact that can be fuzzed"),
        ('{"contracts": {}}', "defines no contract"),
        (
            '{"contracts": {"nowhere.sol": {"A": {"abi": []}}}}',
            "only interfaces",
        ),
        ('{"contracts": {"nowhere.sol": 3}}', "is a damaged artifact"),
        (
            json.dumps(
                {
                    "contracts": {
                        "nowhere.sol": {"A": {"evm": {"bytecode": {"object": "zz"}}}}
                    }
                }
            ),
            "is a damaged artifact",
        ),
        ('{"main": "x", "contracts": [], "sources": []}', "is a damaged artifact"),
        ('{"main": "x", "contracts": [{}], "sources": [[]]}', "is a damaged artifact"),
    ],
)
def test_json_that_is_no_artifact(tmp_path: Path, text: str, message: str):
    with pytest.raises(TargetError, match=message):
        read(save(tmp_path / "a.json", text))


def artifact_with(code: str, **more: Any) -> dict[str, Any]:
    """Return standard JSON output: a contract with this code, and a library."""
    parts = {"object": code, **more}
    entries = {
        "A": {"abi": [], "evm": {"bytecode": parts, "deployedBytecode": parts}},
        "Lib": {"abi": [], "evm": {"bytecode": {"object": "6000"}}},
    }
    return {"contracts": {"a.sol": entries}}


HASHED = f"__${keccak(b'a.sol:Lib').hex()[:34]}$__"


@pytest.mark.parametrize(
    "placeholder",
    [HASHED, f"__{'a.sol:Lib':_<38}", f"__{'Lib':_<38}"],
    ids=["hash", "qualified", "bare"],
)
def test_placeholders_of_all_times_are_linked(tmp_path: Path, placeholder: str):
    code = "6080" + placeholder + "6000" + placeholder + "00"
    main = read(save(tmp_path / "a.json", artifact_with(code)), "A").main_contract
    link = Link(library="a.sol:Lib", creation=(2, 24), runtime=(2, 24))
    assert main.links == (link,)
    zeros = bytes(20)
    expected = b"\x60\x80" + zeros + b"\x60\x00" + zeros + b"\x00"
    assert main.creation_code == main.runtime_code == expected


def test_what_the_output_states_of_links_comes_before_the_text(tmp_path: Path):
    stated = {"l.sol": {"Other": [{"start": 2, "length": 20}]}}
    data = artifact_with(f"6080{HASHED}00", linkReferences=stated)
    main = read(save(tmp_path / "a.json", data), "A").main_contract
    assert [link.library for link in main.links] == ["l.sol:Other"]


def test_a_placeholder_that_nobody_knows_is_named_when_it_is_needed(tmp_path: Path):
    code = "6080" + "__$" + "a" * 34 + "$__" + "6000"
    program = read(save(tmp_path / "a.json", artifact_with(code)), "A")
    with pytest.raises(TargetError, match=r"A needs the library __\$a+\$__, which is"):
        plan_of(program, CampaignConfig())


@pytest.mark.solc
def test_the_fork_is_read_from_metadata_or_else_from_the_input(
    output: dict[str, Any], tmp_path: Path
):
    write_sources(tmp_path)
    assert read(save(tmp_path / "output.json", output)).evm_version == "osaka"
    assert read(write_out(tmp_path, output)).evm_version == "osaka"
    bare = json.loads(json.dumps(output))
    for by_name in bare["contracts"].values():
        for entry in by_name.values():
            del entry["metadata"]
    assert read(save(tmp_path / "bare.json", bare)).evm_version == ""
    given = {"sources": {}, "settings": {"evmVersion": "cancun"}}
    info = save(tmp_path / "info.json", {"input": given, "output": bare})
    assert read(info).evm_version == "cancun"
