"""Call sequences: between the byte records of `fuzz.layout`, JSON, and messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from echidna_mcp.abi.render import render_call
from echidna_mcp.errors import StoreError
from echidna_mcp.events import payloads
from echidna_mcp.evm.backend import CallResult, Message, Override, Status
from echidna_mcp.fuzz.kernels.loading import PLAIN_KERNELS, Kernels
from echidna_mcp.fuzz.layout import (
    CALL_BLOCK_DELAY,
    CALL_FUNCTION,
    CALL_HEADER,
    CALL_LENGTH,
    CALL_SENDER,
    CALL_TIME_DELAY,
    CALL_VALUE,
    FLAG_CREATED,
    FLAG_EMPTY,
    FLAG_RAW,
    FUNCTION_FLAGS,
    FUNCTION_NODE,
    FUNCTION_WORDS,
    INSTANCE_SHIFT,
    OVERRIDE_AFTER,
    OVERRIDE_SHIFT,
)
from echidna_mcp.fuzz.records import (
    call_block_delay,
    call_function,
    call_instance,
    call_length,
    call_sender,
    call_time_delay,
    call_value,
    override_after,
    override_length,
    plain_length,
)
from echidna_mcp.fuzz.tables import calldata_capacity
from echidna_mcp.fuzz.tape import FAIL
from echidna_mcp.kernel.language.memory import load64, load256, store64, store256
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.interface import interface_of
from echidna_mcp.rounds.tasks import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class OverridingCall:
    """A call that takes the place of one that a call of a sequence makes.

    Attributes:
        function, tape, instance: as those of a `Call`.
        after: how many calls that it could replace are made before.
    """

    function: int
    tape: bytes = b""
    instance: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a sequence, taken out of its record.

    Attributes:
        function: index into `FuzzTarget.functions`.
        tape: the arguments as `fuzz.layout` describes.
        instance: which of the contracts that the sequence has created is called.
        override: what replaces a call that it makes, if anything does.
    """

    function: int
    sender: int
    value: int = 0
    time_delay: int = 0
    block_delay: int = 0
    tape: bytes = b""
    instance: int = 0
    override: OverridingCall | None = None


def split(sequence: bytes) -> list[Call]:
    """Return the calls of a sequence."""
    memory = bytearray(sequence)
    calls = []
    at = 0
    while at < len(memory):
        end = at + plain_length(memory, at)
        override = None
        if override_length(memory, at):
            override = OverridingCall(
                function=call_function(memory, end),
                tape=bytes(memory[end + CALL_HEADER : at + call_length(memory, at)]),
                instance=call_instance(memory, end),
                after=override_after(memory, end),
            )
        calls.append(
            Call(
                function=call_function(memory, at),
                sender=load256(memory, at + CALL_SENDER),
                value=load256(memory, at + CALL_VALUE),
                time_delay=load64(memory, at + CALL_TIME_DELAY),
                block_delay=load64(memory, at + CALL_BLOCK_DELAY),
                tape=bytes(memory[at + CALL_HEADER : end]),
                instance=call_instance(memory, at),
                override=override,
            )
        )
        at += call_length(memory, at)
    return calls


def join(calls: Iterable[Call]) -> bytes:
    """Return the sequence of some calls."""
    return b"".join(_record(call) for call in calls)


def _record(call: Call) -> bytes:
    override = b"" if call.override is None else _override_record(call.override)
    length = CALL_HEADER + len(call.tape) + len(override)
    header = bytearray(CALL_HEADER)
    store64(header, CALL_LENGTH, length | len(override) << OVERRIDE_SHIFT)
    store64(header, CALL_FUNCTION, call.function | call.instance << INSTANCE_SHIFT)
    store64(header, CALL_TIME_DELAY, call.time_delay)
    store64(header, CALL_BLOCK_DELAY, call.block_delay)
    store256(header, CALL_VALUE, call.value)
    store256(header, CALL_SENDER, call.sender)
    return bytes(header) + call.tape + override


def _override_record(call: OverridingCall) -> bytes:
    header = bytearray(CALL_HEADER)
    store64(header, CALL_LENGTH, CALL_HEADER + len(call.tape))
    store64(header, CALL_FUNCTION, call.function | call.instance << INSTANCE_SHIFT)
    store64(header, OVERRIDE_AFTER, call.after)
    return bytes(header) + call.tape


def _as_override(call: Call) -> OverridingCall:
    """Return what a call calls, and nothing of how it does."""
    return OverridingCall(function=call.function, tape=call.tape)


def without_override(record: bytearray) -> bytearray:
    """Return a call record without its override, if it has one."""
    if not override_length(record, 0):
        return record
    plain = record[: plain_length(record, 0)]
    store64(plain, CALL_LENGTH, len(plain))
    return plain


