"""Units: kernel functions translated into one module of LLVM IR.

How raw IR and kernel functions meet
------------------------------------
* A function is an internal LLVM function with the C calling convention. An integer is
  passed by value as `iN`, a record as `ptr`, a buffer as `ptr`; in a checked unit each
  buffer is followed by its length in elements, an `i64`. It returns `iN` or `void`.
  `Compiled` knows symbol, slots and the text of a call.
* A field of a record lies at `Unit.offset(record, name)`, in whole words of 8 bytes,
  little-endian, integers up to 64 bits zero-extended to `i64`. A buffer is its address
  and, 8 bytes further on, its length; these never change while compiled code runs.
* Loads and stores of fields may bear `!tbaa !3`, those in buffers `!tbaa !4`, loads of
  a buffer's address `!invariant.load !5`; without them they are slower, not wrong.
  Metadata `!0` to `!9` belong to the unit; raw IR numbers its own from `!100` on.
* Symbols of the unit begin with `@k.`, `@t.`, `@entry.` or `@kernel`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from echidna_mcp.kernel.compiler.access import CHECKS, METADATA
from echidna_mcp.kernel.compiler.body import Body
from echidna_mcp.kernel.compiler.compiled import Compiled, Entry
from echidna_mcp.kernel.compiler.entry import entry_size, entry_text
from echidna_mcp.kernel.compiler.intrinsics import DECLARATION
from echidna_mcp.kernel.compiler.source import Source, Sources, name_of
from echidna_mcp.kernel.compiler.statements import Statements
from echidna_mcp.kernel.compiler.values import default_type
from echidna_mcp.kernel.language.types import Type, offsets

ADDED_SITE = 0
"""The site of a shared unit that stands for all places in objects that are added."""

_DEFINE = re.compile("define (dso_local )?")

RawBody = str | Callable[[Compiled], str]
"""IR of a function body, from its first label on, or what makes it when needed."""


class Unit:
    """One LLVM module under construction.

    Attributes:
        checked: whether loads, stores, shifts, divisions and results that must fit are
            checked. What goes wrong is reported to `void @kernel_trap(i64 site)`, an
            external function; the code goes on with 0, or without the store.
        sites: by site, "path:line function: what goes wrong".
        symbols: of a shared unit, the symbols of functions that are not inlined, by
            `name_of`. Objects that are linked beside it may call them.
    """

    def __init__(
        self,
        *,
        checked: bool = False,
        shared: bool = False,
        beside: Mapping[str, str] | None = None,
        sites: Sequence[str] = (),
    ) -> None:
        """Start with nothing.

        Args:
            checked: see there.
            shared: make functions that are not inlined visible outside.
            beside: `symbols` of the shared unit beside which this one will be linked.
            sites: what its site numbers mean; the numbers of this one go on there.
        """
        self.checked = checked
        self.symbols: dict[str, str] = {}
        self._shared = shared
        self._beside = beside or {}
        self.sites = list(sites)
        self._site_numbers = {site: number for number, site in enumerate(sites)}
        self._sources = Sources()
        self._compiled: dict[Any, Compiled] = {}
        self._symbols = set(self._beside.values())
        self._waiting: list[Source] = []
        self._busy = False
        self._raw: dict[Any, RawBody] = {}
        self._entries: dict[Any, Entry] = {}
        self._tables: dict[tuple[str, tuple[int, ...]], tuple[str, Type]] = {}
        self._fields: dict[type, dict[str, tuple[Type, int]]] = {}
        self._parts: list[str] = []
        if shared:
            self.site("code that was added to the library")

    # -------------------------------------------------------------------- building

    def require(self, function: Any) -> Compiled:
        """Return `function` as it can be called, with all that it calls.

        Raises:
            KernelError: one of them is not in the language.
        """
        if function in self._compiled:
            return self._compiled[function]
        source = self._sources.read(function)
        elsewhere = None if source.inline else self._beside.get(name_of(function))
        compiled = Compiled(
            symbol=elsewhere or self._symbol(function),
            names=tuple(source.parameters),
            parameters=tuple(source.parameters.values()),
            result=source.result,
            checked=self.checked,
        )
        self._compiled[function] = compiled
        if elsewhere:
            self._parts.append(_declaration(compiled, cold=source.cold))
            return compiled
        self._waiting.append(source)
        if not self._busy:
            self._translate_waiting()
        return compiled

    def implement(self, function: Any, body: RawBody) -> None:
        """Give a function a body of raw IR; its Python body is the reference.

        Call it before anything requires the function.

        Args:
            body: text from the label of the first block on, using the parameters as
                `Compiled.slots` names them; or what returns it. The latter is called
                when the function is first required and may use the unit.
        """
        assert function not in self._compiled, "implement it before it is required"
        self._raw[function] = body

    def add_ir(self, text: str) -> None:
        """Add global definitions in raw IR."""
        self._parts.append(text)

    def export(self, function: Any) -> Entry:
        """Make a function callable from outside.

        Raises:
            KernelError: it, or what it calls, is not in the language.
        """
        if function not in self._entries:
            compiled = self.require(function)
            symbol = compiled.symbol.replace("@k.", "entry.")
            entry = Entry(
                symbol=symbol,
                function=function,
                parameters=compiled.parameters,
                result=compiled.result,
                size=entry_size(compiled),
            )
            self._entries[function] = entry
            self._parts.append(entry_text(symbol, compiled))
        return self._entries[function]

    def render(self) -> str:
        """Return the whole module."""
        return self._module(self._parts)

    def render_parts(self, count: int) -> list[str]:
        """Return the same as so many modules of about equal size, to be linked.

        Each has the functions that are inlined, its share of the others, and all other
        globals, which must be internal constants.
        """
        common, heads, bodies = [], [], []
        for part in self._parts:
            head, _, body = part.partition("{")
            if part.startswith("define ") and "alwaysinline" not in head:
                heads.append(head.replace("define internal ", "define dso_local ", 1))
                bodies.append(body)
            else:
                common.append(part)
        modules = []
        for number in range(count):
            parts = list(common)
            # Neighbours are alike, so dealing them out makes shares alike.
            for index, (head, body) in enumerate(zip(heads, bodies, strict=True)):
                if index % count == number:
                    parts.append(f"{head}{{{body}")
                else:
                    parts.append(_DEFINE.sub("declare ", head))
            modules.append(self._module(parts))
        return modules

    def _module(self, parts: Sequence[str]) -> str:
        head = ["; Written by echidna_mcp.kernel.", DECLARATION]
        if self.checked:
            head.append(CHECKS)
        return "\n".join([*head, *parts, METADATA])

    # --------------------------------------------------------------------- looking

    def offset(self, record: type, name: str) -> int:
        """Return the byte offset of a field.

        Raises:
            KeyError: there is no such field.
        """
        found = self.field(record, name)
        if found is None:
            raise KeyError(f"{record.__name__}.{name}")
        return found[1]

    def field(self, record: type, name: str) -> tuple[Type, int] | None:
        """Return type and byte offset of a field; None if there is none."""
        if record not in self._fields:
            fields: dict[str, Type] = vars(record)["__kernel_fields__"]
            starts, _ = offsets(fields.values())
            pairs = zip(fields.values(), starts, strict=True)
            self._fields[record] = dict(zip(fields, pairs, strict=True))
        return self._fields[record].get(name)

    def table(self, name: str, values: tuple[int, ...]) -> tuple[str, Type]:
        """Return symbol and element type of a constant table."""
        key = (name, values)
        if key not in self._tables:
            kind = default_type(max(values))
            symbol = f"@t.{name}.{len(self._tables)}"
            item = f"i{kind.bits}"
            items = ", ".join(f"{item} {value}" for value in values)
            self._parts.append(
                f"{symbol} = internal constant [{len(values)} x {item}] [{items}], "
                "align 8"
            )
            self._tables[key] = symbol, kind
        return self._tables[key]

    def site(self, text: str) -> int:
        """Return the number of a place that can go wrong."""
        number = self._site_numbers.setdefault(text, len(self.sites))
        if number == len(self.sites):
            self.sites.append(text)
        return number

    # ----------------------------------------------------------------- translating

    def _symbol(self, function: FunctionType) -> str:
        module = function.__module__.rpartition(".")[2]
        symbol = name = f"@k.{module}.{function.__name__}"
        count = 1
        while symbol in self._symbols:
            count += 1
            symbol = f"{name}.{count}"
        self._symbols.add(symbol)
        return symbol

    def _translate_waiting(self) -> None:
        self._busy = True
        try:
            while self._waiting:
                self._translate(self._waiting.pop())
        finally:
            self._busy = False

    def _translate(self, source: Source) -> None:
        compiled = self._compiled[source.function]
        raw = self._raw.get(source.function)
        if raw is None:
            body = Body(source, self, checked=self.checked)
            Statements(body).translate()
            text = body.text()
        else:
            text = raw if isinstance(raw, str) else raw(compiled)
        marks = "nounwind"
        if source.inline:
            marks = "alwaysinline nounwind"
        elif source.cold:
            marks = "noinline cold nounwind"
        linkage = "internal"
        if self._shared and not source.inline:
            linkage = "dso_local"
            self.symbols[name_of(source.function)] = compiled.symbol
        head = f"{compiled.ir_result} {compiled.symbol}({compiled.declaration})"
        self._parts.append(f"define {linkage} {head} {marks} {{\n{text}\n}}")


def _declaration(compiled: Compiled, *, cold: bool) -> str:
    kinds = ", ".join(kind for kind, _ in compiled.slots)
    # What leads to a cold call is placed out of the way.
    marks = "cold nounwind" if cold else "nounwind"
    return f"declare {compiled.ir_result} {compiled.symbol}({kinds}) {marks}"
