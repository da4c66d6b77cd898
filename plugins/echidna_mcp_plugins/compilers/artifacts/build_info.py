"""Build-info files: what foundry and hardhat keep of a compilation.

Their forms are told apart by their keys: hardhat 2 and foundry (`--build-info`) keep
both in one file; hardhat 3 keeps the output beside it, in `<name>.output.json`; a file
of foundry that has only `source_id_to_path` holds no compilation.

Source: Hardhat documentation, "Compilation artifacts".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echidna_mcp.errors import TargetError
from echidna_mcp_plugins.compilers.artifacts.sources import embedded_texts
from echidna_mcp_plugins.compilers.bounded_json import read_json
from echidna_mcp_plugins.compilers.solidity.metadata import compiler_of
from echidna_mcp_plugins.compilers.solidity.standard_json import (
    StandardOutput,
    numbers_of,
    trees_of,
)

_NPM = re.compile(r"npm/((?:@[^/@]+/)?[^/@]+)(?:@[^/]*)?/")
_OUTPUT = ".output.json"


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """Standard JSON input and output, with names of sources as on disk.

    `version` is that of the compiler, empty if unknown.
    """

    given: Mapping[str, Any]
    output: Mapping[str, Any]
    version: str

    @property
    def texts(self) -> dict[str, str]:
        """Sources by path, as they were compiled."""
        return embedded_texts(self.given.get("sources", {}))

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the compiler was asked for."""
        settings: Mapping[str, Any] = self.given.get("settings", {})
        return settings

    def standard_output(self) -> StandardOutput:
        """Return what a program is made of."""
        entries = [
            e for found in self.output["contracts"].values() for e in found.values()
        ]
        return StandardOutput(
            contracts=self.output["contracts"],
            trees=trees_of(self.output),
            numbers=numbers_of(self.output),
            texts=self.texts,
            compiler=f"solc {self.version}" if self.version else compiler_of(entries),
            evm_version=str(self.settings.get("evmVersion", "")),
        )


def read_build_infos(directory: Path) -> list[BuildInfo]:
    """Return the compilations below `directory`/build-info, in order of file name.

    Raises:
        TargetError: a file can't be read, or holds no JSON.
    """
    files = sorted((directory / "build-info").glob("*.json"))
    found = (_read(file) for file in files if not file.name.endswith(_OUTPUT))
    return [info for info in found if info]


def _read(file: Path) -> BuildInfo | None:
    beside = file.with_name(f"{file.stem}{_OUTPUT}")
    return build_info(read_json(file), beside)


def build_info(data: Any, beside: Path) -> BuildInfo | None:
    """Return the compilation that a file holds; None if it holds something else.

    Args:
        data: what the file holds.
        beside: where the output lies, if the file has only the input.

    Raises:
        TargetError: the file beside it can't be read.
    """
    match data:
        case {"input": {"sources": {}} as given, "output": {"contracts": {}} as output}:
            pass
        case {"input": {"sources": {}} as given, "solcVersion": str()}:
            output = _output(beside)
        case _:
            return None
    version = str(data.get("solcLongVersion") or data.get("solcVersion") or "")
    return BuildInfo(_with_paths(given), _with_paths(output), version)


def _output(file: Path) -> Mapping[str, Any]:
    data = read_json(file)
    match data:
        case {"output": {"contracts": {}}}:
            output: Mapping[str, Any] = data["output"]
            return output
    raise TargetError(f"{file} holds no output of a compiler; compile again.")


def source_path(name: str) -> str:
    """Return the path of a source in its project by the name that hardhat 3 gives it.

    `project/contracts/A.sol` is `contracts/A.sol`, `npm/pkg@1.2.3/A.sol` is
    `node_modules/pkg/A.sol`; another name is as it is.
    """
    if name.startswith("npm/"):
        return _NPM.sub(r"node_modules/\1/", name, count=1)
    return name.removeprefix("project/")


def _with_paths(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return input or output with paths for names, if these are of hardhat 3."""
    names = [*part.get("sources", {}), *part.get("contracts", {})]
    if not _is_hardhat_3(names):
        return part
    renamed = dict(part)
    for key in ("sources", "contracts"):
        if key in part:
            renamed[key] = {source_path(n): value for n, value in part[key].items()}
    for by_name in renamed.get("contracts", {}).values():
        for entry in by_name.values():
            for code in ("bytecode", "deployedBytecode"):
                _rename_links(entry.get("evm", {}).get(code, {}))
    return renamed


def _is_hardhat_3(names: Iterable[str]) -> bool:
    found = list(names)
    return bool(found) and all(n.startswith(("project/", "npm/")) for n in found)


def _rename_links(code: dict[str, Any]) -> None:
    if links := code.get("linkReferences"):
        code["linkReferences"] = {source_path(n): at for n, at in links.items()}
