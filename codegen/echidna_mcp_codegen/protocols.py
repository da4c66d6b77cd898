"""The module that ties each tool to its types: `tools.py`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping

from echidna_mcp.contracts.naming import class_name, field_name, identifier
from echidna_mcp.contracts.toolspec import ToolSpec

_HEAD = """\
from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol

from {package}.inputs import (
{inputs}
)
from {package}.outputs import (
{outputs}
)
from echidna_mcp.contracts.bundle import load_tool
from echidna_mcp.tools.tool import {contexts}
"""

_TOOL = '''

class {cls}(Protocol):
    """Handler of `{name}`."""

    async def __call__(
        self, args: {input}, context: {context}, /
    ) -> {output}:
        """{description}
        """
        ...


def {function}_tool(handler: {cls}) -> Tool:
    """Return the tool `{name}` with this handler, to register it."""
    spec = load_tool("{package}", "{name}")
    return Tool(spec, {input}, handler)
'''

_TABLES = '''

INPUT_TYPES: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {{
{inputs}
    }}
)
"""The input class of each tool."""

FIELD_NAMES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {{
{fields}
    }}
)
"""For each tool, the field of its input class that holds each argument."""
'''


def tools_module(package: str, tools: Mapping[str, ToolSpec]) -> str:
    """Return a module with a Protocol and a constructor for each tool."""
    types = {
        name: (spec.input_schema["title"], spec.output_schema["title"])
        for name, spec in tools.items()
    }
    contexts = {name: _context(spec) for name, spec in tools.items()}
    parts = [
        _HEAD.format(
            package=package,
            inputs=_names(inputs for inputs, _ in types.values()),
            outputs=_names(outputs for _, outputs in types.values()),
            contexts=", ".join(sorted({"Tool", *contexts.values()})),
        )
    ]
    for name, spec in tools.items():
        inputs, outputs = types[name]
        parts.append(
            _TOOL.format(
                package=package,
                name=name,
                cls=class_name(name),
                function=identifier(name),
                context=contexts[name],
                input=inputs,
                output=outputs,
                description=_docstring(spec.description),
            )
        )
    parts.append(
        _TABLES.format(
            inputs="\n".join(f'        "{n}": {i},' for n, (i, _) in types.items()),
            fields="\n".join(_fields(name, spec) for name, spec in tools.items()),
        )
    )
    return "".join(parts)


def _context(spec: ToolSpec) -> str:
    return "ToolContext" if spec.needs_campaign else "CallContext"


def _names(names: Iterable[str]) -> str:
    return "\n".join(f"    {name}," for name in sorted(set(names)))


def _fields(name: str, spec: ToolSpec) -> str:
    properties = spec.input_schema.get("properties", {})
    pairs = "".join(
        f"                {json.dumps(prop)}: {json.dumps(field_name(prop))},\n"
        for prop in properties
    )
    if not pairs:
        return f'        "{name}": MappingProxyType({{}}),'
    return (
        f'        "{name}": MappingProxyType(\n            {{\n'
        f"{pairs}            }}\n        ),"
    )


def _docstring(text: str) -> str:
    """Return text that is safe between triple quotes, wrapped and indented."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    indent = " " * 8
    return textwrap.fill(
        escaped,
        width=85,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
    ).strip()
