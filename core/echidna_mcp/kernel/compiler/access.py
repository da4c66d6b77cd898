"""Loads and stores: elements of buffers, ranges of bytes, fields of records.

Two kinds of memory never overlap, and the metadata at the end of a unit tells LLVM so:
fields of records, and what buffers hold. Where a buffer lies never changes while
compiled code runs.
"""

from __future__ import annotations

import ast

from echidna_mcp.kernel.compiler.body import Body
from echidna_mcp.kernel.compiler.values import U64, Value, ir_type, is_buffer
from echidna_mcp.kernel.language.types import WORD, Shape, Type

FIELD = "!tbaa !3"
"""Belongs to each load and store of a field."""
MEMORY = "!tbaa !4"
"""Belongs to each load and store in a buffer."""
FIXED = "!invariant.load !5"
"""Belongs to each load of a field that never changes while compiled code runs."""
METADATA = """\
!0 = !{!"kernel"}
!1 = !{!"field", !0, i64 0}
!2 = !{!"memory", !0, i64 0}
!3 = !{!1, !1, i64 0}
!4 = !{!2, !2, i64 0}
!5 = !{}
"""
CHECKS = """\
declare void @kernel_trap(i64)
@kernel.zeros = internal constant [64 x i8] zeroinitializer, align 64
@kernel.sink = internal global [64 x i8] zeroinitializer, align 64
define internal void @kernel.check(i1 %good, i64 %site) alwaysinline nounwind {
entry:
  br i1 %good, label %done, label %bad, !prof !6
bad:
  call void @kernel_trap(i64 %site) nounwind cold
  br label %done
done:
  ret void
}
!6 = !{!"branch_weights", i32 1048576, i32 1}
"""
"""What checked functions use: reads outside go to the zeros, writes to the sink."""

ZEROS = "@kernel.zeros"
SINK = "@kernel.sink"


def element(
    body: Body,
    node: ast.AST,
    place: tuple[Value, Value],
    size: int,
    spare: str,
) -> str:
    """Return the address of an element; in checked mode `spare` if it is outside.

    Args:
        place: buffer and index.
        size: how many elements are meant.
        spare: memory of 64 bytes.
    """
    buffer, at = place
    assert buffer.type is not None
    item = "i8" if buffer.type.shape is Shape.BYTES else "i64"
    address = buffer.text
    if at.constant != 0:
        address = body.value(
            f"getelementptr inbounds {item}, ptr {address}, i64 {at.text}"
        )
    if at.constant is not None and buffer.length.isdecimal():
        if at.constant + size > int(buffer.length):
            raise body.fail(
                node, f"{at.constant} is outside of a buffer of {buffer.length}."
            )
    elif body.checked:
        good = _inside(body, at.text, str(size), buffer.length)
        body.check(node, good, f"outside of the buffer ({buffer.type})")
        address = body.value(f"select i1 {good}, ptr {address}, ptr {spare}")
    return address


def load_element(body: Body, node: ast.AST, buffer: Value, at: Value) -> Value:
    """Translate `buffer[at]`."""
    address = element(body, node, (buffer, at), 1, ZEROS)
    assert buffer.type is not None
    if buffer.type.shape is Shape.WORDS:
        return Value(U64, body.value(f"load i64, ptr {address}, align 8, {MEMORY}"))
    byte = body.value(f"load i8, ptr {address}, align 1, {MEMORY}")
    return Value(U64, body.value(f"zext i8 {byte} to i64"))


def store_element(
    body: Body, node: ast.AST, buffer: Value, at: Value, value: Value
) -> None:
    """Translate `buffer[at] = value`, where `value` is u64."""
    address = element(body, node, (buffer, at), 1, SINK)
    assert buffer.type is not None
    if buffer.type.shape is Shape.WORDS:
        body.emit(f"store i64 {value.text}, ptr {address}, align 8, {MEMORY}")
        return
    byte = narrowed(body, node, value, 8)
    body.emit(f"store i8 {byte}, ptr {address}, align 1, {MEMORY}")


def narrowed(body: Body, node: ast.AST, value: Value, bits: int) -> str:
    """Return a u64 that must fit `bits` as a value of that many bits."""
    if value.constant is not None:
        if value.constant >> bits:
            raise body.fail(node, f"{value.constant} does not fit {bits} bits.")
        return str(value.constant)
    if body.checked:
        good = body.value(f"icmp ult i64 {value.text}, {1 << bits}")
        body.check(node, good, f"the value does not fit {bits} bits")
    return body.value(f"trunc i64 {value.text} to i{bits}")


def byte_range(
    body: Body, node: ast.AST, buffer: Value, at: Value, size: Value
) -> tuple[str, str]:
    """Return address and size of a range of bytes; no bytes if it is outside."""
    address = body.value(f"getelementptr inbounds i8, ptr {buffer.text}, i64 {at.text}")
    if not body.checked:
        return address, size.text
    good = _inside(body, at.text, size.text, buffer.length)
    body.check(node, good, f"outside of the buffer ({buffer.type})")
    return address, body.value(f"select i1 {good}, i64 {size.text}, i64 0")


def _inside(body: Body, at: str, size: str, length: str) -> str:
    end = body.value(f"call i64 @llvm.uadd.sat.i64(i64 {at}, i64 {size})")
    return body.value(f"icmp ule i64 {end}, {length}")


# ------------------------------------------------------------------------------ fields


def load_field(body: Body, address: str, kind: Type, at: int) -> Value:
    """Load the field at byte `at` of the record at `address`."""
    place = offset(body, address, at)
    if not kind.bits:
        text = body.value(f"load ptr, ptr {place}, align 8, {FIELD}, {FIXED}")
        length = ""
        if body.checked and is_buffer(kind):
            length = load_length(body, address, at)
        return Value(kind, text, None, length)
    if kind.bits < 64:
        whole = body.value(f"load i64, ptr {place}, align 8, {FIELD}")
        return Value(kind, body.value(f"trunc i64 {whole} to {ir_type(kind)}"))
    return Value(
        kind, body.value(f"load {ir_type(kind)}, ptr {place}, align 8, {FIELD}")
    )


def load_length(body: Body, address: str, at: int) -> str:
    """Load the length of the buffer whose field is at byte `at`."""
    place = offset(body, address, at + WORD)
    return body.value(f"load i64, ptr {place}, align 8, {FIELD}, {FIXED}")


def store_field(body: Body, address: str, value: Value, at: int) -> None:
    """Store an integer in the field at byte `at` of the record at `address`."""
    assert value.type is not None
    place, text, kind = offset(body, address, at), value.text, ir_type(value.type)
    if value.type.bits < 64:
        if value.constant is None:
            text = body.value(f"zext {kind} {text} to i64")
        kind = "i64"
    body.emit(f"store {kind} {text}, ptr {place}, align 8, {FIELD}")


def offset(body: Body, address: str, at: int) -> str:
    """Return the address `at` bytes further on."""
    if at == 0:
        return address
    return body.value(f"getelementptr inbounds i8, ptr {address}, i64 {at}")
