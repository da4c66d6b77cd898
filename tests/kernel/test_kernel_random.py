"""Random functions mean the same in all modes.

A generator writes functions in the kernel language: every operator and width, nested
loops and conditions, variables that are assigned on some ways, buffers. Loops are
bounded and shift amounts, divisors and indices are made to fit; all else is chance.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from kernel_modules import Modes, functions_of, module_of

from echidna_mcp.kernel.language.memory import words
from echidna_mcp.kernel.library.build import BuildOptions

WIDTHS = (8, 16, 32, 64, 128, 256, 512)
FUNCTIONS = 15
INPUTS = 12


class Writer:
    """Writes one function."""

    def __init__(self, rng: random.Random, number: int) -> None:
        self.rng = rng
        self.number = number
        self.lines: list[str] = []
        self.names = {"a": 64, "b": 64, "w": 256}
        self.counters: list[str] = []
        self.made = 0
        self.unrolled = 1

    def function(self) -> str:
        self.block(1, self.rng.randint(3, 7))
        result = " ^ ".join(f"wrap64({name})" for name in sorted(self.names))
        head = f"def f{self.number}(a: u64, b: u64, w: u256, data: Bytes, row: Words)"
        body = [f"{head} -> u64:", *self.lines, f"    return {result}"]
        return "\n".join(body) + "\n"

    # ------------------------------------------------------------------ expressions

    def leaf(self, width: int) -> str:
        """Return a variable or a constant of this width."""
        rng = self.rng
        fitting = [name for name, bits in self.names.items() if bits == width]
        if width == 64:
            fitting += self.counters
        if fitting and rng.random() < 0.8:
            return rng.choice(fitting)
        if rng.random() < 0.5:
            name, bits = rng.choice(sorted(self.names.items()))
            return name if bits == width else f"wrap{width}({name})"
        return f"wrap{width}({rng.getrandbits(rng.randint(1, 70))})"

    def number_of(self, width: int, depth: int) -> str:
        """Return an expression of this width."""
        rng = self.rng
        choice = rng.random()
        if depth == 0 or choice < 0.15:
            return self.leaf(width)
        if choice < 0.30:
            other = rng.choice(WIDTHS)
            return f"wrap{width}({self.number_of(other, depth - 1)})"
        if choice < 0.38 and width == 64:
            return self.loaded(depth)
        return self.operation(width, depth)

    def operation(self, width: int, depth: int) -> str:
        rng = self.rng
        choice = rng.random()
        left = self.number_of(width, depth - 1)
        if choice < 0.20:
            amount = self.number_of(64, depth - 1)
            sign = rng.choice(["<<", ">>"])
            return f"wrap{width}(({left}) {sign} (({amount}) % {width}))"
        if choice < 0.35:
            low = min(width, 256) - 1
            divisor = self.number_of(width, depth - 1)
            sign = rng.choice(["//", "%"])
            return f"(({left}) {sign} ((({divisor}) >> {width - low}) + 1))"
        right = self.number_of(width, depth - 1)
        if rng.random() < 0.3:
            right = str(rng.getrandbits(rng.randint(1, width)))
        sign = rng.choice(["+", "-", "*", "&", "|", "^"])
        if sign in "+-*":
            return f"wrap{width}(({left}) {sign} ({right}))"
        return f"(({left}) {sign} ({right}))"

    def loaded(self, depth: int) -> str:
        at = self.number_of(64, depth - 1)
        return self.rng.choice(
            [
                f"data[({at}) & 31]",
                f"row[({at}) & 3]",
                f"load64(data, ({at}) & 15)",
                f"wrap64(load256(data, ({at}) & 15))",
                f"leading_zeros64({at})",
                f"signed_less(peek256(data, 4), wrap256({at}))",
                f"rotate_left64({at}, ({at}) & 63)",
            ]
        )

    def condition(self, depth: int) -> str:
        choice = self.rng.random()
        if depth and choice < 0.25:
            word = self.rng.choice(["and", "or"])
            parts = [self.condition(depth - 1) for _ in range(self.rng.randint(2, 3))]
            return "(" + f" {word} ".join(parts) + ")"
        if depth and choice < 0.35:
            return f"not {self.condition(depth - 1)}"
        if choice < 0.42:
            return self.rng.choice(["1 < 2", "3 == 4"])
        width = self.rng.choice(WIDTHS)
        sign = self.rng.choice(["==", "!=", "<", "<=", ">", ">="])
        left, right = self.number_of(width, 1), self.number_of(width, 1)
        return f"{left} {sign} {right}"

    # ------------------------------------------------------------------- statements

    def put(self, level: int, text: str) -> None:
        self.lines.append("    " * level + text)

    def block(self, level: int, count: int) -> None:
        for _ in range(count):
            self.statement(level)

    def statement(self, level: int) -> None:
        rng = self.rng
        choice = rng.random()
        if choice < 0.45 or level > 4:
            self.assignment(level)
        elif choice < 0.60:
            self.store(level)
        elif choice < 0.78:
            self.branch(level)
        else:
            self.loop(level)

    def assignment(self, level: int) -> None:
        if self.rng.random() < 0.5:
            name, width = self.rng.choice(sorted(self.names.items()))
        else:
            self.made += 1
            name, width = f"v{self.made}", self.rng.choice(WIDTHS)
        self.put(level, f"{name} = {self.number_of(width, 2)}")
        self.names[name] = width

    def store(self, level: int) -> None:
        at, value = self.number_of(64, 1), self.number_of(64, 2)
        self.put(
            level,
            self.rng.choice(
                [
                    f"data[({at}) & 31] = ({value}) & 255",
                    f"row[({at}) & 3] = {value}",
                    f"store64(data, ({at}) & 15, {value})",
                    f"store256(data, ({at}) & 7, {self.number_of(256, 1)})",
                    f"copy(data, ({at}) & 15, data, 3, ({value}) & 15)",
                    f"clear(data, ({at}) & 15, ({value}) & 7)",
                ]
            ),
        )

    def branch(self, level: int) -> None:
        before = dict(self.names)
        self.put(level, f"if {self.condition(2)}:")
        self.block(level + 1, self.rng.randint(1, 3))
        self.names = dict(before)
        if self.rng.random() < 0.6:
            self.put(level, "else:")
            self.block(level + 1, self.rng.randint(1, 3))
            self.names = before

    def loop(self, level: int) -> None:
        rng, before = self.rng, dict(self.names)
        counter = f"i{level}"
        if counter in self.counters:
            self.assignment(level)
            return
        kind = rng.random()
        if kind < 0.4 and self.unrolled < 8:
            self.put(level, f"for {counter} in unroll({rng.randint(1, 3)}):")
            self.unrolled *= 3
        elif kind < 0.8:
            start = rng.choice(["", "1, ", f"({self.number_of(64, 1)}) & 3, "])
            stop = f"({self.number_of(64, 1)}) & 7"
            self.put(level, f"for {counter} in range({start}{stop}):")
        else:
            self.made += 1
            guard = f"g{self.made}"
            self.put(level, f"{guard} = 0")
            self.put(level, f"while {guard} < 5 and {self.condition(1)}:")
            self.put(level + 1, f"{guard} = {guard} + 1")
            counter = guard
        self.counters.append(counter)
        self.block(level + 1, rng.randint(1, 3))
        if rng.random() < 0.4:
            self.put(level + 1, f"if {self.condition(1)}:")
            self.put(level + 2, rng.choice(["break", "continue"]))
            self.assignment(level + 1)
        self.counters.remove(counter)
        self.names = before


@pytest.mark.parametrize("seed", range(6))
def test_random_functions_agree(tmp_path: Any, seed: int):
    rng = random.Random(seed)
    text = "\n".join(Writer(rng, number).function() for number in range(FUNCTIONS))
    module = module_of(tmp_path, text)
    options = None if seed % 2 else BuildOptions(passes=0, codegen=0)
    modes = Modes(functions_of(module), options=options)
    numbers = [0, 1, 2, 63, 2**64 - 1, *(rng.getrandbits(64) for _ in range(5))]
    for plain in functions_of(module):
        for _ in range(INPUTS):
            arguments = (
                rng.choice(numbers),
                rng.choice(numbers),
                rng.choice([0, 1, 2**256 - 1, rng.getrandbits(256)]),
            )
            content = rng.randbytes(64)
            row = [rng.choice(numbers) for _ in range(4)]
            results = []
            for run in (plain, *modes.both(plain)):
                data, table = bytearray(content), words(row)
                results.append((run(*arguments, data, table), data, table))
            assert results[0] == results[1] == results[2], plain.__name__
