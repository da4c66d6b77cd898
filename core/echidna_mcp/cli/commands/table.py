"""The commands and their options; what they do is in a module for each.

Those modules are imported when their command runs: nobody waits for the others, and
`serve` starts its campaign process before it imports anything.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from echidna_mcp.cli.clients.command import config_command
from echidna_mcp.cli.commands.beside import (
    contracts_command,
    coverage_command,
    devnet_command,
    seal_command,
)
from echidna_mcp.cli.corpus.commands import corpus_command
from echidna_mcp.cli.project.commands import init_command
from echidna_mcp.cli.request.executors import ray_address_option
from echidna_mcp.cli.request.options import (
    campaign_options,
    campaign_parameters,
    evidence_options,
    examination_options,
    plugins_option,
    refuse_without_certify,
    refuse_written,
)
from echidna_mcp.cli.request.words import Choice
from echidna_mcp.cli.shell.command import completion_command
from echidna_mcp.cli.stored.commands import (
    exec_command,
    export_command,
    list_command,
    prune_command,
    show_command,
)
from echidna_mcp.cli.stored.completing import campaigns
from echidna_mcp.config.campaign import AUTO_EXECUTOR
from echidna_mcp.tools.principal import LOCAL, TIERS, Principal

if TYPE_CHECKING:
    from echidna_mcp.cli.commands.front import Service

TOKEN_VARIABLE = "ECHIDNA_MCP_TOKEN"  # noqa: S105 - only the name of the variable
_HTTP_ONLY = frozenset(
    ["host", "port", "token", "token_file", "allowed_hosts", "legacy_sessions"]
)
_OF_CAMPAIGNS = frozenset(["sealed", "certify", "network"])
"""Options of `serve` that only campaigns use, beside `campaign_options`."""


@click.command("serve", short_help="Fuzz a target, with tools for agents over MCP.")
@campaign_options
@click.option(
    "--transport",
    type=Choice(["http", "stdio"]),
    default="http",
    show_default=True,
    help="How clients connect.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="HOST",
    help="Address to listen on.",
)
@click.option(
    "--port",
    "--mcp-port",
    "port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    metavar="PORT",
    help="TCP port; 0 picks a free one.",
)
@click.option(
    "--token",
    envvar=TOKEN_VARIABLE,
    show_envvar=True,
    metavar="TOKEN",
    help="Bearer token that clients must send; needed for other hosts than loopback. "
    "Others on this machine can see the option, not the variable.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="File with a token on each line, which a tier and a name may follow.",
)
@click.option(
    "--tier",
    type=Choice(TIERS),
    default=TIERS[0],
    show_default=True,
    help="Tier of clients whose token says none: tools above it are not for them.",
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="Further name by which clients may address the server; repeatable.",
)
@click.option(
    "--tools",
    metavar="NAMES",
    help="Offer only these tools, comma separated [default: all].",
)
@click.option(
    "--read-only",
    is_flag=True,
    help="Offer no tool that steers the campaign, and write no report.",
)
@click.option(
    "--legacy-sessions",
    is_flag=True,
    help="Give sessions to clients of MCP before 2026-07-28 over HTTP.",
)
@click.option(
    "--declare-dialect",
    is_flag=True,
    help="Send $schema (draft-07) with the schemas; some clients refuse it.",
)
@click.option(
    "--no-campaign",
    is_flag=True,
    help="Fuzz nothing, offer only tools that need no campaign; so it is with plugins "
    "that have no other [default: fuzz].",
)
@click.option(
    "--unity-project",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Unity project that the tools of the set editor read [default: none].",
)
@evidence_options
def serve_command(
    *,
    transport: str,
    host: str,
    port: int,
    token: str | None,
    token_file: Path | None,
    allowed_hosts: tuple[str, ...],
    tools: str | None,
    read_only: bool,
    legacy_sessions: bool,
    declare_dialect: bool,
    tier: str,
    no_campaign: bool,
    unity_project: Path | None,
    data_dir: Path | None,
    **parameters: Any,
) -> None:
    """Fuzz TARGET and let agents watch and steer over MCP.

    TARGET is a .sol or .vy file, a directory of them, or a compiled artifact (.json);
    without one the project in the working directory, or else a bundled demo.

    Runs until ctrl-C. When the campaign ends, its results can still be read. The same
    --corpus-dir goes on where it stopped.
    """
    if transport == "stdio":
        refuse_written(_HTTP_ONLY, "is for HTTP; leave it out with --transport stdio.")

    def service() -> Service:
        from echidna_mcp.catalogue.transport import TransportOptions
        from echidna_mcp.cli.commands import front

        places = {front.UNITY_PROJECT: unity_project, "data": data_dir}
        return front.Service(
            transport=transport,
            host=host,
            port=port,
            token=token,
            token_file=token_file,
            tier=tier,
            allowed_hosts=allowed_hosts,
            tools=tools,
            read_only=read_only,
            options=TransportOptions(
                legacy_sessions=legacy_sessions,
                declare_dialect=declare_dialect,
                principal=Principal(LOCAL.name, tier),
            ),
            directories={name: path for name, path in places.items() if path},
        )

    selection = parameters["plugins"]
    if no_campaign or selection is not None:
        from echidna_mcp.cli.commands.serve import needs_no_campaign, serve_tools
        from echidna_mcp.plugins.manager import PluginManager

        plugins = PluginManager.load(selection or "default")
        if no_campaign or needs_no_campaign(plugins):
            refuse_written(
                campaign_parameters() | _OF_CAMPAIGNS,
                "is for campaigns, and there is none; leave it out.",
            )
            serve_tools(plugins, service())
            return
    if not parameters["certify"]:
        refuse_without_certify("network")
    from echidna_mcp.server.campaign_child import CampaignChild

    # It imports what it needs while this process does the same.
    with CampaignChild() as child:
        from echidna_mcp.cli.commands.serve import serve

        serve({**parameters, "data_dir": data_dir}, service(), child)


@click.command("run", short_help="Fuzz a target until its limit, then report.")
@campaign_options
@click.option(
    "--mcp-port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Let agents watch and steer over MCP meanwhile, on this TCP port of "
    "127.0.0.1; 0 picks a free one [default: nothing is served].",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Compile, deploy, show what would be fuzzed, and fuzz nothing [default: run].",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Run again whenever sources change, earlier findings first, until ctrl-C "
    "[default: once].",
)
@evidence_options
@click.option(
    "--inject",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Execute the calls of FILE first: each on a line, as reports print them, an "
    "empty line between sequences [default: none].",
)
@click.option(
    "--trace",
    type=Choice(["failures", "all", "none"]),
    help="What each falsified test's sequence does, call by call: of failures; all, "
    "with what is deployed before; or none [default: failures on a terminal, none "
    "elsewhere].",
)
@click.option(
    "--export-foundry",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory for Foundry tests, one for each test that is falsified "
    "[default: none are written].",
)
@click.option(
    "--junit",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the result as JUnit XML [default: no].",
)
@click.option(
    "--sarif",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the findings as SARIF 2.1.0 [default: no].",
)
@click.option(
    "--baseline",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Findings of this JSON report, or of this directory of campaigns, are known: "
    "only others make the exit code 1 [default: none is].",
)
def run_command(*, mcp_port: int | None, **parameters: Any) -> None:
    """Fuzz TARGET until its limit, then report.

    TARGET is a .sol or .vy file, a directory of them, or a compiled artifact (.json);
    without one the project in the working directory, or else a bundled demo.

    Exits with 0 if every test passes, with 1 if one was falsified that is not known
    (--baseline), with 4 if none was
    but one was not exercised, with 2 and a sentence if something is wrong. Ctrl-C ends
    the campaign in good order; a second one quits at once. The same --corpus-dir goes
    on where it stopped.
    """
    if not parameters["certify"]:
        refuse_without_certify("network", "data_dir")
    watch = parameters.pop("watch")
    if watch and (mcp_port is not None or parameters["dry_run"]):
        raise click.UsageError(
            "--watch runs campaigns one after another; leave --mcp-port and --dry-run "
            "out."
        )
    if mcp_port is not None and parameters["dry_run"]:
        raise click.UsageError("--dry-run serves nothing; leave --mcp-port out.")
    if mcp_port is not None:
        if parameters.pop("inject") is not None:
            raise click.UsageError(
                "With --mcp-port the tool inject_transaction does what --inject would; "
                "leave one of them out."
            )
        from echidna_mcp.server.campaign_child import CampaignChild

        with CampaignChild() as child:
            from echidna_mcp.cli.commands.serve import run_served

            token = os.environ.get(TOKEN_VARIABLE) or None
            run_served(parameters, mcp_port, token, child)
        return
    from echidna_mcp.fuzz.kernels.loading import kernels_loading

    with kernels_loading():
        from echidna_mcp.cli.commands.run import run

        if watch:
            from echidna_mcp.cli.project.watching import run_watching

            run_watching(parameters, run)
            return
        run(parameters)


@click.command("doctor", short_help="Find out whether a campaign would test anything.")
@examination_options
@click.option(
    "--timeout",
    metavar="S",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Seconds for the search, and as many for the canary at most.",
)
def doctor_command(**parameters: Any) -> None:
    """Find out in some seconds whether a campaign on TARGET would test anything.

    TARGET and options are those of run. A short campaign shows which tests and
    functions are not exercised; a second one has to find a canary, a failure that is
    planted beside the contracts. Nothing is written.

    Exits with 0 if all is well, with 1 if a test was falsified, with 4 if something is
    not exercised or not honoured or if the canary was not found, with 2 and a sentence
    if something is wrong. Remarks on settings are only advice.
    """
    from echidna_mcp.fuzz.kernels.loading import kernels_loading

    with kernels_loading():
        from echidna_mcp.cli.commands.doctor import doctor

        doctor(parameters)


@click.command("replay", short_help="Run a recorded campaign again and compare.")
@click.argument("commands", type=click.Path(path_type=Path), shell_complete=campaigns)
@click.option(
    "--backend", metavar="NAME", help="EVM [default: that of the recorded campaign]."
)
@click.option(
    "--executor",
    metavar="NAME[:N]",
    default=AUTO_EXECUTOR,
    help="Where the rounds run [default: threads for native, processes for py-evm].",
)
@ray_address_option
@click.option(
    "--rounds",
    metavar="A:B",
    help="Run only rounds A to B again; what was before is taken from the store "
    "[default: all].",
)
@plugins_option
def replay_command(
    commands: Path,
    backend: str | None,
    executor: str,
    plugins: str,
    rounds: str | None,
) -> None:
    """Run the campaign of COMMANDS.jsonl again, from the store beside it.

    COMMANDS may also be a store (campaign.db), or a directory of campaigns, of which
    the newest is taken; then the commands in the store are used. Exits with 0 if every
    round gave the same state, with 1 and the first round and worker that differ if not.
    """
    from echidna_mcp.cli.commands.replay import replay_campaign

    replay_campaign(commands, backend, executor, plugins, rounds)


@click.command("verify", short_help="Check that a store, or evidence, is unchanged.")
@click.argument("path", type=click.Path(path_type=Path), shell_complete=campaigns)
@click.option(
    "--store",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Directory of the campaign that evidence is about [default: two above it].",
)
def verify_command(path: Path, store: Path | None) -> None:
    """Check the hash chain of each campaign store in the directory PATH.

    Exits with 2 if one was changed. If PATH is a file, it is one of evidence: checks it
    against the store of its campaign, and exits with 1 and the first link that is
    broken.
    """
    if store is not None or path.is_file():
        from echidna_mcp.cli.commands.evidence import check
        from echidna_mcp.cli.console.output import show
        from echidna_mcp.cli.console.printable import printable
        from echidna_mcp.errors import EvidenceError

        try:
            check(path, store)
        except EvidenceError as error:
            show(printable(f"Broken link: {error.link}. {error.message}"), err=True)
            sys.exit(1)
        return
    if not path.exists():
        raise click.UsageError(
            f"There is neither a file nor a directory {path}; check its name."
        )
    from echidna_mcp.cli.commands.inspect import verify

    verify(path)


@click.command("plugins")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@plugins_option
def plugins_command(*, as_json: bool, plugins: str) -> None:
    """List installed plugins and whether they are enabled."""
    from echidna_mcp.cli.commands.inspect import list_plugins

    list_plugins(plugins, as_json=as_json)


@click.command("tools")
@click.option("--json", "as_json", is_flag=True, help="Print JSON with all schemas.")
@plugins_option
def tools_command(*, as_json: bool, plugins: str) -> None:
    """List the tools that agents can call."""
    from echidna_mcp.cli.commands.inspect import list_tools

    list_tools(plugins, as_json=as_json)


COMMANDS = (
    serve_command,
    run_command,
    doctor_command,
    init_command,
    replay_command,
    show_command,
    exec_command,
    export_command,
    coverage_command,
    corpus_command,
    list_command,
    prune_command,
    verify_command,
    seal_command,
    devnet_command,
    plugins_command,
    tools_command,
    contracts_command,
    config_command,
    completion_command,
)
"""In the order in which they are told."""
