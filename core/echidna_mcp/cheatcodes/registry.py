"""Cheatcodes that work, by selector: what is decoded, done, and encoded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.abi.codec import CodecError, decode, encode
from echidna_mcp.abi.function import selector_of
from echidna_mcp.abi.types import Tuple, parse_tuple, type_name
from echidna_mcp.cheatcodes.errors import (
    CheatError,
    FailedAssertionError,
    RawRevertError,
    UnsupportedError,
)
from echidna_mcp.cheatcodes.host import Creation, Site
from echidna_mcp.cheatcodes.table import foundry_cheatcodes, refusal_of

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

Handler = Callable[..., Any]
"""Gets the cheatcodes, where it is called, and the arguments; returns the results: a
tuple of them, or None if there are none. Raises CheatError."""


@dataclass(frozen=True, slots=True)
class Working:
    """A cheatcode that works.

    Attributes:
        signature: canonical.
        inputs, outputs: what its calldata and return data encode.
        handler: what it does.
        pure: whether what it returns depends on its arguments alone, and it does
            nothing else.
    """

    signature: str
    inputs: Tuple
    outputs: Tuple
    handler: Handler
    pure: bool = False

    @property
    def name(self) -> str:
        """The name alone."""
        return self.signature.partition("(")[0]


_SELECTOR: Final = 4
_WORKING: Final[dict[bytes, Working]] = {}
_MOST_ANSWERS: Final = 4096
_ANSWERS: Final[dict[bytes, bytes]] = {}
"""What pure cheatcodes have returned, by calldata: handlers of permits sign the same
digests with the same keys thousands of times."""


def cheat(
    *signatures: str, returns: str = "()", pure: bool = False
) -> Callable[[Handler], Handler]:
    """Make a function the handler of cheatcodes.

    Args:
        signatures: canonical ones.
        returns: what it returns, as a tuple of types.
        pure: see `Working`.
    """

    def add(handler: Handler) -> Handler:
        for signature in signatures:
            selector = selector_of(signature)
            assert selector not in _WORKING, f"{signature} has two handlers"
            _WORKING[selector] = Working(
                signature,
                parse_tuple(signature[signature.index("(") :]),
                parse_tuple(returns),
                handler,
                pure,
            )
        return handler

    return add


def working() -> Mapping[bytes, Working]:
    """Return all cheatcodes that work, by selector; `handlers` enters them."""
    return _WORKING


def call(cheats: Cheats, site: Site, data: bytes) -> bytes | Creation:
    """Do what calldata say; return what the call returns, or what to create for it.

    Raises:
        CheatError: it can't be done.
    """
    answer = _ANSWERS.get(data)
    if answer is not None:
        return answer
    known = working().get(data[:4])
    if known is None:
        raise _unknown(data)
    try:
        arguments = decode(known.inputs, data[4:])
    except CodecError:
        arguments = _decode_dirty(known, data[4:])
    try:
        results = known.handler(cheats, site, *arguments)
    except (UnsupportedError, RawRevertError, FailedAssertionError):
        raise
    except CheatError as error:
        raise CheatError(f"vm.{known.name}: {error}") from None
    if isinstance(results, Creation):
        return results
    output = encode(known.outputs, () if results is None else results)
    if known.pure:
        if len(_ANSWERS) >= _MOST_ANSWERS:
            _ANSWERS.clear()
        _ANSWERS[data] = output
    return output


def _decode_dirty(known: Working, data: bytes) -> tuple[Any, ...]:
    """Decode arguments once more; what stands above an address does not count."""
    clean = bytearray(data)
    for number, kind in enumerate(known.inputs.members):
        if type_name(kind) != "address":
            continue
        clean[32 * number : 32 * number + 12] = bytes(12)
    try:
        return decode(known.inputs, bytes(clean[: len(data)]))
    except CodecError:
        raise CheatError(
            "ABI decoding failed: buffer overrun while deserializing"
        ) from None


def _unknown(data: bytes) -> CheatError:
    if len(data) < _SELECTOR:
        return CheatError(f'type check failed for "VmCalls" with data: {data.hex()}')
    for each in foundry_cheatcodes():
        if each.selector == data[:4]:
            return UnsupportedError(each.signature, refusal_of(each))
    return UnsupportedError(
        f"0x{data[:4].hex()}",
        "is no cheatcode of Foundry that is known here",
        text=f"unknown cheatcode with selector 0x{data[:4].hex()}; you may have a "
        "mismatch between the `Vm` interface (likely in `forge-std`) and the `forge` "
        "version",
    )
