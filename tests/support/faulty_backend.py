"""The py-evm backend with faults: what an executor must survive."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from campaigns import py_evm

from echidna_mcp.evm.backend import BackendConfig, CallResult, EvmBackend, Message
from echidna_mcp.evm.plugin import BackendPlugin

UNLUCKY_SENDER = 0xBAD


class _Faulty:
    """Runs everything but the messages of one sender."""

    def __init__(self, backend: EvmBackend, fault: Callable[[], None]) -> None:
        self._backend = backend
        self._fault = fault

    def call(
        self, message: Message, *, coverage: bool = False, comparisons: bool = False
    ) -> CallResult:
        if message.sender == UNLUCKY_SENDER:
            self._fault()
        return self._backend.call(message, coverage=coverage, comparisons=comparisons)

    def __getattr__(self, name: str):
        return getattr(self._backend, name)


def _raise() -> None:
    raise RuntimeError("no luck")


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _raising(config: BackendConfig) -> _Faulty:
    return _Faulty(py_evm().create(config), _raise)


def _dying(config: BackendConfig) -> _Faulty:
    return _Faulty(py_evm().create(config), _die)


RAISING = BackendPlugin("raising", _raising)
DYING = BackendPlugin("dying", _dying)
