"""Options that say where the tasks of a campaign run."""

from __future__ import annotations

import os

import click

from echidna_mcp.cli.request.words import one_of

RAY_VARIABLE = "RAY_ADDRESS"
"""Where Ray looks for the address of a cluster."""

executor_option = click.option(
    "--executor",
    metavar="NAME[:N]",
    shell_complete=one_of("inline", "threads", "processes", "ray"),
    help="inline, or threads, processes or ray with N physical workers "
    "[default: threads for native, processes for py-evm].",
)


def _set_ray_address(
    _context: click.Context, _option: click.Parameter, address: str | None
) -> None:
    """Put the address where Ray looks for it, in this process and its children."""
    if address is not None:
        os.environ[RAY_VARIABLE] = address


ray_address_option = click.option(
    "--ray-address",
    metavar="ADDRESS",
    expose_value=False,
    callback=_set_ray_address,
    help="Cluster of the executor ray: HOST:PORT, or auto for that which this machine "
    "belongs to [default: RAY_ADDRESS, else one of the campaign's own].",
)
"""Which cluster a campaign runs on, if it runs on one."""
