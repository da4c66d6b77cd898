"""Which decoded programs are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp_plugins.py_evm.program import Program

if TYPE_CHECKING:
    from echidna_mcp_plugins.py_evm.table import OpcodeTable

_CACHED_PROGRAMS = 512
_CACHED_BYTES = 1 << 24


class ProgramCache:
    """The most recently executed programs, within a bound of number and bytes."""

    def __init__(self, table: OpcodeTable) -> None:
        self._table = table
        self._programs: dict[bytes, Program] = {}
        self._bytes = 0

    def __getitem__(self, code: bytes) -> Program:
        program = self._programs.pop(code, None)
        if program is None:
            program = Program(code, self._table)
            self._bytes += len(code)
        self._programs[code] = program
        while len(self._programs) > _CACHED_PROGRAMS or (
            self._bytes > _CACHED_BYTES and len(self._programs) > 1
        ):
            oldest = next(iter(self._programs))
            # Its blocks name the program: without them it dies without the collector.
            self._programs.pop(oldest).blocks.clear()
            self._bytes -= len(oldest)
        return program

    def find(self, code_hash: bytes) -> bytes | None:
        """Return a cached code by its hash."""
        for code, program in self._programs.items():
            if program.code_hash == code_hash:
                return code
        return None
