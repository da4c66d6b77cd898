"""Results of messages, from the machine to the seam."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from echidna_mcp.evm.backend import (
    MOST_TRAIL,
    CallResult,
    Edge,
    Log,
    Slot,
    SlotValue,
    Status,
    TrailBlock,
    Visit,
    Watch,
)
from echidna_mcp.evm.states import PAIR_WORDS
from echidna_mcp.fuzz.climbing.starting import read_log
from echidna_mcp.kernel.language.memory import Words, load64, peek256
from echidna_mcp_plugins.native.code import programs
from echidna_mcp_plugins.native.code.decode import instruction_size
from echidna_mcp_plugins.native.code.edges import NUMBER_BITS, NUMBER_MASK
from echidna_mcp_plugins.native.frames.frames import log_row_size
from echidna_mcp_plugins.native.state.accesses import (
    ACCESS_ADDRESS,
    ACCESS_END,
    ACCESS_KEY,
    ACCESS_READ,
    ACCESS_ROW,
    ACCESS_WRITTEN,
)
from echidna_mcp_plugins.native.state.journal import created_account
from echidna_mcp_plugins.native.state.known_states import (
    IN_FIRST,
    IN_MAPPINGS,
    IN_PAIRS,
    ONLY_NEW,
)
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_ADDRESS,
    ACCOUNT_DOOMED,
    ACCOUNT_PROGRAM,
    ACCOUNT_ROW,
    BLOCK_LAST,
    BLOCK_PROGRAM,
    BLOCK_ROW,
    BLOCK_START,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_INVALID,
    FAULT_NONE,
    FAULT_REVERT,
    JOURNAL_ROW,
    LOG_ADDRESS,
    LOG_DATA,
    LOG_DROPPED,
    LOG_SIZE,
    LOG_TOPIC,
    LOG_TOPICS,
    PROGRAM_CODE,
    PROGRAM_SIZE,
    SLOT_KEY,
    SLOT_STORAGE,
    SLOT_VALUE,
    Machine,
)
from echidna_mcp_plugins.native.state.states import (
    changed_slot,
    first_change,
    next_change,
    number_of_two,
    owner_of,
    paired_with,
    word_number,
)

if TYPE_CHECKING:
    from echidna_mcp_plugins.native.host.library import NativeCode

T = TypeVar("T")
LeftState = tuple[int, int, int]
"""Row of a program, number of a word of its storage (`SlotValue`), and what is left."""
_STATUS = {
    FAULT_GAS: Status.OUT_OF_GAS,
    FAULT_INVALID: Status.INVALID_OPCODE,
    FAULT_HALT: Status.HALT,
    FAULT_REVERT: Status.REVERT,
}
_MOST_REMEMBERED = 512
"""Sets of blocks, and of edges, that are remembered: most calls go known ways."""
_MOST_BYTES = 1 << 23
"""What the former take together: each is as long as the codes."""
_TRUE = (1).to_bytes(32, "big")
_FALSE = bytes(32)


class OutcomeReader:
    """Reads results of messages from a machine."""

    def __init__(self, machine: Machine, code: NativeCode) -> None:
        self._m = machine
        self._hash = code.function(programs.code_hash)
        self._next_change = code.function(next_change)
        self._blocks: dict[int, tuple[int, int, bytes]] = {}
        self._programs: dict[bytes, int] = {}
        self._names: dict[int, bytes] = {}
        self._visited: dict[bytes, tuple[Visit, ...]] = {}
        self._visited_bytes = 0
        self._taken: dict[bytes, tuple[Edge, ...]] = {}
        self._forgotten = machine.forgotten

    def program_of(self, code_hash: bytes) -> int | None:
        """Return the row of a program that a result has named; None for others."""
        self._check_rows()
        return self._programs.get(code_hash)

    def _check_rows(self) -> None:
        """Drop what is known of rows if they may be those of others."""
        if self._forgotten != self._m.forgotten:
            self._forgotten = self._m.forgotten
            self._blocks.clear()
            self._programs.clear()
            self._names.clear()
            self._visited.clear()
            self._visited_bytes = 0
            self._taken.clear()

    def read(
        self, watch: Watch, mark: int, states: Iterable[LeftState], *, creation: bool
    ) -> CallResult:
        """Return the result of the message that has ended.

        Args:
            watch: what is wanted.
            mark: where the journal ended before it.
            states: what `states` yields, if it is wanted.
            creation: whether it was a deployment.
        """
        self._check_rows()
        m = self._m
        watched = watch.storage and not creation
        output = bytes(m.returned[: m.returned_size])
        logs: list[Log] = []
        dropped: list[Log] = []
        for row in self._log_rows():
            kept = load64(m.logs, row + LOG_DROPPED) == 0
            (logs if kept else dropped).append(_log(m, row))
        visits: tuple[Visit, ...] = ()
        last = None
        if watch.coverage:
            visits = self._visits()
            last = self._last()
        return CallResult(
            status=_STATUS.get(m.fault) or _success(output),
            output=output,
            gas_used=m.gas_used,
            steps=m.steps,
            logs=tuple(logs),
            dropped_logs=tuple(dropped),
            created=m.created if creation else None,
            visits=visits,
            last=last,
            trail=tuple(self._trail()) if watch.trail and m.fault != FAULT_NONE else (),
            comparisons=tuple(read_log(m.comparisons, m.comparison_count)),
            compared=m.comparison_count,
            edges=self._edges(),
            reads=self._accesses(ACCESS_READ) if watched else (),
            writes=self._accesses(ACCESS_WRITTEN) if watched else (),
            states=tuple(
                SlotValue(self._named(program), slot, value)
                for program, slot, value in dict.fromkeys(states)
            ),
            creations=tuple(self._creations(mark))
            if watch.creations and m.creation_count and not creation
            else (),
            destroyed=tuple(self._destroyed())
            if watch.destructions and m.doomed and m.fault == FAULT_NONE
            else (),
        )

    def states(self, watch: Watch) -> Iterator[LeftState]:
        """Yield program, number and value of the words that the message has changed.

        Only of accounts with code. If it was a search those words are left out with
        which nothing is new.

        Args:
            watch: whether other words count than the first ones, and two at once.
        """
        m = self._m
        if not m.states.touched:
            return
        wanted = IN_FIRST
        wanted |= IN_MAPPINGS if watch.mappings else 0
        wanted |= IN_PAIRS if watch.pairs else 0
        wanted |= ONLY_NEW if m.searching else 0
        seen = set[int]()
        row = self._next_change(m, first_change(m), wanted)
        while row < m.journal_end:
            slot = changed_slot(m, row, wanted)
            account = owner_of(m, load64(m.slots, slot + SLOT_STORAGE))
            program = load64(m.accounts, account + ACCOUNT_PROGRAM) if account else 0
            if program and slot not in seen:
                seen.add(slot)
                value = peek256(m.slots, slot + SLOT_VALUE)
                yield program, word_number(m, row, slot), value
                for first, second in self._pairs(slot) if watch.pairs else ():
                    value = peek256(m.slots, first + SLOT_VALUE)
                    yield program, number_of_two(m, first, second), value
            row = self._next_change(m, row + JOURNAL_ROW, wanted)

    def _pairs(self, slot: int) -> Iterator[tuple[int, int]]:
        """Yield the rows of the words that are states together with one, in order."""
        m = self._m
        for other in range(PAIR_WORDS):
            if beside := paired_with(m, slot, other):
                is_first = peek256(m.slots, slot + SLOT_KEY) < other
                yield (slot, beside) if is_first else (beside, slot)

    def _destroyed(self) -> list[int]:
        m = self._m
        return sorted(
            peek256(m.accounts, row + ACCOUNT_ADDRESS)
            for row in range(ACCOUNT_ROW, m.account_end, ACCOUNT_ROW)
            if load64(m.accounts, row + ACCOUNT_DOOMED) == m.number
        )

    def _creations(self, mark: int) -> Iterator[int]:
        m = self._m
        for at in range(mark, m.journal_end, JOURNAL_ROW):
            row = created_account(m, at)
            if row != 0:
                yield peek256(m.accounts, row + ACCOUNT_ADDRESS)

    def _accesses(self, column: int) -> tuple[Slot, ...]:
        m = self._m
        rows = [
            (time, row)
            for row in range(ACCESS_ROW, load64(m.accesses, ACCESS_END), ACCESS_ROW)
            if (time := load64(m.accesses, row + column))
        ]
        return tuple(
            (
                peek256(m.accesses, row + ACCESS_ADDRESS),
                peek256(m.accesses, row + ACCESS_KEY),
            )
            for _, row in sorted(rows)
        )

    def _log_rows(self) -> Iterator[int]:
        m, row = self._m, 0
        while row < m.log_end:
            yield row
            row += log_row_size(load64(m.logs, row + LOG_SIZE))

    def _last(self) -> tuple[bytes, int] | None:
        m = self._m
        if m.last_block == 0:
            return None
        program = load64(m.blocks, m.last_block + BLOCK_PROGRAM)
        return self._named(program), load64(m.blocks, m.last_block + BLOCK_LAST)

    def _visits(self) -> tuple[Visit, ...]:
        touched = self._m.touched[: self._m.touched_count]
        if self._visited_bytes > _MOST_BYTES:
            self._visited.clear()
            self._visited_bytes = 0
        return _remembered(self._visited, touched, self._read_visits)

    def _read_visits(self, touched: Words) -> Iterator[Visit]:
        m = self._m
        counters: dict[tuple[int, int], bytearray] = {}
        for entry in touched:
            depth = entry % BLOCK_ROW
            program, start, mask = self._block(entry - depth)
            found = counters.get((program, depth))
            if found is None:
                size = load64(m.programs, program + PROGRAM_SIZE)
                found = counters[program, depth] = bytearray(size)
            found[start : start + len(mask)] = mask
        for (program, depth), each in counters.items():
            self._visited_bytes += len(each)
            yield Visit(self._named(program), depth, bytes(each))

    def _trail(self) -> Iterator[TrailBlock]:
        m = self._m
        for number in range(max(0, m.trail_count - MOST_TRAIL), m.trail_count):
            entry = m.trail[number % MOST_TRAIL]
            depth = entry % BLOCK_ROW
            row = entry - depth
            code_hash = self._named(load64(m.blocks, row + BLOCK_PROGRAM))
            yield TrailBlock(code_hash, load64(m.blocks, row + BLOCK_LAST), depth)

    def _edges(self) -> tuple[Edge, ...]:
        taken = self._m.taken[: self._m.taken_count]
        return _remembered(self._taken, taken, self._read_edges)

    def _read_edges(self, taken: Words) -> Iterator[Edge]:
        m = self._m
        for key in taken:
            before = (key >> NUMBER_BITS) * BLOCK_ROW
            after = (key & NUMBER_MASK) * BLOCK_ROW
            yield Edge(
                self._named(load64(m.blocks, before + BLOCK_PROGRAM)),
                load64(m.blocks, before + BLOCK_LAST),
                load64(m.blocks, after + BLOCK_START),
            )

    def _block(self, row: int) -> tuple[int, int, bytes]:
        """Return program and start of a block, and a byte for each byte of it.

        That is 1 where an instruction begins.
        """
        block = self._blocks.get(row)
        if block is None:
            m = self._m
            program = load64(m.blocks, row + BLOCK_PROGRAM)
            code = load64(m.programs, program + PROGRAM_CODE)
            start = load64(m.blocks, row + BLOCK_START)
            last = load64(m.blocks, row + BLOCK_LAST)
            flags = bytearray(last - start + 1)
            at = start
            while at <= last:
                flags[at - start] = 1
                at += instruction_size(m.code[code + at])
            block = self._blocks[row] = program, start, bytes(flags)
        return block

    def _named(self, program: int) -> bytes:
        """Return the hash of a program, by which it is found from now on."""
        code_hash = self._names.get(program)
        if code_hash is None:
            code_hash = self._hash(self._m, program).to_bytes(32, "big")
            self._names[program] = code_hash
            self._programs[code_hash] = program
        return code_hash


def _remembered(
    known: dict[bytes, tuple[T, ...]],
    numbers: Words,
    read: Callable[[Words], Iterable[T]],
) -> tuple[T, ...]:
    """Return what some numbers stand for."""
    key = bytes(memoryview(numbers).cast("B"))
    found = known.get(key)
    if found is None:
        if len(known) >= _MOST_REMEMBERED:
            known.clear()
        found = known[key] = tuple(read(numbers))
    return found


def _success(output: bytes) -> Status:
    if output == _TRUE:
        return Status.RETURN_TRUE
    return Status.RETURN_FALSE if output == _FALSE else Status.STOP


def _log(m: Machine, row: int) -> Log:
    size = load64(m.logs, row + LOG_SIZE)
    topics = tuple(
        peek256(m.logs, row + LOG_TOPIC + 32 * i).to_bytes(32, "big")
        for i in range(load64(m.logs, row + LOG_TOPICS))
    )
    data = bytes(m.logs[row + LOG_DATA : row + LOG_DATA + size])
    return Log(peek256(m.logs, row + LOG_ADDRESS), topics, data)
