"""EVM backend `py-evm`: the reference, on py-evm.

py-evm takes half a second to import. It is imported when it is to run, or to confirm
what another EVM finds: the server, which does neither, does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Final

from echidna_mcp.evm.backend import BackendConfig, EvmBackend
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp.rounds.backend import BackendPlugin


def create(config: BackendConfig) -> EvmBackend:
    """Return a fresh, empty world."""
    load()
    from echidna_mcp_plugins.py_evm import backend  # noqa: PLC0415 (slow import)

    return backend.create(config)


def load() -> None:
    """Import py-evm, after what makes that faster."""
    for module in ("curves.pairing_powers", "backend"):
        import_module(f"{__name__}.{module}")


PY_EVM: Final = BackendPlugin("py-evm", create, load=load, package="py-evm")


@hookimpl
def register_backends() -> Sequence[BackendPlugin]:
    """Offer the backend `py-evm`."""
    return [PY_EVM]
