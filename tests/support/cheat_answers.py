"""What forge answers to cheatcodes, in a file to read, and what ours answer.

A line of the file is a case: group, signature, arguments, results; `null` in place of
the results if forge refuses. Cases of a group share what cheatcodes remember. Bytes are
hex with `0x`; a string that is not UTF-8 is an array with its bytes in hex.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from echidna_mcp.abi.codec import decode, encode
from echidna_mcp.abi.function import selector_of
from echidna_mcp.abi.type_program import KIND_BYTES, KIND_BYTES_FIXED, KIND_STRING
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple
from echidna_mcp.cheatcodes.cheats import Cheats
from echidna_mcp.cheatcodes.handlers import make_cheats
from echidna_mcp.cheatcodes.host import Answer, Site
from echidna_mcp.cheatcodes.registry import working
from echidna_mcp.evm.cheat_settings import CheatSettings
from echidna_mcp.evm.outside import Answers, Outside, Reply, Request

ANSWERS = Path(__file__).parents[1] / "cheatcodes" / "answers.jsonl"
STRUCTS = (
    ("Pair", ("beta", "alpha")),
    ("Trio", ("c", "a", "b")),
)
"""Structs that the project of forge has."""


class Case(NamedTuple):
    """A call of a cheatcode, and forge's results; None if it refuses."""

    group: str
    signature: str
    arguments: list[Any]
    results: list[Any] | None


class Nothing:
    """A host that none of these cheatcodes asks for anything."""

    pranks = None


def cases() -> list[Case]:
    lines = ANSWERS.read_text("ascii").splitlines()
    return [Case(*json.loads(line)) for line in lines]


def grouped(found: Iterable[Case]) -> dict[str, list[Case]]:
    groups: dict[str, list[Case]] = {}
    for case in found:
        groups.setdefault(case.group, []).append(case)
    return groups


def new_cheats(
    host: Any = None, outside: Outside | None = None, **settings: Any
) -> Cheats:
    """Return cheatcodes; by default there is nothing outside, and no variable."""
    return make_cheats(
        host or Nothing(),
        CheatSettings(**settings),
        outside or Outside(source=lambda _request: Reply()),
    )


def variables(**values: str) -> Outside:
    """Return an outside that knows some variables, and nothing else."""
    return Outside(
        Answers(
            (
                Request(kind="variable", arguments=(name,)),
                Reply(values=(value.encode(),)),
            )
            for name, value in values.items()
        )
    )


def ask(cheats: Cheats, signature: str, *arguments: Any) -> list[Any] | None:
    """Call a cheatcode with plain arguments; return plain results, None if refused."""
    answer = cheats.answer(Site(1, 0x1234), calldata(signature, arguments))
    assert isinstance(answer, Answer)
    return results(signature, answer.output) if answer.ok else None


def refusal(cheats: Cheats, signature: str, *arguments: Any) -> str:
    """Call a cheatcode that refuses; return why."""
    answer = cheats.answer(Site(1, 0x1234), calldata(signature, arguments))
    assert isinstance(answer, Answer)
    assert not answer.ok, f"{signature} gave {results(signature, answer.output)}"
    (text,) = decode(Tuple((STRING,), ("",)), answer.output[4:])
    assert isinstance(text, bytes)
    return text.decode()


def calldata(signature: str, arguments: Sequence[Any]) -> bytes:
    selector = selector_of(signature)
    inputs = working()[selector].inputs
    values = [valued(*pair) for pair in zip(arguments, inputs.members, strict=True)]
    return selector + encode(inputs, values)


def results(signature: str, output: bytes) -> list[Any]:
    outputs = working()[selector_of(signature)].outputs
    if not outputs.members:
        return []
    values = decode(outputs, output)
    return [plain(*pair) for pair in zip(values, outputs.members, strict=True)]


def plain(value: Any, abi_type: AbiType) -> Any:
    match abi_type:
        case Array() | Tuple():
            return [plain(*pair) for pair in parts(value, abi_type)]
        case Elementary(kind=kind) if kind == KIND_STRING:
            try:
                return bytes(value).decode()
            except UnicodeDecodeError:
                return [bytes(value).hex()]
        case Elementary(kind=kind) if kind in (KIND_BYTES, KIND_BYTES_FIXED):
            return f"0x{bytes(value).hex()}"
        case _:
            return value


def valued(value: Any, abi_type: AbiType) -> Any:
    match abi_type:
        case Array() | Tuple():
            return tuple(valued(*pair) for pair in parts(value, abi_type))
        case Elementary(kind=kind) if kind == KIND_STRING:
            return (
                bytes.fromhex(value[0]) if isinstance(value, list) else value.encode()
            )
        case Elementary(kind=kind) if kind in (KIND_BYTES, KIND_BYTES_FIXED):
            return bytes.fromhex(value.removeprefix("0x"))
        case _:
            return value


def parts(
    value: Sequence[Any], abi_type: Array | Tuple
) -> Iterator[tuple[Any, AbiType]]:
    if isinstance(abi_type, Tuple):
        return zip(value, abi_type.members, strict=True)
    return ((each, abi_type.element) for each in value)


STRING = working()[selector_of("trim(string)")].inputs.members[0]
