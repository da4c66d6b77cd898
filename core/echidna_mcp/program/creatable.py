"""Which contracts the code of others can create."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from echidna_mcp.prefixes import Prefixes
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.sourcemap import metadata_start

_HEAD: Final = 4
"""Bytes of a creation code that are looked for: hardly anything else has them."""


def creatable(program: Program, codes: Iterable[bytes]) -> list[Contract]:
    """Return the contracts whose creation code some code holds, as `new C()` needs it.

    Those that these can create count as well; in order of qualified name.

    Args:
        program: all contracts that there are.
        codes: as compiled, not as linked.
    """
    found: dict[str, Contract] = {}
    queue = list(codes)
    creations = [
        (creation, child)
        for child in program.contracts
        if (creation := child.creation_code[: metadata_start(child.creation_code)])
    ]
    candidates = Prefixes(creations)
    heads = {creation[:_HEAD] for creation, _ in creations}
    while queue:
        code = queue.pop()
        for at in _places(heads, code):
            for child in candidates.of(code[at:]):
                if child.qualified_name not in found:
                    found[child.qualified_name] = child
                    queue.append(child.creation_code)
    return [found[name] for name in sorted(found)]


def _places(parts: Iterable[bytes], code: bytes) -> Iterator[int]:
    """Yield where any of some parts stands in a code."""
    for part in parts:
        at = code.find(part)
        while at >= 0:
            yield at
            at = code.find(part, at + 1)
