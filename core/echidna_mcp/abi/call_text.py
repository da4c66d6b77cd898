"""Solidity-like calls: `transfer(0x1234…, 1 ether)` to a function and its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from echidna_mcp.abi.convert import convert, ordered_fields
from echidna_mcp.abi.function import AbiFunction
from echidna_mcp.abi.lexer import Problem
from echidna_mcp.abi.literals import elementary_type
from echidna_mcp.abi.nodes import CallNode, CastNode, FieldsNode, HoleNode, Node
from echidna_mcp.abi.signatures import (
    closest_names,
    match_functions,
    numbered,
    parse_signature,
    qualified_by,
    split_qualifier,
    syntax_error,
)
from echidna_mcp.abi.syntax import read_call
from echidna_mcp.abi.types import AbiType, Tuple, type_name
from echidna_mcp.abi.values import HOLE, Hole, Value
from echidna_mcp.errors import CallSyntaxError
from echidna_mcp.wording import closest, did_you_mean, listed, some

__all__ = ["HOLE", "ParsedCall", "match_functions", "parse_call", "parse_signature"]

_SHOWN_OVERLOADS = 5


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A call as it was written; `HOLE` stands for arguments that the fuzzer chooses.

    Attributes:
        instance: which of the contracts that a sequence creates is called, from 0.
    """

    function: AbiFunction
    arguments: tuple[Value | Hole, ...]
    instance: int = 0


def parse_call(text: str, functions: Sequence[AbiFunction]) -> ParsedCall:
    """Return the call that `text` writes.

    Overloads are resolved by the number of arguments, then by literals that are natural
    for a type (a quoted string for `string`, 40 hex digits for `address`), then by any
    that can be converted. `uint8(5)` says which type is meant. `Token.transfer(…)` says
    which contract is called.

    Raises:
        CallSyntaxError: the text is no call of one of `functions`, or of functions of
            several contracts; `details` hold `position`, `argument`, `argumentName`,
            `expectedType`, `call`, `closest`.
    """
    qualifier, unqualified = split_qualifier(text)
    kind, instance = numbered(qualifier)
    among = qualified_by(kind, functions)
    if qualifier and not among:
        raise _unknown_contract(text, qualifier, functions)
    try:
        call = read_call(unqualified)
    except Problem as problem:
        raise _unreadable(text, problem, among) from None
    overloads = [f for f in among if f.name == call.name]
    if not overloads:
        raise _unknown(text, call, among)
    if len({f.qualifier for f in overloads}) > 1:
        raise _ambiguous(text, call, overloads)
    matching, problems = [], []
    for function in overloads:
        try:
            matching.append((function, _arguments(call, function)))
        except Problem as problem:
            problems.append(problem)
    if not matching:
        raise _wrong_count(text, call, overloads, problems)
    return replace(_resolve(text, matching), instance=instance)


def _resolve(
    text: str, matching: Sequence[tuple[AbiFunction, tuple[Node, ...]]]
) -> ParsedCall:
    failures: list[tuple[Problem, AbiFunction]] = []
    # A single candidate needs no preference, and gives the better message without one.
    for natural in (False,) if len(matching) == 1 else (True, False):
        found = []
        failures = []
        for function, nodes in matching:
            try:
                found.append(_converted(function, nodes, natural=natural))
            except Problem as problem:
                failures.append((problem, function))
        if len(found) == 1:
            return found[0]
        if found:
            names = [call.function.signature for call in found]
            raise syntax_error(
                text,
                f"The call fits {_some(names, 'and')}; write the type of an argument "
                "to choose one, as in `f(uint8(5))`.",
                closest=names,
            )
    worst, function = max(failures, key=lambda failure: failure[0].argument or 0)
    raise _mismatch(text, worst, function, [f for f, _ in matching])


def _converted(
    function: AbiFunction, nodes: tuple[Node, ...], *, natural: bool
) -> ParsedCall:
    arguments: list[Value | Hole] = []
    for node, abi_type in zip(nodes, function.inputs.members, strict=True):
        try:
            hole = _is_hole(node, abi_type)
            arguments.append(HOLE if hole else convert(node, abi_type, natural=natural))
        except Problem as problem:
            problem.argument = len(arguments) + 1
            raise
    return ParsedCall(function, tuple(arguments))


