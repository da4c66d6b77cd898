"""The chain of a devnet: blocks that are linked by hashes, and what is in them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Final

from echidna_mcp_plugins.circular.chain_view import Status
from echidna_mcp_plugins.circular.devnet.amounts import FEE, micro
from echidna_mcp_plugins.circular.devnet.options import DevnetOptions
from echidna_mcp_plugins.circular.devnet.store import (
    Block,
    ChainStore,
    TransactionRow,
    WalletRow,
)
from echidna_mcp_plugins.circular.timestamps import Now, circular_time, utc_now

REJECTED: Final = "Rejected: the devnet was told to"
_NOTHING: Final = "0" * 64


class Chain:
    """Blocks, transactions and wallets; whoever calls has checked the rules.

    Args:
        store: its file.
        options: how it behaves.
        now: the wall clock.
    """

    def __init__(
        self, store: ChainStore, options: DevnetOptions, now: Now = utc_now
    ) -> None:
        self.store = store
        self.options = options
        self.to_reject = 0
        """How many of the next certificates will be rejected."""
        self._now = now
        if store.block_count() == 0:
            self._append(())

    def time(self) -> str:
        """Return now, in the form of the protocol."""
        return circular_time(self._now())

    def register(self, row: TransactionRow, public_key: str) -> None:
        """Take a registration; the wallet can be used at once."""
        grant = micro(self.options.grant)
        with self.store.change():
            self.store.put_wallet(WalletRow(row.sender, public_key, 0, grant))
            self.store.add_transaction(row)

    def certify(self, row: TransactionRow, wallet: WalletRow) -> None:
        """Take a certificate, its fee and its nonce.

        A certificate that will be rejected costs the same.
        """
        if self.to_reject > 0:
            self.to_reject -= 1
            row = replace(row, fate=REJECTED)
        paid = replace(wallet, nonce=row.nonce, balance=wallet.balance - FEE)
        with self.store.change():
            self.store.put_wallet(paid)
            self.store.add_transaction(row)

    def give(self, address: str, amount: int) -> bool:
        """Give millionths of a CIRX to a wallet; False if there is none."""
        wallet = self.store.wallet(address)
        if wallet is None:
            return False
        with self.store.change():
            self.store.put_wallet(replace(wallet, balance=wallet.balance + amount))
        return True

    def mine(self) -> None:
        """Make the next block of what is ready for it, maybe of nothing."""
        waiting = self.store.open_transactions()
        ready, others = waiting, list[TransactionRow]()
        if self.options.verify:
            ready = [row for row in waiting if row.status == Status.VERIFIED]
            others = [row for row in waiting if row.status != Status.VERIFIED]
        with self.store.change():
            number = self._append(tuple(row.id for row in ready))
            for row in ready:
                self.store.place(row.id, row.fate, number)
            for row in others:
                self.store.place(row.id, Status.VERIFIED, None)

    def _append(self, transactions: tuple[str, ...]) -> int:
        number = self.store.block_count()
        before = self.store.blocks(number - 1, number - 1)
        previous = before[0].hash if before else _NOTHING
        block = Block(number, self.time(), previous, "", transactions)
        self.store.add_block(replace(block, hash=block_hash(block)))
        return number


def block_hash(block: Block) -> str:
    """Return sha256 over number, time, the hash before and the ids of a block."""
    text = json.dumps(
        [block.number, block.timestamp, block.previous, block.transactions],
        separators=(",", ":"),
    )
    return hashlib.sha256(text.encode()).hexdigest()
