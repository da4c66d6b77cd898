"""`echidna-mcp init`: a configuration and first tests of a contract, ready to run."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.project.skeleton import (
    CONFIGURATION,
    invariants_source,
    properties_source,
)
from echidna_mcp.cli.request.campaign import (
    Settings,
    make_wishes,
    read_settings,
)
from echidna_mcp.config.campaign import FOUNDRY_MODE
from echidna_mcp.config.prefixes import first_prefix
from echidna_mcp.config.project_files import ECHIDNA_FILES, files_in, project_root
from echidna_mcp.config.projects.foundry import FOUNDRY, tests_directory
from echidna_mcp.config.projects.medusa import MEDUSA
from echidna_mcp.errors import EchidnaMcpError, UsageError
from echidna_mcp.evm.outside import Outside
from echidna_mcp.outside.machine import Machine
from echidna_mcp.plugins.selection import pick_backend
from echidna_mcp.program.foundry_tests import foundry_tests
from echidna_mcp.program.main_contract import has_test
from echidna_mcp.program.model import Contract
from echidna_mcp.rounds.deployment import deployed_world
from echidna_mcp.rounds.exploration import explored_target


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is written.

    Attributes:
        root: directory of the project.
        tests: the file of tests.
        contract: name of the contract in it.
        of_foundry: whether that is a test of Foundry.
        configuration: an `echidna.yaml`, if one belongs to it.
    """

    root: Path
    tests: Path
    contract: str
    of_foundry: bool
    configuration: Path | None


def begin(contract: str | None, parameters: Mapping[str, Any]) -> None:
    """Run the command.

    Args:
        contract: `Name`, `path:Name`, a file, or None for the one that `run` would
            choose.
        parameters: of the command line of `run`.

    Raises:
        UsageError: it has tests already, it is none of Solidity, or what was written
            does not run as it stands.
        EchidnaMcpError: the project does not compile, or there is no such contract.
    """
    asked = {**parameters, **_asked(contract)}
    # Nothing is to be checked yet, so no test has to be there.
    settings = read_settings({**asked, "test_mode": "exploration"})
    if settings.path is None:
        raise UsageError(
            "There is no project here; go to one, or name a file with a contract."
        )
    program = make_wishes(settings, unlimited=False)[0].program
    main = program.main_contract
    prefixes = settings.loaded.campaign.prefix
    _refuse_tests(main, prefixes)
    prefix = first_prefix(prefixes)
    text = next((x.content for x in program.sources if x.path == main.source), "")
    source = _file_of(main, text, settings.path)
    plan = _plan(main, source, settings)
    path = os.path.relpath(source, plan.tests.parent).replace(os.sep, "/")
    path = path if path.startswith(".") else f"./{path}"
    if plan.of_foundry:
        tests = invariants_source(main, name=plan.contract, path=path, source=text)
    else:
        tests = properties_source(
            main, name=plan.contract, path=path, source=text, prefix=prefix
        )
    _write(plan.tests, tests)
    if plan.configuration is not None:
        own = CONFIGURATION.format(contract=plan.contract, prefix=prefix)
        _write(plan.configuration, own)
    _try_out(plan, parameters)
    show(printable(f"It compiles and can be deployed. Now: {_command(plan)}"))


def _asked(contract: str | None) -> dict[str, Any]:
    """Return target and contract as parameters of `run`."""
    if contract is None:
        return {}
    if os.path.isfile(contract):  # noqa: PTH113 - a name may be none of a file
        return {"target": Path(contract)}
    path, _, name = contract.rpartition(":")
    if path and os.path.isfile(path):  # noqa: PTH113
        return {"target": Path(path), "contract": name}
    return {"contract": contract}


def _refuse_tests(contract: Contract, prefixes: str) -> None:
    """Refuse a contract that is one of tests.

    Raises:
        UsageError: it is.
    """
    if has_test(contract, prefixes) or foundry_tests(contract):
        raise UsageError(
            f"{contract.name} has tests already; name the contract that is to be "
            "tested, as in: echidna-mcp init Vault."
        )


