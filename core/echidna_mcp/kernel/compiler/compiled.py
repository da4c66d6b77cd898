"""Kernel functions as IR calls them."""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType
from typing import Any, Protocol

from echidna_mcp.kernel.compiler.values import ir_type, is_buffer
from echidna_mcp.kernel.language.types import Type, offsets


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A function of a unit.

    Attributes:
        symbol: its name in IR, like `@k.rng.below`.
        names: of its parameters, which are `%name` in its body; the length of a buffer
            is `%name.length` (checked mode only).
        parameters: their types.
        result: type of what it returns, if it returns something.
        checked: whether buffers come with their lengths.
    """

    symbol: str
    names: tuple[str, ...]
    parameters: tuple[Type, ...]
    result: Type | None
    checked: bool

    @property
    def slots(self) -> tuple[tuple[str, str], ...]:
        """Type and name of each argument in IR: `("ptr", "%m")`, `("i256", "%a")`.

        A buffer is `("ptr", "%b")`; in checked mode `("i64", "%b.length")` follows it.
        """
        found = []
        for name, kind in zip(self.names, self.parameters, strict=True):
            found.append((ir_type(kind), f"%{name}"))
            if self.checked and is_buffer(kind):
                found.append(("i64", f"%{name}.length"))
        return tuple(found)

    @property
    def declaration(self) -> str:
        """The parameters as its definition lists them, with what LLVM may rely on."""
        attributes = {
            f"%{name}": f" noundef nonnull dereferenceable({record_size(kind.record)})"
            for name, kind in zip(self.names, self.parameters, strict=True)
            if kind.record is not None
        }
        parts = (
            f"{kind}{attributes.get(name, '')} {name}" for kind, name in self.slots
        )
        return ", ".join(parts)

    @property
    def ir_result(self) -> str:
        """The type that it returns in IR."""
        return "void" if self.result is None else ir_type(self.result)

    def arguments(self, *values: str) -> str:
        """Return an argument list, one value for each of `slots`: `ptr %m, i256 %3`.

        Raises:
            ValueError: there are more or fewer values than slots.
        """
        pairs = zip(self.slots, values, strict=True)
        return ", ".join(f"{kind} {value}" for (kind, _), value in pairs)

    def call(self, *values: str) -> str:
        """Return the call with these arguments: `call i64 @k.gas.left(ptr %m)`."""
        return f"call {self.ir_result} {self.symbol}({self.arguments(*values)})"


def record_size(record: type) -> int:
    """Return the bytes of a record."""
    fields: dict[str, Type] = vars(record)["__kernel_fields__"]
    _, size = offsets(fields.values())
    return size


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The way into a function from outside of the unit.

    In IR it is `define void @<symbol>(ptr %arguments)`. The arguments lie there as
    `types.offsets` says, and the result, if any, after them.

    Attributes:
        symbol: without the `@`, as a loader looks it up.
        size: bytes of the arguments and the result.
    """

    symbol: str
    function: FunctionType
    parameters: tuple[Type, ...]
    result: Type | None
    size: int


class Linker(Protocol):
    """What a function that is translated needs of its unit."""

    def require(self, function: Any) -> Compiled:
        """Return the function as it can be called."""

    def field(self, record: type, name: str) -> tuple[Type, int] | None:
        """Return type and byte offset of a field, if there is one."""

    def table(self, name: str, values: tuple[int, ...]) -> tuple[str, Type]:
        """Return the symbol of a constant table and the type of its elements."""

    def site(self, text: str) -> int:
        """Return the number of a place that can fail in checked mode."""
