"""`expectRevert`, `expectEmit`, `expectCall`, `expectCreate`: what must happen next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.held import (
    ExpectedCall,
    ExpectedCreate,
    ExpectedEmit,
    ExpectedRevert,
)
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

Checks = tuple[bool, bool, bool, bool, bool]
_ALL: Final[Checks] = (True, True, True, True, True)
_STIPEND: Final = 2300

# ---------------------------------------------------------------------- expectRevert


@cheat("expectRevert()", "expectRevert(uint64)")
def expect_revert(cheats: Cheats, site: Site, count: int = 1) -> None:
    """Expect that the next call reverts."""
    _expect_revert(cheats, site, count=count)


@cheat(
    *("expectRevert(bytes)", "expectRevert(bytes4)"),
    *("expectRevert(bytes,uint64)", "expectRevert(bytes4,uint64)"),
)
def expect_revert_with(cheats: Cheats, site: Site, data: bytes, count: int = 1) -> None:
    """Expect that it does with these data, or this text."""
    _expect_revert(cheats, site, data=data, count=count)


@cheat("expectRevert(address)", "expectRevert(address,uint64)")
def expect_revert_of(cheats: Cheats, site: Site, reverter: int, count: int = 1) -> None:
    """Expect that the contract at an address reverts in it."""
    _expect_revert(cheats, site, reverter=reverter, count=count)


@cheat(
    *("expectRevert(bytes,address)", "expectRevert(bytes4,address)"),
    *("expectRevert(bytes,address,uint64)", "expectRevert(bytes4,address,uint64)"),
)
def expect_revert_with_of(
    cheats: Cheats, site: Site, data: bytes, reverter: int, count: int = 1
) -> None:
    """Expect both."""
    _expect_revert(cheats, site, data=data, reverter=reverter, count=count)


@cheat("expectPartialRevert(bytes4)")
def expect_partial_revert(cheats: Cheats, site: Site, data: bytes) -> None:
    """Expect that the next call reverts with data that begin so."""
    _expect_revert(cheats, site, data=data, partial=True)


@cheat("expectPartialRevert(bytes4,address)")
def expect_partial_revert_of(
    cheats: Cheats, site: Site, data: bytes, reverter: int
) -> None:
    """Expect that, and that the contract at an address does it."""
    _expect_revert(cheats, site, data=data, partial=True, reverter=reverter)


def _expect_revert(
    cheats: Cheats,
    site: Site,
    *,
    data: bytes | None = None,
    partial: bool = False,
    reverter: int | None = None,
    count: int = 1,
) -> None:
    if cheats.held.expected_revert is not None:
        raise CheatError(
            "you must call another function prior to expecting a second revert"
        )
    cheats.held.expected_revert = ExpectedRevert(
        depth=site.depth,
        deepest=site.depth,
        data=data,
        partial=partial,
        reverter=reverter,
        count=count,
    )


# ------------------------------------------------------------------------ expectEmit


@cheat("expectEmit()", "expectEmit(uint64)")
def expect_emit(cheats: Cheats, site: Site, count: int = 1) -> None:
    """Expect a log like the next one that the caller emits."""
    _expect_emit(cheats, site, _ALL, count=count)


@cheat("expectEmit(address)", "expectEmit(address,uint64)")
def expect_emit_of(cheats: Cheats, site: Site, address: int, count: int = 1) -> None:
    """Expect it of the contract at an address."""
    _expect_emit(cheats, site, _ALL, address=address, count=count)


@cheat("expectEmit(bool,bool,bool,bool)", "expectEmit(bool,bool,bool,bool,uint64)")
def expect_similar_emit(
    cheats: Cheats, site: Site, a: int, b: int, c: int, data: int, count: int = 1
) -> None:
    """Expect one that is alike in some topics and in the data."""
    checks = (True, bool(a), bool(b), bool(c), bool(data))
    _expect_emit(cheats, site, checks, count=count)


@cheat(
    "expectEmit(bool,bool,bool,bool,address)",
    "expectEmit(bool,bool,bool,bool,address,uint64)",
)
def expect_similar_emit_of(
    cheats: Cheats,
    site: Site,
    a: int,
    b: int,
    c: int,
    data: int,
    address: int,
    count: int = 1,
) -> None:
    """Expect it of the contract at an address."""
    checks = (True, bool(a), bool(b), bool(c), bool(data))
    _expect_emit(cheats, site, checks, address=address, count=count)


@cheat("expectEmitAnonymous()")
def expect_anonymous(cheats: Cheats, site: Site) -> None:
    """Expect an anonymous log."""
    _expect_emit(cheats, site, _ALL, anonymous=True)


@cheat("expectEmitAnonymous(address)")
def expect_anonymous_of(cheats: Cheats, site: Site, address: int) -> None:
    """Expect it of the contract at an address."""
    _expect_emit(cheats, site, _ALL, address=address, anonymous=True)


@cheat("expectEmitAnonymous(bool,bool,bool,bool,bool)")
def expect_similar_anonymous(
    cheats: Cheats, site: Site, a: int, b: int, c: int, d: int, data: int
) -> None:
    """Expect one that is alike in some topics and in the data."""
    checks = (bool(a), bool(b), bool(c), bool(d), bool(data))
    _expect_emit(cheats, site, checks, anonymous=True)


@cheat("expectEmitAnonymous(bool,bool,bool,bool,bool,address)")
def expect_similar_anonymous_of(
    cheats: Cheats,
    site: Site,
    a: int,
    b: int,
    c: int,
    d: int,
    data: int,
    address: int,
) -> None:
    """Expect it of the contract at an address."""
    checks = (bool(a), bool(b), bool(c), bool(d), bool(data))
    _expect_emit(cheats, site, checks, address=address, anonymous=True)


def _expect_emit(
    cheats: Cheats,
    site: Site,
    checks: Checks,
    *,
    address: int | None = None,
    anonymous: bool = False,
    count: int = 1,
) -> None:
    held = cheats.held
    expected = ExpectedEmit(
        depth=site.depth,
        checks=checks,
        address=address,
        anonymous=anonymous,
        count=count,
    )
    # Those that were found stand at the end of the queue.
    queue = held.expected_emits
    at = next((i for i, each in enumerate(queue) if each.found), len(queue))
    held.expected_emits = (*queue[:at], expected, *queue[at:])


# ------------------------------------------------------------------------ expectCall


@cheat("expectCall(address,bytes)", "expectCall(address,bytes,uint64)")
def expect_call(
    cheats: Cheats, _site: Site, address: int, data: bytes, count: int | None = None
) -> None:
    """Expect a call so many times before the message ends, or at least once."""
    _expect_call(cheats, ExpectedCall(address=address, data=data, count=count))


@cheat(
    "expectCall(address,uint256,bytes)",
    "expectCall(address,uint256,bytes,uint64)",
)
def expect_paid_call(
    cheats: Cheats,
    _site: Site,
    address: int,
    value: int,
    data: bytes,
    count: int | None = None,
) -> None:
    """Expect a call that sends so much."""
    new = ExpectedCall(address=address, data=data, value=value, count=count)
    _expect_call(cheats, new)


@cheat(
    "expectCall(address,uint256,uint64,bytes)",
    "expectCall(address,uint256,uint64,bytes,uint64)",
)
def expect_call_with_gas(
    cheats: Cheats,
    _site: Site,
    address: int,
    value: int,
    gas: int,
    data: bytes,
    count: int | None = None,
) -> None:
    """Expect one that sends so much, and asks for so much gas."""
    gas += _stipend(value)
    new = ExpectedCall(address=address, data=data, value=value, gas=gas, count=count)
    _expect_call(cheats, new)


@cheat(
    "expectCallMinGas(address,uint256,uint64,bytes)",
    "expectCallMinGas(address,uint256,uint64,bytes,uint64)",
)
def expect_call_with_min_gas(
    cheats: Cheats,
    _site: Site,
    address: int,
    value: int,
    gas: int,
    data: bytes,
    count: int | None = None,
) -> None:
    """Expect one that sends so much, and asks for no less gas."""
    least = gas + _stipend(value)
    new = ExpectedCall(
        address=address, data=data, value=value, min_gas=least, count=count
    )
    _expect_call(cheats, new)


def _stipend(value: int) -> int:
    """Return the gas that a transfer gives on top."""
    return _STIPEND if value else 0


def _expect_call(cheats: Cheats, new: ExpectedCall) -> None:
    held = cheats.held
    for each in held.expected_calls:
        if (each.address, each.data) != (new.address, new.data):
            continue
        if new.count is not None or each.count is not None:
            raise CheatError(
                "counted expected calls can only bet set once"
                if new.count is not None
                else "cannot overwrite a counted expectCall with a non-counted "
                "expectCall"
            )
        # Not counted: each further one asks for one more call, like the first one.
        again = replace(each, at_least=each.at_least + 1)
        held.expected_calls = tuple(
            again if e is each else e for e in held.expected_calls
        )
        return
    held.expected_calls = (*held.expected_calls, new)


# ---------------------------------------------------------------------- expectCreate


@cheat("expectCreate(bytes,address)")
def expect_create(cheats: Cheats, _site: Site, code: bytes, creator: int) -> None:
    """Expect that somebody creates a contract with some runtime code."""
    new = ExpectedCreate(code, creator, salted=False)
    cheats.held.expected_creates = (*cheats.held.expected_creates, new)


@cheat("expectCreate2(bytes,address)")
def expect_create2(cheats: Cheats, _site: Site, code: bytes, creator: int) -> None:
    """Expect that somebody does by CREATE2."""
    new = ExpectedCreate(code, creator, salted=True)
    cheats.held.expected_creates = (*cheats.held.expected_creates, new)
