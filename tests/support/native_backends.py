"""Which backends are held against the reference, and how they are run."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import cast

from campaigns import py_evm
from hot_backend import HotBackend

from echidna_mcp.kernel.library.mode import Mode
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp_plugins.native import register_backends
from echidna_mcp_plugins.native.backend import NativeBackend

REFERENCE = "py-evm"


def native(mode: Mode = "compiled") -> BackendPlugin:
    """Return the native backend, whose kernel functions run in this mode."""
    (plugin,) = register_backends()
    return replace(plugin, create=partial(NativeBackend, mode=mode))


def hot(mode: Mode = "compiled") -> BackendPlugin:
    """Return the native backend that compiles all code beforehand."""
    return replace(native(), create=partial(HotBackend, mode=mode))


def named(name: str) -> BackendPlugin:
    """Return the reference, or the native backend in the mode of that name.

    `hot` and `hot-checked` run compiled blocks instead of the interpreter.
    """
    if name == REFERENCE:
        return py_evm()
    if name.startswith("hot"):
        return hot("checked" if name == "hot-checked" else "compiled")
    return native(cast("Mode", name))
