"""What lives as long as one message: frames' parameters and the transaction scope."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from eth.vm.forks.cancun.transaction_context import CancunTransactionContext
from eth.vm.message import Message as EthMessage

from echidna_mcp_plugins.evm.world import Undo, rollback

if TYPE_CHECKING:
    from eth_typing import Address

    from echidna_mcp_plugins.evm.program import Block, Program

TRACED_DEPTHS = 64
"""Frames that are deeper have no visits."""

RawLog: TypeAlias = tuple[int, bytes, tuple[int, ...], bytes]
"""(serial number in the message, address, topics, data)."""

Checkpoint: TypeAlias = tuple[int, int, int, int]
"""Lengths of the journals of world and scope and of the logs; the refund counter."""


class FrameMessage(EthMessage):
    """py-evm's message without its validation: every part comes from this package."""

    __slots__ = ()

    def __init__(
        self,
        *,
        gas: int,
        to: Address,
        sender: Address,
        value: int,
        data: bytes,
        code: bytes,
        depth: int = 0,
        create_address: Address | None = None,
        code_address: Address | None = None,
        should_transfer_value: bool = True,
        is_static: bool = False,
        is_delegation: bool = False,
        refund: int = 0,
    ) -> None:
        self.gas = gas
        self.to = to
        self.sender = sender
        self.value = value
        self.data = data
        self.code = code
        self.depth = depth
        self._storage_address = create_address  # type: ignore[assignment]
        self._code_address = code_address  # type: ignore[assignment]
        self.should_transfer_value = should_transfer_value
        self.is_static = is_static
        self._is_delegation = is_delegation
        self.refund = refund


class Scope(CancunTransactionContext):
    """What a transaction forgets at its end, and what it reports.

    Attributes:
        warm: addresses that were accessed (EIP-2929), apart from precompiles.
        warm_slots: slots that were accessed, by address.
        originals: storage words before the message, of slots written in it (EIP-2200).
        transient: transient storage by address and slot (EIP-1153).
        contracts_created: addresses of contracts created by the message (EIP-6780).
        doomed: accounts to delete at the end of the message.
        logs: logs of frames that have not been reverted.
        dropped: logs of frames that were reverted.
        refund: the refund counter.
        steps: instructions executed in frames that have ended.
        visits: blocks executed, by code hash and depth; None without coverage.
        last: the block executed last, in whatever frame; None without coverage.
        undo: journal of `warm`, `warm_slots`, `transient` and `doomed`.
    """

    __slots__ = (
        "_serial",
        "contracts_created",
        "doomed",
        "dropped",
        "last",
        "logs",
        "originals",
        "refund",
        "steps",
        "transient",
        "undo",
        "visits",
        "warm",
        "warm_slots",
    )

    def __init__(self, origin: Address, gas_price: int, *, coverage: bool) -> None:
        self._origin = origin
        self._gas_price = gas_price
        self._blob_versioned_hashes = ()
        self.warm: dict[bytes, bool] = {}
        self.warm_slots: dict[bytes, dict[int, bool]] = {}
        self.originals: dict[bytes, dict[int, int]] = {}
        self.transient: dict[tuple[bytes, int], int] = {}
        self.contracts_created: list[Address] = []
        self.doomed: dict[bytes, bool] = {}
        self.logs: list[RawLog] = []
        self.dropped: list[RawLog] = []
        self.refund = 0
        self.steps = 0
        self.visits: dict[tuple[bytes, int], tuple[Program, set[Block]]] | None = (
            {} if coverage else None
        )
        self.last: Block | None = None
        self.undo: Undo = []
        self._serial = 0

    def log(self, address: bytes, topics: tuple[int, ...], data: bytes) -> None:
        """Record a log."""
        self._serial += 1
        self.logs.append((self._serial, address, topics, data))

    def revert(self, mark: int, logs: int, refund: int) -> None:
        """Undo what was done since a checkpoint; logs move to `dropped`."""
        rollback(self.undo, mark)
        self.dropped += self.logs[logs:]
        del self.logs[logs:]
        self.refund = refund

    def seen(self, program: Program, depth: int) -> set[Block] | None:
        """Return the set that collects the blocks of a frame; None if unwanted."""
        if self.visits is None:
            return None
        if depth >= TRACED_DEPTHS:
            return set()
        key = (program.code_hash, depth)
        visit = self.visits.get(key)
        if visit is None:
            visit = self.visits[key] = (program, set())
        return visit[1]
