"""Records: structs that plain Python and compiled code share.

An instance is a `ctypes` structure laid out as `kernel.language.types` says. Numbers
live in it alone, so either side sees what the other wrote. Of a buffer it holds the
address and the length while the Python object stays beside it, held so that it can't be
resized.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar, cast, dataclass_transform

from echidna_mcp.kernel.language.memory import words
from echidna_mcp.kernel.language.pending import CALLBACK, guarded
from echidna_mcp.kernel.language.types import Shape, Type, fields_of

T = TypeVar("T")
R = TypeVar("R")

_ITEM_SIZES = {Shape.BYTES: 1, Shape.WORDS: 8}


@dataclass_transform(kw_only_default=True)
def record(cls: type[T]) -> type[T]:
    """Make `cls` a record: its annotations are the fields of a C struct.

    The constructor takes fields by name; what is left out is 0, an empty buffer, or a
    callback that raises. Records can be copied and pickled if their buffers can; a copy
    has the same buffers, a deep copy has its own.

    Raises:
        TypeError: an annotation names no type of the kernel language.
    """
    types = fields_of(cls)
    members: list[tuple[str, Any]] = []
    namespace: dict[str, Any] = {
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "__annotations__": cls.__annotations__,
        "__kernel_fields__": types,
    }
    for name, kind in types.items():
        match kind.shape:
            case Shape.INTEGER if kind.bits <= 64:
                # Fields of the structure itself: nothing is faster in plain Python.
                members.append((name, ctypes.c_uint64))
            case Shape.INTEGER:
                members.append((f"_wide_{name}", ctypes.c_ubyte * kind.size))
                namespace[name] = _wide_property(name, kind.size)
            case Shape.BYTES | Shape.WORDS:
                members.append((f"_address_{name}", ctypes.c_uint64))
                members.append((f"_length_{name}", ctypes.c_uint64))
                namespace[name] = _buffer_property(name, kind.shape)
            case Shape.RECORD:
                members.append((f"_address_{name}", ctypes.c_uint64))
                namespace[name] = _record_property(name)
            case Shape.CALLBACK:
                members.append((f"_address_{name}", ctypes.c_uint64))
                namespace[name] = _callback_property(name)
    namespace["_fields_"] = members
    structure: Any = type(_Record)
    return cast("type[T]", structure(cls.__name__, (_Record,), namespace))


def blank(cls: type[R]) -> R:
    """Return a record with no field set; type checkers want all of them otherwise."""
    return cls()


_NOTHING = ctypes.c_char * 0

pin = _NOTHING.from_buffer
"""Return what keeps a writable buffer where it is while it lives; its `addressof`."""


def check_buffer(value: Any, shape: Shape, name: str) -> None:
    """Check that `value` is a buffer of this shape.

    Raises:
        TypeError: it is not; the message begins with `name`.
    """
    size = _ITEM_SIZES[shape]
    try:
        view = memoryview(value)
    except TypeError:
        view = memoryview(b"")
    if view.itemsize != size or view.readonly or not view.c_contiguous or view.ndim > 1:
        wanted = "bytearray" if size == 1 else "array('Q')"
        raise TypeError(
            f"{name}: {type(value).__name__} is no {shape.value}; give a {wanted} or a "
            f"writable memoryview with items of {size} bytes."
        )


class _Record(ctypes.Structure):
    """What all records have in common."""

    __kernel_fields__: dict[str, Type]

    def __init__(self, **values: Any) -> None:
        super().__init__()
        for name, kind in self.__kernel_fields__.items():
            if name in values:
                setattr(self, name, values.pop(name))
            elif kind.shape is not Shape.INTEGER:
                setattr(self, name, _unset(type(self).__name__, name, kind))
        if values:
            raise TypeError(f"{type(self).__name__} has no field {min(values)}.")

    def __reduce__(self) -> tuple[Any, ...]:
        values = {name: getattr(self, name) for name in self.__kernel_fields__}
        return _rebuild, (type(self), values)

    def __repr__(self) -> str:
        numbers = [
            f"{name}={getattr(self, name)}"
            for name, kind in self.__kernel_fields__.items()
            if kind.shape is Shape.INTEGER
        ]
        return f"{type(self).__name__}({', '.join(numbers)})"


def _rebuild(cls: type[R], values: dict[str, Any]) -> R:
    return cls(**values)


def _unset(record_name: str, name: str, kind: Type) -> Any:
    match kind.shape:
        case Shape.BYTES:
            return bytearray()
        case Shape.WORDS:
            return words([])
        case Shape.CALLBACK:
            return _Missing(f"{record_name}.{name} is not set.")
        case _:
            return None


class _Missing:
    """A callback that nobody gave."""

    def __init__(self, message: str) -> None:
        self._message = message

    def __call__(self, _value: int) -> int:
        raise TypeError(self._message)


def _wide_property(name: str, size: int) -> property:
    member = f"_wide_{name}"
    read = attrgetter(member)
    holder = ctypes.c_ubyte * size
    from_bytes = int.from_bytes
    copied = holder.from_buffer_copy

    def get(self: Any) -> int:
        return from_bytes(read(self), "little")

    def put(self: Any, value: int) -> None:
        setattr(self, member, copied(value.to_bytes(size, "little")))

    return property(get, put)


def _buffer_property(name: str, shape: Shape) -> property:
    kept, pinned = f"_buffer_{name}", f"_pin_{name}"
    address, length = f"_address_{name}", f"_length_{name}"

    def put(self: Any, value: Any) -> None:
        check_buffer(value, shape, f"{type(self).__name__}.{name}")
        anchor = pin(value)
        setattr(self, address, ctypes.addressof(anchor))
        setattr(self, length, len(value))
        setattr(self, kept, value)
        setattr(self, pinned, anchor)

    return property(attrgetter(kept), put)


def _record_property(name: str) -> property:
    kept, address = f"_record_{name}", f"_address_{name}"

    def put(self: Any, value: Any) -> None:
        setattr(self, address, 0 if value is None else ctypes.addressof(value))
        setattr(self, kept, value)

    return property(attrgetter(kept), put)


def _callback_property(name: str) -> property:
    kept, thunk = f"_callback_{name}", f"_thunk_{name}"
    address = f"_address_{name}"

    def put(self: Any, value: Callable[[int], int]) -> None:
        native = CALLBACK(guarded(value))
        setattr(self, address, ctypes.cast(native, ctypes.c_void_p).value)
        setattr(self, thunk, native)
        setattr(self, kept, value)

    return property(attrgetter(kept), put)
