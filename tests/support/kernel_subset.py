"""The compiled subset of Python: a checker, and a run with checked widths.

`Subset` reads modules with `ast`, refuses everything that a compiler of the subset need
not know, and infers the type of each expression. `Subset.checked` gives the same
functions again, with every operation watched: a result that does not fit its width is
an error unless it is wrapped on the spot, and so is memory outside of a buffer. What
passes means the same in Python and in fixed-width machine code.
"""

from __future__ import annotations

import ast
import inspect
from array import array
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from echidna_mcp.kernel import memory

_SCALARS = {"u64": 64, "u256": 256}
_TYPES = {*_SCALARS, "Bytes", "Words", "FuzzTables"}
_RING = (ast.Add, ast.Sub, ast.Mult, ast.LShift, ast.BitAnd, ast.BitOr, ast.BitXor)
_SHIFTS = (ast.LShift, ast.RShift)
_OPERATORS = (*_RING, ast.RShift, ast.FloorDiv, ast.Mod)
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_WRAPS = {"wrap64": "u64", "wrap256": "u256"}


class SubsetError(Exception):
    """The code leaves the subset."""


def _fail(node: ast.AST, reason: str) -> SubsetError:
    return SubsetError(f"line {getattr(node, 'lineno', '?')}: {reason}")


