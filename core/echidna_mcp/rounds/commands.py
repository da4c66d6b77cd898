"""Effects of control commands, at the round at which they are due.

The effect is a function of the arguments and the target alone, so that a command log
replays without anything that an agent saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from echidna_mcp.abi.call_text import ParsedCall, parse_call
from echidna_mcp.abi.circumstances import Circumstances, split_circumstances
from echidna_mcp.abi.encoding import encode_arguments
from echidna_mcp.abi.signatures import (
    match_functions,
    parse_signature,
    qualified_by,
    split_qualifier,
)
from echidna_mcp.abi.types import Tuple, compile_types
from echidna_mcp.abi.values import HOLE, Hole, Value
from echidna_mcp.errors import CallSyntaxError
from echidna_mcp.fuzz.calldata import decode_calldata
from echidna_mcp.fuzz.kernels.loading import Kernels
from echidna_mcp.fuzz.layout import (
    CALL_FUNCTION,
    CALL_HEADER,
    CALL_LENGTH,
    CALL_SENDER,
    CALL_VALUE,
    INSTANCE_SHIFT,
    MAX_CALL_BYTES,
)
from echidna_mcp.fuzz.records import set_call_delays
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import FAIL, minimum
from echidna_mcp.kernel.language.memory import Words, store64, store256
from echidna_mcp.program.target import FuzzTarget

MAX_INJECTED_CALLS = 100
"""Longest injected sequence, as the contract document says."""
_MOST_ARGUMENT_BYTES = MAX_CALL_BYTES // 2
"""Half a call record: the rest is room for generated arguments and mutation."""


@dataclass(frozen=True, slots=True)
class InjectedCall:
    """A call that an agent asked for.

    Bit i of `holes` is set if argument i is to be generated; on the tape its place is
    taken by the smallest value. `instance` is which of the contracts is called that the
    sequence has created.
    """

    function: int
    sender: int
    value: int
    tape: bytes
    holes: int
    instance: int = 0
    time_delay: int = 0
    block_delay: int = 0


@dataclass(frozen=True, slots=True)
class Injection:
    """A call sequence that every worker runs at the start of the round."""

    command: int
    calls: tuple[InjectedCall, ...]


def parse_injection(
    command: int, args: Mapping[str, Any], target: FuzzTarget
) -> Injection:
    """Return the sequence of an `inject_transaction` command.

    What stands behind a call holds for that one, be it as reports print it. Otherwise
    the first sender of the campaign sends, and the value goes with the payable calls of
    the sequence; if none is payable it goes with every call, because then the agent
    wants to see what that does.

    Raises:
        CallSyntaxError: a call can't be read; `details["call_index"]` says which.
    """
    parsed: list[tuple[ParsedCall, Circumstances]] = []
    for index, text in enumerate(args["sequence"]):
        try:
            call, behind = split_circumstances(text)
            parsed.append((parse_call(call, target.functions), behind))
        except CallSyntaxError as error:
            raise CallSyntaxError(
                error.message, **{**error.details, "sequenceIndex": index}
            ) from None
    any_payable = any(call.function.mutability == "payable" for call, _ in parsed)
    value = int(args.get("value", "0"))
    sender = int(args["sender"], 16) if "sender" in args else target.senders[0]
    return Injection(
        command,
        tuple(
            InjectedCall(
                function=target.function_index[call.function.signature],
                sender=sender if behind.sender is None else behind.sender,
                value=_value(call, behind, 0 if any_payable else value, value),
                time_delay=behind.time_delay or 0,
                block_delay=behind.block_delay or 0,
                tape=_tape(call),
                holes=sum(
                    1 << index
                    for index, value in enumerate(call.arguments)
                    if value is HOLE
                ),
                instance=call.instance,
            )
            for call, behind in parsed
        ),
    )


def _value(call: ParsedCall, behind: Circumstances, other: int, payable: int) -> int:
    """Return the wei of a call, given those of others and of payable ones."""
    if behind.value is not None:
        return behind.value
    return payable if call.function.mutability == "payable" else other


def _tape(call: ParsedCall) -> bytes:
    members = call.function.inputs.members
    tape = b"".join(
        _argument(Tuple((member,), ("",)), value)
        for member, value in zip(members, call.arguments, strict=True)
    )
    if len(tape) > _MOST_ARGUMENT_BYTES:
        raise _too_large(call.function.signature)
    return tape


def _argument(one: Tuple, value: Value | Hole) -> bytes:
    types, (node,) = compile_types([one])
    if value is HOLE:
        return bytes(minimum(types, node))
    data = bytearray(encode_arguments(one, (value,)))
    tape = bytearray(2 * len(data) + 64)
    end = decode_calldata(types, node, data, 0, len(data), tape, 0)
    if end == FAIL:
        raise _too_large("the call")
    return bytes(tape[:end])


def _too_large(signature: str) -> CallSyntaxError:
    return CallSyntaxError(
        f"The arguments of {signature} take more than {_MOST_ARGUMENT_BYTES} bytes; "
        "shorten them."
    )


def prioritization(args: Mapping[str, Any], target: FuzzTarget) -> dict[str, Any]:
    """Return the effect of a `prioritize_function` command (FR-008).

    Raises:
        CallSyntaxError: the request is no signature.
    """
    request = canonical_request(args["functionSignature"])
    functions = prioritized_functions(request, target)
    return {"requested": request, "functions": list(functions)}


def prioritized_functions(request: str, target: FuzzTarget) -> tuple[str, ...]:
    """Return the signatures that a `prioritize_function` request means, sorted.

    A function of that name or signature; else the functions that carry a modifier of
    that name; else none, which is no error (requirements, edge cases).
    """
    matched = match_functions(request, target.functions)
    if matched:
        return tuple(sorted(function.signature for function in matched))
    qualifier, rest = split_qualifier(request)
    name, _ = parse_signature(rest)
    among = {f.signature for f in qualified_by(qualifier, target.functions)}
    return tuple(sorted(among.intersection(target.modifiers.get(name, ()))))


def canonical_request(request: str) -> str:
    """Return a signature without spaces and with full type names."""
    qualifier, rest = split_qualifier(request)
    name, types = parse_signature(rest)
    prefix = f"{qualifier}." if qualifier else ""
    return prefix + (name if types is None else f"{name}({','.join(types)})")


def injected_records(
    injection: Injection, tables: FuzzTables, rng: Words, kernels: Kernels
) -> bytearray:
    """Return the sequence of an injection.

    Args:
        injection: what was asked for.
        tables: what holes are filled from.
        rng: the stream.
        kernels: of the process.
    """
    sequence, out = bytearray(), bytearray(MAX_CALL_BYTES)
    for call in injection.calls:
        record = bytearray(CALL_HEADER)
        store64(record, CALL_FUNCTION, call.function | call.instance << INSTANCE_SHIFT)
        store256(record, CALL_VALUE, call.value)
        store256(record, CALL_SENDER, call.sender)
        set_call_delays(record, 0, call.time_delay, call.block_delay)
        record += call.tape
        store64(record, CALL_LENGTH, len(record))
        end = kernels.fill_arguments(tables, rng, call.holes, record, 0, out, 0)
        sequence += out[:end]
    return sequence
