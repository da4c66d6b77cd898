"""Forge runs a case of `tests/bench/bench_quality.py`, and finds what there is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from node_packages import require_node, require_package

sys.path.append(str(Path(__file__).parents[1] / "bench"))

from forge import find_forge
from forge_campaign import ForgeCase, NotComparableError
from quality_cases import Case, cases_in

HERE = Path(__file__).parent
SOURCE = """\
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Mixed {
    enum Kind { None, First, Second }
    struct Note { uint8 low; bytes data; }

    address private immutable owner = msg.sender;
    uint256 private immutable first = block.timestamp;
    uint256 private begun;
    uint256 private paid;
    uint256 private sent;
    bool private torn;
    bool private late;
    bool private stranger;

    constructor() payable { begun = msg.value; }

    receive() external payable { sent += msg.value; }

    function pay(Kind kind, Note memory note) external payable returns (bytes memory) {
        if (msg.value > 1 ether && kind != Kind.None) paid += msg.value;
        return note.data;
    }

    function tear(uint256 x) external { if (x % 2 == 0) torn = true; }

    function wait() external {
        address by = msg.sender;
        if (by != address(0x10000) && by != address(0x20000)) stranger = true;
        late = block.timestamp > first + 4 days && block.number > 4370000;
    }

    function echidna_unpaid() public view returns (bool) { return paid == 0; }
    function echidna_whole() external view returns (bool) {
        require(!torn);
        return true;
    }
    function echidna_unsent() public view returns (bool) { return sent == 0; }
    function echidna_early() public view returns (bool) { return !late; }
    function echidna_no_stranger() public view returns (bool) { return !stranger; }
    function echidna_set_up() public view returns (bool) {
        return begun == 5 && owner == address(0x30000) && first == 1524785992;
    }
    function echidna_asked() public view returns (bool) {
        return msg.sender == address(0x20000);
    }
    function echidna_not_richer() public view returns (bool) {
        return address(0x10000).balance <= 7;
    }
}
"""
CONFIG = """\
balanceAddr: 7
balanceContract: 5
psender: '0x20000'
sender: ['0x10000', '0x20000']
"""
FALSE = {"echidna_unpaid", "echidna_whole", "echidna_unsent", "echidna_early"}


def compiled(folder: Path, source: str) -> tuple[Case, ForgeCase]:
    solc = require_package(HERE, "solc", "foundry")
    require_package(HERE, "@foundry-rs/forge", "foundry")
    require_node("foundry")
    forge = find_forge(solc)
    assert forge is not None
    project = folder / "project"
    project.mkdir()
    (folder / "Mixed.sol").write_text(source)
    (folder / "echidna.yaml").write_text(CONFIG)
    (case,) = cases_in(folder)
    return case, ForgeCase(case, forge.binary, solc, project)


@pytest.mark.parametrize("guided", [False, True])
def test_forge_finds_the_bugs_and_no_others(tmp_path: Path, guided: bool):
    _, forge_case = compiled(tmp_path, SOURCE)
    outcome = forge_case.find(1, 4.0, guided=guided)
    assert outcome.found.keys() == FALSE
    times, calls = zip(*outcome.found.values(), strict=True)
    assert [*times] == sorted(times)
    assert [*calls] == sorted(calls)
    assert 0 < times[0] < times[-1] < outcome.seconds < 6
    assert 0 < calls[0] < calls[-1] < outcome.calls
    assert (tmp_path / "project" / "corpus").is_dir() == guided


def test_a_bug_that_is_there_from_the_beginning_is_found_without_a_call(
    tmp_path: Path,
):
    _, forge_case = compiled(tmp_path, SOURCE.replace("begun == 5", "begun == 6"))
    outcome = forge_case.find(1, 2.0, guided=False)
    assert outcome.found["echidna_set_up"][1] == 0


def test_what_does_not_compile_is_not_compared(tmp_path: Path):
    with pytest.raises(NotComparableError, match="it does not compile: Error"):
        compiled(tmp_path, SOURCE.replace("uint256 private paid;", ""))
