"""`seal` and the checking of evidence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from echidna_mcp.cli.console.output import show
from echidna_mcp.errors import EchidnaMcpError, UsageError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.evidence.certification import TOOLS, Certified, certify
from echidna_mcp.evidence.checking import check_evidence
from echidna_mcp.evidence.file import write_evidence
from echidna_mcp.evidence.sealing import (
    Sealed,
    falsified_tests,
    seal_campaign,
    seal_findings,
)
from echidna_mcp.plugins.manager import PluginManager


@dataclass(frozen=True, slots=True, kw_only=True)
class SealWishes:
    """What is to be sealed, and whether it is certified.

    Attributes:
        findings: falsified tests, each sealed by itself; none for the whole campaign.
        all_findings: all of them.
        network: where to certify; None for not at all.
        plugins: selection that offers the tools for it.
        directories: what those tools were told to keep their data in, by name.
    """

    findings: Sequence[str] = ()
    all_findings: bool = False
    network: str | None = None
    plugins: str = "circular"
    directories: Mapping[str, Path]

    @classmethod
    def of(cls, *, certify: bool, network: str, data_dir: Path | None) -> Self:
        """Return the wish for the whole campaign, from options of a command."""
        return cls(
            network=network if certify else None,
            directories={} if data_dir is None else {"data": data_dir},
        )


def seal(directory: Path, wishes: SealWishes, *, err: bool = False) -> None:
    """Seal a campaign or its findings; print where the evidence is.

    Args:
        directory: of the campaign.
        wishes: what to seal, and whether to certify it.
        err: print to standard error.

    Raises:
        UsageError: there is nothing of that kind, or a tool failed.
        StoreError: the store can't be read or written, or its campaign runs.
    """
    with EventStore.open(store_path(directory)) as store:
        if wishes.findings or wishes.all_findings:
            tests = falsified_tests(store) if wishes.all_findings else wishes.findings
            sealed = seal_findings(store, tests)
        else:
            sealed = [seal_campaign(store)]
        if not sealed:
            text = "no test was falsified, so there is no finding to seal"
            show(f"{directory}: {text}.", err=err)
            return
        if wishes.network is None:
            for each in sealed:
                _tell(directory, each, None, err=err)
            return
        certifying = _certify_all(store, sealed, wishes, wishes.network)
        asyncio.run(_tell_all(directory, certifying, err=err))


def wishes_at_the_end(parameters: dict[str, Any]) -> SealWishes | None:
    """Take the options of evidence out of those of a command that runs a campaign.

    Returns:
        What to seal when the campaign has ended; None for nothing.

    Raises:
        UsageError: something is to be certified, and nothing sealed.
    """
    sealed = parameters.pop("sealed")
    certify = parameters.pop("certify")
    wishes = SealWishes.of(
        certify=certify,
        network=parameters.pop("network"),
        data_dir=parameters.pop("data_dir"),
    )
    if sealed is None and certify:
        raise UsageError(
            "--certify is for what is sealed; add --seal campaign or --seal findings."
        )
    if sealed is None:
        return None
    return replace(wishes, all_findings=sealed == "findings")


def seal_at_the_end(directory: Path, wishes: SealWishes) -> None:
    """Seal what a campaign that has just ended brought.

    It changes nothing of the result: what goes wrong is told as a warning.
    """
    try:
        seal(directory, wishes, err=True)
    except EchidnaMcpError as error:
        show(f"Warning: nothing more is sealed or certified: {error.message}", err=True)


async def _tell_all(
    directory: Path, certifying: AsyncIterator[tuple[Sealed, Certified]], *, err: bool
) -> None:
    async for sealed, certified in certifying:
        _tell(directory, sealed, certified, err=err)


async def _certify_all(
    store: EventStore, sealed: Sequence[Sealed], wishes: SealWishes, network: str
) -> AsyncIterator[tuple[Sealed, Certified]]:
    # Here, because they take long to import: not every campaign is certified.
    from echidna_mcp.tools.service import ToolService  # noqa: PLC0415
    from echidna_mcp.tools.stage import Stage  # noqa: PLC0415
    from echidna_mcp.tools.tool import CallContext  # noqa: PLC0415

    plugins = PluginManager.load(wishes.plugins)
    missing = [name for name in TOOLS if name not in plugins.tools]
    if missing:
        raise UsageError(
            f"--plugins {wishes.plugins}: no enabled plugin offers {missing[0]}, which "
            "certifying needs; the set circular does."
        )
    tools = ToolService(
        [plugins.tools[name] for name in TOOLS],
        Stage(),
        renderers=plugins.error_renderers,
        base=CallContext(directories=wishes.directories),
    )
    try:
        for each in sealed:
            yield each, await certify(store, each, tools, network)
    finally:
        await tools.close()


def _tell(
    directory: Path, sealed: Sealed, certified: Certified | None, *, err: bool
) -> None:
    path = write_evidence(directory, sealed, certified)
    what = "the campaign" if sealed.test is None else sealed.test
    events = sealed.document["events"]
    show(f"{path}: {what} up to event {events}, {sealed.sha256}", err=err)
    if certified is not None:
        block = certified.proof.get("block_id")
        where = f"{certified.network} ({certified.backend})"
        place = f"{where} in block {block}: {certified.transaction}"
        show(f"  certified on {place}", err=err)


def check(path: Path, directory: Path) -> None:
    """Check a file of evidence; print what it proves.

    Raises:
        EvidenceError: a link is broken.
        StoreError: the store can't be read.
    """
    checked = check_evidence(path, directory)
    document = checked.sealed.document
    show(
        f"{path}: holds. It is about {document['events']} events with the head "
        f"{document['head']}, sealed at {checked.at}."
    )
    if checked.certified is None:
        show("  It is not certified: that time is only what the store says.")
        return
    proof = checked.certified.proof
    local = checked.certified.backend == "local-devnet"
    note = ", a chain on one machine, which proves nothing to others" if local else ""
    show(
        f"  Certified on {checked.certified.network}{note}: transaction "
        f"{checked.certified.transaction}, block {proof.get('block_id')}, "
        f"{proof.get('timestamp')}."
    )
