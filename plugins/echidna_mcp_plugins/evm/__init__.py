"""EVM backend `py-evm`: the reference, on py-evm.

py-evm takes half a second to import. It is imported when it is to run, or to confirm
what another EVM finds: the server, which does neither, does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echidna_mcp.evm.backend import BackendConfig, EvmBackend
from echidna_mcp.evm.plugin import BackendPlugin
from echidna_mcp.plugins.hookspecs import hookimpl


def create(config: BackendConfig) -> EvmBackend:
    """Return a fresh, empty world."""
    load()
    from echidna_mcp_plugins.evm import py_evm  # noqa: PLC0415 (slow import)

    return py_evm.create(config)


def load() -> None:
    """Import py-evm, after what makes that faster."""
    import echidna_mcp_plugins.evm.pairing_powers  # noqa: PLC0415 (slow import)
    import echidna_mcp_plugins.evm.py_evm  # noqa: F401, PLC0415 (slow import)


PY_EVM: Final = BackendPlugin("py-evm", create, load=load)


@hookimpl
def register_backends() -> Sequence[BackendPlugin]:
    """Offer the backend `py-evm`."""
    return [PY_EVM]
