"""Certify data: number, sign and send one transaction, once.

The guarantee is that of docs/circular.md ("Never twice"). It rests on three facts: a
chain accepts one transaction for each nonce of a wallet; the same arguments give the
same bytes, and a chain takes the same id once; the journal holds those arguments, but
for the data, before anything is sent.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Final

from echidna_mcp_plugins.circular.chain_view import Status
from echidna_mcp_plugins.circular.document import Document
from echidna_mcp_plugins.circular.errors import (
    CircularError,
    ErrorType,
    invalid_input,
    unavailable,
)
from echidna_mcp_plugins.circular.journal import Record
from echidna_mcp_plugins.circular.nag import Nag
from echidna_mcp_plugins.circular.results import Result, refusal
from echidna_mcp_plugins.circular.timestamps import (
    circular_time,
    parse_circular_time,
    rfc3339,
)
from echidna_mcp_plugins.circular.tools.outcome import Outcome
from echidna_mcp_plugins.circular.tools.session import Session
from echidna_mcp_plugins.circular.transaction import Transaction
from echidna_mcp_plugins.circular.wallets import Wallet

MOST_KEY_CHARACTERS: Final = 200

_CERTAIN: Final = frozenset(
    {
        Result.WALLET_NOT_FOUND,
        Result.INVALID_BLOCKCHAIN,
        Result.INSUFFICIENT_BALANCE,
        Result.INVALID_PAYLOAD,
        Result.WRONG_FORMAT,
        Result.INVALID_SIGNATURE,
    }
)
"""Refusals after which the node does not have what was sent once."""

_log = logging.getLogger(__name__)


async def certify_data(
    session: Session,
    *,
    data: str,
    network: str,
    wallet_address: str | None = None,
    idempotency_key: str | None = None,
) -> Outcome:
    """Certify data on a chain.

    Args:
        session: networks, wallets and the journal.
        data: text of at most 1 MiB of UTF-8; it is in no log, error or file of ours.
        network: `testnet` or `mainnet`.
        wallet_address: which wallet shall pay; by default that of the configured key.
        idempotency_key: calls with the same one are the same certification, for ever.

    Returns:
        The id of the transaction, which is not executed yet.

    Raises:
        CircularError: the node refused, or can't be reached. Whether it has taken the
            transaction was looked up before.
    """
    document = Document(data)
    nag = session.nag(network)
    wallet = session.wallet(network, wallet_address)
    _check_key(idempotency_key)
    async with session.turns.turn(wallet):
        await session.register_on_devnet(nag, wallet)
        call = _Certification(session, nag, wallet, document, idempotency_key)
        transaction, resumed = await call.run()
    submitted = parse_circular_time(transaction.timestamp) or session.timing.now()
    result = {
        "transaction_id": transaction.id,
        "status": Status.PENDING.value,
        "network": network,
        "submitted_at": rfc3339(submitted),
        "sender": wallet.address,
    }
    about = {
        "nonce": transaction.nonce,
        "data_sha256": document.sha256,
        "data_size": document.size,
        "resumed": resumed,
    }
    return Outcome(result, {**await session.meta(nag), **about})


def _check_key(key: str | None) -> None:
    if key is None:
        return
    if not (0 < len(key) <= MOST_KEY_CHARACTERS and key.isprintable()):
        raise invalid_input(
            f"An idempotency key has 1 to {MOST_KEY_CHARACTERS} printable characters."
        )


@dataclass(frozen=True, slots=True)
class _Certification:
    """One call that has the turn of its wallet."""

    session: Session
    nag: Nag
    wallet: Wallet
    document: Document
    key: str | None

    async def run(self) -> tuple[Transaction, bool]:
        """Return the transaction that certifies, and whether it was begun before."""
        journal = self.session.journal
        record = self._begun()
        last = await self._last_nonce()
        if record is not None:
            transaction = self._made_again(record)
            if await self._finish(transaction, last):
                return transaction, True
            last = await self._last_nonce()
        timestamp = circular_time(self.session.timing.now())
        transaction = self._make(journal.next_number(self.wallet, last), timestamp)
        journal.signed(self.wallet, self.document, transaction, self.key)
        if await self.nag.recent(transaction.id) is not None:
            # Nobody else can have signed it: a journal was lost, and a node is late
            # with the nonce.
            self._accepted(transaction)
            return transaction, True
        await self._send(transaction)
        return transaction, False

    # ----------------------------------------------------------- what was begun

    def _begun(self) -> Record | None:
        journal = self.session.journal
        if self.key is None:
            return journal.unfinished(self.wallet, self.document)
        record = journal.with_key(self.wallet, self.key)
        if record is not None and record.sha256 != self.document.sha256:
            raise invalid_input(
                "This idempotency key was used for other data: choose another key."
            )
        return record

    def _made_again(self, record: Record) -> Transaction:
        transaction = self._make(record.nonce, record.timestamp)
        if transaction.id != record.id:
            raise invalid_input(
                f"The journal holds transaction {record.id}, which can't be made again"
                " from its data: use another directory."
            )
        return transaction

    async def _finish(self, transaction: Transaction, last: int) -> bool:
        """Bring what was begun to the chain; False if it never can be there.

        Args:
            transaction: as it was made before.
            last: the last nonce, asked before the look-up. Whatever used up that
                nonce can be seen by then; if it is something else than ours, ours can
                never be accepted.
        """
        found = await self.nag.find(transaction.id)
        if found is not None and found.status is not Status.FAILED:
            self._accepted(transaction)
            return True
        if found is not None or last >= transaction.nonce:
            _log.info("Transaction %s is void; it is made anew", transaction.id)
            self.session.journal.void(transaction.id)
            return False
        await self._send(transaction, again=True)
        return True

    # ------------------------------------------------------------------ sending

    async def _last_nonce(self) -> int:
        try:
            return await self.nag.last_nonce(self.wallet.address)
        except CircularError as error:
            if error.type is not ErrorType.INVALID_ADDRESS:
                raise
            code = error.result or Result.WALLET_NOT_FOUND
        # The caller named no address that could be invalid; configuration did.
        raise refusal(code, None)

    def _make(self, nonce: int, timestamp: str) -> Transaction:
        transaction = Transaction.certify(
            self.document,
            sender=self.wallet.address,
            blockchain=self.wallet.blockchain,
            nonce=nonce,
            timestamp=timestamp,
            key=self.wallet.key,
        )
        if not transaction.is_signed_by(self.wallet.key.public):
            raise unavailable("This machine made a wrong signature; nothing was sent.")
        return transaction

    async def _send(self, transaction: Transaction, *, again: bool = False) -> None:
        """Send a transaction; return when a node has it.

        Args:
            transaction: what to send.
            again: whether it may have been sent before.

        Raises:
            CircularError: no node has it, or it is not known whether one has.
        """
        refused: CircularError | None = None
        unclear: CircularError | None = None
        seen = certain = False
        try:
            receipt = await self.nag.send(transaction)
            refused = receipt.refused
            again = again or receipt.attempts > 1
            certain = refused is not None and refused.result in _CERTAIN and not again
            seen = refused is None or (not certain and await self._is_seen(transaction))
        except CircularError as error:
            unclear = error
        if unclear is not None:
            seen = await self._is_seen_at_last(transaction)
        if seen:
            self._accepted(transaction)
            return
        if unclear is not None:
            raise _to_be_repeated(unclear, transaction)
        assert refused is not None
        # Another transaction has the nonce, or nothing of this one is on its way any
        # more. Otherwise it stays open: it may still be accepted, so the same bytes are
        # sent again when the call is repeated.
        if certain or refused.type is ErrorType.NONCE_MISMATCH:
            self.session.journal.void(transaction.id)
        self.session.journal.forget_numbers(self.wallet)
        raise refused

    async def _is_seen(self, transaction: Transaction) -> bool:
        found = await self.nag.find(transaction.id)
        return found is not None and found.status is not Status.FAILED

    async def _is_seen_at_last(self, transaction: Transaction) -> bool:
        """Look once more; what is told is why it was not clear in the first place."""
        try:
            return await self._is_seen(transaction)
        except CircularError:
            return False

    def _accepted(self, transaction: Transaction) -> None:
        self.session.journal.accepted(transaction.id)


def _to_be_repeated(error: CircularError, transaction: Transaction) -> CircularError:
    return CircularError(
        error.type,
        f"{error.message} Whether transaction {transaction.id} was taken is not known.",
        retry_suggestion=(
            f"{error.retry_suggestion or ''} Repeat the same call: it finishes this"
            " certification and makes no second one."
        ).strip(),
        result=error.result,
    )
