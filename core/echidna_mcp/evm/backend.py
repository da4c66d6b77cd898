"""The seam between campaign and EVM, at call level.

A backend holds one world state. It deploys, calls, takes snapshots and goes back to
them. It knows nothing of campaigns: generation, mutation and judgement happen outside.
Two backends that are given the same messages must give the same results, gas, steps and
visited program counters included; a difference is a bug in one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol


class Status(IntEnum):
    """How a top-level message ended. The numbers are stored in coverage events."""

    STOP = 0
    """Success; the return data is not one encoded bool."""
    RETURN_TRUE = 1
    RETURN_FALSE = 2
    REVERT = 3
    OUT_OF_GAS = 4
    INVALID_OPCODE = 5
    """Opcode 0xfe or an undefined one."""
    HALT = 6
    """Any other exceptional halt: bad jump, stack bounds, static violation, ..."""

    @property
    def succeeded(self) -> bool:
        """Whether state changes were kept."""
        return self <= Status.RETURN_FALSE


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockContext:
    """Block and chain as the first message sees them (Echidna's defaults)."""

    timestamp: int = 1524785992
    number: int = 4370000
    gas_limit: int = 0xFFFFFFFF
    coinbase: int = 0
    base_fee: int = 0
    prev_randao: int = 42069
    chain_id: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A top-level call or, with `to` None, a deployment.

    Addresses are 160-bit integers, value is in wei. The delays advance the clock before
    the message runs, and the clock stays advanced when the message reverts. The value
    is minted: it is added to the balance of the destination and never taken from the
    sender, and gas is never paid for, so that any sender can send (as in Echidna).
    """

    sender: int
    to: int | None
    data: bytes
    value: int = 0
    gas: int = 12_500_000
    gas_price: int = 0
    time_delay: int = 0
    block_delay: int = 0


@dataclass(frozen=True, slots=True)
class Log:
    """An EVM log. Topics are 32 bytes each."""

    address: int
    topics: tuple[bytes, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class Visit:
    """The program counters that one message executed in one code at one call depth.

    `counters` has a byte for each byte of the code: 1 where an instruction ran.
    Depth 0 is the top-level frame. Frames deeper than 63 are not recorded.
    """

    code_hash: bytes
    depth: int
    counters: bytearray


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """What one message did.

    Attributes:
        status: how the top frame ended.
        output: return data or revert data; for a deployment the runtime code.
        gas_used: gas after refunds (EIP-3529), intrinsic gas included.
        steps: EVM instructions executed in all frames.
        logs: logs of frames that were kept, in order.
        dropped_logs: logs of frames that were reverted, in order.
        created: address of the new contract; None if the message is no deployment.
        visits: executed program counters; empty unless coverage was asked for.
        last: (code hash, program counter) of the last instruction executed, in whatever
            frame; None unless coverage was asked for or when nothing ran.
    """

    status: Status
    output: bytes
    gas_used: int
    steps: int
    logs: tuple[Log, ...] = ()
    dropped_logs: tuple[Log, ...] = ()
    created: int | None = None
    visits: Sequence[Visit] = ()
    last: tuple[bytes, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendConfig:
    """What a backend needs to know before the first message."""

    block: BlockContext = BlockContext()
    max_code_size: int = 0xFFFFFFFF


class EvmBackend(Protocol):
    """One EVM world. Not thread-safe; one instance belongs to one executor worker."""

    def deploy(
        self, message: Message, *, address: int | None = None, coverage: bool = False
    ) -> CallResult:
        """Run creation code; at `address` if given, else where CREATE would put it."""
        ...

    def call(self, message: Message, *, coverage: bool = False) -> CallResult:
        """Run a message and keep its effects, unless it failed."""
        ...

    def snapshot(self) -> int:
        """Return a handle of the present state, clock included."""
        ...

    def restore(self, snapshot: int) -> None:
        """Go back to `snapshot`, which stays valid; later snapshots become invalid."""
        ...

    def set_balance(self, address: int, balance: int) -> None:
        """Give `address` this balance in wei."""
        ...

    def balance(self, address: int) -> int:
        """Return the balance of `address` in wei."""
        ...

    def storage(self, address: int, slot: int) -> int:
        """Return a storage word."""
        ...

    def code(self, address: int) -> bytes:
        """Return the runtime code at `address`."""
        ...

    def code_of_hash(self, code_hash: bytes) -> bytes:
        """Return the code that a `Visit` of the last message names.

        Raises:
            KeyError: the message ran more codes than the backend remembers.
        """
        ...
