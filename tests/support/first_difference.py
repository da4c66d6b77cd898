"""Two backends that are given the same messages, and the first answer that differs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from campaigns import started

from echidna_mcp.abi.function import functions_of
from echidna_mcp.campaign.crash import CrashError
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.evm.backend import (
    NOTHING,
    AccountState,
    BackendConfig,
    CallResult,
    EvmBackend,
    Message,
    Watch,
)
from echidna_mcp.program.model import Program
from echidna_mcp.rounds.backend import BackendPlugin

_LONGEST_HISTORY = 200
_LONGEST_VALUE = 200


class DifferenceError(AssertionError):
    """The two backends answered differently."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One request and how it ended on the left."""

    text: str
    status: str


class Lockstep:
    """A backend that asks two backends, and returns the answer of the first.

    Raises:
        DifferenceError: the answers differ in anything at all. The message names the
            call, the parts that differ, and the calls since the last snapshot.
    """

    def __init__(
        self,
        left: EvmBackend,
        right: EvmBackend,
        selectors: dict[bytes, str],
        found: list[str],
    ) -> None:
        self._left = left
        self._right = right
        self._selectors = selectors
        self._found = found
        self._history: list[_Step] = []
        self._snapshots: dict[int, tuple[int, int]] = {}
        self.messages = 0

    def deploy(
        self,
        message: Message,
        watch: Watch = NOTHING,
        *,
        address: int | None = None,
    ) -> CallResult:
        return self._compare(
            message,
            self._left.deploy(message, watch, address=address),
            self._right.deploy(message, watch, address=address),
        )

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        return self._compare(
            message,
            self._left.call(message, watch),
            self._right.call(message, watch),
        )

    def _compare(
        self, message: Message, left: CallResult, right: CallResult
    ) -> CallResult:
        self.messages += 1
        differences = [*self._differences(left, right), *self._worlds()]
        if differences:
            # A campaign reports the last exception of several.
            self._found.append("\n".join(self._report(message, left, differences)))
            raise DifferenceError(self._found[-1])
        self._history.append(_Step(self._describe(message), left.status.name))
        return left

    def _differences(self, left: CallResult, right: CallResult) -> list[str]:
        found = []
        for field in fields(CallResult):
            values = (getattr(left, field.name), getattr(right, field.name))
            if field.name == "visits":
                found += _visit_differences(*values)
            elif values[0] != values[1]:
                shown = [_short(value) for value in values]
                found.append(f"{field.name}: {shown[0]} against {shown[1]}")
        for visit in left.visits:
            codes = [_code(side, visit.code_hash) for side in (self._left, self._right)]
            if codes[0] != codes[1]:
                found.append(f"code of {visit.code_hash.hex()}")
        return found

    def _worlds(self) -> list[str]:
        left, right = dict(self._left.accounts()), dict(self._right.accounts())
        found = [
            f"account {address:#x} is only on the {side}"
            for side, here, there in (("left", left, right), ("right", right, left))
            for address in here.keys() - there.keys()
        ]
        for address in left.keys() & right.keys():
            found += _account_differences(address, left[address], right[address])
        return sorted(found)

    def _report(
        self, message: Message, left: CallResult, differences: list[str]
    ) -> list[str]:
        return [
            f"message {self.messages} differs: {self._describe(message)}",
            f"  {message}",
            f"  left ended with {left.status.name}",
            *(f"  {difference}" for difference in differences),
            "after",
            *(f"  {step.text}: {step.status}" for step in self._history),
        ]

    def _describe(self, message: Message) -> str:
        if message.to is None:
            return f"deployment of {len(message.data)} bytes by {message.sender:#x}"
        name = self._selectors.get(message.data[:4], message.data[:4].hex())
        return f"{name} {message.data[4:].hex()[:_LONGEST_VALUE]}"

    def snapshot(self) -> int:
        pair = self._left.snapshot(), self._right.snapshot()
        self._snapshots[pair[0]] = pair[0], pair[1]
        self._forget()
        return pair[0]

    def restore(self, snapshot: int) -> None:
        left, right = self._snapshots[snapshot]
        self._left.restore(left)
        self._right.restore(right)
        self._forget()

    def _forget(self) -> None:
        self._history = self._history[-_LONGEST_HISTORY:]
        self._history.append(_Step("snapshot or restore", "done"))

    def set_account(self, address: int, **changes: Any) -> None:
        self._left.set_account(address, **changes)
        self._right.set_account(address, **changes)

    def accounts(self) -> Iterable[tuple[int, AccountState]]:
        return self._left.accounts()

    def set_balance(self, address: int, balance: int) -> None:
        self._left.set_balance(address, balance)
        self._right.set_balance(address, balance)

    def balance(self, address: int) -> int:
        return self._same("balance", address)

    def storage(self, address: int, slot: int) -> int:
        return self._same("storage", address, slot)

    def code(self, address: int) -> bytes:
        return self._same("code", address)

    def code_of_hash(self, code_hash: bytes) -> bytes:
        return self._same("code_of_hash", code_hash)

    def _same(self, question: str, *arguments: Any) -> Any:
        left = getattr(self._left, question)(*arguments)
        right = getattr(self._right, question)(*arguments)
        if left != right:
            values = f"{_short(left)} against {_short(right)}"
            self._found.append(f"{question}{arguments}: {values}")
            raise DifferenceError(self._found[-1])
        return left


