"""The world of a run: what stood before it, and what its calls have changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from echidna_mcp.evm.backend import AccountState, BlockContext
from echidna_mcp.solving.bytestrings import ByteString
from echidna_mcp.solving.expressions import Word

Part: TypeAlias = Literal[
    "storage", "transient", "balance", "nonce", "code", "created", "destroyed"
]
_OF_MESSAGE = ("transient", "created", "destroyed")
"""What is forgotten when a message has ended."""
_Key: TypeAlias = tuple[Part, int, int]

_EMPTY = AccountState(balance=0, nonce=0, code=b"", storage={})


@dataclass(frozen=True, slots=True)
class StartState:
    """What stands before the first call of a sequence.

    Attributes:
        block: number and time of the moment, and all else of the block.
    """

    accounts: Mapping[int, AccountState]
    block: BlockContext


@dataclass(slots=True)
class State:
    """Accounts as calls leave them; what a frame that fails has done is undone."""

    start: StartState
    _changed: dict[_Key, Word] = field(default_factory=dict)
    _codes: dict[int, bytes] = field(default_factory=dict)
    _journal: list[tuple[_Key, Word | None]] = field(default_factory=list)

    def copy(self) -> State:
        """Return the same state, for a run that goes another way."""
        return State(self.start, self._changed.copy(), self._codes.copy())

    def _account(self, address: int) -> AccountState:
        return self.start.accounts.get(address, _EMPTY)

    def mark(self) -> int:
        """Return the present moment, for `undo`."""
        return len(self._journal)

    def undo(self, mark: int) -> None:
        """Go back to a moment."""
        while len(self._journal) > mark:
            key, before = self._journal.pop()
            if before is None:
                del self._changed[key]
            else:
                self._changed[key] = before

    def _set(self, key: _Key, value: Word) -> None:
        self._journal.append((key, self._changed.get(key)))
        self._changed[key] = value

    def storage(self, address: int, slot: int) -> Word:
        """Return a word of storage."""
        found = self._changed.get(("storage", address, slot))
        if found is not None:
            return found
        return self._account(address).storage.get(slot, 0)

    def words(self, address: int) -> dict[int, Word]:
        """Return all words of storage of an account, by slot; some may be 0."""
        changed = {
            slot: word
            for (kind, owner, slot), word in self._changed.items()
            if kind == "storage" and owner == address
        }
        return {**self._account(address).storage, **changed}

    def set_storage(self, address: int, slot: int, value: Word) -> None:
        """Write a word of storage."""
        self._set(("storage", address, slot), value)

    def transient(self, address: int, slot: int) -> Word:
        """Return a word of transient storage (EIP-1153)."""
        return self._changed.get(("transient", address, slot), 0)

    def set_transient(self, address: int, slot: int, value: Word) -> None:
        """Write a word of transient storage."""
        self._set(("transient", address, slot), value)

    def note_created(self, address: int) -> None:
        """Take note that the message that runs has created an account."""
        self._set(("created", address, 0), 1)

    def note_destroyed(self, address: int) -> None:
        """Take note that code destroys itself: it ends with what it was created by."""
        if ("created", address, 0) in self._changed:
            self._set(("destroyed", address, 0), 1)

    def end_message(self) -> None:
        """Forget transient storage, and how to undo what was done.

        What was created and destroyed in the same message is gone (EIP-6780).
        """
        self._journal.clear()
        gone = {key[1] for key in self._changed if key[0] == "destroyed"}
        for key in [*self._changed]:
            if key[0] in _OF_MESSAGE or key[1] in gone:
                del self._changed[key]

    def balance(self, address: int) -> Word:
        """Return the balance of an account."""
        found = self._changed.get(("balance", address, 0))
        return self._account(address).balance if found is None else found

    def set_balance(self, address: int, value: Word) -> None:
        """Change the balance of an account."""
        self._set(("balance", address, 0), value)

    def nonce(self, address: int) -> int:
        """Return the nonce of an account."""
        found = self._changed.get(("nonce", address, 0))
        if found is None:
            return self._account(address).nonce
        assert isinstance(found, int)
        return found

    def set_nonce(self, address: int, value: int) -> None:
        """Change the nonce of an account."""
        self._set(("nonce", address, 0), value)

    def code(self, address: int) -> bytes:
        """Return the code of an account."""
        number = self._changed.get(("code", address, 0))
        if number is None:
            return self._account(address).code
        assert isinstance(number, int)
        return self._codes[number]

    def set_code(self, address: int, code: bytes) -> None:
        """Give an account its code."""
        number = len(self._codes)
        self._codes[number] = code
        self._set(("code", address, 0), number)

    def exists(self, address: int) -> bool:
        """Whether there is anything at an address (EIP-161)."""
        found = self.balance(address)
        is_rich = not isinstance(found, int) or found > 0
        return is_rich or self.nonce(address) > 0 or bool(self.code(address))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a frame ended, and what it gave back."""

    succeeded: bool
    output: ByteString
