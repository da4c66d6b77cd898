"""Constructor arguments: what the user wrote, as the bytes behind the creation code.

Three forms, as JSON in `CampaignConfig.constructor_args`: a text, the arguments as in a
call (`0x1234…, 1 ether`); a list, one value after the other; an object, values by the
names of the parameters, as in Medusa. In the latter two a number may be a text. In all
of them `DeployedContract:Name` is the address of what has been deployed before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from echidna_mcp.abi.call_text import parse_call
from echidna_mcp.abi.encoding import encode_arguments
from echidna_mcp.abi.function import AbiFunction, constructor_of
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple, type_name
from echidna_mcp.abi.values import HOLE
from echidna_mcp.errors import CallSyntaxError, TargetError
from echidna_mcp.program.main_contract import contracts_named
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.wording import closest, did_you_mean

_DEPLOYED = "DeployedContract:"
_DEPLOYED_OR_STRING = re.compile(
    rf"""{_DEPLOYED}([\w$./:-]+)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
)
_NAMED = re.compile(r"([^(\s]+)\((.*)\)", re.DOTALL)


def needs_arguments(contract: Contract) -> bool:
    """Whether the constructor of a contract takes any."""
    return bool(constructor_of(contract.abi).inputs.members)


def constructor_arguments(
    contract: Contract, written: str, deployed: Mapping[str, int]
) -> bytes:
    """Return the ABI encoding of the arguments that were written for a contract.

    Args:
        written: JSON of one of the three forms.
        deployed: addresses of what has been deployed before, by name.

    Raises:
        TargetError: they do not fit the constructor; the message says where.
    """
    function = constructor_of(contract.abi)
    given = json.loads(written)
    try:
        if isinstance(given, str):
            text = _with_addresses(given, deployed)
        else:
            text = ", ".join(_texts(function, given, deployed))
        values = parse_call(f"constructor({text})", (function,)).arguments
    except (CallSyntaxError, _Unfit) as error:
        reason = error.message if isinstance(error, CallSyntaxError) else str(error)
        raise TargetError(f"constructorArgs of {contract.name}: {reason}") from None
    arguments = tuple(value for value in values if value is not HOLE)
    if len(arguments) < len(values):
        raise TargetError(
            f"constructorArgs of {contract.name}: `?` stands for what the fuzzer "
            "chooses in a call; a constructor runs once, so write a value."
        )
    return encode_arguments(function.inputs, arguments)


def named_arguments(text: str, program: Program) -> tuple[str, str]:
    """Return contract and arguments of what the command line gives, for the config.

    Args:
        text: `Name(…)`, or the arguments of the target's constructor alone.

    Raises:
        TargetError: there is no contract `Name`, but one that is called much like it.
    """
    found = _NAMED.fullmatch(text.strip())
    if found is not None:
        if contracts_named(found[1], program.contracts):
            return found[1], _quoted(found[2])
        names = dict.fromkeys(each.name for each in program.contracts)
        # What begins with a small letter may be a value, such as uint8(1).
        if found[1][0].isupper() and (close := closest(found[1], names)):
            hint = did_you_mean(close, "")
            raise TargetError(
                f"--constructor-args: there is no contract {found[1]!r}; {hint}"
            )
    return program.main, _quoted(text)


def meant_by(name: str, program: Program) -> str:
    """Return the qualified name of the contract that is called so, else the name."""
    found = contracts_named(name, program.contracts)
    return found[0].qualified_name if len(found) == 1 else name


class _Unfit(Exception):  # noqa: N818 - what is wrong, for `constructor_arguments`
    """A JSON value that is no value of a type."""


def _texts(
    function: AbiFunction, given: Any, deployed: Mapping[str, int]
) -> Iterator[str]:
    """Yield JSON arguments as they are written in a call."""
    inputs = function.inputs
    values = _ordered(given, inputs, function.signature)
    for value, kind in zip(values, inputs.members, strict=True):
        yield _text(value, kind, deployed)


def _ordered(given: Any, kind: Tuple, what: str) -> Sequence[Any]:
    """Return the members of a tuple in order, from an object or a list."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in kind.names:
                hint = did_you_mean(
                    closest(name, kind.names), f"they are {', '.join(kind.names)}."
                )
                raise _Unfit(f"{what} has no parameter {name!r}; {hint}")
        missing = [name for name in kind.names if name not in given]
        if missing:
            raise _Unfit(f"{what} lacks a value for {missing[0]!r}.")
        return [given[name] for name in kind.names]
    if isinstance(given, list):
        if len(given) != len(kind.members):
            raise _Unfit(f"{what} takes {len(kind.members)} values, not {len(given)}.")
        return given
    raise _Unfit(f"{_quoted(given)} must be a list or an object for {what}.")


def _text(value: Any, kind: AbiType, deployed: Mapping[str, int]) -> str:
    match kind:
        case Tuple(members=members):
            ordered = _ordered(value, kind, type_name(kind))
            pairs = zip(ordered, members, strict=True)
            return f"({', '.join(_text(item, each, deployed) for item, each in pairs)})"
        case Array(element=element):
            if not isinstance(value, list):
                raise _Unfit(f"{_quoted(value)} must be a list for {type_name(kind)}.")
            return f"[{', '.join(_text(item, element, deployed) for item in value)}]"
        case Elementary(name=name):
            return _elementary(value, name, deployed)
        case _:
            assert_never(kind)


def _elementary(value: Any, name: str, deployed: Mapping[str, int]) -> str:
    if name == "address" and isinstance(value, int) and value >= 0:
        return f"0x{value:040x}"
    if isinstance(value, str) and name != "string":
        if value.startswith(_DEPLOYED):
            return _deployed(value.removeprefix(_DEPLOYED), deployed)
        return value
    if isinstance(value, bool | int | float | str):
        return _quoted(value)
    raise _Unfit(f"{_quoted(value)} is no {name}.")


def _with_addresses(text: str, deployed: Mapping[str, int]) -> str:
    """Return a text with addresses in place of `DeployedContract:Name`."""

    def address(found: re.Match[str]) -> str:
        return found[0] if found[1] is None else _deployed(found[1], deployed)

    return _DEPLOYED_OR_STRING.sub(address, text)


def _deployed(name: str, deployed: Mapping[str, int]) -> str:
    if name in deployed:
        return f"0x{deployed[name]:040x}"
    hint = did_you_mean(closest(name, deployed), "the plan has it later or not at all.")
    raise _Unfit(f"{_DEPLOYED}{name} names nothing that was deployed before; {hint}")


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
