"""The native backend with every block compiled before anything runs."""

from __future__ import annotations

from echidna_mcp.evm.backend import NOTHING, BackendConfig, CallResult, Message, Watch
from echidna_mcp.kernel.language.memory import load64
from echidna_mcp.kernel.library.mode import Mode
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.code.decode import decode
from echidna_mcp_plugins.native.host.world import code_bytes
from echidna_mcp_plugins.native.hot.blocks import read_blocks
from echidna_mcp_plugins.native.hot.code import hot_code, install, key_of
from echidna_mcp_plugins.native.hot.traces import MOST_TOKENS
from echidna_mcp_plugins.native.state.machine import (
    PROGRAM_ROW,
    PROGRAM_SIZE,
    PROGRAM_STREAM,
)
from echidna_mcp_plugins.native.state.rules import Fork

FEW_TOKENS = 32
MOST_CHECKED = 2_000
"""Blocks of a program that are compiled with checks, from its beginning on: for tens of
thousands, in programs longer than any on a chain, LLVM takes a quarter of an hour."""


class HotBackend(NativeBackend):
    """Compiles all code that is there when a message begins.

    What a message creates is interpreted until it has ended.
    """

    def __init__(self, config: BackendConfig, *, mode: Mode = "compiled") -> None:
        super().__init__(config, mode=mode)
        self._hot = hot_code(mode)
        self._most = MOST_CHECKED if mode == "checked" else None

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        """Compile, then call."""
        self._compile()
        return super().call(message, watch)

    def deploy(
        self,
        message: Message,
        watch: Watch = NOTHING,
        *,
        address: int | None = None,
    ) -> CallResult:
        """Compile, then deploy."""
        self._compile()
        return super().deploy(message, watch, address=address)

    def _compile(self) -> None:
        m = self.machine
        fork = Fork(m.fork)
        for row in range(PROGRAM_ROW, m.program_end, PROGRAM_ROW):
            code = code_bytes(m, row)
            if not load64(m.programs, row + PROGRAM_SIZE):
                continue
            if not load64(m.programs, row + PROGRAM_STREAM):
                decode(m, row)
            key = key_of(code, fork)
            if self._hot.find(key) is None:
                starts = sorted(read_blocks(code, fork).by_start)[: self._most]
                # Half of all programs go from tree to tree more often.
                tokens = FEW_TOKENS if sum(code) % 2 else MOST_TOKENS
                self._hot.build(code, fork, frozenset(starts), tokens)
            compiled = self._hot.find(key)
            assert compiled is not None
            install(m, row, compiled)
