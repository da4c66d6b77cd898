"""Opcodes: one kernel function each, and a few facts about it.

The parameters are the stack items that it takes, the top one first; a first parameter
`m: Machine` is no stack item. What it returns is pushed. Static gas has been charged
before it runs; a function charges what depends on its operands with `charge`. One that
can fail sets `m.fault`, and must be declared `fallible`.

The interpreter, its plain-Python twin and the compiler of hot contracts are all made
from these declarations.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.state.rules import Fork

F = TypeVar("F", bound=Callable[..., Any])


ENTERED = (1 << 256) - 1
"""Returned by opcodes of flow `CALL` that have made another frame the running one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opcode:
    """A byte of code and what it means.

    Attributes:
        number: the byte.
        name: as in the Yellow Paper.
        function: the kernel function; None for PUSH, DUP, SWAP, POP, JUMP, JUMPI,
            JUMPDEST and PC, which the decoder and the interpreter know.
        gas: static gas.
        pops, pushes: stack items.
        flow: where execution goes on.
        since: the first fork that has it.
        fallible: whether the function can set `m.fault`.
        machine: whether its first parameter is the machine.
    """

    number: int
    name: str
    function: Callable[..., Any] | None
    gas: int
    pops: int
    pushes: int
    flow: Flow = Flow.NEXT
    since: Fork = Fork.SHANGHAI
    fallible: bool = False
    machine: bool = False


def opcode(
    number: int,
    name: str,
    *,
    gas: int = 0,
    flow: Flow = Flow.NEXT,
    since: Fork = Fork.SHANGHAI,
    fallible: bool = False,
) -> Callable[[F], F]:
    """Declare the decorated kernel function to be an opcode.

    Pops and pushes follow from its signature.
    """

    def declare(function: F) -> F:
        signature = inspect.signature(function)
        parameters = list(signature.parameters.values())
        machine = bool(parameters) and parameters[0].annotation == "Machine"
        function.opcode = Opcode(  # type: ignore[attr-defined]
            number=number,
            name=name,
            function=function,
            gas=gas,
            pops=len(parameters) - machine,
            pushes=int(signature.return_annotation != "None"),
            flow=flow,
            since=since,
            fallible=fallible,
            machine=machine,
        )
        return function

    return declare


def declared(*modules: ModuleType) -> list[Opcode]:
    """Return the opcodes that are declared in some modules, by number."""
    found = {
        entry.number: entry
        for module in modules
        for value in vars(module).values()
        if isinstance(entry := getattr(value, "opcode", None), Opcode)
    }
    return [found[number] for number in sorted(found)]
