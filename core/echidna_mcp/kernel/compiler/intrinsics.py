"""The functions of `memory` and `processor` of the language, translated.

They are known by identity, so it does not matter under which name they are imported.
`wrap8` to `wrap512`, `unroll`, `local_words` and `local_bytes` are not here: they say
something about their arguments (see `expressions`, `statements`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from echidna_mcp.kernel.compiler.access import (
    MEMORY,
    SINK,
    ZEROS,
    byte_range,
    element,
    narrowed,
)
from echidna_mcp.kernel.compiler.arithmetic import checked_amount, convert
from echidna_mcp.kernel.compiler.body import Body
from echidna_mcp.kernel.compiler.values import U64, U256, Value
from echidna_mcp.kernel.language import memory, processor
from echidna_mcp.kernel.language.types import BYTES, INTEGERS, Type

WRAPS: dict[Any, Type] = {
    getattr(memory, f"wrap{kind.bits}"): kind for kind in INTEGERS.values()
}
"""`wrap8` to `wrap512`, and what they convert to."""

Translation = Callable[[Body, ast.AST, Sequence[Value]], Value | None]


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A function that becomes instructions instead of a call."""

    parameters: tuple[Type, ...]
    translate: Translation


def _signed_less(body: Body, _node: ast.AST, values: Sequence[Value]) -> Value:
    left, right = values
    less = body.value(f"icmp slt i256 {left.text}, {right.text}")
    return Value(U64, body.value(f"zext i1 {less} to i64"))


def _signed_shift(body: Body, node: ast.AST, values: Sequence[Value]) -> Value:
    value, amount = values
    text = amount.text
    if body.checked:
        text = checked_amount(body, node, text, 256)
    wide = convert(body, Value(U64, text, amount.constant), U256)
    return Value(U256, body.value(f"ashr i256 {value.text}, {wide.text}"))


def _leading_zeros(bits: int) -> Translation:
    def translate(body: Body, _node: ast.AST, values: Sequence[Value]) -> Value:
        kind = INTEGERS[f"u{bits}"]
        name = f"@llvm.ctlz.i{bits}"
        found = body.value(f"call i{bits} {name}(i{bits} {values[0].text}, i1 false)")
        return convert(body, Value(kind, found), U64)

    return translate


def _rotate_left64(body: Body, node: ast.AST, values: Sequence[Value]) -> Value:
    value, amount = values
    text = amount.text
    if body.checked:
        text = checked_amount(body, node, text, 64)
    both = f"i64 {value.text}, i64 {value.text}"
    return Value(U64, body.value(f"call i64 @llvm.fshl.i64({both}, i64 {text})"))


def _swap_bytes256(body: Body, _node: ast.AST, values: Sequence[Value]) -> Value:
    return Value(U256, _swapped(body, values[0].text))


def _swapped(body: Body, text: str) -> str:
    return body.value(f"call i256 @llvm.bswap.i256(i256 {text})")


def _load(bits: int, *, big_endian: bool = False) -> Translation:
    def translate(body: Body, node: ast.AST, values: Sequence[Value]) -> Value:
        address = element(body, node, (values[0], values[1]), bits // 8, ZEROS)
        text = body.value(f"load i{bits}, ptr {address}, align 1, {MEMORY}")
        if bits < 64:
            return Value(U64, body.value(f"zext i{bits} {text} to i64"))
        return Value(INTEGERS[f"u{bits}"], _swapped(body, text) if big_endian else text)

    return translate


def _store(bits: int, *, big_endian: bool = False) -> Translation:
    def translate(body: Body, node: ast.AST, values: Sequence[Value]) -> None:
        text = values[2].text
        if bits < 64:
            text = narrowed(body, node, values[2], bits)
        if big_endian:
            text = _swapped(body, text)
        address = element(body, node, (values[0], values[1]), bits // 8, SINK)
        body.emit(f"store i{bits} {text}, ptr {address}, align 1, {MEMORY}")

    return translate


def _copy(body: Body, node: ast.AST, values: Sequence[Value]) -> None:
    target, at, source, start, size = values
    to, count = byte_range(body, node, target, at, size)
    known = None if body.checked else size.constant
    origin, count = byte_range(body, node, source, start, Value(U64, count, known))
    body.emit(
        "call void @llvm.memmove.p0.p0.i64("
        f"ptr {to}, ptr {origin}, i64 {count}, i1 false), {MEMORY}"
    )


def _clear(body: Body, node: ast.AST, values: Sequence[Value]) -> None:
    address, count = byte_range(body, node, *values)
    body.emit(
        f"call void @llvm.memset.p0.i64(ptr {address}, i8 0, i64 {count}, i1 false), "
        f"{MEMORY}"
    )


def _give_way(body: Body, _node: ast.AST, _values: Sequence[Value]) -> None:
    # LLVM may neither leave it out nor think that it changes our memory.
    body.emit(
        "call void @kernel_give_way() nounwind memory(inaccessiblemem: readwrite)"
    )


def _nanoseconds(body: Body, _node: ast.AST, _values: Sequence[Value]) -> Value:
    call = "call i64 @kernel_nanoseconds() nounwind memory(inaccessiblemem: readwrite)"
    return Value(U64, body.value(call))


DECLARATION = """declare void @kernel_give_way()
declare i32 @kernel_clock(i32, ptr)
define internal i64 @kernel_nanoseconds() {
  %time = alloca [2 x i64]
  call i32 @kernel_clock(i32 1, ptr %time)
  %seconds = load i64, ptr %time
  %second = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %second
  %whole = mul i64 %seconds, 1000000000
  %sum = add i64 %whole, %rest
  ret i64 %sum
}"""
"""What intrinsics call that LLVM does not know: `sched_yield` and `clock_gettime` of
this system, the clock being the monotonic one."""

INTRINSICS: dict[Any, Intrinsic] = {
    memory.signed_less: Intrinsic((U256, U256), _signed_less),
    memory.signed_shift: Intrinsic((U256, U64), _signed_shift),
    memory.leading_zeros64: Intrinsic((U64,), _leading_zeros(64)),
    memory.leading_zeros256: Intrinsic((U256,), _leading_zeros(256)),
    memory.rotate_left64: Intrinsic((U64, U64), _rotate_left64),
    memory.swap_bytes256: Intrinsic((U256,), _swap_bytes256),
    memory.load32: Intrinsic((BYTES, U64), _load(32)),
    memory.load64: Intrinsic((BYTES, U64), _load(64)),
    memory.load256: Intrinsic((BYTES, U64), _load(256, big_endian=True)),
    memory.peek256: Intrinsic((BYTES, U64), _load(256)),
    memory.store32: Intrinsic((BYTES, U64, U64), _store(32)),
    memory.store64: Intrinsic((BYTES, U64, U64), _store(64)),
    memory.store256: Intrinsic((BYTES, U64, U256), _store(256, big_endian=True)),
    memory.poke256: Intrinsic((BYTES, U64, U256), _store(256)),
    memory.copy: Intrinsic((BYTES, U64, BYTES, U64, U64), _copy),
    memory.clear: Intrinsic((BYTES, U64, U64), _clear),
    processor.give_way: Intrinsic((), _give_way),
    processor.nanoseconds: Intrinsic((), _nanoseconds),
}
