"""The cases of `tests/bench/depth`, each with a shortest known sequence that breaks it.

The sequences belong here and not beside the contracts: what searches for them is not to
read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from campaigns import py_evm
from eth_abi import encode
from eth_hash.auto import keccak
from seeded_bugs import SENDERS, Step, call
from solc import compile_solidity

from echidna_mcp.abi.encoding import encode_call
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.projects.loader import load_config
from echidna_mcp.evm.backend import CallResult
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.call_codec import Call, join
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.running import Runner

FOLDER: Final = Path(__file__).resolve().parents[1] / "bench" / "depth"
BEGIN: Final = CampaignConfig().block_timestamp
DAY: Final = 86_400
ETHER: Final = 10**18


@dataclass(frozen=True, slots=True)
class Returned:
    """The first word that an earlier call of the sequence has returned.

    Attributes:
        call: number of the call, from 0.
    """

    call: int


@dataclass(frozen=True, slots=True)
class Played:
    """What a sequence did.

    Attributes:
        results: of each call; None for one that was left out.
        verdicts: whether the property held at the beginning, and after each call.
    """

    results: tuple[CallResult | None, ...]
    verdicts: tuple[bool, ...]


def _after(seconds: int) -> tuple[int, int]:
    return seconds, 1


_OPERATION: Final = keccak(encode(["uint8", "uint256", "bytes32"], [0, 50, bytes(32)]))

WITNESSES: Final[dict[str, tuple[Step, ...]]] = {
    "Factoring": (
        call("issue", SENDERS[1], ETHER),
        call("accept", Returned(0), sender=1),
        call("advance", Returned(0), Returned(1), value=ETHER * 95 // 100),
        call("pay", Returned(0), sender=1, value=ETHER),
        call("collect", Returned(0), Returned(3)),
        call("dispute", Returned(0), Returned(3), sender=1),
    ),
    "NoteDesk": (
        call("openAccount"),
        call("deposit", Returned(0), value=ETHER),
        call("makeNote", Returned(0), ETHER),
        call("list", Returned(2), ETHER),
        call("openAccount", sender=1),
        call("deposit", Returned(4), sender=1, value=ETHER),
        call("placeBid", Returned(3), Returned(4), ETHER, sender=1),
        call("acceptBid", Returned(6)),
        call("cancelListing", Returned(3)),
    ),
    "MutualCover": (
        call("openPool", value=ETHER),
        call("requestQuote", Returned(0), ETHER // 2, sender=1),
        call("underwrite", Returned(1)),
        call("buy", Returned(1), Returned(2), sender=1, value=ETHER * 15 // 1000),
        call("report", Returned(3), ETHER // 2, sender=1, wait=_after(DAY)),
        call("nominate", Returned(4), SENDERS[2]),
        call("assess", Returned(4), Returned(5), ETHER // 5, sender=2),
        call("countersign", Returned(4), Returned(6)),
        call("appeal", Returned(4), Returned(6), sender=1, value=ETHER // 100),
        call("rule", Returned(8), ETHER // 2, sender=2),
        call("enforce", Returned(4), Returned(9), sender=1),
        call("settle", Returned(4), Returned(6), sender=1),
    ),
    "GovernanceDelay": (
        call("queue", 0, 50, bytes(32), BEGIN + 3 * DAY),
        call("veto", _OPERATION, sender=1),
        call("postpone", _OPERATION, BEGIN + 4 * DAY),
        call("execute", 0, 50, bytes(32), sender=2, wait=_after(4 * DAY)),
    ),
    "FirstDepositor": (
        call("deposit", ETHER // 100),
        call("redeem", ETHER // 100 - 1),
        call("donate", 30 * ETHER),
        call("deposit", 55 * ETHER, sender=1),
    ),
    "RoundedShares": (
        call("deposit", value=ETHER + 3),
        *(
            call("harvest", sender=1, value=value, wait=_after(DAY))
            for value in (
                ETHER // 2,
                ETHER * 3 // 4,
                ETHER * 9 // 8,
                ETHER * 27 // 16,
                ETHER * 81 // 32,
            )
        ),
        *[call("withdraw", 15)] * 3,
    ),
    "RayMarket": (
        call("supply", 100 * ETHER),
        call("pledge", 119 * ETHER, sender=1),
        call("borrow", 95 * ETHER, sender=1),
        call("accrue", wait=_after(7 * DAY)),
        call("accrue", wait=_after(7 * DAY)),
        call("liquidate", SENDERS[1], 111 * ETHER, wait=_after(5 * DAY + DAY // 2)),
    ),
    "ReentrantPool": (
        call("join", False),
        call("join", True),
        call("deposit", False, value=ETHER),
        call("requestWithdrawal", False, ETHER),
        call("plan", False, 4, ETHER),
        call("withdraw", False, wait=_after(2 * DAY)),
    ),
    "TreasuryHandover": (
        call("fund", value=1),
        call("grantOperator", SENDERS[1], sender=2),
        call("transferOwnership", SENDERS[0], sender=2),
        call("noticeRenewal", sender=1),
        call("acceptOwnership", wait=_after(DAY)),
        call("renewOperator", sender=1),
        call("sweep", SENDERS[1], 1, sender=1),
    ),
    "PermitReplay": (
        call("approve", False, SENDERS[0], 1),
        call("sign", False, SENDERS[0], 1, BEGIN + DAY),
        call("handIn", 0),
        call("spend", False, 1),
        call("handIn", 0),
    ),
    "PooledOracle": (
        call("swap", True, 150 * ETHER, 1),
        call("swap", True, 172 * ETHER, 1),
        *[call("observe", wait=_after(600))] * 3,
        call("pledge", 100 * ETHER),
        call("borrow", 103 * ETHER),
    ),
    "RetractedBid": (
        call("create", ETHER // 100, DAY),
        call("bid", 0, sender=1, value=ETHER),
        call("bid", 0, sender=2, value=2 * ETHER),
        call("bid", 0, sender=1, value=3 * ETHER),
        call("withdrawRefund", 0, sender=2),
        call("retract", 0, sender=1),
    ),
}
"""Calls by the name of the case."""


def configured(name: str) -> CampaignConfig:
    """Return the configuration of a case, as campaigns of the benchmark have it."""
    file = FOLDER / f"echidna-{name}.yaml"
    return load_config(file if file.is_file() else None).campaign


def play(name: str, steps: Sequence[Step], without: int | None = None) -> Played:
    """Run a sequence of a case on the reference; judge its property after each call.

    Args:
        without: number of a call that is left out. What needs its result has zeros, and
            the next call waits for it as well, as far as a campaign lets it.
    """
    replica = _deployed(name)
    runner = Runner(replica)
    (test,) = replica.target.tests
    results: list[CallResult | None] = []

    def word(given: Any) -> Any:
        if not isinstance(given, Returned):
            return given
        result = results[given.call]
        return result.output[:32] if result and result.status.succeeded else bytes(32)

    runner.begin()
    last = None
    verdicts = [runner.verdict(test, last) is None]
    late = (0, 0)
    longest = replica.target.config.max_time_delay
    for number, step in enumerate(steps):
        wait = (min(step.wait[0] + late[0], longest), step.wait[1] + late[1])
        late = wait if number == without else (0, 0)
        if number == without:
            results.append(None)
            continue
        given = replace(step, args=tuple(map(word, step.args)), wait=wait)
        memory = bytearray(join([_encoded(replica, given)]))
        message = runner.aim(memory, 0)
        assert message is not None
        last = runner.call(message)
        results.append(last.result)
        verdicts.append(runner.verdict(test, last) is None)
    return Played(tuple(results), tuple(verdicts))


@cache
def _deployed(name: str) -> Replica:
    source = FOLDER / f"{name}.sol"
    program = compile_solidity(source.read_text("utf-8"), name)
    return Replica(WorkerSetup(build_target(program, configured(name)), py_evm()))


def _encoded(replica: Replica, step: Step) -> Call:
    functions = replica.target.functions
    (number,) = (n for n, each in enumerate(functions) if each.name == step.name)
    return Call(
        function=number,
        sender=SENDERS[step.sender],
        value=step.value,
        time_delay=step.wait[0],
        block_delay=step.wait[1],
        tape=replica.codec.tape(number, encode_call(functions[number], step.args)),
    )
