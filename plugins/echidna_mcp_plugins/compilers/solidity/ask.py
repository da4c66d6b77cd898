"""Asking one solc to compile some entries of a project.

Source: Solidity documentation, "Compiler Input and Output JSON Description".
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from echidna_mcp.errors import (
    CompilationError,
    CompilerUnavailableError,
    EchidnaMcpError,
)
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp_plugins.compilers.bounded_json import parse_json
from echidna_mcp_plugins.compilers.solidity.project import SolidityProject
from echidna_mcp_plugins.compilers.solidity.solcs import Group, Solc
from echidna_mcp_plugins.compilers.solidity.standard_json import (
    Build,
    StandardOutput,
    build_of,
    numbers_of,
    trees_of,
)
from echidna_mcp_plugins.compilers.solidity.unused_units import unused_units

_LOCATION = re.compile(r"^\s*--> (.+?:\d+:\d+):?\s*$", re.MULTILINE)


class _Reply(NamedTuple):
    """What a solc said: the full version, and its JSON output."""

    version: str
    output: Mapping[str, Any]

    @property
    def errors(self) -> list[Mapping[str, Any]]:
        return [
            error
            for error in self.output.get("errors", ())
            if error.get("severity") == "error"
        ]


def compile_entries(
    project: SolidityProject, group: Group, request: CompileRequest, *, strict: bool
) -> tuple[Build | None, dict[str, EchidnaMcpError]]:
    """Compile entries with all that they import, those that can be compiled.

    Args:
        strict: whether all entries have to compile.

    Returns:
        What was compiled, if anything, and the reasons why other entries were not.

    Raises:
        CompilerUnavailableError: what solc says is no JSON.
        CompilationError: `strict`, and there is an error; the message holds the first.
        TargetError: more contracts than any project has.
    """
    refused: dict[str, EchidnaMcpError] = {}
    entries = group.entries
    while entries:
        reply = _ask(group.solc, project, entries)
        if not reply.errors:
            return _build(project, reply, entries, request), refused
        if strict:
            raise _refusal(reply.errors)
        refused |= _spoiled(project, entries, reply.errors) or _spoilers(
            group.solc, project, entries
        )
        left = tuple(entry for entry in entries if entry not in refused)
        if left == entries:
            raise _refusal(reply.errors)  # each alone compiles, but not all together
        entries = left
    return None, refused


def _ask(solc: Solc, project: SolidityProject, entries: Collection[str]) -> _Reply:
    sources = {unit: project.sources[unit] for unit in sorted(project.closure(entries))}
    unused = unused_units(sources, entries)
    # Of forge-std's consoles alone solc prints 10 MB of syntax trees, in two seconds.
    trees = [unit for unit in sources if unit not in unused] if unused else ["*"]
    question = {
        "language": "Solidity",
        "sources": {unit: {"content": text} for unit, text in sources.items()},
        "settings": project.settings.to_json(solc.version, trees),
    }
    version, text = solc.run(json.dumps(question))
    try:
        output = parse_json(text.encode(), f"What solc {version} says")
    except ValueError as error:
        raise CompilerUnavailableError(
            f"solc {version} does not answer with JSON; 0.4.11 is the oldest that can."
        ) from error
    return _Reply(version, output)


def _build(
    project: SolidityProject,
    reply: _Reply,
    entries: Iterable[str],
    request: CompileRequest,
) -> Build:
    units = sorted(project.closure(entries))
    output = StandardOutput(
        contracts=reply.output.get("contracts", {}),
        trees=trees_of(reply.output),
        numbers=numbers_of(reply.output),
        texts={unit: project.sources[unit] for unit in units},
        compiler=f"solc {reply.version}",
    )
    return build_of(output, request.target)


def _spoiled(
    project: SolidityProject,
    entries: Iterable[str],
    errors: Sequence[Mapping[str, Any]],
) -> dict[str, EchidnaMcpError]:
    """Return the entries whose closure holds a file that has an error."""
    by_file: dict[str, list[Mapping[str, Any]]] = {}
    for error in errors:
        file = (error.get("sourceLocation") or {}).get("file", "")
        by_file.setdefault(file, []).append(error)
    spoiled: dict[str, EchidnaMcpError] = {}
    for entry in entries:
        closure = project.closure([entry])
        own = [e for file, found in by_file.items() if file in closure for e in found]
        if own:
            spoiled[entry] = _refusal(own)
    return spoiled


def _spoilers(
    solc: Solc, project: SolidityProject, entries: Sequence[str]
) -> dict[str, EchidnaMcpError]:
    """Return the entries that do not compile, found by halves.

    For errors that solc does not attribute to a file.
    """
    errors = _ask(solc, project, entries).errors
    if not errors:
        return {}
    if len(entries) == 1:
        return {entries[0]: _refusal(errors)}
    half = len(entries) // 2
    return _spoilers(solc, project, entries[:half]) | _spoilers(
        solc, project, entries[half:]
    )


def _refusal(errors: Sequence[Mapping[str, Any]]) -> CompilationError:
    first = errors[0]
    place = _LOCATION.search(str(first.get("formattedMessage", "")))
    where = f"{place[1]}: " if place else ""
    text = " ".join(str(first.get("message", "unknown error")).split())
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return CompilationError(f"{where}{first.get('type', 'Error')}: {text}{more}")
