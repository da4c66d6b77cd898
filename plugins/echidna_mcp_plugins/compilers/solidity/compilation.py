"""From Solidity sources to a `Program`, with as many compilers as their versions need.

What has to compile: a file that is the target, or what defines the contracts that the
user names. Of a directory without such names everything that can be compiled is; files
that can't be are left out, and the user is told. A file that is left out may hold the
contract that was meant: then that is an error instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from echidna_mcp.config.prefixes import has_prefix
from echidna_mcp.errors import (
    CompilationError,
    CompilerUnavailableError,
    EchidnaMcpError,
)
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.main_contract import has_test, in_test_folder, is_meant
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.cache import Compilation, compiled
from echidna_mcp_plugins.compilers.solidity.ask import compile_entries
from echidna_mcp_plugins.compilers.solidity.choice import (
    Part,
    choose_among,
    others_with_tests,
)
from echidna_mcp_plugins.compilers.solidity.project import SolidityProject
from echidna_mcp_plugins.compilers.solidity.solcs import (
    Group,
    Solc,
    grouped,
    version_for,
    wanted,
)
from echidna_mcp_plugins.compilers.solidity.source_text import outline_of
from echidna_mcp_plugins.compilers.solidity.standard_json import Build

_TOLD = 3
"""Files that are left out of which the user is told the reason; others are counted."""


@dataclass(slots=True, kw_only=True)
class _Plan:
    """What is compiled by which compiler.

    Attributes:
        strict: whether all entries have to compile.
        left_out: why other entries of the project are not compiled.
    """

    strict: bool
    groups: list[Group]
    left_out: dict[str, EchidnaMcpError] = field(default_factory=dict)


def compile_solidity(
    project: SolidityProject, request: CompileRequest, solcs: Sequence[Solc]
) -> Program:
    """Compile; what was compiled before is not compiled again.

    Args:
        solcs: compilers that can be used, the preferred ones first.

    Raises:
        CompilerUnavailableError: something that has to compile wants a version that is
            not here.
        CompilationError: it can't be compiled; the message holds the first error.
        TargetError: nothing that can be fuzzed.
    """
    plan = _plan(project, request, solcs)
    used = {e for group in plan.groups for e in group.entries}
    question = {
        "groups": [
            [g.solc.identify(), project.settings.to_json(g.solc.version), g.entries]
            for g in plan.groups
        ],
        "sources": {unit: project.sources[unit] for unit in project.closure(used)},
        "left out": {entry: str(error) for entry, error in plan.left_out.items()},
    }
    return compiled(question, request, partial(_compile, project, plan))


def named_entries(
    project: SolidityProject, request: CompileRequest
) -> tuple[str, ...] | None:
    """Return the units that have to compile, in order; None if no one is named."""
    if project.whole:
        return project.entries
    if request.contract is None:
        return None
    names = (request.contract, *request.others)
    found = [
        unit
        for unit, text in project.sources.items()
        if any(_defines(unit, text, name) for name in names)
    ]
    return tuple(sorted(found)) or None


def _defines(unit: str, text: str, given: str) -> bool:
    bare = given.rpartition(":")[2]
    # Reading a text closely costs more than finding out that there is no need to.
    return (
        bare in text and is_meant(given, unit, bare) and bare in outline_of(text).names
    )


def _plan(
    project: SolidityProject, request: CompileRequest, solcs: Sequence[Solc]
) -> _Plan:
    named = named_entries(project, request)
    entries = project.entries if named is None else named
    ranges = {}
    left_out: dict[str, EchidnaMcpError] = {}
    for entry in entries:
        closure = project.closure([entry])
        if failure := project.failure(closure):
            left_out[entry] = failure
        else:
            ranges[entry] = project.ranges(closure)
    groups, unserved = grouped(ranges, solcs)
    left_out |= {entry: no_solc_for(ranges[entry]) for entry in unserved}
    if left_out and (named is not None or not groups):
        raise next(iter(left_out.values()))
    return _Plan(strict=named is not None, groups=groups, left_out=left_out)


def no_solc_for(ranges: Sequence[str]) -> CompilerUnavailableError:
    """Return the error that says which solc is missing, and how to install it."""
    version = version_for(ranges)
    return CompilerUnavailableError(
        f"No solc here suits {wanted(ranges)}; run `solc-select install {version}`, "
        f"`python -c \"import solcx; solcx.install_solc('{version}')\"` (py-solc-x) or "
        f"`npm install solc@{version}`."
    )


def _compile(
    project: SolidityProject, plan: _Plan, request: CompileRequest
) -> Compilation:
    parts: list[Part] = []
    left_out = dict(plan.left_out)
    for group in plan.groups:
        build, refused = compile_entries(project, group, request, strict=plan.strict)
        left_out |= refused
        if build:
            parts.append(Part(build, frozenset(group.entries) - set(refused)))
    if not parts:
        raise next(iter(left_out.values()))
    build, main = choose_among(parts, request)
    if request.contract is None:
        _refuse_rivals(project, build, main, left_out, request)
    _tell_left_out(left_out, request)
    others = others_with_tests(parts, build, request)
    _tell_others(build, parts, others, request)
    return Compilation(build.program(main), others=others)


def _refuse_rivals(
    project: SolidityProject,
    build: Build,
    main: str,
    left_out: dict[str, EchidnaMcpError],
    request: CompileRequest,
) -> None:
    """Refuse to choose where a file that is left out may hold what was meant.

    It may, unless the chosen contract has a test and the text of the file has none, or
    the chosen one lies in a folder for tests and the file does not (`choose_main`).

    Raises:
        CompilationError: it may.
    """
    contract = next(c for c in build.contracts if c.qualified_name == main)
    chosen = (has_test(contract, request.prefix), in_test_folder(contract.source))
    for entry, error in left_out.items():
        outline = outline_of(project.sources.get(entry, ""))
        tested = any(has_prefix(name, request.prefix) for name in outline.functions)
        rival = (tested, in_test_folder(entry))
        if outline.deployable and rival >= chosen:
            raise CompilationError(
                f"{error.message.rstrip('.')}. {entry} may hold the contract to fuzz: "
                "mend it, or name the contract with --contract."
            ) from error


def _tell_left_out(
    left_out: dict[str, EchidnaMcpError], request: CompileRequest
) -> None:
    for entry, error in list(left_out.items())[:_TOLD]:
        request.tell(f"{entry} is left out: {error.message}")
    if len(left_out) > _TOLD:
        request.tell(f"{len(left_out) - _TOLD} other files are left out likewise.")


def _tell_others(
    build: Build,
    parts: Sequence[Part],
    programs: Sequence[Program],
    request: CompileRequest,
) -> None:
    """Tell which files are no part of what is fuzzed, tests included."""
    fuzzed = {build.compiler, *(program.compiler for program in programs)}
    others = sorted(
        entry
        for part in parts
        if part.build.compiler not in fuzzed
        for entry in part.entries
    )
    if others:
        more = ", …" if len(others) > _TOLD else ""
        request.tell(
            f"{build.compiler} compiles what is fuzzed; files that other compilers "
            f"compile are no part of it: {', '.join(others[:_TOLD])}{more}."
        )
