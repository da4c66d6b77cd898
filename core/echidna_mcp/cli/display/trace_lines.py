"""Traces as people read them: a tree for each call, and where it failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, assert_never

import click

from echidna_mcp.abi.render import render_address
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.display.sequence import EMPTY
from echidna_mcp.traces.model import (
    CallTrace,
    DestructionTrace,
    LogTrace,
    StorageChange,
)
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.traces.model import Inner, MessageTrace, Named, SourceLine, Trace

_LEFT_OUT: Final = "left out: the sequence has not created the contract"
_KINDS: Final = {"delegatecall": "delegatecall", "callcode": "callcode"}


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours, or none."""

    colours: bool

    def good(self, text: str) -> str:
        """Return what succeeded."""
        return self._in("green", text)

    def bad(self, text: str) -> str:
        """Return what failed."""
        return self._in("red", text)

    def told(self, text: str) -> str:
        """Return logs, and what is printed."""
        return self._in("cyan", text)

    def changed(self, text: str) -> str:
        """Return a change of storage."""
        return self._in("yellow", text)

    def aside(self, text: str) -> str:
        """Return what matters less."""
        return click.style(text, dim=True) if self.colours else text

    def _in(self, colour: str, text: str) -> str:
        return click.style(text, fg=colour) if self.colours else text


def trace_text(trace: Trace, *, colours: bool, deployment: bool = False) -> str:
    """Return a trace as text; ends with a line feed.

    Args:
        trace: it.
        colours: whether it is for a terminal that has some.
        deployment: whether what came before the sequence is told as well.
    """
    lines = _Lines(Palette(colours)).of(trace, deployment=deployment)
    return "".join(f"{line}\n" for line in lines)


class _Lines:
    """Lays out traces."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette

    def of(self, trace: Trace, *, deployment: bool) -> Iterator[str]:
        palette = self._palette
        reason = palette.bad(printable(trace.reason)) if trace.reason else ""
        yield f"Trace of {printable(trace.subject)}{reason and f': {reason}'}"
        if trace.confirmation:
            yield f"  {palette.aside(printable(trace.confirmation))}"
        if deployment:
            for message in trace.deployment:
                yield from self._message(message, "deployment")
        if not trace.messages:
            yield f"  {EMPTY}"
        several = len({each.sender for each in trace.messages if each}) > 1
        for number, each in enumerate(trace.messages, start=1):
            if each is None:
                yield f"  call {number}: {_LEFT_OUT}"
            else:
                yield from self._message(each, f"call {number}", sender=several)
        if trace.question is not None:
            yield from self._message(trace.question, "judged by")
        yield ""

    def _message(
        self, message: MessageTrace, title: str, *, sender: bool = False
    ) -> Iterator[str]:
        parts = [title]
        if sender:
            parts.append(f"from {render_address(message.sender)}")
        if message.time_delay:
            parts.append(f"after {counted(message.time_delay, 'second')}")
        if message.block_delay:
            parts.append(f"after {counted(message.block_delay, 'block')}")
        yield f"  {self._palette.aside(', '.join(parts))}"
        if message.call is None:
            reason = f"ended with {message.status.name} before it ran"
            yield f"    {self._palette.bad(reason)}"
        else:
            for line in self._call(message.call):
                yield f"    {line}"
        for number, place in enumerate(message.failure):
            yield f"    at {printable(place.path)}:{place.line}"
            if not number:
                yield from self._source(place)

    def _call(self, call: CallTrace) -> Iterator[str]:
        """Yield a call, and what it did below it."""
        head = self._head(call)
        ending = self._ending(call)
        if not call.inner and not call.hidden:
            yield head + (ending and f" {ending}")
            return
        yield head
        children = [[*self._inner(each)] for each in call.inner]
        if call.hidden:
            children.append([f"… {counted(call.hidden, 'call')}, too deep to be shown"])
        if ending:
            children.append([ending])
        yield from _below(children)

    def _inner(self, inner: Inner) -> Iterator[str]:
        palette = self._palette
        match inner:
            case CallTrace():
                yield from self._call(inner)
            case LogTrace():
                name = printable(inner.name) or "log"
                yield palette.told(f"emit {name}({_values(inner.arguments)})")
            case StorageChange():
                change = f"{inner.name}: {inner.before} → {inner.after}"
                yield palette.changed(printable(change))
            case DestructionTrace():
                paid = f"{{value: {inner.amount}}}" if inner.amount else ""
                yield palette.told(f"selfdestruct{paid}({printable(inner.heir)})")
            case _:
                assert_never(inner)

    def _head(self, call: CallTrace) -> str:
        palette = self._palette
        if call.console is not None:
            # Each line of a text that has several stands for itself.
            printed = palette.told(" ⏎ ".join(map(printable, call.console)))
            return f"console.log: {printed}".rstrip()
        paid = f"{{value: {call.value}}}" if call.value else ""
        notes = [_KINDS[call.kind]] if call.kind in _KINDS else []
        notes += ["static"] if call.kind == "staticcall" else []
        notes += ["mocked"] if call.mocked else []
        notes += [f"{call.gas_used} gas"] if call.gas_used else []
        aside = f" {palette.aside('[' + ', '.join(notes) + ']')}" if notes else ""
        arguments = _values(call.arguments)
        if call.creates:
            name = printable(call.contract) or "contract of unknown code"
            where = render_address(call.address)
            return f"new {name}{paid}({arguments}) at {where}{aside}"
        name = f"{printable(call.contract)}.{printable(call.function)}"
        return f"{name}{paid}({arguments}){aside}"

    def _ending(self, call: CallTrace) -> str:
        """Return how a call ended; empty if it returned nothing."""
        palette = self._palette
        overruled = f" ({printable(call.overruled)})" if call.overruled else ""
        if call.reason:
            return palette.bad(f"✗ {printable(call.reason)}") + overruled
        if call.results:
            return palette.good(f"→ {_values(call.results)}") + overruled
        return overruled.lstrip()

    def _source(self, place: SourceLine) -> Iterator[str]:
        """Yield the line that is meant, with its neighbours."""
        palette = self._palette
        width = len(str(place.around[-1][0]))
        for number, text in place.around:
            line = f"{number:>{width}} | {printable(text.expandtabs(4))}".rstrip()
            is_it = number == place.line
            shown = palette.bad(f"> {line}") if is_it else palette.aside(f"  {line}")
            yield f"    {shown}"


def _below(children: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield what stands below a line, with the branches of the tree."""
    for number, lines in enumerate(children, start=1):
        first, rest = ("└─ ", "   ") if number == len(children) else ("├─ ", "│  ")
        for at, line in enumerate(lines):
            yield f"{rest if at else first}{line}"


def _values(values: Sequence[Named]) -> str:
    return ", ".join(
        printable(f"{each.name}: {each.value}" if each.name else each.value)
        for each in values
    )