def first_difference(
    directory: Path,
    program: Program,
    config: CampaignConfig,
    backends: tuple[BackendPlugin, BackendPlugin],
    *,
    calls: int,
) -> str | None:
    """Run one campaign on both backends at once, up to so many calls.

    Returns:
        What the first difference is; None if there is none.
    """
    left, right = backends
    selectors = {
        function.selector: function.signature
        for contract in program.contracts
        for function in functions_of(contract.abi)
    }

    found: list[str] = []

    def create(backend_config: BackendConfig) -> Lockstep:
        worlds = left.create(backend_config), right.create(backend_config)
        return Lockstep(*worlds, selectors, found)

    pair = BackendPlugin("lockstep", create)
    try:
        with started(directory, program, config, backend=pair) as running:
            while running.views.progress.calls < calls and not found:
                running.rounds(1)
    except (DifferenceError, CrashError):
        assert found, "something else has failed"
    return found[0] if found else None


def _account_differences(
    address: int, left: AccountState, right: AccountState
) -> list[str]:
    found = []
    for field in fields(AccountState):
        values = [getattr(side, field.name) for side in (left, right)]
        if values[0] == values[1]:
            continue
        if field.name == "storage":
            slots = values[0].keys() | values[1].keys()
            slot = min(s for s in slots if values[0].get(s) != values[1].get(s))
            values = [f"{side.get(slot, 0):#x} in slot {slot:#x}" for side in values]
        shown = [_short(value) for value in values]
        found.append(f"{field.name} of {address:#x}: {shown[0]} against {shown[1]}")
    return found


def _visit_differences(left: Any, right: Any) -> list[str]:
    """Tell the first visit that differs; the digest shows their order as well."""
    keys = [
        [(visit.code_hash, visit.depth) for visit in side] for side in (left, right)
    ]
    if keys[0] != keys[1]:
        shown = [[(code.hex()[:8], depth) for code, depth in side] for side in keys]
        return [f"visited codes: {shown[0]} against {shown[1]}"]
    for one, other in zip(left, right, strict=True):
        pairs = enumerate(zip(one.counters, other.counters, strict=True))
        counters = [pc for pc, (a, b) in pairs if a != b]
        if counters:
            where = f"code {one.code_hash.hex()[:8]} at depth {one.depth}"
            return [f"visited program counters of {where}: {counters[:20]} differ"]
    return []


def _code(backend: EvmBackend, code_hash: bytes) -> bytes | None:
    try:
        return backend.code_of_hash(code_hash)
    except KeyError:
        return None


def _short(value: object) -> str:
    text = value.hex() if isinstance(value, bytes) else repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
