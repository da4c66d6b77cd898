"""Libraries: which ones a contract needs, and their addresses in its code.

Source: Solidity documentation, "Library Linking".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from echidna_mcp.errors import TargetError
from echidna_mcp.program.model import Contract, Program

ADDRESS_BYTES = 20
OWN_ADDRESS = 1
"""Where the runtime code of a library holds its own address."""


def libraries_of(program: Program, roots: Iterable[Contract]) -> tuple[Contract, ...]:
    """Return the libraries that some contracts need, each one after those it needs.

    Raises:
        TargetError: a library is not in the program, or some need each other.
    """
    known = {contract.qualified_name: contract for contract in program.contracts}
    found: dict[str, Contract] = {}

    def visit(contract: Contract, path: tuple[str, ...]) -> None:
        for link in contract.links:
            name = link.library
            if name in path:
                circle = " → ".join((*path[path.index(name) :], name))
                raise TargetError(
                    f"Libraries need each other, so that none can be deployed first: "
                    f"{circle}; make the functions of one of them internal."
                )
            if name in found:
                continue
            if name not in known:
                raise TargetError(
                    f"{contract.name} needs the library {name}, which is not among "
                    "what was compiled; compile it together with the target."
                )
            visit(known[name], (*path, name))
            found[name] = known[name]

    for root in roots:
        visit(root, (root.qualified_name,))
    return tuple(found.values())


def linked_creation_code(contract: Contract, addresses: Mapping[str, int]) -> bytes:
    """Return the creation code with the addresses of libraries, by qualified name."""
    return linked_codes(contract, addresses)[0]


def linked_codes(
    contract: Contract, addresses: Mapping[str, int]
) -> tuple[bytes, bytes]:
    """Return the same with the runtime code behind it."""
    creation = bytearray(contract.creation_code)
    runtime = bytearray(contract.runtime_code)
    for link in contract.links:
        address = addresses[link.library].to_bytes(ADDRESS_BYTES, "big")
        for code, starts in ((creation, link.creation), (runtime, link.runtime)):
            for start in starts:
                code[start : start + ADDRESS_BYTES] = address
    return bytes(creation), bytes(runtime)


def is_library_code(runtime_code: bytes) -> bool:
    """Whether the code starts with the call protection that solc gives to libraries.

    Source: Solidity documentation, "Call Protection For Libraries".
    """
    return runtime_code[:23] == b"\x73" + bytes(20) + b"\x30\x14"
