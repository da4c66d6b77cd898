"""Opcodes in compiled code: what is known, and what is common, is done at once.

Where a root is written more is known than where a handler is: many operands are
constants. And it is not shared, so that it may have the short way of an opcode in
place, which hardly ever leads to what the opcode's function does besides.
"""

from __future__ import annotations

from collections.abc import Callable

from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.interpreter.handler import Handler
from echidna_mcp_plugins.native.opcodes import memory, words
from echidna_mcp_plugins.native.opcodes.gas import (
    WORD,
    charge,
    is_in_use,
    memory_beyond,
    used_place,
)
from echidna_mcp_plugins.native.opcodes.opcode import Opcode

FACTOR_BITS = 128
"""Two factors below 2^128 have a product that does not wrap."""


class Operations(Handler):
    """Writes opcodes where much is known of their operands."""

    def __init__(self, unit: Unit, name: str) -> None:
        super().__init__(unit, name)
        self._products: dict[str, tuple[str, str]] = {}
        """The factors of what MUL has made."""

    def _position(self) -> int:
        """Return the end of the stack, in slots above where it was at the root."""
        return self._low + len(self._values)

    def _operate(self, opcode: Opcode) -> bool:
        """Write an opcode that has a function; do at once what is known already."""
        self._need(opcode.pops)
        operands = self._values[len(self._values) - opcode.pops :][::-1]
        if not opcode.machine and all(each.isdecimal() for each in operands):
            assert opcode.function is not None
            result = str(opcode.function(*map(int, operands)))
        elif opcode.function in (words.div, words.mod):
            result = self._divide(opcode, *operands)
        elif opcode.function is words.exp and all(map(str.isdecimal, operands)):
            result = self._power(*map(int, operands))
        elif opcode.function is memory.mload:
            result = self._call(memory.word_at, self._place_of_word(*operands))
        elif opcode.function is memory.mstore:
            offset, value = operands
            self._call(memory.set_word_at, self._place_of_word(offset), value)
            result = ""
        else:
            ended = super()._operate(opcode)
            if opcode.function is words.mul:
                left, right = operands
                self._products[self._values[-1]] = left, right
            elif opcode.flow is Flow.CALL:
                # Frames that ran have written there.
                end = self._position() - opcode.pushes
                self._loaded = {at: v for at, v in self._loaded.items() if at < end}
            return ended
        del self._values[len(self._values) - opcode.pops :]
        if result:
            self._values.append(result)
        return False

    def _power(self, base: int, exponent: int) -> str:
        """Write what EXP costs; return its result.

        Solc takes members out of packed slots with powers of 256. Where they are known,
        the division is a shift.
        """
        paid = self._call(charge, str(words.exponent_gas(exponent)))
        self._fail_if(self.value(f"icmp eq i64 {paid}, 0"))
        return str(words.power(base, exponent))

    def _place_of_word(self, offset: str) -> str:
        """Write the way to a word of memory; return its place in `Machine.memory`.

        It fails only where memory grows, so that is the only place to look for it.
        """
        used, beyond, grew, after = (self.label() for _ in range(4))
        in_use = self._call(is_in_use, offset, str(WORD))
        missing = self.value(f"icmp eq i64 {in_use}, 0")
        self.emit(f"br i1 {missing}, label %{beyond}, label %{used}")
        self.begin(used)
        place = self._call(used_place, offset)
        self.emit(f"br label %{after}")
        self.begin(beyond)
        grown = self._call(memory_beyond, offset, str(WORD))
        self._fail_if(self.value(f"icmp ne i64 {self.number('fault')}, 0"))
        self.emit(f"br label %{grew}")
        self.begin(grew)
        self.emit(f"br label %{after}")
        self.begin(after)
        return self.value(f"phi i64 [ {place}, %{used} ], [ {grown}, %{grew} ]")

    def _divide(self, opcode: Opcode, left: str, right: str) -> str:
        """Write DIV or MOD; return the result.

        LLVM must never see a wide division, and the kernel's own takes its time, so it
        is for what is none of these: a divisor that is a power of two, operands below
        2^64, and a product divided by one of its factors, with which checked
        multiplication finds out whether it has wrapped.
        """
        quotient = opcode.function is words.div
        at_length = self._unit.require(opcode.function).call(left, right)
        if right.isdecimal():
            divisor = int(right)
            if divisor == 0:
                return "0"
            if divisor.bit_count() == 1:
                shift, mask = divisor.bit_length() - 1, divisor - 1
                if quotient:
                    return self.value(f"lshr i256 {left}, {shift}")
                return self.value(f"and i256 {left}, {mask}")
        factors = self._products.get(left, ())
        if quotient and right in factors:
            other = factors[1 - factors.index(right)]
            both = self.value(f"or i256 {right}, {other}")
            return self._one_of(
                self.value(f"icmp ult i256 {both}, {1 << FACTOR_BITS}"),
                lambda: self._unless_zero(right, other),
                lambda: self.value(at_length),
            )
        both = self.value(f"or i256 {left}, {right}")
        return self._one_of(
            self.value(f"icmp ult i256 {both}, {1 << 64}"),
            lambda: self._divide_short("udiv" if quotient else "urem", left, right),
            lambda: self.value(at_length),
        )

    def _divide_short(self, operation: str, left: str, right: str) -> str:
        """Write the division of words below 2^64."""
        zero = self.value(f"icmp eq i256 {right}, 0")
        low = [self.value(f"trunc i256 {each} to i64") for each in (left, right)]
        divisor = self.value(f"select i1 {zero}, i64 1, i64 {low[1]}")
        short = self.value(f"{operation} i64 {low[0]}, {divisor}")
        return self._unless_zero(right, self.value(f"zext i64 {short} to i256"))

    def _unless_zero(self, divisor: str, result: str) -> str:
        zero = self.value(f"icmp eq i256 {divisor}, 0")
        return self.value(f"select i1 {zero}, i256 0, i256 {result}")

    def _one_of(
        self, condition: str, yes: Callable[[], str], no: Callable[[], str]
    ) -> str:
        """Write two ways to the same word, neither of which branches; return it."""
        if_so, if_not, after = self.label(), self.label(), self.label()
        self.emit(f"br i1 {condition}, label %{if_so}, label %{if_not}")
        found = []
        for label, way in ((if_so, yes), (if_not, no)):
            self.begin(label)
            found.append(f"[ {way()}, %{label} ]")
            self.emit(f"br label %{after}")
        self.begin(after)
        return self.value(f"phi i256 {', '.join(found)}")
