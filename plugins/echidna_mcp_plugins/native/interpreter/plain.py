"""The interpreter in plain Python: what the native one is held against."""

from __future__ import annotations

from echidna_mcp.kernel.language.memory import peek256, poke256, wrap64
from echidna_mcp_plugins.native.code import decode
from echidna_mcp_plugins.native.code.decode import immediate_words
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.code.fusion import tokens_of
from echidna_mcp_plugins.native.frames.frames import leave
from echidna_mcp_plugins.native.interpreter.control import enter_block, jump_target
from echidna_mcp_plugins.native.opcodes.isa import token_operations
from echidna_mcp_plugins.native.opcodes.opcode import ENTERED
from echidna_mcp_plugins.native.state.machine import FAULT_NONE, Machine

SLOT = 32

_STOPPED = 0
"""No handler stands at this index of the stream."""


def execute(m: Machine) -> None:
    """Run from `m.resume` until the first frame has ended.

    Handlers are numbers of tokens and superinstructions.
    """
    at = m.resume
    while at != _STOPPED:
        at = _handle(m, m.stream[at], at + 1)


def _handle(m: Machine, handler: int, at: int) -> int:
    """Run a handler whose immediates begin at index `at`; return the next one."""
    for token in tokens_of(handler):
        elsewhere = _step(m, token, at)
        if elsewhere is not None:
            return elsewhere
        at += immediate_words(token)
    return at


def _step(m: Machine, token: int, at: int) -> int | None:  # noqa: C901, PLR0912 - a case a token
    """Run a token; return where to go on if not with the next one."""
    match token:
        case decode.BLOCK:
            height = m.stack_top - m.stack_base
            bounds, gas, row = m.stream[at : at + 3]
            if enter_block(m, height, bounds, gas, row) == 0:
                return _leave(m)
        case decode.PUSH:
            _push(m, m.stream[at])
        case decode.PUSH_WIDE:
            _push(m, sum(m.stream[at + i] << 64 * i for i in range(4)))
        case decode.PUSH0:
            _push(m, 0)
        case decode.JUMP_TO:
            return wrap64(at + m.stream[at])
        case decode.JUMPI_TO:
            if _pop(m):
                return wrap64(at + m.stream[at])
        case decode.JUMP:
            return jump_target(m, _pop(m)) or _leave(m)
        case decode.JUMPI:
            position, condition = _pop(m), _pop(m)
            if condition:
                return jump_target(m, position) or _leave(m)
        case decode.POP:
            _pop(m)
        case _ if decode.DUP1 <= token <= decode.DUP16:
            _push(m, peek256(m.stack, m.stack_top - SLOT * (token - decode.DUP1 + 1)))
        case _ if decode.SWAP1 <= token <= decode.SWAP16:
            _swap(m, token - decode.SWAP1 + 1)
        case _:
            return _operate(m, token, at)
    return None


def _operate(m: Machine, token: int, at: int) -> int | None:
    """Run an opcode that has a function."""
    opcode = token_operations()[token]
    assert opcode.function is not None
    m.resume = at
    operands = [_pop(m) for _ in range(opcode.pops)]
    machine = [m] if opcode.machine else []
    result = opcode.function(*machine, *operands)
    if opcode.flow is Flow.END or m.fault != FAULT_NONE:
        assert opcode.flow is Flow.END or opcode.fallible
        return _leave(m)
    if opcode.flow is Flow.CALL and result == ENTERED:
        return m.resume
    if opcode.pushes:
        _push(m, result)
    return None


def _leave(m: Machine) -> int:
    """End the frame; return where another one goes on."""
    return m.resume if leave(m) else _STOPPED


def _push(m: Machine, word: int) -> None:
    poke256(m.stack, m.stack_top, word)
    m.stack_top += SLOT


def _pop(m: Machine) -> int:
    m.stack_top -= SLOT
    return peek256(m.stack, m.stack_top)


def _swap(m: Machine, depth: int) -> None:
    top, other = m.stack_top - SLOT, m.stack_top - SLOT * (depth + 1)
    word = peek256(m.stack, top)
    poke256(m.stack, top, peek256(m.stack, other))
    poke256(m.stack, other, word)
