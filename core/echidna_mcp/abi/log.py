"""EVM logs as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eth_hash.auto import keccak

from echidna_mcp.abi.encoding import decode_arguments
from echidna_mcp.abi.function import signature_of
from echidna_mcp.abi.render import Naming, render_address, render_value
from echidna_mcp.abi.type_program import KIND_BYTES, KIND_STRING
from echidna_mcp.abi.types import AbiType, Elementary, Tuple, parse_parameters
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.evm.backend import Log


@dataclass(frozen=True, slots=True, kw_only=True)
class AbiEvent:
    """An event of an ABI (a Solidity event, which makes an EVM log).

    Attributes:
        name: name without types.
        inputs: parameters, indexed ones too.
        indexed: for each parameter, whether it is a topic.
        topic: Keccak-256 hash of the signature, the first topic.
        signature: canonical text.
    """

    name: str
    inputs: Tuple
    indexed: tuple[bool, ...]
    topic: bytes
    signature: str


def events_of(abi: Iterable[Mapping[str, Any]]) -> tuple[AbiEvent, ...]:
    """Return the events of a JSON ABI, ordered by topic and number of indexed ones.

    Anonymous events have no topic that names them and are left out.

    Raises:
        TargetError: the ABI names a type that does not exist.
    """
    found = []
    for entry in abi:
        if entry.get("type") == "event" and not entry.get("anonymous"):
            parameters = entry.get("inputs", ())
            inputs = parse_parameters(parameters)
            signature = signature_of(str(entry["name"]), inputs)
            found.append(
                AbiEvent(
                    name=str(entry["name"]),
                    inputs=inputs,
                    indexed=tuple(bool(p.get("indexed")) for p in parameters),
                    topic=keccak(signature.encode()),
                    signature=signature,
                )
            )
    return tuple(sorted(found, key=lambda event: (event.topic, event.indexed)))


def log_text(log: Log, events: Sequence[AbiEvent]) -> str:
    """Return `Name(arg, arg)`, or `log([0xtopic], 0xdata)` if no event fits.

    Its arguments are those of `log_arguments`.
    """
    for event in events:
        if log.topics and event.topic == log.topics[0]:
            try:
                return f"{event.name}({', '.join(log_arguments(log, event))})"
            except InvalidInputError:
                continue
    topics = ", ".join(f"0x{topic.hex()}" for topic in log.topics)
    return f"log([{topics}], 0x{log.data.hex()})"


def log_arguments(
    log: Log, event: AbiEvent, naming: Naming = render_address
) -> list[str]:
    """Return the arguments of a log as text.

    An indexed one that does not fit a topic is the hash that the EVM stored instead.

    Raises:
        InvalidInputError: the log is not that of the event.
    """
    topics = list(log.topics[1:])
    if len(topics) != sum(event.indexed):
        raise InvalidInputError(f"The log is not {event.signature}.")
    pairs = list(zip(event.inputs.members, event.indexed, strict=True))
    plain = tuple(abi_type for abi_type, indexed in pairs if not indexed)
    data = list(decode_arguments(Tuple(plain, ("",) * len(plain)), log.data))
    return [
        _topic(abi_type, topics.pop(0), naming)
        if indexed
        else render_value(abi_type, data.pop(0), naming)
        for abi_type, indexed in pairs
    ]


def _topic(abi_type: AbiType, topic: bytes, naming: Naming) -> str:
    if not isinstance(abi_type, Elementary) or abi_type.kind in (
        KIND_BYTES,
        KIND_STRING,
    ):
        return f"0x{topic.hex()}"
    (value,) = decode_arguments(Tuple((abi_type,), ("",)), topic)
    return render_value(abi_type, value, naming)
