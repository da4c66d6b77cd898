"""Cheatcodes in a run: those that handlers of tests begin and end with.

Whose name a call bears, the time, balances, storage, keys and signatures, what is
assumed and asserted. Others end the run. It is a model: what comes of it runs on the
EVM of the campaign in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from echidna_mcp.abi.function import selector_of
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.keys.secp256k1 import address, sign
from echidna_mcp.evm.backend import AccountState
from echidna_mcp.solving.bytestrings import ByteString, Memory
from echidna_mcp.solving.expressions import Word, value_of
from echidna_mcp.solving.state import Outcome
from echidna_mcp.solving.trace import TraceEnd

if TYPE_CHECKING:
    from echidna_mcp.solving.interpreter import Environment, Frame

CHEATING: Final = AccountState(balance=0, nonce=0, code=b"\0", storage={})
"""What stands at the address of the cheatcodes if there are any."""
_ADDRESS: Final = (1 << 160) - 1


Handler = Callable[
    ["Environment", "Frame", ByteString], Word | tuple[Word, ...] | bool | None
]
"""Returns what the cheatcode returns; nothing, or False if it reverts."""


def cheat(environment: Environment, frame: Frame, data: ByteString) -> Outcome:
    """Do what a frame asks for.

    Raises:
        TraceEnd: it is none of the cheatcodes that are known here.
    """
    handler = _HANDLERS.get(data.data[:4])
    if handler is None:
        raise TraceEnd("it calls a cheatcode")
    answer = handler(environment, frame, data)
    if answer is False:
        return Outcome(succeeded=False, output=ByteString())
    if answer is None or answer is True:
        return Outcome(succeeded=True, output=ByteString())
    words = answer if isinstance(answer, tuple) else (answer,)
    memory = Memory()
    for number, word in enumerate(words):
        memory.store(32 * number, word)
    return Outcome(succeeded=True, output=memory.read(0, 32 * len(words)))


def _argument(environment: Environment, data: ByteString, number: int) -> Word:
    return data.word(environment.trace.graph, 4 + 32 * number)


def _address(environment: Environment, data: ByteString) -> int:
    """Return the first argument, an address, as a number."""
    return environment.trace.concrete(_argument(environment, data, 0)) & _ADDRESS


def _prank(*, lasting: bool) -> Handler:
    def begin(environment: Environment, frame: Frame, data: ByteString) -> bool:
        sender = _argument(environment, data, 0)
        pranks = environment.pranks
        return pranks.begin(frame.depth, frame.address, sender, lasting=lasting)

    return begin


def _stop_prank(environment: Environment, frame: Frame, _: ByteString) -> None:
    environment.pranks.stop(frame.depth)


def _warp(environment: Environment, _: Frame, data: ByteString) -> None:
    environment.time = _argument(environment, data, 0)


def _roll(environment: Environment, _: Frame, data: ByteString) -> None:
    environment.number = _argument(environment, data, 0)


def _deal(environment: Environment, _: Frame, data: ByteString) -> None:
    amount = _argument(environment, data, 1)
    environment.state.set_balance(_address(environment, data), amount)


def _store(environment: Environment, _: Frame, data: ByteString) -> None:
    slot = environment.trace.concrete(_argument(environment, data, 1))
    word = _argument(environment, data, 2)
    environment.state.set_storage(_address(environment, data), slot, word)


def _load(environment: Environment, _: Frame, data: ByteString) -> Word:
    slot = environment.trace.concrete(_argument(environment, data, 1))
    return environment.state.storage(_address(environment, data), slot)


def _signer(environment: Environment, _: Frame, data: ByteString) -> Word | bool:
    key = environment.trace.concrete(_argument(environment, data, 0))
    try:
        return address(key)
    except CheatError:
        return False


def _sign(
    environment: Environment, _: Frame, data: ByteString
) -> tuple[Word, ...] | bool:
    key, digest = (
        environment.trace.concrete(_argument(environment, data, number))
        for number in range(2)
    )
    try:
        signature = sign(key, digest.to_bytes(32, "big"))
    except CheatError:
        return False
    return (27 + signature.odd, signature.r, signature.s)


def _nothing(_: Environment, __: Frame, ___: ByteString) -> None:
    """Do what shows nowhere."""


def _demand(operation: str, *, holds: bool = True) -> Handler:
    """Return a cheatcode that reverts unless its arguments are as they should."""

    def judge(environment: Environment, _: Frame, data: ByteString) -> bool:
        graph = environment.trace.graph
        one = _argument(environment, data, 0)
        word = one
        if operation:
            word = graph.make(operation, one, _argument(environment, data, 1))
        environment.trace.require(word)
        return (value_of(word) != 0) == holds

    return judge


_COMPARING: Final[Mapping[str, tuple[str, str, bool]]] = {
    "assertEq": ("eq", "eq", True),
    "assertNotEq": ("eq", "eq", False),
    "assertLt": ("lt", "slt", True),
    "assertGe": ("lt", "slt", False),
    "assertGt": ("gt", "sgt", True),
    "assertLe": ("gt", "sgt", False),
}
"""By name the operation on `uint256`, that on `int256`, and what it must be."""


def _assertions() -> dict[str, Handler]:
    """Return the assertions about words, with and without a text."""
    found: dict[str, Handler] = {}
    for text in ("", ",string"):
        found[f"assertTrue(bool{text})"] = _demand("")
        found[f"assertFalse(bool{text})"] = _demand("", holds=False)
        for name, (unsigned, signed, holds) in _COMPARING.items():
            kinds = {"uint256": unsigned, "int256": signed}
            if unsigned == "eq":
                kinds |= dict.fromkeys(("address", "bool", "bytes32"), "eq")
            for kind, operation in kinds.items():
                signature = f"{name}({kind},{kind}{text})"
                found[signature] = _demand(operation, holds=holds)
    return found


_HANDLERS: Final[Mapping[bytes, Handler]] = {
    selector_of(signature): handler
    for signature, handler in {
        "prank(address)": _prank(lasting=False),
        "startPrank(address)": _prank(lasting=True),
        "stopPrank()": _stop_prank,
        "warp(uint256)": _warp,
        "roll(uint256)": _roll,
        "getBlockTimestamp()": lambda environment, _, __: environment.time,
        "getBlockNumber()": lambda environment, _, __: environment.number,
        "deal(address,uint256)": _deal,
        "store(address,bytes32,bytes32)": _store,
        "load(address,bytes32)": _load,
        "addr(uint256)": _signer,
        "sign(uint256,bytes32)": _sign,
        "label(address,string)": _nothing,
        "assume(bool)": _demand(""),
        **_assertions(),
    }.items()
}
