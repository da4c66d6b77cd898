"""Entries: how code outside of a unit calls a kernel function; see `Entry`."""

from __future__ import annotations

from echidna_mcp.kernel.compiler.compiled import Compiled
from echidna_mcp.kernel.compiler.values import ir_type, is_buffer
from echidna_mcp.kernel.language.types import WORD, offsets


def entry_size(compiled: Compiled) -> int:
    """Return the bytes of the arguments and the result."""
    _, size = offsets(compiled.parameters)
    return size + (compiled.result.size if compiled.result else 0)


def entry_text(symbol: str, compiled: Compiled) -> str:
    """Return the IR of an entry."""
    lines = [f"define void @{symbol}(ptr %arguments) nounwind {{", "entry:"]
    starts, size = offsets(compiled.parameters)
    values: list[str] = []

    def load(kind: str, at: int) -> None:
        number = len(values)
        lines.append(f"  %p.{number} = getelementptr i8, ptr %arguments, i64 {at}")
        lines.append(f"  %v.{number} = load {kind}, ptr %p.{number}, align 8")
        values.append(f"%v.{number}")

    for kind, start in zip(compiled.parameters, starts, strict=True):
        load(ir_type(kind), start)
        if compiled.checked and is_buffer(kind):
            load("i64", start + WORD)
    call = compiled.call(*values)
    if compiled.result is None:
        lines.append(f"  {call}")
    else:
        wide = ir_type(compiled.result)
        lines.append(f"  %result = {call}")
        stored = "%result"
        if compiled.result.bits < 8 * WORD:
            lines.append(f"  %wide = zext {wide} %result to i64")
            wide, stored = "i64", "%wide"
        lines.append(f"  %end = getelementptr i8, ptr %arguments, i64 {size}")
        lines.append(f"  store {wide} {stored}, ptr %end, align 8")
    return "\n".join([*lines, "  ret void", "}"])
