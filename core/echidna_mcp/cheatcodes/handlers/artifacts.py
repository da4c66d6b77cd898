"""`getCode`, `getDeployedCode`: code of contracts of the project, by name or path."""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING, Final

from echidna_mcp.cheatcodes.asking import found_outside
from echidna_mcp.cheatcodes.errors import CheatError, UnsupportedError
from echidna_mcp.cheatcodes.handlers.formats.text import read
from echidna_mcp.cheatcodes.host import Creation, Site
from echidna_mcp.cheatcodes.registry import cheat
from echidna_mcp.evm.outside import Request

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
        name: `Name`, `File.sol`, `File.sol:Name`, `path/File.sol:Name`, or the path of
            an artifact that ends with `.json`.
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
        return _stored_artifact(cheats, text, signature)
    file, name = _parts(text, signature)
    found = [
        (creation, runtime)
        for place, creation, runtime in cheats.settings.artifacts
        if _fits(place, file, name)
    ]
    if not found:
        folder = file or f"{name}.sol"
        stem = name or folder.replace(".sol", "")
        raise CheatError(_forbidden(posixpath.normpath(f"out/{folder}/{stem}.json")))
    if len(found) > 1:
        raise CheatError("multiple matching artifacts found")
    return found[0]


def _stored_artifact(cheats: Cheats, path: str, signature: str) -> tuple[bytes, bytes]:
    """Return creation and runtime code of an artifact that is a file of the project."""
    try:
        found = found_outside(
            cheats, signature, Request(kind="file", arguments=(path,))
        )
        document = json.loads(found[1])
    except UnsupportedError:
        raise
    except (CheatError, ValueError, RecursionError):
        raise CheatError("no matching artifact found") from None
    creation, runtime = (
        _object(document, name) for name in ("bytecode", "deployedBytecode")
    )
    return creation, runtime


def _object(document: object, name: str) -> bytes:
    """Return the code of a member of an artifact; nothing if it has none, or links."""
    part = document.get(name) if isinstance(document, dict) else None
    # Foundry's are objects; those of other tools are texts.
    text = part.get("object") if isinstance(part, dict) else part
    try:
        return bytes.fromhex(text.removeprefix("0x")) if isinstance(text, str) else b""
    except ValueError:
        return b""


def _forbidden(path: str) -> str:
    """Return what forge says of a file that the project does not let tests read.

    It looks there for a contract that it does not know.
    """
    return f"the path {path} is not allowed to be accessed for read operations"


def _parts(text: str, signature: str) -> tuple[str | None, str | None]:
    """Return the file and the name of a contract; None is any."""
    parts = text.split(":")
    file = parts.pop(0) if "." in parts[0] else None
    versions = [each for each in parts if _VERSION.fullmatch(each)]
    if versions or len(parts) > 1:
        raise UnsupportedError(
            signature,
            "does not work with the version of a compiler yet. Name the contract: "
            '"File.sol:Name".',
        )
    return file, parts[0] if parts else None


def _fits(place: str, file: str | None, name: str | None) -> bool:
    source, _, contract = place.rpartition(":")
    if name not in (None, contract):
        return False
    if file is None:
        return True
    wanted = file.removeprefix("./").split("/")
    return source.split("/")[-len(wanted) :] == wanted


def _deploy(
    cheats: Cheats,
    name: bytes,
    arguments: bytes = b"",
    value: int = 0,
    salt: bytes | None = None,
) -> Creation:
    """Have a contract created in the name of the caller."""
    code = creation_code(cheats, name, "deployCode(string)") + arguments
    number = None if salt is None else int.from_bytes(salt, "big")
    return Creation(code=code, value=value, salt=number)


_ADDRESS: Final = "(address)"


@cheat("deployCode(string)", returns=_ADDRESS)
def deploy_code(cheats: Cheats, _site: Site, name: bytes) -> Creation:
    """Create a contract; return its address."""
    return _deploy(cheats, name)


@cheat("deployCode(string,bytes)", returns=_ADDRESS)
def deploy_with_arguments(
    cheats: Cheats, _site: Site, name: bytes, arguments: bytes
) -> Creation:
    """Do it with arguments of the constructor."""
    return _deploy(cheats, name, arguments)


@cheat("deployCode(string,bytes,uint256)", returns=_ADDRESS)
def deploy_with_arguments_and_value(
    cheats: Cheats, _site: Site, name: bytes, arguments: bytes, value: int
) -> Creation:
    """Do it with arguments and wei."""
    return _deploy(cheats, name, arguments, value)


@cheat("deployCode(string,uint256)", returns=_ADDRESS)
def deploy_with_value(cheats: Cheats, _site: Site, name: bytes, value: int) -> Creation:
    """Do it with wei."""
    return _deploy(cheats, name, value=value)


@cheat("deployCode(string,bytes32)", returns=_ADDRESS)
def deploy_salted(cheats: Cheats, _site: Site, name: bytes, salt: bytes) -> Creation:
    """Do it by CREATE2."""
    return _deploy(cheats, name, salt=salt)


@cheat("deployCode(string,bytes,bytes32)", returns=_ADDRESS)
def deploy_salted_with_arguments(
    cheats: Cheats, _site: Site, name: bytes, arguments: bytes, salt: bytes
) -> Creation:
    """Do it by CREATE2, with arguments."""
    return _deploy(cheats, name, arguments, salt=salt)


@cheat("deployCode(string,uint256,bytes32)", returns=_ADDRESS)
def deploy_salted_with_value(
    cheats: Cheats, _site: Site, name: bytes, value: int, salt: bytes
) -> Creation:
    """Do it by CREATE2, with wei."""
    return _deploy(cheats, name, value=value, salt=salt)


@cheat("deployCode(string,bytes,uint256,bytes32)", returns=_ADDRESS)
def deploy_with_everything(
    cheats: Cheats,
    _site: Site,
    name: bytes,
    arguments: bytes,
    value: int,
    salt: bytes,
) -> Creation:
    """Do it by CREATE2, with arguments and wei."""
    return _deploy(cheats, name, arguments, value, salt)
