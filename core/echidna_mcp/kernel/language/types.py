"""The types of the kernel language and how values of them lie in memory.

Arguments of a compiled function and fields of a record have the same layout: one after
the other, each in whole 8-byte words. An integer of up to 64 bits takes one word, wider
ones as many as they need (little-endian); a buffer takes two, its address and its
length in elements; a record or a callback takes one, its address.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

WORD = 8


class Shape(Enum):
    """The kinds of type."""

    INTEGER = "integer"
    BYTES = "Bytes"
    WORDS = "Words"
    RECORD = "record"
    CALLBACK = "callback"


@dataclass(frozen=True, slots=True)
class Type:
    """A type.

    Attributes:
        bits: width of an integer; else 0.
        record: class of a record; else None.
    """

    shape: Shape
    bits: int = 0
    record: type | None = None

    @property
    def size(self) -> int:
        """Bytes that a value takes among arguments or fields."""
        match self.shape:
            case Shape.INTEGER:
                return max(self.bits // 8, WORD)
            case Shape.BYTES | Shape.WORDS:
                return 2 * WORD
            case _:
                return WORD

    def __str__(self) -> str:
        if self.shape is Shape.INTEGER:
            return f"u{self.bits}"
        return self.record.__name__ if self.record else self.shape.value


INTEGERS = {
    f"u{bits}": Type(Shape.INTEGER, bits) for bits in (8, 16, 32, 64, 128, 256, 512)
}
BYTES = Type(Shape.BYTES)
WORDS = Type(Shape.WORDS)
CALLBACK = Type(Shape.CALLBACK)
"""`Callable[[u64], u64]`: a way back into Python."""


def type_of(annotation: str, namespace: dict[str, object]) -> Type | None:
    """Return the type that an annotation of kernel code names; None if it names none.

    Args:
        annotation: its source text.
        namespace: globals of the module, where record classes are looked up.
    """
    if annotation in INTEGERS:
        return INTEGERS[annotation]
    if annotation == "Bytes":
        return BYTES
    if annotation == "Words":
        return WORDS
    if annotation == "Callable[[u64], u64]":
        return CALLBACK
    found = namespace.get(annotation)
    if isinstance(found, type) and is_record(found):
        return Type(Shape.RECORD, record=found)
    return None


def is_record(cls: type) -> bool:
    """Whether a class was made by `kernel.language.record.record`."""
    return "__kernel_fields__" in vars(cls)


def offsets(types: Iterable[Type]) -> tuple[list[int], int]:
    """Return the byte offset of each value of a run, and the size of the run."""
    starts = []
    end = 0
    for each in types:
        starts.append(end)
        end += each.size
    return starts, end


def fields_of(record: type) -> dict[str, Type]:
    """Return the fields of a record class in order.

    Raises:
        TypeError: an annotation names no type of the kernel language.
    """
    namespace = vars(sys.modules[record.__module__])
    fields = {}
    for name, annotation in record.__annotations__.items():
        found = type_of(annotation, namespace)
        if found is None:
            raise TypeError(
                f"{record.__name__}.{name}: {annotation} is no type of the kernel "
                "language (docs/kernel.md)."
            )
        fields[name] = found
    return fields
