"""The command `init` and its options."""

from __future__ import annotations

from pathlib import Path

import click

from echidna_mcp.cli.request.options import campaign_defaults, plugins_option


@click.command("init", short_help="Write a configuration and first tests.")
@click.argument("contract", required=False)
@click.option(
    "--solc",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="The solc binary to use [default: what is found].",
)
@plugins_option
def init_command(contract: str | None, *, solc: Path | None, plugins: str) -> None:
    """Write a commented echidna.yaml and a first property file for CONTRACT.

    CONTRACT is a name, path:Name or a file of Solidity; without one, the contract that
    run would choose. In a project of Foundry it is a test with an invariant instead, in
    one of Medusa only the properties. What was written is compiled and deployed once.
    No file that is there is changed.
    """
    from echidna_mcp.cli.project.beginning import begin  # noqa: PLC0415

    begin(contract, {**campaign_defaults(), "solc": solc, "plugins": plugins})
