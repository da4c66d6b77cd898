"""Decoded programs read back: their blocks, token by token.

A stream has the same layout in every process, whatever its handlers stand for: the
places below are distances in it. So what is compiled from one machine's stream fits
that of any other machine that has decoded the same code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from echidna_mcp.evm.backend import BackendConfig
from echidna_mcp.evm.fork import ForkName
from echidna_mcp.kernel.language.memory import load64, wrap64
from echidna_mcp_plugins.native.code import decode
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.code.fusion import tokens_of
from echidna_mcp_plugins.native.code.programs import intern_code
from echidna_mcp_plugins.native.host.library import NativeCode
from echidna_mcp_plugins.native.opcodes.isa import token_operations
from echidna_mcp_plugins.native.state.machine import (
    BLOCK_ROW,
    BLOCK_START,
    FAULT_NONE,
    PROGRAM_BLOCKS,
    PROGRAM_STREAM,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import Fork

NO_BLOCK = -1


class Token(NamedTuple):
    """A token of a stream.

    Attributes:
        number: see `decode`.
        at: index of its first immediate, or of what follows it, from the beginning of
            the program's stream on.
        immediates: its words.
    """

    number: int
    at: int
    immediates: tuple[int, ...]


@dataclass(slots=True)
class Block:
    """A block of code.

    Attributes:
        start: program counter of the first instruction.
        number: of the block, among those of its program.
        head: index of its first word, from the beginning of the program's stream on.
        tokens: all after `BLOCK`.
        bounds, gas: the first immediates of `BLOCK`.
        follower: the block into which it runs on, if it does. After the last one comes
            the STOP at the end of the code, with `NO_BLOCK` for its start.
    """

    start: int
    number: int
    head: int
    bounds: int
    gas: int
    tokens: list[Token] = field(default_factory=list)
    follower: Block | None = None


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a program.

    Attributes:
        by_start: all, by program counter.
        by_head: the same, by `Block.head`.
        jumpdests: those that begin with a JUMPDEST, by program counter.
    """

    by_start: Mapping[int, Block]
    by_head: Mapping[int, Block]
    jumpdests: Mapping[int, Block]

    def target(self, token: Token) -> Block | None:
        """Return where a `JUMP_TO` or `JUMPI_TO` leads; None of any other token."""
        if token.number not in (decode.JUMP_TO, decode.JUMPI_TO):
            return None
        return self.by_head[wrap64(token.at + token.immediates[0])]


def read_blocks(code: bytes, fork: Fork) -> Blocks:
    """Decode some code, which is not empty, as machines of that fork do."""
    name = cast("ForkName", fork.name.lower())
    m = NativeCode("plain", None).machine(BackendConfig(fork=name))
    program = intern_code(m, bytearray(code), 0, len(code))
    decode.decode(m, program)
    assert m.fault == FAULT_NONE, "there is room for the code of any account"
    found = _parse(m, program)
    return Blocks(
        by_start={block.start: block for block in found},
        by_head={block.head: block for block in found},
        jumpdests={
            block.start: block
            for block in found
            if code[block.start] == decode.JUMPDEST
        },
    )


def _parse(m: Machine, program: int) -> list[Block]:
    """Return the blocks of a machine in plain Python, where handlers are numbers."""
    first = load64(m.programs, program + PROGRAM_STREAM)
    rows = load64(m.programs, program + PROGRAM_BLOCKS)
    found: list[Block] = []
    at = first
    while at < m.stream_end - 1:
        here = at
        run = tokens_of(m.stream[at])
        at += 1
        for token in run:
            end = at + decode.immediate_words(token)
            words = tuple(m.stream[at:end])
            if token == decode.BLOCK:
                bounds, gas, row = words
                start = load64(m.blocks, row + BLOCK_START)
                number = (row - rows) // BLOCK_ROW
                block = Block(start, number, here - first, bounds, gas)
                if found and _runs_on(found[-1]):
                    found[-1].follower = block
                found.append(block)
            else:
                found[-1].tokens.append(Token(token, at - first, words))
            at = end
    if _runs_on(found[-1]):
        found[-1].follower = Block(NO_BLOCK, NO_BLOCK, at - first, 0, 0)
    return found


def _runs_on(block: Block) -> bool:
    """Whether execution may go on after the last token of a block."""
    return not block.tokens or not _ends(block.tokens[-1].number)


def _ends(token: int) -> bool:
    if token in (decode.JUMP, decode.JUMP_TO):
        return True
    opcode = token_operations().get(token)
    return opcode is not None and opcode.flow is Flow.END
