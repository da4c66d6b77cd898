"""Functions, modifiers and branches from the syntax trees of solc.

Source: the compact JSON AST (`ast` of the standard JSON output), since Solidity 0.4.12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from echidna_mcp.abi.function import AbiFunction
from echidna_mcp.program.model import FunctionSource, Span
from echidna_mcp_plugins.compilers.used_spans import UsedSpans

Node: TypeAlias = Mapping[str, Any]

_LOOPS = ("ForStatement", "WhileStatement", "DoWhileStatement")
_FALLIBLE = ("require", "assert")


class SolidityAst:
    """The syntax trees of one compilation.

    Args:
        trees: `SourceUnit` nodes by path; empty if the compiler gave none.
        file_index: converts the source number of the compiler to an index of
            `Program.sources`, or -1.
    """

    def __init__(
        self, trees: Mapping[str, Node], file_index: Callable[[int], int]
    ) -> None:
        self._file_index = file_index
        self._contracts: dict[tuple[str, str], Node] = {}
        self._by_id: dict[int, Node] = {}
        self._names: dict[int, str] = {}
        self._loose: list[Node] = []
        branches: set[Span] = set()
        for path in sorted(trees):
            for node in trees[path].get("nodes", ()):
                if node.get("nodeType") == "ContractDefinition":
                    self._contracts[path, node["name"]] = node
                    self._by_id[node["id"]] = node
                    self._names[node["id"]] = f"{path}:{node['name']}"
                    if node.get("contractKind") == "library":
                        self._loose += _functions_in(node)
                elif node.get("nodeType") == "FunctionDefinition":
                    self._loose.append(node)
            branches.update(self._branches(trees[path]))
        self._all_branches = branches

    def is_library(self, path: str, name: str) -> bool:
        """Whether the syntax tree calls this contract a library."""
        node = self._contracts.get((path, name), {})
        return node.get("contractKind") == "library"

    def bases(self, path: str, name: str) -> frozenset[str]:
        """Return the qualified names of what a contract inherits, at any depth."""
        node = self._contracts.get((path, name), {})
        ids = node.get("linearizedBaseContracts", ())
        return frozenset(self._names[i] for i in ids[1:] if i in self._names)

    def branches(self, used: UsedSpans) -> tuple[Span, ...]:
        """Return the branching source ranges among those that a contract uses."""
        found = self._all_branches.intersection(used.spans)
        return tuple(sorted(found, key=lambda s: (s.file, s.start, s.length)))

    def functions(
        self,
        path: str,
        name: str,
        callable_functions: Sequence[AbiFunction],
        used: UsedSpans,
    ) -> tuple[FunctionSource, ...]:
        """Return the functions and modifiers of a contract, inherited ones included.

        Where a function overrides another, the signature belongs to the one that is
        called; the other, reachable through `super`, has its bare name. Functions of
        libraries and free functions are included if the contract uses their code.
        """
        contract = self._contracts.get((path, name))
        if contract is None:
            return ()
        signatures = _Signatures(callable_functions)
        bases = [
            self._by_id[base]
            for base in contract.get("linearizedBaseContracts", ())
            if base in self._by_id
        ]
        nodes = [node for base in bases for node in _functions_in(base)]
        known = {id(node) for node in nodes}
        nodes += [
            node
            for node in self._loose
            if id(node) not in known and used.any_within(self._span(node))
        ]
        return tuple(
            FunctionSource(
                signature=signatures.take(node),
                span=self._span(node),
                modifiers=_modifiers(node),
            )
            for node in nodes
        )

    def _span(self, node: Node) -> Span:
        start, length, file = (int(part) for part in node["src"].split(":"))
        return Span(self._file_index(file), start, length)

    def _branches(self, tree: Node) -> Iterator[Span]:
        for node in _walk(tree):
            kind = node.get("nodeType")
            if _is_branch(node):
                yield self._span(node)
            # The pipeline through Yul maps the jump of a loop to its condition. A call
            # as the condition has jumps of its own, so it can't stand for the loop.
            condition = node.get("condition") if kind in _LOOPS else None
            if condition and condition["nodeType"] != "FunctionCall":
                yield self._span(condition)


def _walk(tree: Node) -> Iterator[Node]:
    queue: list[Any] = [tree]
    while queue:
        value = queue.pop()
        if isinstance(value, Mapping):
            if "nodeType" in value:
                yield value
            queue.extend(value.values())
        elif isinstance(value, list):
            queue.extend(value)


def _is_branch(node: Node) -> bool:
    match node.get("nodeType"):
        case "IfStatement" | "Conditional":
            return True
        case "ForStatement" | "WhileStatement" | "DoWhileStatement":
            return node.get("condition") is not None
        case "BinaryOperation":
            return node.get("operator") in ("&&", "||")
        case "FunctionCall":
            called = node.get("expression", {})
            return (
                called.get("nodeType") == "Identifier"
                and called.get("name") in _FALLIBLE
            )
        case _:
            return False


def _functions_in(contract: Node) -> list[Node]:
    return [node for node in contract.get("nodes", ()) if _has_code(node)]


def _has_code(node: Node) -> bool:
    match node.get("nodeType"):
        case "FunctionDefinition":
            return bool(node.get("implemented", node.get("body") is not None))
        case "ModifierDefinition":
            return node.get("body") is not None
        case "VariableDeclaration":
            return node.get("visibility") == "public"
        case _:
            return False


def _modifiers(node: Node) -> tuple[str, ...]:
    return tuple(
        str(modifier["modifierName"]["name"]).rpartition(".")[2]
        for modifier in node.get("modifiers", ())
        if modifier.get("kind", "modifierInvocation") == "modifierInvocation"
    )


class _Signatures:
    """Hands out each signature once, to the first function that claims it."""

    def __init__(self, callable_functions: Sequence[AbiFunction]) -> None:
        self._free = list(callable_functions)

    def take(self, node: Node) -> str:
        """Return the signature of `node`, or its bare name if the ABI has none."""
        kind = node.get("kind")
        if kind == "constructor" or node.get("isConstructor"):
            return "constructor"
        name = str(node["name"]) or str(kind or "fallback")
        if node["nodeType"] != "ModifierDefinition":
            for function in self._free:
                if _is_same(function, node, name):
                    self._free.remove(function)
                    return function.signature
        return name


def _is_same(function: AbiFunction, node: Node, name: str) -> bool:
    selector = node.get("functionSelector")
    if selector is not None:
        return function.selector.hex() == str(selector)
    if node.get("visibility") not in ("public", "external") or function.name != name:
        return False
    if function.kind != "function":
        return True
    # Solidity before 0.5.13 gives no selectors; getters have no parameter list.
    parameters = node.get("parameters")
    return parameters is None or len(parameters["parameters"]) == len(
        function.inputs.members
    )
