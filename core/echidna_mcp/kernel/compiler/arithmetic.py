"""Operators and comparisons of integers.

What is known is folded exactly, as Python does. Wide divisions are calls of
`kernel.language.division`: LLVM's own are a loop over bits and crash on some constants.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from echidna_mcp.kernel.compiler.body import Body
from echidna_mcp.kernel.compiler.values import (
    U64,
    U256,
    Value,
    default_type,
    ir_type,
    literal,
    typed,
)
from echidna_mcp.kernel.language import division
from echidna_mcp.kernel.language.types import Type

EXACT: dict[type[ast.operator], tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("sub", operator.sub),
    ast.Mult: ("mul", operator.mul),
    ast.BitAnd: ("and", operator.and_),
    ast.BitOr: ("or", operator.or_),
    ast.BitXor: ("xor", operator.xor),
    ast.LShift: ("shl", operator.lshift),
    ast.RShift: ("lshr", operator.rshift),
    ast.FloorDiv: ("udiv", operator.floordiv),
    ast.Mod: ("urem", operator.mod),
}
RING = (ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift)
"""Operators whose result modulo 2^n needs their (left) operands modulo 2^n alone."""
COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[int, int], bool]]] = {
    ast.Eq: ("eq", operator.eq),
    ast.NotEq: ("ne", operator.ne),
    ast.Lt: ("ult", operator.lt),
    ast.LtE: ("ule", operator.le),
    ast.Gt: ("ugt", operator.gt),
    ast.GtE: ("uge", operator.ge),
}
_SIGNS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_OVERFLOWS = {ast.Add: "uadd", ast.Sub: "usub", ast.Mult: "umul"}
_NO_OVERFLOW_CHECK = 512
"""Bits from which a product is not checked: the machine code would be enormous."""


def binary(
    body: Body,
    node: ast.BinOp,
    left: Value,
    right: Value,
    cover: int,
) -> Value:
    """Translate `left op right`; see `Body.fit` for `cover`.

    Raises:
        KernelError: the types differ, or constants have no such result.
    """
    kind = type(node.op)
    if kind not in EXACT:
        raise body.fail(
            node, "This operator is not in the language; see docs/kernel.md."
        )
    if not left.is_number or not right.is_number:
        raise body.fail(node, f"{left} and {right}: operators take integers.")
    shifting = kind in (ast.LShift, ast.RShift)
    if shifting:
        if right.type is not None and right.type != U64:
            raise body.fail(
                node, f"A shift amount is u64, not {right}; use wrap64(...)."
            )
        common = left.type
    else:
        common = _common(body, node, left, right)
    if left.constant is not None and right.constant is not None:
        numbers = left.constant, right.constant
        return _folded(body, node, common, numbers, cover)
    if common is None:
        common = default_type(left.constant or 0)
    left = body.fit(node, left, common, cover)
    if shifting:
        return _shift(body, node, left, right, cover)
    if kind in (ast.FloorDiv, ast.Mod):
        return _divide(body, node, left, body.fit(node, right, common))
    right = body.fit(node, right, common, cover)
    covered = 0 < cover <= common.bits
    if body.checked and not covered and kind in _OVERFLOWS:
        return _without_overflow(body, node, common, left.text, right.text)
    name = EXACT[kind][0]
    return Value(common, body.value(f"{name} i{common.bits} {left.text}, {right.text}"))


def compare(
    body: Body, node: ast.AST, op: ast.cmpop, left: Value, right: Value
) -> str | bool:
    """Translate a comparison; return the name of an i1, or what is known already."""
    if type(op) not in COMPARISONS:
        raise body.fail(node, "Compare with ==, !=, <, <=, > or >=.")
    if not left.is_number or not right.is_number:
        raise body.fail(node, f"{left} and {right}: only integers can be compared.")
    name, exact = COMPARISONS[type(op)]
    common = _common(body, node, left, right)
    if left.constant is not None and right.constant is not None:
        return exact(left.constant, right.constant)
    common = common or U64
    left, right = body.fit(node, left, common), body.fit(node, right, common)
    return body.value(f"icmp {name} {ir_type(common)} {left.text}, {right.text}")


def convert(body: Body, value: Value, kind: Type) -> Value:
    """Return an integer modulo 2^bits of `kind`, zero-extended if it is narrower."""
    if value.constant is not None:
        return typed(value.constant & ((1 << kind.bits) - 1), kind)
    assert value.type is not None
    if value.type.bits == kind.bits:
        return value
    name = "trunc" if value.type.bits > kind.bits else "zext"
    text = f"{name} i{value.type.bits} {value.text} to i{kind.bits}"
    return Value(kind, body.value(text))


def _common(body: Body, node: ast.AST, left: Value, right: Value) -> Type | None:
    if left.type is None:
        return right.type
    if right.type is None or left.type is right.type or left.type == right.type:
        return left.type
    bits = max(left.type.bits, right.type.bits)
    raise body.fail(node, f"{left} meets {right}: convert one with wrap{bits}(...).")


def _folded(
    body: Body,
    node: ast.BinOp,
    common: Type | None,
    numbers: tuple[int, int],
    cover: int,
) -> Value:
    kind, (left, right) = type(node.op), numbers
    if kind in (ast.FloorDiv, ast.Mod) and right == 0:
        raise body.fail(node, "The divisor is always 0.")
    if kind in (ast.LShift, ast.RShift):
        most = common.bits if common else 1 << 16
        if not 0 <= right < most:
            raise body.fail(node, f"A shift by {right} is out of range.")
    number = EXACT[kind][1](left, right)
    if common is None:
        return literal(number)
    return typed(body.reduced(node, number, common, cover), common)


def _without_overflow(
    body: Body, node: ast.BinOp, common: Type, left: str, right: str
) -> Value:
    kind, bits = type(node.op), common.bits
    if kind is ast.Mult and bits >= _NO_OVERFLOW_CHECK:
        return Value(common, body.value(f"mul i{bits} {left}, {right}"))
    name = f"@llvm.{_OVERFLOWS[kind]}.with.overflow.i{bits}"
    both = body.value(f"call {{i{bits}, i1}} {name}(i{bits} {left}, i{bits} {right})")
    result = body.value(f"extractvalue {{i{bits}, i1}} {both}, 0")
    over = body.value(f"extractvalue {{i{bits}, i1}} {both}, 1")
    fits = body.value(f"xor i1 {over}, true")
    body.check(node, fits, f"the result of {_SIGNS[kind]} does not fit {common}")
    return Value(common, result)


def _shift(body: Body, node: ast.BinOp, left: Value, right: Value, cover: int) -> Value:
    assert left.type is not None
    bits = left.type.bits
    name, known = EXACT[type(node.op)][0], right.constant
    if known is not None:
        if not 0 <= known < bits:
            raise body.fail(node, f"A shift by {known} is out of range of {left}.")
        amount = str(known)
    else:
        amount = right.text
        if body.checked:
            amount = checked_amount(body, node, amount, bits)
        amount = convert(body, Value(U64, amount), left.type).text
    result = body.value(f"{name} i{bits} {left.text}, {amount}")
    if body.checked and isinstance(node.op, ast.LShift) and not 0 < cover <= bits:
        back = body.value(f"lshr i{bits} {result}, {amount}")
        fits = body.value(f"icmp eq i{bits} {back}, {left.text}")
        body.check(node, fits, f"the result of << does not fit {left}")
    return Value(left.type, result)


def checked_amount(body: Body, node: ast.AST, amount: str, bits: int) -> str:
    """Return a shift amount, or 0 with a report if it is not below `bits`."""
    good = body.value(f"icmp ult i64 {amount}, {bits}")
    body.check(node, good, f"a shift amount is not below {bits}")
    return body.value(f"select i1 {good}, i64 {amount}, i64 0")


def _divide(body: Body, node: ast.BinOp, left: Value, right: Value) -> Value:
    kind = left.type
    assert kind is not None
    bits, whole = kind.bits, isinstance(node.op, ast.FloorDiv)
    known = right.constant
    if known == 0:
        raise body.fail(node, "The divisor is always 0.")
    if known is not None and known & (known - 1) == 0:
        name, by = ("lshr", known.bit_length() - 1) if whole else ("and", known - 1)
        return Value(kind, body.value(f"{name} i{bits} {left.text}, {by}"))
    divisor, good = right.text, ""
    if body.checked and known is None:
        good = body.value(f"icmp ne i{bits} {divisor}, 0")
        divisor = body.value(f"select i1 {good}, i{bits} {divisor}, i{bits} 1")
    if bits <= 64:
        name = "udiv" if whole else "urem"
        result = Value(kind, body.value(f"{name} i{bits} {left.text}, {divisor}"))
    else:
        result = _divide_wide(body, node, left, Value(kind, divisor))
    if good:
        return body.guarded(node, good, "division by 0", result)
    return result


def _divide_wide(body: Body, node: ast.BinOp, left: Value, right: Value) -> Value:
    kind = left.type
    assert kind is not None
    wide = kind if kind.bits > U256.bits else U256
    name = "divide" if isinstance(node.op, ast.FloorDiv) else "remainder"
    callee = body.linker.require(getattr(division, f"{name}{wide.bits}"))
    if body.checked and wide is not U256:
        high = body.value(f"lshr i{wide.bits} {right.text}, 256")
        small = body.value(f"icmp eq i{wide.bits} {high}, 0")
        body.check(node, small, "the divisor of a u512 does not fit u256")
        # Division by 0, which the lower half may be, might never end.
        sane = body.value(f"select i1 {small}, i512 {right.text}, i512 1")
        right = Value(kind, sane)
    result = body.call(
        callee,
        [
            convert(body, Value(kind, left.text), wide),
            convert(body, Value(kind, right.text), U256),
        ],
    )
    assert result is not None
    return convert(body, result, kind)
