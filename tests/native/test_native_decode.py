"""Blocks and jump tables against a second definition of both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import pytest
from eth.vm.code_stream import CodeStream
from evm_assembler import assemble
from hypothesis import example, given
from hypothesis import strategies as st
from random_programs import Generator

from echidna_mcp.kernel.language.arena import arena
from echidna_mcp.kernel.language.memory import load32, load64, store64, words
from echidna_mcp.kernel.language.record import blank
from echidna_mcp_plugins.native.code import decode
from echidna_mcp_plugins.native.code.fusion import trie
from echidna_mcp_plugins.native.opcodes.isa import instruction_table
from echidna_mcp_plugins.native.state import machine as layout
from echidna_mcp_plugins.native.state.machine import Machine
from echidna_mcp_plugins.native.state.rules import Fork
from echidna_mcp_plugins.py_evm.fork import rules_of

TABLE = rules_of("cancun").table
SPLITTING = {0x57, 0x5A, 0x55, 0xF0, 0xF1, 0xF2, 0xF4, 0xF5, 0xFA}
ENDING = {0x00, 0x56, 0xF3, 0xFD, 0xFE, 0xFF}
PROGRAM = layout.PROGRAM_ROW
CODE_START = 100
"""Codes begin anywhere."""


@dataclass(frozen=True)
class Block:
    start: int
    last: int
    gas: int
    count: int
    heights: tuple[int, int] | None
    """Lowest and highest stack height at which it can be entered."""


def machine(
    code: bytes, runs: Sequence[Sequence[int]] = (), room: int = 1 << 20
) -> Machine:
    m = blank(Machine)
    m.code = bytearray(CODE_START) + code + bytearray(1)
    m.jumps = bytearray(b"\xee" * 4 * len(m.code))
    m.programs = bytearray(2 * layout.PROGRAM_ROW)
    store64(m.programs, PROGRAM + layout.PROGRAM_CODE, CODE_START)
    store64(m.programs, PROGRAM + layout.PROGRAM_SIZE, len(code))
    m.blocks = arena(room * 8)
    m.block_limit = len(m.blocks)
    m.block_end = layout.BLOCK_ROW
    m.stream = arena(room * 8).cast("Q")
    m.stream_limit = len(m.stream)
    m.stream_end = 1
    m.instructions = words(instruction_table(Fork.CANCUN))
    m.handlers = words(list(range(decode.TOKENS + len(runs))))
    m.fusions = words(trie(runs))
    return m


def decoded(code: bytes, runs: Sequence[Sequence[int]] = ()) -> Machine:
    m = machine(code, runs)
    decode.decode(m, PROGRAM)
    assert m.fault == layout.FAULT_NONE
    return m


def rows(m: Machine) -> list[int]:
    first = load64(m.programs, PROGRAM + layout.PROGRAM_BLOCKS)
    count = load64(m.programs, PROGRAM + layout.PROGRAM_BLOCK_COUNT)
    return [first + i * layout.BLOCK_ROW for i in range(count)]


def tokens(
    m: Machine, runs: Sequence[Sequence[int]] = ()
) -> Iterator[tuple[int, int, list[int]]]:
    """Yield index of the handler, token and immediates, as an interpreter goes."""
    at = load64(m.programs, PROGRAM + layout.PROGRAM_STREAM)
    while at < m.stream_end:
        handler, index = m.stream[at], at
        at += 1
        run = runs[handler - decode.TOKENS] if handler >= decode.TOKENS else [handler]
        for token in run:
            count = decode.immediate_words(token)
            immediates = list(m.stream[at : at + count])
            if token in (decode.JUMP_TO, decode.JUMPI_TO):
                immediates = [(at + immediates[0]) % (1 << 64)]
            yield index, token, immediates
            at += count
    assert at == m.stream_end


def blocks(m: Machine, runs: Sequence[Sequence[int]] = ()) -> list[Block]:
    heads = {
        immediates[2]: immediates
        for _, token, immediates in tokens(m, runs)
        if token == decode.BLOCK
    }
    assert sorted(heads) == rows(m)
    found = []
    for row in rows(m):
        bounds, gas, _ = heads[row]
        low, span = bounds & 0xFFFF, bounds >> 16 & 0xFFFF
        assert low % 32 == span % 32 == 0
        assert load64(m.blocks, row + layout.BLOCK_PROGRAM) == PROGRAM
        heights = (low // 32, (low + span) // 32)
        found.append(
            Block(
                start=load64(m.blocks, row + layout.BLOCK_START),
                last=load64(m.blocks, row + layout.BLOCK_LAST),
                gas=gas,
                count=bounds >> 32,
                heights=None if low // 32 > 1024 else heights,
            )
        )
    return found


def is_jumpdest(code: bytes) -> list[bool]:
    stream = CodeStream(code)
    return [byte == 0x5B and stream.is_valid_opcode(at) for at, byte in enumerate(code)]


def expected_blocks(code: bytes) -> list[Block]:
    """Return the blocks that the seam defines, by pc."""
    found = []
    group: list[int] = []
    reachable = True
    pc = 0
    while pc < len(code):
        opcode = code[pc]
        if opcode == 0x5B:
            if group:
                found.append(summary(code, group))
            group, reachable = [], True
        if reachable:
            group.append(pc)
        pc += 1 + (opcode - 0x5F if 0x5F < opcode < 0x80 else 0)
        ends = opcode in ENDING or opcode not in TABLE.effects
        if reachable and (ends or opcode in SPLITTING):
            found.append(summary(code, group))
            group, reachable = [], not ends
    if group:
        found.append(summary(code, group))
    return found


def summary(code: bytes, group: list[int]) -> Block:
    opcodes = [code[pc] for pc in group]

    def fits(height: int) -> bool:
        for opcode in opcodes:
            pops, pushes = TABLE.effects.get(opcode, (0, 0))
            height -= pops
            if height < 0:
                return False
            height += pushes
            if height > 1024:
                return False
        return True

    good = [height for height in range(1025) if fits(height)]
    return Block(
        start=group[0],
        last=group[-1],
        gas=sum(TABLE.gas.get(opcode, 0) for opcode in opcodes),
        count=len(group),
        heights=(good[0], good[-1]) if good else None,
    )


FREQUENT = [0x5B, 0x56, 0x57, 0x5A, 0x60, 0x61, 0x7F, 0x58, 0x80, 0x90, 0x50, 0x55, 0]
FREQUENT += [0x03, 0x18, 0x15, 0x5F]
codes = st.one_of(
    st.binary(max_size=80),
    st.lists(
        st.sampled_from(FREQUENT) | st.integers(0, 255) | st.integers(0, 40),
        max_size=80,
    ).map(bytes),
)


@given(code=codes)
@example(code=b"")
@example(code=bytes([0x7F]))
@example(code=bytes([0x60, 0x5B, 0x56]))
@example(code=bytes([0x5B, 0x60, 0, 0x56]))
@example(code=assemble("SUB 0x0 JUMPI XOR ISZERO ISZERO 0x1 JUMPI XOR ISZERO JUMPI"))
@example(code=assemble("DUP1 " * 1100))
@example(code=assemble("DUP1 " * 1023, "DUP16"))
@example(code=assemble("POP " * 1100))
@example(code=assemble("POP " * 1025))
@example(code=assemble("POP " * 1024))
def test_blocks_are_those_of_the_seam(code: bytes) -> None:
    assert blocks(decoded(code)) == expected_blocks(code)


@given(code=codes)
def test_the_jump_table_leads_to_the_blocks_of_all_jumpdests(code: bytes) -> None:
    m = decoded(code)
    heads = {
        index: load64(m.blocks, immediates[2] + layout.BLOCK_START)
        for index, token, immediates in tokens(m)
        if token == decode.BLOCK
    }
    for pc, valid in enumerate(is_jumpdest(code)):
        index = load32(m.jumps, 4 * (CODE_START + pc))
        assert (heads.get(index) == pc) if valid else index == 0


_PUSHES = "|".join(rf"\x{0x5F + n:x}.{{{n}}}" for n in range(33))
DECIDES = re.compile(rf"\x15*(?:{_PUSHES})\x57".encode(), re.DOTALL)
"""What follows a SUB or XOR that counts as a comparison."""
DECIDING = {0x03: decode.DECIDING_SUB, 0x18: decode.DECIDING_XOR}


def expected_tokens(code: bytes) -> list[tuple[int, list[int]]]:
    """Return the tokens of reachable code; the immediate of a jump is its target."""
    found: list[tuple[int, list[int]]] = []
    valid = is_jumpdest(code)
    for block in expected_blocks(code):
        found.append((decode.BLOCK, [block.start]))
        pc, before = block.start, 0
        while pc <= block.last:
            opcode = code[pc]
            size = opcode - 0x5F if 0x5F < opcode < 0x80 else 0
            data = code[pc + 1 : pc + 1 + size].ljust(size, b"\0")
            if size or opcode == 0x58:
                word = int.from_bytes(data, "big") if size else pc
                narrow = word < 1 << 64
                limbs = [word >> 64 * i & (1 << 64) - 1 for i in range(4)]
                found.append(
                    (decode.PUSH, [word]) if narrow else (decode.PUSH_WIDE, limbs)
                )
            elif opcode in {0x56, 0x57} and found[-1][0] == decode.PUSH:
                target = found[-1][1][0]
                if target < len(code) and valid[target]:
                    del found[-1]
                    static = decode.JUMP_TO if opcode == 0x56 else decode.JUMPI_TO
                    found.append((static, [target]))
                else:
                    found.append((opcode, []))
            elif opcode in DECIDING and DECIDES.match(code, pc + 1):
                found.append((DECIDING[opcode], []))
            elif opcode == 0x15 and (
                pc == block.start or before not in {0x03, 0x18, *range(0x10, 0x16)}
            ):
                found.append((decode.NUMBER_IS_ZERO, []))
            elif opcode != 0x5B:
                defined = opcode in TABLE.effects
                found.append((opcode if defined else decode.INVALID, []))
            before = opcode
            pc += 1 + size
    return [*found, (decode.STOP, [])]


def found_tokens(
    m: Machine, runs: Sequence[Sequence[int]] = ()
) -> list[tuple[int, list[int]]]:
    every = list(tokens(m, runs))
    starts = {
        index: load64(m.blocks, immediates[2] + layout.BLOCK_START)
        for index, token, immediates in every
        if token == decode.BLOCK
    }
    found = []
    for _, token, words_of in every:
        if token == decode.BLOCK:
            found.append((token, [load64(m.blocks, words_of[2] + layout.BLOCK_START)]))
        elif token in (decode.JUMP_TO, decode.JUMPI_TO):
            found.append((token, [starts[words_of[0]]]))
        else:
            found.append((token, words_of))
    return found


@given(code=codes)
@example(code=assemble("JUMPDEST SUB 0x0 JUMPI XOR ISZERO ISZERO 0x1 JUMPI XOR JUMPI"))
@example(code=assemble("JUMPDEST SUB", b"\x62\x00\x00\x00\x57"))
@example(code=assemble("SUB", b"\x62\x00\x57"))
def test_the_stream_says_what_the_code_says(code: bytes) -> None:
    assert found_tokens(decoded(code)) == expected_tokens(code)


@given(
    code=codes,
    runs=st.lists(
        st.lists(st.sampled_from([*FREQUENT, decode.JUMP_TO, 1, 2]), min_size=2).map(
            tuple
        ),
        unique=True,
    ),
)
def test_superinstructions_change_nothing_but_handlers(
    code: bytes, runs: list[tuple[int, ...]]
) -> None:
    m = decoded(code, runs)
    assert found_tokens(m, runs) == expected_tokens(code)
    assert blocks(m, runs) == expected_blocks(code)


def test_the_longest_superinstruction_is_taken() -> None:
    add, mul, pop = 0x01, 0x02, 0x50
    runs = [(add, mul), (add, mul, pop), (add, mul, pop, pop, add), (pop, add)]
    code = assemble("ADD MUL POP POP MUL ADD MUL MUL POP ADD")
    m = decoded(code, runs)
    handlers = [
        m.stream[index] for index in sorted({at for at, _, _ in tokens(m, runs)})
    ]
    assert handlers == [decode.BLOCK, 257, pop, mul, 256, mul, 259, decode.STOP]


def test_programs_that_mostly_end_well_decode_alike() -> None:
    generator = Generator(Random(5), [0x1234])
    for _ in range(30):
        code = generator.program()
        m = decoded(code)
        assert found_tokens(m) == expected_tokens(code)
        assert blocks(m) == expected_blocks(code)


@pytest.mark.parametrize("what", ["stream", "block"])
def test_a_full_buffer_is_a_fault_and_changes_nothing(what: str) -> None:
    m = machine(assemble("GAS " * 100))
    setattr(m, f"{what}_limit", {"stream": 400, "block": 4000}[what])
    decode.decode(m, PROGRAM)
    assert m.fault == layout.FAULT_CAPACITY
    assert (m.stream_end, m.block_end) == (1, layout.BLOCK_ROW)
    assert load64(m.programs, PROGRAM + layout.PROGRAM_STREAM) == 0


def test_a_block_may_be_as_long_as_code_can_be() -> None:
    code = assemble("CALLER POP " * 30_000)
    (block,) = blocks(decoded(code))
    assert block == Block(
        start=0,
        last=59_999,
        gas=120_000,
        count=60_000,
        heights=(0, 1023),
    )
