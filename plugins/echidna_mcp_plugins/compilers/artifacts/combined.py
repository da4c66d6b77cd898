"""Combined JSON of solc, also as crytic-compile exports it.

crytic-compile (`crytic-export/<unit>.json`) writes absolute paths, and with
`--compile-autolink` code that is linked already: `<unit>.link` says with which
addresses. That is undone, and libraries are deployed at these addresses, in its order.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from echidna_mcp.config.readers import WrongValue, plain_address
from echidna_mcp.errors import TargetError
from echidna_mcp_plugins.compilers.artifacts.sources import SourcesBeside
from echidna_mcp_plugins.compilers.bounded_json import parse_json, read_json
from echidna_mcp_plugins.compilers.fence import is_file
from echidna_mcp_plugins.compilers.solidity.standard_json import StandardOutput

_PUSH20 = "73"
_ADDRESS_DIGITS = 40


def is_combined(data: Any) -> bool:
    """Whether this is combined JSON: every contract has its code in `bin`."""
    match data:
        case {"contracts": {**contracts}}:
            return bool(contracts) and all(
                isinstance(entry, Mapping) and "bin" in entry
                for entry in contracts.values()
            )
        case _:
            return False


def read_combined(
    data: Mapping[str, Any], file: Path, beside: SourcesBeside
) -> StandardOutput:
    """Return combined JSON as what solc answers otherwise.

    Args:
        file: that holds `data`.

    Raises:
        TargetError: a source lies outside the project, or the file beside it that says
            how the code is linked is damaged.
    """
    root = f"{beside.fence(file.parent).root}/"
    libraries = _libraries(file.with_suffix(".link"), data)
    contracts: dict[str, dict[str, Any]] = {}
    for qualified, entry in data["contracts"].items():
        path, _, name = qualified.removeprefix(root).rpartition(":")
        contracts.setdefault(path, {})[name] = {
            "abi": _abi(entry.get("abi", []), name),
            "metadata": entry.get("metadata", ""),
            "evm": {
                "bytecode": _code(entry, "bin", "srcmap", libraries, root),
                "deployedBytecode": _code(
                    entry, "bin-runtime", "srcmap-runtime", libraries, root
                ),
            },
        }
    paths = [p.removeprefix(root) for p in data.get("sourceList", ())] or [*contracts]
    return StandardOutput(
        contracts=contracts,
        trees={
            path.removeprefix(root): source["AST"]
            for path, source in data.get("sources", {}).items()
            if "nodeType" in source.get("AST", {})
        },
        numbers=dict(enumerate(paths)),
        texts=beside.texts(file.parent, paths, {}),
        compiler=f"solc {data.get('version', '')}".strip(),
        library_addresses=tuple(
            (qualified.removeprefix(root), int(address, 16))
            for address, qualified in libraries.items()
        ),
    )


def _abi(abi: Any, name: str) -> Any:
    # solc wrote text until 0.7, and crytic-compile still does.
    return (
        parse_json(abi.encode(), f"The ABI of {name}") if isinstance(abi, str) else abi
    )


def _libraries(file: Path, data: Mapping[str, Any]) -> dict[str, str]:
    """Return qualified names of libraries by their addresses, 40 digits.

    They are in the order in which they are deployed.
    """
    if not is_file(file):
        return {}
    linked = read_json(file)
    try:
        stated = {n: plain_address(a) for n, a in linked["library_addresses"].items()}
        first = [n for n in linked.get("deployment_order", ()) if n in stated]
        addresses = {name: stated[name] for name in (*first, *stated)}
    except (KeyError, TypeError, ValueError, AttributeError, WrongValue) as error:
        raise TargetError(
            f"{file} does not say at which addresses libraries are; compile again."
        ) from error
    qualified = {name.rpartition(":")[2]: name for name in sorted(data["contracts"])}
    return {
        f"{address:0{_ADDRESS_DIGITS}x}": qualified.get(name, name)
        for name, address in addresses.items()
    }


def _code(
    entry: Mapping[str, Any],
    code: str,
    source_map: str,
    libraries: Mapping[str, str],
    root: str,
) -> dict[str, Any]:
    """Return a code with its source map, and where libraries were linked in it."""
    text = str(entry.get(code, "")).removeprefix("0x")
    links: dict[str, dict[str, list[dict[str, int]]]] = {}
    for address, qualified in libraries.items():
        path, _, name = qualified.removeprefix(root).rpartition(":")
        for start in _pushed(text, address):
            places = links.setdefault(path, {}).setdefault(name, [])
            places.append({"start": start // 2, "length": _ADDRESS_DIGITS // 2})
            hole = "__$" + "0" * (_ADDRESS_DIGITS - 6) + "$__"
            text = text[:start] + hole + text[start + _ADDRESS_DIGITS :]
    return {
        "object": text,
        "sourceMap": entry.get(source_map, ""),
        "linkReferences": links,
    }


def _pushed(text: str, address: str) -> list[int]:
    """Return the digits at which an address begins that the code pushes."""
    found = []
    at = text.find(_PUSH20 + address)
    while at >= 0:
        if at % 2 == 0:
            found.append(at + len(_PUSH20))
        at = text.find(_PUSH20 + address, at + 1)
    return found
