"""Checks that turn the value of a key into what the program uses.

A reader takes any value and returns the typed one, or raises `WrongValue`, whose text
says what the value must be.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final, TypeAlias

from echidna_mcp.config.document import number_of
from echidna_mcp.evm.fork import PRECOMPILE_ADDRESSES
from echidna_mcp.wording import closest, did_you_mean

Reader: TypeAlias = Callable[[Any], Any]

_ADDRESS_LIMIT = 1 << 160


class WrongValue(Exception):  # noqa: N818 - a note to who names the key
    """What the value must be: the end of the sentence "`key` must be …".

    Args:
        text: that.
        given: words that were written instead of `known` ones.
        known: the words that there are.

    Attributes:
        hint: the end of the message; a question, if something similar may be meant.
    """

    def __init__(
        self, text: str, given: Sequence[Any] = (), known: Sequence[str] = ()
    ) -> None:
        super().__init__(text)
        words = (each for each in given if isinstance(each, str))
        unknown = next((each for each in words if each not in known), "")
        near = [f"`{word}`" for word in closest(unknown, known, 1)]
        self.hint = f"; {did_you_mean(near, '')}" if near else "."


def shown(value: Any) -> str:
    """Return a value as a message quotes it."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case dict():
            return "a mapping"
        case list() | tuple():
            return f"[{', '.join(map(shown, value))}]"
        case _:
            text = str(value)
            return f"`{text if len(text) <= 60 else text[:60] + '…'}`"


def boolean(value: Any) -> bool:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        raise WrongValue("true or false, without quotes")
    raise WrongValue("true or false")


def text(value: Any) -> str:
    """Read a string, or a path."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    raise WrongValue("text; put it in quotes")


def plugin_or_off(value: Any) -> str:
    """Read the name of a plugin, or `off`, which is no name; YAML reads it as false."""
    if value is False:
        return ""
    name = text(value)
    return "" if name == "off" else name


def pattern(value: Any) -> str:
    """Read a regular expression."""
    try:
        re.compile(written := text(value))
    except re.error as error:
        raise WrongValue(f"a regular expression ({error})") from None
    return written


def optional(reader: Reader) -> Reader:
    """Return a reader that also takes null, as None."""
    return lambda value: None if value is None else reader(value)


def or_default(reader: Reader, default: int) -> Reader:
    """Return a reader to which 0 means that there is no wish, as to Echidna."""
    return lambda value: reader(value) or default


def integer(low: int, high: int, meaning: str = "a whole number") -> Reader:
    """Return a reader of integers from `low` to `high`; `1e18` is one, too."""

    def read(value: Any) -> int:
        number = value
        if isinstance(number, bool) or not isinstance(number, (int, Decimal)):
            raise WrongValue(_span(meaning, low, high))
        # The bounds come first: an exponent can make a number of any size.
        if not low <= number <= high or number != int(number):
            raise WrongValue(_span(meaning, low, high))
        return int(number)

    return read


def number_or_text(reader: Reader) -> Reader:
    """Return a reader of numbers that also takes a text of one: `"0x10"`, `"1e18"`."""
    return lambda value: reader(number_of(value) if isinstance(value, str) else value)


def _span(meaning: str, low: int, high: int) -> str:
    top = str(high) if high < 10**9 else f"2^{high.bit_length()}-1"
    return f"{meaning} from {low} to {top}"


def thousandths(value: Any) -> int:
    """Read a share from 0 to 1 as thousandths, exactly, half to even."""
    number = value
    if isinstance(number, bool) or not isinstance(number, (int, Decimal)):
        raise WrongValue("a number from 0 to 1")
    if not 0 <= number <= 1:
        raise WrongValue("a number from 0 to 1")
    return int((Decimal(number) * 1000).to_integral_value(ROUND_HALF_EVEN))


def address(value: Any) -> int:
    """Read an address: `0x…` of at most 40 digits, quoted or not."""
    number = value
    if isinstance(number, str):
        digits = number.removeprefix("0x")
        is_hex = digits != number and all(c in "0123456789abcdefABCDEF" for c in digits)
        number = int(digits, 16) if is_hex and 1 <= len(digits) <= 40 else None
    if isinstance(number, bool) or not isinstance(number, int):
        raise WrongValue("an address, 0x and up to 40 hex digits")
    if not 0 <= number < _ADDRESS_LIMIT:
        raise WrongValue("an address, 0x and up to 40 hex digits")
    return number


def plain_address(value: Any) -> int:
    """Read an address that is not a precompiled contract."""
    number = address(value)
    if number in PRECOMPILE_ADDRESSES:
        raise WrongValue(
            "an address that no precompiled contract has (not 0x1 to 0x11, not 0x100)"
        )
    return number


def addresses(value: Any) -> tuple[int, ...]:
    """Read a set of addresses, at least one, in ascending order."""
    if isinstance(value, (list, tuple)) and value:
        try:
            return tuple(sorted({address(item) for item in value}))
        except WrongValue:
            pass
    raise WrongValue("a list of one or more addresses")


_WEI = number_or_text(integer(0, (1 << 256) - 1, "an amount of wei"))


def balances(value: Any) -> tuple[tuple[int, int], ...]:
    """Read amounts of wei by address, in ascending order of the addresses."""
    if isinstance(value, dict):
        try:
            pairs = [(address(at), _WEI(amount)) for at, amount in value.items()]
        except WrongValue:
            pass
        else:
            if len(dict(pairs)) == len(pairs):
                return tuple(sorted(pairs))
    raise WrongValue('amounts of wei by address, each once, as {"0x10": 1e18}')


def pairs_with_address(meaning: str, second: Reader) -> Reader:
    """Return a reader of lists of [address, …], Echidna's way to place something."""

    def read(value: Any) -> tuple[tuple[int, Any], ...]:
        found = []
        for pair in value if isinstance(value, (list, tuple)) else [None]:
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise WrongValue(f'a list of ["0x…", {meaning}]')
            found.append((plain_address(pair[0]), second(pair[1])))
        return tuple(found)

    return read


