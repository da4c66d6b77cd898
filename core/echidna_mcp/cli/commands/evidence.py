"""`seal` and the checking of evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from echidna_mcp.cli.console.output import show
from echidna_mcp.errors import UsageError
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
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import CallContext


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


def seal(directory: Path, wishes: SealWishes) -> None:
    """Seal a campaign or its findings; print where the evidence is.

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
            show(f"{directory}: no test was falsified, so there is no finding to seal.")
            return
        if wishes.network is None:
            for each in sealed:
                _tell(directory, each, None)
            return
        asyncio.run(_certify_all(directory, store, sealed, wishes, wishes.network))


async def _certify_all(
    directory: Path,
    store: EventStore,
    sealed: Sequence[Sealed],
    wishes: SealWishes,
    network: str,
) -> None:
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
            _tell(directory, each, await certify(store, each, tools, network))
    finally:
        await tools.close()


def _tell(directory: Path, sealed: Sealed, certified: Certified | None) -> None:
    path = write_evidence(directory, sealed, certified)
    what = "the campaign" if sealed.test is None else sealed.test
    show(f"{path}: {what} up to event {sealed.document['events']}, {sealed.sha256}")
    if certified is not None:
        block = certified.proof.get("block_id")
        where = f"{certified.network} ({certified.backend})"
        show(f"  certified on {where} in block {block}: {certified.transaction}")


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
