"""Which of the compiled contracts is fuzzed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from echidna_mcp.errors import TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Contract
from echidna_mcp.wording import closest, did_you_mean

_LISTED = 10


def choose_main(
    contracts: Sequence[Contract],
    request: CompileRequest,
    *,
    libraries: Collection[str] = (),
    entries: Collection[str] = (),
) -> str:
    """Return the qualified name of the contract to fuzz.

    With `request.contract`, the contract of that name (`Name`, or the end of
    `path:Name`). Without, the best by: defined in the target itself rather than in an
    import, has a function with the prefix, has a constructor without arguments,
    qualified name (Echidna's order).

    Args:
        contracts: everything that was compiled, abstract contracts included.
        request: what the user asked for.
        libraries: qualified names of libraries, which are never chosen.
        entries: paths of the files that the target itself consists of.

    Raises:
        TargetError: no such contract, or none that can be deployed.
    """
    deployable = [
        c
        for c in contracts
        if c.creation_code
        and c.qualified_name not in libraries
        and not is_library_code(c.runtime_code)
    ]
    if request.contract is not None:
        return _named(request.contract, contracts, deployable)
    if not deployable:
        raise TargetError(
            f"{request.target} has no contract that can be deployed, only interfaces, "
            "abstract contracts or libraries."
            if contracts
            else f"{request.target} defines no contract."
        )

    def order(contract: Contract) -> tuple[bool, bool, bool, str]:
        return (
            contract.source not in entries,
            not any(_is_test(entry, request.prefix) for entry in contract.abi),
            any(_needs_arguments(entry) for entry in contract.abi),
            contract.qualified_name,
        )

    return min(deployable, key=order).qualified_name


def is_library_code(runtime_code: bytes) -> bool:
    """Whether the code starts with the call protection that solc gives to libraries.

    Source: Solidity documentation, "Call Protection For Libraries".
    """
    return runtime_code[:23] == b"\x73" + bytes(20) + b"\x30\x14"


def _is_test(entry: Mapping[str, Any], prefix: str) -> bool:
    return entry.get("type") == "function" and str(entry["name"]).startswith(prefix)


def _needs_arguments(entry: Mapping[str, Any]) -> bool:
    return entry.get("type") == "constructor" and bool(entry.get("inputs"))


def _named(
    name: str, contracts: Sequence[Contract], deployable: Sequence[Contract]
) -> str:
    matching = [c for c in deployable if _matches(c, name)]
    if len(matching) > 1:
        places = ", ".join(sorted(c.qualified_name for c in matching))
        raise TargetError(
            f"There are several contracts {name!r}; choose from {places}."
        )
    if matching:
        return matching[0].qualified_name
    if any(_matches(c, name) for c in contracts):
        raise TargetError(
            f"{name!r} can't be deployed: it is an interface, an abstract contract or "
            "a library."
        )
    names = sorted({c.name for c in deployable})
    some = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
    hint = did_you_mean(
        closest(name.rpartition(":")[2], names), f"there are: {some or 'none'}."
    )
    raise TargetError(f"There is no contract {name!r}; {hint}")


def _matches(contract: Contract, name: str) -> bool:
    path, _, bare = name.rpartition(":")
    if contract.name != bare:
        return False
    # `a/Vault.sol:Vault` may be given as `Vault.sol:Vault`.
    return not path or f"/{contract.source}".endswith(f"/{path.removeprefix('./')}")
