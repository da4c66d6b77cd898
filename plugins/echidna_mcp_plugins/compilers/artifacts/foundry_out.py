"""The `out` directory of foundry: one artifact for each contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from echidna_mcp.errors import TargetError
from echidna_mcp_plugins.compilers.artifacts.sources import (
    SourcesBeside,
    embedded_texts,
    source_hashes,
)
from echidna_mcp_plugins.compilers.bounded_json import read_json
from echidna_mcp_plugins.compilers.fence import is_file
from echidna_mcp_plugins.compilers.files import MOST_SOURCES, refuse_name
from echidna_mcp_plugins.compilers.solidity.metadata import compiler_of, metadata_of
from echidna_mcp_plugins.compilers.solidity.standard_json import StandardOutput

_MOST_BYTES = 512 << 20


class FoundryArtifact(NamedTuple):
    """One file of the directory, and which contract it is."""

    path: str
    name: str
    entry: Mapping[str, Any]


def is_out_directory(directory: Path) -> bool:
    """Whether `directory` has the layout `X.sol/Y.json`."""
    return any(directory.glob("*.sol/*.json"))


def is_foundry_artifact(data: Mapping[str, Any]) -> bool:
    """Whether `data` is one file of such a directory."""
    return "abi" in data and isinstance(data.get("bytecode"), Mapping)


def read_artifact(file: Path) -> FoundryArtifact | None:
    """Return the artifact in `file`, or None if it is something else.

    Raises:
        TargetError: the file can't be read.
    """
    entry = read_json(file)
    if not isinstance(entry, Mapping) or not is_foundry_artifact(entry):
        return None
    target = metadata_of(entry).get("settings", {}).get("compilationTarget", {})
    for path, name in target.items():
        return FoundryArtifact(path, name, entry)
    path = entry.get("ast", {}).get("absolutePath", _source_name(file))
    return FoundryArtifact(path, file.name.split(".")[0], entry)


def _source_name(file: Path) -> str:
    """Return what an artifact that does not tell its source is named after."""
    directory = file.absolute().parent.name
    return directory if directory.endswith(".sol") else file.name


def out_files(directory: Path) -> list[Path]:
    """Return the artifacts and build-info files of an `out` directory, in order."""
    patterns = ("*.sol/*.json", "build-info/*.json")
    return [file for each in patterns for file in sorted(directory.glob(each))]


def read_out_directory(directory: Path, beside: SourcesBeside) -> StandardOutput:
    """Return all artifacts of `directory` as one compilation.

    Source numbers on which artifacts disagree (they come from several builds) are left
    out, so that no line is reported wrongly.

    Raises:
        TargetError: a file can't be read, or a source was changed since.
    """
    files = sorted(directory.glob("*.sol/*.json"))
    fence = beside.fence(directory)
    size = 0
    for file in files:
        refuse_name(file)
        fence.check(file, str(file))
        size += file.stat().st_size if is_file(file) else 0
    if size > _MOST_BYTES or len(files) > MOST_SOURCES:
        raise TargetError(
            f"The artifacts in {directory} are more than {MOST_SOURCES} files or "
            f"{_MOST_BYTES >> 20} MiB; give one of them."
        )
    artifacts = [a for file in files if (a := read_artifact(file))]
    return one_compilation(directory, artifacts, beside)


def one_compilation(
    directory: Path, artifacts: Sequence[FoundryArtifact], beside: SourcesBeside
) -> StandardOutput:
    """Return artifacts as one compilation; sources are looked for near `directory`.

    Raises:
        TargetError: a source was changed since.
    """
    entries = [artifact.entry for artifact in artifacts]
    contracts: dict[str, dict[str, Any]] = {}
    for artifact in artifacts:
        contracts.setdefault(artifact.path, {})[artifact.name] = {
            "abi": artifact.entry["abi"],
            "metadata": metadata_of(artifact.entry),
            "evm": {
                "bytecode": artifact.entry["bytecode"],
                "deployedBytecode": artifact.entry.get("deployedBytecode", {}),
            },
        }
    numbers = dict(_agreed(_numbers(directory, artifacts)))
    hashes = source_hashes(entries)
    paths = {*hashes, *contracts, *numbers.values()}
    texts = embedded_texts(*(metadata_of(e).get("sources", {}) for e in entries))
    return StandardOutput(
        contracts=contracts,
        trees={a.path: a.entry["ast"] for a in artifacts if a.entry.get("ast")},
        numbers=numbers,
        texts=beside.texts(directory, paths, hashes) | texts,
        compiler=compiler_of(entries),
    )


def _numbers(
    directory: Path, artifacts: Sequence[FoundryArtifact]
) -> Iterator[tuple[int, str]]:
    for artifact in artifacts:
        number = artifact.entry.get("id")
        if isinstance(number, int):
            yield number, artifact.path
    for file in sorted(directory.glob("build-info/*.json")):
        try:
            known = read_json(file).get("source_id_to_path", {})
        except (TargetError, AttributeError):
            continue  # a help for imported files only
        for number, path in known.items():
            yield int(number), path


def _agreed(numbers: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    claims: dict[int, set[str]] = {}
    for number, path in numbers:
        claims.setdefault(number, set()).add(path)
    for number, paths in claims.items():
        if len(paths) == 1:
            yield number, paths.pop()
