"""`echidna-mcp exec`: what any sequence does in the world of a stored campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from echidna_mcp.abi.sequence_text import split_calls
from echidna_mcp.cli.console.colours import ColourWish
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.stored.campaign import StoredCampaign
from echidna_mcp.cli.stored.show import print_traces
from echidna_mcp.errors import CallSyntaxError, UsageError
from echidna_mcp.fuzz.kernels.loading import PLAIN_KERNELS
from echidna_mcp.fuzz.rng import PURPOSE_INJECT, RNG_WORDS, derive
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import pick_backend
from echidna_mcp.rounds.call_codec import CallCodec, split
from echidna_mcp.rounds.commands import (
    MAX_INJECTED_CALLS,
    injected_records,
    parse_injection,
)
from echidna_mcp.rounds.replica import tables_for
from echidna_mcp.rounds.tasks import RoundTask
from echidna_mcp.traces.tracer import Tracer


def execute(
    directory: Path,
    texts: Sequence[str],
    plugins: str,
    *,
    as_json: bool,
    colours: ColourWish,
    deployment: bool,
) -> None:
    """Run the command.

    Args:
        directory: of a campaign, or of campaigns, of which the newest is taken.
        texts: calls, some or all of them separated by semicolons.
        plugins: as in `--plugins`.
        as_json: print one JSON document.
        colours: whether text has colours.
        deployment: tell also what was deployed.

    Raises:
        UsageError: there is no such campaign, or a call can't be read.
        StoreError: the campaign can't be read, or was changed by another program.
    """
    campaign = StoredCampaign.read(directory)
    backends = PluginManager.load(plugins).backends
    backend = pick_backend(backends, campaign.backend)
    calls = [call for text in texts for call in split_calls(text)]
    if not 0 < len(calls) <= MAX_INJECTED_CALLS:
        raise UsageError(
            f"There are {len(calls)} calls; give 1 to {MAX_INJECTED_CALLS}, such as "
            '"deposit(1); withdraw(?)".'
        )
    sequence = _sequence(campaign, calls)
    trace = Tracer(campaign.views, backend).of_calls("the calls", sequence)
    print_traces(
        campaign, [trace], as_json=as_json, colours=colours, deployment=deployment
    )


def _sequence(
    campaign: StoredCampaign, calls: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Return calls as events have them.

    Holes are filled from what the campaign has found, in the same way each time.
    """
    target = campaign.views.target
    try:
        injection = parse_injection(0, {"sequence": list(calls)}, target)
    except CallSyntaxError as error:
        number = error.details["sequenceIndex"] + 1
        raise UsageError(f"Call {number}: {printable(error.message)}") from None
    codec = CallCodec(target)
    task = RoundTask(round=1, worker=0, budget=0)
    tables = tables_for(target, codec, campaign.views, task)
    rng = words([0] * RNG_WORDS)
    derive(rng, target.config.seed, 0, 0, PURPOSE_INJECT)
    records = injected_records(injection, tables, rng, PLAIN_KERNELS)
    return [codec.to_json(call) for call in split(bytes(records))]