class Subset:
    """Functions of the subset, from one or more modules."""

    def __init__(self, fields: dict[str, str]) -> None:
        self.fields = fields
        self.constants: dict[str, int] = {}
        self.functions: dict[str, ast.FunctionDef] = {}
        self.signatures: dict[str, tuple[list[str], str]] = {}
        self.types: dict[ast.AST, str] = {}
        self._env: dict[str, str] = {}
        self._returns = ""
        tree = ast.parse(inspect.getsource(memory))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name in _INTRINSICS:
                self.signatures[node.name] = _signature(node)

    def add_source(self, source: str, constants: dict[str, int]) -> None:
        """Read a module; its functions are checked by `check`."""
        self.constants |= constants
        for node in ast.parse(source).body:
            match node:
                case ast.Expr(value=ast.Constant(value=str())) | ast.ImportFrom():
                    continue
                case ast.Assign(targets=[ast.Name(id=name)]) if name in constants:
                    continue
                case ast.FunctionDef(name=name):
                    if name in self.signatures:
                        raise _fail(node, f"{name} is defined twice")
                    self.functions[name] = node
                    self.signatures[name] = _signature(node)
                case _:
                    raise _fail(node, "statement at module level")

    def add_module(self, module: ModuleType) -> None:
        """Read a module that is imported."""
        constants = {
            name: value
            for name, value in vars(module).items()
            if name.isupper() and isinstance(value, int)
        }
        self.add_source(inspect.getsource(module), constants)

    def check(self) -> None:
        """Check every function.

        Raises:
            SubsetError: with line and reason.
        """
        for name, function in self.functions.items():
            parameters, self._returns = self.signatures[name]
            names = [argument.arg for argument in function.args.args]
            self._env = dict(zip(names, parameters, strict=True))
            try:
                self._block(function.body[1:])
            except SubsetError as error:
                raise SubsetError(f"{name}, {error}") from error

    # ------------------------------------------------------------ statements

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assign(node, name, self._expression(value))
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                self._want(value, self._expression(target))
            case ast.If(test=test, body=body, orelse=orelse):
                self._condition(test)
                self._block(body)
                self._block(orelse)
            case ast.While(test=test, body=body, orelse=[]):
                self._condition(test)
                self._block(body)
            case ast.For(orelse=[]):
                self._for(node)
            case ast.Return(value=None):
                if self._returns != "None":
                    raise _fail(node, "returns nothing")
            case ast.Return(value=value) if value is not None:
                self._want(value, self._returns)
            case ast.Expr(value=ast.Call() as call):
                self._expression(call)
            case _:
                raise _fail(node, f"{type(node).__name__} is not in the subset")

    def _assign(self, node: ast.AST, name: str, found: str) -> None:
        found = "u64" if found == "literal" else found
        if found in ("None", "bool"):
            raise _fail(node, f"{name} is given a {found}")
        known = self._env.setdefault(name, found)
        if known != found and not (known == "u256" and found == "literal"):
            raise _fail(node, f"{name} is {known}, not {found}")

    def _for(self, node: ast.For) -> None:
        match node:
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id="range"), args=args, keywords=[]),
            ) if 1 <= len(args) <= 2:
                for bound in args:
                    self._want(bound, "u64")
                for inner in ast.walk(ast.Module(body=node.body, type_ignores=[])):
                    if isinstance(inner, ast.Assign) and name in {
                        getattr(target, "id", None) for target in inner.targets
                    }:
                        raise _fail(inner, f"{name} counts the loop")
                before = self._env.get(name)
                self._env[name] = "u64"
                self._block(node.body)
                if before is None:
                    del self._env[name]
            case _:
                raise _fail(node, "for is for range() only")

    # ----------------------------------------------------------- expressions

    def _condition(self, node: ast.expr) -> None:
        match node:
            case ast.BoolOp(values=values):
                for value in values:
                    self._condition(value)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                if not isinstance(op, _COMPARISONS):
                    raise _fail(node, "comparison")
                self._unify(node, self._expression(left), self._expression(right))
            case _:
                raise _fail(node, "a condition compares numbers")

    def _want(self, node: ast.expr, wanted: str) -> None:
        found = self._expression(node)
        if found != wanted and not (found == "literal" and wanted in _SCALARS):
            raise _fail(node, f"{found} where {wanted} is wanted")

    def _unify(self, node: ast.AST, left: str, right: str) -> str:
        if left == "literal":
            left = right
        if right not in ("literal", left) or left not in (*_SCALARS, "literal"):
            raise _fail(node, f"{left} meets {right}")
        return left

    def _expression(self, node: ast.expr) -> str:
        found = self._infer(node)
        self.types[node] = found
        return found

    def _infer(self, node: ast.expr) -> str:  # noqa: PLR0911 - one a kind of node
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return "literal" if value < 1 << 64 else "u256"
            case ast.Name(id=name) if name in self._env:
                return self._env[name]
            case ast.Name(id=name) if name in self.constants:
                return "literal" if self.constants[name] < 1 << 64 else "u256"
            case ast.Attribute(value=ast.Name(id=name), attr=field):
                if self._env.get(name) != "FuzzTables":
                    raise _fail(node, f"attribute {field}")
                return self.fields[field]
            case ast.Subscript(value=value, slice=index):
                self._want(index, "u64")
                if self._expression(value) not in ("Bytes", "Words"):
                    raise _fail(node, "indexing something else than a buffer")
                return "u64"
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(node, left, op, right)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self._call(node, name, args)
            case _:
                raise _fail(node, f"{type(node).__name__} is not in the subset")

    def _operation(
        self, node: ast.AST, left: ast.expr, op: ast.operator, right: ast.expr
    ) -> str:
        if not isinstance(op, _OPERATORS):
            raise _fail(node, "operator")
        if isinstance(op, _SHIFTS):
            self._want(right, "u64")
            found = self._expression(left)
            amount = self.types[right]
            return "u64" if (found, amount) == ("literal", "u64") else found
        return self._unify(node, self._expression(left), self._expression(right))

    def _call(self, node: ast.AST, name: str, args: Sequence[ast.expr]) -> str:
        if name in _WRAPS:
            (argument,) = args
            if self._expression(argument) not in (*_SCALARS, "literal"):
                raise _fail(node, f"{name} of something else than a number")
            return _WRAPS[name]
        if name not in self.signatures:
            raise _fail(node, f"call of {name}")
        parameters, returns = self.signatures[name]
        if len(parameters) != len(args):
            raise _fail(node, f"{name} takes {len(parameters)} arguments")
        for argument, wanted in zip(args, parameters, strict=True):
            self._want(argument, wanted)
        return returns

    # --------------------------------------------------------------- running

    def checked(self) -> dict[str, Any]:
        """Return the functions, watched; call `check` first."""
        watcher = _Watcher(self.types)
        body: list[ast.stmt] = [
            ast.ImportFrom("__future__", [ast.alias("annotations")], 0)
        ]
        for function in self.functions.values():
            copied = ast.FunctionDef(**dict(ast.iter_fields(function)))
            copied.body = [watcher.visit_statement(s) for s in function.body[1:]]
            body.append(copied)
        tree = ast.fix_missing_locations(ast.Module(body=body, type_ignores=[]))
        namespace: dict[str, Any] = {**self.constants, **_INTRINSICS}
        exec(compile(tree, "<checked>", "exec"), namespace)
        return namespace


