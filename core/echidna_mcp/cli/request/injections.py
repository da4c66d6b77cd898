"""Sequences that `run --inject FILE` has executed at the beginning."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.abi.sequence_text import split_sequences
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.errors import CallSyntaxError, UsageError
from echidna_mcp.rounds.commands import MAX_INJECTED_CALLS, parse_injection
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.campaign.director import Director
    from echidna_mcp.program.target import FuzzTarget

TOOL: Final = "inject_transaction"
"""What they are as commands: recorded, so that a replay does without the file."""


def read_injections(path: Path | None) -> tuple[tuple[str, ...], ...]:
    """Return the sequences in a file; none if there is no file.

    Raises:
        UsageError: it can't be read, has none, or one is too long.
    """
    if path is None:
        return ()
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise UsageError(f"--inject {path}: {reason}.") from None
    found = tuple(map(tuple, split_sequences(text)))
    if not found:
        raise UsageError(
            f"--inject {path}: there is no call; write each on a line of its own, with "
            "an empty line between sequences."
        )
    for number, sequence in enumerate(found, start=1):
        if len(sequence) > MAX_INJECTED_CALLS:
            raise UsageError(
                f"--inject {path}: sequence {number} has {len(sequence)} calls; at "
                f"most {MAX_INJECTED_CALLS} are possible."
            )
    return found


def check_injections(
    sequences: Sequence[Sequence[str]], target: FuzzTarget
) -> list[dict[str, Any]]:
    """Return the arguments of the commands.

    Raises:
        UsageError: a call can't be read.
    """
    commands: list[dict[str, Any]] = []
    for number, sequence in enumerate(sequences, start=1):
        command = {"sequence": list(sequence), "value": "0"}
        try:
            parse_injection(0, command, target)
        except CallSyntaxError as error:
            call = error.details["sequenceIndex"]
            raise UsageError(
                f"--inject: sequence {number}, {printable(sequence[call])}: "
                f"{printable(error.message)}"
            ) from None
        commands.append(command)
    return commands


def inject(commands: Sequence[Mapping[str, Any]], director: Director) -> None:
    """Have the sequences executed at the next round, unless they were once."""
    for command in commands:
        calls = counted(len(command["sequence"]), "transaction")
        key = hashlib.sha256(json.dumps(command).encode()).hexdigest()
        director.accept(TOOL, command, f"Injected {calls} of a file", key=key)
