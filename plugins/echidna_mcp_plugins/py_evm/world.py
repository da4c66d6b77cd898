"""World state as plain dictionaries with an undo journal.

Every write appends what it replaced, so going back costs as much as was changed and
nothing is ever copied. Addresses are 20 bytes here, slots and values are integers.
"""

from __future__ import annotations

from typing import Any, TypeAlias

UINT256_MAX = (1 << 256) - 1

Undo: TypeAlias = list[tuple[dict[Any, Any], Any, Any]]
"""(mapping, key, value before; None if the key was absent)."""


def rollback(undo: Undo, mark: int) -> None:
    """Undo the newest entries until `mark` of them are left."""
    while len(undo) > mark:
        mapping, key, before = undo.pop()
        if before is None:
            mapping.pop(key, None)
        else:
            mapping[key] = before


class World:
    """Accounts and clock. An absent account is an empty account.

    Attributes:
        balances: wei by address.
        nonces: nonce by address.
        codes: runtime code by address; never empty.
        storages: storage words by slot by address; zero words are absent.
        timestamp: seconds; the clock is no part of the journal.
        number: block number.
        undo: the journal.
    """

    __slots__ = (
        "_snapshots",
        "balances",
        "codes",
        "nonces",
        "number",
        "storages",
        "timestamp",
        "undo",
    )

    def __init__(self, timestamp: int, number: int) -> None:
        self.balances: dict[bytes, int] = {}
        self.nonces: dict[bytes, int] = {}
        self.codes: dict[bytes, bytes] = {}
        self.storages: dict[bytes, dict[int, int]] = {}
        self.timestamp = timestamp
        self.number = number
        self.undo: Undo = []
        self._snapshots: list[tuple[int, int, int]] = []

    def put(self, mapping: dict[Any, Any], key: Any, value: Any) -> None:
        """Write one entry of one of the mappings."""
        self.undo.append((mapping, key, mapping.get(key)))
        mapping[key] = value

    def set_balance(self, address: bytes, balance: int) -> None:
        """Set a balance, modulo 2**256."""
        self.put(self.balances, address, balance & UINT256_MAX)

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
        """Let time pass."""
        self.timestamp = (self.timestamp + seconds) & UINT256_MAX
        self.number = (self.number + blocks) & UINT256_MAX

    def rollback(self, mark: int) -> None:
        """Undo the newest writes until the journal has `mark` entries."""
        rollback(self.undo, mark)

    def snapshot(self) -> int:
        """Return a handle of the present state; equal states share a handle."""
        state = (len(self.undo), self.timestamp, self.number)
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
        mark, self.timestamp, self.number = self._snapshots[snapshot]
        rollback(self.undo, mark)
        del self._snapshots[snapshot + 1 :]

    def settle(self) -> None:
        """Forget how to go back before the last snapshot."""
        if not self._snapshots:
            self.undo.clear()