class CallCodec:
    """Turns calls of one target into calldata, JSON, text and messages, and back."""

    def __init__(self, target: FuzzTarget, kernels: Kernels = PLAIN_KERNELS) -> None:
        self.target = target
        self._kernels = kernels
        self.interface = interface_of(target)
        self._out = bytearray(calldata_capacity(self.interface.types))

    def calldata(self, call: Call | OverridingCall) -> bytes:
        """Return what is sent."""
        one = call if isinstance(call, OverridingCall) else _as_override(call)
        return self.calldata_at(bytearray(_override_record(one)), 0)

    def calldata_at(self, sequence: bytearray, at: int) -> bytes:
        """Return what the call record at byte `at` sends."""
        types, functions = self.interface.types, self.interface.functions
        end = self._kernels.encode_call(types, functions, sequence, at, self._out, 0)
        return bytes(self._out[:end])

    def tape(self, function: int, calldata: bytes) -> bytes:
        """Return the tape of some calldata, selector included.

        Raises:
            StoreError: the calldata is not the encoding of arguments of that function.
        """
        types, functions = self.interface.types, self.interface.functions
        entry = function * FUNCTION_WORDS
        flags = functions[_flags_of(function)]
        if flags & FLAG_EMPTY:
            return b""
        if flags & FLAG_RAW:
            padding = bytes(-len(calldata) % 32)
            return len(calldata).to_bytes(32, "big") + calldata + padding
        node = functions[entry + FUNCTION_NODE]
        data = bytearray(calldata[4:])
        tape = bytearray(2 * len(data) + 64)
        end = self._kernels.decode_calldata(types, node, data, 0, len(data), tape, 0)
        if end == FAIL:
            signature = self.target.functions[function].signature
            raise StoreError(f"A stored call of {signature} has arguments of no value.")
        return bytes(tape[:end])

    def message_at(
        self,
        sequence: bytearray,
        at: int,
        address: int,
        override: Override | None = None,
    ) -> Message:
        """Return the message that a backend runs for the call record at byte `at`.

        `rounds.caller` knows the address of the contract that it is for, and what
        replaces a call that it makes.
        """
        config = self.target.config
        return Message(
            sender=call_sender(sequence, at),
            to=address,
            data=self.calldata_at(sequence, at),
            value=call_value(sequence, at),
            gas=config.test_max_gas,
            gas_price=config.max_gas_price,
            time_delay=call_time_delay(sequence, at),
            block_delay=call_block_delay(sequence, at),
            override=override,
        )

    def text(self, call: Call) -> str:
        """Return Solidity-like text, which the call parser reads back."""
        function = self.target.functions[call.function]
        return render_call(function, self.calldata(call), call.instance)

    def texts(self, calls: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return Solidity-like texts of JSON calls."""
        index = self.target.function_index
        return [
            render_call(
                self.target.functions[index[call["function"]]],
                bytes.fromhex(call["calldata"][2:]),
                call.get("instance", 0),
            )
            for call in calls
        ]

    def to_json(self, call: Call) -> payloads.Call:
        """Return the JSON form that events hold."""
        told: payloads.Call = {
            "function": self.target.functions[call.function].signature,
            "calldata": "0x" + self.calldata(call).hex(),
            "sender": f"0x{call.sender:040x}",
            "value": str(call.value),
            "timeDelay": call.time_delay,
            "blockDelay": call.block_delay,
        }
        if self._is_created(call.function):
            told["instance"] = call.instance
        if call.override is not None:
            told["override"] = self._override_json(call.override)
        return told

    def _override_json(self, call: OverridingCall) -> payloads.Override:
        told: payloads.Override = {
            "function": self.target.functions[call.function].signature,
            "calldata": "0x" + self.calldata(call).hex(),
            "after": call.after,
        }
        if self._is_created(call.function):
            told["instance"] = call.instance
        return told

    def _is_created(self, function: int) -> bool:
        """Whether a function is one of contracts that sequences create."""
        return bool(self.interface.functions[_flags_of(function)] & FLAG_CREATED)

    def from_json(self, data: Mapping[str, Any]) -> Call:
        """Return the call that `to_json` described."""
        function = self.target.function_index[data["function"]]
        override = None
        if "override" in data:
            override = self._override_of(data["override"])
        return Call(
            function=function,
            sender=int(data["sender"], 16),
            value=int(data["value"]),
            time_delay=data["timeDelay"],
            block_delay=data["blockDelay"],
            tape=self.tape(function, bytes.fromhex(data["calldata"][2:])),
            instance=data.get("instance", 0),
            override=override,
        )

    def _override_of(self, data: Mapping[str, Any]) -> OverridingCall:
        function = self.target.function_index[data["function"]]
        return OverridingCall(
            function=function,
            tape=self.tape(function, bytes.fromhex(data["calldata"][2:])),
            instance=data.get("instance", 0),
            after=data["after"],
        )

    def sequence(self, calls: Iterable[Mapping[str, Any]]) -> bytes:
        """Return the sequence of some JSON calls."""
        return join(self.from_json(call) for call in calls)

    def sequences(self, told: Iterable[Sequence[Mapping[str, Any]]]) -> list[bytes]:
        """Return those of some sequences of JSON calls that consist of calls."""
        found = []
        for calls in told:
            with suppress(StoreError):
                found.append(self.sequence(calls))
        return found


def _flags_of(function: int) -> int:
    """Return where in the function table the flags of a function are."""
    return function * FUNCTION_WORDS + FUNCTION_FLAGS


def executed_json(
    calls: Sequence[payloads.Call], results: Sequence[Outcome]
) -> list[payloads.ExecutedCall]:
    """Return JSON calls with their (gas used, status name)."""
    return [
        {**call, "gasUsed": gas, "result": status}
        for call, (gas, status) in zip(calls, results, strict=True)
    ]


def outcome(result: CallResult) -> Outcome:
    """Return what `executed_json` stores of a result."""
    return ending(result.gas_used, result.status)


def ending(gas_used: int, status: Status) -> Outcome:
    """Return what is stored of a call that ended so."""
    return gas_used, cast("payloads.CallResult", status.name)
