"""Code, decoded into straight runs of instructions ("blocks") as it is executed.

Static gas, stack bounds, steps and coverage are accounted once a block, where control
reaches it; the rules are those of `echidna_mcp.evm.backend`.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from eth.vm import opcode_values as op
from eth_hash.auto import keccak

from echidna_mcp.evm.sites import DIFFERENCES
from echidna_mcp_plugins.py_evm.comparisons import decides_jump
from echidna_mcp_plugins.py_evm.ending import HALTING, invalid
from echidna_mcp_plugins.py_evm.fusion import jump_if, jump_unless
from echidna_mcp_plugins.py_evm.table import AFTER_SWAP
from echidna_mcp_plugins.py_evm.words import iszero, push

if TYPE_CHECKING:
    from collections.abc import Callable

    from echidna_mcp_plugins.py_evm.table import OpcodeTable
    from echidna_mcp_plugins.py_evm.words import Operation

STACK_LIMIT = 1024
END = -1
_CACHED_PROGRAMS = 512
_CACHED_BYTES = 1 << 24
_PUSHES = "|".join(rf"\x{op.PUSH1 + n - 1:x}.{{0,{n}}}" for n in range(1, 33))
# Matches everywhere, so that a search never starts within PUSH data.
_TO_JUMPDEST = re.compile(
    rf"(?:[^\x5b\x60-\x7f]|{_PUSHES})*+(\x5b?)".encode(), re.DOTALL
)


class Program:
    """One code and what is known about it."""

    def __init__(self, code: bytes, table: OpcodeTable) -> None:
        self.code = code
        self.table = table
        self.blocks: dict[int, Entry] = {}

    @cached_property
    def code_hash(self) -> bytes:
        """Keccak of the code."""
        return keccak(self.code)

    @cached_property
    def jumpdests(self) -> frozenset[int]:
        """Positions of JUMPDEST outside of PUSH data."""
        runs = _TO_JUMPDEST.finditer(self.code)
        return frozenset(run.start(1) for run in runs if run[1])

    def decode(self, pc: int) -> Entry:
        """Decode, remember and return the block at `pc`."""
        self.blocks[pc] = entry = _Decoder(self, pc).decode()
        return entry


class Block:
    """A run of instructions as coverage sees it; compared by identity.

    Attributes:
        program: whose code it is.
        pcs: program counters of its instructions.
        jumps: whether the last one is a JUMP or JUMPI.
    """

    __slots__ = ("_mask", "jumps", "pcs", "program")

    def __init__(self, program: Program, pcs: list[int]) -> None:
        self.program = program
        self.pcs = pcs
        self.jumps = bool(pcs) and program.code[pcs[-1]] in {op.JUMP, op.JUMPI}
        self._mask: bytes | None = None

    def mark(self, counters: bytearray) -> None:
        """Set the byte of each instruction to 1; blocks never overlap."""
        start, mask = self.pcs[0], self._mask
        if mask is None:
            flags = bytearray(self.pcs[-1] - start + 1)
            for pc in self.pcs:
                flags[pc - start] = 1
            mask = self._mask = bytes(flags)
        counters[start : start + len(mask)] = mask


Entry: TypeAlias = (
    "tuple[int, int, int, int, tuple[Operation, ...], Operation | None, int, Block]"
)
"""What the loop needs of a block, in the order in which it needs it: static gas, lowest
and highest stack height at entry, number of instructions, operations, last operation,
where to go on (`END` to stop), coverage."""


class _Decoder:
    """Decodes one block; see `Program.decode`."""

    def __init__(self, program: Program, pc: int) -> None:
        self.program = program
        self.table = program.table
        self.pc = pc
        self.pcs: list[int] = []
        self.body: list[Operation] = []
        self.pending: list[int] = []
        self.gas = self.height = self.need = self.peak = 0

    def decode(self) -> Entry:
        code = self.program.code
        last: Operation | None = None
        follow: int | None = None
        while self.pc < len(code):
            opcode = code[self.pc]
            if opcode == op.JUMPDEST and self.pcs:
                break  # the start of another block
            self._count(opcode)
            size = max(opcode - op.PUSH0, 0) if opcode <= op.PUSH32 else 0
            at, self.pc = self.pc, self.pc + 1 + size
            if not self._within(opcode, at, size):
                last, follow = self._last(opcode)
                break
        self._flush()
        if follow is None:
            # Running off the end of the code is STOP, but no instruction.
            follow = min(self.pc, len(code)) if self.pcs else END
        return (
            self.gas,
            self.need,
            STACK_LIMIT - self.peak,
            len(self.pcs),
            tuple(self.body),
            last,
            follow,
            Block(self.program, self.pcs),
        )

    def _count(self, opcode: int) -> None:
        pops, pushes = self.table.effects.get(opcode, (0, 0))
        self.pcs.append(self.pc)
        self.gas += self.table.gas.get(opcode, 0)
        self.need = max(self.need, pops - self.height)
        self.height += pushes - pops
        self.peak = max(self.peak, self.height)

    def _within(self, opcode: int, at: int, size: int) -> bool:
        """Append an opcode that does not end a block; whether it was one."""
        if op.PUSH0 <= opcode <= op.PUSH32:
            data = self.program.code[at + 1 : at + 1 + size].ljust(size, b"\0")
            self.pending.append(int.from_bytes(data, "big"))
        elif opcode == op.PC:
            self.pending.append(at)
        elif opcode == op.JUMPDEST:
            pass
        elif opcode in self.table.sited and (
            opcode not in DIFFERENCES or decides_jump(self.program.code, at)
        ):
            self._flush()
            self.body.append(self.table.sited[opcode](at))
        elif opcode in self.table.deciding and decides_jump(self.program.code, at):
            self._flush()
            self.body.append(self.table.deciding[opcode])
        elif opcode in self.table.behind_difference and self._behind_difference():
            self.body.append(self.table.behind_difference[opcode])
        elif self.pending and opcode in self.table.with_constant:
            self._with_constant(self.table.with_constant[opcode])
        elif opcode == op.POP and self._drop():
            pass
        elif opcode in self.table.within:
            self._flush()
            self.body.append(self.table.within[opcode])
        else:
            return False
        return True

    def _behind_difference(self) -> bool:
        """Whether the opcode before this one, in the block, is SUB or XOR."""
        before = self.pcs[-2:-1]
        return bool(before) and self.program.code[before[0]] in {op.SUB, op.XOR}

    def _with_constant(self, fuse: Callable[[int], Operation]) -> None:
        word = self.pending.pop()
        self._flush()
        self.body.append(fuse(word))

    def _drop(self) -> bool:
        """Merge POP with the constant or the SWAP before it, if there is one."""
        if self.pending:
            self.pending.pop()
            return True
        if self.body and self.body[-1] in AFTER_SWAP:
            self.body[-1] = AFTER_SWAP[self.body[-1]]
            return True
        return False

    def _last(self, opcode: int) -> tuple[Operation | None, int | None]:
        """Return the operation that ends the block and where it goes on."""
        if opcode in {op.JUMP, op.JUMPI} and self.pending:
            target = self.pending[-1]
            if target in self.program.jumpdests:
                del self.pending[-1]
                if opcode == op.JUMP:
                    return None, target
                if not self.pending and self.body and self.body[-1] is iszero:
                    del self.body[-1]
                    return jump_unless(target), None
                return jump_if(target), None
        last = self.table.ending.get(opcode, invalid)
        return last, END if opcode in HALTING else None

    def _flush(self) -> None:
        if self.pending:
            self.body.append(push(tuple(self.pending)))
            self.pending.clear()


class ProgramCache:
    """The most recently executed programs, within a bound of number and bytes."""

    def __init__(self, table: OpcodeTable) -> None:
        self._table = table
        self._programs: dict[bytes, Program] = {}
        self._bytes = 0

    def __getitem__(self, code: bytes) -> Program:
        program = self._programs.pop(code, None)
        if program is None:
            program = Program(code, self._table)
            self._bytes += len(code)
        self._programs[code] = program
        while len(self._programs) > _CACHED_PROGRAMS or (
            self._bytes > _CACHED_BYTES and len(self._programs) > 1
        ):
            oldest = next(iter(self._programs))
            # Its blocks name the program: without them it dies without the collector.
            self._programs.pop(oldest).blocks.clear()
            self._bytes -= len(oldest)
        return program

    def find(self, code_hash: bytes) -> bytes | None:
        """Return a cached code by its hash."""
        for code, program in self._programs.items():
            if program.code_hash == code_hash:
                return code
        return None
