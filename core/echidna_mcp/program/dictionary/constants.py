"""Constants that a program compares with: the first dictionary of a campaign.

Two sources: number literals of the source text, and the operands of PUSH instructions.
Most PUSH2 operands are jump targets, which would drown all else, so an operand that
could be one is left out; a constant that is lost by this still stands in the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from echidna_mcp.abi.syntax import UNITS
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.sourcemap import metadata_start

MOST_WORDS = 1024
_REMEMBERED = 256
"""Sources; a project of test libraries has some thirty."""
_NEIGHBOURHOOD = (0, -1, 1)

_JUMPDEST = 0x5B
_PUSH1, _PUSH2, _PUSH32 = 0x60, 0x61, 0x7F

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|#[^\n]*", re.DOTALL)
_NUMBER = re.compile(
    r"(?<![\w.])(?:0[xX]([0-9a-fA-F_]+)|(\d[\d_]{0,199})(?:[eE](\d{1,2}))?)(?![\w.])"
    r"(?:\s+(wei|gwei|ether|seconds|minutes|hours|days|weeks)\b)?"
)


def first_words(program: Program, called: Iterable[Contract] = ()) -> list[int]:
    """Return the constants of the main contract, of its sources and their neighbours.

    At most `MOST_WORDS` words of 256 bits; the constants come first, each group in
    ascending order.

    Args:
        program: what was compiled.
        called: contracts whose constants count as those of the main one do.
    """
    found = set(_pushed(program.main_contract))
    for contract in called:
        found |= set(_pushed(contract))
    found |= written_words(program)
    words: dict[int, None] = {}
    for shift in _NEIGHBOURHOOD:
        for constant in sorted(found):
            words[(constant + shift) % (1 << 256)] = None
    return list(words)[:MOST_WORDS]


def written_words(program: Program) -> frozenset[int]:
    """Return the whole numbers that stand in the sources of a program."""
    return frozenset(
        word for source in program.sources for word in literals(source.content)
    )


@lru_cache(_REMEMBERED)
def literals(source: str) -> tuple[int, ...]:
    """Return the whole numbers that stand in a source text, units applied.

    Remembered, since each replica asks anew, and test libraries are long.
    """
    found = []
    for match in _NUMBER.finditer(_COMMENT.sub(" ", source)):
        hexadecimal, decimal, exponent, unit = match.groups()
        if hexadecimal is not None:
            value = int(hexadecimal.replace("_", "") or "0", 16)
        else:
            value = int(decimal.replace("_", "")) * 10 ** int(exponent or 0)
        value *= UNITS.get(unit, 1)
        if value < 1 << 256:
            found.append(value)
    return tuple(found)


def _pushed(contract: Contract) -> Iterable[int]:
    runtime = contract.runtime_code[: metadata_start(contract.runtime_code)]
    # Creation code carries the runtime code along, which has jump targets of its own.
    constructor, _, _ = contract.creation_code.partition(runtime[:64] or b"\xfe")
    yield from push_constants(constructor)
    yield from push_constants(runtime)


def push_constants(code: bytes) -> list[int]:
    """Return the operands of PUSH instructions that are no jump targets, in order."""
    instructions = list(instructions_of(code))
    landings = {at for at, opcode, _ in instructions if opcode == _JUMPDEST}
    return [
        operand
        for _, opcode, operand in instructions
        if operand is not None and not (opcode == _PUSH2 and operand in landings)
    ]


def instructions_of(code: bytes) -> Iterator[tuple[int, int, int | None]]:
    """Yield (program counter, opcode, operand of a PUSH)."""
    at = 0
    while at < len(code):
        opcode = code[at]
        size = opcode - _PUSH1 + 1 if _PUSH1 <= opcode <= _PUSH32 else 0
        operand = int.from_bytes(code[at + 1 : at + 1 + size], "big") if size else None
        yield at, opcode, operand
        at += 1 + size
