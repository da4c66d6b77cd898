"""The native EVM, written in the kernel language.

The order in which to read it: `state` (the machine, and how it changes and goes back),
`code` (code to stream, and its blocks), `frames` (what happens between frames),
`precompiles`, `opcodes` (one function each), `interpreter` (opcodes to native handlers,
and messages that run on them), `search` (whole sequences), `host` (the library, and
machines that Python makes), `hot` (machine code of blocks that run often), and on top
`backend`, `results` and `searcher`, the seam.

The modules are imported when an EVM is made: the server, which makes none, does without
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from echidna_mcp.evm.backend import BackendConfig, EvmBackend
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp_plugins.py_evm import PY_EVM

if TYPE_CHECKING:
    from echidna_mcp.rounds.backend import SearchedReplica, Searcher


def create(config: BackendConfig) -> EvmBackend:
    """Return a fresh, empty world, in the mode that the environment asks for."""
    from echidna_mcp_plugins.native import backend  # noqa: PLC0415 (slow import)

    return backend.create(config)


def make_searcher(replica: SearchedReplica) -> Searcher:
    """Return a searcher on the native backend of a replica."""
    from echidna_mcp_plugins.native.searcher import (  # noqa: PLC0415 (slow import)
        NativeSearcher,
    )

    return NativeSearcher(replica)


def load() -> None:
    """Import all of the machine, and of what compiles for it while it runs."""
    import echidna_mcp_plugins.native.searcher  # noqa: PLC0415 (slow import)
    from echidna_mcp.kernel.library.mode import chosen_mode  # noqa: PLC0415
    from echidna_mcp_plugins.native.host.library import native_code  # noqa: PLC0415

    # Plain Python must run where llvmlite does not.
    if native_code(chosen_mode()).library is not None:
        import echidna_mcp_plugins.native.hot.code  # noqa: F401, PLC0415


@hookimpl
def register_backends() -> Sequence[BackendPlugin]:
    """Offer the backend `native`."""
    return [
        BackendPlugin(
            "native", create, search=make_searcher, reference=PY_EVM, load=load
        ),
    ]
