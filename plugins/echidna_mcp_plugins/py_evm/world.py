"""World state as plain dictionaries with an undo journal.

Every write appends what it replaced, so going back costs as much as was changed and
nothing is ever copied. Addresses are 20 bytes here, slots and values are integers.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from echidna_mcp.cheatcodes.addresses import CHEATCODES, CONSOLE
from echidna_mcp.evm.backend import AccountState, BlockContext

UINT256_MAX = (1 << 256) - 1
_UINT64_MAX = (1 << 64) - 1

UndoEntry: TypeAlias = tuple[dict[Any, Any], Any, Any]
Undo: TypeAlias = list[UndoEntry]
"""(mapping, key, value before; None if the key was absent)."""


class Writing(NamedTuple):
    """A change by SSTORE.

    Attributes:
        at: where its entry is in the journal, unless it was rolled back.
        entry: it.
        writer: for whom (`evm.states.WRITTEN`).
    """

    at: int
    entry: UndoEntry
    writer: int


def rollback(undo: Undo, mark: int) -> None:
    """Undo the newest entries until `mark` of them are left."""
    while len(undo) > mark:
        mapping, key, before = undo.pop()
        if before is None:
            mapping.pop(key, None)
        else:
            mapping[key] = before


@dataclass(slots=True)
class Env:
    """What opcodes tell of block and chain, beside the clock.

    Cheatcodes change it; it is no part of the journal.
    """

    gas_limit: int
    coinbase: int
    base_fee: int
    prev_randao: int
    chain_id: int
    blob_base_fee: int

    @classmethod
    def of(cls, block: BlockContext) -> Env:
        """Return that of a block."""
        return cls(
            gas_limit=block.gas_limit,
            coinbase=block.coinbase,
            base_fee=block.base_fee,
            prev_randao=block.prev_randao,
            chain_id=block.chain_id,
            blob_base_fee=block.blob_base_fee,
        )


class Beside:
    """What goes back with snapshots, and with nothing else."""

    def mark(self) -> Any:
        """Return a handle of what there is now."""

    def restore(self, mark: Any) -> None:
        """Go back to it."""


class World:
    """Accounts and clock. An absent account is an empty account.

    Attributes:
        balances: wei by address.
        nonces: nonce by address.
        codes: runtime code by address; never empty.
        storages: storage words by slot by address; zero words are absent.
        timestamp: seconds; the clock is no part of the journal.
        number: block number.
        env: the rest of block and chain.
        beside: what else goes back with snapshots.
        undo: the journal.
        lasting: what cheatcodes have set in the running message, which frames that
            revert leave behind: length of the journal before, whether it is a nonce,
            the address, by how much it was changed. See `CheatHost.set_account`.
    """

    __slots__ = (
        "_snapshots",
        "balances",
        "beside",
        "codes",
        "env",
        "lasting",
        "nonces",
        "number",
        "storages",
        "timestamp",
        "undo",
    )

    def __init__(self, block: BlockContext) -> None:
        self.balances: dict[bytes, int] = {}
        self.nonces: dict[bytes, int] = {}
        self.codes: dict[bytes, bytes] = {}
        self.storages: dict[bytes, dict[int, int]] = {}
        self.timestamp = block.timestamp
        self.number = block.number
        self.env = Env.of(block)
        self.beside = Beside()
        self.undo: Undo = []
        self.lasting: list[tuple[int, bool, bytes, int]] = []
        self._snapshots: list[tuple[int, int, int, Env, Any]] = []

    def put(self, mapping: dict[Any, Any], key: Any, value: Any) -> None:
        """Write one entry of one of the mappings."""
        self.undo.append((mapping, key, mapping.get(key)))
        mapping[key] = value

    def set_balance(self, address: bytes, balance: int) -> None:
        """Set a balance, modulo 2**256."""
        self.put(self.balances, address, balance & UINT256_MAX)

    def set_lasting_balance(self, address: bytes, balance: int) -> None:
        """Set a balance that survives the revert of frames."""
        change = balance - self.balances.get(address, 0)
        self.lasting.append((len(self.undo), False, address, change))
        self.set_balance(address, balance)

    def set_lasting_nonce(self, address: bytes, nonce: int) -> None:
        """Set a nonce that does."""
        change = nonce - self.nonces.get(address, 0)
        self.lasting.append((len(self.undo), True, address, change))
        self.put(self.nonces, address, nonce)

    def set_code(self, address: bytes, code: bytes) -> None:
        """Set or remove the code of an account."""
        if code:
            self.put(self.codes, address, code)
        elif address in self.codes:
            self.undo.append((self.codes, address, self.codes.pop(address)))

    def slots(self, address: bytes) -> dict[int, int]:
        """Return the storage of `address`; writers journal what they change."""
        slots = self.storages.get(address)
        if slots is None:
            slots = {}
            self.put(self.storages, address, slots)
        return slots

    def clear_storage(self, address: bytes) -> None:
        """Drop all storage words of `address`."""
        if self.storages.get(address):
            self.put(self.storages, address, {})

    def is_empty(self, address: bytes) -> bool:
        """Whether the account is empty or absent (EIP-161)."""
        return not (
            address in self.codes
            or self.nonces.get(address)
            or self.balances.get(address)
        )

    def delete(self, address: bytes) -> None:
        """Remove an account with its storage."""
        for mapping in (self.balances, self.nonces, self.codes, self.storages):
            before = mapping.pop(address, None)
            if before is not None:
                self.undo.append((mapping, address, before))

    def advance(self, seconds: int, blocks: int) -> None:
        """Let time pass; the clock has 64 bits."""
        self.timestamp = (self.timestamp + seconds) & _UINT64_MAX
        self.number = (self.number + blocks) & _UINT64_MAX

    def rollback(self, mark: int) -> None:
        """Undo the newest writes until the journal has `mark` entries."""
        rollback(self.undo, mark)
        while self.lasting and self.lasting[-1][0] >= mark:
            self.lasting.pop()

    def rollback_frame(self, mark: int, created: Container[bytes]) -> None:
        """Do so for a frame that reverts; what is lasting is left behind.

        Args:
            mark: as for `rollback`.
            created: accounts that the frame has created.
        """
        changes: dict[tuple[bool, bytes], int] = {}
        for at, is_nonce, address, change in self.lasting:
            if at >= mark:
                key = (is_nonce, address)
                changes[key] = changes.get(key, 0) + change
        self.rollback(mark)
        for (is_nonce, address), change in changes.items():
            if not is_nonce:
                self.set_lasting_balance(
                    address, self.balances.get(address, 0) + change & UINT256_MAX
                )
            elif address not in created:
                nonce = self.nonces.get(address, 0) + change
                self.set_lasting_nonce(address, max(nonce, 0))

    def snapshot(self) -> int:
        """Return a handle of the present state; equal states share a handle."""
        clock = self.timestamp, self.number
        state = (len(self.undo), *clock, replace(self.env), self.beside.mark())
        if not self._snapshots or self._snapshots[-1] != state:
            self._snapshots.append(state)
        return len(self._snapshots) - 1

    def restore(self, snapshot: int) -> None:
        """Go back to a snapshot, which stays valid; later ones become invalid.

        Raises:
            IndexError: there is no such snapshot any more.
        """
        if snapshot < 0:
            raise IndexError(snapshot)
        mark, self.timestamp, self.number, env, beside = self._snapshots[snapshot]
        self.env = replace(env)
        self.beside.restore(beside)
        self.rollback(mark)
        del self._snapshots[snapshot + 1 :]

    def settle(self) -> None:
        """Forget how to go back before the last snapshot."""
        self.lasting.clear()
        if not self._snapshots:
            self.undo.clear()


_UNTOLD = frozenset(each.to_bytes(20, "big") for each in (CHEATCODES, CONSOLE))


def all_accounts(world: World) -> Iterator[tuple[int, AccountState]]:
    """Return all accounts that are not empty (EIP-161), by ascending address.

    Those that no chain has are left out.
    """
    for address in sorted({*world.balances, *world.nonces, *world.codes}):
        if not world.is_empty(address) and address not in _UNTOLD:
            yield (
                int.from_bytes(address, "big"),
                AccountState(
                    balance=world.balances.get(address, 0),
                    nonce=world.nonces.get(address, 0),
                    code=world.codes.get(address, b""),
                    storage=dict(sorted(world.storages.get(address, {}).items())),
                ),
            )
