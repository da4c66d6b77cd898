"""Building the machine code of hot blocks: a pure function of what it is asked for.

It is to run in a process of its own (`hot_child`): IR that depends on contracts may
meet one of LLVM's assertions, which end the process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp.kernel.library.build import BuildOptions, build
from echidna_mcp_plugins.native.hot.blocks import read_blocks
from echidna_mcp_plugins.native.hot.traces import symbol_of, write_roots
from echidna_mcp_plugins.native.interpreter.handler import CONVENTION, LEAVE, METADATA
from echidna_mcp_plugins.native.state.rules import Fork

OPTIONS = BuildOptions(passes=1, threading=False)


@dataclass(frozen=True, slots=True)
class HotRequest:
    """What is to be built. Picklable.

    Attributes:
        code: of the program.
        fork: whose rules the machine follows.
        starts: program counters where hot blocks start, ascending.
        tokens: how many a tree has at most.
        checked: whether the library checks memory.
        shared: `Library.shared`.
    """

    code: bytes
    fork: Fork
    starts: tuple[int, ...]
    tokens: int
    checked: bool
    shared: Mapping[str, str]

    def key(self, library: str) -> str:
        """Return a hash of it, of what builds it and of the library, given its key.

        The blocks are not in it. Which ones are hot differs from campaign to campaign
        and from node to node; what was built for others serves as well.
        """
        shape = f"{self.fork} {self.tokens}"
        parts = (library, str(OPTIONS), _builders(), shape, self.code)
        state = hashlib.sha256()
        for part in parts:
            data = part if isinstance(part, bytes) else part.encode()
            state.update(len(data).to_bytes(8, "little") + data)
        return state.hexdigest()


@cache
def _builders() -> bytes:
    """Return a hash of the sources of this package, which say what is built."""
    state = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.digest()


@dataclass(frozen=True, slots=True)
class HotObject:
    """Machine code of hot blocks. Picklable.

    Attributes:
        starts: program counters where they start, ascending.
        code: an object file.
        roots: symbol, and index of the head that it replaces, from the beginning of the
            program's stream on.
    """

    starts: tuple[int, ...]
    code: bytes
    roots: tuple[tuple[str, int], ...]


def build_hot(request: HotRequest) -> HotObject:
    """Return the machine code of the hot blocks of a program.

    Raises:
        KernelBuildError: LLVM refuses the IR.
    """
    blocks = read_blocks(request.code, request.fork)
    unit = Unit(checked=request.checked, beside=request.shared)
    unit.add_ir(METADATA)
    unit.add_ir(f"declare {CONVENTION} void {LEAVE}(ptr, ptr, ptr)")
    roots = write_roots(unit, blocks, frozenset(request.starts), request.tokens)
    return HotObject(
        starts=request.starts,
        code=build(unit.render(), OPTIONS),
        roots=tuple((symbol_of(block), block.head) for block in roots),
    )
