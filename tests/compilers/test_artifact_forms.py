"""Whatever a build tool wrote, the program is that of the sources themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stored_builds import (
    crytic_export,
    foundry_artifact,
    full_build_info,
    save,
    slim_build_info,
    standard_input,
    standard_output,
    write_foundry,
    write_hardhat_2,
    write_hardhat_3,
    write_sources,
)

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.project_files import is_project
from echidna_mcp.errors import TargetError
from echidna_mcp.program.compile import compile_target
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.plan import plan_of
from echidna_mcp_plugins.compilers.artifacts.artifact import Artifact

pytestmark = pytest.mark.solc

SOURCES = {
    "contracts/Math.sol": "library Math { function half(uint x) external pure returns "
    "(uint) { return x / 2; } }",
    "contracts/Vault.sol": "import './Math.sol'; contract Vault { uint t; uint "
    "immutable k = 3; function f(uint x) public { require(x > k); t = Math.half(x); "
    "} }",
}
TARGET = "contracts/Vault.sol:Vault"


@pytest.fixture
def given() -> dict[str, Any]:
    return standard_input(SOURCES)


@pytest.fixture
def output(given: dict[str, Any]) -> dict[str, Any]:
    return standard_output(given)


@pytest.fixture
def expected(given: Any, output: Any, tmp_path: Path) -> Program:
    """Return the program by the simplest way: input and output in one file."""
    info = full_build_info(given, output, "hh-sol-build-info-1")
    return read(save(tmp_path / "expected" / "info.json", info))


def read(target: Path, contract: str | None = None) -> Program:
    request = CompileRequest(target=target, contract=contract)
    assert Artifact().accepts(request)
    return Artifact().compile(request)


def code_of(program: Program) -> list[tuple[str, bytes, bytes, Any]]:
    """Return what does not depend on how source numbers are written down."""
    return [
        (c.qualified_name, c.creation_code, c.runtime_code, c.links)
        for c in program.contracts
    ]


def check_whole(program: Program, expected: Program) -> None:
    assert program == expected
    vault = program.main_contract
    assert vault.qualified_name == TARGET
    assert [link.library for link in vault.links] == ["contracts/Math.sol:Math"]
    assert {f.signature for f in vault.functions} == {"f(uint256)"}
    assert len(vault.branches) == 1
    assert vault.immutables
    assert {s.path: s.content for s in program.sources} == SOURCES
    assert len(plan_of(program, CampaignConfig()).deployments) == 2


def test_artifacts_of_hardhat_2(given: Any, output: Any, expected: Any, tmp_path: Path):
    write_sources(tmp_path, SOURCES)
    place = write_hardhat_2(tmp_path, given, output)
    check_whole(read(place), expected)
    check_whole(read(place / "contracts" / "Vault.sol" / "Vault.json"), expected)


def test_artifacts_of_hardhat_2_without_build_info(output: Any, tmp_path: Path):
    place = write_hardhat_2(tmp_path, {}, output)
    (place / "build-info" / "b1.json").unlink()
    program = read(place)
    assert program.main == TARGET
    vault: Contract = program.main_contract
    assert [link.library for link in vault.links] == ["contracts/Math.sol:Math"]
    assert vault.runtime_map == ""


def test_artifacts_of_hardhat_3(expected: Program, tmp_path: Path):
    names = {
        "project/contracts/Vault.sol": 'import "npm/@a/math@1.2.3/Math.sol";'
        + SOURCES["contracts/Vault.sol"].partition(";")[2],
        "npm/@a/math@1.2.3/Math.sol": SOURCES["contracts/Math.sol"],
    }
    given = standard_input(names)
    place = write_hardhat_3(tmp_path, given, standard_output(given))
    for target in (place, place / "contracts" / "Vault.sol" / "Vault.json"):
        program = read(target)
        assert program.main == TARGET
        assert [s.path for s in program.sources] == [
            "contracts/Vault.sol",
            "node_modules/@a/math/Math.sol",
        ]
        vault = program.main_contract
        library = "node_modules/@a/math/Math.sol:Math"
        assert [link.library for link in vault.links] == [library]
        assert {f.signature for f in vault.functions} == {"f(uint256)"}
        assert len(vault.branches) == len(expected.main_contract.branches)


def test_input_of_hardhat_3_without_its_output_is_explained(tmp_path: Path):
    given = standard_input({"project/A.sol": "contract A {}"})
    place = write_hardhat_3(tmp_path, given, standard_output(given))
    file = place / "build-info" / "solc-0_8_37-b1.output.json"
    save(file, {"id": "solc-0_8_37-b1"})
    with pytest.raises(TargetError, match=r"b1\.output\.json holds no output"):
        read(place)


def test_foundry_with_full_build_info(
    given: Any, output: Any, expected: Any, tmp_path: Path
):
    out = write_foundry(tmp_path, output, ast=False)
    info = full_build_info(given, output, "ethers-rs-sol-build-info-1")
    save(out / "build-info" / "b1.json", info)
    check_whole(read(out), expected)
    check_whole(read(out / "Vault.sol" / "Vault.json"), expected)


def test_foundry_with_slim_build_info(output: Any, expected: Any, tmp_path: Path):
    write_sources(tmp_path, SOURCES)
    out = write_foundry(tmp_path, output)
    save(out / "build-info" / "b1.json", slim_build_info(output))
    check_whole(read(out), expected)


def test_contract_of_another_build_than_its_build_info(
    given: Any, output: Any, tmp_path: Path
):
    """The file of a contract is what counts, not what a build-info says besides."""
    out = write_foundry(tmp_path, output)
    later = standard_input(SOURCES, {"optimizer": {"enabled": True}})
    changed = standard_output(later)
    save(
        out / "Vault.sol" / "Vault.json",
        foundry_artifact(changed, "contracts/Vault.sol", "Vault"),
    )
    info = full_build_info(given, output, "ethers-rs-sol-build-info-1")
    save(out / "build-info" / "b1.json", info)
    entry = changed["contracts"]["contracts/Vault.sol"]["Vault"]["evm"]["bytecode"]
    code = read(out, "Vault").main_contract.creation_code
    assert len(code) == len(entry["object"]) // 2


def test_changed_source_of_a_build_info_is_refused(
    given: Any, output: Any, tmp_path: Path
):
    write_sources(tmp_path, SOURCES)
    place = write_hardhat_2(tmp_path, given, output)
    save(tmp_path / "contracts" / "Math.sol", "library Math {}")
    with pytest.raises(TargetError, match=r"Math\.sol was changed after .* compile ag"):
        read(place)


@pytest.mark.parametrize("linked", [False, True])
def test_export_of_crytic_compile(
    output: Any, expected: Program, tmp_path: Path, linked: bool
):
    write_sources(tmp_path, SOURCES)
    export = tmp_path / "crytic-export"
    file = save(export / "a1b2.json", crytic_export(tmp_path, output, {"Math": 0xA070}))
    if linked:
        addresses = {"Math": f"0x{0xA070:040x}"}
        link = {"deployment_order": ["Math", "Vault"], "library_addresses": addresses}
        save(export / "a1b2.link", link)
    program = read(file)
    assert program.main == TARGET
    assert {s.path: s.content for s in program.sources} == SOURCES
    assert {f.signature for f in program.main_contract.functions} == {"f(uint256)"}
    if linked:
        assert code_of(program) == code_of(expected)
    else:
        assert program.main_contract.links == ()


LINK = {
    "deployment_order": ["Math", "Vault"],
    "library_addresses": {"Math": f"0x{0xA070:040x}"},
}


def export(root: Path, output: Any, name: str = "a1b2") -> Path:
    """Write `crytic-export` of linked code; return it."""
    place = root / "crytic-export"
    save(place / f"{name}.json", crytic_export(root, output, {"Math": 0xA070}))
    save(place / f"{name}.link", LINK)
    return place


def test_libraries_lie_where_crytic_compile_has_linked_them(
    output: Any, tmp_path: Path
):
    program = read(export(tmp_path, output) / "a1b2.json")
    assert program.library_addresses == (("contracts/Math.sol:Math", 0xA070),)
    assert Program.from_json(program.to_json()) == program
    deployments = plan_of(program, CampaignConfig()).deployments
    assert [(d.name, d.address) for d in deployments[:-1]] == [("Math", 0xA070)]
    stated = CampaignConfig(libraries=(("Math", 0xB000),))
    assert plan_of(program, stated).deployments[0].address == 0xB000


def test_libraries_are_deployed_in_the_order_of_the_link_file(tmp_path: Path):
    calls = "; ".join(f"{name}.f()" for name in "AB")
    source = "".join(f"library {n} {{ function f() external {{}} }}" for n in "AB")
    source += f"contract T {{ function g() public {{ {calls}; }} }}"
    output = standard_output(standard_input({"T.sol": source}))
    linked = {"A": 0x2001, "B": 0x2002}
    file = save(tmp_path / "a.json", crytic_export(tmp_path, output, linked))
    addresses = {name: hex(at) for name, at in linked.items()}
    for order in ("AB", "BA"):
        link = {"deployment_order": [*order, "T"], "library_addresses": addresses}
        save(tmp_path / "a.link", link)
        deployments = plan_of(read(file), CampaignConfig()).deployments
        assert [(d.name, d.address) for d in deployments[:-1]] == [
            (name, linked[name]) for name in order
        ]


@pytest.mark.parametrize("target", [".", "crytic-export"])
def test_a_directory_of_exports_is_a_target(
    output: Any, expected: Program, tmp_path: Path, target: str
):
    root = tmp_path / "p"
    place = export(root, output)
    save(place / "other.json", {"no": "export"})
    assert is_project(root)
    for _ in ("read", "from the cache"):
        program = compile_target(CompileRequest(target=root / target), [Artifact()])
        assert program.main == TARGET
        assert code_of(program) == code_of(expected)
    save(place / "a1b2.link", {"library_addresses": {"Math": "here"}})
    with pytest.raises(TargetError, match=r"a1b2\.link does not say"):
        read(root / target)


def test_the_target_is_chosen_among_all_exports(output: Any, tmp_path: Path):
    place = export(tmp_path, output)
    text = "contract T { function echidna_a() public returns (bool) {} }"
    other = standard_output(standard_input({"T.sol": text}))
    save(place / "b.json", crytic_export(tmp_path, other, {}))
    assert read(place).main == "T.sol:T"
    assert read(place, "Vault").main == TARGET


def test_sources_come_before_exports_and_what_is_no_export_is_none(
    output: Any, tmp_path: Path
):
    root = tmp_path / "p"
    place = export(root, output)
    write_sources(root, SOURCES)
    assert not Artifact().accepts(CompileRequest(target=root))
    assert Artifact().accepts(CompileRequest(target=place))
    only = tmp_path / "q" / "crytic-export"
    save(only / "x.json", {})
    with pytest.raises(TargetError, match="is no artifact that can be fuzzed"):
        read(only)


def test_damaged_link_file_is_explained(output: Any, tmp_path: Path):
    file = save(tmp_path / "a.json", crytic_export(tmp_path, output, {"Math": 1}))
    save(tmp_path / "a.link", {"library_addresses": {"Math": "here"}})
    with pytest.raises(TargetError, match=r"a\.link does not say at which addresses"):
        read(file)


def test_standard_json_output_without_names_in_the_file_name(
    output: Any, tmp_path: Path
):
    write_sources(tmp_path, SOURCES)
    program = read(save(tmp_path / "whatever.json", output))
    assert program.main == TARGET
    assert {s.path: s.content for s in program.sources} == SOURCES


def test_dependencies_among_artifacts_are_not_fuzzed(tmp_path: Path):
    sources = {
        "src/Vault.sol": "contract Vault { function f() public {} }",
        "lib/dep/src/Dep.sol": "contract Dep { function g() public {} }",
    }
    out = write_foundry(tmp_path, standard_output(standard_input(sources)))
    assert read(out).main == "src/Vault.sol:Vault"
    assert read(out, "Dep").main == "lib/dep/src/Dep.sol:Dep"
