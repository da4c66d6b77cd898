"""Two backends that get the same messages and must give the same answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from echidna_mcp.evm.backend import (
    NOTHING,
    BackendConfig,
    CallResult,
    EvmBackend,
    Message,
    Watch,
)


def same_everything(
    first: EvmBackend, second: EvmBackend, one: CallResult, other: CallResult
) -> None:
    """Compare all that a message gave and left behind.

    That is status, output, gas, steps, logs, dropped logs, created address, visits, the
    last instruction, the trail, comparisons, edges and storage accesses; the code of
    each visit; and every account with its storage.

    Raises:
        AssertionError: something differs.
    """
    for name in (field.name for field in fields(CallResult)):
        left, right = getattr(one, name), getattr(other, name)
        if name == "visits":
            left, right = list(left), list(right)
        assert left == right, f"{name}: {left!r} != {right!r}"
    for code_hash, size in {(v.code_hash, len(v.counters)) for v in one.visits}:
        code = first.code_of_hash(code_hash)
        assert code == second.code_of_hash(code_hash)
        assert len(code) == size
    same_accounts(first, second)


def same_accounts(first: EvmBackend, second: EvmBackend) -> None:
    """Compare every account with its storage.

    Raises:
        AssertionError: an account differs.
    """
    left, right = dict(first.accounts()), dict(second.accounts())
    assert list(left) == list(right), "other accounts, or another order"
    for address, account in left.items():
        assert account == right[address], f"{address:#x}"
        assert list(account.storage) == list(right[address].storage)


class Twins:
    """Does everything twice and compares after each message.

    Every second message tells its edges.
    """

    def __init__(
        self,
        config: BackendConfig,
        first: Callable[[BackendConfig], EvmBackend],
        second: Callable[[BackendConfig], EvmBackend],
    ) -> None:
        self.first, self.second = first(config), second(config)
        self.edges = 0
        """Edges that messages have told."""
        self._telling = False
        self.trails = 0
        """Blocks of trails that messages have told."""
        self.slots = 0
        """Storage accesses that messages have told."""
        self._messages = 0

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        """Call on both, and watch all but comparisons and reverts as it comes."""
        self._messages += 1
        watch = Watch(
            coverage=True,
            comparisons=watch.comparisons,
            edges=self._turn(),
            trail=self._messages % 3 == 0,
            storage=self._messages % 4 < 2,
            reverter=watch.reverter,
        )
        one = self.first.call(message, watch)
        other = self.second.call(message, watch)
        return self._same(one, other)

    def deploy(self, message: Message, *, address: int | None = None) -> CallResult:
        """Deploy on both."""
        watch = Watch(coverage=True, edges=self._turn())
        one = self.first.deploy(message, watch, address=address)
        other = self.second.deploy(message, watch, address=address)
        return self._same(one, other)

    def _turn(self) -> bool:
        self._telling = not self._telling
        return self._telling

    def _same(self, one: CallResult, other: CallResult) -> CallResult:
        same_everything(self.first, self.second, one, other)
        assert self._telling or not one.edges
        self.edges += len(one.edges)
        self.trails += len(one.trail)
        self.slots += len(one.reads) + len(one.writes)
        return one

    def set_account(self, address: int, **parts: Any) -> None:
        """Set an account on both."""
        self.first.set_account(address, **parts)
        self.second.set_account(address, **parts)

    def snapshot(self) -> tuple[int, int]:
        """Take a snapshot of both."""
        return self.first.snapshot(), self.second.snapshot()

    def restore(self, handles: tuple[int, int]) -> None:
        """Go back with both."""
        self.first.restore(handles[0])
        self.second.restore(handles[1])
        same_accounts(self.first, self.second)


class Alone:
    """One backend with the methods of `Twins`: to try out what twins will do."""

    def __init__(self, backend: EvmBackend) -> None:
        self.backend = backend

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        """Call."""
        return self.backend.call(message, replace(watch, coverage=True))

    def deploy(self, message: Message, *, address: int | None = None) -> CallResult:
        """Deploy."""
        return self.backend.deploy(message, Watch(coverage=True), address=address)

    def set_account(
        self,
        address: int,
        *,
        balance: int | None = None,
        nonce: int | None = None,
        code: bytes | None = None,
        storage: Mapping[int, int] | None = None,
    ) -> None:
        """Set an account."""
        self.backend.set_account(
            address, balance=balance, nonce=nonce, code=code, storage=storage
        )

    def snapshot(self) -> Any:
        """Take a snapshot."""
        return self.backend.snapshot()

    def restore(self, handles: Any) -> None:
        """Go back."""
        self.backend.restore(handles)
