"""Frames and logs in words, by the ABIs of the program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from echidna_mcp.abi.encoding import decode_arguments
from echidna_mcp.abi.function import AbiFunction, constructor_of, functions_of
from echidna_mcp.abi.log import AbiEvent, events_of, log_arguments
from echidna_mcp.abi.render import quote, render_value
from echidna_mcp.abi.revert import revert_reason
from echidna_mcp.abi.types import Tuple, parse_tuple
from echidna_mcp.cheatcodes.addresses import CHEATCODES, CONSOLE
from echidna_mcp.cheatcodes.errors import ASSUME, SKIP
from echidna_mcp.cheatcodes.registry import working
from echidna_mcp.cheatcodes.table import foundry_cheatcodes
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.evm.backend import Log, Status
from echidna_mcp.evm.frames import Ending, FrameResult, SelfDestruct, StorageWrite
from echidna_mcp.program.model import Contract
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.traces.console import console_functions, console_text
from echidna_mcp.traces.model import (
    CallTrace,
    DestructionTrace,
    Inner,
    LogTrace,
    Named,
    StorageChange,
)
from echidna_mcp.traces.names import PRECOMPILES, Names
from echidna_mcp.traces.storage_names import StorageNames

_MOST_DEPTH: Final = 64
"""Frames in one another that are told; a contract that calls itself has a thousand."""
_SELECTOR: Final = 4
_BYTES: Final = parse_tuple("(bytes)")


@dataclass(frozen=True, slots=True)
class _Called:
    """What a frame calls, as far as it is known."""

    contract: str
    function: str
    inputs: Tuple | None
    outputs: Tuple | None
    data: bytes
    """What `inputs` encodes."""


class Decoder:
    """Tells what frames did.

    Args:
        target: has the ABIs.
        names: of addresses; frames that are decoded add nothing to it.
        preimages: what was hashed, by its hash.
    """

    def __init__(
        self, target: FuzzTarget, names: Names, preimages: Mapping[int, bytes]
    ) -> None:
        program = target.program
        abis = [each.abi for each in (*program.contracts, *program.interfaces)]
        self._names = names
        self._preimages = preimages
        self._storage: dict[str, StorageNames] = {}
        self._errors = target.errors
        self._events = _by_topic(events_of(entry for abi in abis for entry in abi))
        self._functions: dict[bytes, AbiFunction] = {}
        for abi in abis:
            for function in functions_of(abi):
                if function.kind == "function":
                    self._functions.setdefault(function.selector, function)
        self._own: dict[str, Mapping[bytes, AbiFunction]] = {}
        self._cheats = {
            each.selector: each.signature for each in foundry_cheatcodes()
        } | {selector: each.signature for selector, each in working().items()}

    # ------------------------------------------------------------------------ frames

    def call(self, frame: FrameResult, depth: int = 0) -> CallTrace:
        """Return what a frame did, and all below it.

        Args:
            frame: it.
            depth: in how many frames it is.
        """
        called = self._called(frame)
        deep = depth + 1 >= _MOST_DEPTH
        lines = console_text(frame.data) if frame.callee == CONSOLE else None
        ending = frame.overruled or Ending(frame.status, frame.output)
        overruled = ""
        if frame.overruled is not None:
            overruled = self.reason(frame.status, frame.output) or "as expected"
        return CallTrace(
            kind=frame.kind,
            contract=called.contract,
            address=frame.address,
            callee=frame.callee,
            caller=frame.caller,
            function=called.function,
            arguments=self._arguments(called),
            data=frame.data,
            value=0 if frame.kind == "delegatecall" else frame.value,
            gas_used=frame.gas_used,
            static=frame.static,
            mocked=frame.answered and frame.callee not in (CHEATCODES, CONSOLE),
            console=None if lines is None else tuple(lines.split("\n")),
            status=ending.status,
            results=self._results(ending, called.outputs, creates=frame.creates),
            output=ending.output,
            reason=self.reason(ending.status, ending.output),
            overruled=overruled,
            inner=() if deep else tuple(self._inner(frame, depth)),
            hidden=sum(1 for _ in frame.children) if deep else 0,
        )

    def _inner(self, frame: FrameResult, depth: int) -> Iterator[Inner]:
        writes: dict[int, StorageWrite] = {}
        for act in frame.acts:
            if isinstance(act, FrameResult):
                yield self.call(act, depth + 1)
            elif isinstance(act, Log):
                yield self.log(act)
            elif isinstance(act, SelfDestruct):
                yield DestructionTrace(
                    heir=self._names.of(act.heir), address=act.heir, amount=act.amount
                )
            else:
                first = writes.get(act.slot, act)
                writes[act.slot] = replace(act, before=first.before)
        changed = [each for each in writes.values() if each.before != each.after]
        variables = self._variables(frame) if changed else None
        for write in changed:
            yield from (variables and variables.changes(write)) or [_slot(write)]

    def _variables(self, frame: FrameResult) -> StorageNames | None:
        """Return what knows the variables of the code of a frame, if anybody does."""
        contract = self._names.contract_of(frame.code)
        if contract is None or contract.storage_layout is None:
            return None
        found = self._storage.get(contract.qualified_name)
        if found is None:
            found = self._storage[contract.qualified_name] = StorageNames(
                contract.storage_layout, self._preimages, self._names.of
            )
        return found

    def _called(self, frame: FrameResult) -> _Called:
        if frame.callee == CHEATCODES and not frame.creates:
            return self._cheatcode(frame.data)
        if frame.callee == CONSOLE and not frame.creates:
            inputs = console_functions().get(frame.data[:_SELECTOR])
            return _Called("console", "log", inputs, parse_tuple("()"), frame.data[4:])
        if frame.callee in PRECOMPILES:
            name = PRECOMPILES[frame.callee]
            return _Called("precompile", name, None, None, frame.data)
        contract = self._names.contract_of(frame.code)
        if frame.creates:
            return _created(contract, frame.code)
        name = self._names.of(frame.callee)
        function = self._function(contract, frame.data)
        if function is None:
            other = "fallback" if frame.data else "receive"
            return _Called(name, other, None, None, frame.data)
        data = frame.data[_SELECTOR:]
        return _Called(name, function.name, function.inputs, function.outputs, data)

    def _function(self, contract: Contract | None, data: bytes) -> AbiFunction | None:
        """Return which function calldata are for; a proxy has those of others."""
        selector = data[:_SELECTOR]
        if len(selector) < _SELECTOR:
            return None
        if contract is None:
            return self._functions.get(selector)
        own = self._own.get(contract.qualified_name)
        if own is None:
            own = {f.selector: f for f in functions_of(contract.abi) if f.selector}
            self._own[contract.qualified_name] = own
        return own.get(selector) or self._functions.get(selector)

    def _cheatcode(self, data: bytes) -> _Called:
        signature = self._cheats.get(data[:_SELECTOR])
        if signature is None:
            return _Called("vm", f"0x{data[:_SELECTOR].hex()}", None, None, data[4:])
        name, _, inputs = signature.partition("(")
        known = working().get(data[:_SELECTOR])
        outputs = None if known is None else known.outputs
        return _Called("vm", name, parse_tuple(f"({inputs}"), outputs, data[4:])

    # ------------------------------------------------------------------------ values

    def _values(self, types: Tuple | None, data: bytes) -> tuple[Named, ...]:
        """Return what data encodes; the bytes themselves if nobody knows the types."""
        if types is not None:
            try:
                values = decode_arguments(types, data)
            except InvalidInputError:
                pass
            else:
                return tuple(
                    Named(name, render_value(each, value, self._names.of))
                    for name, each, value in zip(
                        types.names, types.members, values, strict=True
                    )
                )
        return (Named("", f"0x{data.hex()}"),) if data else ()

    def _arguments(self, called: _Called) -> tuple[Named, ...]:
        return self._expected(called) or self._values(called.inputs, called.data)

    def _expected(self, called: _Called) -> tuple[Named, ...]:
        """Return the error that `expectRevert` is given as bytes."""
        if (called.contract, called.function) != ("vm", "expectRevert"):
            return ()
        if called.inputs != _BYTES:
            return ()
        try:
            (data,) = decode_arguments(_BYTES, called.data)
        except InvalidInputError:
            return ()
        assert isinstance(data, bytes), "bytes are"
        text = revert_reason(data, self._errors, self._names.of)
        if text == f"0x{data.hex()}" and data.isascii():
            text = quote(data)  # The message alone, as Foundry takes it as well.
        return () if text is None else (Named("", text),)

    def _results(
        self, ending: Ending, outputs: Tuple | None, *, creates: bool
    ) -> tuple[Named, ...]:
        if not ending.status.succeeded:
            return ()
        if creates:
            return (Named("", f"{len(ending.output)} bytes of code"),)
        return self._values(outputs, ending.output)

    def reason(self, status: Status, output: bytes) -> str:
        """Return why a frame has failed; empty if it has not."""
        if status.succeeded:
            return ""
        if status is not Status.REVERT:
            return f"ended with {status.name}"
        if output == ASSUME:
            return "reverted: vm.assume does not hold"
        if output.startswith(SKIP):
            return "reverted: vm.skip passes it over"
        reason = revert_reason(output, self._errors, self._names.of)
        return f"reverted: {reason or 'no reason given'}"

    def log(self, log: Log) -> LogTrace:
        """Return a log in words."""
        for event in self._events.get(log.topics[0] if log.topics else b"", ()):
            try:
                values = log_arguments(log, event, self._names.of)
            except InvalidInputError:
                continue
            pairs = zip(event.inputs.names, values, strict=True)
            return LogTrace(
                name=event.name,
                arguments=tuple(Named(name, value) for name, value in pairs),
                topics=log.topics,
                data=log.data,
            )
        topics = [Named(f"topic{n}", f"0x{t.hex()}") for n, t in enumerate(log.topics)]
        return LogTrace(
            name="",
            arguments=(*topics, Named("data", f"0x{log.data.hex()}")),
            topics=log.topics,
            data=log.data,
        )


def _slot(write: StorageWrite) -> StorageChange:
    return StorageChange(
        name=f"slot {write.slot:#x}",
        before=f"{write.before:#x}",
        after=f"{write.after:#x}",
        write=write,
    )


def _by_topic(events: Iterable[AbiEvent]) -> Mapping[bytes, list[AbiEvent]]:
    found: dict[bytes, list[AbiEvent]] = {}
    for event in events:
        found.setdefault(event.topic, []).append(event)
    return found


def _created(contract: Contract | None, code: bytes) -> _Called:
    if contract is None:
        return _Called("", "constructor", None, None, b"")
    inputs = constructor_of(contract.abi).inputs
    data = code[len(contract.creation_code) :]
    return _Called(contract.name, "constructor", inputs, None, data)
