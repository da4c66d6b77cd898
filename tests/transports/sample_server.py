"""A few small tools behind a real ToolService; as a program, over stdio."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, NoReturn

from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.catalogue.transport import TransportOptions
from echidna_mcp.contracts.toolspec import SafetyLevel, ToolSpec
from echidna_mcp.errors import CallSyntaxError
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import Receipt, Tool, ToolContext
from echidna_mcp_plugins.transports.stdio import register_transports

OBJECT = {"type": "object"}
TEXT = {"type": "string"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """No arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Milliseconds:
    milliseconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Megabytes:
    megabytes: int


class NoCampaign:
    def refused(self, tool: str, args: Any, code: str, message: str) -> None:
        """No tool here is a control tool."""

    async def submit(
        self, tool: str, args: Any, message: str, *, key: str | None = None
    ) -> Receipt:
        raise NotImplementedError


async def count_words(given: Text, _context: ToolContext) -> dict[str, Any]:
    words = given.text.split()
    return {"words": len(words), "longest": max(words, key=len, default="")}


async def report(_given: Nothing, context: ToolContext) -> str:
    context.warnings.append("snapshot while fuzzing")
    return 'TN:\nSF:"Ünï".sol\n'


async def items(_given: Nothing, _context: ToolContext) -> list[int]:
    return [3, 1, 2]


async def misread(given: Text, _context: ToolContext) -> NoReturn:
    raise CallSyntaxError("Can't read it.", position=7, text=given.text)


async def crash(_given: Nothing, _context: ToolContext) -> NoReturn:
    raise RuntimeError("secret")


BEGUN: list[int] = []
"""Calls of `wait` so far, as a test wants to know."""


async def wait(given: Milliseconds, _context: ToolContext) -> dict[str, Any]:
    BEGUN.append(given.milliseconds)
    await asyncio.sleep(given.milliseconds / 1000)
    return {"waited": given.milliseconds}


async def long_text(given: Megabytes, _context: ToolContext) -> str:
    return "x" * given.megabytes * 1_000_000


async def count_up(given: Milliseconds, context: ToolContext) -> dict[str, Any]:
    for step in range(3):
        await context.progress(step, 3, f"step {step}")
        await asyncio.sleep(given.milliseconds / 1000)
    return {"steps": 3}


async def shout(_given: Nothing, _context: ToolContext) -> dict[str, Any]:
    """Write to standard output in every way, and let a child read standard input."""
    print("shout")  # noqa: T201
    sys.stdout.flush()
    os.write(1, b"shout\n")
    child = [sys.executable, "-c", "import sys; print(len(sys.stdin.read()))"]
    done = subprocess.run(child, check=True, stderr=subprocess.DEVNULL)  # noqa: ASYNC221
    return {"child": done.returncode}


def spec(
    name: str,
    output: dict[str, Any],
    *,
    level: SafetyLevel = "read-only",
    properties: dict[str, Any] | None = None,
    **more: Any,
) -> ToolSpec:
    return ToolSpec(
        name=name,
        title=name.replace("_", " ").title(),
        description=f"What {name} does.",
        category="test",
        safety_level=level,
        tier="core",
        input_schema={
            "type": "object",
            "properties": properties or {},
            "additionalProperties": False,
        },
        output_schema=output,
        errors=("INVALID_INPUT", "PARSE_ERROR", "INTERNAL_ERROR"),
        **{"timeout_ms": 5000, **more},
    )


def sample_catalogue() -> Catalogue:
    """Return the tools, deliberately not in the order of their names."""
    text = {"text": TEXT}
    counted = {
        "type": "object",
        "properties": {"words": {"type": "integer"}, "longest": TEXT},
        "required": ["words", "longest"],
    }
    milliseconds = {"milliseconds": {"type": "integer"}}
    megabytes = {"megabytes": {"type": "integer"}}
    listing = {"type": "array", "items": {"type": "integer"}}
    tools = [
        Tool(spec("wait", OBJECT, properties=milliseconds), Milliseconds, wait),
        Tool(spec("count_words", counted, properties=text), Text, count_words),
        Tool(
            spec("report", TEXT, level="safe-write", idempotent=True), Nothing, report
        ),
        Tool(spec("items", listing), Nothing, items),
        Tool(spec("misread", OBJECT, properties=text), Text, misread),
        Tool(spec("crash", OBJECT, level="destructive"), Nothing, crash),
        Tool(spec("long_text", TEXT, properties=megabytes), Megabytes, long_text),
        Tool(spec("count_up", OBJECT, properties=milliseconds), Milliseconds, count_up),
        Tool(spec("shout", OBJECT, open_world=True), Nothing, shout),
    ]
    nothing: Any = None
    context = ToolContext(
        views=nothing,
        commands=NoCampaign(),
        logs=nothing,
        reports=nothing,
        texts=nothing,
        corpus_dir=nothing,
        retelling=nothing,
    )
    stage = Stage(context)
    return Catalogue(ToolService(tools, stage), stage)


async def main() -> None:
    (transport,) = register_transports()
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await transport.serve(sample_catalogue(), TransportOptions())
    except asyncio.CancelledError:
        print("stopped", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
