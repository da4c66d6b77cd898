"""`getCode`, `getDeployedCode`: code of contracts of the project, by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from echidna_mcp.cheatcodes.errors import CheatError, UnsupportedError
from echidna_mcp.cheatcodes.handlers.formats.text import quoted, read
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_VERSION: Final = re.compile(r"\d+\.\d+\.\d+", re.ASCII)
_NO_CODE: Final = "no bytecode for contract; is it abstract or unlinked?"


@cheat("getCode(string)", returns="(bytes)")
def get_code(cheats: Cheats, _site: Site, name: bytes) -> tuple[bytes]:
    """Return the creation code of a contract."""
    return (creation_code(cheats, name),)


@cheat("getDeployedCode(string)", returns="(bytes)")
def get_deployed_code(cheats: Cheats, _site: Site, name: bytes) -> tuple[bytes]:
    """Return the runtime code of a contract, its immutables zero."""
    _, code = _artifact(cheats, read(name), "getDeployedCode(string)")
    if not code:
        raise CheatError(_NO_CODE)
    return (code,)


def creation_code(
    cheats: Cheats, name: bytes, signature: str = "getCode(string)"
) -> bytes:
    """Return the creation code of a contract.

    Args:
        name: `Name`, `File.sol`, `File.sol:Name` or `path/File.sol:Name`.
        signature: of the cheatcode that asks.

    Raises:
        CheatError: no contract has the name, several have it, or it is abstract.
    """
    code, _ = _artifact(cheats, read(name), signature)
    if not code:
        raise CheatError(_NO_CODE)
    return code


def _artifact(cheats: Cheats, text: str, signature: str) -> tuple[bytes, bytes]:
    """Return creation and runtime code of the one contract that a name fits."""
    if text.endswith(".json"):
        raise UnsupportedError(
            signature,
            "does not work with the path of an artifact yet. Name the contract: "
            '"File.sol:Name".',
        )
    file, name = _parts(text, signature)
    found = [
        (creation, runtime)
        for place, creation, runtime in cheats.settings.artifacts
        if _fits(place, file, name)
    ]
    if not found:
        raise CheatError(f"no matching artifact found for {quoted(text)}")
    if len(found) > 1:
        raise CheatError(f"multiple matching artifacts found for {quoted(text)}")
    return found[0]


def _parts(text: str, signature: str) -> tuple[str, str]:
    """Return the file and the name of a contract; an empty text is any."""
    parts = text.split(":")
    if len(parts) > 1 and (_VERSION.fullmatch(parts[-1]) or len(parts) > 2):
        raise UnsupportedError(
            signature,
            "does not work with the version of a compiler yet. Name the contract: "
            '"File.sol:Name".',
        )
    if "." not in parts[0]:
        return "", parts[0]
    return parts[0], parts[1] if len(parts) > 1 else ""


def _fits(place: str, file: str, name: str) -> bool:
    source, _, contract = place.rpartition(":")
    if name and contract != name:
        return False
    wanted = file.removeprefix("./").split("/")
    return not file or source.split("/")[-len(wanted) :] == wanted