def _signature(node: ast.FunctionDef) -> tuple[list[str], str]:
    arguments = node.args
    if (
        arguments.posonlyargs
        or arguments.kwonlyargs
        or arguments.vararg
        or arguments.kwarg
        or arguments.defaults
        or node.decorator_list
    ):
        raise _fail(node, f"{node.name} has more than plain parameters")
    parameters = [_annotation(node, a.annotation) for a in arguments.args]
    if isinstance(node.returns, ast.Constant) and node.returns.value is None:
        return parameters, "None"
    returns = _annotation(node, node.returns)
    return parameters, returns


def _annotation(node: ast.FunctionDef, annotation: ast.expr | None) -> str:
    if isinstance(annotation, ast.Name):
        if annotation.id in _TYPES:
            return annotation.id
        if node.name in _WRAPS and annotation.id == "int":
            return "u256"
        if annotation.id == "int":  # kernel.memory stores take any int that fits
            return "u256" if node.name.endswith("256") else "u64"
    raise _fail(node, f"annotation in {node.name}")


class _Watcher:
    """Rewrites expressions so that widths are checked when they run."""

    def __init__(self, types: dict[ast.AST, str]) -> None:
        self._types = types

    def visit_statement(self, node: ast.stmt) -> ast.stmt:
        return self._copy(node)

    def _copy(self, node: Any, covered: int = 0) -> Any:
        if isinstance(node, list):
            return [self._copy(item) for item in node]
        if not isinstance(node, ast.AST):
            return node
        if isinstance(node, ast.BinOp):
            return self._operation(node, covered)
        if isinstance(node, ast.Call):
            return self._call(node)
        fields = {name: self._copy(value) for name, value in ast.iter_fields(node)}
        return type(node)(**fields)

    def _call(self, node: ast.Call) -> ast.Call:
        assert isinstance(node.func, ast.Name)
        width = {"wrap64": 64, "wrap256": 256}.get(node.func.id, 0)
        args = [self._copy(argument, width) for argument in node.args]
        return ast.Call(ast.Name(node.func.id, ast.Load()), args, [])

    def _operation(self, node: ast.BinOp, covered: int) -> ast.expr:
        width = _SCALARS.get(self._types[node], 256)
        inside = covered if isinstance(node.op, _RING) and covered <= width else 0
        left = self._copy(node.left, inside)
        right = self._copy(node.right, 0 if isinstance(node.op, _SHIFTS) else inside)
        if isinstance(node.op, _SHIFTS):
            right = _watch("_shift", right, width)
        result = ast.BinOp(left, node.op, right)
        return result if inside else _watch("_fit", result, width)


def _watch(name: str, value: ast.expr, width: int) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [value, ast.Constant(width)], [])


def _fit(value: int, width: int) -> int:
    if not 0 <= value < 1 << width:
        raise OverflowError(f"{value:#x} does not fit {width} bits")
    return value


def _shift(amount: int, width: int) -> int:
    if not 0 <= amount < width:
        raise OverflowError(f"shift by {amount} in {width} bits")
    return amount


def _bounded(function: Callable[..., Any], size: int) -> Callable[..., Any]:
    def call(buffer: bytearray, at: int, *value: int) -> Any:
        if not 0 <= at <= len(buffer) - size:
            raise IndexError(f"{function.__name__} at {at} of {len(buffer)}")
        return function(buffer, at, *value)

    return call


def _copy(target: bytearray, at: int, source: bytearray, start: int, size: int) -> None:
    if not (0 <= at <= len(target) - size and 0 <= start <= len(source) - size):
        raise IndexError(f"copy of {size} from {start} to {at}")
    memory.copy(target, at, source, start, size)


def _clear(target: bytearray, at: int, size: int) -> None:
    if not 0 <= at <= len(target) - size:
        raise IndexError(f"clear of {size} at {at}")
    memory.clear(target, at, size)


_INTRINSICS: dict[str, Any] = {
    "_fit": _fit,
    "_shift": _shift,
    "wrap64": memory.wrap64,
    "wrap256": memory.wrap256,
    "load64": _bounded(memory.load64, 8),
    "store64": _bounded(memory.store64, 8),
    "load256": _bounded(memory.load256, 32),
    "store256": _bounded(memory.store256, 32),
    "peek256": _bounded(memory.peek256, 32),
    "poke256": _bounded(memory.poke256, 32),
    "copy": _copy,
    "clear": _clear,
    "MASK64": memory.MASK64,
    "MASK256": memory.MASK256,
    "array": array,
}
