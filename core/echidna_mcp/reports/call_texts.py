"""Stored calls as Solidity-like text, remembered within bounds."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.abi.render import render_call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from echidna_mcp.program.target import FuzzTarget

CAPACITY: Final = 16_000_000
"""Most characters of text and calldata that are remembered."""


class CallTexts:
    """Decodes a call once, however often agents look at it.

    Args:
        target: what the calls call.
        capacity: characters to remember; the least recently used texts go first.
    """

    def __init__(self, target: FuzzTarget, capacity: int = CAPACITY) -> None:
        self._target = target
        self._room = capacity
        self._texts: OrderedDict[tuple[str, str, int], str] = OrderedDict()

    def __len__(self) -> int:
        """Return how many texts are remembered."""
        return len(self._texts)

    def text(self, call: Mapping[str, Any]) -> str:
        """Return a JSON call as text, which the call parser reads back."""
        key = (call["function"], call["calldata"], call.get("instance", 0))
        known = self._texts.get(key)
        if known is not None:
            self._texts.move_to_end(key)
            return known
        function = self._target.functions[self._target.function_index[key[0]]]
        text = render_call(function, bytes.fromhex(key[1][2:]), key[2])
        self._remember(key, text)
        return text

    def _remember(self, key: tuple[str, str, int], text: str) -> None:
        self._texts[key] = text
        self._room -= len(key[1]) + len(text)
        while self._room < 0:
            (_, calldata, _), old = self._texts.popitem(last=False)
            self._room += len(calldata) + len(old)


def told(text: str, call: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call with its circumstances.

    Args:
        text: the call as in Solidity.
        call: the same call as events hold it.
    """
    circumstances = ("sender", "value", "timeDelay", "blockDelay")
    told = {"call": text, **{name: call[name] for name in circumstances}}
    if "override" in call:
        told["override"] = call["override"]
    return told
