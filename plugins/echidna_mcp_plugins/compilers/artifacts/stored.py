"""Artifacts of single contracts, as foundry and hardhat keep them.

They are told apart by their keys: foundry has a `bytecode` with a source map, hardhat
its text, and names of contract and source.

Source: Hardhat documentation, "Compilation artifacts".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from echidna_mcp_plugins.compilers.artifacts.build_info import source_path
from echidna_mcp_plugins.compilers.bounded_json import read_json
from echidna_mcp_plugins.compilers.solidity.metadata import metadata_of


class StoredContract(NamedTuple):
    """One artifact, and which contract it is.

    Attributes:
        path, name: of source and contract.
        entry: the artifact in the form of foundry.
    """

    path: str
    name: str
    entry: Mapping[str, Any]

    @property
    def creation(self) -> str:
        """Creation code as hex digits, with placeholders for libraries."""
        return str(self.entry["bytecode"].get("object", "")).removeprefix("0x")


def read_stored(file: Path) -> StoredContract | None:
    """Return the artifact in `file`, or None if it is something else.

    Raises:
        TargetError: the file can't be read.
    """
    return stored_contract(read_json(file), file)


def stored_contract(data: Any, file: Path) -> StoredContract | None:
    """Return the artifact that a file holds, or None if it holds something else."""
    match data:
        case {"contractName": str(name), "sourceName": str(source), "abi": [*_]}:
            path = source_path(data.get("inputSourceName") or source)
            return StoredContract(path, name, _in_the_form_of_foundry(data))
        case {"abi": [*_], "bytecode": {}}:
            return _of_foundry(data, file)
        case _:
            return None


def _in_the_form_of_foundry(data: Mapping[str, Any]) -> dict[str, Any]:
    links = (data.get("linkReferences", {}), data.get("deployedLinkReferences", {}))
    creation, runtime = (
        {source_path(path): places for path, places in each.items()} for each in links
    )
    return {
        "abi": data["abi"],
        "bytecode": {"object": str(data["bytecode"]), "linkReferences": creation},
        "deployedBytecode": {
            "object": str(data.get("deployedBytecode", "")),
            "linkReferences": runtime,
            "immutableReferences": data.get("immutableReferences", {}),
        },
    }


def _of_foundry(entry: Mapping[str, Any], file: Path) -> StoredContract:
    target = metadata_of(entry).get("settings", {}).get("compilationTarget", {})
    for path, name in target.items():
        return StoredContract(path, name, entry)
    path = entry.get("ast", {}).get("absolutePath", _source_name(file))
    return StoredContract(path, file.name.split(".")[0], entry)


def _source_name(file: Path) -> str:
    """Return what an artifact that does not tell its source is named after."""
    directory = file.absolute().parent.name
    return directory if directory.endswith(".sol") else file.name
