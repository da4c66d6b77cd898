"""`echidna-mcp` without a command in a project: what `run` would do there, and how.

Nothing is deployed and nothing written; compiled sources are kept for the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.request.campaign import Settings, Wish, make_wishes, read_settings
from echidna_mcp.cli.request.options import DEFAULT_DIRECTORY
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.program.foundry_tests import foundry_tests
from echidna_mcp.program.target import build_target
from echidna_mcp.wording import counted, some

_COMMANDS: Final = (
    ("echidna-mcp run", "fuzz until the limit, then report"),
    ("echidna-mcp run --dry-run", "show what would be deployed and called"),
    ("echidna-mcp doctor", "find out whether a campaign would test anything"),
    ("echidna-mcp serve", "fuzz with tools for agents, and a dashboard"),
    ("echidna-mcp --help", "all commands"),
)


def show_overview(parameters: Mapping[str, Any]) -> None:
    """Print what `run` would do, with these parameters of it.

    Raises:
        EchidnaMcpError: it would not run, and why.
    """
    settings = read_settings(parameters)
    if settings.choice.told is None:
        show(f"Project: {settings.choice.kind.title}, without a configuration.")
    wishes = make_wishes(settings, unlimited=False)
    show("echidna-mcp run would fuzz:")
    for line in (*_target_lines(wishes), "", *_limit_lines(settings, wishes)):
        show(printable(line))
    width = max(len(command) for command, _ in _COMMANDS)
    show("")
    for command, text in _COMMANDS:
        show(f"  {command:{width}}  {text}")


def _target_lines(wishes: Sequence[Wish]) -> Iterator[str]:
    """Yield each contract with its tests, by how they are judged."""
    by_contract: dict[str, dict[str, list[str]]] = {}
    for wish in wishes:
        kinds = by_contract.setdefault(wish.program.main, {})
        for kind, name in _tests(wish):
            kinds.setdefault(kind, []).append(name)
    for contract, kinds in by_contract.items():
        yield f"  {contract}"
        for kind, names in kinds.items():
            yield f"    {kind}: {some(names)}"
        if not kinds:
            yield "    no test; only what is covered is told"


def _tests(wish: Wish) -> Iterator[tuple[str, str]]:
    """Yield kind and name of each test.

    Of a campaign on several contracts those are the ones of its main contract: the
    others are only known when all is deployed.
    """
    program, config = wish.program, wish.config
    if config.of_foundry:
        invariants = config.checks("invariant")
        for function, kind in foundry_tests(program.main_contract):
            if (kind == "invariant") is invariants and (
                not config.tests or function.signature in config.tests
            ):
                yield kind, function.signature
        return
    for test in build_target(program, config).tests:
        yield test.kind, test.name


def _limit_lines(settings: Settings, wishes: Sequence[Wish]) -> Iterator[str]:
    config = wishes[0].config
    mode = "foundry" if config.of_foundry else config.test_mode
    yield f"  Mode: {mode} (--test-mode); rules: {config.evm_version}"
    timeout = settings.options.timeout
    ends = (
        "no time limit" if timeout is None else f"{counted(timeout, 'second')} at most"
    )
    yield f"  Limits: {_calls(wishes)}; {ends} (--timeout)"
    seed = settings.loaded.seed
    yield f"  Seed: {'drawn' if seed is None else seed} (--seed)"
    home = settings.home
    where = f"a new directory in {DEFAULT_DIRECTORY}" if home is None else str(home)
    yield f"  Campaigns: {where} (--corpus-dir)"


def _calls(wishes: Sequence[Wish]) -> str:
    """Return how much is run: calls of sequences, and runs of stateless tests."""
    told = []
    sequences = [x.config for x in wishes if not x.config.checks("stateless")]
    stateless = [x.config for x in wishes if x.config.checks("stateless")]
    if sequences:
        told.append(_limit(sequences))
    if stateless:
        runs = sorted({config.fuzz_runs for config in stateless})
        numbers = f"{runs[0]:,}" if len(runs) == 1 else f"{runs[0]:,} to {runs[-1]:,}"
        told.append(f"{numbers} runs of each fuzz test (--fuzz-runs)")
    return ", ".join(told)


def _limit(configs: Sequence[CampaignConfig]) -> str:
    limits = {config.test_limit for config in configs}
    if None in limits:
        return "any number of calls (--test-limit)"
    numbers = sorted(limit for limit in limits if limit is not None)
    most = f"{numbers[-1]:,} calls"
    each = " of each contract at most" if len(configs) > 1 else ""
    return f"{most}{each}, {configs[0].seq_len} a sequence (--test-limit, --seq-len)"
