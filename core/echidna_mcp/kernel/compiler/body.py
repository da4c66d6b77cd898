"""The text of one function while it grows, with the checks of checked mode."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from echidna_mcp.kernel.compiler.compiled import Compiled, Linker
from echidna_mcp.kernel.compiler.source import Source
from echidna_mcp.kernel.compiler.values import Value, ir_type, is_buffer, typed
from echidna_mcp.kernel.language.errors import KernelError
from echidna_mcp.kernel.language.types import Type


class Body:
    """Lines of LLVM IR.

    Values are called `%.1`, `%.2`, ..., blocks `b.1`, `b.2`, ...; parameters keep their
    names.

    Attributes:
        source: the function that is translated.
        linker: its unit.
        checked: whether to check what kernel code promises.
        block: label of the block that is being written.
    """

    def __init__(self, source: Source, linker: Linker, *, checked: bool) -> None:
        self.source = source
        self.linker = linker
        self.checked = checked
        self.block = "b.0"
        self.slots: list[str] = []
        self.lines: list[str] = []
        self._count = 0

    # ---------------------------------------------------------------------- lines

    def emit(self, text: str) -> None:
        """Add an instruction without a result."""
        self.lines.append("  " + text)

    def value(self, text: str) -> str:
        """Add an instruction; return the name of its result."""
        self._count += 1
        name = f"%.{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def new_name(self) -> str:
        """Return a name for a value that is defined elsewhere."""
        self._count += 1
        return f"%.{self._count}"

    def label(self) -> str:
        """Return a label for a new block."""
        self._count += 1
        return f"b.{self._count}"

    def begin(self, label: str) -> None:
        """Go on in a new block."""
        self.block = label
        self.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        """End the block by going to another."""
        self.lines.append(f"  br label %{label}")

    def slot(self, what: str) -> str:
        """Reserve memory of the type `what` in the frame; return its address."""
        self._count += 1
        name = f"%.{self._count}"
        self.slots.append(f"  {name} = alloca {what}, align 8")
        return name

    def text(self) -> str:
        """Return all lines."""
        return "\n".join(["b.0:", *self.slots, *self.lines])

    # --------------------------------------------------------------------- errors

    def fail(self, node: ast.AST, sentence: str) -> KernelError:
        """Return the error that says what is wrong at `node`."""
        line = getattr(node, "lineno", self.source.tree.lineno)
        return KernelError(self.source.path, line, sentence)

    # --------------------------------------------------------------------- values

    def fit(self, node: ast.AST, value: Value, kind: Type, cover: int = 0) -> Value:
        """Return `value`, a literal perhaps, as a value of type `kind`.

        Args:
            cover: bits to which the whole expression is wrapped; 0 if it is not.

        Raises:
            KernelError: it has another type or, without a wrap, does not fit.
        """
        if value.type is kind or value.type == kind:
            return value
        number = value.constant
        if value.type is not None or number is None:
            raise self.fail(node, f"{kind} is wanted here, not {value}.")
        if not kind.bits:
            raise self.fail(node, f"{kind} is wanted here, not the number {number}.")
        return typed(self.reduced(node, number, kind, cover), kind)

    def reduced(self, node: ast.AST, number: int, kind: Type, cover: int) -> int:
        """Return the constant `number` as it is computed in `kind`; see `fit`."""
        if 0 <= number < 1 << kind.bits:
            return number
        if 0 < cover <= kind.bits:
            return number & ((1 << kind.bits) - 1)
        raise self.fail(
            node, f"{number} does not fit {kind}; wrap it with wrap{kind.bits}(...)."
        )

    def call(self, callee: Compiled, values: Sequence[Value]) -> Value | None:
        """Call a function with values of its parameters' types."""
        parts = []
        for kind, value in zip(callee.parameters, values, strict=True):
            parts.append(value.text)
            if callee.checked and is_buffer(kind):
                parts.append(value.length)
        text = callee.call(*parts)
        if callee.result is None:
            self.emit(text)
            return None
        return Value(callee.result, self.value(text))

    # --------------------------------------------------------------------- checks

    def check(self, node: ast.AST, condition: str, reason: str) -> None:
        """Report `reason` when the i1 `condition` is false (checked mode)."""
        tree = self.source.tree
        line = getattr(node, "lineno", tree.lineno)
        site = self.linker.site(f"{self.source.path}:{line} {tree.name}: {reason}")
        self.emit(f"call void @kernel.check(i1 {condition}, i64 {site})")

    def guarded(
        self, node: ast.AST, condition: str, reason: str, value: Value
    ) -> Value:
        """Return `value`, or 0 with a report if `condition` is false."""
        self.check(node, condition, reason)
        kind = ir_type(value.type) if value.type else "i64"
        text = self.value(f"select i1 {condition}, {kind} {value.text}, {kind} 0")
        return Value(value.type, text)
