"""Call sequences as people read them, in Echidna's form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from echidna_mcp.cli.console.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from echidna_mcp.program.target import FuzzTarget

EMPTY = "No transactions were needed to reach the failure."


def sequence_lines(
    target: FuzzTarget, texts: Sequence[str], calls: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return one line a call: `Vault.deposit() Value: 5 Time delay: 3 seconds`.

    Senders are named only if there are several. Where several contracts are called, the
    texts themselves name theirs.

    Args:
        target: what is called.
        texts: the calls as Solidity-like text.
        calls: the same calls as events hold them.
    """
    several = len({call["sender"] for call in calls}) > 1
    named = target.callees[0].qualifier
    contract = "" if named else f"{printable(target.program.main_contract.name)}."
    return [
        f"{contract}{printable(text)}{_circumstances(call, several)}"
        for text, call in zip(texts, calls, strict=True)
    ] or [EMPTY]


def _circumstances(call: Mapping[str, Any], several: bool) -> str:
    parts = []
    if several:
        parts.append(f" from: {call['sender']}")
    if call["value"] != "0":
        parts.append(f" Value: {call['value']}")
    if call["timeDelay"]:
        parts.append(f" Time delay: {call['timeDelay']} seconds")
    if call["blockDelay"]:
        parts.append(f" Block delay: {call['blockDelay']}")
    return "".join(parts)
