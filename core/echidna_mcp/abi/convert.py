"""Syntax to ABI values, with the type to be met in hand.

`natural` asks for the one way in which Solidity writes a literal of the type; without
it the convenient ones are accepted as well. Overload resolution tries the former first.
"""

from __future__ import annotations

from typing import assert_never

from echidna_mcp.abi.lexer import Problem
from echidna_mcp.abi.literals import elementary_type, literal, mismatch, ungrouped
from echidna_mcp.abi.nodes import CastNode, FieldsNode, ListNode, Node
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple, type_name
from echidna_mcp.abi.values import Value


def convert(node: Node, abi_type: AbiType, *, natural: bool = False) -> Value:
    """Return the value of `abi_type` that `node` writes.

    Raises:
        Problem: it writes none; the innermost type that was missed is named.
    """
    match abi_type:
        case Tuple():
            return _struct(node, abi_type, natural=natural)
        case Array():
            return _array(ungrouped(node), abi_type, natural=natural)
        case Elementary():
            return literal(node, abi_type, natural=natural)
        case _:
            assert_never(abi_type)


def _struct(node: Node, abi_type: Tuple, *, natural: bool) -> Value:
    if len(abi_type.members) != 1:
        node = ungrouped(node)
    if isinstance(node, CastNode) and elementary_type(node.name) is None:
        if len(node.items) == 1 and isinstance(node.items[0], FieldsNode):
            return _struct(node.items[0], abi_type, natural=natural)
        items = node.items
    elif isinstance(node, ListNode):
        items = node.items
    elif isinstance(node, FieldsNode):
        items = ordered_fields(node, abi_type)
    else:
        raise mismatch(node, abi_type, "write its fields, (…, …) or {name: …}")
    if len(items) != len(abi_type.members):
        raise Problem(
            f"{node.shown} has {len(items)} fields, but {type_name(abi_type)} "
            f"has {len(abi_type.members)}",
            node.position,
            expected=type_name(abi_type),
        )
    return tuple(
        convert(item, member, natural=natural)
        for item, member in zip(items, abi_type.members, strict=True)
    )


def ordered_fields(node: FieldsNode, abi_type: Tuple) -> tuple[Node, ...]:
    """Return the values of named fields in the order of the struct.

    Raises:
        Problem: a field is unknown or missing.
    """
    given = dict(zip(node.names, node.items, strict=True))
    wanted = [name for name in abi_type.names if name]
    for name in given:
        if name not in wanted:
            known = f"; the names are {', '.join(wanted)}" if wanted else ""
            raise Problem(
                f"{node.shown} names `{name}`, which {type_name(abi_type)} "
                f"does not have{known}",
                node.position,
                expected=type_name(abi_type),
            )
    for name in abi_type.names:
        if name not in given:
            missing = f"`{name}`" if name else "a value that has no name"
            raise Problem(
                f"{node.shown} lacks {missing}",
                node.position,
                expected=type_name(abi_type),
            )
    return tuple(given[name] for name in abi_type.names)


def _array(node: Node, abi_type: Array, *, natural: bool) -> Value:
    if not isinstance(node, ListNode) or node.round:
        raise mismatch(node, abi_type, "write its elements in [ ]")
    if abi_type.length is not None and abi_type.length != len(node.items):
        raise Problem(
            f"{node.shown} has {len(node.items)} elements, but {type_name(abi_type)} "
            f"has {abi_type.length}",
            node.position,
            expected=type_name(abi_type),
        )
    return tuple(
        convert(item, abi_type.element, natural=natural) for item in node.items
    )
