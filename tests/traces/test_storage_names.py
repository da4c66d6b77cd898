"""Changes of storage are told by the names of variables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import invoke
from solc import compile_solidity, require_solc
from stored_builds import (
    standard_input,
    standard_output,
    write_foundry,
    write_sources,
)

from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.artifacts.artifact import Artifact

pytestmark = pytest.mark.solc

SOURCE = """\
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

contract Layout {
    enum Phase { Early, Late }
    type Price is uint64;
    struct Point { int32 x; int32 y; uint256[] trail; mapping(string => bool) seen; }

    uint256 plain;
    uint8 low;
    int24 middle;
    bool flag;
    bytes4 tag;
    Phase phase;
    Price price;
    address who;
    Layout other;
    string text = "before";
    string long;
    bytes raw;
    uint16[] packed;
    uint8[40] fixedOnes;
    Point point;
    Point[2] points;
    mapping(bytes4 => mapping(int8 => Point)) byTag;
    mapping(address => uint256[]) lists;
    uint128[][] grid;
    bytes20[] wide;
    mapping(bool => string) texts;
    uint256 unchanged;

    function fill() external {
        plain = 1;
        low = 2;
        middle = -3;
        flag = true;
        tag = 0x12345678;
        phase = Phase.Late;
        price = Price.wrap(9);
        who = address(0xbeef);
        other = this;
        text = "after";
        long = "a text that is longer than thirty-one bytes are";
        raw = hex"c0de";
        packed.push(5);
        packed.push(6);
        fixedOnes[33] = 7;
        point.y = -8;
        point.trail.push(10);
        point.seen["it"] = true;
        points[1].x = 11;
        byTag[0xaabbccdd][-2].y = 12;
        byTag[0xaabbccdd][-2].trail.push(13);
        lists[address(0xbeef)].push(14);
        grid.push();
        grid[0].push(15);
        grid[0].push(16);
        wide.push(bytes20(address(0xbeef)));
        wide.push(bytes20(address(0xbeef)));
        texts[true] = "short";
        unchanged = 17;
        unchanged = 0;
        assembly { sstore(0x1234567, 18) }
        assert(false);
    }
}
"""
BEEF = "0x000000000000000000000000000000000000beef"
TEXT = "a text that is longer than thirty-one bytes are"
CHANGES = {
    "plain": ("0", "1"),
    "low": ("0", "2"),
    "middle": ("0", "-3"),
    "flag": ("false", "true"),
    "tag": ("0x00000000", "0x12345678"),
    "phase": ("0", "1"),
    "price": ("0", "9"),
    "who": ("0x" + 40 * "0", BEEF),
    "other": ("0x" + 40 * "0", "Layout"),
    "text": ('"before"', '"after"'),
    "long": ('""', "47 bytes"),
    "long[0:32]": ('""', f'"{TEXT[:32]}"'),
    "long[32:64]": ('""', f'"{TEXT[32:]}"'),
    "raw": ("0x", "0xc0de"),
    "packed.length": ("0", "2"),
    "packed[0]": ("0", "5"),
    "packed[1]": ("0", "6"),
    "fixedOnes[33]": ("0", "7"),
    "point.y": ("0", "-8"),
    "point.trail.length": ("0", "1"),
    "point.trail[0]": ("0", "10"),
    'point.seen["it"]': ("false", "true"),
    "points[1].x": ("0", "11"),
    "byTag[0xaabbccdd][-2].y": ("0", "12"),
    "byTag[0xaabbccdd][-2].trail.length": ("0", "1"),
    "byTag[0xaabbccdd][-2].trail[0]": ("0", "13"),
    f"lists[{BEEF}].length": ("0", "1"),
    f"lists[{BEEF}][0]": ("0", "14"),
    "grid.length": ("0", "1"),
    "grid[0].length": ("0", "2"),
    "grid[0][0]": ("0", "15"),
    "grid[0][1]": ("0", "16"),
    "wide.length": ("0", "2"),
    "wide[0]": ("0x" + 40 * "0", BEEF),
    "wide[1]": ("0x" + 40 * "0", BEEF),
    "texts[true]": ('""', '"short"'),
    "slot 0x1234567": ("0x0", "0x12"),
}


def changes(place: Path, *words: str) -> dict[str, tuple[str, str]]:
    """Run a campaign that fills all variables, and return what its trace says."""
    Path("L.sol").write_text(SOURCE)
    done = invoke(
        *("run", "L.sol", "--test-mode", "assertion", "--executor", "inline"),
        *("--workers", "1", "--round-budget", "4000", "--test-limit", "20"),
        *("--seed", "1", "--corpus-dir", place, *words),
    )
    assert done.code == 1, done
    trace = json.loads(invoke("show", place, "fill", "--json").out)["traces"][0]
    inner: list[dict[str, Any]] = trace["calls"][-1]["trace"]["inner"]
    found = [each for each in inner if each["kind"] == "storage"]
    assert len({each["name"] for each in found}) == len(found)
    return {each["name"]: (each["before"], each["after"]) for each in found}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_solc()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("arguments", ["", "--optimize", "--via-ir --optimize"])
def test_each_kind_of_variable_has_its_name_and_value(tmp_path, arguments):
    Path("echidna.yaml").write_text(f'solcArgs: "{arguments}"\n')
    assert changes(tmp_path / "corpus") == CHANGES


def test_what_names_variables_is_no_part_of_the_identity_of_a_program():
    program = compile_solidity(SOURCE, "Layout")
    assert program.main_contract.storage_layout is not None
    assert Program.from_json(json.loads(json.dumps(program.to_json()))) == program
    bare = replace(program.main_contract, storage_layout=None)
    older = replace(program, contracts=(bare,))
    assert older.digest == program.digest
    assert "storageLayout" not in json.dumps(older.to_json())
    assert Program.from_json(older.to_json()) == older


def test_artifacts_of_foundry_may_hold_what_names_variables(tmp_path):
    sources = {"src/Layout.sol": SOURCE}
    write_sources(tmp_path, sources)
    output = standard_output(standard_input(sources))
    out = write_foundry(tmp_path, output)
    found = Artifact().compile(CompileRequest(target=out)).main_contract
    compiled = compile_solidity(SOURCE, "Layout").main_contract
    assert found.storage_layout is not None
    labels = [each["label"] for each in found.storage_layout["storage"]]
    assert compiled.storage_layout is not None
    assert labels == [each["label"] for each in compiled.storage_layout["storage"]]
