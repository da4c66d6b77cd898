"""EVM backend `py-evm`: the reference, on py-evm.

py-evm takes most of a second to import. It is imported when an EVM is made, so that who
fuzzes on another one does not pay for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echidna_mcp.evm.backend import BackendConfig, EvmBackend
from echidna_mcp.evm.plugin import BackendPlugin
from echidna_mcp.plugins.hookspecs import hookimpl


def create(config: BackendConfig) -> EvmBackend:
    """Return a fresh, empty world."""
    from echidna_mcp_plugins.evm import py_evm  # noqa: PLC0415 (slow import)

    return py_evm.create(config)


PY_EVM: Final = BackendPlugin("py-evm", create)


@hookimpl
def register_backends() -> Sequence[BackendPlugin]:
    """Offer the backend `py-evm`."""
    return [PY_EVM]
