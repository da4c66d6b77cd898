"""Options that say where the tasks of a campaign run."""

from __future__ import annotations

import os
from typing import Final

import click

from echidna_mcp.cli.request.words import one_of
from echidna_mcp.errors import UsageError

RAY_VARIABLE: Final = "RAY_ADDRESS"
"""Where Ray looks for the address of a cluster."""
_RAY: Final = "ray"
_ASKED: Final = "echidna_mcp.ray_address"
"""What the option leaves with the context of the command line."""

executor_option = click.option(
    "--executor",
    metavar="NAME[:N]",
    shell_complete=one_of("inline", "threads", "processes", "ray"),
    help="inline, or threads, processes or ray with N physical workers "
    "[default: threads for native, processes for py-evm].",
)


def _set_ray_address(
    context: click.Context, _option: click.Parameter, address: str | None
) -> None:
    """Put the address where Ray looks for it, in this process and its children."""
    if address is not None:
        os.environ[RAY_VARIABLE] = address
        context.meta[_ASKED] = address


def check_ray_address(executor: str) -> None:
    """Refuse `--ray-address` for an executor that has no use for it.

    The variable is not refused: it may be there for other programs.

    Args:
        executor: name with an optional `:N`.

    Raises:
        UsageError: the option was given, and this is not the executor `ray`.
    """
    context = click.get_current_context(silent=True)
    if context is None or context.meta.get(_ASKED) is None:
        return
    name = executor.partition(":")[0]
    if name != _RAY:
        raise UsageError(
            f"--ray-address is for the executor {_RAY}, and this one is {name}; add "
            f"--executor {_RAY}, or leave --ray-address out."
        )


ray_address_option = click.option(
    "--ray-address",
    metavar="ADDRESS",
    expose_value=False,
    callback=_set_ray_address,
    help="Cluster of the executor ray: HOST:PORT, or auto for that which this machine "
    "belongs to [default: RAY_ADDRESS, else one of the campaign's own].",
)
"""Which cluster a campaign runs on, if it runs on one."""
