"""The block rules of the seam, applied to what unmodified py-evm recorded.

Written from the rules (`echidna_mcp.evm.backend`) and the Yellow Paper, with no help of
the code under test: which blocks a run entered follows from the stack and the gas that
py-evm had wherever it reached the beginning of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from eth_hash.auto import keccak
from evm_assembler import OPCODES

TRACED_DEPTHS = 64
_STACK_LIMIT = 1024

_FACTS = """
0 0 0   STOP INVALID
3 2 1   ADD SUB LT GT SLT SGT EQ AND OR XOR BYTE SHL SHR SAR
5 2 1   MUL DIV SDIV MOD SMOD SIGNEXTEND
8 3 1   ADDMOD MULMOD
10 2 1  EXP
3 1 1   ISZERO NOT CALLDATALOAD BLOBHASH MLOAD
30 2 1  SHA3
2 0 1   ADDRESS ORIGIN CALLER CALLVALUE CALLDATASIZE CODESIZE GASPRICE RETURNDATASIZE
2 0 1   COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT CHAINID BASEFEE BLOBBASEFEE
2 0 1   PC MSIZE GAS PUSH0
5 0 1   SELFBALANCE
0 1 1   BALANCE EXTCODESIZE EXTCODEHASH SLOAD
20 1 1  BLOCKHASH
3 3 0   CALLDATACOPY CODECOPY RETURNDATACOPY MCOPY
0 4 0   EXTCODECOPY
2 1 0   POP
3 2 0   MSTORE MSTORE8
0 2 0   SSTORE RETURN REVERT
8 1 0   JUMP
10 2 0  JUMPI
1 0 0   JUMPDEST
100 1 1 TLOAD
100 2 0 TSTORE
375 2 0 LOG0
375 3 0 LOG1
375 4 0 LOG2
375 5 0 LOG3
375 6 0 LOG4
0 3 1   CREATE
0 4 1   CREATE2
0 7 1   CALL CALLCODE
0 6 1   DELEGATECALL STATICCALL
5000 1 0 SELFDESTRUCT
"""
_PUSH1, _PUSH32 = OPCODES["PUSH1"], OPCODES["PUSH32"]
_JUMPDEST = OPCODES["JUMPDEST"]
_SPLITS = {
    OPCODES[name]
    for name in (
        *("JUMPI", "CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"),
        *("CREATE", "CREATE2", "GAS", "SSTORE"),
    )
}
_ENDS = {OPCODES[name] for name in ("STOP", "JUMP", "RETURN", "REVERT", "SELFDESTRUCT")}


def _facts() -> dict[int, tuple[int, int, int]]:
    """Return (static gas, pops, pushes) by opcode."""
    facts = {}
    for line in _FACTS.strip().splitlines():
        gas, pops, pushes, *names = line.split()
        for name in names:
            facts[OPCODES[name]] = (int(gas), int(pops), int(pushes))
    for opcode in range(_PUSH1, _PUSH32 + 1):
        facts[opcode] = (3, 0, 1)
    for n in range(1, 17):
        facts[OPCODES[f"DUP{n}"]] = (3, n, n + 1)
        facts[OPCODES[f"SWAP{n}"]] = (3, n + 1, n + 1)
    return facts


FACTS = _facts()


@dataclass(frozen=True, slots=True)
class Moment:
    """Unmodified py-evm, about to execute an instruction."""

    code: bytes
    depth: int
    pc: int
    height: int
    gas: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """A block: program counters, static gas, lowest and highest height at entry."""

    pcs: tuple[int, ...]
    gas: int
    need: int
    room: int

    def is_entered(self, moment: Moment) -> bool:
        """Whether the check at its beginning passes."""
        return self.need <= moment.height <= self.room and moment.gas >= self.gas


def _instructions(code: bytes) -> Iterator[tuple[int, int]]:
    pc = 0
    while pc < len(code):
        opcode = code[pc]
        yield pc, opcode
        pc += 1 + (opcode - _PUSH1 + 1 if _PUSH1 <= opcode <= _PUSH32 else 0)


@lru_cache(maxsize=4096)
def stretches(code: bytes) -> dict[int, Stretch]:
    """Return the blocks of a code by their first program counter."""
    groups: list[list[tuple[int, int]]] = []
    ended = True
    for pc, opcode in _instructions(code):
        if ended or opcode == _JUMPDEST:
            groups.append([])
        groups[-1].append((pc, opcode))
        ended = opcode in _SPLITS or opcode in _ENDS or opcode not in FACTS
        ended = ended or opcode == OPCODES["INVALID"]
    return {group[0][0]: _stretch(group) for group in groups}


def _stretch(group: list[tuple[int, int]]) -> Stretch:
    gas = height = need = peak = 0
    for _, opcode in group:
        cost, pops, pushes = FACTS.get(opcode, (0, 0, 0))
        gas += cost
        need = max(need, pops - height)
        height += pushes - pops
        peak = max(peak, height)
    return Stretch(tuple(pc for pc, _ in group), gas, need, _STACK_LIMIT - peak)


@lru_cache(maxsize=4096)
def code_hash(code: bytes) -> bytes:
    """Return keccak of a code."""
    return keccak(code)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a result must say of the blocks that were entered."""

    steps: int
    visited: set[tuple[bytes, int, int]]
    order: list[tuple[bytes, int]]
    last: tuple[bytes, int] | None


def expected(moments: Iterable[Moment]) -> Expected:
    """Return what the rules say of a recorded run."""
    steps, last = 0, None
    visited: set[tuple[bytes, int, int]] = set()
    order: dict[tuple[bytes, int], None] = {}
    for moment in moments:
        stretch = stretches(moment.code).get(moment.pc)
        if stretch is None or not stretch.is_entered(moment):
            continue
        steps += len(stretch.pcs)
        name = code_hash(moment.code)
        last = (name, stretch.pcs[-1])
        if moment.depth < TRACED_DEPTHS:
            order[name, moment.depth] = None
            visited.update((name, moment.depth, pc) for pc in stretch.pcs)
    return Expected(steps, visited, list(order), last)
