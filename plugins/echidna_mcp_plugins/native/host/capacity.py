"""How much a machine can hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.backend import MOST_COMPARISONS, MOST_TRAIL
from echidna_mcp.fuzz.climbing.comparisons import COMPARISON_ROW
from echidna_mcp.kernel.language.arena import arena
from echidna_mcp.kernel.language.memory import Bytes, Words, words
from echidna_mcp_plugins.native.code.edges import EDGE_WORDS
from echidna_mcp_plugins.native.state.accesses import ACCESS_BYTES
from echidna_mcp_plugins.native.state.index import FIRST_INDEX_MASK, INDEX_ENTRY
from echidna_mcp_plugins.native.state.keccak import MEMO_BYTES
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_ROW,
    BLOCK_ROW,
    CHANGED_WORDS,
    DEPTH_LIMIT,
    FRAME_ROW,
    FULL_ACCOUNTS,
    FULL_EDGES,
    FULL_JOURNAL,
    FULL_LOGS,
    FULL_MEMORY,
    FULL_PROGRAMS,
    FULL_SLOTS,
    FULL_TOUCHED,
    PROGRAM_ROW,
    SLOT_ROW,
    STACK_LIMIT,
    Machine,
)

WORD = 32
JUMP_ENTRY = 4
MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """How much a machine can hold, in bytes unless said otherwise.

    All of it is reserved as address space, 6 GB by default, and committed when it is
    first used: a small contract needs a few hundred KB. What is there was chosen for
    one constructor with 2^32 gas, or a hundred calls of 12.5 million gas each, whatever
    they do short of spending all of it on transient storage (100 gas a slot), on logs
    without data, or on creation code that is megabytes long and different each time.

    Attributes:
        accounts: 2,600 gas for a cold one make 1.6 million rows of 2^32 gas.
        slots: 2,100 gas for a cold one make 2 million rows of 2^32 gas.
        journal: two rows for a slot that is new, one each time that it changes.
        memory: the memories of all waiting frames at once. One frame can pay for 47 MB
            with 2^32 gas, a chain of frames for ten times as much (EIP-150).
        logs: 8 gas a byte, 375 and more a log; those of one message.
        programs: rows of distinct codes.
        code: their bytes; a deposited byte costs 200 gas.
        stream: words of decoded code, up to 5 a byte.
        blocks: basic blocks of decoded code.
        touched: entries, one a block and call depth.
        edges: 32 to 64 bytes for each pair of blocks entered one after the other.
    """

    accounts: int = 256 * MIB
    slots: int = 1024 * MIB
    journal: int = 1024 * MIB
    memory: int = 1024 * MIB
    logs: int = 256 * MIB
    programs: int = 96 * MIB
    code: int = 192 * MIB
    stream: int = 128 * MIB
    blocks: int = 256 * MIB
    touched: int = 4 * MIB
    edges: int = 64 * MIB


_FULL = {
    FULL_ACCOUNTS: "accounts",
    FULL_SLOTS: "storage words",
    FULL_JOURNAL: "changes of the state that can be undone",
    FULL_MEMORY: "memory of contracts",
    FULL_LOGS: "logs of one message",
    FULL_PROGRAMS: "contract code",
    FULL_TOUCHED: "covered blocks of one message",
    FULL_EDGES: "edges",
}


def capacity_error(m: Machine) -> CapacityError:
    """Return the error that says which limit `m.full` names."""
    return CapacityError(
        f"The native EVM has no room for more {_FULL[m.full]}; lower the gas of calls "
        "or the size of the state, or use the backend py-evm.",
        limit=_FULL[m.full],
        steps=m.steps,
    )


def reserve(m: Machine, capacity: Capacity) -> None:
    """Give a machine its buffers. The first row or word of a table means "none"."""
    m.account_end = ACCOUNT_ROW
    m.account_limit = capacity.accounts
    m.accounts = _bytes(capacity.accounts)
    m.account_index = _bytes(_index_bytes(capacity.accounts, ACCOUNT_ROW))
    m.account_index_mask = FIRST_INDEX_MASK
    m.slot_end = SLOT_ROW
    m.slot_limit = capacity.slots
    m.slots = _bytes(capacity.slots)
    m.slot_index = _bytes(_index_bytes(capacity.slots, SLOT_ROW))
    m.slot_index_mask = FIRST_INDEX_MASK
    m.program_end = PROGRAM_ROW
    m.program_limit = capacity.programs
    m.programs = _bytes(capacity.programs)
    m.program_index = _bytes(_index_bytes(capacity.programs, PROGRAM_ROW))
    m.program_index_mask = FIRST_INDEX_MASK
    m.journal_limit = capacity.journal
    m.journal = _bytes(capacity.journal)
    m.frames = _bytes((DEPTH_LIMIT + 2) * FRAME_ROW)
    m.stack = _bytes((DEPTH_LIMIT + 2) * STACK_LIMIT * WORD)
    m.memory_limit = capacity.memory
    m.memory = _bytes(capacity.memory)
    m.returned = _bytes(capacity.memory)
    m.log_limit = capacity.logs
    m.logs = _bytes(capacity.logs)
    m.code_limit = capacity.code
    m.code = _bytes(capacity.code)
    m.jumps = _bytes(capacity.code * JUMP_ENTRY)
    m.stream_end = 1
    m.stream_limit = capacity.stream
    m.stream = _words(capacity.stream)
    m.block_end = BLOCK_ROW
    m.block_limit = capacity.blocks
    m.blocks = _bytes(capacity.blocks)
    m.touched_limit = capacity.touched
    m.touched = _words(capacity.touched)
    m.edge_mask = FIRST_INDEX_MASK
    m.edge_limit = max(capacity.edges // 8, EDGE_WORDS * (FIRST_INDEX_MASK + 1))
    m.edges = _words(m.edge_limit)
    m.taken = _words(m.edge_limit // EDGE_WORDS)
    m.comparisons = bytearray(MOST_COMPARISONS * COMPARISON_ROW)
    m.trail = words([0] * MOST_TRAIL)
    m.changed = words([0] * CHANGED_WORDS)
    m.accesses = _bytes(ACCESS_BYTES)
    m.keccak_memo = _bytes(MEMO_BYTES)


def _index_bytes(table: int, row: int) -> int:
    """Return the size of an index that never gets more than three quarters full."""
    entries = FIRST_INDEX_MASK + 1
    while 3 * entries < 4 * (table // row):
        entries *= 2
    return entries * INDEX_ENTRY


def _bytes(size: int) -> Bytes:
    return cast("Bytes", arena(size))


def _words(count: int) -> Words:
    return cast("Words", arena(count * 8).cast("Q"))
