"""Runs a program on the py-evm backend and collects its coverage by code key."""

from __future__ import annotations

from echidna_mcp.abi.function import selector_of
from echidna_mcp.evm.backend import BackendConfig, CallResult, Message, Watch
from echidna_mcp.program.identity import CodeIndex
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.py_evm.backend import create

SENDER = 0x10000
TARGET = 0xC0FFEE


class Runner:
    """A deployed main contract. `covered` and `jumps` are what reports ask for."""

    def __init__(self, program: Program, arguments: bytes = b"") -> None:
        self.index = CodeIndex(program)
        self.covered: dict[str, set[int]] = {}
        self.jumps: dict[str, set[tuple[int, int]]] = {}
        self.backend = create(BackendConfig())
        code = program.main_contract.creation_code + arguments
        self.deployment = self._record(
            self.backend.deploy(
                Message(sender=SENDER, to=None, data=code),
                Watch(coverage=True, edges=True),
                address=TARGET,
            )
        )

    def call(
        self, signature: str, arguments: bytes = b"", value: int = 0
    ) -> CallResult:
        """Call a function of the main contract."""
        data = selector_of(signature) + arguments
        message = Message(sender=SENDER, to=TARGET, data=data, value=value)
        return self._record(
            self.backend.call(message, Watch(coverage=True, edges=True))
        )

    def _record(self, result: CallResult) -> CallResult:
        for visit in result.visits:
            code = self.backend.code_of_hash(visit.code_hash)
            key = self.index.key(visit.code_hash, code)
            hit = self.covered.setdefault(key, set())
            hit.update(at for at, count in enumerate(visit.counters) if count)
        for edge in result.edges:
            code = self.backend.code_of_hash(edge.code_hash)
            key = self.index.key(edge.code_hash, code)
            self.jumps.setdefault(key, set()).add((edge.jump, edge.target))
        return result
