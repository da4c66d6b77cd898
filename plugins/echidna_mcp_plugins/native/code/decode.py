"""Decodes code to the stream of words that the interpreter runs.

A stream is a run of handlers, each followed by its immediates. A handler stands for one
token or for several in a row (a superinstruction, whose immediates are those of its
tokens, in order). Tokens are numbered like opcodes, apart from these:

* `BLOCK`, where the block begins, with the three immediates of `control.enter_block`:
  what stack heights are in bounds and the number of instructions, static gas, row.
* `PUSH`, of a word below 2^64 (and PC): the word. `PUSH_WIDE`: four words, the lowest
  first. PUSH0 has a token of its own.
* `JUMP_TO`, `JUMPI_TO`: a PUSH and a jump to where it says, which is a JUMPDEST: the
  distance in words, modulo 2^64, from this immediate to the block.
* `DECIDING_SUB`, `DECIDING_XOR`: SUB and XOR that the seam counts as comparisons.
* `NUMBER_IS_ZERO`: an ISZERO that may be one of a number above 1.
* `INVALID` for all undefined opcodes. PC, JUMPDEST and PUSH1 to PUSH32 have no token.

Blocks are what the seam says (`echidna_mcp.evm.backend`). A block that is followed by
another one runs on into it. After the last one there is a STOP, which is no
instruction.

Superinstructions are found in a trie, `Machine.fusions`: its first 256 words hold, by
token, the node that this token leads to, or 0. A node is the handler that ends there
(0 if none does), the number of its children, and token and node of each child.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    Words,
    clear,
    load32,
    load64,
    local_words,
    store32,
    store64,
    u64,
    wrap64,
)
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.state.machine import (
    BLOCK_LAST,
    BLOCK_PROGRAM,
    BLOCK_ROW,
    BLOCK_START,
    FAULT_CAPACITY,
    FULL_PROGRAMS,
    PROGRAM_BLOCK_COUNT,
    PROGRAM_BLOCKS,
    PROGRAM_CODE,
    PROGRAM_SIZE,
    PROGRAM_STREAM,
    STACK_LIMIT,
    Machine,
)

STOP = 0x00
SUB = 0x03
LT = 0x10
ISZERO = 0x15
XOR = 0x18
POP = 0x50
JUMP = 0x56
JUMPI = 0x57
PC = 0x58
JUMPDEST = 0x5B
PUSH0 = 0x5F
PUSH32 = 0x7F
DUP1 = 0x80
DUP16 = 0x8F
SWAP1 = 0x90
SWAP16 = 0x9F
INVALID = 0xFE

BLOCK = 0x5B
PUSH = 0x60
PUSH_WIDE = 0x7F
JUMP_TO = 0x61
JUMPI_TO = 0x62
DECIDING_SUB = 0x63
DECIDING_XOR = 0x64
NUMBER_IS_ZERO = 0x65

TOKENS = 256
"""First number of a superinstruction."""

INFO_POPS = 32
INFO_PUSHES = 40
INFO_FLOW = 48
INFO_TOKEN = 56
"""First bits of the fields of a word of `Machine.instructions`; static gas is below
them."""
INFO_GAS_MASK = 0xFFFFFFFF
INFO_MASK = 0xFF

HEAD_WORDS = 4
MOST_WORDS = 5
"""Most words of stream for a byte of code."""
SLOT_BITS = 5
"""A stack slot is 2^5 bytes."""
NEVER = STACK_LIMIT + 1


GAS = 0
COUNT = 1
HEIGHT = 2
LOWEST = 3
HIGHEST = 4
LAST = 5
END = 6
"""Program counter of the next instruction."""
OUT = 7
"""Index of the next word of the stream."""
PUSHED = 8
"""Index of the token of the instruction before, if that is a `PUSH`; else 0."""
FLOW = 9
STATE_WORDS = 10
"""The block that is being decoded, in a `Words`."""

ZERO_HEIGHT = 1 << 40
"""Stands for the height at the start of the block: heights may go below it."""
PENDING = 1 << 31
"""Marks an entry of `jumps` whose block has no place yet. The other bits are the index
of the immediate of the last jump to it, which holds the entry before."""


def decode(m: Machine, program: u64) -> None:
    """Decode the code of a row of `programs`.

    Fills its stream, its part of `jumps` and its blocks. FAULT_CAPACITY if there is no
    room left.
    """
    size = load64(m.programs, program + PROGRAM_SIZE)
    blocks = m.block_end
    stream = m.stream_end
    most = (size + 1) * MOST_WORDS
    if stream + most > m.stream_limit or blocks + size * BLOCK_ROW > m.block_limit:
        m.fault = FAULT_CAPACITY
        m.full = FULL_PROGRAMS
        return
    find_jumpdests(m, program)
    at = 0
    while at < size:
        at = decode_block(m, program, at)
    m.stream[m.stream_end] = m.handlers[STOP]
    m.stream_end = m.stream_end + 1
    store64(m.programs, program + PROGRAM_BLOCKS, blocks)
    count = (m.block_end - blocks) // BLOCK_ROW
    store64(m.programs, program + PROGRAM_BLOCK_COUNT, count)
    store64(m.programs, program + PROGRAM_STREAM, stream)


@inline
def instruction_size(opcode: u64) -> u64:
    """Return the bytes that an instruction takes in the code."""
    if opcode > PUSH0 and opcode <= PUSH32:
        return opcode - PUSH0 + 1
    return 1


@inline
def immediate_words(token: u64) -> u64:
    """Return the number of immediates of a token."""
    if token == BLOCK:
        return 3
    if token == PUSH or token == JUMP_TO or token == JUMPI_TO:
        return 1
    if token == PUSH_WIDE:
        return 4
    return 0


def find_jumpdests(m: Machine, program: u64) -> None:
    """Mark the JUMPDESTs of a program as pending in `jumps`."""
    start = load64(m.programs, program + PROGRAM_CODE)
    size = load64(m.programs, program + PROGRAM_SIZE)
    for at in range(start, start + size):
        store32(m.jumps, 4 * at, 0)
    pc = 0
    while pc < size:
        opcode = m.code[start + pc]
        if opcode == JUMPDEST:
            store32(m.jumps, 4 * (start + pc), PENDING)
        pc = pc + instruction_size(opcode)


def decode_block(m: Machine, program: u64, at: u64) -> u64:
    """Decode the block that begins at program counter `at`; return where one may begin.

    Code that can't be reached is passed over.
    """
    start = load64(m.programs, program + PROGRAM_CODE)
    size = load64(m.programs, program + PROGRAM_SIZE)
    head = m.stream_end
    if m.code[start + at] == JUMPDEST:
        place(m, start + at, head)
    state = local_words(STATE_WORDS)
    state[HEIGHT] = ZERO_HEIGHT
    state[LOWEST] = ZERO_HEIGHT
    state[HIGHEST] = ZERO_HEIGHT
    state[END] = at
    state[OUT] = head + HEAD_WORDS
    pc = at
    while pc < size and state[FLOW] == Flow.NEXT:
        if m.code[start + pc] == JUMPDEST and pc != at:
            break
        decode_instruction(m, state, start, size)
        pc = state[END]
    finish_block(m, state, head, program, at)
    last = m.code[start + state[LAST]]
    if state[FLOW] == Flow.END or (state[FLOW] == Flow.JUMP and last == JUMP):
        while pc < size:
            opcode = m.code[start + pc]
            if opcode == JUMPDEST:
                break
            pc = pc + instruction_size(opcode)
    return pc


def decode_instruction(m: Machine, state: Words, start: u64, size: u64) -> None:
    """Append the token of the instruction at `state[END]` and account for it."""
    pc = state[END]
    opcode = m.code[start + pc]
    info = m.instructions[opcode]
    state[GAS] = state[GAS] + (info & INFO_GAS_MASK)
    state[COUNT] = state[COUNT] + 1
    before = state[LAST]
    state[LAST] = pc
    state[FLOW] = info >> INFO_FLOW & INFO_MASK
    low = state[HEIGHT] - (info >> INFO_POPS & INFO_MASK)
    if low < state[LOWEST]:
        state[LOWEST] = low
    high = low + (info >> INFO_PUSHES & INFO_MASK)
    state[HEIGHT] = high
    if high > state[HIGHEST]:
        state[HIGHEST] = high
    state[END] = pc + instruction_size(opcode)
    # Only a jump right behind a PUSH has a target that is known here.
    pushed = state[PUSHED]
    state[PUSHED] = 0
    if opcode > PUSH0 and opcode <= PUSH32:
        append_push(m, state, start + pc + 1, start + size)
    elif opcode == PC:
        append_word(m, state, pc)
    elif (opcode == JUMP or opcode == JUMPI) and pushed != 0:
        append_jump(m, state, start, size, pushed)
    elif opcode == SUB and decides_jump(m, start + pc, start + size) != 0:
        append(m, state, DECIDING_SUB)
    elif opcode == XOR and decides_jump(m, start + pc, start + size) != 0:
        append(m, state, DECIDING_XOR)
    elif opcode == ISZERO and (
        state[COUNT] == 1 or tells_zero(m.code[start + before]) != 0
    ):
        append(m, state, NUMBER_IS_ZERO)
    elif opcode != JUMPDEST:
        append(m, state, info >> INFO_TOKEN)


@inline
def tells_zero(before: u64) -> u64:
    """Return 1 if an ISZERO behind this opcode can be a comparison, else 0."""
    # LT, GT, SLT, SGT, EQ and ISZERO give 0 or 1.
    if before == SUB or before == XOR or (before >= LT and before <= ISZERO):
        return 0
    return 1


def decides_jump(m: Machine, at: u64, end: u64) -> u64:
    """Return 1 if the result of the instruction at `at` of `code` decides a jump.

    Then ISZEROs, one PUSH and JUMPI follow, before `end`.
    """
    ahead = at + 1
    while ahead < end and m.code[ahead] == ISZERO:
        ahead = ahead + 1
    if ahead == end or m.code[ahead] < PUSH0 or m.code[ahead] > PUSH32:
        return 0
    ahead = ahead + instruction_size(m.code[ahead])
    if ahead < end and m.code[ahead] == JUMPI:
        return 1
    return 0


@inline
def append(m: Machine, state: Words, word: u64) -> None:
    """Append a token or an immediate to the stream."""
    m.stream[state[OUT]] = word
    state[OUT] = state[OUT] + 1


@inline
def append_word(m: Machine, state: Words, word: u64) -> None:
    """Append a `PUSH`."""
    state[PUSHED] = state[OUT]
    append(m, state, PUSH)
    append(m, state, word)


def append_push(m: Machine, state: Words, first: u64, end: u64) -> None:
    """Append the PUSH whose data begin at `first` of `code`, and may pass its end."""
    low = 0
    word1 = 0
    word2 = 0
    high = 0
    size = state[END] - state[LAST] - 1
    for at in range(first, first + size):
        high = wrap64(high << 8) | word2 >> 56
        word2 = wrap64(word2 << 8) | word1 >> 56
        word1 = wrap64(word1 << 8) | low >> 56
        low = wrap64(low << 8)
        if at < end:
            low = low | m.code[at]
    if word1 | word2 | high == 0:
        append_word(m, state, low)
    else:
        append(m, state, PUSH_WIDE)
        append(m, state, low)
        append(m, state, word1)
        append(m, state, word2)
        append(m, state, high)


def append_jump(m: Machine, state: Words, start: u64, size: u64, pushed: u64) -> None:
    """Append a jump to the word of the `PUSH` at index `pushed`, or make one of both.

    Until the jump has its final place, its immediate is the target in `code`.
    """
    token = m.code[start + state[LAST]]
    target = m.stream[pushed + 1]
    if target < size and load32(m.jumps, 4 * (start + target)) != 0:
        m.stream[pushed + 1] = start + target
        if token == JUMP:
            m.stream[pushed] = JUMP_TO
        else:
            m.stream[pushed] = JUMPI_TO
    else:
        append(m, state, token)


def finish_block(m: Machine, state: Words, head: u64, program: u64, at: u64) -> None:
    """Write the head of a block and its row, and put handlers in place of its tokens.

    The first immediate has three fields: from bit 0, the lowest height in bytes; from
    bit 16, how many bytes more are allowed; from bit 32, the number of instructions.
    """
    row = m.block_end
    m.block_end = row + BLOCK_ROW
    clear(m.blocks, row, BLOCK_ROW)
    store64(m.blocks, row + BLOCK_START, at)
    store64(m.blocks, row + BLOCK_LAST, state[LAST])
    store64(m.blocks, row + BLOCK_PROGRAM, program)
    # One test at the head covers the stack of the whole block: there is enough for the
    # deepest instruction, and room for the highest.
    need = ZERO_HEIGHT - state[LOWEST]
    growth = state[HIGHEST] - ZERO_HEIGHT
    span = 0
    if need + growth > STACK_LIMIT:
        need = NEVER
    else:
        span = STACK_LIMIT - need - growth
    bounds = need << SLOT_BITS | span << SLOT_BITS + 16
    m.stream[head] = BLOCK
    m.stream[head + 1] = bounds | state[COUNT] << 32
    m.stream[head + 2] = state[GAS]
    m.stream[head + 3] = row
    m.stream_end = fuse(m, head, state[OUT])


def fuse(m: Machine, begin: u64, end: u64) -> u64:
    """Put handlers in place of the tokens in a part of the stream; return its new end.

    At each token the longest superinstruction is taken.
    """
    # In place: a superinstruction has the immediates of its tokens and one handler
    # instead of several, so what is written never overtakes what is read.
    out = begin
    at = begin
    while at < end:
        stop = at + 1 + immediate_words(m.stream[at])
        handler = m.stream[at]
        node = m.fusions[m.stream[at]]
        ahead = stop
        while node != 0:
            if m.fusions[node] != 0:
                handler = m.fusions[node]
                stop = ahead
            if ahead == end:
                break
            token = m.stream[ahead]
            node = child(m.fusions, node, token)
            ahead = ahead + 1 + immediate_words(token)
        out = move(m, at, stop, out, m.handlers[handler])
        at = stop
    return out


def move(m: Machine, begin: u64, end: u64, out: u64, handler: u64) -> u64:
    """Write a handler and the immediates of the tokens from `begin`; return the end."""
    at = begin
    place_of = out + 1
    while at < end:
        token = m.stream[at]
        count = immediate_words(token)
        for i in range(count):
            m.stream[place_of + i] = m.stream[at + 1 + i]
        if token == JUMP_TO or token == JUMPI_TO:
            link(m, place_of)
        place_of = place_of + count
        at = at + 1 + count
    m.stream[out] = handler
    return place_of


def child(trie: Words, node: u64, token: u64) -> u64:
    """Return the node to which `token` leads from a node of the trie; 0 if none."""
    first = node + 2
    for at in range(trie[node + 1]):
        if trie[first + 2 * at] == token:
            return trie[first + 2 * at + 1]
    return 0


def link(m: Machine, immediate: u64) -> None:
    """Put the distance to its target in place of the target of a jump."""
    target = m.stream[immediate]
    entry = load32(m.jumps, 4 * target)
    if entry & PENDING == 0:
        m.stream[immediate] = wrap64(entry - immediate)
    else:
        m.stream[immediate] = entry
        store32(m.jumps, 4 * target, PENDING | immediate)


def place(m: Machine, target: u64, index: u64) -> None:
    """Tell all jumps to a JUMPDEST, earlier and later ones, where its block begins."""
    entry = load32(m.jumps, 4 * target)
    while entry != PENDING:
        immediate = entry ^ PENDING
        entry = m.stream[immediate]
        m.stream[immediate] = wrap64(index - immediate)
    store32(m.jumps, 4 * target, index)
