"""How cheatcodes fail."""

from __future__ import annotations

from typing import Final

from echidna_mcp.abi.codec import encode
from echidna_mcp.abi.function import selector_of
from echidna_mcp.abi.revert import PANIC_ASSERT
from echidna_mcp.abi.types import parse_tuple

_STRING: Final = parse_tuple("(string)")
CHEATCODE_ERROR: Final = selector_of("CheatcodeError(string)")
ERROR: Final = selector_of("Error(string)")
ASSUME: Final = b"FOUNDRY::ASSUME"
"""What a call reverts with that `vm.assume` rejects; whoever sees it discards the
call."""
SKIP: Final = b"FOUNDRY::SKIP"
"""The same of `vm.skip`; a reason follows."""


class CheatError(Exception):
    """A cheatcode that can't do what it is asked for; its call reverts."""

    @property
    def output(self) -> bytes:
        """Revert data, as Foundry's `CheatcodeError(string)`."""
        return CHEATCODE_ERROR + encode_text(str(self))


class RawRevertError(CheatError):
    """A cheatcode whose call reverts with data of its own."""

    def __init__(self, output: bytes) -> None:
        super().__init__("reverts")
        self._output = output

    @property
    def output(self) -> bytes:
        """Revert data."""
        return self._output


class FailedAssertionError(CheatError):
    """An assertion of `vm` that does not hold.

    Args:
        text: what is wrong.
        panics: whether its call reverts as an `assert` of Solidity does (Medusa).
    """

    def __init__(self, text: str, *, panics: bool = False) -> None:
        super().__init__(text)
        self._panics = panics

    @property
    def output(self) -> bytes:
        """Revert data."""
        return PANIC_ASSERT if self._panics else super().output


class UnsupportedError(CheatError):
    """A cheatcode that does not work here; nothing that met it has been tested.

    Attributes:
        signature: of the cheatcode.
        reason: why it does not work, to follow its name in a sentence.
    """

    def __init__(self, signature: str, reason: str, *, text: str = "") -> None:
        super().__init__(text or f"vm.{signature} {reason}")
        self.signature = signature
        self.reason = f"{reason.rstrip('.')}."


def encode_text(text: str) -> bytes:
    """Return the ABI encoding of a string."""
    return encode(_STRING, (text.encode(),))