def _is_hole(node: Node, abi_type: AbiType) -> bool:
    """Whether an argument is `?`, or `uint8(?)` to choose among overloads."""
    if isinstance(node, CastNode) and len(node.items) == 1:
        return (
            isinstance(node.items[0], HoleNode)
            and elementary_type(node.name) == abi_type
        )
    return isinstance(node, HoleNode)


def _arguments(call: CallNode, function: AbiFunction) -> tuple[Node, ...]:
    """Return the arguments in the order of the parameters, named ones included."""
    names, members = function.inputs.names, function.inputs.members
    if len(call.items) == 1 and isinstance(call.items[0], FieldsNode):
        fields = call.items[0]
        is_struct = len(members) == 1 and isinstance(members[0], Tuple)
        if not is_struct or fields.names == names:
            return ordered_fields(fields, function.inputs)
    if len(call.items) != len(members):
        raise Problem("the number of arguments is wrong", call.position)
    return call.items


def _unreadable(
    text: str, problem: Problem, functions: Sequence[AbiFunction]
) -> CallSyntaxError:
    overloads = [f for f in functions if f.name == problem.function]
    if len(overloads) == 1:
        (function,) = overloads
        if 1 <= (problem.argument or 0) <= len(function.inputs.members):
            return _mismatch(text, problem, function, overloads)
    where = f"argument {problem.argument}: " if problem.argument else ""
    message = f"The call can't be read: {where}{problem.message}."
    return syntax_error(
        text, message, problem, closest=[f.signature for f in overloads]
    )


def _unknown_contract(
    text: str, qualifier: str, functions: Sequence[AbiFunction]
) -> CallSyntaxError:
    names = list(dict.fromkeys(f.qualifier or f.contract for f in functions))
    near = closest(qualifier, names) or sorted(names)
    return syntax_error(
        text,
        f"No contract `{qualifier[:64]}` is called here; there is "
        f"{_some(near, 'and')}.",
        closest=near,
    )


def _ambiguous(
    text: str, call: CallNode, overloads: Sequence[AbiFunction]
) -> CallSyntaxError:
    names = [f.signature for f in overloads]
    return syntax_error(
        text,
        f"Several contracts have a function `{call.name}`; write which one is meant: "
        f"{_some(names, 'or')}.",
        Problem("", call.position),
        closest=names,
    )


def _unknown(
    text: str, call: CallNode, functions: Sequence[AbiFunction]
) -> CallSyntaxError:
    near = closest_names(call.name, functions)
    name = call.name if len(call.name) <= 64 else call.name[:64] + "…"
    known = [each.signature for each in functions]
    hint = did_you_mean(near[:_SHOWN_OVERLOADS], f"there are: {some(known) or 'none'}.")
    return syntax_error(
        text,
        f"There is no function `{name}`; {hint}",
        Problem("", call.position),
        closest=near,
    )


def _wrong_count(
    text: str,
    call: CallNode,
    overloads: Sequence[AbiFunction],
    problems: Sequence[Problem],
) -> CallSyntaxError:
    signatures = [f.signature for f in overloads]
    if len(overloads) == 1 and isinstance(next(iter(call.items), None), FieldsNode):
        (problem,), (signature,) = problems, signatures
        message = f"In the call of {signature} {problem.message}."
        return syntax_error(text, message, problem, closest=signatures)
    counts = sorted({len(f.inputs.members) for f in overloads})
    plural = "" if counts == [1] else "s"
    return syntax_error(
        text,
        f"{_some(signatures, 'or')} takes {_some(list(map(str, counts)), 'or')} "
        f"argument{plural}, but the call has {len(call.items)}.",
        Problem("", call.position),
        closest=signatures,
    )


def _mismatch(
    text: str,
    problem: Problem,
    function: AbiFunction,
    overloads: Sequence[AbiFunction],
) -> CallSyntaxError:
    index = (problem.argument or 1) - 1
    name = function.inputs.names[index]
    label = f" `{name}`" if name else ""
    signatures = [f.signature for f in overloads]
    message = f"Argument {index + 1}{label} of {function.signature}: {problem.message}."
    if len(overloads) > 1:
        message = f"No overload of {function.name} takes these arguments: {message}"
    expected = problem.expected or type_name(function.inputs.members[index])
    return syntax_error(
        text,
        message,
        problem,
        name=name or None,
        expected=expected,
        closest=signatures,
    )


def _some(names: Sequence[str], conjunction: str) -> str:
    return listed(names[:_SHOWN_OVERLOADS], conjunction)
