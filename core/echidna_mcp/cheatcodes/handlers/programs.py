"""`ffi` and `tryFfi`: programs of the machine, if the campaign may run them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from echidna_mcp.cheatcodes.asking import found_outside
from echidna_mcp.cheatcodes.errors import CheatError, UnsupportedError
from echidna_mcp.cheatcodes.handlers.formats.literals import WHITE_SPACE
from echidna_mcp.cheatcodes.handlers.formats.text import not_unicode, quoted, read
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat
from echidna_mcp.evm.outside import Request

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_DIGITS: Final = re.compile(r"(?:0x)?((?:[0-9a-fA-F]{2})*)")
_MOST_BYTES: Final = 64 << 10
"""Bytes of the arguments of a program: each is recorded."""


@cheat("ffi(string[])", returns="(bytes)")
def ffi(cheats: Cheats, _site: Site, command: Sequence[bytes]) -> tuple[bytes]:
    """Run a program; return what it prints.

    Raises:
        CheatError: it can't be run, or fails.
    """
    code, output, errors = _run(cheats, "ffi(string[])", command)
    if code:
        words = ", ".join(quoted(read(word)) for word in command)
        raise CheatError(
            f"ffi command [{words}] exited with code {code}. stderr: {read(errors)}"
        )
    return (output,)


@cheat("tryFfi(string[])", returns="((int32,bytes,bytes))")
def try_ffi(
    cheats: Cheats, _site: Site, command: Sequence[bytes]
) -> tuple[tuple[int, bytes, bytes]]:
    """Run a program; return its exit code, what it prints, and its errors."""
    return (_run(cheats, "tryFfi(string[])", command),)


def _run(
    cheats: Cheats, signature: str, command: Sequence[bytes]
) -> tuple[int, bytes, bytes]:
    """Return exit code, output and errors of a program.

    The output is a text without white space around it, or bytes if that is hexadecimal.
    """
    if not cheats.settings.allow_ffi:
        raise UnsupportedError(
            signature, "runs a program of this machine; if it may, give --allow-ffi."
        )
    if not command or not command[0]:
        raise CheatError("can't execute empty command")
    if sum(map(len, command)) > _MOST_BYTES:
        raise UnsupportedError(
            signature, f"gives a program arguments of more than {_MOST_BYTES} bytes."
        )
    request = Request(
        kind="program",
        arguments=tuple(map(read, command)),
        variables=tuple(sorted(cheats.held.environment.items())),
    )
    code, output, errors = found_outside(cheats, signature, request)
    if wrong := not_unicode(output):
        raise CheatError(wrong)
    text = output.decode().strip(WHITE_SPACE)
    digits = _DIGITS.fullmatch(text)
    return int(code), bytes.fromhex(digits[1]) if digits else text.encode(), errors
