"""Values of the kernel language while they are translated."""

from __future__ import annotations

from dataclasses import dataclass

from echidna_mcp.kernel.language.types import INTEGERS, Shape, Type

U64 = INTEGERS["u64"]
U256 = INTEGERS["u256"]
U512 = INTEGERS["u512"]


@dataclass(slots=True)
class Value:
    """A value.

    Attributes:
        type: None for a literal, which takes the type of what it meets.
        text: how IR names it; unused for a literal.
        constant: its number, if that is known.
        length: of a buffer, its number of elements as IR names it. Known in checked
            mode and of local buffers; else "".
    """

    type: Type | None
    text: str
    constant: int | None = None
    length: str = ""

    def __str__(self) -> str:
        """Name the type, for messages."""
        return "a number" if self.type is None else str(self.type)

    @property
    def is_number(self) -> bool:
        """Whether it is an integer or a literal."""
        return self.type is None or self.type.bits != 0


def literal(number: int) -> Value:
    """Return a number that has no type yet."""
    return Value(None, "", number)


def typed(number: int, kind: Type) -> Value:
    """Return a constant that is known to fit `kind`."""
    return Value(kind, str(number), number)


def default_type(number: int) -> Type:
    """Return the type of a literal that meets nothing."""
    if number < 1 << 64:
        return U64
    return U256 if number < 1 << 256 else U512


def ir_type(kind: Type) -> str:
    """Return the LLVM type that stands for `kind`."""
    return f"i{kind.bits}" if kind.bits else "ptr"


def is_buffer(kind: Type | None) -> bool:
    """Whether `kind` is `Bytes` or `Words`."""
    return kind is not None and kind.shape in (Shape.BYTES, Shape.WORDS)
