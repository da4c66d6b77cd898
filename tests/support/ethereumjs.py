"""@ethereumjs/vm as a second opinion: an EVM in TypeScript that knows every fork here.

What a backend was told to do is written down, segment by segment, and played again by
`tests/ethereumjs/worlds.mjs`.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from merkle import state_root
from node_packages import require_node, require_package

from echidna_mcp.evm.backend import (
    NOTHING,
    AccountState,
    Authorization,
    BackendConfig,
    CallResult,
    EvmBackend,
    Message,
    Status,
    Watch,
)

FOLDER = Path(__file__).parents[1] / "ethereumjs"
SESSION = "ethereumjs"


@dataclass(frozen=True, slots=True)
class Signed:
    """An authorization with its signature, as a transaction carries it."""

    authorization: Authorization
    parity: int
    r: int
    s: int

    def to_json(self) -> dict[str, str]:
        """Return what the library wants."""
        given = self.authorization
        return {
            "chainId": hex(given.chain_id),
            "address": f"0x{given.address:040x}",
            "nonce": hex(given.nonce),
            "yParity": hex(self.parity),
            "r": hex(self.r),
            "s": hex(self.s),
        }


@dataclass(slots=True)
class Segment:
    """Messages from one state on, and what our backend made of them."""

    accounts: dict[int, AccountState]
    messages: list[dict[str, Any]] = field(default_factory=list)
    results: list[CallResult] = field(default_factory=list)
    roots: list[bytes] = field(default_factory=list)


class Recorder:
    """A backend with the methods of `Twins` that writes everything down.

    Args:
        signed: signatures by authorization, for messages that have some.
    """

    def __init__(
        self,
        backend: EvmBackend,
        config: BackendConfig,
        signed: dict[Authorization, Signed],
    ) -> None:
        self.backend = backend
        self.segments: list[Segment] = []
        self._config = config
        self._signed = signed
        self._clock = self._start = (config.block.number, config.block.timestamp)

    def set_account(self, address: int, **parts: Any) -> None:
        """Set an account."""
        self.backend.set_account(address, **parts)

    def snapshot(self) -> tuple[int, tuple[int, int]]:
        """Take a snapshot and begin a segment."""
        self._begin()
        return self.backend.snapshot(), self._clock

    def restore(self, handles: tuple[int, tuple[int, int]]) -> None:
        """Go back and begin a segment."""
        self.backend.restore(handles[0])
        self._clock = handles[1]
        self._begin()

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        """Call."""
        return self._written(message, self.backend.call(message, watch))

    def deploy(self, message: Message, *, address: int | None = None) -> CallResult:
        """Deploy where CREATE would."""
        assert address is None
        return self._written(message, self.backend.deploy(message))

    def _begin(self) -> None:
        self.segments.append(Segment(dict(self.backend.accounts())))

    def _written(self, message: Message, result: CallResult) -> CallResult:
        number, timestamp = self._clock
        self._clock = (number + message.block_delay, timestamp + message.time_delay)
        segment = self.segments[-1]
        segment.messages.append(self._message(message))
        segment.results.append(result)
        segment.roots.append(state_root(self.backend.accounts()))
        return result

    def _message(self, message: Message) -> dict[str, Any]:
        assert not message.gas_price
        assert not message.blob_hashes
        return {
            "sender": f"0x{message.sender:040x}",
            "to": None if message.to is None else f"0x{message.to:040x}",
            "data": f"0x{message.data.hex()}",
            "value": hex(message.value),
            "gas": hex(message.gas),
            "number": hex(self._clock[0]),
            "timestamp": hex(self._clock[1]),
            "accessList": [
                {
                    "address": f"0x{address:040x}",
                    "storageKeys": [f"0x{slot:064x}" for slot in slots],
                }
                for address, slots in message.access_list
            ],
            "authorizations": [
                self._signed[each].to_json() for each in message.authorizations
            ],
        }

    def worlds(self) -> list[dict[str, Any]]:
        """Return what the script is to play, a world for each segment."""
        block = self._config.block
        header = {
            "gasLimit": hex(block.gas_limit),
            "coinbase": f"0x{block.coinbase:040x}",
            "baseFeePerGas": hex(block.base_fee),
            "mixHash": f"0x{block.prev_randao:064x}",
        }
        return [
            {
                "fork": self._config.fork,
                "block": header,
                "accounts": {
                    f"0x{address:040x}": _account(account)
                    for address, account in segment.accounts.items()
                },
                "messages": segment.messages,
            }
            for segment in self.segments
        ]


def _account(account: AccountState) -> dict[str, Any]:
    return {
        "balance": hex(account.balance),
        "nonce": hex(account.nonce),
        "code": f"0x{account.code.hex()}",
        "storage": {hex(slot): _even(word) for slot, word in account.storage.items()},
    }


def _even(word: int) -> str:
    return f"0x{word.to_bytes((word.bit_length() + 7) // 8, 'big').hex()}"


def play(worlds: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the answers of the library, for each world one a message."""
    node = require_node(SESSION)
    require_package(FOLDER, "@ethereumjs/vm", SESSION)
    lines = "".join(f"{json.dumps(world)}\n" for world in worlds)
    done = subprocess.run(
        [str(node), str(FOLDER / "worlds.mjs")],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def differences(recorders: Sequence[Recorder]) -> list[str]:
    """Return what the library says otherwise, a line for each message."""
    found = []
    answers = play(world for each in recorders for world in each.worlds())
    segments = [segment for each in recorders for segment in each.segments]
    for segment, said in zip(segments, answers, strict=True):
        rows = zip(segment.messages, segment.results, segment.roots, said, strict=True)
        for message, result, root, answer in rows:
            ours = _summary(result) | {"root": f"0x{root.hex()}"}
            theirs = _answer(answer, message) | {"root": answer["root"]}
            if ours != theirs:
                found.append(f"{ours} != {theirs} ({answer}), {message}")
    return found


def _summary(result: CallResult) -> dict[str, Any]:
    """Return what both can tell of a message.

    Why a frame failed is not told: blocks of code are checked as a whole here.
    """
    if not result.status.succeeded and result.status is not Status.REVERT:
        return {"end": "failure", "gas": hex(result.gas_used)}
    return {
        "end": "REVERT" if result.status is Status.REVERT else "success",
        "output": f"0x{result.output.hex()}",
        "gas": hex(result.gas_used),
        "logs": [
            [
                f"0x{log.address:040x}",
                [f"0x{topic.hex()}" for topic in log.topics],
                f"0x{log.data.hex()}",
            ]
            for log in result.logs
        ],
    }


def _answer(answer: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    if "refused" in answer:  # It can't even pay for itself.
        return {"end": "failure", "gas": message["gas"]}
    error, gas = answer["error"], answer["gas"]
    if error not in {"", "revert"}:
        return {"end": "failure", "gas": gas}
    return {
        "end": "REVERT" if error else "success",
        "output": answer["output"],
        "gas": gas,
        "logs": answer["logs"],
    }
