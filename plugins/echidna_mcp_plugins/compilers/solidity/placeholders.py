"""Where compiled code is not linked yet: placeholders for the addresses of libraries.

Source: Solidity documentation, "Library Linking". A placeholder takes 40 hex digits:
`__$…$__` with the first 34 digits of the keccak-256 of `path:Name`; before solc 0.5 its
first 36 characters, filled up with underscores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from eth_hash.auto import keccak

from echidna_mcp.program.model import Link

_PLACEHOLDER = re.compile(r"__\$[0-9a-f]{34}\$__|__.{36}__")
_DIGITS = 40


class Placeholders:
    """Tells placeholders in the code of a compilation from each other.

    Args:
        names: qualified names of all that was compiled.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._qualified = names

    @cached_property
    def _names(self) -> dict[str, str]:
        """Names by placeholder, for output that does not state places."""
        found: dict[str, str] = {}
        for name in sorted(self._qualified):
            hashed = keccak(name.encode()).hex()[:34]
            found[f"__${hashed}$__"] = name
            # The command line of an old solc may have been given the bare name.
            for short in (name, name.rpartition(":")[2]):
                found.setdefault(f"__{short[:36]:_<38}", name)
        return found

    def links(
        self, creation: Mapping[str, Any], runtime: Mapping[str, Any]
    ) -> tuple[Link, ...]:
        """Return what the two codes of a contract want linked.

        Args:
            creation, runtime: `evm.bytecode` and `evm.deployedBytecode`.
        """
        places = [self._places(creation), self._places(runtime)]
        return tuple(
            Link(
                library=name,
                creation=tuple(places[0].get(name, ())),
                runtime=tuple(places[1].get(name, ())),
            )
            for name in sorted({*places[0], *places[1]})
        )

    def _places(self, part: Mapping[str, Any]) -> dict[str, list[int]]:
        """Return where each library is called; a name that nobody knows is as it is."""
        stated = {
            place["start"]: f"{path}:{name}"
            for path, by_name in part.get("linkReferences", {}).items()
            for name, places in by_name.items()
            for place in places
        }
        found: dict[str, list[int]] = {}
        for start, text in _placeholders(part):
            name = stated.get(start) or self._names.get(text, text)
            found.setdefault(name, []).append(start)
        return found


def code_of(part: Mapping[str, Any]) -> bytes:
    """Return the code in `evm.bytecode`, with zeros where a library is to be linked."""
    text = _PLACEHOLDER.sub("0" * _DIGITS, str(part.get("object", "")))
    return bytes.fromhex(text.removeprefix("0x"))


def _placeholders(part: Mapping[str, Any]) -> Iterable[tuple[int, str]]:
    text = str(part.get("object", "")).removeprefix("0x")
    for match in _PLACEHOLDER.finditer(text):
        yield match.start() // 2, match[0]
