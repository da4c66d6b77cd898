"""ABI encoding at the boundary: arguments and calls, refused in words for a user."""

from __future__ import annotations

from echidna_mcp.abi.codec import CodecError, decode, encode
from echidna_mcp.abi.function import AbiFunction
from echidna_mcp.abi.types import Tuple, type_name
from echidna_mcp.abi.values import Value
from echidna_mcp.errors import InvalidInputError


def encode_arguments(inputs: Tuple, values: tuple[Value, ...]) -> bytes:
    """Return the ABI encoding of `values` as the parameters `inputs`.

    Raises:
        InvalidInputError: a value does not fit its type.
    """
    try:
        return encode(inputs, values)
    except CodecError as error:
        raise InvalidInputError(
            f"The arguments do not fit {type_name(inputs)}: {error}"
        ) from error


def decode_arguments(inputs: Tuple, data: bytes) -> tuple[Value, ...]:
    """Return the values that `data` encodes; bytes after the encoding are ignored.

    Raises:
        InvalidInputError: `data` is no encoding of `inputs`.
    """
    try:
        return decode(inputs, data)
    except CodecError as error:
        raise InvalidInputError(
            f"The data is no encoding of {type_name(inputs)}: {error}"
        ) from error


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
