"""The audit log of control commands, `{corpus-dir}/mcp-commands.jsonl` (FR-010).

One JSON object a line. It is a copy of the `CommandAccepted` and `CommandRefused`
events of the store, for people and for `echidna-mcp replay`, and is made again from the
store if they differ. What was refused is never replayed.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from io import FileIO
    from pathlib import Path

    from echidna_mcp.events.event import Event
    from echidna_mcp.events.payloads import EventType
    from echidna_mcp.events.store import EventStore

_MEMBERS: Final[Mapping[str, tuple[type[Any], bool]]] = {
    "timestamp": (str, True),
    "tool": (str, True),
    "args": (object, True),
    "result": (str, True),
    "seq": (int, False),
    "round": (int, False),
    "message": (str, False),
    "code": (str, False),
}
"""Members of a line: their type, and whether they are required."""

_NAMES: Final[Mapping[type[Any], str]] = {
    str: "a string",
    int: "an integer",
}
LOGGED: Final[tuple[EventType, ...]] = ("CommandAccepted", "CommandRefused")
"""The events that have a line each."""
_ENDINGS: Final = {ord(each): f"\\u{ord(each):04x}" for each in "\x85\u2028\u2029"}
"""What some readers take for the end of a line, though it stands within a string."""
ERROR: Final = "error"
"""The result of a call that failed."""


def command_log_path(corpus_dir: Path) -> Path:
    """Return where the command log of a corpus directory lies."""
    return corpus_dir / "mcp-commands.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """One line of a command log.

    Attributes:
        timestamp: ISO 8601.
        tool: name of the control tool.
        args: its arguments; of one that was refused, whatever was sent.
        result: `success`, `error`, or what a foreign log says.
        seq: position of the event in the store; None in a foreign log.
        round: round at which the command took effect; None in a foreign log.
        message: one line for people; empty in a foreign log.
        code: of the error, if it is one.
    """

    timestamp: str
    tool: str
    args: Any
    result: str
    seq: int | None = None
    round: int | None = None
    message: str = ""
    code: str | None = None


class CommandLog:
    """The writer of a command log. Call `catch_up` before the first `apply`."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._path = command_log_path(store.path.parent)
        self._seq = 0

    def catch_up(self) -> None:
        """Make the file hold exactly the commands of the store.

        A file that is only shorter, as a crash leaves it, is completed. One that
        disagrees is kept beside the new one, under a name that is still free.

        Raises:
            StoreError: the file can't be written.
        """
        wanted = b""
        self._seq = self._store.count
        for event in self._store.read(types=LOGGED):
            wanted += command_line(event)
            self._seq = max(self._seq, event.seq)
        try:
            found = self._path.read_bytes() if self._path.exists() else b""
            if found == wanted:
                return
            if not wanted.startswith(found[: found.rfind(b"\n") + 1]):
                self._path.rename(_free_name(self._path))
            _write_atomically(self._path, wanted)
        except OSError as error:
            raise _unwritable(self._path, error) from error

    def apply(self, event: Event) -> None:
        """Write the line of a command; ignore all other events.

        Events must come in order. One that is in the file already is ignored. Nobody
        waits for the disk: it has the command already, in the store, from which
        `catch_up` completes the file after a power failure, and makes it again if
        somebody has deleted it.

        Raises:
            StoreError: the file can't be written.
        """
        if event.type not in LOGGED or event.seq <= self._seq:
            return
        try:
            if not self._path.exists():
                self.catch_up()
                return
            with self._path.open("ab", buffering=0) as file:
                _append(file, command_line(event))
        except OSError as error:
            raise _unwritable(self._path, error) from error
        self._seq = event.seq


def _append(file: FileIO, line: bytes) -> None:
    """Write a whole line or, if the disk is full, nothing of it."""
    end = file.tell()
    try:
        while line:  # A disk that is almost full takes a part first.
            line = line[file.write(line) :]
    except OSError:
        with suppress(OSError):
            file.truncate(end)
        raise


def command_line(event: Event) -> bytes:
    """Return the line of an event in `LOGGED`, with its line feed."""
    payload = event.payload
    line = {
        "timestamp": event.at,
        "tool": payload["tool"],
        "args": payload["args"],
        "result": "success",
        "seq": event.seq,
        "round": event.round,
        "message": payload.get("message", ""),
    }
    if event.type == "CommandRefused":
        line |= {"result": ERROR, "code": payload["code"]}
    text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_ENDINGS).encode() + b"\n"


def read_command_lines(path: Path) -> tuple[CommandLine, ...]:
    r"""Read a command log, ours or a foreign one without `seq` and `round`.

    A last line without `\n` that can't be read is left out: a crash tore it.

    Raises:
        StoreError: the file can't be read, or a line is not a command; the message
            names file and line.
    """
    try:
        *whole, rest = path.read_bytes().split(b"\n")
    except OSError as error:
        raise StoreError(
            f"The command log {path} can't be read: {error.strerror}."
        ) from error
    lines = [
        _parse(path, number, text)
        for number, text in enumerate(whole, 1)
        if text.strip()
    ]
    if rest.strip():
        with suppress(StoreError):
            lines.append(_parse(path, len(whole) + 1, rest))
    return tuple(lines)


def _parse(path: Path, number: int, text: bytes) -> CommandLine:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise _broken(path, number, f"it is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise _broken(path, number, "it is not a JSON object")
    for name, (type_, required) in _MEMBERS.items():
        if name not in value:
            if required:
                raise _broken(path, number, f"it has no {name!r}")
        elif type_ is not object and (
            not isinstance(value[name], type_) or isinstance(value[name], bool)
        ):
            raise _broken(path, number, f"its {name!r} is not {_NAMES[type_]}")
    if value["result"] != ERROR and not isinstance(value["args"], dict):
        raise _broken(path, number, "its 'args' is not an object")
    return CommandLine(**{name: value[name] for name in _MEMBERS if name in value})


def _broken(path: Path, number: int, what: str) -> StoreError:
    return StoreError(
        f"Line {number} of the command log {path} can't be used: {what}.", line=number
    )


def _free_name(path: Path) -> Path:
    number = 1
    while (free := path.with_name(f"{path.name}.{number}")).exists():
        number += 1
    return free


def _write_atomically(path: Path, content: bytes) -> None:
    fresh = path.with_name(path.name + ".new")
    with fresh.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _unwritable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"The command log {path} can't be written: {error.strerror};"
        " choose another --corpus-dir."
    )
