"""Expressions and conditions, translated."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from enum import IntEnum
from types import FunctionType
from typing import Any

from echidna_mcp.kernel.compiler.access import (
    MEMORY,
    load_element,
    load_field,
    load_length,
)
from echidna_mcp.kernel.compiler.arithmetic import RING, binary, compare, convert
from echidna_mcp.kernel.compiler.body import Body
from echidna_mcp.kernel.compiler.intrinsics import INTRINSICS, WRAPS
from echidna_mcp.kernel.compiler.scope import Scope
from echidna_mcp.kernel.compiler.values import (
    U64,
    Value,
    default_type,
    ir_type,
    is_buffer,
    literal,
    typed,
)
from echidna_mcp.kernel.language import memory
from echidna_mcp.kernel.language.types import BYTES, WORDS, Shape, Type

_HINTS: dict[type[ast.AST], str] = {
    ast.Tuple: "There are no tuples; use several variables.",
    ast.List: "There are no lists; use a buffer or a table of constants.",
    ast.IfExp: "There is no `a if c else b`; use an if statement.",
    ast.Compare: "A comparison is no value; use an if statement.",
    ast.BoolOp: "A condition is no value; use an if statement.",
    ast.UnaryOp: "There is no unary operator; write 0 - x or MASK ^ x.",
    ast.Lambda: "There are no functions inside of functions.",
    ast.NamedExpr: "Assign in a statement of its own.",
}


class Expressions:
    """Translates expressions of one function."""

    def __init__(self, body: Body, scope: Scope) -> None:
        self._body = body
        self._scope = scope
        self._namespace = body.source.namespace

    # ---------------------------------------------------------------------- values

    def value(self, node: ast.expr, cover: int = 0) -> Value:
        """Translate an expression that has a value.

        Args:
            cover: bits to which the value is wrapped on the spot; 0 if it is not.

        Raises:
            KernelError: it is not in the language.
        """
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.BinOp):
            inner = cover if isinstance(node.op, RING) else 0
            shift = isinstance(node.op, ast.LShift)
            left = self.value(node.left, inner)
            right = self.value(node.right, 0 if shift else inner)
            return binary(self._body, node, left, right, cover)
        if isinstance(node, ast.Call):
            found = self.call(node)
            if found is None:
                raise self._body.fail(node, "This call returns nothing.")
            return found
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return literal(node.value)
        if isinstance(node, ast.Constant):
            raise self._body.fail(node, f"{node.value!r} is no integer.")
        hint = _HINTS.get(type(node), f"{type(node).__name__} is not in the language.")
        raise self._body.fail(node, f"{hint} See docs/kernel.md.")

    def wanted(self, node: ast.expr, kind: Type) -> Value:
        """Translate an expression that must have the type `kind`."""
        return self._body.fit(node, self.value(node), kind)

    def settled(self, node: ast.expr) -> Value:
        """Translate an expression; a literal gets the type that it has by itself."""
        found = self.value(node)
        if found.type is None and found.constant is not None:
            return self._body.fit(node, found, default_type(found.constant))
        return found

    def element(self, node: ast.Subscript) -> tuple[Value, Value]:
        """Translate buffer and index of `buffer[index]`."""
        buffer = self.value(node.value)
        if not is_buffer(buffer.type):
            raise self._body.fail(node, f"{buffer} has no elements; index a buffer.")
        if isinstance(node.slice, ast.Slice):
            raise self._body.fail(node, "There are no slices; use copy(...).")
        return buffer, self.wanted(node.slice, U64)

    def field(self, node: ast.Attribute) -> tuple[Value, Type, int]:
        """Translate the record of `record.field`; return type and offset as well."""
        owner = self.value(node.value)
        if owner.type is None or owner.type.record is None:
            raise self._body.fail(node, f"{owner} has no field {node.attr}.")
        found = self._body.linker.field(owner.type.record, node.attr)
        if found is None:
            raise self._body.fail(node, f"{owner} has no field {node.attr}.")
        return owner, *found

    # ---------------------------------------------------------------------- calls

    def call(self, node: ast.Call) -> Value | None:
        """Translate a call; return None if it has no value."""
        if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
            raise self._body.fail(node, "Arguments are given by position.")
        if isinstance(node.func, ast.Attribute):
            return self._callback(node, node.func)
        if not isinstance(node.func, ast.Name) or self._scope.is_local(node.func.id):
            raise self._body.fail(node, "Call a function of a module by its name.")
        name = node.func.id
        function = self._namespace.get(name)
        if function in WRAPS:
            return self._wrap(node, WRAPS[function])
        if function in INTRINSICS:
            found = INTRINSICS[function]
            values = self._arguments(node, name, found.parameters)
            return found.translate(self._body, node, values)
        if function is memory.local_words or function is memory.local_bytes:
            return self._local(node, WORDS if function is memory.local_words else BYTES)
        if function is memory.unroll:
            raise self._body.fail(node, "unroll(n) is for `for i in unroll(n)`.")
        if name == "len" and function is None:
            return self._length(node)
        if not isinstance(function, FunctionType) or function in _HOST_ONLY:
            raise self._body.fail(node, f"{name} is no function of a kernel module.")
        callee = self._body.linker.require(function)
        values = self._arguments(node, name, callee.parameters)
        return self._body.call(callee, values)

    def _arguments(
        self, node: ast.Call, name: str, parameters: Sequence[Type]
    ) -> list[Value]:
        if len(node.args) != len(parameters):
            raise self._body.fail(
                node, f"{name} takes {len(parameters)} arguments, not {len(node.args)}."
            )
        pairs = zip(node.args, parameters, strict=True)
        return [self.wanted(argument, kind) for argument, kind in pairs]

    def _wrap(self, node: ast.Call, kind: Type) -> Value:
        if len(node.args) != 1:
            raise self._body.fail(node, f"wrap{kind.bits} takes one argument.")
        found = self.value(node.args[0], kind.bits)
        if not found.is_number:
            raise self._body.fail(
                node, f"wrap{kind.bits} takes an integer, not {found}."
            )
        return convert(self._body, found, kind)

    def _local(self, node: ast.Call, kind: Type) -> Value:
        if self._scope.loops:
            raise self._body.fail(
                node, "A local buffer lives until the return; make it before the loop."
            )
        values = self._arguments(node, "A local buffer", [U64])
        count = values[0].constant
        if not count:
            raise self._body.fail(node, "A local buffer has a constant size above 0.")
        item = "i8" if kind.shape is Shape.BYTES else "i64"
        address = self._body.slot(f"[{count} x {item}]")
        size = count if kind.shape is Shape.BYTES else 8 * count
        self._body.emit(
            f"call void @llvm.memset.p0.i64(ptr align 8 {address}, i8 0, i64 {size}, "
            f"i1 false), {MEMORY}"
        )
        return Value(kind, address, None, str(count))

    def _length(self, node: ast.Call) -> Value:
        """Translate `len(...)` of a field or a local buffer; others don't know."""
        if len(node.args) == 1 and isinstance(node.args[0], ast.Attribute):
            owner, kind, at = self.field(node.args[0])
            if is_buffer(kind):
                return Value(U64, load_length(self._body, owner.text, at))
        elif len(node.args) == 1:
            found = self.value(node.args[0])
            if found.length.isdecimal():
                return typed(int(found.length), U64)
        raise self._body.fail(
            node, "len() takes a buffer that is a field of a record, or a local one."
        )

    def _callback(self, node: ast.Call, function: ast.Attribute) -> Value:
        owner, kind, at = self.field(function)
        if kind.shape is not Shape.CALLBACK:
            raise self._body.fail(node, f"{function.attr} is no Callable[[u64], u64].")
        address = load_field(self._body, owner.text, kind, at).text
        (value,) = self._arguments(node, function.attr, [U64])
        text = f"call i64 {address}(i64 {value.text}) nounwind"
        return Value(U64, self._body.value(text))

    # ---------------------------------------------------------------------- names

    def _name(self, node: ast.Name) -> Value:
        name = node.id
        if self._scope.is_local(name):
            return self._scope.read(node, name)
        return self._constant(node, name, self._namespace.get(name))

    def _constant(self, node: ast.expr, name: str, found: object) -> Value:
        if isinstance(found, int) and not isinstance(found, bool):
            if not name.isupper():
                raise self._body.fail(
                    node, f"{name}: constants are written in upper case."
                )
            return literal(int(found))
        if isinstance(found, tuple) and name.isupper():
            raise self._body.fail(node, f"{name} is a table; only index it.")
        raise self._body.fail(node, f"{name} is neither a variable nor a constant.")

    def _attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name) and not self._scope.is_local(node.value.id):
            found = self._namespace.get(node.value.id)
            if isinstance(found, type) and issubclass(found, IntEnum):
                return self._constant(node, node.attr, getattr(found, node.attr, None))
        owner, kind, at = self.field(node)
        if kind.shape is Shape.CALLBACK:
            raise self._body.fail(node, f"{node.attr} can only be called.")
        return load_field(self._body, owner.text, kind, at)

    def _subscript(self, node: ast.Subscript) -> Value:
        if isinstance(node.value, ast.Name) and not self._scope.is_local(node.value.id):
            found = self._namespace.get(node.value.id)
            if isinstance(found, tuple):
                return self._table(node, node.value.id, found)
        buffer, at = self.element(node)
        return load_element(self._body, node, buffer, at)

    def _table(self, node: ast.Subscript, name: str, values: tuple[Any, ...]) -> Value:
        good = [type(each) is int and 0 <= each < 1 << 512 for each in values]
        if not name.isupper() or not values or not all(good):
            raise self._body.fail(
                node, f"{name}: a table has an upper-case name and integers in it."
            )
        symbol, kind = self._body.linker.table(name, values)
        at = self.wanted(node.slice, U64)
        if at.constant is not None:
            if at.constant >= len(values):
                raise self._body.fail(
                    node, f"{name} has no element {at.constant}, only {len(values)}."
                )
            return typed(values[at.constant], kind)
        body, item = self._body, ir_type(kind)
        index = at.text
        if body.checked:
            good_index = body.value(f"icmp ult i64 {index}, {len(values)}")
            body.check(node, good_index, f"outside of the table {name}")
            index = body.value(f"select i1 {good_index}, i64 {index}, i64 0")
        place = body.value(f"getelementptr inbounds {item}, ptr {symbol}, i64 {index}")
        return Value(kind, body.value(f"load {item}, ptr {place}, align 8"))

    # ----------------------------------------------------------------- conditions

    def jump(self, node: ast.expr, yes: str, no: str) -> bool | None:
        """Translate a condition as a jump to one of two blocks.

        Returns:
            What it always is, if that is known; then there is no jump.
        """
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                holds = compare(
                    self._body, node, op, self.value(left), self.value(right)
                )
                if isinstance(holds, bool):
                    return holds
                self._body.emit(f"br i1 {holds}, label %{yes}, label %{no}")
                return None
            case ast.BoolOp(op=op, values=values):
                return self._chain(values, yes, no, every=isinstance(op, ast.And))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                decided = self.jump(operand, no, yes)
                return None if decided is None else not decided
            case ast.Constant(value=bool(value)):
                return value
            case ast.Compare():
                raise self._body.fail(
                    node, "Comparisons are not chained; join them with `and`."
                )
            case _:
                raise self._body.fail(
                    node, "A condition compares integers; write x != 0."
                )

    def _chain(
        self, values: Sequence[ast.expr], yes: str, no: str, *, every: bool
    ) -> bool | None:
        """Translate `a and b` (`every`) or `a or b`."""
        jumped = False
        for index, value in enumerate(values):
            following = yes if every else no
            if index + 1 < len(values):
                following = self._body.label()
            if every:
                decided = self.jump(value, following, no)
            else:
                decided = self.jump(value, yes, following)
            if decided is None:
                jumped = True
                if index + 1 < len(values):
                    self._body.begin(following)
            elif decided is not every:
                if not jumped:
                    return decided
                self._body.jump(yes if decided else no)
                return None
            elif jumped and index + 1 == len(values):
                # The last one is always so: the block that waits for it goes on.
                self._body.jump(yes if every else no)
                return None
        return None if jumped else every


_HOST_ONLY = (memory.words,)
