"""What the build tool of a project has made of it before, or makes of it now.

For the directory of a foundry or hardhat project the order is

1. the artifacts that are there, if they are fresh and have syntax trees: nothing has to
   run,
2. a solc of ours: it compiles the same sources with the same settings, and gives the
   syntax trees that reports need; foundry leaves them out unless it is asked,
3. the artifacts that are there, if they are fresh: reports then know no functions and
   branches,
4. the tool itself, if it is installed: it runs code of the project, and may take long.

Artifacts are fresh if each source that they were compiled from is as it was then, each
source of the project has one, and the settings are those that the project states. Who
asks for a solc, arguments or rules gets what is compiled so instead.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from echidna_mcp.config.project_files import BUILD_FILES
from echidna_mcp.errors import CompilerUnavailableError, TargetError
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.artifacts.directory import (
    directory_files,
    is_artifact_directory,
    read_directory,
)
from echidna_mcp_plugins.compilers.artifacts.sources import SourcesBeside
from echidna_mcp_plugins.compilers.cache import (
    Compilation,
    Lookup,
    compiled,
    digest_of_files,
)
from echidna_mcp_plugins.compilers.fence import Fence, is_file
from echidna_mcp_plugins.compilers.files import has_source_files, read_source
from echidna_mcp_plugins.compilers.process import run
from echidna_mcp_plugins.compilers.solidity.choice import (
    Part,
    choose_among,
    others_with_tests,
)
from echidna_mcp_plugins.compilers.solidity.metadata import metadata_of
from echidna_mcp_plugins.compilers.solidity.project import entry_files
from echidna_mcp_plugins.compilers.solidity.settings import (
    project_settings,
    stated_settings,
)
from echidna_mcp_plugins.compilers.solidity.source_text import outline_of

_SETTING_FILES = ("foundry.toml", "remappings.txt")
_TOOL_FILES = ("foundry.toml", *(n for n in BUILD_FILES if n.startswith("hardhat.")))
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ERROR = re.compile(r"\w*Error(?: \(\d+\))?: .*[^:\s]$")
"""Of a compiler: what ends in a colon only says that errors follow."""
_PLACE = re.compile(r"--> (.+?:\d+:\d+):?$")
_PLACE_WITHIN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProject:
    """The directory of a project of foundry or hardhat.

    Attributes:
        foundry: whether it is foundry's.
        artifacts: where its tool puts artifacts.
        entries: its source files.
        stated: settings of foundry.toml that artifacts have to agree with.
    """

    root: Path
    foundry: bool
    artifacts: Path
    entries: tuple[Path, ...]
    stated: Mapping[str, Any]

    @property
    def tool(self) -> str:
        """The name of the tool's command."""
        return "forge" if self.foundry else "hardhat"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries, as artifacts call them."""
        return tuple(file.relative_to(self.root).as_posix() for file in self.entries)


def is_tool_project(request: CompileRequest) -> bool:
    """Whether the target is the directory of such a project, to compile as it is."""
    own_wishes = request.solc or request.solc_args or request.evm_version
    return (
        not own_wishes
        and any(is_file(request.target / name) for name in _TOOL_FILES)
        and has_source_files(request.target, ".sol")
    )


def tool_project(request: CompileRequest) -> ToolProject:
    """Return the project in the target, a directory.

    Raises:
        TargetError: a source lies outside the project.
        ConfigError: foundry.toml is damaged.
    """
    root = Path(os.path.abspath(request.target))  # noqa: PTH100 - keep symlinks
    fence = Fence(root, request.allow_paths)
    foundry = is_file(root / "foundry.toml")
    settings = project_settings(root, fence)
    stated = stated_settings(root, fence) if foundry else {}
    return ToolProject(
        root=root,
        foundry=foundry,
        artifacts=root / (stated.get("out", "out") if foundry else "artifacts"),
        entries=tuple(entry_files(root, settings, fence)),
        stated=stated,
    )


def read_fresh(project: ToolProject, request: CompileRequest) -> Program:
    """Return the program in the artifacts of a project.

    Raises:
        CompilerUnavailableError: there are none, or they are not fresh.
        TargetError: the contract to fuzz can't be told.
    """
    if not is_artifact_directory(project.artifacts):
        raise CompilerUnavailableError(
            f"There are no artifacts in {project.artifacts}."
        )
    beside = SourcesBeside(request.allow_paths, project.root)
    files = directory_files(project.artifacts)
    question = {
        "project": str(project.root),
        "artifacts": [str(file) for file in files],
        "contents": digest_of_files(files),
        "entries": project.names,
        "places": [str(place) for place in beside.fence(project.root).places],
    }
    return compiled(
        question, request, partial(_read, project, project.artifacts, beside)
    )


def build_with_tool(project: ToolProject, request: CompileRequest) -> Program:
    """Return the program that the project's own tool compiles.

    Foundry writes into a directory of its own here, hardhat where it always does.

    Raises:
        CompilerUnavailableError: the tool is not installed, or it fails.
        TargetError: the contract to fuzz can't be told.
    """
    command = _command(project)
    if command is None:
        raise CompilerUnavailableError(
            f"{project.tool} is not installed; install it to compile {project.root} as "
            "the project does."
        )
    question = {
        "tool": [command, run([command, "--version"]).strip()],
        "project": str(project.root),
        "entries": project.names,
    }
    build = _forge if project.foundry else _hardhat
    return compiled(question, request, partial(build, project, command))


def first_error(printed: str) -> str:
    """Return the first error of a compiler in what a tool prints, with its place.

    That is a line `Error (1234): …` or `ParserError: …`; empty if there is none.
    """
    lines = [_COLOUR.sub("", line).strip() for line in printed.splitlines()]
    for number, line in enumerate(lines):
        if _ERROR.match(line):
            found = map(_PLACE.match, lines[number + 1 : number + 1 + _PLACE_WITHIN])
            place = next((match[1] for match in found if match), "")
            return f"{place}: {line}" if place else line
    return ""


def _command(project: ToolProject) -> str | None:
    local = project.root / "node_modules" / ".bin" / project.tool
    if is_file(local):
        return str(local)
    return shutil.which(project.tool)


def _forge(project: ToolProject, command: str, request: CompileRequest) -> Compilation:
    # Tests must be linked as they are deployed here: not at run time.
    plain = {**os.environ, "FOUNDRY_DYNAMIC_TEST_LINKING": "false"}
    with TemporaryDirectory(prefix="echidna-mcp-") as place:
        out = Path(place) / "out"
        where = ["--out", str(out), "--cache-path", str(Path(place) / "cache")]
        run(
            [command, "build", "--build-info", "--ast", "--offline", *where],
            cwd=project.root,
            env=plain,
            explain=first_error,
        )
        beside = SourcesBeside((*request.allow_paths, Path(place)), project.root)
        return _read(replace(project, stated={}), out, beside, request)


def _hardhat(
    project: ToolProject, command: str, request: CompileRequest
) -> Compilation:
    beside = SourcesBeside(request.allow_paths, project.root)
    run([command, "compile"], cwd=project.root, explain=first_error)
    return _read(project, project.artifacts, beside, request)


def _read(
    project: ToolProject,
    artifacts: Path,
    beside: SourcesBeside,
    request: CompileRequest,
) -> Compilation:
    """Read artifacts, if they are fresh."""
    try:
        parts = [_existing(project, p) for p in read_directory(artifacts, beside)]
        reason = _stale(project, parts)
    except TargetError as error:
        reason = error.message
    except RecursionError:
        reason = "They are nested too deeply."
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        reason = f"They are damaged ({error!r})."
    if reason:
        raise CompilerUnavailableError(f"Artifacts of {project.root}: {reason}")
    build, main = choose_among(parts, request)
    settings = (project.root / name for name in _SETTING_FILES)
    lookups = [Lookup.now(str(file)) for file in (*project.entries, *settings)]
    return Compilation(
        build.program(main),
        (*beside.lookups, *lookups),
        others=others_with_tests(parts, build, request),
    )


def _existing(project: ToolProject, part: Part) -> Part:
    """Return a part without what was compiled from files that are gone."""
    there = frozenset(path for path in part.entries if is_file(project.root / path))
    return part._replace(entries=there)


def _stale(project: ToolProject, parts: Sequence[Part]) -> str:
    """Return why artifacts are not fresh, empty if they are; sources are unchanged."""
    known = {path for part in parts for path in part.entries & part.hashed}
    for file, name in zip(project.entries, project.names, strict=True):
        if name not in known and outline_of(read_source(file)).names:
            return f"{name} has none, or its hash is not in it; compile again."
    for part in parts:
        for qualified, entry in part.build.entries.items():
            if qualified.rpartition(":")[0] in part.entries:
                if key := _other_setting(entry, project.stated):
                    return f"They were compiled with another {key}; compile again."
                break
    return ""


def _other_setting(entry: Mapping[str, Any], stated: Mapping[str, Any]) -> str:
    """Return a key of foundry.toml that says other than the metadata of a contract."""
    everything = metadata_of(entry)
    used = everything.get("settings", {})
    version = str(everything.get("compiler", {}).get("version", ""))
    optimizer, metadata = used.get("optimizer", {}), used.get("metadata", {})
    found = {
        "solc": version.partition("+")[0],
        "optimizer": optimizer.get("enabled", False),
        "optimizer_runs": optimizer.get("runs"),
        # Solc keeps them only where they are not what it does anyway.
        "optimizer_details": optimizer.get("details"),
        "bytecode_hash": metadata.get("bytecodeHash", "ipfs"),
        "cbor_metadata": metadata.get("appendCBOR", True),
        "use_literal_content": metadata.get("useLiteralContent", False),
        "revert_strings": used.get("debug", {}).get("revertStrings", "default"),
        "via_ir": used.get("viaIR", False),
        "evm_version": used.get("evmVersion"),
    }
    other = (key for key, value in found.items() if stated.get(key, value) != value)
    return next(other, "")
