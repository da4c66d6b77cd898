"""Which contract of a program an executed code is.

Coverage is stored under keys that stay the same from deployment to deployment:
`path:Name/runtime`, `path:Name/create`, and `0x…` (keccak-256 of the code) for code
that the program does not know.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from eth_hash.auto import keccak

from echidna_mcp.prefixes import Prefixes
from echidna_mcp.program.linking import ADDRESS_BYTES, OWN_ADDRESS, is_library_code
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.sourcemap import metadata_start

_MEMO_LIMIT = 65_536


def runtime_key(contract: Contract) -> str:
    """Return the key of the runtime code of `contract`."""
    return f"{contract.qualified_name}/runtime"


def creation_key(contract: Contract) -> str:
    """Return the key of the creation code of `contract`."""
    return f"{contract.qualified_name}/create"


def keys_by_size(program: Program) -> dict[int, tuple[str, ...]]:
    """Return the keys of the codes of a program by how many bytes they have.

    That is without arguments of constructors.
    """
    found: dict[int, list[str]] = {}
    for contract in program.contracts:
        runtime = len(contract.runtime_code) + contract.appended_immutables
        found.setdefault(runtime, []).append(runtime_key(contract))
        creation = len(contract.creation_code)
        found.setdefault(creation, []).append(creation_key(contract))
    return {size: tuple(keys) for size, keys in found.items()}


class _Template(NamedTuple):
    rank: int
    """The one of lowest rank wins."""
    key: str
    exact: bytes
    size: int
    """Bytes without metadata."""
    segments: tuple[tuple[int, bytes], ...]
    """What deployment leaves as it is, without metadata, with its offsets."""

    def matches(self, code: bytes) -> bool:
        return all(code.startswith(part, start) for start, part in self.segments)


class CodeIndex:
    """Finds the key of code that was executed.

    Immutables (in place or appended), addresses of libraries, the metadata at the end,
    and constructor arguments don't matter. Where contracts differ in nothing else, the
    one that is equal byte for byte wins, then the main contract, then the order of
    qualified names.
    """

    def __init__(self, program: Program) -> None:
        ordered = sorted(
            program.contracts,
            key=lambda c: (c.qualified_name != program.main, c.qualified_name),
        )
        runtime: dict[int, list[_Template]] = {}
        creation: list[_Template] = []
        for rank, contract in enumerate(ordered):
            if metadata_start(contract.runtime_code):
                template = _runtime_template(rank, contract)
                size = template.size + contract.appended_immutables
                runtime.setdefault(size, []).append(template)
            if metadata_start(contract.creation_code):
                creation.append(_creation_template(rank, contract))
        self._runtime = {size: _found_by(each) for size, each in runtime.items()}
        self._creation = _found_by(creation)
        self._memo: dict[bytes, str] = {}

    def key(self, code_hash: bytes, code: bytes) -> str:
        """Return the key of `code`.

        Args:
            code_hash: any identity of `code`, by which the answer is remembered.
            code: runtime code, or creation code with its constructor arguments.
        """
        key = self._memo.get(code_hash)
        if key is None:
            # A factory can deploy endlessly many codes; the memo must not grow so.
            if len(self._memo) >= _MEMO_LIMIT:
                self._memo.clear()
            key = self._memo[code_hash] = self._find(code)
        return key

    def _find(self, code: bytes) -> str:
        same_size = self._runtime.get(metadata_start(code))
        runtime = _matching(same_size, code)
        # The longest match wins: one creation code may begin with another.
        creation = sorted(_matching(self._creation, code), key=lambda t: -t.size)
        for template in (*runtime, *creation):
            if code.startswith(template.exact):
                return template.key
        for template in (*runtime, *creation):
            return template.key
        return f"0x{keccak(code).hex()}"


def _found_by(templates: Iterable[_Template]) -> Prefixes[_Template]:
    """Return templates by what they begin with: all have that in one place."""
    return Prefixes((template.segments[0][1], template) for template in templates)


def _matching(templates: Prefixes[_Template] | None, code: bytes) -> list[_Template]:
    """Return the templates that match a code, by rank."""
    if templates is None:
        return []
    return sorted(each for each in templates.of(code) if each.matches(code))


def _runtime_template(rank: int, contract: Contract) -> _Template:
    linked = [start for link in contract.links for start in link.runtime]
    if is_library_code(contract.runtime_code):
        linked.append(OWN_ADDRESS)
    filled = [*contract.immutables, *((start, ADDRESS_BYTES) for start in linked)]
    return _template(rank, runtime_key(contract), contract.runtime_code, filled)


def _creation_template(rank: int, contract: Contract) -> _Template:
    linked = [start for link in contract.links for start in link.creation]
    filled = [(start, ADDRESS_BYTES) for start in linked]
    return _template(rank, creation_key(contract), contract.creation_code, filled)


def _template(
    rank: int, key: str, code: bytes, filled: Iterable[tuple[int, int]]
) -> _Template:
    """Return the template of a code that is `filled` in: (start, length) each."""
    size = metadata_start(code)
    segments = []
    at = 0
    for start, length in sorted(filled):
        segments.append((at, code[at:start]))
        at = start + length
    segments.append((at, code[at:size]))
    return _Template(rank, key, code, size, tuple(segments))
