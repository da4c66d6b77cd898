"""Which contracts the code of others can create."""

from __future__ import annotations

from collections.abc import Iterable

from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.sourcemap import metadata_start


def creatable(program: Program, codes: Iterable[bytes]) -> list[Contract]:
    """Return the contracts whose creation code some code holds, as `new C()` needs it.

    Those that these can create count as well; in order of qualified name.

    Args:
        program: all contracts that there are.
        codes: as compiled, not as linked.
    """
    found: dict[str, Contract] = {}
    queue = list(codes)
    candidates = [
        (child, child.creation_code[: metadata_start(child.creation_code)])
        for child in program.contracts
    ]
    while queue:
        code = queue.pop()
        for child, creation in candidates:
            if creation and child.qualified_name not in found and creation in code:
                found[child.qualified_name] = child
                queue.append(child.creation_code)
    return [found[name] for name in sorted(found)]
