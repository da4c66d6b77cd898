"""The kinds of contracts that a sequence may create, as `fuzz.created` looks for them.

Only Python calls this; compiled code sees the record that it makes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from echidna_mcp.fuzz.created import MOST_CREATED, TEMPLATE_WORDS, Created
from echidna_mcp.kernel.language.memory import words


@dataclass(frozen=True, slots=True)
class Template:
    """The runtime code of a kind of contract.

    Attributes:
        kind: number of the kind; several templates may have the same.
        code: as it is deployed.
        free: (start, length) of what may be any bytes.
    """

    kind: int
    code: bytes
    free: tuple[tuple[int, int], ...]


def make_created(templates: Iterable[Template]) -> Created:
    """Return the record of a sequence that has created nothing yet."""
    rows: list[int] = []
    bodies, masks = bytearray(), bytearray()
    for each in templates:
        rows += [each.kind, len(bodies), len(each.code)]
        mask = bytearray(b"\xff" * len(each.code))
        for start, length in each.free:
            mask[start : start + length] = bytes(len(mask[start : start + length]))
        bodies += each.code
        masks += mask
    return Created(
        templates=words(rows),
        template_count=len(rows) // TEMPLATE_WORDS,
        bodies=bodies,
        masks=masks,
        kinds=words([0] * MOST_CREATED),
        addresses=bytearray(32 * MOST_CREATED),
        count=0,
    )
