"""The local variables of a function.

A variable that is assigned once in the text is the value itself, wherever it has one at
all. The others live in the frame, from where LLVM's `sroa` takes them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from echidna_mcp.kernel.compiler.body import Body
from echidna_mcp.kernel.compiler.source import Source
from echidna_mcp.kernel.compiler.values import Value, ir_type, is_buffer
from echidna_mcp.kernel.language import memory
from echidna_mcp.kernel.language.types import Type


@dataclass(slots=True)
class Variable:
    """A variable.

    Attributes:
        value: what it holds, if it is assigned once.
        address: where it lies, otherwise.
        length: where the length of a buffer lies (checked mode).
    """

    type: Type
    value: Value | None = None
    address: str = ""
    length: str = ""


class Scope:
    """Variables by name.

    Attributes:
        known: variables that have a value here, whatever way was taken; None where
            nothing gets.
        loops: how many loops are open, other than `unroll`.
    """

    def __init__(self, source: Source, body: Body) -> None:
        self._body = body
        self._variables: dict[str, Variable] = {}
        self._counters: dict[str, Value] = {}
        self._times = Counter(source.parameters.keys())
        self._loop_names: set[str] = set()
        self._count(source.tree.body, 1, source)
        self.known: set[str] | None = set()
        self.loops = 0

    def is_local(self, name: str) -> bool:
        """Whether the function assigns the name anywhere."""
        return name in self._times or name in self._loop_names

    def assign(self, node: ast.AST, name: str, value: Value) -> None:
        """Translate an assignment."""
        if name in self._counters:
            raise self._body.fail(
                node, f"{name} counts the loop; give one of them another name."
            )
        assert value.type is not None
        variable = self._variables.get(name)
        if variable is None:
            variable = self._variables[name] = Variable(value.type)
        elif variable.type != value.type:
            raise self._body.fail(
                node, f"{name} is {variable.type} since its first assignment."
            )
        assert self.known is not None
        self.known.add(name)
        if self._times[name] == 1:
            variable.value = value
        else:
            self._store(variable, value)

    def type_of(self, name: str) -> Type | None:
        """Return the type of a variable that was assigned before, in the text."""
        variable = self._variables.get(name)
        return variable.type if variable else None

    def read(self, node: ast.AST, name: str) -> Value:
        """Translate the use of a variable."""
        if name in self._counters:
            return self._counters[name]
        variable = self._variables.get(name)
        if variable is None or self.known is None or name not in self.known:
            raise self._body.fail(
                node, f"{name} may have no value here; assign it on every way."
            )
        if variable.value is not None:
            return variable.value
        kind = ir_type(variable.type)
        text = self._body.value(f"load {kind}, ptr {variable.address}, align 8")
        length = ""
        if variable.length:
            length = self._body.value(f"load i64, ptr {variable.length}, align 8")
        return Value(variable.type, text, None, length)

    def open_counter(self, node: ast.AST, name: str, value: Value) -> None:
        """Begin a loop that counts with `name`."""
        # In Python it keeps its last value after the loop; here it has none.
        assert self.known is not None
        self.known.discard(name)
        if name == "_":
            return
        if name in self._counters:
            raise self._body.fail(
                node, f"{name} counts an outer loop; give the counter another name."
            )
        self._counters[name] = value

    def close_counter(self, name: str) -> None:
        """End a loop that counts with `name`."""
        self._counters.pop(name, None)

    def _store(self, variable: Variable, value: Value) -> None:
        kind = ir_type(variable.type)
        buffer = self._body.checked and is_buffer(variable.type)
        if not variable.address:
            variable.address = self._body.slot(kind)
            if buffer:
                variable.length = self._body.slot("i64")
        self._body.emit(f"store {kind} {value.text}, ptr {variable.address}, align 8")
        if buffer:
            self._body.emit(f"store i64 {value.length}, ptr {variable.length}, align 8")

    def _count(self, body: Sequence[ast.stmt], times: int, source: Source) -> None:
        """Count assignments; what is unrolled counts twice."""
        for node in body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)]):
                    self._times[name] += times
                case ast.If() | ast.While():
                    self._count(node.body, times, source)
                    self._count(node.orelse, times, source)
                case ast.For(target=ast.Name(id=name), iter=iterated):
                    self._loop_names.add(name)
                    copies = times + int(is_unroll(iterated, source))
                    self._count(node.body, copies, source)
                case _:
                    pass


def is_unroll(node: ast.expr, source: Source) -> bool:
    """Whether an expression is a call of `unroll`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and source.namespace.get(node.func.id) is memory.unroll
    )


def merge(ways: Sequence[set[str] | None]) -> set[str] | None:
    """Return what is known where several ways meet; None if none of them gets there."""
    open_ways = [way for way in ways if way is not None]
    if not open_ways:
        return None
    return set.intersection(*open_ways) if len(open_ways) > 1 else set(open_ways[0])
