"""The contracts of `tests/solidity` (and one that is generated), compiled together.

Each file is a target: `NAME.sol` or `NAME.vy` holds the contract NAME, which has no
constructor arguments and needs nothing but OpenZeppelin's contracts.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from large_contract import large_source
from solc import require_openzeppelin, require_solc

from echidna_mcp.config.campaign import TestKind
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Contract, Program, Span
from echidna_mcp.program.sourcemap import decode_map, encode_map
from echidna_mcp_plugins.compilers.solidity.remappings import resolve_import
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs
from echidna_mcp_plugins.compilers.solidity.source_text import imports_of
from echidna_mcp_plugins.compilers.vyper.compiler import Vyper

SOURCES = Path(__file__).parents[1] / "solidity"

SOLIDITY = (*sorted(file.stem for file in SOURCES.glob("*.sol")), "Large")
VYPER = tuple(sorted(file.stem for file in SOURCES.glob("*.vy")))
NAMES = (*SOLIDITY, *VYPER)
"""Every target."""


def mode_of(name: str) -> TestKind:
    """Return the test mode that a target is written for."""
    return "assertion" if name == "Assertions" else "property"


@cache
def corpus_program(name: str, solc_args: str = "") -> Program:
    """Return a target as if it had been compiled alone."""
    if name in VYPER:
        pytest.importorskip("vyper")
        return Vyper().compile(CompileRequest(target=SOURCES / f"{name}.vy"))
    return _alone(compile_corpus(SOLIDITY, solc_args), name)


@cache
def lone_program(name: str, solc_args: str) -> Program:
    """Return a Solidity target, compiled with what not all of them compile with."""
    return _alone(compile_corpus((name,), solc_args), name)


@cache
def compile_corpus(names: tuple[str, ...], solc_args: str = "") -> Program:
    """Compile some targets in one run of solc, which costs less than one run each."""
    require_solc()
    openzeppelin = require_openzeppelin()
    with tempfile.TemporaryDirectory() as directory:
        project = Path(directory)
        (project / "node_modules").mkdir()
        (project / "node_modules" / "@openzeppelin").symlink_to(openzeppelin)
        for name in names:
            if name == "Large":
                (project / "Large.sol").write_text(large_source(), "utf-8")
            else:
                shutil.copy(SOURCES / f"{name}.sol", project)
        targets = [f"{name}.sol:{name}" for name in names]
        return SolcJs().compile(
            CompileRequest(
                target=project,
                contract=targets[0],
                others=tuple(targets[1:]),
                solc_args=solc_args,
                allow_paths=(openzeppelin,),
            )
        )


def _alone(program: Program, name: str) -> Program:
    """Return the part of a program that one target imports, with it as main contract.

    The first dictionary of a campaign comes from all sources of its program, so that
    the constants of another target would help or hinder it.
    """
    main = f"{name}.sol"
    texts = {source.path: source.content for source in program.sources}
    units = sorted(_imported(texts, main))
    old = {source.path: number for number, source in enumerate(program.sources)}
    files = {old[unit]: number for number, unit in enumerate(units)}
    return replace(
        program,
        contracts=tuple(
            _renumbered(contract, files)
            for contract in program.contracts
            if contract.source in units
        ),
        main=f"{main}:{name}",
        sources=tuple(source for source in program.sources if source.path in units),
    )


def _imported(texts: Mapping[str, str], main: str) -> set[str]:
    found = {main}
    queue = [main]
    while queue:
        importer = queue.pop()
        for statement in imports_of(texts[importer]):
            unit = resolve_import(statement.path, importer, ())
            if unit not in found:
                found.add(unit)
                queue.append(unit)
    return found


def _renumbered(contract: Contract, files: Mapping[int, int]) -> Contract:
    """Return a contract whose source ranges refer to files by their new number."""

    def source_map(text: str) -> str:
        return encode_map(
            entry._replace(file=files.get(entry.file, -1)) for entry in decode_map(text)
        )

    def moved(span: Span) -> Span:
        return replace(span, file=files[span.file])

    return replace(
        contract,
        creation_map=source_map(contract.creation_map),
        runtime_map=source_map(contract.runtime_map),
        functions=tuple(
            replace(function, span=moved(function.span))
            for function in contract.functions
        ),
        branches=tuple(moved(span) for span in contract.branches),
    )
