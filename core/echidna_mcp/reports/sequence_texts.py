"""Call sequences as text, in Echidna's form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from echidna_mcp.abi.render import render_call

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from echidna_mcp.program.target import FuzzTarget


def sequence_texts(
    target: FuzzTarget, texts: Sequence[str], calls: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return one line a call: `Vault.deposit() Value: 5 Time delay: 3 seconds`.

    What takes the place of a call that it makes follows, `Call override: Vault.f()`,
    with `after 2` if two calls that it could replace are made before.

    Senders are named only if there are several. Where several contracts are called, the
    texts themselves name theirs.

    Args:
        target: what is called.
        texts: the calls as Solidity-like text.
        calls: the same calls as events hold them.
    """
    several = len({call["sender"] for call in calls}) > 1
    named = target.callees[0].qualifier
    contract = "" if named else f"{target.program.main_contract.name}."
    return [
        f"{contract}{text}{_circumstances(call, several)}{_override(target, call)}"
        for text, call in zip(texts, calls, strict=True)
    ]


def _override(target: FuzzTarget, call: Mapping[str, Any]) -> str:
    """Return what takes the place of a call that a call makes; often nothing."""
    override = call.get("override")
    if override is None:
        return ""
    passed = f" after {override['after']}" if override["after"] else ""
    function = target.functions[target.function_index[override["function"]]]
    calldata = bytes.fromhex(override["calldata"][2:])
    text = render_call(function, calldata, override.get("instance", 0))
    return f" Call override{passed}: {text}"


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
