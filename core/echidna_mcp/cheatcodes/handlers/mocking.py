"""`mockCall` and `mockFunction`: calls that are answered without code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.cheatcodes.addresses import STUB
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.held import Mock
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats


@cheat("mockCall(address,bytes,bytes)", "mockCall(address,bytes4,bytes)")
def mock_call(
    cheats: Cheats, _site: Site, address: int, data: bytes, output: bytes
) -> None:
    """Answer all calls of an account whose calldata begin so."""
    _mock(cheats, address, data, None, ((True, output),))


@cheat(
    "mockCall(address,uint256,bytes,bytes)", "mockCall(address,uint256,bytes4,bytes)"
)
def mock_call_with_value(
    cheats: Cheats, _site: Site, address: int, value: int, data: bytes, output: bytes
) -> None:
    """Do the same with calls that send so much."""
    _mock(cheats, address, data, value, ((True, output),))


@cheat("mockCallRevert(address,bytes,bytes)", "mockCallRevert(address,bytes4,bytes)")
def mock_revert(
    cheats: Cheats, _site: Site, address: int, data: bytes, output: bytes
) -> None:
    """Let all calls of an account revert whose calldata begin so."""
    _mock(cheats, address, data, None, ((False, output),))


@cheat(
    "mockCallRevert(address,uint256,bytes,bytes)",
    "mockCallRevert(address,uint256,bytes4,bytes)",
)
def mock_revert_with_value(
    cheats: Cheats, _site: Site, address: int, value: int, data: bytes, output: bytes
) -> None:
    """Do the same with calls that send so much."""
    _mock(cheats, address, data, value, ((False, output),))


@cheat("mockCalls(address,bytes,bytes[])")
def mock_calls(
    cheats: Cheats, _site: Site, address: int, data: bytes, outputs: tuple[bytes, ...]
) -> None:
    """Answer such calls one after the other; the last answer stays."""
    _mock(cheats, address, data, None, tuple((True, each) for each in outputs))


@cheat("mockCalls(address,uint256,bytes,bytes[])")
def mock_calls_with_value(
    cheats: Cheats,
    _site: Site,
    address: int,
    value: int,
    data: bytes,
    outputs: tuple[bytes, ...],
) -> None:
    """Do the same with calls that send so much."""
    _mock(cheats, address, data, value, tuple((True, each) for each in outputs))


@cheat("mockFunction(address,address,bytes)")
def mock_function(
    cheats: Cheats, _site: Site, callee: int, target: int, data: bytes
) -> None:
    """Let calls of an account whose calldata are or begin so run other code."""
    held = cheats.held
    held.mocked_functions = {**held.mocked_functions, (callee, data): target}


@cheat("clearMockedCalls()")
def clear_mocked_calls(cheats: Cheats, _site: Site) -> None:
    """Forget all answers."""
    cheats.held.mocks = ()


def _mock(
    cheats: Cheats,
    address: int,
    data: bytes,
    value: int | None,
    answers: tuple[tuple[bool, bytes], ...],
) -> None:
    if not answers:
        raise CheatError("no return data was given")
    held = cheats.held
    others = [
        each
        for each in held.mocks
        if (each.address, each.data, each.value) != (address, data, value)
    ]
    held.mocks = (
        *others,
        Mock(address=address, data=data, value=value, answers=answers),
    )
    if not cheats.host.code(address):
        cheats.host.set_account(address, code=STUB)  # Solidity looks for some.
