"""Arguments of crytic-compile in Echidna's `cryticArgs`, as far as they matter here.

Source: crytic-compile, its command line. What it would compile or link differently
because of an argument we do as well, or refuse; the rest changes nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from echidna_mcp.config.readers import WrongValue, plain_address
from echidna_mcp.wording import closest, did_you_mean

_LIBRARY = re.compile(r"\(\s*([^(),\s]+)\s*,\s*(0x[0-9a-fA-F]+)\s*\)")

_NEEDLESS = frozenset(
    {
        "--compile-autolink",  # Libraries are linked by themselves.
        "--compile-remove-metadata",  # Coverage passes over metadata.
        "--foundry-compile-all",  # Tests and scripts are always compiled.
        "--solc-disable-warnings",
        "--solc-standard-json",
        "--ignore-compile",
        "--foundry-ignore-compile",
        "--hardhat-ignore-compile",
    }
)
_NEEDLESS_VALUED = frozenset(
    {"--foundry-deny", "--solc-solcs-select", "--solc-solcs-bin", "--export-dir"}
)
_UNSUPPORTED = frozenset(
    {
        "--compile-custom-build",
        "--compile-force-framework",
        "--solc-working-dir",
        "--foundry-out-directory",
        "--foundry-build-info-directory",
        "--hardhat-cache-directory",
        "--hardhat-artifacts-directory",
    }
)
_VALUED = ("--compile-libraries", "--solc-remaps", "--solc-args")
KNOWN = (*_VALUED, *_NEEDLESS, *_NEEDLESS_VALUED, *_UNSUPPORTED)


@dataclass(frozen=True, slots=True)
class CryticArgs:
    """What `cryticArgs` ask for.

    Attributes:
        libraries: (name, address) of libraries, of `--compile-libraries`.
        solc_args: arguments of solc, of `--solc-args` and `--solc-remaps`.
    """

    libraries: tuple[tuple[str, int], ...] = ()
    solc_args: str = ""


NO_CRYTIC_ARGS: Final = CryticArgs()


def read_crytic_args(value: object) -> CryticArgs:
    """Read a list of arguments, each with its value in the same text or the next.

    Raises:
        WrongValue: it is none, or one of them would change what is compiled.
    """
    if not isinstance(value, (list, tuple)) or not all(
        isinstance(each, str) for each in value
    ):
        raise WrongValue('a list of arguments, as ["--compile-libraries=(A,0x10)"]')
    libraries: list[tuple[str, int]] = []
    solc: list[str] = []
    for name, given in _arguments(value):
        match name:
            case "--compile-libraries":
                libraries += _libraries(given)
            case "--solc-remaps":
                solc += given.replace(",", " ").split()
            case "--solc-args":
                solc.append(given)
    return CryticArgs(tuple(libraries), " ".join(solc))


def _arguments(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield name and value of each argument that matters."""
    rest = iter(words)
    for word in rest:
        name, equals, given = word.strip().partition("=")
        if not equals and " " in name:
            name, _, given = name.partition(" ")
            equals = "="
        if name in _NEEDLESS:
            continue
        if name in _VALUED or name in _NEEDLESS_VALUED:
            given = given if equals else next(rest, "")
            if not given:
                raise WrongValue(f"arguments of crytic-compile; {name} has no value")
            if name in _VALUED:
                yield name, given.strip()
        elif name in _UNSUPPORTED:
            raise WrongValue(f"without {name}, which is not supported yet")
        else:
            hint = did_you_mean(closest(name, KNOWN, 1), "leave it out.")
            raise WrongValue(f"arguments that are known; {name[:60]} is none: {hint}")


def _libraries(text: str) -> list[tuple[str, int]]:
    found = [(name, plain_address(place)) for name, place in _LIBRARY.findall(text)]
    if not found or _LIBRARY.sub("", text).strip(" ,"):
        raise WrongValue("`--compile-libraries=(Name,0xADDRESS),…` with such pairs")
    return found
