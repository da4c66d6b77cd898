"""Artifacts as build tools write them, made of what the real solc says.

Shapes: Hardhat documentation, "Compilation artifacts"; foundry's `out` and build-info;
crytic-compile's export for solc.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from solc import require_solc

_SCRIPT = """const solc = require(process.argv[1]);
process.stdout.write(solc.compile(require('fs').readFileSync(0, 'utf8')));"""
LONG_VERSION = "0.8.37+commit.f401782d"


def standard_input(
    sources: Mapping[str, str], settings: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return standard JSON input that asks for all that build tools keep."""
    return {
        "language": "Solidity",
        "sources": {path: {"content": text} for path, text in sources.items()},
        "settings": {
            **(settings or {}),
            "outputSelection": {
                "*": {"*": ["abi", "evm", "metadata", "storageLayout"], "": ["ast"]}
            },
        },
    }


def standard_output(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what solc answers; the caller may change it."""
    require_solc()
    return copy.deepcopy(_answer(json.dumps(given)))


@cache
def _answer(given: str) -> dict[str, Any]:
    done = subprocess.run(
        [shutil.which("node") or "", "-e", _SCRIPT, os.environ["SOLCJS"]],
        input=given.encode(),
        capture_output=True,
        check=True,
    )
    output: dict[str, Any] = json.loads(done.stdout)
    assert not [e for e in output.get("errors", []) if e["severity"] == "error"]
    return output


def save(path: Path, data: Any) -> Path:
    """Write a file of JSON, or of text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return path


def write_sources(root: Path, sources: Mapping[str, str]) -> None:
    """Write sources where they belong in a project."""
    for path, text in sources.items():
        save(root / path, text)


def foundry_artifact(
    output: Mapping[str, Any], path: str, name: str, *, ast: bool = True
) -> dict[str, Any]:
    """Return one file of foundry's `out`."""
    entry = output["contracts"][path][name]
    code = {
        kind: dict(entry["evm"][kind], object="0x" + entry["evm"][kind]["object"])
        for kind in ("bytecode", "deployedBytecode")
    }
    return {
        "abi": entry["abi"],
        **code,
        "methodIdentifiers": entry["evm"]["methodIdentifiers"],
        "rawMetadata": entry["metadata"],
        "metadata": json.loads(entry["metadata"]),
        "id": output["sources"][path]["id"],
        "storageLayout": entry.get("storageLayout"),
        **({"ast": output["sources"][path]["ast"]} if ast else {}),
    }


def write_foundry(root: Path, output: Mapping[str, Any], *, ast: bool = True) -> Path:
    """Write foundry's `out` without build-info; return it."""
    for path, name, _ in _contracts(output):
        file = root / "out" / Path(path).name / f"{name}.json"
        save(file, foundry_artifact(output, path, name, ast=ast))
    return root / "out"


def slim_build_info(output: Mapping[str, Any]) -> dict[str, Any]:
    """Return what foundry keeps of a build without `--build-info`."""
    numbers = {str(s["id"]): path for path, s in output["sources"].items()}
    return {"id": "b1", "source_id_to_path": numbers, "language": "Solidity"}


def full_build_info(
    given: Mapping[str, Any], output: Mapping[str, Any], form: str
) -> dict[str, Any]:
    """Return the one file of hardhat 2 (`hh-sol-…`) and of foundry (`ethers-rs-…`)."""
    return {
        "id": "b1",
        "_format": form,
        "solcVersion": LONG_VERSION.partition("+")[0],
        "solcLongVersion": LONG_VERSION,
        "input": given,
        "output": output,
    }


def write_hardhat_2(
    root: Path, given: Mapping[str, Any], output: Mapping[str, Any]
) -> Path:
    """Write `artifacts` of hardhat 2; return it."""
    place = root / "artifacts"
    info = place / "build-info" / "b1.json"
    save(info, full_build_info(given, output, "hh-sol-build-info-1"))
    for path, name, entry in _contracts(output):
        file = place / path / f"{name}.json"
        save(file, _hardhat_artifact("hh-sol-artifact-1", path, name, entry))
        relative = os.path.relpath(info, file.parent)
        debug = {"_format": "hh-sol-dbg-1", "buildInfo": relative}
        save(file.with_suffix(".dbg.json"), debug)
    return place


def write_hardhat_3(
    root: Path, given: Mapping[str, Any], output: Mapping[str, Any]
) -> Path:
    """Write `artifacts` of hardhat 3, of names as it gives them; return it."""
    place = root / "artifacts"
    info = {
        "_format": "hh3-sol-build-info-1",
        "id": "solc-0_8_37-b1",
        "solcVersion": LONG_VERSION.partition("+")[0],
        "solcLongVersion": LONG_VERSION,
        "userSourceNameMap": {},
        "input": given,
    }
    save(place / "build-info" / "solc-0_8_37-b1.json", info)
    beside = {"_format": "hh3-sol-build-info-output-1", "id": info["id"]}
    save(
        place / "build-info" / "solc-0_8_37-b1.output.json",
        beside | {"output": output},
    )
    for source, name, entry in _contracts(output):
        if source.startswith("project/"):
            path = source.removeprefix("project/")
            artifact = _hardhat_artifact("hh3-artifact-1", path, name, entry) | {
                "inputSourceName": source,
                "buildInfoId": info["id"],
                "immutableReferences": {},
            }
            save(place / path / f"{name}.json", artifact)
    return place


def _hardhat_artifact(
    form: str, path: str, name: str, entry: Mapping[str, Any]
) -> dict[str, Any]:
    evm = entry["evm"]
    return {
        "_format": form,
        "contractName": name,
        "sourceName": path,
        "abi": entry["abi"],
        "bytecode": "0x" + evm["bytecode"]["object"],
        "deployedBytecode": "0x" + evm["deployedBytecode"]["object"],
        "linkReferences": evm["bytecode"]["linkReferences"],
        "deployedLinkReferences": evm["deployedBytecode"]["linkReferences"],
    }


def crytic_export(
    root: Path, output: Mapping[str, Any], linked: Mapping[str, int]
) -> dict[str, Any]:
    """Return crytic-compile's export; paths are absolute, code is linked.

    Args:
        linked: addresses of libraries by name.
    """

    def code(part: Mapping[str, Any]) -> str:
        text = str(part["object"])
        for by_name in part["linkReferences"].values():
            for name, places in by_name.items():
                for place in places:
                    at = 2 * place["start"]
                    text = text[:at] + f"{linked[name]:040x}" + text[at + 40 :]
        return text

    return {
        "sources": {
            f"{root}/{path}": {"AST": source["ast"]}
            for path, source in output["sources"].items()
        },
        "sourceList": [f"{root}/{path}" for path in output["sources"]],
        "contracts": {
            f"{root}/{path}:{name}": {
                "srcmap": entry["evm"]["bytecode"]["sourceMap"],
                "srcmap-runtime": entry["evm"]["deployedBytecode"]["sourceMap"],
                "abi": json.dumps(entry["abi"]),
                "bin": code(entry["evm"]["bytecode"]),
                "bin-runtime": code(entry["evm"]["deployedBytecode"]),
                "userdoc": {},
                "devdoc": {},
                "libraries": {},
            }
            for path, name, entry in _contracts(output)
        },
    }


def _contracts(output: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for path, by_name in output["contracts"].items():
        for name, entry in by_name.items():
            yield path, name, entry
