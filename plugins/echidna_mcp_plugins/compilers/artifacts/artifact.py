"""Compiled artifacts: no compiler needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from echidna_mcp.errors import CompilerUnavailableError, TargetError
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp.program.main_contract import choose_main
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.artifacts.build_info import build_info
from echidna_mcp_plugins.compilers.artifacts.combined import is_combined, read_combined
from echidna_mcp_plugins.compilers.artifacts.crytic_export import (
    exported_files,
    read_exported,
)
from echidna_mcp_plugins.compilers.artifacts.directory import (
    directory_files,
    is_artifact_directory,
    may_have_syntax_trees,
    one_compilation,
    read_directory,
)
from echidna_mcp_plugins.compilers.artifacts.project_artifacts import (
    build_with_tool,
    is_tool_project,
    read_fresh,
    tool_project,
)
from echidna_mcp_plugins.compilers.artifacts.sources import (
    SourcesBeside,
    embedded_texts,
    source_hashes,
)
from echidna_mcp_plugins.compilers.artifacts.stored import stored_contract
from echidna_mcp_plugins.compilers.bounded_json import read_json
from echidna_mcp_plugins.compilers.cache import (
    Compilation,
    compiled,
    digest_of_files,
)
from echidna_mcp_plugins.compilers.fence import artifact_root, is_file
from echidna_mcp_plugins.compilers.solidity.choice import Part, choose_among
from echidna_mcp_plugins.compilers.solidity.metadata import compiler_of
from echidna_mcp_plugins.compilers.solidity.standard_json import (
    StandardOutput,
    numbers_of,
    program_of,
    trees_of,
)


class Artifact:
    """Reads what a compiler has written before.

    Known: solc's standard JSON output and combined JSON, also as crytic-compile exports
    it, a build-info file, `out` of foundry and `artifacts` of hardhat 2 and 3 or a file
    in it, `crytic-export`, and `Program.to_json`. Files are told apart by their keys.
    """

    name = "artifact"
    rank = 10

    def accepts(self, request: CompileRequest) -> bool:
        """Whether the target is JSON or a directory of artifacts."""
        target = request.target
        if target.is_dir():
            return is_artifact_directory(target) or bool(exported_files(target))
        return target.suffix == ".json"

    def compile(self, request: CompileRequest) -> Program:
        """Read the artifact.

        Raises:
            TargetError: it is of no known kind, damaged, or holds nothing to fuzz.
        """
        target = request.target
        if target.is_dir():
            directory, files = target, directory_files(target)
            for file in exported_files(target):
                files += [f for f in (file, *_beside(file)) if is_file(f)]
        else:
            directory = target.absolute().parent
            home = _home(target.absolute())
            files = [target, *(file for file in _beside(target) if is_file(file))]
            files += directory_files(home) if home else []
        beside = SourcesBeside(request.allow_paths)
        question = {
            "target": str(target.absolute()),
            "files": [str(file) for file in files],
            "contents": digest_of_files(files),
            "places": [str(place) for place in beside.fence(directory).places],
        }
        return compiled(question, request, partial(_compile, beside))


def _compile(beside: SourcesBeside, request: CompileRequest) -> Compilation:
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
            "output of solc, or `out` of foundry or `artifacts` of hardhat, or a file "
            "in it."
        )
    return Compilation(program, tuple(beside.lookups))


def _beside(file: Path) -> tuple[Path, ...]:
    """Return the files that may belong to one file of JSON."""
    return (file.with_suffix(".link"), file.with_name(f"{file.stem}.output.json"))


def _home(file: Path) -> Path | None:
    """Return the directory of artifacts that a file of a contract belongs to, if any.

    Hardhat's nests as the sources do; foundry's holds `X.sol/Y.json`.
    """
    directory = file.parent
    if directory.suffix != ".sol":
        return None
    root = artifact_root(directory)
    within = (d for d in directory.parents if d.is_relative_to(root))
    nested = (above for above in within if (above / "build-info").is_dir())
    return next(nested, directory.parent)


def _read(request: CompileRequest, beside: SourcesBeside) -> Program | None:
    target = request.target
    if target.is_dir():
        if is_artifact_directory(target):
            return _chosen(read_directory(target, beside), request)
        parts = read_exported(exported_files(target), beside)
        return _chosen(parts, request) if parts else None
    return _from_json(read_json(target), request, beside)


def _chosen(parts: Sequence[Part], request: CompileRequest) -> Program:
    build, main = choose_among(parts, request)
    return build.program(main)


def _from_json(
    data: Any, request: CompileRequest, beside: SourcesBeside
) -> Program | None:
    target = request.target
    if (info := build_info(data, _beside(target)[1])) is not None:
        return program_of(info.standard_output(), request)
    if is_combined(data):
        return program_of(read_combined(data, target, beside), request)
    match data:
        case {"main": str(), "contracts": [*_], "sources": [*_]}:
            return _own(data, request)
        case {"output": {"contracts": {}} as output}:
            return _standard(output, data.get("input", {}), request, beside)
        case {"contracts": {}}:
            return _standard(data, {}, request, beside)
        case _:
            return _one_contract(data, request, beside)


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
    return program_of(standard, request)


def _one_contract(
    data: Any, request: CompileRequest, beside: SourcesBeside
) -> Program | None:
    """Read a file with its directory, which knows the other sources, or alone."""
    target = request.target.absolute()
    stored = stored_contract(data, target)
    if stored is None:
        return None
    home = _home(target)
    parts = (
        read_directory(home, beside)
        if home
        else [one_compilation(target.parent, [stored], beside)]
    )
    wanted = request.contract
    if wanted is None:
        wanted = f"{stored.path}:{stored.name}"
    return _chosen(parts, replace(request, contract=wanted))


class FreshArtifacts:
    """Reads fresh artifacts of a foundry or hardhat project, with syntax trees."""

    name = "fresh-artifacts"
    rank = 15

    def accepts(self, request: CompileRequest) -> bool:
        """Whether the target is the directory of a project that has artifacts."""
        return is_tool_project(request) and is_artifact_directory(
            tool_project(request).artifacts
        )

    def compile(self, request: CompileRequest) -> Program:
        """Read the artifacts.

        Raises:
            CompilerUnavailableError: they are not fresh, or lack syntax trees.
            TargetError: the contract to fuzz can't be told.
        """
        project = tool_project(request)
        notes: list[str] = []
        lacking = CompilerUnavailableError(
            f"The artifacts in {project.artifacts} have no syntax trees."
        )
        if not may_have_syntax_trees(project.artifacts):
            raise lacking
        # What is told about a program that is not taken is of no interest.
        program = read_fresh(project, replace(request, tell=notes.append))
        if not program.main_contract.functions:
            raise lacking
        for note in notes:
            request.tell(note)
        request.tell(f"{project.artifacts} is fresh: nothing was compiled.")
        return program


class ProjectTool:
    """Takes what the tool of a foundry or hardhat project makes of it."""

    name = "project-tool"
    rank = 45

    def accepts(self, request: CompileRequest) -> bool:
        """Whether the target is the directory of such a project."""
        return is_tool_project(request)

    def compile(self, request: CompileRequest) -> Program:
        """Read its artifacts if they are fresh, or else let the tool compile.

        Raises:
            CompilerUnavailableError: the tool is not installed, or it fails.
            TargetError: the contract to fuzz can't be told.
        """
        project = tool_project(request)
        try:
            program = read_fresh(project, request)
        except CompilerUnavailableError as stale:
            try:
                program = build_with_tool(project, request)
            except CompilerUnavailableError as error:
                raise CompilerUnavailableError(
                    f"{stale.message} {error.message}"
                ) from error
            request.tell(f"{project.tool} compiled {project.root}: no solc suits it.")
        else:
            request.tell(
                f"{project.artifacts} is fresh and was read, as no solc suits; without "
                "syntax trees reports know no functions and branches."
            )
        return program


@hookimpl
def register_compilers() -> Sequence[CompilerPlugin]:
    """Offer artifacts: those that are the target, and those of a project."""
    return (Artifact(), FreshArtifacts(), ProjectTool())
