"""Each operation of each width, compiled, against Python's own integers."""

from __future__ import annotations

import random
from itertools import product
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_modules import Modes, functions_of, module_of

from echidna_mcp.kernel.library.calling import KernelMemoryError

WIDTHS = (8, 16, 32, 64, 128, 256, 512)
WRAPPED = {
    "add": "wrap{w}(a + b)",
    "sub": "wrap{w}(a - b)",
    "mul": "wrap{w}(a * b)",
    "and": "a & b",
    "or": "a | b",
    "xor": "a ^ b",
    "negate": "wrap{w}(0 - a + 0 * b)",
    "nested": "wrap{w}((a - b) * (a + 3) - (b << 2) ^ a)",
    "literals": "wrap{w}(a * (5 - 7) + (1 << 4)) & (b | 3)",
    "by_constant": "a // 10 ^ b // 8 ^ a % 7 ^ b % 32 ^ a // 1 ^ b % 1",
}
DIVISIONS = {"div": "a // b", "mod": "a % b", "of_constant": "100 // b ^ 100 % b"}
SHIFTS = {
    "left": "wrap{w}(a << n)",
    "right": "a >> n",
    "of_one": "wrap{w}(wrap{w}(1) << n) ^ a",
    "twice": "wrap{w}(a << n) >> n",
    "constant": "wrap{w}(a << 5) ^ a >> 3 ^ wrap{w}(n)",
}
EXACT = {"add": "a + b", "sub": "a - b", "mul": "a * b"}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def source() -> str:
    parts = []

    def define(name: str, parameters: str, result: str, body: str) -> None:
        parts.append(f"def {name}({parameters}) -> {result}:\n    {body}\n")

    for w in WIDTHS:
        two, one = f"a: u{w}, b: u{w}", f"a: u{w}, n: u64"
        for name, text in (WRAPPED | DIVISIONS).items():
            define(f"{name}{w}", two, f"u{w}", f"return {text.format(w=w)}")
        for name, text in SHIFTS.items():
            define(f"{name}{w}", one, f"u{w}", f"return {text.format(w=w)}")
        for name, text in EXACT.items():
            define(f"exact_{name}{w}", two, f"u{w}", f"return {text}")
        define(f"exact_left{w}", one, f"u{w}", "return a << n")
        for name, sign in COMPARISONS.items():
            body = f"if a {sign} b:\n        return 1\n    return 0"
            define(f"{name}{w}", two, "u64", body)
            body = f"if a {sign} 77 or 78 {sign} b:\n        return 1\n    return 0"
            define(f"{name}_constant{w}", two, "u64", body)
        for v in WIDTHS:
            define(f"convert{w}_{v}", f"a: u{w}", f"u{v}", f"return wrap{v}(a)")
    wide = "a: u256, b: u256"
    define("less", wide, "u64", "return signed_less(a, b)")
    define("shift", "a: u256, n: u64", "u256", "return signed_shift(a, n)")
    define("zeros", "a: u256", "u64", "return leading_zeros256(a)")
    define("zeros64", "a: u64", "u64", "return leading_zeros64(a)")
    define("rotate", "a: u64, n: u64", "u64", "return rotate_left64(a, n)")
    define("swap", "a: u256", "u256", "return swap_bytes256(a)")
    return "\n".join(parts)


