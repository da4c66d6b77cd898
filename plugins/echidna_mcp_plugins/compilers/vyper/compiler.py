"""Vyper, through its own Python package."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from echidna_mcp.abi.function import functions_of
from echidna_mcp.errors import (
    CompilationError,
    CompilerUnavailableError,
    TargetError,
)
from echidna_mcp.plugins.hookspecs import hookimpl
from echidna_mcp.program.compiler import CompileRequest, CompilerPlugin
from echidna_mcp.program.main_contract import choose_main
from echidna_mcp.program.model import Contract, Program, SourceFile
from echidna_mcp.program.sourcemap import MapEntry, encode_map, instruction_starts
from echidna_mcp_plugins.compilers.bounded_json import parse_json
from echidna_mcp_plugins.compilers.cache import Compilation, Lookup, compiled
from echidna_mcp_plugins.compilers.fence import Fence, source_root
from echidna_mcp_plugins.compilers.files import (
    has_source_files,
    read_source,
    source_files,
)
from echidna_mcp_plugins.compilers.process import run
from echidna_mcp_plugins.compilers.solidity.version_range import parse_version
from echidna_mcp_plugins.compilers.used_spans import UsedSpans
from echidna_mcp_plugins.compilers.vyper.script import Question
from echidna_mcp_plugins.compilers.vyper.syntax_tree import (
    VyperModule,
    branches_of,
    functions_of_modules,
)

_SCRIPT = "echidna_mcp_plugins.compilers.vyper.script"
_PLACE = re.compile(r'contract "([^"]+?)(?::\d+)?".*?line (\d+:\d+)', re.DOTALL)
_UNMAPPED = MapEntry(-1, -1, -1)


class Vyper:
    """Compiles Vyper."""

    name = "vyper"
    rank = 50

    def accepts(self, request: CompileRequest) -> bool:
        """Whether the target is Vyper."""
        return has_source_files(request.target, ".vy")

    def compile(self, request: CompileRequest) -> Program:
        """Compile.

        Raises:
            CompilerUnavailableError: there is no Vyper, or one of the wrong version.
            CompilationError, TargetError: see `CompilerPlugin.compile`.
        """
        if importlib.util.find_spec("vyper") is None:
            raise CompilerUnavailableError(
                "The Python package vyper is not installed; run `pip install vyper`."
            )
        start = request.target.absolute()
        start = start if start.is_dir() else start.parent
        fence = Fence(source_root(start), request.allow_paths)
        fence.check(request.target, str(request.target))
        target = request.target.resolve()
        root = target if target.is_dir() else target.parent
        files = source_files(target, ".vy") if target.is_dir() else [target]
        for file in files:
            fence.check(file, str(file))
            read_source(file)
        question: Question = {
            "fork": request.evm_version or "",
            "root": str(root),
            "elsewhere": str(Path.cwd()),
            "files": [file.relative_to(root).as_posix() for file in files],
            "places": [str(place) for place in fence.places],
            "project": str(fence.root),
        }
        cached = {
            "compiler": _identity(),
            "packages": sys.path,
            "question": question,
        }
        return compiled(cached, request, partial(_compile, question))


def _identity() -> str:
    """Return what another Vyper would differ in, without importing it."""
    vyper = distribution("vyper")
    installed = hashlib.sha256((vyper.read_text("RECORD") or "").encode()).hexdigest()
    return f"vyper {vyper.version} {installed} on {sys.version}"


def _compile(question: Question, request: CompileRequest) -> Compilation:
    # -P: the target's directory may hold modules that are named like Vyper's.
    command = [sys.executable, "-P", "-m", _SCRIPT]
    text = run(command, text=json.dumps(question), cwd=Path(question["root"]))
    answer = parse_json(text.encode(), "What Vyper answers")
    version = str(answer["version"])
    outputs = _succeeded(answer["files"], version)
    program = _program(outputs, request, f"vyper {version}")
    lookups = [Lookup(*lookup) for lookup in answer["lookups"]]
    lookups += [Lookup.now(f"{question['root']}/{file}") for file in question["files"]]
    return Compilation(program, tuple(lookups))


def _succeeded(
    outputs: Mapping[str, Mapping[str, Any]], version: str
) -> dict[str, Mapping[str, Any]]:
    """Return the outputs without modules that only compile as part of another file."""
    for output in outputs.values():
        if "refused" in output:
            raise TargetError(output["refused"])
    good = {file: output for file, output in outputs.items() if "error" not in output}
    imported = {
        module["path"] for output in good.values() for module in output["modules"]
    }
    for file, output in outputs.items():
        if file not in good and file not in imported:
            raise _failure(file, *output["error"], version=version)
    return good


def _failure(
    file: str, kind: str, text: str, *, version: str
) -> CompilationError | CompilerUnavailableError:
    lines = text.strip().splitlines()
    message = lines[0].strip() if lines else "unknown error"
    number = parse_version(version)
    if kind == "VersionException" or (number and number < (0, 4, 0)):
        return CompilerUnavailableError(
            f"Vyper is {version}, which can't compile {file}: "
            f"{message.rstrip('.')}. Install a fitting version (0.4 or later) with pip."
        )
    place = _PLACE.search(text)
    where = f"{place[1]}:{place[2]}" if place else file
    return CompilationError(f"{where}: {kind}: {message}")


def _program(
    outputs: Mapping[str, Mapping[str, Any]], request: CompileRequest, compiler: str
) -> Program:
    texts = {
        module["path"]: module["text"]
        for output in outputs.values()
        for module in output["modules"]
    }
    files = {path: index for index, path in enumerate(sorted(texts))}
    contracts = sorted(
        (_contract(file, output, files) for file, output in outputs.items()),
        key=lambda contract: contract.qualified_name,
    )
    if not contracts:
        raise TargetError(f"There is no .vy file in the directory {request.target}.")
    main = choose_main(
        contracts, request, entries=tuple(outputs), bases=_imported(outputs)
    )
    return Program(
        contracts=tuple(c for c in contracts if c.creation_code),
        main=main,
        evm_version=outputs[main.rpartition(":")[0]]["evm_version"],
        sources=tuple(SourceFile(path, texts[path]) for path in files),
        compiler=compiler,
    )


def _imported(outputs: Mapping[str, Mapping[str, Any]]) -> dict[str, frozenset[str]]:
    """Return the modules that each contract imports: they are its bases."""
    return {
        _qualified(file): frozenset(
            _qualified(module["path"])
            for module in output["modules"]
            if module["path"] != file
        )
        for file, output in outputs.items()
    }


def _qualified(file: str) -> str:
    return f"{file}:{Path(file).stem}"


def _contract(
    file: str, output: Mapping[str, Any], files: Mapping[str, int]
) -> Contract:
    modules = {
        module["id"]: VyperModule(files[module["path"]], module["text"], module["ast"])
        for module in output["modules"]
    }
    creation = bytes.fromhex(output["bytecode"].removeprefix("0x"))
    runtime = bytes.fromhex(output["bytecode_runtime"].removeprefix("0x"))
    runtime_map = _map(runtime, output["source_map_runtime"], modules)
    # The map of the creation code goes on into the runtime code that it returns.
    constructor = creation[: creation.find(runtime)] if runtime else creation
    creation_map = _map(constructor, output["source_map"], modules)
    used = UsedSpans(runtime_map, creation_map)
    abi = tuple(output["abi"])
    ordered = list(modules.values())
    return Contract(
        name=Path(file).stem,
        source=file,
        abi=abi,
        creation_code=creation,
        runtime_code=runtime,
        appended_immutables=max(
            _ends(output["layout"].get("code_layout", {})), default=0
        ),
        creation_map=encode_map(creation_map),
        runtime_map=encode_map(runtime_map),
        functions=functions_of_modules(ordered, functions_of(abi), used),
        branches=branches_of(ordered, used),
    )


def _map(
    code: bytes, source_map: Mapping[str, Any], modules: Mapping[int, VyperModule]
) -> list[MapEntry]:
    """Return one entry for each instruction from Vyper's map by program counter."""
    positions = source_map["pc_pos_map"]
    owners = source_map["pc_ast_map"]
    entries = []
    for counter in map(str, instruction_starts(code)):
        entry = _UNMAPPED
        position = positions.get(counter)
        owner = owners.get(counter)
        module = modules.get(owner[0]) if owner else None
        # What belongs to the module as a whole is on no line in particular.
        if module and position and owner[1] != module.tree["node_id"]:
            span = module.span(*position)
            entry = MapEntry(span.start, span.length, span.file)
        entries.append(entry)
    return entries


def _ends(layout: Mapping[str, Any]) -> Iterator[int]:
    """Yield where each immutable ends; modules nest their own layout."""
    for value in layout.values():
        if "offset" in value and "length" in value:
            yield value["offset"] + value["length"]
        else:
            yield from _ends(value)


@hookimpl
def register_compilers() -> Sequence[CompilerPlugin]:
    """Offer Vyper."""
    return (Vyper(),)
