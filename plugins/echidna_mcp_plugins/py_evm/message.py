"""Messages: the parameters of their frames, and the scope of a transaction."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, TypeAlias

from eth.vm.forks.cancun.transaction_context import CancunTransactionContext
from eth.vm.message import Message as EthMessage
from eth_typing import Address

from echidna_mcp.evm.backend import (
    MOST_COMPARISONS,
    MOST_SLOTS,
    MOST_TRAIL,
    NOTHING,
    Watch,
)
from echidna_mcp_plugins.py_evm.recording import Recorder
from echidna_mcp_plugins.py_evm.world import Undo, Writing, rollback

if TYPE_CHECKING:
    from collections.abc import Iterable

    from echidna_mcp.evm.backend import Comparison, Message, SlotValue
    from echidna_mcp_plugins.py_evm.program import Block, Program

TRACED_DEPTHS = 64
"""Frames that are deeper have no visits."""

RawLog: TypeAlias = tuple[int, bytes, tuple[int, ...], bytes]
"""(serial number in the message, address, topics, data)."""

Checkpoint: TypeAlias = tuple[int, int, int, int]
"""Lengths of the journals of world and scope and of the logs; the refund counter."""


def address_of(number: int) -> Address:
    """Return an address as py-evm wants it."""
    return Address(number.to_bytes(20, "big"))


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
        created: the same of frames that were not reverted.
        doomed: accounts to delete at the end of the message.
        logs: logs of frames that have not been reverted.
        dropped: logs of frames that were reverted.
        blob_hashes: what BLOBHASH gives.
        refund: the refund counter.
        tells_creations: whether `created` is wanted.
        tells_destructions: whether `doomed` is.
        tells_states: whether `states` are.
        tells_mappings: whether those of words that have no numbers are among them.
        tells_pairs: whether those of two words are.
        writings: what SSTORE has changed, if they are; in frames that were reverted,
            too.
        states: what the message has left in storage.
        steps: instructions of the blocks entered, of frames that have ended.
        visits: blocks entered, by code hash and depth; None without coverage.
        last: the block entered last, in whatever frame; None if neither coverage nor
            comparisons are wanted.
        comparing: whether comparisons are wanted.
        compared: how many there were.
        comparisons: the last ones, of programs that report them.
        edges: blocks that end in a jump, each with one entered after it in the same
            frame, in the order of their first time.
        recorder: keeps its frames, if they are wanted.
        following: whether `edges` are wanted.
        trail: the blocks entered last, with their depth; None if unwanted.
        reads, writes: storage words by address and slot, in the order of their first
            time, of programs that report them.
        override: what replaces a call of the message, if anything does.
        override_after: how many more calls it passes over.
        overridden: whether it has replaced one.
        watches_reverts: whether `reverter` is wanted.
        reverter: in whose name the first call ran that reverted.
        undo: journal of `warm`, `warm_slots`, `transient`, `created` and `doomed`.
    """

    __slots__ = (
        "_accessed",
        "_serial",
        "blob_hashes",
        "compared",
        "comparing",
        "comparisons",
        "contracts_created",
        "created",
        "doomed",
        "dropped",
        "edges",
        "following",
        "last",
        "logs",
        "originals",
        "overridden",
        "override",
        "override_after",
        "reads",
        "recorder",
        "refund",
        "reverter",
        "states",
        "steps",
        "tells_creations",
        "tells_destructions",
        "tells_mappings",
        "tells_pairs",
        "tells_states",
        "trail",
        "transient",
        "undo",
        "visits",
        "warm",
        "warm_slots",
        "watches_reverts",
        "writes",
        "writings",
    )

    def __init__(self, message: Message, watch: Watch = NOTHING) -> None:
        self._origin = address_of(message.sender)
        self._gas_price = message.gas_price
        self.blob_hashes = message.blob_hashes
        self.warm: dict[bytes, bool] = {}
        self.warm_slots: dict[bytes, dict[int, bool]] = {}
        self.originals: dict[bytes, dict[int, int]] = {}
        self.transient: dict[tuple[bytes, int], int] = {}
        self.contracts_created: list[Address] = []
        self.created: dict[bytes, bool] = {}
        self.tells_creations = watch.creations
        self.tells_destructions = watch.destructions
        self.tells_states = watch.states
        self.tells_mappings = watch.states and watch.mappings
        self.tells_pairs = watch.pairs
        self.writings: list[Writing] = []
        self.states: tuple[SlotValue, ...] = ()
        self.recorder = Recorder() if watch.frames else None
        self.doomed: dict[bytes, bool] = {}
        self.logs: list[RawLog] = []
        self.dropped: list[RawLog] = []
        self.refund = 0
        self.steps = 0
        self.visits: dict[tuple[bytes, int], tuple[Program, set[Block]]] | None = (
            {} if watch.coverage else None
        )
        self.edges: dict[tuple[Block, Block], None] = {}
        self.following = watch.coverage and watch.edges
        self.trail: deque[tuple[Block, int]] | None = None
        if watch.trail:
            self.trail = deque(maxlen=MOST_TRAIL)
        self.last: Block | None = None
        self.comparing = watch.comparisons
        self.compared = 0
        self.comparisons: deque[Comparison] = deque(maxlen=MOST_COMPARISONS)
        self.reads: dict[tuple[bytes, int], None] = {}
        self.writes: dict[tuple[bytes, int], None] = {}
        self.override = message.override
        self.override_after = 0 if message.override is None else message.override.after
        self.overridden = False
        self.watches_reverts = watch.reverter
        self.reverter: int | None = None
        self._accessed: set[tuple[bytes, int]] = set()
        self.undo: Undo = []
        self._serial = 0

    @property
    def sender(self) -> int:
        """Who sent the message, as ORIGIN has it; cheatcodes change it."""
        return int.from_bytes(self._origin, "big")

    @sender.setter
    def sender(self, sender: int) -> None:
        self._origin = address_of(sender)

    @property
    def price(self) -> int:
        """The gas price; cheatcodes change it."""
        return self._gas_price

    @price.setter
    def price(self, price: int) -> None:
        self._gas_price = price

    def note_revert(self, address: bytes) -> None:
        """Take note of a call in the name of an address that has reverted."""
        if self.watches_reverts and self.reverter is None:
            self.reverter = int.from_bytes(address, "big")

    def note_states(self, words: Iterable[SlotValue]) -> None:
        """Take note of words that were changed, if they are wanted."""
        if self.tells_states:
            self.states = tuple(words)

    def log(self, address: bytes, topics: tuple[int, ...], data: bytes) -> None:
        """Record a log."""
        self._serial += 1
        self.logs.append((self._serial, address, topics, data))

    def warm_up(self, coinbase: Address, target: Address, message: Message) -> None:
        """Mark what is warm before a message runs, apart from precompiles.

        The sources are EIP-2929, EIP-2930 and EIP-3651.
        """
        for address in (self._origin, target, coinbase):
            self.warm[address] = True
        for number, slots in message.access_list:
            address = address_of(number)
            self.warm[address] = True
            self.warm_slots.setdefault(address, {}).update(dict.fromkeys(slots, True))

    def made_since(self, mark: int) -> set[bytes]:
        """Return the accounts that were created since a checkpoint."""
        return {key for mapping, key, _ in self.undo[mark:] if mapping is self.created}

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

    def follows(self, depth: int) -> bool:
        """Whether the edges of a frame are wanted."""
        return self.following and depth < TRACED_DEPTHS

    def follow(self, before: Block | None, block: Block) -> Block:
        """Take note that a frame has entered a block after another one; return it."""
        if before is not None and before.jumps:
            self.edges[before, block] = None
        return block

    def access(
        self, accesses: dict[tuple[bytes, int], None], address: bytes, slot: int
    ) -> None:
        """Add a slot to `reads` or `writes`."""
        key = (address, slot)
        if key not in self._accessed:
            if len(self._accessed) == MOST_SLOTS:
                return
            self._accessed.add(key)
        accesses[key] = None

    def forget_unseen(self, program: Program, depth: int) -> None:
        """Drop the set of a code at a depth if no block was entered there."""
        if self.visits is not None:
            key = (program.code_hash, depth)
            if key in self.visits and not self.visits[key][1]:
                del self.visits[key]
