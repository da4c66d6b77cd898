"""Raise stored payloads of old versions to the newest one, on read.

Stored rows never change. When the payload of an event type changes, its version grows
by one and the table below gets a function from the old payload to the new one; they are
chained. Golden old stores in `tests/golden` keep this honest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from echidna_mcp.errors import StoreError

Upcaster: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Takes the payload of one version and returns that of the next; changes nothing."""

UpcasterTable: TypeAlias = Mapping[tuple[str, int], Upcaster]
"""From (event type, old version) to the function that raises it by one."""

UPCASTERS: Final[UpcasterTable] = MappingProxyType({})


def newest_version(type_: str, table: UpcasterTable = UPCASTERS) -> int:
    """Return the version in which events of a type are written today."""
    version = 1
    while (type_, version) in table:
        version += 1
    return version


def upcast(
    type_: str,
    version: int,
    payload: Mapping[str, Any],
    table: UpcasterTable = UPCASTERS,
) -> tuple[int, Mapping[str, Any]]:
    """Return the newest version of an event type and the payload in that version.

    Raises:
        StoreError: the payload is newer than this program.
    """
    while (step := table.get((type_, version))) is not None:
        payload = step(payload)
        version += 1
    if version != newest_version(type_, table):
        raise StoreError(
            f"The store holds a {type_} event of version {version}, which this version"
            " of echidna-mcp does not know; upgrade echidna-mcp.",
            type=type_,
            version=version,
        )
    return version, payload
