"""Answers what cheatcodes ask the outside for; only the process of a campaign does.

Whoever wrote the contracts need not be trusted. They read variables, but none of ours;
files, but of the project alone and where that is allowed; and run programs only if the
user says so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.evm.outside import Reply, Request
from echidna_mcp.outside.dotenv import read_dotenv
from echidna_mcp.outside.files import Files
from echidna_mcp.outside.permissions import Permissions
from echidna_mcp.outside.programs import run_program

_OURS: Final = (b"ECHIDNA_MCP_", b"CIRCULAR_CEP_")
"""How variables begin that are none of the project's: they hold tokens and keys."""
_MOST_DOTENV: Final = 1 << 20


class Machine:
    """A `Source` that asks this machine.

    Args:
        root: directory of the project.
        config: of the campaign: what it may see.
        environment: variables; None for those of this process.
    """

    def __init__(
        self,
        root: Path,
        config: CampaignConfig,
        environment: Mapping[bytes, bytes] | None = None,
    ) -> None:
        self._root = Path(os.path.realpath(root))
        process = _of_process() if environment is None else environment
        own = {
            name: value for name, value in process.items() if not name.startswith(_OURS)
        }
        # As in Foundry the file of the project fills up what the process has not.
        every = {**read_dotenv(_dotenv(self._root), own), **own}
        self._environment = {
            name: value for name, value in every.items() if not name.startswith(_OURS)
        }
        self._files = Files(self._root, Permissions(self._root, config))
        self._may_run = config.allow_ffi

    def __call__(self, request: Request) -> Reply:
        """Find out what is asked for."""
        match request.kind:
            case "variable":
                return self._variable(request.arguments[0])
            case "root":
                return Reply(values=(os.fsencode(self._root),))
            case "program":
                return self._program(request)
            case _:
                return self._files.reply(request)

    def _variable(self, name: str) -> Reply:
        value = self._environment.get(name.encode("utf-8", "replace"))
        if value is None:
            return Reply()
        try:
            value.decode()
        except UnicodeDecodeError:
            return Reply(
                error=f'environment variable "{name}" was not valid unicode: '
                f'"{_shown(value)}"'
            )
        return Reply(values=(value,))

    def _program(self, request: Request) -> Reply:
        if not self._may_run:
            return Reply(
                refusal="runs a program of this machine, which may not be run."
            )
        set_ones = {name.encode(): value.encode() for name, value in request.variables}
        environment = {**self._environment, **set_ones}
        return run_program(request.arguments, self._root, environment)


def _of_process() -> dict[bytes, bytes]:
    variables = os.environ.items()
    return {os.fsencode(name): os.fsencode(value) for name, value in variables}


def _dotenv(root: Path) -> bytes:
    """Return the file `.env` of a project; nothing if none can be read in it."""
    place = Path(os.path.realpath(root / ".env"))
    if not place.is_relative_to(root) or not os.path.isfile(place):  # noqa: PTH113
        return b""
    try:
        with place.open("rb") as file:
            return file.read(_MOST_DOTENV)
    except OSError:
        return b""


def _shown(value: bytes) -> str:
    """Return bytes as Rust shows a text that is none."""
    return "".join(
        f"\\x{ord(each) - 0xDC00:02X}" if "\udc80" <= each <= "\udcff" else each
        for each in value.decode("utf-8", "surrogateescape")
    )
