"""The seam between cheatcodes and the EVM that runs their caller."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from echidna_mcp.cheatcodes.pranks import Pranks
from echidna_mcp.evm.backend import AccountState
from echidna_mcp.evm.fork import ForkName

EnvField: TypeAlias = Literal[
    "timestamp",
    "number",
    "base_fee",
    "blob_base_fee",
    "chain_id",
    "coinbase",
    "prev_randao",
    "gas_price",
]
ENV_FIELDS: Final[tuple[EnvField, ...]] = (
    *("timestamp", "number", "base_fee", "blob_base_fee"),
    *("chain_id", "coinbase", "prev_randao", "gas_price"),
)
"""What cheatcodes can change of block and chain."""

CallKind: TypeAlias = Literal["call", "callcode", "delegatecall", "staticcall"]


class Answer(NamedTuple):
    """How a call ends that no code has run for, or that ends otherwise than its code.

    Attributes:
        ok: whether it succeeds.
        output: return data or revert data.
    """

    ok: bool
    output: bytes = b""


class Creation(NamedTuple):
    """What a cheatcode asks the EVM to create in its place (`deployCode`).

    The contract that called it is the creator, the address the result.

    Attributes:
        code: creation code, arguments included.
        value: wei.
        salt: of CREATE2; None for CREATE.
    """

    code: bytes
    value: int = 0
    salt: int | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """Where a cheatcode is called.

    Attributes:
        depth: of the frame that calls it; 1 is the frame of the message.
        caller: the account in whose name that frame runs.
    """

    depth: int
    caller: int


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call that is about to begin, or has ended.

    Attributes:
        depth: of the frame that makes it.
        kind: how.
        address: the account in whose name the callee runs.
        code: the account whose code runs.
        value: wei that the caller sends; 0 for a delegate call, which sends none.
        gas: that the callee gets, stipend included.
        data: calldata.
        static: whether it must not change anything.
    """

    depth: int
    kind: CallKind
    address: int
    code: int
    value: int
    gas: int
    data: bytes
    static: bool

    @property
    def sent(self) -> int | None:
        """Wei that are sent; None if it is no call that could send any."""
        return None if self.kind == "delegatecall" else self.value


@dataclass(frozen=True, slots=True)
class Ended:
    """A call or creation that has ended.

    Attributes:
        depth: of the frame that made it; 0 for the message itself.
        address: the account in whose name it ran; the one that was created.
        creates: whether it was a creation.
        static: whether it must not change anything.
        ok: whether it succeeded.
        output: return data or revert data.
        halted: whether it failed otherwise than by REVERT or before it began.
        creator: who created, if it was a creation.
        salted: whether it was one by CREATE2.
    """

    depth: int
    address: int
    creates: bool
    static: bool
    ok: bool
    output: bytes
    halted: bool
    creator: int = 0
    salted: bool = False


class CheatHost(Protocol):
    """What an EVM offers to the cheatcodes that are called in it.

    Addresses and words are integers. What is changed here is undone with the frame that
    called the cheatcode, but for the environment and the pranks: these belong to the
    sequence.
    """

    @property
    def pranks(self) -> Pranks:
        """In whose name calls are made."""
        ...

    @property
    def fork(self) -> ForkName:
        """The rules by which it runs."""
        ...

    @property
    def origin(self) -> int:
        """Who sent the message, as ORIGIN has it."""
        ...

    def env(self, field: EnvField) -> int:
        """Return what block and chain are now."""
        ...

    def set_env(self, field: EnvField, value: int) -> None:
        """Change it; the time and the number keep their lowest 64 bits."""
        ...

    def balance(self, address: int) -> int:
        """Return a balance in wei."""
        ...

    def nonce(self, address: int) -> int:
        """Return a nonce."""
        ...

    def code(self, address: int) -> bytes:
        """Return runtime code."""
        ...

    def storage(self, address: int, slot: int) -> int:
        """Return a storage word."""
        ...

    def set_account(
        self,
        address: int,
        *,
        balance: int | None = None,
        nonce: int | None = None,
        code: bytes | None = None,
        lasting: bool = False,
    ) -> None:
        """Change an account; None keeps what there is.

        Args:
            address: of the account.
            balance, nonce, code: what it gets.
            lasting: whether balance and nonce survive the revert of the frame that
                called the cheatcode, and of its callers, but for the first one. What
                else these did to them is undone, on top of what was set: after 3 wei
                came in, 100 that were set become 97. A nonce never gets below 0; that
                of an account that a frame has created is 0 when it has reverted.
        """
        ...

    def set_storage(self, address: int, slot: int, word: int) -> None:
        """Write a storage word."""
        ...

    def accounts(self) -> Iterable[tuple[int, AccountState]]:
        """Return all accounts that are not empty (EIP-161)."""
        ...
