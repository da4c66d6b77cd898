"""The py-evm backend with faults: what an executor and a campaign must survive."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from campaigns import py_evm

from echidna_mcp.evm.backend import (
    NOTHING,
    BackendConfig,
    CallResult,
    EvmBackend,
    Message,
    Watch,
)
from echidna_mcp.rounds.backend import BackendPlugin

UNLUCKY_SENDER = 0xBAD


class _Faulty:
    """Runs everything but the messages of one sender."""

    def __init__(self, backend: EvmBackend, fault: Callable[[], None]) -> None:
        self._backend = backend
        self._fault = fault

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        if message.sender == UNLUCKY_SENDER:
            self._fault()
        return self._backend.call(message, watch)

    def __getattr__(self, name: str):
        return getattr(self._backend, name)


def _raise() -> None:
    raise RuntimeError("no luck")


def _stumble() -> None:
    """Raise, but not where nothing else has happened before."""
    if multiprocessing.current_process().name != "echidna-mcp-fresh":
        raise RuntimeError("no luck here")


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _stumbling(config: BackendConfig) -> _Faulty:
    return _Faulty(py_evm().create(config), _stumble)


def _raising(config: BackendConfig) -> _Faulty:
    return _Faulty(py_evm().create(config), _raise)


def _dying(config: BackendConfig) -> _Faulty:
    return _Faulty(py_evm().create(config), _die)


def _roomless(config: BackendConfig) -> EvmBackend:
    _stumble()
    return py_evm().create(config)


def _never(_: BackendConfig) -> EvmBackend:
    raise RuntimeError("no room")


ROOMLESS = BackendPlugin("roomless", _roomless)
"""Has no room for a world but in a fresh process."""
NEVER = BackendPlugin("never", _never)
"""Has no room for a world anywhere."""
STUMBLING = BackendPlugin("stumbling", _stumbling)
"""Fails by accident: in a fresh process it is as good as py-evm."""
RAISING = BackendPlugin("raising", _raising)
DYING = BackendPlugin("dying", _dying)


class _Lying:
    """Tells lies about one view function, while the contract has ether."""

    def __init__(
        self, selector: bytes, lie: dict[str, Any], config: BackendConfig
    ) -> None:
        self._backend = py_evm().create(config)
        self._selector = selector
        self._lie = lie

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        result = self._backend.call(message, watch)
        if message.data == self._selector and self._backend.balance(message.to or 0):
            return replace(result, **self._lie)
        return result

    def __getattr__(self, name: str):
        return getattr(self._backend, name)


def lying(
    selector: bytes, *, reference: BackendPlugin | None = None, **lie: Any
) -> BackendPlugin:
    """Return a backend with wrong results; its reference is py-evm if none is given.

    Args:
        selector: of a view function without parameters.
        reference: what it is held against.
        lie: members of `CallResult`, told of that function while the contract has
            ether.
    """
    create = partial(_Lying, selector, lie)
    return BackendPlugin("lying", create, reference=reference or py_evm())
