"""Code, decoded into straight runs of instructions ("blocks") as it is executed.

Gas, stack and coverage are accounted once a block, which is exact: the static gas and
the stack bounds of a whole block are checked before it starts, and where that check
fails the frame goes on with blocks of one instruction each, to the one at fault.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from eth.vm import opcode_values as op
from eth.vm.forks.cancun.logic import selfdestruct_eip6780
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth.vm.forks.byzantium.opcodes import ensure_no_static
from eth.vm.forks.tangerine_whistle.constants import GAS_SELFDESTRUCT_EIP150
from eth.vm.opcode import _FastOpcode
from eth_hash.auto import keccak

from echidna_mcp_plugins.evm.fusion import WITH_CONSTANT, jump_if, jump_unless, overwrite
from echidna_mcp_plugins.evm.opcodes import (
    ENVIRONMENT,
    HALTING,
    LAST,
    METERED,
    METERED_AT,
    invalid,
)
from echidna_mcp_plugins.evm.words import WORD_OPERATIONS, dup, iszero, push, swap

if TYPE_CHECKING:
    from collections.abc import Callable

    from echidna_mcp_plugins.evm.frame import Frame
    from echidna_mcp_plugins.evm.words import Operation

FORK_OPCODES = CANCUN_OPCODES
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

    def __init__(self, code: bytes) -> None:
        self.code = code
        self.blocks: dict[int, Entry] = {}
        self.singles: dict[int, Entry] = {}

    @cached_property
    def code_hash(self) -> bytes:
        """Keccak of the code."""
        return keccak(self.code)

    @cached_property
    def jumpdests(self) -> frozenset[int]:
        """Positions of JUMPDEST outside of PUSH data."""
        runs = _TO_JUMPDEST.finditer(self.code)
        return frozenset(run.start(1) for run in runs if run[1])

    def decode(self, pc: int, *, single: bool) -> Entry:
        """Decode, remember and return the block at `pc`."""
        table = self.singles if single else self.blocks
        table[pc] = entry = _Decoder(self, pc).decode(1 if single else len(self.code))
        return entry


class Block:
    """A run of instructions as coverage sees it; compared by identity.

    Attributes:
        program: whose code it is.
        pcs: program counters of its instructions.
        costs: their static gas.
    """

    __slots__ = ("_mask", "costs", "pcs", "program")

    def __init__(self, program: Program, pcs: list[int], costs: list[int]) -> None:
        self.program = program
        self.pcs = pcs
        self.costs = costs
        self._mask: bytes | None = None

    def head(self, count: int) -> Block:
        """Return the first `count` instructions as a block."""
        return Block(self.program, self.pcs[:count], self.costs[:count])

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
        self.pc = pc
        self.pcs: list[int] = []
        self.costs: list[int] = []
        self.body: list[Operation] = []
        self.pending: list[tuple[int, int]] = []
        self.height = self.need = self.peak = 0

    def decode(self, limit: int) -> Entry:
        code = self.program.code
        last: Operation | None = None
        follow: int | None = None
        while self.pc < len(code) and len(self.pcs) < limit:
            opcode = code[self.pc]
            if opcode == op.JUMPDEST and self.pcs:
                break  # the start of another block
            self._count(opcode)
            size = max(opcode - op.PUSH0, 0) if opcode <= op.PUSH32 else 0
            at, self.pc = self.pc, self.pc + 1 + size
            if not self._inner(opcode, at, size):
                last, follow = self._last(opcode)
                break
        self._flush()
        if follow is None:
            follow = self.pc if self.pc < len(code) else len(code)
            if not self.pcs:
                follow = END  # running off the end of the code is STOP
        return (
            sum(self.costs),
            self.need,
            STACK_LIMIT - self.peak,
            len(self.pcs),
            tuple(self.body),
            last,
            follow,
            Block(self.program, self.pcs, self.costs),
        )

    def _count(self, opcode: int) -> None:
        pops, pushes = _STACK.get(opcode, (0, 0))
        self.pcs.append(self.pc)
        self.costs.append(_STATIC_GAS.get(opcode, 0))
        self.need = max(self.need, pops - self.height)
        self.height += pushes - pops
        self.peak = max(self.peak, self.height)

    def _inner(self, opcode: int, at: int, size: int) -> bool:
        """Append an opcode that need not end a block; whether it was one."""
        if op.PUSH0 <= opcode <= op.PUSH32:
            data = self.program.code[at + 1 : at + 1 + size].ljust(size, b"\0")
            self.pending.append((int.from_bytes(data, "big"), at))
        elif opcode == op.PC:
            self.pending.append((at, at))
        elif opcode == op.JUMPDEST:
            pass
        elif self.pending and opcode in WITH_CONSTANT:
            word, _ = self.pending.pop()
            self._flush()
            self.body.append(WITH_CONSTANT[opcode](word))
        elif self.pending and opcode in METERED_AT:
            word, start = self.pending.pop()
            self._flush()
            self.body.append(METERED_AT[opcode](word, start))
        elif opcode in METERED:
            self._flush()
            self.body.append(METERED[opcode](at))
        elif opcode == op.POP and self._drop():
            pass
        elif opcode in _PLAIN:
            self._flush()
            self.body.append(_PLAIN[opcode])
        else:
            return False
        return True

    def _drop(self) -> bool:
        """Merge POP with the constant or the SWAP before it, if there is one."""
        if self.pending:
            self.pending.pop()
            return True
        if self.body and self.body[-1] in _AFTER_SWAP:
            self.body[-1] = _AFTER_SWAP[self.body[-1]]
            return True
        return False

    def _last(self, opcode: int) -> tuple[Operation | None, int | None]:
        """Return the operation that ends the block and where it goes on."""
        if opcode in {op.JUMP, op.JUMPI} and self.pending:
            target, _ = self.pending[-1]
            if target in self.program.jumpdests:
                del self.pending[-1]
                if opcode == op.JUMP:
                    return None, target
                if not self.pending and self.body and self.body[-1] is iszero:
                    del self.body[-1]
                    return jump_unless(target), None
                return jump_if(target), None
        return _LAST.get(opcode, invalid), END if opcode in HALTING else None

    def _flush(self) -> None:
        if self.pending:
            self.body.append(push(tuple(word for word, _ in self.pending)))
            self.pending.clear()


class ProgramCache:
    """The most recently executed programs, within a bound of number and bytes."""

    def __init__(self) -> None:
        self._programs: dict[bytes, Program] = {}
        self._bytes = 0

    def __getitem__(self, code: bytes) -> Program:
        program = self._programs.pop(code, None)
        if program is None:
            program = Program(code)
            self._bytes += len(code)
        self._programs[code] = program
        while len(self._programs) > _CACHED_PROGRAMS or (
            self._bytes > _CACHED_BYTES and len(self._programs) > 1
        ):
            oldest = next(iter(self._programs))
            del self._programs[oldest]
            self._bytes -= len(oldest)
        return program

    def find(self, code_hash: bytes) -> bytes | None:
        """Return a cached code by its hash."""
        for code, program in self._programs.items():
            if program.code_hash == code_hash:
                return code
        return None


def _pyevm(call: Callable[..., Any]) -> Operation:
    """Wrap an opcode of py-evm, which does its own stack and dynamic gas."""

    def run(stack: list[int], frame: Frame) -> None:
        call(frame)

    return run


def _last_operations() -> dict[int, Operation]:
    operations: dict[int, Operation] = {}
    for opcode, entry in FORK_OPCODES.items():
        if opcode == op.SELFDESTRUCT:
            # The table's entry warns that the opcode is deprecated, each time.
            logic: Callable[..., Any] = ensure_no_static(selfdestruct_eip6780)
        elif isinstance(entry, _FastOpcode):
            logic = entry.logic_fn
        else:
            # A bound method instead of the callable object: calls of Python functions
            # by Python functions need no C stack, whatever the depth.
            logic = entry.__call__
        operations[opcode] = _pyevm(logic)
    return operations | LAST


def _static_gas() -> dict[int, int]:
    return {
        opcode: entry.gas_cost
        for opcode, entry in FORK_OPCODES.items()
        if isinstance(entry, _FastOpcode)
    } | {op.SELFDESTRUCT: GAS_SELFDESTRUCT_EIP150}


def _stack_effects() -> dict[int, tuple[int, int]]:
    """Return (pops, pushes) by opcode."""
    effects = {
        (0, 0): (op.STOP, op.JUMPDEST),
        (0, 1): (
            *(op.ADDRESS, op.ORIGIN, op.CALLER, op.CALLVALUE, op.CALLDATASIZE),
            *(op.CODESIZE, op.GASPRICE, op.RETURNDATASIZE, op.COINBASE, op.TIMESTAMP),
            *(op.NUMBER, op.DIFFICULTY, op.GASLIMIT, op.CHAINID, op.SELFBALANCE),
            *(op.BASEFEE, op.BLOBBASEFEE, op.PC, op.MSIZE, op.GAS),
            *range(op.PUSH0, op.PUSH32 + 1),
        ),
        (1, 0): (op.POP, op.JUMP, op.SELFDESTRUCT),
        (1, 1): (
            *(op.ISZERO, op.NOT, op.BALANCE, op.CALLDATALOAD, op.EXTCODESIZE),
            *(op.EXTCODEHASH, op.BLOCKHASH, op.BLOBHASH, op.MLOAD, op.SLOAD, op.TLOAD),
        ),
        (2, 0): (
            *(op.MSTORE, op.MSTORE8, op.SSTORE, op.TSTORE, op.JUMPI, op.RETURN),
            *(op.REVERT, op.LOG0),
        ),
        (2, 1): (
            *(op.ADD, op.MUL, op.SUB, op.DIV, op.SDIV, op.MOD, op.SMOD, op.EXP),
            *(op.SIGNEXTEND, op.LT, op.GT, op.SLT, op.SGT, op.EQ, op.AND, op.OR),
            *(op.XOR, op.BYTE, op.SHL, op.SHR, op.SAR, op.SHA3),
        ),
        (3, 0): (op.CALLDATACOPY, op.CODECOPY, op.RETURNDATACOPY, op.MCOPY, op.LOG1),
        (3, 1): (op.ADDMOD, op.MULMOD, op.CREATE),
        (4, 0): (op.EXTCODECOPY, op.LOG2),
        (4, 1): (op.CREATE2,),
        (5, 0): (op.LOG3,),
        (6, 0): (op.LOG4,),
        (6, 1): (op.DELEGATECALL, op.STATICCALL),
        (7, 1): (op.CALL, op.CALLCODE),
    }
    table = {opcode: effect for effect, group in effects.items() for opcode in group}
    for n in range(1, 17):
        table[op.DUP1 + n - 1] = (n, n + 1)
        table[op.SWAP1 + n - 1] = (n + 1, n + 1)
    return table


_STACK = _stack_effects()
_STATIC_GAS = _static_gas()
_LAST = _last_operations()
_SWAPS = {n: swap(n) for n in range(1, 17)}
_AFTER_SWAP = {operation: overwrite(n) for n, operation in _SWAPS.items()}
_PLAIN = (
    WORD_OPERATIONS
    | ENVIRONMENT
    | {op.DUP1 + n - 1: dup(n) for n in range(1, 17)}
    | {op.SWAP1 + n - 1: operation for n, operation in _SWAPS.items()}
)
