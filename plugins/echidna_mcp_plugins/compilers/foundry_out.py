"""The `out` directory of foundry: one artifact for each contract."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from echidna_mcp.errors import TargetError
from echidna_mcp_plugins.compilers.artifact_sources import (
    compiler_of,
    embedded_texts,
    metadata_of,
    source_hashes,
    texts_beside,
)
from echidna_mcp_plugins.compilers.standard_json import StandardOutput


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
    try:
        entry = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise TargetError(f"{file} can't be read as JSON: {error}.") from error
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


def read_out_directory(directory: Path) -> StandardOutput:
    """Return all artifacts of `directory` as one compilation.

    Source numbers on which artifacts disagree (they come from several builds) are left
    out, so that no line is reported wrongly.

    Raises:
        TargetError: a file can't be read, or a source was changed since.
    """
    files = sorted(directory.glob("*.sol/*.json"))
    return one_compilation(
        directory, [a for file in files if (a := read_artifact(file))]
    )


def one_compilation(
    directory: Path, artifacts: Sequence[FoundryArtifact]
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
        texts=texts_beside(directory, paths, hashes) | texts,
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
            known = json.loads(file.read_bytes()).get("source_id_to_path", {})
        except (OSError, ValueError, AttributeError):
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
