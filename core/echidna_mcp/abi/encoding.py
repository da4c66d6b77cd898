"""ABI encoding at the boundary, by eth-abi.

Addresses travel as `uint160`, strings as `bytes` and functions as `bytes24`: the same
bytes on the wire, without eth-abi's text conversions, which lose what is not UTF-8.
"""

from __future__ import annotations

from typing import Any, assert_never, cast

from eth_abi.abi import decode, encode
from eth_abi.exceptions import DecodingError, EncodingError

from echidna_mcp.abi.function import AbiFunction
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple, type_name
from echidna_mcp.abi.values import Value
from echidna_mcp.errors import InvalidInputError

_WIRE = {"address": "uint160", "string": "bytes", "function": "bytes24"}


def encode_arguments(inputs: Tuple, values: tuple[Value, ...]) -> bytes:
    """Return the ABI encoding of `values` as the parameters `inputs`.

    Raises:
        InvalidInputError: a value does not fit its type.
    """
    try:
        return encode([_wire(m) for m in inputs.members], values)
    except (EncodingError, ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"The arguments do not fit {type_name(inputs)}: {error}"
        ) from error


def decode_arguments(inputs: Tuple, data: bytes) -> tuple[Value, ...]:
    """Return the values that `data` encodes; bytes after the encoding are ignored.

    Raises:
        InvalidInputError: `data` is no encoding of `inputs`.
    """
    try:
        values: Any = decode([_wire(m) for m in inputs.members], data)
    # eth-abi follows offsets of any size, and bytes of memory have none beyond 2^63.
    except (DecodingError, ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"The data is no encoding of {type_name(inputs)}: {error}"
        ) from error
    return cast("tuple[Value, ...]", values)


def encode_call(function: AbiFunction, arguments: tuple[Value, ...]) -> bytes:
    """Return the calldata of a call.

    Raises:
        InvalidInputError: an argument does not fit its type.
    """
    if function.kind == "fallback":
        (data,) = arguments
        if not isinstance(data, bytes):
            raise InvalidInputError("The argument of fallback() must be bytes.")
        return data
    return function.selector + encode_arguments(function.inputs, arguments)


def decode_call(function: AbiFunction, calldata: bytes) -> tuple[Value, ...]:
    """Return the arguments in the calldata of a call of `function`.

    Raises:
        InvalidInputError: the calldata is no call of `function`.
    """
    if function.kind == "fallback":
        return (calldata,)
    if not calldata.startswith(function.selector):
        raise InvalidInputError(
            f"The calldata starts with 0x{calldata[:4].hex()}, "
            f"which is not the selector of {function.signature}."
        )
    return decode_arguments(function.inputs, calldata[len(function.selector) :])


def _wire(abi_type: AbiType) -> str:
    match abi_type:
        case Elementary(name=name):
            return _WIRE.get(name, name)
        case Array(element=element, length=length):
            return f"{_wire(element)}[{'' if length is None else length}]"
        case Tuple(members=members):
            return f"({','.join(map(_wire, members))})"
        case _:
            assert_never(abi_type)
