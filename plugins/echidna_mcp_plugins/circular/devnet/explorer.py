"""The page that shows a transaction of a devnet."""

from __future__ import annotations

import hashlib
from html import escape
from typing import Final

from echidna_mcp_plugins.circular.chain_view import ChainTransaction
from echidna_mcp_plugins.circular.devnet.calls import transaction_json
from echidna_mcp_plugins.circular.devnet.chain import Chain

_STYLE: Final = (
    "body{font:16px/1.5 system-ui;margin:2rem auto;max-width:60rem;padding:0 1rem}"
    "dt{font-weight:600}dd{margin:0 0 .5rem;overflow-wrap:anywhere}"
)


def transaction_page(chain: Chain, identity: str | None) -> tuple[str, bool]:
    """Return the page of a transaction, and whether there is one.

    Of what was certified it shows digest and size.

    Args:
        chain: where to look.
        identity: 64 hexadecimal digits; None if something else was asked for.
    """
    row = None if identity is None else chain.store.transaction(identity)
    if row is None:
        return _page("<p>There is no such transaction on this devnet.</p>"), False
    facts = {
        "Transaction": row.id,
        "Status": row.status,
        "Type": row.kind,
        "Sender": row.sender,
        "Nonce": str(row.nonce),
        "Sent": row.timestamp,
    }
    if row.block is not None:
        (block,) = chain.store.blocks(row.block, row.block)
        facts |= {
            "Block": str(block.number),
            "Time of the block": block.timestamp,
            "Hash of the block": block.hash,
            "Hash of the block before": block.previous,
        }
    data = ChainTransaction.of(transaction_json(row), row.id).certified()
    if data is not None:
        certified = bytes.fromhex(data)
        facts |= {
            "SHA-256 of the certified data": hashlib.sha256(certified).hexdigest(),
            "Size of the certified data": f"{len(certified)} bytes",
        }
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
        for name, value in facts.items()
    )
    return _page(f"<dl>{rows}</dl>"), True


def _page(content: str) -> str:
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>Local devnet</title><style>{_STYLE}</style><h1>Local devnet</h1>"
        "<p>This chain exists on this machine only; it proves nothing to others.</p>"
        f"{content}</html>"
    )
