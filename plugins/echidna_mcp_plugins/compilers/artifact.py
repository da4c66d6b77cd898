"""Compiled artifacts: no compiler needed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from echidna_mcp.errors import TargetError
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp.program.model import Program
from echidna_mcp.program.selection import choose_main
from echidna_mcp_plugins.compilers.artifact_sources import (
    compiler_of,
    embedded_texts,
    source_hashes,
    texts_beside,
)
from echidna_mcp_plugins.compilers.foundry_out import (
    is_foundry_artifact,
    is_out_directory,
    one_compilation,
    read_artifact,
    read_out_directory,
)
from echidna_mcp_plugins.compilers.standard_json import (
    StandardOutput,
    numbers_of,
    program_of,
    trees_of,
)


class Artifact:
    """Reads what a compiler has written before.

    Known: solc's standard JSON output (also inside a build-info file) and combined
    JSON, an `out` directory of foundry or a file in it, and `Program.to_json`.
    """

    name = "artifact"
    rank = 10

    def accepts(self, request: CompileRequest) -> bool:
        """Whether the target is JSON or an `out` directory."""
        target = request.target
        if target.is_dir():
            return is_out_directory(target)
        return target.suffix == ".json"

    def compile(self, request: CompileRequest) -> Program:
        """Read the artifact.

        Raises:
            TargetError: it is of no known kind, damaged, or holds nothing to fuzz.
        """
        target = request.target
        try:
            program = _read(request)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise TargetError(
                f"{target} is a damaged artifact ({error!r}); compile again."
            ) from error
        if program is None:
            raise TargetError(
                f"{target} is no artifact that can be fuzzed; give the standard JSON "
                "output of solc or a file from the `out` directory of foundry."
            )
        return program


def _read(request: CompileRequest) -> Program | None:
    target = request.target
    if target.is_dir():
        return program_of(read_out_directory(target), request, entries=())
    try:
        data: Any = json.loads(target.read_bytes())
    except (OSError, ValueError) as error:
        raise TargetError(f"{target} can't be read as JSON: {error}.") from error
    return _from_json(data, request)


def _from_json(data: Any, request: CompileRequest) -> Program | None:
    match data:
        case {"main": str(), "contracts": [*_], "sources": [*_]}:
            return _own(data, request)
        case {"output": {"contracts": {}} as output}:
            given = data.get("input", {}).get("sources", {})
            return _standard(output, given, request)
        case {"contracts": {**contracts}} if all(
            isinstance(entry, Mapping) and "bin" in entry
            for entry in contracts.values()
        ):
            return _combined(data, request)
        case {"contracts": {}}:
            return _standard(data, {}, request)
        case {"abi": [*_]} if is_foundry_artifact(data):
            return _foundry(request)
        case _:
            return None


def _own(data: Mapping[str, Any], request: CompileRequest) -> Program:
    program = Program.from_json(data)
    if request.contract is None:
        if all(c.qualified_name != program.main for c in program.contracts):
            raise ValueError(program.main)
        return program
    return replace(program, main=choose_main(program.contracts, request))


def _standard(
    output: Mapping[str, Any], given: Mapping[str, Any], request: CompileRequest
) -> Program:
    sources = output.get("sources", {})
    entries = [e for by_name in output["contracts"].values() for e in by_name.values()]
    hashes = source_hashes(entries)
    paths = {*sources, *output["contracts"]}
    texts = embedded_texts(sources, given)
    if not texts:
        texts = texts_beside(request.target.parent, paths, hashes)
    standard = StandardOutput(
        contracts=output["contracts"],
        trees=trees_of(output),
        numbers=numbers_of(output),
        texts=texts,
        compiler=compiler_of(entries),
    )
    return program_of(standard, request, entries=())


def _combined(data: Mapping[str, Any], request: CompileRequest) -> Program:
    contracts: dict[str, dict[str, Any]] = {}
    for qualified, entry in data["contracts"].items():
        path, _, name = qualified.rpartition(":")
        abi = entry.get("abi", [])
        contracts.setdefault(path, {})[name] = {
            "abi": json.loads(abi) if isinstance(abi, str) else abi,
            "evm": {
                "bytecode": {
                    "object": entry["bin"],
                    "sourceMap": entry.get("srcmap", ""),
                },
                "deployedBytecode": {
                    "object": entry.get("bin-runtime", ""),
                    "sourceMap": entry.get("srcmap-runtime", ""),
                },
            },
        }
    paths = list(data.get("sourceList", contracts))
    version = data.get("version", "")
    combined = StandardOutput(
        contracts=contracts,
        trees={
            path: source["AST"]
            for path, source in data.get("sources", {}).items()
            if "nodeType" in source.get("AST", {})
        },
        numbers=dict(enumerate(paths)),
        texts=texts_beside(request.target.parent, paths, {}),
        compiler=f"solc {version}".strip(),
    )
    return program_of(combined, request, entries=())


def _foundry(request: CompileRequest) -> Program | None:
    """Read a file with its directory, which knows the other sources, or alone."""
    artifact = read_artifact(request.target)
    if artifact is None:
        return None
    directory: Path = request.target.absolute().parent
    output = (
        read_out_directory(directory.parent)
        if directory.suffix == ".sol"
        else one_compilation(directory, [artifact])
    )
    wanted = request.contract
    if wanted is None:
        wanted = f"{artifact.path}:{artifact.name}"
    return program_of(output, replace(request, contract=wanted), entries=())


@hookimpl
def register_compilers() -> Sequence[CompilerPlugin]:
    """Offer compiled artifacts."""
    return (Artifact(),)
