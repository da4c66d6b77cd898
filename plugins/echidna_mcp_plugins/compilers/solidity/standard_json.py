"""From the standard JSON of solc to a `Program`: shared by everything that speaks it.

Source: Solidity documentation, "Compiler Input and Output JSON Description".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from echidna_mcp.abi.function import functions_of
from echidna_mcp.errors import (
    CompilationError,
    CompilerUnavailableError,
    TargetError,
)
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.main_contract import choose_main
from echidna_mcp.program.model import Contract, Program, SourceFile
from echidna_mcp.program.sourcemap import MapEntry, decode_map, encode_map
from echidna_mcp_plugins.compilers.bounded_json import parse_json
from echidna_mcp_plugins.compilers.cache import Compilation, compiled
from echidna_mcp_plugins.compilers.solidity.metadata import metadata_of
from echidna_mcp_plugins.compilers.solidity.placeholders import Placeholders, code_of
from echidna_mcp_plugins.compilers.solidity.project import SolidityProject
from echidna_mcp_plugins.compilers.solidity.syntax_tree import SolidityAst
from echidna_mcp_plugins.compilers.solidity.version_range import Version
from echidna_mcp_plugins.compilers.used_spans import UsedSpans

_MOST_CONTRACTS = 20_000
_LOCATION = re.compile(r"^\s*--> (.+?:\d+:\d+):?\s*$", re.MULTILINE)


class Answer(NamedTuple):
    """What a solc says: its version (`0.8.37+commit.…`) and its JSON output."""

    version: str
    output: str


def compile_project(
    project: SolidityProject,
    request: CompileRequest,
    *,
    identity: str,
    version: Version,
    run: Callable[[str], Answer],
) -> Program:
    """Compile with a program that turns standard JSON input into output.

    What was compiled before is not compiled again.

    Args:
        identity: of that program; another answer to the same input is another identity.

    Raises:
        CompilerUnavailableError: `run` did not answer with JSON.
        CompilationError: solc found an error; the message holds the first.
        TargetError: nothing that can be fuzzed.
    """
    text = json.dumps(
        {
            "language": "Solidity",
            "sources": {
                unit: {"content": source} for unit, source in project.sources.items()
            },
            "settings": project.settings.to_json(version),
        }
    )
    question = {
        "compiler": identity,
        "input": text,
        "entries": project.entries,
        "contract": request.contract,
        "prefix": request.prefix,
    }
    return compiled(
        question, lambda: Compilation(_compile(project, request, run(text)))
    )


def _compile(
    project: SolidityProject, request: CompileRequest, answer: Answer
) -> Program:
    try:
        output = parse_json(answer.output.encode(), f"What solc {answer.version} says")
    except ValueError as error:
        raise CompilerUnavailableError(
            f"solc {answer.version} does not answer with JSON; 0.4.11 is the oldest "
            "that can."
        ) from error
    _refuse_errors(output.get("errors", ()))
    return program_of(
        StandardOutput(
            contracts=output.get("contracts", {}),
            trees=trees_of(output),
            numbers=numbers_of(output),
            texts=project.sources,
            compiler=f"solc {answer.version}",
        ),
        request,
        entries=project.entries,
    )


def _refuse_errors(errors: Iterable[Mapping[str, Any]]) -> None:
    fatal = [error for error in errors if error.get("severity") == "error"]
    if not fatal:
        return
    first = fatal[0]
    place = _LOCATION.search(str(first.get("formattedMessage", "")))
    where = f"{place[1]}: " if place else ""
    text = " ".join(str(first.get("message", "unknown error")).split())
    more = f" (and {len(fatal) - 1} more)" if len(fatal) > 1 else ""
    raise CompilationError(f"{where}{first.get('type', 'Error')}: {text}{more}")


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
    """

    contracts: Mapping[str, Mapping[str, Any]]
    trees: Mapping[str, Any]
    numbers: Mapping[int, str]
    texts: Mapping[str, str]
    compiler: str
    evm_version: str = ""


def program_of(
    output: StandardOutput, request: CompileRequest, *, entries: Collection[str]
) -> Program:
    """Return the program, without contracts that have no code.

    Raises:
        TargetError: nothing that can be fuzzed.
    """
    count = sum(map(len, output.contracts.values()))
    if count > _MOST_CONTRACTS:
        raise TargetError(
            f"{request.target} holds {count} contracts, more than {_MOST_CONTRACTS}; "
            "compile a part of it."
        )
    builder = _Builder(output)
    contracts = [
        builder.contract(path, name, entry)
        for path, by_name in sorted(output.contracts.items())
        for name, entry in sorted(by_name.items())
    ]
    contracts.sort(key=lambda contract: contract.qualified_name)
    libraries = {
        f"{path}:{name}"
        for path, by_name in output.contracts.items()
        for name in by_name
        if builder.trees.is_library(path, name)
    }
    main = choose_main(contracts, request, libraries=libraries, entries=entries)
    path, _, name = main.rpartition(":")
    return Program(
        contracts=tuple(c for c in contracts if c.creation_code),
        main=main,
        sources=builder.sources,
        compiler=output.compiler,
        evm_version=_evm_version(output.contracts[path][name]) or output.evm_version,
    )


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
        )

    def _map(self, text: str) -> list[MapEntry]:
        return [
            MapEntry(entry.start, entry.length, self._file(entry.file))
            for entry in decode_map(text)
        ]


def _immutables(references: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    return tuple(
        sorted(
            (place["start"], place["length"])
            for places in references.values()
            for place in places
        )
    )