class Operations:
    """All of them, in plain Python and in both compiled modes."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.modes = Modes(functions_of(module))

    def agree(self, name: str, *arguments: int) -> None:
        plain = getattr(self.module, name)
        expected = plain(*arguments)
        for run in self.modes.both(plain):
            assert run(*arguments) == expected, (name, arguments)

    def exact(self, name: str, width: int, *arguments: int) -> None:
        """A result that does not fit is an error where it is checked."""
        plain = getattr(self.module, name)
        _, checked = self.modes.both(plain)
        expected = plain(*arguments)
        if 0 <= expected < 1 << width:
            self.agree(name, *arguments)
        else:
            with pytest.raises(KernelMemoryError, match="does not fit"):
                checked(*arguments)


@pytest.fixture(scope="module")
def operations(tmp_path_factory: Any) -> Operations:
    return Operations(module_of(tmp_path_factory.mktemp("kernel"), source()))


def notable(width: int) -> list[int]:
    mask = (1 << width) - 1
    edges = [0, 1, 2, 3, 7, 10, 77, 78, mask, mask - 1, 1 << (width - 1), mask >> 1]
    words = [1 << bits for bits in range(64, width, 64)]
    near = [value + step for value in words for step in (-1, 0)]
    rng = random.Random(width)
    chance = [rng.getrandbits(rng.randint(1, width)) for _ in range(6)]
    return sorted({*edges, *near, *chance})


def divisor(width: int, value: int) -> int:
    # The divisor of a u512 has at most 256 bits.
    return max(value >> 256 if width == 512 and value >> 256 else value, 1)


@pytest.mark.parametrize("width", WIDTHS)
def test_operators_on_notable_numbers(operations: Operations, width: int):
    for a, b in product(notable(width), repeat=2):
        for name in (*WRAPPED, *COMPARISONS):
            operations.agree(f"{name}{width}", a, b)
        for name in DIVISIONS:
            operations.agree(f"{name}{width}", a, divisor(width, b))
        for name in COMPARISONS:
            operations.agree(f"{name}_constant{width}", a, b)


@pytest.mark.parametrize("width", WIDTHS)
def test_results_that_are_promised_to_fit(operations: Operations, width: int):
    for a, b in product(notable(width), repeat=2):
        operations.exact(f"exact_add{width}", width, a, b)
        operations.exact(f"exact_sub{width}", width, a, b)
        if width < 512:
            operations.exact(f"exact_mul{width}", width, a, b)
        operations.exact(f"exact_left{width}", width, a, b % width)


@pytest.mark.parametrize("width", WIDTHS)
def test_shifts_and_conversions(operations: Operations, width: int):
    for a in notable(width):
        for name, n in product(SHIFTS, sorted({0, 1, 5, width // 2, width - 1})):
            operations.agree(f"{name}{width}", a, n)
        for other in WIDTHS:
            operations.agree(f"convert{width}_{other}", a)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), width=st.sampled_from(WIDTHS))
def test_operators_on_any_numbers(operations: Operations, data: Any, width: int):
    number = st.integers(0, (1 << width) - 1)
    a, b = data.draw(number), data.draw(number)
    n = data.draw(st.integers(0, width - 1))
    for name in (*WRAPPED, *COMPARISONS):
        operations.agree(f"{name}{width}", a, b)
    for name in DIVISIONS:
        operations.agree(f"{name}{width}", a, divisor(width, b))
    for name in SHIFTS:
        operations.agree(f"{name}{width}", a, n)


def test_what_only_some_widths_have(operations: Operations):
    for a, b in product(notable(256), repeat=2):
        operations.agree("less", a, b)
    for a in notable(256):
        operations.agree("zeros", a)
        operations.agree("swap", a)
        for n in (0, 1, 8, 255):
            operations.agree("shift", a, n)
    for a, n in product(notable(64), (0, 1, 32, 63)):
        operations.agree("zeros64", a)
        operations.agree("rotate", a, n)


@pytest.mark.parametrize("width", WIDTHS)
def test_checked_code_reports_bad_shifts_and_divisors(
    operations: Operations, width: int
):
    for name in ("left", "right", "of_one"):
        run = operations.modes.checked.function(
            getattr(operations.module, f"{name}{width}")
        )
        with pytest.raises(KernelMemoryError, match=f"not below {width}"):
            run(1, width)
    for name in DIVISIONS:
        run = operations.modes.checked.function(
            getattr(operations.module, f"{name}{width}")
        )
        with pytest.raises(KernelMemoryError, match="division by 0"):
            run(1, 0)


def test_checked_code_reports_a_divisor_of_more_than_256_bits(operations: Operations):
    run = operations.modes.checked.function(operations.module.mod512)
    with pytest.raises(KernelMemoryError, match="divisor of a u512"):
        run(1 << 300, 1 << 256)
