"""The native interpreter: all handlers, and how they are entered and left.

`add_interpreter` gives native bodies to two functions whose Python bodies are in
`execution`: `execute` and `install_handlers`.
"""

from __future__ import annotations

from echidna_mcp.kernel.compiler.compiled import Compiled
from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp_plugins.native.code import decode
from echidna_mcp_plugins.native.code.fusion import fusions
from echidna_mcp_plugins.native.frames.frames import leave
from echidna_mcp_plugins.native.interpreter.execution import execute, install_handlers
from echidna_mcp_plugins.native.interpreter.handler import (
    CONVENTION,
    LEAVE,
    METADATA,
    Handler,
)
from echidna_mcp_plugins.native.opcodes.isa import token_operations

TABLE = "@h.table"


def add_interpreter(unit: Unit) -> None:
    """Add the interpreter to a unit; `execute` and `install_handlers` become native."""
    unit.implement(execute, lambda compiled: _execute(unit, compiled))
    unit.implement(install_handlers, lambda compiled: _install(unit, compiled))


def tokens() -> list[int]:
    """Return all tokens that a stream may hold."""
    special = {
        decode.BLOCK,
        decode.PUSH0,
        decode.PUSH,
        decode.PUSH_WIDE,
        decode.POP,
        decode.JUMP,
        decode.JUMPI,
        decode.JUMP_TO,
        decode.JUMPI_TO,
        *range(decode.DUP1, decode.DUP16 + 1),
        *range(decode.SWAP1, decode.SWAP16 + 1),
    }
    return sorted(special | token_operations().keys())


def _execute(unit: Unit, _compiled: Compiled) -> str:
    """Return the body of `execute`."""
    writer = Handler(unit, "")
    sp, ip = writer.reload()
    handler = writer.value(f"load ptr, ptr {ip}, align 8")
    writer.emit(f"call {CONVENTION} void {handler}(ptr %m, ptr {sp}, ptr {ip})")
    writer.emit("ret void")
    return writer.body()


def _install(unit: Unit, _compiled: Compiled) -> str:
    """Return the body of `install_handlers`, which needs all handlers."""
    names = [f"@h.{decode.INVALID}"] * decode.TOKENS
    runs: list[tuple[int, tuple[int, ...]]] = []
    for token in tokens():
        names[token] = f"@h.{token}"
        runs.append((token, (token,)))
    for number, run in enumerate(fusions(), decode.TOKENS):
        names.append(f"@h.{number}")
        runs.append((number, run))
    for number, run in runs:
        unit.add_ir(Handler(unit, f"@h.{number}").write(run))
    unit.add_ir(_leave(unit))
    unit.add_ir(METADATA)
    items = ", ".join(f"ptr {name}" for name in names)
    unit.add_ir(f"{TABLE} = internal constant [{len(names)} x ptr] [{items}], align 8")
    writer = Handler(unit, "")
    target = writer.buffer("handlers")
    writer.emit(
        "call void @llvm.memcpy.p0.p0.i64("
        f"ptr {target}, ptr {TABLE}, i64 {8 * len(names)}, i1 false)"
    )
    writer.emit("ret void")
    return writer.body()


def _leave(unit: Unit) -> str:
    """Return the handler that ends the running frame."""
    writer = Handler(unit, LEAVE)
    found = writer.value(unit.require(leave).call("%m"))
    over = writer.label()
    writer.branch(writer.value(f"icmp eq i64 {found}, 0"), over, rare=False)
    writer.go(*writer.reload())
    writer.begin(over)
    writer.emit("ret void")
    return writer.text("dso_local")
