"""`seal` and the checking of evidence."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from echidna_mcp.cli.commands.interruption import run_async
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.request.evidence import SealWishes
from echidna_mcp.errors import UsageError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.evidence.certification import (
    TOOLS,
    CertificationError,
    Certified,
    certify,
)
from echidna_mcp.evidence.checking import check_evidence
from echidna_mcp.evidence.file import write_evidence
from echidna_mcp.evidence.sealing import (
    Sealed,
    falsified_tests,
    seal_campaign,
    seal_findings,
)
from echidna_mcp.plugins.manager import PluginManager


def seal(directory: Path, wishes: SealWishes, *, err: bool = False) -> None:
    """Seal a campaign or its findings; print where the evidence is.

    What is sealed is in a file before anything is certified, so that it is there
    whatever becomes of that.

    Args:
        directory: of the campaign.
        wishes: what to seal, and whether to certify it.
        err: print to standard error.

    Raises:
        UsageError: there is nothing of that kind, a file can't be written, or a tool
            failed; then all others are certified before.
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
        for each in sealed:
            path = write_evidence(directory, each, None)
            what = "the campaign" if each.test is None else printable(each.test)
            events = each.document["events"]
            show(f"{path}: {what} up to event {events}, {each.sha256}", err=err)
        if wishes.network is not None:
            certifying = _certify_all(
                store, directory, sealed, wishes, wishes.network, err=err
            )
            _run(certifying)


def _run(work: Coroutine[None, None, None]) -> None:
    """Run something until its end; SIGTERM ends it in good order, as ctrl-C does.

    Raised wherever the loop is, as by the handler of the command line, an interrupt
    would be told as a failure of whatever it hits.
    """

    async def terminable() -> None:
        interrupt = partial(signal.raise_signal, signal.SIGINT)
        with suppress(NotImplementedError):  # Windows ends a process without asking.
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, interrupt)
        await work

    before = signal.getsignal(signal.SIGTERM)
    try:
        run_async(terminable())
    finally:
        work.close()  # A signal may have come before it began.
        signal.signal(signal.SIGTERM, before)


async def _certify_all(
    store: EventStore,
    directory: Path,
    sealed: Sequence[Sealed],
    wishes: SealWishes,
    network: str,
    *,
    err: bool,
) -> None:
    # Here, because they take long to import: not all evidence is certified.
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
    failures: list[str] = []
    try:
        for each in sealed:
            try:
                certified = await certify(store, each, tools, network)
            except CertificationError as error:
                again = wishes.command(directory, each.test)
                failures.append(
                    f"{error.message} The evidence is sealed; `{again}` certifies it."
                )
                continue
            path = write_evidence(directory, each, certified)
            show(f"{path}: {_where(certified)}", err=err)
    finally:
        await tools.close()
    if failures:
        raise CertificationError("\n".join(failures))


def _where(certified: Certified) -> str:
    """Return where something is certified, in a line."""
    place = f"{certified.network} ({certified.backend})"
    block = certified.proof.get("block_id")
    return printable(f"certified on {place} in block {block}: {certified.transaction}")


def check(path: Path, directory: Path | None) -> None:
    """Check a file of evidence; print what it proves.

    Args:
        path: the file.
        directory: of its campaign; None for the one above that of the file.

    Raises:
        UsageError: there is no such file.
        EvidenceError: a link is broken.
        StoreError: the store can't be read.
    """
    if not path.is_file():
        raise UsageError(f"There is no file {path}; check its name.")
    if directory is None:
        # Resolved, since a bare name has no parent but itself.
        directory = path.resolve().parent.parent
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
        printable(
            f"  Certified on {checked.certified.network}{note}: transaction "
            f"{checked.certified.transaction}, block {proof.get('block_id')}, "
            f"{proof.get('timestamp')}."
        )
    )