def permissions(value: Any) -> tuple[tuple[str, str], ...]:
    """Read Foundry's `fs_permissions`: what access there is to which path."""
    found = []
    for entry in value if isinstance(value, (list, tuple)) else [None]:
        access = entry.get("access") if isinstance(entry, dict) else None
        access = _ACCESS.get(access) if isinstance(access, (str, bool)) else None
        path = entry.get("path") if isinstance(entry, dict) else None
        if access is None or not isinstance(path, str):
            raise WrongValue(
                'a list of {access: "read", path: "…"}, the access being read, write, '
                "read-write or none"
            )
        found.append((access, path))
    return tuple(found)


_ACCESS: Final[Mapping[str | bool, str]] = {
    "read": "read",
    "write": "write",
    "read-write": "read-write",
    "none": "none",
    True: "read-write",
    False: "none",
}


def creation_code(value: Any) -> str:
    """Read bytes in hex, with or without 0x, as lower-case digits."""
    if isinstance(value, str):
        digits = value.removeprefix("0x").lower()
        if digits and len(digits) % 2 == 0 and set(digits) <= set("0123456789abcdef"):
            return digits
    raise WrongValue("creation code in hex, in quotes")


def constructor_args(value: Any) -> tuple[tuple[str, str], ...]:
    """Read constructor arguments by contract, each as JSON (`program.arguments`)."""
    if not isinstance(value, dict):
        raise WrongValue(
            "a mapping from contracts to their arguments: a text as in a call, a list, "
            "or a mapping from parameters to values"
        )
    return tuple(
        (name, json.dumps(_plain(given), sort_keys=True))
        for name, given in sorted(value.items())
    )


def _plain(value: Any) -> Any:
    """Return a value of YAML as JSON has it, numbers exactly."""
    match value:
        case Decimal():
            return str(value)
        case list():
            return [_plain(each) for each in value]
        case dict():
            return {name: _plain(each) for name, each in value.items()}
        case _:
            return value


def texts(value: Any) -> tuple[str, ...]:
    """Read a list of strings."""
    if isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value):
        return tuple(value)
    raise WrongValue("a list of texts")


def paths(value: Any) -> tuple[str, ...]:
    """Read a list of paths, or a text that holds them between commas (solc's way)."""
    found = value.split(",") if isinstance(value, str) else value
    if (
        isinstance(found, (list, tuple))
        and all(isinstance(path, str) and path for path in found)
        and "\0" not in "".join(found)
    ):
        return tuple(found)
    raise WrongValue("paths, in a list or separated by commas")


def weights(value: Any) -> tuple[int, ...]:
    """Read the four weights of the corpus mutations."""
    read = integer(0, 10**6)
    if isinstance(value, (list, tuple)) and len(value) == 4:
        try:
            return tuple(read(item) for item in value)
        except WrongValue:
            pass
    raise WrongValue("a list of four whole numbers from 0 to 1000000")


def panic_codes(value: Any) -> tuple[int, ...]:
    """Read codes of panics, each once, in ascending order."""
    code = number_or_text(integer(0, 255))
    if isinstance(value, (list, tuple)):
        try:
            return tuple(sorted({code(item) for item in value}))
        except WrongValue:
            pass
    raise WrongValue("a list of codes of panics from 0 to 255, such as [0x01, 0x11]")


def several(
    names: Sequence[str], *, every: Sequence[str], alone: Sequence[str]
) -> Reader:
    """Return a reader of some words, in a list or separated by commas.

    It gives them in the order of `names`, joined by commas.

    Args:
        names: the words.
        every: those for which `all` stands.
        alone: others, each of which stands alone.
    """

    def read(value: Any) -> str:
        words = value.split(",") if isinstance(value, str) else value
        if isinstance(words, list) and all(isinstance(word, str) for word in words):
            asked = [word.strip() for word in words]
            if len(asked) == 1 and asked[0] in alone:
                return asked[0]
            if asked == ["all"]:
                asked = list(every)
            if asked and set(asked) <= set(names):
                return ",".join(name for name in names if name in asked)
        else:
            asked = []
        short = f"all ({', '.join(every)})"
        raise WrongValue(
            f"{', '.join(names)}, {short}, {' or '.join(alone)}",
            asked,
            (*names, "all", *alone),
        )

    return read


def listed(*names: str, **others: str) -> Reader:
    """Return a reader of some words, in a list or separated by commas; also of none.

    It gives them as a tuple, in the order of `names`, each once.

    Args:
        names: the words.
        others: further ones, and for which of `names` each stands.
    """

    def read(value: Any) -> tuple[str, ...]:
        words = value.split(",") if isinstance(value, str) else value
        if isinstance(words, (list, tuple)) and all(isinstance(w, str) for w in words):
            said = [word.strip() for word in words if word.strip()]
            asked = [others.get(word, word) for word in said]
            if set(asked) <= set(names):
                return tuple(name for name in names if name in asked)
        else:
            asked = []
        raise WrongValue(f"a list of some of {', '.join(names)}", asked, names)

    return read


def choice(*names: str, note: str = "") -> Reader:
    """Return a reader of one of some words."""

    def read(value: Any) -> str:
        if isinstance(value, str) and value in names:
            return value
        raise WrongValue(f"one of {', '.join(names)}{note}", [value], names)

    return read
