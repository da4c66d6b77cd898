"""The py-evm backend on machines that are broken, or that stand still."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from campaigns import py_evm

from echidna_mcp.evm.backend import NOTHING, BackendConfig, CallResult, Message, Watch
from echidna_mcp.rounds.backend import BackendPlugin


class _Other:
    """Tells other gas than py-evm does."""

    def __init__(self, config: BackendConfig) -> None:
        self._backend = py_evm().create(config)

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        result = self._backend.call(message, watch)
        return replace(result, gas_used=result.gas_used + 1)

    def __getattr__(self, name: str):
        return getattr(self._backend, name)


def _broken(place: Path, config: BackendConfig):
    try:
        os.close(os.open(place, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return py_evm().create(config)
    return _Other(config)


def broken_once(place: Path) -> BackendPlugin:
    """Return a backend that is wrong in the first process that makes one.

    Args:
        place: a file that is written when that has happened.
    """
    return BackendPlugin("broken", partial(_broken, place))


class _Still:
    def __init__(self, place: Path, config: BackendConfig) -> None:
        self._backend = py_evm().create(config)
        self._place = place

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        if self._place.exists() and self._place.read_text() == str(os.getpid()):
            time.sleep(3_600)
        return self._backend.call(message, watch)

    def __getattr__(self, name: str):
        return getattr(self._backend, name)


def standing_still(place: Path) -> BackendPlugin:
    """Return a backend that stands still in one process.

    Args:
        place: a file with the number of that process, as soon as it is written.
    """
    return BackendPlugin("still", partial(_Still, place))
