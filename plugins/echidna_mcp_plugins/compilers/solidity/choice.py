"""Which contract of several compilations is fuzzed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.foundry_tests import is_test_contract
from echidna_mcp.program.main_contract import choose_main, is_dependency
from echidna_mcp.program.model import Contract, Program
from echidna_mcp_plugins.compilers.solidity.standard_json import Build


class Part(NamedTuple):
    """One compilation of several, and the sources that are of interest in it.

    Attributes:
        build: its contracts.
        entries: paths of those sources.
        hashed: paths of sources that would have been refused if they had been changed
            since; only artifacts have any.
    """

    build: Build
    entries: frozenset[str]
    hashed: frozenset[str] = frozenset()


def choose_among(parts: Sequence[Part], request: CompileRequest) -> tuple[Build, str]:
    """Return the build that holds the contract to fuzz, and its qualified name.

    Raises:
        TargetError: see `choose_main`.
    """
    known: dict[str, tuple[Contract, Build]] = {}
    # What several builds have imported counts once; an entry is in one of them only.
    for part in parts:
        for contract in part.build.contracts:
            name = contract.qualified_name
            if name not in known or contract.source in part.entries:
                known[name] = contract, part.build
    main = choose_main(
        [contract for contract, _ in known.values()],
        request,
        libraries=frozenset[str]().union(*(p.build.libraries for p in parts)),
        entries=frozenset[str]().union(*(p.entries for p in parts)),
        bases={name: build.bases[name] for name, (_, build) in known.items()},
    )
    return known[main][1], main


def others_with_tests(
    parts: Sequence[Part], chosen: Build, request: CompileRequest
) -> tuple[Program, ...]:
    """Return programs of the other parts that have tests, where Foundry's are meant."""
    found = []
    for part in parts if request.suite else ():
        tests = [
            contract.qualified_name
            for contract in part.build.contracts
            if contract.source in part.entries
            and not is_dependency(contract.source)
            and is_test_contract(contract)
        ]
        if tests and part.build is not chosen:
            found.append(part.build.program(tests[0]))
    return tuple(found)
