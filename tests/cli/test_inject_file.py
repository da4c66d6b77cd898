"""`run --inject FILE`: calls as reports print them are executed first."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Outcome, invoke
from solc import require_solc

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.events.store import EventStore, store_path

pytestmark = pytest.mark.solc

SOURCE = """\
pragma solidity ^0.8.20;
contract Locks {
    uint256 first;
    bool public open;
    function one(uint256 key) external { first = key; }
    function two(uint256 key) external payable {
        require(msg.value == 31337 && block.timestamp > 1524785992 + 5 days);
        if (first == 0xdead1234beef5678 && key == first ^ 0x77777) open = true;
    }
    function echidna_closed() external view returns (bool) { return !open; }
}
"""
KEYS = """\
# The way in.
Locks.one(16045501065141900920)
Locks.two(16045501065141428495) from: 0x0000000000000000000000000000000000020000 \
Value: 31337 Time delay: 500000 seconds

one(?); one(?)
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    require_solc()
    monkeypatch.chdir(tmp_path)
    Path("L.sol").write_text(SOURCE)

    def play(text: str, *words: str) -> Outcome:
        Path("calls.txt").write_text(text)
        return invoke(
            *("run", "L.sol", "--inject", "calls.txt", "--corpus-dir", "c", *words),
            *("--test-limit", "50", "--workers", "1", "--executor", "inline"),
            *("--seed", "1", "--round-budget", "9000", "--seq-len", "3"),
        )

    return play


def test_sequences_of_a_file_are_executed_and_recorded(run, tmp_path: Path):
    found = run(KEYS)
    assert found.code == 1, found
    assert "echidna_closed: failed!" in found.out
    (place,) = (tmp_path / "c").parent.glob("c")
    with EventStore.read_only(store_path(place)) as store:
        commands = [e for e in store.read() if e.type == "CommandAccepted"]
    assert [len(each.payload["args"]["sequence"]) for each in commands] == [2, 2]
    verify_campaign(store_path(place))
    replayed = invoke("replay", place)
    assert replayed.code == 0, replayed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "there is no call"),
        ("one(1)\n\nzz(2)", "sequence 2, zz(2): There is no function `zz`"),
        ("one(1)\n" * 101, "sequence 1 has 101 calls; at most 100 are possible"),
    ],
)
def test_what_can_not_be_injected_is_told(run, text: str, told: str):
    done = run(text)
    assert done.code == 2
    assert told in done.err
    assert "Traceback" not in done.err
