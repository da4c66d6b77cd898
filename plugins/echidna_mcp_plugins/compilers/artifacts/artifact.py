"""Compiled artifacts: no compiler needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from echidna_mcp.errors import TargetError
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp.program.main_contract import choose_main
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.artifacts.foundry_out import (
    is_foundry_artifact,
    is_out_directory,
    one_compilation,
    out_files,
    read_artifact,
    read_out_directory,
)
from echidna_mcp_plugins.compilers.artifacts.sources import (
    SourcesBeside,
    embedded_texts,
    source_hashes,
)
from echidna_mcp_plugins.compilers.bounded_json import parse_json, read_json
from echidna_mcp_plugins.compilers.cache import (
    Compilation,
    compiled,
    digest_of_files,
)
from echidna_mcp_plugins.compilers.solidity.metadata import compiler_of
from echidna_mcp_plugins.compilers.solidity.standard_json import (
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
        files = [target]
        directory = target.absolute().parent
        if target.is_dir():
            directory = target
            files = out_files(target)
        elif directory.suffix == ".sol":
            files += out_files(directory.parent)
        beside = SourcesBeside(request.allow_paths)
        question = {
            "target": str(target.absolute()),
            "files": [str(file) for file in files],
            "contents": digest_of_files(files),
            "places": [str(place) for place in beside.fence(directory).places],
            "contract": request.contract,
            "prefix": request.prefix,
        }
        return compiled(question, lambda: _compile(request, beside))


def _compile(request: CompileRequest, beside: SourcesBeside) -> Compilation:
    target = request.target
    try:
        program = _read(request, beside)
        if program is not None:
            _ = program.digest  # what has none is no text
    except RecursionError:
        raise TargetError(f"{target} is nested too deeply.") from None
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise TargetError(
            f"{target} is a damaged artifact ({error!r}); compile again."
        ) from error
    if program is None:
        raise TargetError(
            f"{target} is no artifact that can be fuzzed; give the standard JSON "
            "output of solc or a file from the `out` directory of foundry."
        )
    return Compilation(program, tuple(beside.lookups))


def _read(request: CompileRequest, beside: SourcesBeside) -> Program | None:
    target = request.target
    if target.is_dir():
        output = read_out_directory(target, beside)
        return program_of(output, request, entries=())
    return _from_json(read_json(target), request, beside)


def _from_json(
    data: Any, request: CompileRequest, beside: SourcesBeside
) -> Program | None:
    match data:
        case {"main": str(), "contracts": [*_], "sources": [*_]}:
            return _own(data, request)
        case {"output": {"contracts": {}} as output}:
            return _standard(output, data.get("input", {}), request, beside)
        case {"contracts": {**contracts}} if all(
            isinstance(entry, Mapping) and "bin" in entry
            for entry in contracts.values()
        ):
            return _combined(data, request, beside)
        case {"contracts": {}}:
            return _standard(data, {}, request, beside)
        case {"abi": [*_]} if is_foundry_artifact(data):
            return _foundry(request, beside)
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
    output: Mapping[str, Any],
    given: Mapping[str, Any],
    request: CompileRequest,
    beside: SourcesBeside,
) -> Program:
    """Read standard JSON output; `given` is the input, as far as it is known."""
    sources = output.get("sources", {})
    entries = [e for by_name in output["contracts"].values() for e in by_name.values()]
    hashes = source_hashes(entries)
    paths = {*sources, *output["contracts"]}
    texts = embedded_texts(sources, given.get("sources", {}))
    if not texts:
        texts = beside.texts(request.target.parent, paths, hashes)
    standard = StandardOutput(
        contracts=output["contracts"],
        trees=trees_of(output),
        numbers=numbers_of(output),
        texts=texts,
        compiler=compiler_of(entries),
        evm_version=str(given.get("settings", {}).get("evmVersion", "")),
    )
    return program_of(standard, request, entries=())


def _combined(
    data: Mapping[str, Any], request: CompileRequest, beside: SourcesBeside
) -> Program:
    contracts: dict[str, dict[str, Any]] = {}
    for qualified, entry in data["contracts"].items():
        path, _, name = qualified.rpartition(":")
        abi = entry.get("abi", [])
        if isinstance(abi, str):  # So solc did until 0.7.
            abi = parse_json(abi.encode(), f"The ABI of {name}")
        contracts.setdefault(path, {})[name] = {
            "abi": abi,
            "metadata": entry.get("metadata", ""),
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
        texts=beside.texts(request.target.parent, paths, {}),
        compiler=f"solc {version}".strip(),
    )
    return program_of(combined, request, entries=())


def _foundry(request: CompileRequest, beside: SourcesBeside) -> Program | None:
    """Read a file with its directory, which knows the other sources, or alone."""
    artifact = read_artifact(request.target)
    if artifact is None:
        return None
    directory: Path = request.target.absolute().parent
    output = (
        read_out_directory(directory.parent, beside)
        if directory.suffix == ".sol"
        else one_compilation(directory, [artifact], beside)
    )
    wanted = request.contract
    if wanted is None:
        wanted = f"{artifact.path}:{artifact.name}"
    return program_of(output, replace(request, contract=wanted), entries=())


@hookimpl
def register_compilers() -> Sequence[CompilerPlugin]:
    """Offer compiled artifacts."""
    return (Artifact(),)
