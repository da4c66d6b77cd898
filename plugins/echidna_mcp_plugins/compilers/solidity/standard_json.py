"""From the standard JSON of solc to a `Program`: shared by everything that speaks it.

Source: Solidity documentation, "Compiler Input and Output JSON Description".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echidna_mcp.abi.function import functions_of
from echidna_mcp.errors import TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.main_contract import choose_main, is_dependency
from echidna_mcp.program.model import Contract, Program, SourceFile
from echidna_mcp.program.sourcemap import MapEntry, decode_map, encode_map
from echidna_mcp_plugins.compilers.solidity.metadata import metadata_of
from echidna_mcp_plugins.compilers.solidity.placeholders import Placeholders, code_of
from echidna_mcp_plugins.compilers.solidity.syntax_tree import SolidityAst
from echidna_mcp_plugins.compilers.used_spans import UsedSpans

_MOST_CONTRACTS = 20_000


def trees_of(output: Mapping[str, Any]) -> dict[str, Any]:
    """Return the syntax trees by path; empty if they were not asked for."""
    return {
        path: source["ast"]
        for path, source in output.get("sources", {}).items()
        if source.get("ast")
    }


def numbers_of(output: Mapping[str, Any]) -> dict[int, str]:
    """Return the paths by the numbers that source maps use."""
    return {
        source["id"]: path
        for path, source in output.get("sources", {}).items()
        if "id" in source
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardOutput:
    """What solc knows about a compilation, however it was stored.

    Attributes:
        contracts: `contracts` of the standard JSON output, by path and name.
        trees: syntax trees by path.
        numbers: paths by source number.
        texts: sources by path.
        compiler: name and version.
        evm_version: what all was compiled for, where the metadata of a contract do not
            say it; empty if unknown.
        library_addresses: see `Program`.
    """

    contracts: Mapping[str, Mapping[str, Any]]
    trees: Mapping[str, Any]
    numbers: Mapping[int, str]
    texts: Mapping[str, str]
    compiler: str
    evm_version: str = ""
    library_addresses: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """The contracts of one compilation, before one of them is chosen.

    Attributes:
        contracts: in order of qualified name, abstract ones and interfaces included.
        libraries: qualified names of libraries.
        bases: qualified names of what a contract inherits, by its own.
        entries: what solc says of each, by qualified name.
        evm_version: what all was compiled for, where the metadata of a contract do not
            say it; empty if unknown.
        library_addresses: see `Program`.
    """

    contracts: tuple[Contract, ...]
    libraries: frozenset[str]
    bases: Mapping[str, frozenset[str]]
    sources: tuple[SourceFile, ...]
    compiler: str
    entries: Mapping[str, Mapping[str, Any]]
    evm_version: str
    library_addresses: tuple[tuple[str, int], ...]

    def program(self, main: str) -> Program:
        """Return the program, without contracts that have no code.

        Interfaces are in it if the target has the getter that can name them.

        Args:
            main: qualified name of the target.
        """
        asked = any(
            entry.get("name") == "targetInterfaces"
            for contract in self.contracts
            if contract.qualified_name == main
            for entry in contract.abi
        )
        abstract = (c for c in self.contracts if c.abi and not c.creation_code)
        return Program(
            contracts=tuple(c for c in self.contracts if c.creation_code),
            interfaces=tuple(abstract) if asked else (),
            main=main,
            sources=self.sources,
            compiler=self.compiler,
            evm_version=_evm_version(self.entries[main]) or self.evm_version,
            library_addresses=self.library_addresses,
        )


def build_of(output: StandardOutput, target: Path) -> Build:
    """Return the contracts in what solc says.

    Raises:
        TargetError: there are more than any project has.
    """
    count = sum(map(len, output.contracts.values()))
    if count > _MOST_CONTRACTS:
        raise TargetError(
            f"{target} holds {count} contracts, more than {_MOST_CONTRACTS}; compile a "
            "part of it."
        )
    builder = _Builder(output)
    contracts = []
    libraries = set()
    bases = {}
    entries = {}
    for path, by_name in sorted(output.contracts.items()):
        for name, entry in sorted(by_name.items()):
            contract = builder.contract(path, name, entry)
            contracts.append(contract)
            qualified = contract.qualified_name
            bases[qualified] = builder.trees.bases(path, name)
            entries[qualified] = entry
            if builder.trees.is_library(path, name):
                libraries.add(qualified)
    return Build(
        contracts=tuple(sorted(contracts, key=lambda c: c.qualified_name)),
        libraries=frozenset(libraries),
        bases=bases,
        sources=builder.sources,
        compiler=output.compiler,
        entries=entries,
        evm_version=output.evm_version,
        library_addresses=output.library_addresses,
    )


def program_of(output: StandardOutput, request: CompileRequest) -> Program:
    """Return the program of a compilation of which nothing else is known.

    Dependencies are not what is meant to be fuzzed.

    Raises:
        TargetError: nothing that can be fuzzed.
    """
    build = build_of(output, request.target)
    own = {c.source for c in build.contracts if not is_dependency(c.source)}
    main = choose_main(
        build.contracts,
        request,
        libraries=build.libraries,
        entries=own,
        bases=build.bases,
    )
    return build.program(main)


def _evm_version(entry: Mapping[str, Any]) -> str:
    """Return for which fork a contract was compiled, as far as its metadata tell."""
    return str(metadata_of(entry).get("settings", {}).get("evmVersion", ""))


class _Builder:
    """Makes contracts whose source numbers index `sources`."""

    def __init__(self, output: StandardOutput) -> None:
        paths = sorted({*output.numbers.values(), *output.texts})
        self._index = {path: index for index, path in enumerate(paths)}
        self._numbers = output.numbers
        self.sources = tuple(
            SourceFile(path, output.texts.get(path, "")) for path in paths
        )
        self.trees = SolidityAst(output.trees, self._file)
        self._placeholders = Placeholders(
            f"{path}:{name}"
            for path, found in output.contracts.items()
            for name in found
        )

    def _file(self, number: int) -> int:
        # Helper functions that solc generates have a number, but no file.
        return self._index.get(self._numbers.get(number, ""), -1)

    def contract(self, path: str, name: str, entry: Mapping[str, Any]) -> Contract:
        evm = entry.get("evm", {})
        creation = evm.get("bytecode", {})
        runtime = evm.get("deployedBytecode", {})
        abi = tuple(entry.get("abi", ()))
        creation_map = self._map(creation.get("sourceMap", ""))
        runtime_map = self._map(runtime.get("sourceMap", ""))
        used = UsedSpans(runtime_map, creation_map)
        return Contract(
            name=name,
            source=path,
            abi=abi,
            creation_code=code_of(creation),
            runtime_code=code_of(runtime),
            links=self._placeholders.links(creation, runtime),
            immutables=_immutables(runtime.get("immutableReferences", {})),
            creation_map=encode_map(creation_map),
            runtime_map=encode_map(runtime_map),
            functions=self.trees.functions(path, name, functions_of(abi), used),
            branches=self.trees.branches(used),
            storage_layout=_storage_layout(entry.get("storageLayout")),
        )

    def _map(self, text: str) -> list[MapEntry]:
        return [
            MapEntry(entry.start, entry.length, self._file(entry.file))
            for entry in decode_map(text)
        ]


def _storage_layout(layout: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a layout without the numbers of syntax trees; None if there is nothing."""
    if not layout or not layout.get("storage"):
        return None
    return {
        "storage": [_variable(each) for each in layout["storage"]],
        "types": {
            name: kind
            if "members" not in kind
            else {**kind, "members": [_variable(each) for each in kind["members"]]}
            for name, kind in layout["types"].items()
        },
    }


def _variable(variable: Mapping[str, Any]) -> dict[str, Any]:
    return {name: variable[name] for name in ("label", "offset", "slot", "type")}


def _immutables(references: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    return tuple(
        sorted(
            (place["start"], place["length"])
            for places in references.values()
            for place in places
        )
    )
