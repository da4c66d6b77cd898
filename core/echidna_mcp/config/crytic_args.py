"""Arguments of crytic-compile in Echidna's `cryticArgs`, as far as they matter here.

Source: crytic-compile, its command line. What it would compile or link differently
because of an argument we do as well, or say that we do not; the rest changes nothing
here.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeGuard

from echidna_mcp.config.readers import WrongValue, plain_address
from echidna_mcp.wording import closest

_LIBRARY = re.compile(r"\(\s*([^(),\s]+)\s*,\s*(0x[0-9a-fA-F]+)\s*\)")

_NEEDLESS = frozenset(
    {
        "--compile-autolink",  # Libraries are linked by themselves.
        "--compile-remove-metadata",  # Coverage passes over metadata.
        "--foundry-compile-all",  # Tests and scripts are always compiled.
        "--solc-disable-warnings",
        "--solc-standard-json",
        "--solc-force-legacy-json",
        "--ignore-compile",
        "--foundry-ignore-compile",
        "--hardhat-ignore-compile",
        "--skip-clean",
        "--npx-disable",
        "--print-filenames",
    }
)
_NEEDLESS_VALUED = frozenset(
    {
        "--foundry-deny",
        "--solc-solcs-select",
        "--solc-solcs-bin",
        "--export-dir",
        "--export-format",
        "--export-formats",
        "--export-zip",
        # Sources are compiled, wherever else artifacts of them are.
        "--foundry-out-directory",
        "--foundry-build-info-directory",
        "--hardhat-cache-directory",
        "--hardhat-artifacts-directory",
    }
)
_HARMLESS_VALUES = {
    "--compile-force-framework": ("solc", "foundry", "hardhat", "vyper"),
    "--solc-working-dir": (".", "./"),
}
"""What is compiled is the same with these values; others are not supported."""
_UNSUPPORTED = frozenset({*_HARMLESS_VALUES, "--compile-custom-build", "--solc"})
_VALUED = ("--compile-libraries", "--solc-remaps", "--solc-args")
KNOWN = (*_VALUED, *_NEEDLESS, *_NEEDLESS_VALUED, *sorted(_UNSUPPORTED))


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

    Those that are not honoured are passed over (`unhonoured_arguments`).

    Raises:
        WrongValue: it is none, or something is wrong with the values of some.
    """
    if not _is_list(value):
        raise WrongValue('a list of arguments, as ["--compile-libraries=(A,0x10)"]')
    libraries: list[tuple[str, int]] = []
    solc: list[str] = []
    wrong: list[str] = []
    for name, given in _arguments(value):
        if not given and name in (*_VALUED, *_NEEDLESS_VALUED):
            wrong.append(f"arguments of crytic-compile; {name} has no value")
        elif name == "--compile-libraries":
            try:
                libraries += _libraries(given)
            except WrongValue as error:
                wrong.append(str(error))
        elif name == "--solc-remaps":
            solc += given.replace(",", " ").split()
        elif name == "--solc-args":
            solc.append(given)
    if wrong:
        raise WrongValue(", and ".join(wrong))
    return CryticArgs(tuple(libraries), " ".join(solc))


def unhonoured_arguments(value: object) -> Iterator[str]:
    """Yield what is to be said of each argument that would compile something else.

    These are the ends of sentences of which the key is the subject; none for what is no
    list of arguments.
    """
    for name, given in _arguments(value) if _is_list(value) else ():
        if name in _UNSUPPORTED:
            if given.lower() not in _HARMLESS_VALUES.get(name, ()):
                yield f"holds {name}, which is not supported yet"
        elif name not in KNOWN:
            near = closest(name, KNOWN, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            yield f"holds {name[:60]!r}, which crytic-compile does not know{hint}"


def _is_list(value: object) -> TypeGuard[Sequence[str]]:
    return isinstance(value, (list, tuple)) and all(
        isinstance(each, str) for each in value
    )


def _arguments(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield name and value of each argument; an empty one if there is no value.

    What follows something that nobody knows is its value, if it is no option.
    """
    rest = deque(word.strip() for word in words)
    while rest:
        word = rest.popleft()
        name, equals, given = word.partition("=")
        if not equals and " " in name:
            name, _, given = name.partition(" ")
        takes_next = name in (*_VALUED, *_NEEDLESS_VALUED) or (
            name.startswith("-")
            and name not in _NEEDLESS
            and bool(rest)
            and not rest[0].startswith("-")
        )
        if takes_next and not given and not equals and rest:
            given = rest.popleft()
        yield name, given.strip()


def _libraries(text: str) -> list[tuple[str, int]]:
    found = [(name, plain_address(place)) for name, place in _LIBRARY.findall(text)]
    if not found or _LIBRARY.sub("", text).strip(" ,"):
        raise WrongValue("`--compile-libraries=(Name,0xADDRESS),…` with such pairs")
    return found
