"""A stored call sequence, whoever has stored it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from echidna_mcp.abi.codec import CodecError, decode, encode
from echidna_mcp.abi.function import AbiFunction, selector_of, signature_of
from echidna_mcp.abi.types import Tuple
from echidna_mcp.abi.values import Value

Purpose: TypeAlias = Literal["coverage", "reproducer"]
"""What a sequence was kept for: what it covers, or the test that it falsifies."""

CallKind: TypeAlias = Literal["call", "wait", "create"]

MOST_ADDRESS: Final = (1 << 160) - 1
MOST_WORD: Final = (1 << 256) - 1
MOST_DELAY: Final = (1 << 64) - 1


class EntryError(Exception):
    """A file that holds no sequence of its format; the text says what is wrong.

    It is the end of a sentence, without a full stop. Whoever reads the file makes a
    `Problem` of it.
    """


@dataclass(frozen=True, slots=True)
class StoredFunction:
    """A function as far as a file tells of it.

    Attributes:
        name: empty for what is called with no calldata at all.
        inputs: types of the parameters; where a file has no names of struct members,
            they are empty.
    """

    name: str
    inputs: Tuple

    @property
    def signature(self) -> str:
        """Canonical text, `transfer(address,uint256)`; empty without a name."""
        return signature_of(self.name, self.inputs) if self.name else ""

    @property
    def selector(self) -> bytes:
        """First four bytes of the calldata; none without a name."""
        return selector_of(self.signature) if self.name else b""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCall:
    """One call, or time that passes.

    Attributes:
        kind: `wait` passes time and calls nothing, `create` sends creation code.
        sender: address; None where a file leaves it open.
        target: address that is called; None where a file leaves it open.
        function: what is called, if the file or the ABI tells.
        calldata: all that is sent.
        value: wei.
        time_delay, block_delay: seconds and blocks that pass before.
        gas: limit of the call; None where a format has none.
        gas_price: wei.
        nonce: of the sender, where a format has one.
    """

    kind: CallKind = "call"
    sender: int | None
    target: int | None
    function: StoredFunction | None = None
    calldata: bytes = b""
    value: int = 0
    time_delay: int = 0
    block_delay: int = 0
    gas: int | None = None
    gas_price: int = 0
    nonce: int | None = None

    @property
    def arguments(self) -> tuple[Value, ...] | None:
        """The arguments, if the calldata is exactly what encodes them; else None."""
        function = self.function
        if function is None:
            return None
        if not self.calldata.startswith(function.selector):
            return None
        data = self.calldata[len(function.selector) :]
        try:
            values = decode(function.inputs, data)
            return values if encode(function.inputs, values) == data else None
        except CodecError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSequence:
    """One entry of a corpus.

    Attributes:
        file: where it lies, relative to the corpus, with slashes; empty if nowhere.
        calls: in order.
        purpose: what it was kept for.
        contract, test: whose corpus it is part of, and of which test; empty where a
            format does not tell.
    """

    file: str
    calls: tuple[StoredCall, ...]
    purpose: Purpose
    contract: str = ""
    test: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a corpus that is not used as it stands.

    Attributes:
        file: relative to the corpus.
        what: the end of a sentence, without a full stop.
    """

    file: str
    what: str

    @property
    def sentence(self) -> str:
        """One sentence for a person."""
        return f"{self.file}: {self.what}."


def without_waits(calls: Iterable[StoredCall]) -> tuple[tuple[StoredCall, ...], int]:
    """Return calls of which each waits itself, for who knows no waiting alone.

    Returns:
        The calls, and the seconds that pass after the last one, which are lost.
    """
    found: list[StoredCall] = []
    seconds = blocks = 0
    for call in calls:
        seconds, blocks = seconds + call.time_delay, blocks + call.block_delay
        if call.kind != "wait":
            found.append(replace(call, time_delay=seconds, block_delay=blocks))
            seconds = blocks = 0
    return tuple(found), seconds


class Interfaces:
    """The functions that calls may be of, for what files leave out.

    Foundry stores only calldata, Medusa structs as objects whose order it takes from
    the ABI.
    """

    def __init__(self, functions: Iterable[AbiFunction]) -> None:
        """Take functions of all contracts; of equal ones the first counts."""
        self._by_signature: dict[str, AbiFunction] = {}
        self._by_selector: dict[bytes, AbiFunction] = {}
        for each in functions:
            if each.kind == "function":
                self._by_signature.setdefault(each.plain_signature, each)
                self._by_selector.setdefault(each.selector, each)

    def with_signature(self, signature: str) -> AbiFunction | None:
        """Return the function of a canonical signature, if it is known."""
        return self._by_signature.get(signature)

    def of_calldata(self, calldata: bytes) -> StoredFunction | None:
        """Return the function that calldata is for, if it is known."""
        found = self._by_selector.get(calldata[:4])
        if found is None or len(calldata) < 4:
            return None
        return StoredFunction(found.name, found.inputs)


def encoded(function: StoredFunction, values: Sequence[Value]) -> bytes:
    """Return the calldata of a call.

    Raises:
        EntryError: a value does not fit its type.
    """
    try:
        return function.selector + encode(function.inputs, values)
    except CodecError as error:
        name = function.signature or "a call"
        raise EntryError(f"an argument of {name} has no value: {error}") from None


def member(data: Any, name: str) -> Any:
    """Return a member of a JSON object.

    Raises:
        EntryError: `data` is no object, or lacks it.
    """
    if not isinstance(data, Mapping):
        raise EntryError(f"there is no object with the member {name}")
    if name not in data:
        raise EntryError(f"the member {name} is missing")
    return data[name]


def hex_number(text: Any, most: int, what: str) -> int:
    """Return a number that is written in hexadecimal, with 0x.

    Raises:
        EntryError: it is no such number, or greater than `most`.
    """
    digits = text[2:] if isinstance(text, str) else ""
    if not digits or text[:2] not in ("0x", "0X") or not _is_hex(digits):
        raise EntryError(f"{what} is no hexadecimal number")
    number = int(digits, 16)
    if number > most:
        raise EntryError(f"{what} is greater than {most:#x}")
    return number


def hex_bytes(text: Any, what: str, *, prefixed: bool = True) -> bytes:
    """Return bytes that are written in hexadecimal.

    Args:
        text: what is written.
        what: of which value it is told, if it is wrong.
        prefixed: whether 0x must stand before the digits; else it may.

    Raises:
        EntryError: it is no such text.
    """
    digits = text if isinstance(text, str) else "?"
    if digits[:2] in ("0x", "0X"):
        digits = digits[2:]
    elif prefixed:
        digits = "?"
    if (digits and not _is_hex(digits)) or len(digits) % 2:
        raise EntryError(f"{what} is no text of hexadecimal digits")
    return bytes.fromhex(digits)


def whole_number(data: Any, most: int, what: str) -> int:
    """Return a JSON number without a fraction, from 0.

    Raises:
        EntryError: it is none, or greater than `most`.
    """
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data <= most:
        raise EntryError(f"{what} is no whole number from 0 to {most}")
    return data


def _is_hex(digits: str) -> bool:
    # `int` and `fromhex` would take underscores, blanks, and digits of other scripts.
    return digits.isascii() and all(each in "0123456789abcdefABCDEF" for each in digits)
