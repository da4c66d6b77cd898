"""Which of the compiled contracts is fuzzed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from echidna_mcp.config.prefixes import has_prefix
from echidna_mcp.errors import TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.foundry_tests import is_test_contract
from echidna_mcp.program.linking import is_library_code
from echidna_mcp.program.model import Contract
from echidna_mcp.wording import closest, did_you_mean, some

_MOST_COMPARED = 200
"""Contracts that are compared with each other; of more than these, none stands out."""
_NO_BASES: Final[Mapping[str, Collection[str]]] = MappingProxyType({})
_TEST_FOLDERS: Final = frozenset(
    {
        *("test", "tests", "invariant", "invariants"),
        *("echidna", "fuzz", "fuzzing", "medusa", "recon"),
    }
)


def choose_main(
    contracts: Sequence[Contract],
    request: CompileRequest,
    *,
    libraries: Collection[str] = (),
    entries: Collection[str] = (),
    bases: Mapping[str, Collection[str]] = _NO_BASES,
) -> str:
    """Return the qualified name of the contract to fuzz.

    With `request.contract`, the contract of that name (`Name`, or the end of
    `path:Name`). Without, each of these rules leaves those that it prefers, if there
    are any:

    1. defined in the target itself rather than in an import,
    2. has something that can be called,
    3. has a function with the prefix of tests,
    4. lies in a folder for tests (`in_test_folder`),
    5. no other one inherits it or creates it: a test contract comes before what it
       tests,
    6. has a constructor without arguments.

    If that leaves several, nobody knows which one is meant. Where they were chosen from
    several files, the user is told what else there was.

    Args:
        contracts: everything that was compiled, abstract contracts included.
        request: what the user asked for.
        libraries: qualified names of libraries, which are never chosen.
        entries: paths of the files that the target itself consists of; empty if that
            is unknown.
        bases: qualified names of what a contract inherits, by its own, as far as known.

    Raises:
        TargetError: no such contract, none that can be deployed, or no rule decides.
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
    own = _preferred(deployable, lambda c: c.source in entries)
    if request.suite and (tests := [each for each in own if is_test_contract(each)]):
        return tests[0].qualified_name
    own = _preferred(own, _is_callable)
    left = _preferred(own, lambda c: has_test(c, request.prefix))
    left = _preferred(left, lambda c: in_test_folder(c.source))
    left = _unused(left, bases)
    left = _preferred(left, lambda c: not _needs_arguments(c))
    if len(left) > 1:
        raise TargetError(
            f"{request.target} has several contracts that could be fuzzed: "
            f"{some(_short_names(left))}; name one with --contract."
        )
    _tell_others(left[0], own, request)
    return left[0].qualified_name


def has_test(contract: Contract, prefix: str) -> bool:
    """Whether a contract has a function with a prefix of tests."""
    return any(
        entry.get("type") == "function" and has_prefix(str(entry["name"]), prefix)
        for entry in contract.abi
    )


def in_test_folder(path: str) -> bool:
    """Whether a source lies in a folder that people keep tests in, at any depth."""
    folders = PurePosixPath(path).parts[:-1]
    return any(folder.lower() in _TEST_FOLDERS for folder in folders)


def is_dependency(path: str) -> bool:
    """Whether a source is a library that a project uses, by the name of the unit."""
    return path.startswith(("@", "lib/", "node_modules/", "npm/")) or (
        "/node_modules/" in path
    )


def _preferred(
    contracts: list[Contract], better: Callable[[Contract], bool]
) -> list[Contract]:
    return [c for c in contracts if better(c)] or contracts


def _unused(
    contracts: list[Contract], bases: Mapping[str, Collection[str]]
) -> list[Contract]:
    """Return those that no other one inherits or creates.

    What a contract creates stands in its creation code.
    """
    if len(contracts) > _MOST_COMPARED:
        return contracts
    return [
        each
        for each in contracts
        if not any(
            each.qualified_name in bases.get(other.qualified_name, ())
            or (
                len(each.creation_code) < len(other.creation_code)
                and each.creation_code in other.creation_code
            )
            for other in contracts
            if other is not each
        )
    ]


def _is_callable(contract: Contract) -> bool:
    kinds = ("function", "fallback", "receive")
    return any(entry.get("type") in kinds for entry in contract.abi)


def _needs_arguments(contract: Contract) -> bool:
    return any(
        entry.get("type") == "constructor" and bool(entry.get("inputs"))
        for entry in contract.abi
    )


def _tell_others(
    chosen: Contract, contracts: Sequence[Contract], request: CompileRequest
) -> None:
    if all(contract.source == chosen.source for contract in contracts):
        return
    others = [contract for contract in contracts if contract is not chosen]
    request.tell(
        f"{chosen.qualified_name} is fuzzed; --contract chooses another: "
        f"{some(_short_names(others))}."
    )


def _short_names(contracts: Sequence[Contract]) -> list[str]:
    """Return names in order, qualified where a bare one would mean several."""
    count = Counter(contract.name for contract in contracts)
    return sorted(c.name if count[c.name] == 1 else c.qualified_name for c in contracts)


def contracts_named(name: str, contracts: Iterable[Contract]) -> list[Contract]:
    """Return the contracts that `name` may mean: `Name`, or the end of `path:Name`."""
    bare = name.rpartition(":")[2]
    return [c for c in contracts if c.name == bare and is_meant(name, c.source, bare)]


def is_meant(given: str, path: str, name: str) -> bool:
    """Whether `given`, `Name` or the end of `path:Name`, may mean a contract.

    Args:
        path: of the source that defines it.
        name: of the contract.
    """
    wanted, _, bare = given.rpartition(":")
    if name != bare:
        return False
    # `a/Vault.sol:Vault` may be given as `Vault.sol:Vault`.
    return not wanted or f"/{path}".endswith(f"/{wanted.removeprefix('./')}")


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
    hint = did_you_mean(
        closest(name.rpartition(":")[2], names), f"there are: {some(names) or 'none'}."
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
