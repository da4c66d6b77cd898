"""Kernel functions as the compiler reads them: syntax tree, types and marks."""

from __future__ import annotations

import ast
import linecache
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from echidna_mcp.kernel.language import marks
from echidna_mcp.kernel.language.errors import KernelError
from echidna_mcp.kernel.language.types import Shape, Type, type_of

_PARSING = threading.Lock()
"""Held while Python parses. `ast.parse` of 3.11 counts its recursion in one place for
all threads: two at once end in `SystemError: AST constructor recursion depth mismatch`
(CPython issue 106905)."""
_FUTURE = "Start the module with `from __future__ import annotations`."


@dataclass(frozen=True, slots=True)
class Source:
    """A function and what its text says.

    Attributes:
        path: its file.
        tree: its definition.
        namespace: globals of its module.
        parameters: types by name, in order.
        result: type of what it returns; None if it returns nothing.
        inline, cold: whether it bears these marks.
    """

    function: FunctionType
    path: str
    tree: ast.FunctionDef
    namespace: dict[str, Any]
    parameters: dict[str, Type]
    result: Type | None
    inline: bool
    cold: bool


def name_of(function: FunctionType) -> str:
    """Return a name of a function that is the same in every process."""
    return f"{function.__module__}:{function.__qualname__}"


class Sources:
    """Reads functions; each file is parsed once."""

    def __init__(self) -> None:
        self._files: dict[str, dict[tuple[str, int], ast.FunctionDef]] = {}

    def read(self, function: FunctionType) -> Source:
        """Return the source of `function`.

        Raises:
            KernelError: its file is gone or its signature is not in the language.
        """
        path = function.__code__.co_filename
        tree = self._definition(function, path)
        _check_form(tree, path)
        namespace = function.__globals__
        decorators = [
            namespace.get(mark.id)
            for mark in tree.decorator_list
            if isinstance(mark, ast.Name)
        ]
        parameters, result = _signature(function, tree, path)
        return Source(
            function=function,
            path=path,
            tree=tree,
            namespace=namespace,
            parameters=parameters,
            result=result,
            inline=marks.inline in decorators,
            cold=marks.cold in decorators,
        )

    def _definition(self, function: FunctionType, path: str) -> ast.FunctionDef:
        if path not in self._files:
            lines = linecache.getlines(path, function.__globals__)
            with _PARSING:
                parsed = ast.parse("".join(lines))
            definitions = _definitions(parsed.body)
            self._files[path] = {_place(each): each for each in definitions}
        line = function.__code__.co_firstlineno
        found = self._files[path].get((function.__name__, line))
        if found is None:
            raise KernelError(
                path,
                line,
                f"{function.__name__} is not here; the compiler needs its source text.",
            )
        return found


def is_kernel_function(function: object) -> bool:
    """Whether all parameters and the result are annotated with kernel types.

    Such a function is meant to be compiled; whether it can be, the compiler tells.
    """
    if not isinstance(function, FunctionType):
        return False
    count = function.__code__.co_argcount + function.__code__.co_kwonlyargcount
    written = dict(function.__annotations__)
    result = written.pop("return", "")
    types = [_typed(each, function.__globals__) for each in written.values()]
    good = all(types) and len(types) == count and None not in types
    if result == "None":
        # Without a buffer or a record there is nothing that it could do.
        return good and any(each and not each.bits for each in types)
    return good and _typed(result, function.__globals__) is not None


def _definitions(body: Sequence[ast.stmt]) -> Iterator[ast.FunctionDef]:
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.If):
            yield from _definitions(node.body)


def _place(tree: ast.FunctionDef) -> tuple[str, int]:
    first = tree.decorator_list[0] if tree.decorator_list else tree
    return tree.name, first.lineno


def _check_form(tree: ast.FunctionDef, path: str) -> None:
    form = tree.args
    if form.vararg or form.kwarg or form.kwonlyargs or form.posonlyargs:
        raise KernelError(path, tree.lineno, f"{tree.name} must have plain parameters.")
    if form.defaults:
        raise KernelError(
            path, tree.lineno, f"{tree.name}: a parameter must have no default."
        )


def _signature(
    function: FunctionType, tree: ast.FunctionDef, path: str
) -> tuple[dict[str, Type], Type | None]:
    written = function.__annotations__
    parameters = {}
    for argument in tree.args.args:
        found = _typed(written.get(argument.arg), function.__globals__)
        if found is None or found.shape is Shape.CALLBACK:
            what = _what(written, argument.arg)
            raise KernelError(
                path, tree.lineno, f"{tree.name}: the parameter {argument.arg} {what}"
            )
        parameters[argument.arg] = found
    result = _typed(written.get("return"), function.__globals__)
    if result is None and written.get("return") != "None":
        what = _what(written, "return")
        raise KernelError(path, tree.lineno, f"{tree.name}: the result {what}")
    if result is not None and not result.bits:
        raise KernelError(
            path, tree.lineno, f"{tree.name}: a result must be an integer or None."
        )
    return parameters, result


def _typed(annotation: object, namespace: dict[str, Any]) -> Type | None:
    return type_of(annotation, namespace) if isinstance(annotation, str) else None


def _what(written: dict[str, Any], name: str) -> str:
    if name not in written:
        return "must have an annotation."
    if not isinstance(written[name], str):
        return f"is annotated with an object. {_FUTURE}"
    return f"has the type {written[name]}; use one of docs/kernel.md."
