"""Binaries of solc: given with `--solc`, found on PATH or installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from echidna_mcp.errors import CompilerUnavailableError
from echidna_mcp_plugins.compilers.cache import digest_of_files
from echidna_mcp_plugins.compilers.process import run
from echidna_mcp_plugins.compilers.solidity.solcs import Answer, Solc
from echidna_mcp_plugins.compilers.solidity.version_range import (
    Version,
    parse_version,
    short_version,
)

_INSTALLED = (
    ".solc-select/artifacts/solc-*/solc-*",
    ".solcx/solc-v*",
    ".svm/*/solc-*",
    ".local/share/svm/*/solc-*",
    ".cache/hardhat-nodejs/compilers-v*/*/solc-*",
)
_NO_BINARY = (".js", ".json", ".exe", ".lock", ".part")


def binary_solc(
    binary: Path, version: Version | None = None, *, given: bool = False
) -> Solc:
    """Return a solc binary.

    Args:
        version: if it is known; then the binary is not run before it is needed.
        given: whether the user named it.

    Raises:
        CompilerUnavailableError: it can't be run, or it is no solc.
    """
    told = cache(partial(binary_version, binary))
    command = [str(binary.absolute()), "--standard-json"]

    def answer(text: str) -> Answer:
        # The sources are in the text. Whatever else an import names, solc looks for
        # below its working directory, so that holds nothing.
        with TemporaryDirectory(prefix="echidna-mcp-") as empty:
            confined = [*command, "--allow-paths", empty]
            return Answer(told()[1], run(confined, text=text, cwd=Path(empty)))

    return Solc(
        version=version or told()[0],
        # solc-select puts a script in the place of solc: then the version tells.
        identify=lambda: f"solc {told()[1]} {digest_of_files([binary])}",
        run=answer,
        given=given,
    )


def binary_version(binary: Path) -> tuple[Version, str]:
    """Return the version of a solc binary, short and as it prints it.

    Raises:
        CompilerUnavailableError: it can't be run, or it is no solc.
    """
    for line in run([str(binary), "--version"]).splitlines():
        label, _, text = line.partition(": ")
        version = parse_version(text)
        if label == "Version" and version:
            return version, short_version(text)
    raise CompilerUnavailableError(f"{binary} does not print the version of a solc.")


def solc_on_path() -> Solc:
    """Return the solc on PATH.

    Raises:
        CompilerUnavailableError: there is none, or it can't be run.
    """
    found = shutil.which("solc")
    if found is None:
        raise CompilerUnavailableError(
            "There is no solc on PATH; install one or give --solc PATH."
        )
    return binary_solc(Path(found))


def installed_solcs(home: Path) -> list[Solc]:
    """Return what other tools have installed below `home`, the newest first."""
    found = sorted(installed_versions(home), reverse=True)
    return [binary_solc(binary, version) for version, binary in found]


def installed_versions(home: Path) -> Iterator[tuple[Version, Path]]:
    """Yield version and binary of each solc that other tools have put below `home`.

    These are solc-select, py-solc-x, foundry (svm) and hardhat.
    """
    for pattern in _INSTALLED:
        for path in sorted(home.glob(pattern)):
            version = parse_version(path.name)
            # py-solc-x keeps a directory for versions that it built itself.
            binary = path / "bin" / "solc" if path.is_dir() else path
            if version and binary.suffix not in _NO_BINARY and binary.is_file():
                yield version, binary
