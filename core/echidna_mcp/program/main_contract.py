"""Which of the compiled contracts is fuzzed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from echidna_mcp.errors import TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.linking import is_library_code
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


def _is_test(entry: Mapping[str, Any], prefix: str) -> bool:
    return entry.get("type") == "function" and str(entry["name"]).startswith(prefix)


def _needs_arguments(entry: Mapping[str, Any]) -> bool:
    return entry.get("type") == "constructor" and bool(entry.get("inputs"))


def contracts_named(name: str, contracts: Iterable[Contract]) -> list[Contract]:
    """Return the contracts that `name` may mean: `Name`, or the end of `path:Name`."""
    return [contract for contract in contracts if _matches(contract, name)]


def no_such_contract(
    name: str,
    found: Sequence[Contract],
    contracts: Iterable[Contract],
    where: str = "",
) -> TargetError:
    """Return the error for a name that means none or several of some contracts.

    Args:
        found: what it means.
        contracts: all that there are.
        where: the beginning of the message: who names it.
    """
    if found:
        places = ", ".join(sorted(contract.qualified_name for contract in found))
        return TargetError(
            f"{where}There are several contracts {name!r}; choose from {places}."
        )
    names = sorted({contract.name for contract in contracts})
    some = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
    hint = did_you_mean(
        closest(name.rpartition(":")[2], names), f"there are: {some or 'none'}."
    )
    return TargetError(f"{where}There is no contract {name!r}; {hint}")


def _named(
    name: str, contracts: Sequence[Contract], deployable: Sequence[Contract]
) -> str:
    found = contracts_named(name, deployable)
    if len(found) == 1:
        return found[0].qualified_name
    if not found and contracts_named(name, contracts):
        raise TargetError(
            f"{name!r} can't be deployed: it is an interface, an abstract contract or "
            "a library."
        )
    raise no_such_contract(name, found, deployable)


def _matches(contract: Contract, name: str) -> bool:
    path, _, bare = name.rpartition(":")
    if contract.name != bare:
        return False
    # `a/Vault.sol:Vault` may be given as `Vault.sol:Vault`.
    return not path or f"/{contract.source}".endswith(f"/{path.removeprefix('./')}")
