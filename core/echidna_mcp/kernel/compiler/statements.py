"""Statements, translated."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from echidna_mcp.kernel.compiler.access import store_element, store_field
from echidna_mcp.kernel.compiler.body import Body
from echidna_mcp.kernel.compiler.expressions import Expressions
from echidna_mcp.kernel.compiler.scope import Scope, is_unroll, merge
from echidna_mcp.kernel.compiler.values import U64, Value, is_buffer, typed

UNROLL_LIMIT = 4096
"""Most copies of one loop body."""

_HINTS: dict[type[ast.AST], str] = {
    ast.AugAssign: "There is no `x += y`; write x = x + y.",
    ast.AnnAssign: "A variable takes the type of its first value; leave it out.",
    ast.FunctionDef: "There are no functions inside of functions.",
    ast.Raise: "There are no exceptions; return a number that says so.",
    ast.Try: "There are no exceptions.",
    ast.Assert: "There is no assert.",
}


@dataclass(slots=True)
class Loop:
    """A loop that is open.

    Attributes:
        again: where `continue` goes.
        after: where `break` goes.
        continues, breaks: what is known at each of them.
    """

    again: str
    after: str
    continues: list[set[str] | None] = field(default_factory=list)
    breaks: list[set[str] | None] = field(default_factory=list)


class Statements:
    """Translates the body of one function."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._source = body.source
        self._scope = Scope(body.source, body)
        self._expressions = Expressions(body, self._scope)
        self._loops: list[Loop] = []

    def translate(self) -> None:
        """Translate the whole function.

        Raises:
            KernelError: it is not in the language.
        """
        tree = self._source.tree
        for name, kind in self._source.parameters.items():
            length = ""
            if self._body.checked and is_buffer(kind):
                length = f"%{name}.length"
            self._scope.assign(tree, name, Value(kind, f"%{name}", None, length))
        self._block(tree.body)
        if self._scope.known is None:
            return
        if self._source.result is not None:
            raise self._body.fail(
                tree, f"{tree.name} may end without a return; return a value."
            )
        self._body.emit("ret void")

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        for node in statements:
            if self._scope.known is None:
                return
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._assign(node, target, value)
            case ast.If():
                self._if(node)
            case ast.Return(value=value):
                self._return(node, value)
            case ast.Expr(value=ast.Call() as call):
                self._expressions.call(call)
            case ast.For():
                self._for(node)
            case ast.While():
                self._while(node)
            case ast.Break() | ast.Continue():
                self._leave(breaks=isinstance(node, ast.Break))
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                pass
            case ast.Expr():
                raise self._body.fail(node, "A statement by itself must be a call.")
            case _:
                name = type(node).__name__
                hint = _HINTS.get(type(node), f"{name} is not in the language.")
                raise self._body.fail(node, f"{hint} See docs/kernel.md.")

    # ----------------------------------------------------------------- assignments

    def _assign(self, node: ast.Assign, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Name(id=name):
                kind = self._scope.type_of(name)
                if kind is None:
                    found = self._expressions.settled(value)
                else:
                    found = self._expressions.value(value)
                    if found.type is None:
                        found = self._body.fit(node, found, kind)
                self._scope.assign(node, name, found)
            case ast.Subscript():
                found = self._expressions.wanted(value, U64)
                buffer, at = self._expressions.element(target)
                store_element(self._body, node, buffer, at, found)
            case ast.Attribute():
                found = self._expressions.value(value)
                owner, kind, at_byte = self._expressions.field(target)
                if not kind.bits:
                    raise self._body.fail(
                        node, f"{target.attr} is fixed while compiled code runs."
                    )
                found = self._body.fit(node, found, kind)
                store_field(self._body, owner.text, found, at_byte)
            case _:
                raise self._body.fail(
                    node, "Assign to a variable, an element or a field."
                )

    def _return(self, node: ast.Return, value: ast.expr | None) -> None:
        kind = self._source.result
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            if kind is not None:
                raise self._body.fail(node, f"Return a {kind}.")
            self._body.emit("ret void")
        elif kind is None:
            raise self._body.fail(node, f"{self._source.tree.name} returns None.")
        else:
            found = self._expressions.wanted(value, kind)
            self._body.emit(f"ret i{kind.bits} {found.text}")
        self._scope.known = None

    # -------------------------------------------------------------------- branches

    def _if(self, node: ast.If) -> None:
        body, scope = self._body, self._scope
        yes, no, after = body.label(), body.label(), body.label()
        if not node.orelse:
            no = after
        decided = self._expressions.jump(node.test, yes, no)
        if decided is not None:
            self._block(node.body if decided else node.orelse)
            return
        assert scope.known is not None
        before = set(scope.known)
        body.begin(yes)
        self._block(node.body)
        ways = [scope.known]
        if scope.known is not None:
            body.jump(after)
        scope.known = before
        if node.orelse:
            body.begin(no)
            self._block(node.orelse)
            if scope.known is not None:
                body.jump(after)
        ways.append(scope.known)
        scope.known = merge(ways)
        if scope.known is not None:
            body.begin(after)

    # ----------------------------------------------------------------------- loops

    def _while(self, node: ast.While) -> None:
        body, scope = self._body, self._scope
        self._no_else(node, node.orelse)
        head, inside, after = body.label(), body.label(), body.label()
        body.jump(head)
        body.begin(head)
        decided = self._expressions.jump(node.test, inside, after)
        if decided is False:
            return
        loop = Loop(head, after)
        if decided:
            body.jump(inside)
        else:
            assert scope.known is not None
            loop.breaks.append(set(scope.known))
        body.begin(inside)
        self._inside(node.body, loop)
        if scope.known is not None:
            body.jump(head)
        self._finish(loop)

    def _for(self, node: ast.For) -> None:
        self._no_else(node, node.orelse)
        match node:
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id=function), args=args, keywords=[]),
            ) if 1 <= len(args) <= 2:
                if is_unroll(node.iter, self._source) and len(args) == 1:
                    self._unroll(node, name, args[0])
                    return
                if function == "range" and "range" not in self._source.namespace:
                    self._range(node, name, args)
                    return
        raise self._body.fail(
            node, "Write `for i in range(a, b)`, `range(n)` or `unroll(n)`."
        )

    def _range(self, node: ast.For, name: str, args: Sequence[ast.expr]) -> None:
        body, scope = self._body, self._scope
        bounds = [self._expressions.wanted(each, U64).text for each in args]
        start, stop = bounds if len(bounds) > 1 else ("0", bounds[0])
        head, inside, again, after = (body.label() for _ in range(4))
        counter, following, before = body.new_name(), body.new_name(), body.block
        body.jump(head)
        body.begin(head)
        body.lines.append(
            f"  {counter} = phi i64 [ {start}, %{before} ], [ {following}, %{again} ]"
        )
        more = body.value(f"icmp ult i64 {counter}, {stop}")
        body.emit(f"br i1 {more}, label %{inside}, label %{after}")
        scope.open_counter(node, name, Value(U64, counter))
        assert scope.known is not None
        loop = Loop(again, after)
        loop.breaks.append(set(scope.known))
        body.begin(inside)
        self._inside(node.body, loop)
        scope.close_counter(name)
        if scope.known is not None:
            body.jump(again)
        body.begin(again)
        body.lines.append(f"  {following} = add nuw i64 {counter}, 1")
        body.jump(head)
        self._finish(loop)

    def _unroll(self, node: ast.For, name: str, count: ast.expr) -> None:
        body, scope = self._body, self._scope
        copies = self._expressions.wanted(count, U64).constant
        if copies is None or copies > UNROLL_LIMIT:
            raise body.fail(node, f"unroll takes a constant up to {UNROLL_LIMIT}.")
        loop = Loop("", body.label())
        for index in range(copies):
            loop.again = body.label()
            loop.continues = []
            scope.open_counter(node, name, typed(index, U64))
            self._loops.append(loop)
            self._block(node.body)
            self._loops.pop()
            scope.close_counter(name)
            if loop.continues:
                if scope.known is not None:
                    body.jump(loop.again)
                scope.known = merge([scope.known, *loop.continues])
                body.begin(loop.again)
            if scope.known is None:
                break
        if loop.breaks:
            if scope.known is not None:
                body.jump(loop.after)
            loop.breaks.append(scope.known)
            self._finish(loop)

    def _inside(self, statements: Sequence[ast.stmt], loop: Loop) -> None:
        self._scope.loops += 1
        self._loops.append(loop)
        self._block(statements)
        self._loops.pop()
        self._scope.loops -= 1

    def _finish(self, loop: Loop) -> None:
        self._scope.known = merge(loop.breaks)
        if self._scope.known is not None:
            self._body.begin(loop.after)

    def _leave(self, *, breaks: bool) -> None:
        loop = self._loops[-1]
        (loop.breaks if breaks else loop.continues).append(self._scope.known)
        self._body.jump(loop.after if breaks else loop.again)
        self._scope.known = None

    def _no_else(self, node: ast.stmt, orelse: Sequence[ast.stmt]) -> None:
        if orelse:
            raise self._body.fail(node, "A loop has no else.")
