"""The frames of a message as an EVM tells them that is a reference, as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from echidna_mcp.evm.backend import Log, Status
    from echidna_mcp.evm.sites import SiteComparison

FrameKind: TypeAlias = Literal[
    "call", "callcode", "delegatecall", "staticcall", "create", "create2"
]
"""What a frame was begun with; that of a message is a call or a creation."""

LONGEST_TRAIL: Final = 64
"""Blocks of a frame that its trail has: the last ones."""

LONGEST_PREIMAGE: Final = 1024
"""Bytes that are hashed and kept; keys of mappings are rarely longer."""


@dataclass(frozen=True, slots=True)
class StorageWrite:
    """A word of the storage of a frame's account, before and after an SSTORE."""

    slot: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class SelfDestruct:
    """A SELFDESTRUCT: who gets the money of the frame's account, and how many wei.

    Whether the account goes as well is up to the fork (EIP-6780).
    """

    heir: int
    amount: int


@dataclass(frozen=True, slots=True)
class Ending:
    """How a frame ended, and its return data or revert data."""

    status: Status
    output: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameResult:
    """One frame of a message, and all that it made.

    A call that could not be made, for want of money or depth, is none.

    Attributes:
        kind: what it was begun with.
        caller: who sends, as the callee sees it.
        address: of the account in whose name it runs; of a creation the new one.
        callee: of the account whose code it runs.
        code: what it runs; of a creation the creation code.
        data: its calldata; empty for a creation.
        value: wei that come with it; of a delegatecall those of the caller, again.
        static: whether it may change nothing.
        answered: whether a cheatcode, the console or a mock has answered, so that no
            code has run.
        gas_used: by it and all below, before refunds and without intrinsic gas.
        status: how it ended, for its caller.
        output: return data or revert data; of a creation the runtime code.
        overruled: how it ended by itself, if a cheatcode that expected something has
            made another ending of that.
        acts: what it did, in order: words of storage that it wrote, logs, whether they
            were kept or not, the frames that it began, and its self-destruct.
        trail: program counters of the last instructions of the blocks that it entered
            last, at most `LONGEST_TRAIL`, the latest last.
        comparisons: for each comparison and each outcome that it had the one whose
            operands were nearest, in the order of their first time; empty unless sites
            were asked for.
    """

    kind: FrameKind
    caller: int
    address: int
    callee: int
    code: bytes
    data: bytes
    value: int
    static: bool
    answered: bool
    gas_used: int
    status: Status
    output: bytes
    overruled: Ending | None = None
    acts: tuple[Act, ...] = ()
    trail: tuple[int, ...] = ()
    comparisons: tuple[SiteComparison, ...] = ()

    @property
    def creates(self) -> bool:
        """Whether it is a creation."""
        return self.kind in ("create", "create2")

    @property
    def children(self) -> Iterator[FrameResult]:
        """The frames that it began, in order."""
        return (act for act in self.acts if isinstance(act, FrameResult))


Act: TypeAlias = "FrameResult | Log | StorageWrite | SelfDestruct"