def _file_of(contract: Contract, text: str, target: Path) -> Path:
    """Return the file that defines a contract.

    Raises:
        UsageError: none is known, or it is none of Solidity.
    """
    beside = target if target.is_dir() else target.parent
    for directory in (project_root(target), beside, Path.cwd()):
        file = directory / contract.source
        if file.suffix == ".sol" and _text_of(file) == text:
            return file.resolve()
    raise UsageError(
        f"init writes Solidity that imports {contract.name}, and {contract.source} is "
        "no source of Solidity here."
    )


def _text_of(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _plan(contract: Contract, source: Path, settings: Settings) -> _Plan:
    assert settings.path is not None
    root, kind = project_root(settings.path), settings.choice.kind
    of_foundry = kind is FOUNDRY
    if of_foundry:
        name = f"{contract.name}Invariants"
        tests = _foundry_tests(root, settings) / f"{name}.t.sol"
    else:
        name = f"{contract.name}Properties"
        tests = source.with_name(f"{name}.sol")
    # It would be read instead of what configures the project now.
    configured = of_foundry or kind is MEDUSA or settings.parameters["config_file"]
    return _Plan(
        root=root,
        tests=tests,
        contract=name,
        of_foundry=of_foundry,
        configuration=None if configured else root / _configuration_name(root),
    )


def _foundry_tests(root: Path, settings: Settings) -> Path:
    """Return the directory in which forge looks for tests.

    It lies in the project: the compiler has refused to read any other.
    """
    choice = settings.choice
    if choice.file is not None and choice.format is FOUNDRY.read:
        source, file = choice.source, choice.file
    else:
        file = root / FOUNDRY.files[0]
        source = _text_of(file) or ""
    return root / tests_directory(source, file)


def _configuration_name(root: Path) -> str:
    """Return the name of the configuration that is there, or of a new one."""
    return next(iter(files_in(root, ECHIDNA_FILES)), ECHIDNA_FILES[0])


def _write(file: Path, text: str) -> None:
    """Write a file that is not there; else say that it stays.

    Raises:
        UsageError: it can't be written.
    """
    shown = printable(os.path.relpath(file))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
    except FileExistsError:
        show(f"Left as it is: {shown}")
    except OSError as error:
        raise UsageError(f"{shown} can't be written: {error.strerror}.") from error
    else:
        show(f"Written: {shown}")


def _try_out(plan: _Plan, parameters: Mapping[str, Any]) -> None:
    """Compile what was written, and deploy it as `run` would.

    Raises:
        UsageError: it does not run as it stands; the message says why.
    """
    asked = {"target": plan.root, "contract": plan.contract}
    if plan.of_foundry:
        asked["test_mode"] = FOUNDRY_MODE
    with redirect_stderr(io.StringIO()):  # What is chosen and left out was told before.
        settings = read_settings({**parameters, **asked})
    try:
        wish = make_wishes(settings, unlimited=False)[0]
        backend = pick_backend(settings.plugins.backends, settings.options.backend)
        machine = Machine(plan.root, wish.config)
        target = explored_target(wish.program, wish.config, backend, machine)
        backend.load()
        deployed_world(backend, target, Outside(source=machine))
    except EchidnaMcpError as error:
        raise UsageError(
            f"{os.path.relpath(plan.tests)} does not run as it stands; mend it, "
            f"beginning with arguments of the constructor: {error.message}"
        ) from error


def _command(plan: _Plan) -> str:
    """Return what runs the tests that were written."""
    here = plan.root.resolve() == Path.cwd().resolve()
    run = "echidna-mcp run" if here else f"echidna-mcp run {os.path.relpath(plan.root)}"
    if plan.of_foundry:
        return f"{run} --match-contract {plan.contract}"
    own = f"contract: {plan.contract}\n"
    if plan.configuration and own in (_text_of(plan.configuration) or ""):
        return run
    return f"{run} --contract {plan.contract}"
