"""Calling compiled code as if it were the Python function.

For each signature a small Python function is written that lays out the arguments as
`kernel.compiler.compiled.Entry` wants them, pins the buffers while the call lasts, and
releases the GIL (`ctypes` does). Whatever does not depend on the call is done before.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NoReturn

from echidna_mcp.kernel.language.pending import PENDING
from echidna_mcp.kernel.language.record import check_buffer, pin
from echidna_mcp.kernel.language.types import Shape, Type, offsets, type_of


class KernelMemoryError(Exception):
    """Checked code broke a promise: went out of bounds, or a number did not fit.

    The message names file, line and function. A mistake of whoever writes kernel code.
    """


ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
"""The C type of an entry."""

_FORMATS = {Shape.INTEGER: "Q", Shape.BYTES: "QQ", Shape.WORDS: "QQ", Shape.RECORD: "Q"}


def signature_of(function: FunctionType) -> tuple[dict[str, Type], Type | None]:
    """Return the parameters of a kernel function and its result, None for none.

    Raises:
        TypeError: an annotation names no type of the kernel language.
    """
    found = {}
    for name, annotation in function.__annotations__.items():
        kind = type_of(annotation, function.__globals__)
        if kind is None and (name, annotation) != ("return", "None"):
            raise TypeError(f"{function.__name__}: {annotation} is no kernel type.")
        found[name] = kind
    result = found.pop("return", None)
    return {name: kind for name, kind in found.items() if kind is not None}, result


def make_call(
    function: FunctionType, address: int, *, sites: Sequence[str], owner: object
) -> Callable[..., Any]:
    """Return what calls the entry at `address` like `function`.

    Args:
        sites: what a trap number means (checked mode).
        owner: kept alive with the result.
    """
    parameters, result = signature_of(function)
    _, size = offsets(parameters.values())
    text = _text(function.__name__, parameters, result, size)
    formats = (
        f"{kind.size}s" if kind.bits > 64 else _FORMATS[kind.shape]
        for kind in parameters.values()
    )
    namespace: dict[str, Any] = {
        "addressof": ctypes.addressof,
        "complain": lambda error, given: _complain(parameters, error, given),
        "native": ENTRY(address),
        "new_block": ctypes.c_char * (size + (result.size if result else 0)),
        "owner": owner,
        "pack_into": struct.Struct("<" + "".join(formats)).pack_into,
        "pending": PENDING,
        "pin": pin,
        "raise_pending": lambda: _raise_pending(sites),
        "refused": (TypeError, AttributeError, ValueError, OverflowError, struct.error),
        "take": int.from_bytes,
        "take_word": struct.Struct("<Q").unpack_from,
    }
    for name, kind in parameters.items():
        namespace[f"type_{name}"] = kind.record
    code = compile(text, f"<call of {function.__name__}>", "exec")
    exec(code, namespace)  # noqa: S102 - only names of parameters went into the text
    made: Callable[..., Any] = namespace[function.__name__]
    made.__doc__ = function.__doc__
    made.__module__ = function.__module__
    made.__qualname__ = function.__qualname__
    return made


def _text(
    name: str, parameters: dict[str, Type], result: Type | None, size: int
) -> str:
    """Return the source of the Python function that calls a kernel function."""
    pins = [f"pin_{each}" for each, kind in parameters.items() if _is_buffer(kind)]
    unpin = " = ".join([*pins, "None"])
    checks = [
        check for each, kind in parameters.items() if (check := _check(each, kind))
    ]
    values = [_value(each, kind) for each, kind in parameters.items()]
    given = "".join(f"{each}, " for each in parameters)
    lines = [
        "try:",
        *([f"    if {' or '.join(checks)}: raise TypeError"] if checks else []),
        *(f"    {each} = pin({each.removeprefix('pin_')})" for each in pins),
        "    block = new_block()",
        f"    pack_into({', '.join(['block', '0', *values])})",
        "except refused as error:",
        # An exception that is kept must not keep the buffers from being resized.
        f"    {unpin}",
        f"    complain(error, ({given}))",
        "native(block)",
        "if pending.failed:",
        f"    {unpin}",
        "    raise_pending()",
    ]
    if result is not None and result.bits > 64:
        lines.append(f"return take(block[{size}:{size + result.size}], 'little')")
    elif result is not None:
        lines.append(f"return take_word(block, {size})[0]")
    body = "\n".join(f"    {line}" for line in lines)
    return f"def {name}({', '.join(parameters)}):\n{body}\n"


def _is_buffer(kind: Type) -> bool:
    return kind.shape in (Shape.BYTES, Shape.WORDS)


def _check(name: str, kind: Type) -> str:
    """Return a condition that is true if the argument is not what it must be."""
    match kind.shape:
        case Shape.INTEGER:
            return f"{name} >> {kind.bits}" if kind.bits < 64 else ""
        case Shape.BYTES:
            return f"type({name}) is not bytearray and {name}.itemsize != 1"
        case Shape.WORDS:
            return f"{name}.itemsize != 8"
        case _:
            return f"type({name}) is not type_{name}"


def _value(name: str, kind: Type) -> str:
    """Return what is packed for an argument."""
    if _is_buffer(kind):
        return f"addressof(pin_{name}), len({name})"
    if kind.shape is Shape.RECORD:
        return f"addressof({name})"
    return f"{name}.to_bytes({kind.size}, 'little')" if kind.bits > 64 else name


def _complain(
    parameters: dict[str, Type], error: Exception, given: Sequence[Any]
) -> NoReturn:
    """Say what is wrong with the arguments."""
    for (name, kind), value in zip(parameters.items(), given, strict=True):
        if _is_buffer(kind):
            check_buffer(value, kind.shape, name)
        elif kind.shape is Shape.RECORD:
            if type(value) is not kind.record:
                raise TypeError(f"{name} must be a {kind}, not {value!r}.")
        elif not isinstance(value, int):
            raise TypeError(f"{name} must be a number, not {value!r}.")
        elif value >> kind.bits:
            raise OverflowError(f"{name} is {kind}; {value} does not fit.")
    raise error


def _raise_pending(sites: Sequence[str]) -> NoReturn:
    error, site = PENDING.take()
    if site is not None:
        raise KernelMemoryError(sites[site])
    assert error is not None
    raise error
