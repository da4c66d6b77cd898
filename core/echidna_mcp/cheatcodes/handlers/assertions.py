"""`assertEq` and its kin, for every type that they take.

Source: Foundry, `crates/cheatcodes/src/test/assert.rs`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.abi.foundry_text import decimal_text, shown
from echidna_mcp.cheatcodes.errors import FailedAssertionError
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_ORDERED: Final = ("uint256", "int256")
_SCALARS: Final = ("bool", *_ORDERED, "address", "bytes32", "string", "bytes")
_PERCENT: Final = 10**18
"""What stands for 100 % in `assertApproxEqRel`."""
_MOST_UINT: Final = (1 << 256) - 1


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A family of assertions.

    Attributes:
        name: of the cheatcodes.
        holds: whether the assertion does.
        opposite: what stands between the operands of one that does not.
        types: of the operands.
    """

    name: str
    holds: Callable[[Any, Any], bool]
    opposite: str
    types: Sequence[str]


_COMPARISONS: Final = (
    _Comparison(
        "assertEq",
        lambda a, b: a == b,
        "!=",
        (*_SCALARS, *(f"{each}[]" for each in _SCALARS)),
    ),
    _Comparison(
        "assertNotEq",
        lambda a, b: a != b,
        "==",
        (*_SCALARS, *(f"{each}[]" for each in _SCALARS)),
    ),
    _Comparison("assertLt", lambda a, b: a < b, ">=", _ORDERED),
    _Comparison("assertGt", lambda a, b: a > b, "<=", _ORDERED),
    _Comparison("assertLe", lambda a, b: a <= b, ">", _ORDERED),
    _Comparison("assertGe", lambda a, b: a >= b, "<", _ORDERED),
)


def _fail(cheats: Cheats, text: str, message: bytes | None) -> None:
    """Fail with what is wrong, behind a message of the author if there is one.

    Echidna passes over messages, and Medusa panics.
    """
    own = "assertion failed"
    if message is not None and cheats.settings.dialect == "foundry":
        own = message.decode("utf-8", "replace")
    whole = f"{own}: {text}" if text else own
    raise FailedAssertionError(whole, panics=cheats.settings.dialect == "medusa")


def _compare(
    comparison: _Comparison,
    kind: str,
    cheats: Cheats,
    _site: Site,
    left: Any,
    right: Any,
    message: bytes | None = None,
) -> None:
    if not comparison.holds(left, right):
        texts = shown(left, kind), shown(right, kind)
        _fail(cheats, f"{texts[0]} {comparison.opposite} {texts[1]}", message)


def _compare_decimals(
    comparison: _Comparison,
    cheats: Cheats,
    _site: Site,
    left: int,
    right: int,
    decimals: int,
    message: bytes | None = None,
) -> None:
    if not comparison.holds(left, right):
        texts = decimal_text(left, decimals), decimal_text(right, decimals)
        _fail(cheats, f"{texts[0]} {comparison.opposite} {texts[1]}", message)


for _each in _COMPARISONS:
    for _kind in _each.types:
        _plain = f"{_each.name}({_kind},{_kind}"
        cheat(f"{_plain})", f"{_plain},string)")(partial(_compare, _each, _kind))
    for _kind in _ORDERED:
        _plain = f"{_each.name}Decimal({_kind},{_kind},uint256"
        cheat(f"{_plain})", f"{_plain},string)")(partial(_compare_decimals, _each))


def _check(
    wanted: bool,
    cheats: Cheats,
    _site: Site,
    condition: int,
    message: bytes | None = None,
) -> None:
    if bool(condition) != wanted:
        _fail(cheats, "", message)


cheat("assertTrue(bool)", "assertTrue(bool,string)")(partial(_check, True))
cheat("assertFalse(bool)", "assertFalse(bool,string)")(partial(_check, False))


# ----------------------------------------------------------------------- near enough


def _is_near(
    cheats: Cheats,
    _site: Site,
    left: int,
    right: int,
    most: int,
    *rest: Any,
    decimal: bool,
) -> None:
    decimals, message = _rest(rest, decimal=decimal)
    delta = abs(left - right)
    if delta > most:
        texts = [_number(each, decimals) for each in (left, right, most, delta)]
        _fail(
            cheats,
            f"{texts[0]} !~= {texts[1]} "
            f"(max delta: {texts[2]}, real delta: {texts[3]})",
            message,
        )


def _is_relatively_near(
    cheats: Cheats,
    _site: Site,
    left: int,
    right: int,
    most: int,
    *rest: Any,
    decimal: bool,
) -> None:
    decimals, message = _rest(rest, decimal=decimal)
    delta = abs(left - right)
    if not right:
        if not left:
            return
        share: int | None = None
    else:
        share = delta * _PERCENT // abs(right)
        if delta * _PERCENT > _MOST_UINT:
            _fail(cheats, "overflow in delta calculation", message)
        if share <= most:
            return
    texts = _number(left, decimals), _number(right, decimals)
    real = "undefined" if share is None else f"{decimal_text(share, 16)}%"
    _fail(
        cheats,
        f"{texts[0]} !~= {texts[1]} "
        f"(max delta: {decimal_text(most, 16)}%, real delta: {real})",
        message,
    )


def _rest(rest: tuple[Any, ...], *, decimal: bool) -> tuple[int | None, bytes | None]:
    """Return how many decimals there are, and the message of the author."""
    decimals = rest[0] if decimal else None
    others = rest[1:] if decimal else rest
    return decimals, others[0] if others else None


def _number(value: int, decimals: int | None) -> str:
    return str(value) if decimals is None else decimal_text(value, decimals)


for _kind in _ORDERED:
    _most = "uint256"
    for _name, _near in (("Abs", _is_near), ("Rel", _is_relatively_near)):
        _plain = f"assertApproxEq{_name}({_kind},{_kind},{_most}"
        cheat(f"{_plain})", f"{_plain},string)")(partial(_near, decimal=False))
        _plain = f"assertApproxEq{_name}Decimal({_kind},{_kind},{_most},uint256"
        cheat(f"{_plain})", f"{_plain},string)")(partial(_near, decimal=True))
