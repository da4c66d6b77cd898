"""Functions and branches from the syntax trees of Vyper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from echidna_mcp.abi.function import AbiFunction
from echidna_mcp.program.model import FunctionSource, Span
from echidna_mcp_plugins.compilers.used_spans import UsedSpans

Node: TypeAlias = Mapping[str, Any]

_BRANCHES = frozenset({"If", "For", "Assert", "IfExp", "BoolOp"})


class VyperModule:
    """One module: where it stands among the sources, and its syntax tree.

    Args:
        file: index of `Program.sources`.
        text: the source.
        tree: the `Module` node.
    """

    def __init__(self, file: int, text: str, tree: Node) -> None:
        self.file = file
        self.tree = tree
        self._line_starts = [0]
        for line in text.encode().split(b"\n"):
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)

    def span(self, line: int, column: int, end_line: int, end_column: int) -> Span:
        """Return the byte range between two positions; lines count from 1.

        Vyper's own offsets are not used: they count characters instead of bytes.
        """
        start = self._line_starts[line - 1] + column
        end = self._line_starts[end_line - 1] + end_column
        return Span(self.file, start, end - start)

    def span_of(self, node: Node) -> Span:
        """Return the byte range of a node."""
        return self.span(
            node["lineno"],
            node["col_offset"],
            node["end_lineno"],
            node["end_col_offset"],
        )


def branches_of(modules: Sequence[VyperModule], used: UsedSpans) -> tuple[Span, ...]:
    """Return the branching source ranges among those that a contract uses."""
    found = {
        module.span_of(node)
        for module in modules
        for node in _walk(module.tree)
        if node["ast_type"] in _BRANCHES
    }
    return tuple(sorted(found & used.spans, key=lambda s: (s.file, s.start, s.length)))


def functions_of_modules(
    modules: Sequence[VyperModule],
    callable_functions: Sequence[AbiFunction],
    used: UsedSpans,
) -> tuple[FunctionSource, ...]:
    """Return the functions of a contract.

    A function with default arguments has one entry for each signature. The first of
    `modules` is the contract itself; of the others only what it uses is included.
    """
    free = list(callable_functions)
    found = []
    for module in modules:
        for node in module.tree["body"]:
            name = _callable_name(node)
            if name is None:
                continue
            span = module.span_of(node)
            signatures = [f.signature for f in free if f.name == name]
            if _is_external(node) and signatures:
                free = [f for f in free if f.name != name]
            elif module is modules[0] or used.any_within(span):
                signatures = [name]
            else:
                continue
            found += [
                FunctionSource(signature=s, span=span, modifiers=_modifiers(node))
                for s in signatures
            ]
    return tuple(found)


def _callable_name(node: Node) -> str | None:
    match node["ast_type"]:
        case "FunctionDef":
            name = str(node["name"])
            return "fallback" if name == "__default__" else name
        case "VariableDecl" if node.get("is_public"):
            return str(node["target"]["id"])
        case _:
            return None


def _is_external(node: Node) -> bool:
    return node["ast_type"] == "VariableDecl" or "external" in _decorators(node)


def _decorators(node: Node) -> list[str]:
    return [str(d.get("id", "")) for d in node.get("decorator_list") or ()]


def _modifiers(node: Node) -> tuple[str, ...]:
    return tuple(name for name in _decorators(node) if name == "nonreentrant")


def _walk(tree: Node) -> Iterator[Node]:
    queue: list[Any] = [tree]
    while queue:
        value = queue.pop()
        if isinstance(value, Mapping):
            if "ast_type" in value and "lineno" in value:
                yield value
            queue.extend(value.values())
        elif isinstance(value, list):
            queue.extend(value)
