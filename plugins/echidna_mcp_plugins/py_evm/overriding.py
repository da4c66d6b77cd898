"""Overrides: which call of a message another one takes the place of.

The rules are those of `echidna_mcp.evm.backend.Override`. Programs for messages with
one are decoded with a table of their own, so that others do not pay for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from eth.constants import STACK_DEPTH_LIMIT
from eth.vm import opcode_values as op

from echidna_mcp.cheatcodes.addresses import CHEATCODES, CONSOLE
from echidna_mcp_plugins.py_evm.cheating import Calling
from echidna_mcp_plugins.py_evm.message import FrameMessage, address_of

if TYPE_CHECKING:
    from eth_typing import Address

    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.table import OpcodeTable
    from echidna_mcp_plugins.py_evm.words import Operation

_MASK160: Final = (1 << 160) - 1
_STIPEND: Final = 2300
"""With no more gas than that a call pays nothing (Foundry)."""


def overriding(table: OpcodeTable, plain: OpcodeTable) -> OpcodeTable:
    """Return a table of a fork with a CALL that an override may replace.

    Args:
        table: what other calls are made with.
        plain: the table without what cheatcodes do: no prank is for the call that takes
            the place.
    """
    call = _overridable(table.ending[op.CALL], plain.ending[op.CALL])
    return replace(table, ending={**table.ending, op.CALL: call})


def _overridable(operation: Operation, plain: Operation) -> Operation:
    def call(stack: list[int], frame: Frame) -> None:
        scope = frame.scope
        if not _may_be_replaced(frame, stack[-2] & _MASK160, stack[-3]):
            operation(stack, frame)
        elif not scope.override_after:
            frame.calling = Calling("call", overridden=True)
            plain(stack, frame)
        else:
            frame.passes_over = True
            operation(stack, frame)
            pass_over(frame)  # A call that was not made, for want of money of a prank.

    return call


def _may_be_replaced(frame: Frame, target: int, value: int) -> bool:
    """Whether a CALL that a frame is about to make may be replaced."""
    scope = frame.scope
    override = scope.override
    if override is None or scope.overridden or target in (CHEATCODES, CONSOLE):
        return False
    caller = int.from_bytes(frame.address, "big")
    return (
        caller not in (override.spared, scope.sender)
        and (caller in override.targets or target in override.targets)
        and value <= frame.state.get_balance(frame.address)
        and frame.msg.depth < STACK_DEPTH_LIMIT
    )


def pass_over(frame: Frame) -> None:
    """Take note that a frame makes a call that is passed over, if it does."""
    if frame.passes_over:
        frame.passes_over = False
        frame.scope.override_after -= 1


def overriding_message(
    frame: Frame, callee: Address, gas: int, value: int, *, is_static: bool
) -> FrameMessage:
    """Return the message in place of that for a call; that one is paid for.

    Args:
        frame: it calls.
        callee: whom it calls.
        gas: what the callee gets.
        value: wei.
        is_static: whether nothing may change.
    """
    scope, state = frame.scope, frame.state
    override = scope.override
    assert override is not None, "there is one if a call is replaced"
    scope.overridden = True
    frame.calling.overridden = False  # The next call of the frame is another one.
    if value and gas > _STIPEND:
        state.set_balance(frame.address, state.get_balance(frame.address) - value)
        state.set_balance(callee, state.get_balance(callee) + value)
    target = address_of(override.to)
    return FrameMessage(
        gas=gas,
        to=target,
        sender=callee,
        value=0,
        data=override.data,
        code=state.get_code(target),
        depth=frame.msg.depth + 1,
        is_static=is_static,
    )
