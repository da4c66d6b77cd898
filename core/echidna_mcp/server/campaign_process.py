"""The campaign process: a director behind a pipe.

The server sends commands and the wish to stop; it hears what became of them and how far
the store has grown. Everything else it reads from the store. When the pipe closes, the
server is gone and the campaign ends itself in good order.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from echidna_mcp.campaign.director import Director, StopReason
from echidna_mcp.campaign.executor import Executor
from echidna_mcp.campaign.reliable import ReliableExecutor
from echidna_mcp.campaign.start import (
    OpenCampaign,
    Provenance,
    new_campaign,
    resume_campaign,
)
from echidna_mcp.errors import (
    DefectError,
    EchidnaMcpError,
    StoreError,
    StoreInUseError,
    TargetError,
)
from echidna_mcp.events.event import Event
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor, pick_backend
from echidna_mcp.server.campaign_messages import (
    Accepted,
    AtWork,
    CampaignSpec,
    Committed,
    Crashed,
    FromCampaign,
    Opened,
    RecordRefusal,
    Refused,
    RequestStop,
    SubmitCommand,
    ToCampaign,
)
from echidna_mcp.views.command_log import CommandLog

logger = logging.getLogger(__name__)


def campaign_main(connection: Connection) -> None:
    """Run the campaign of the spec that comes first through the pipe, to its end."""
    logging.basicConfig(level=logging.WARNING)
    try:
        spec: CampaignSpec = connection.recv()
    except (EOFError, OSError):
        return  # There is no such campaign: what was asked for is refused.
    link = _Link(connection)
    try:
        plugins = PluginManager.load(spec.plugins)
        executor = make_executor(plugins.executors, spec.executor)
        try:
            _run(spec, plugins, executor, link)
        finally:
            executor.close()
    except DefectError as error:
        link.send(Crashed(error.message))
    except EchidnaMcpError as error:
        link.send(Refused(None, error.message, TargetError))


def _run(
    spec: CampaignSpec, plugins: PluginManager, executor: ReliableExecutor, link: _Link
) -> None:
    campaign = open_campaign(spec, plugins, executor)
    log = CommandLog(campaign.store)
    link.send(Opened(campaign.store.path))
    with campaign.store:
        log.catch_up()

        def told(events: Sequence[Event]) -> None:
            _log_commands(log, events)
            # Of a command the server hears as soon as `Accepted` answers it.
            if events[-1].type != "CommandAccepted":
                # Before the commit, of which clients are told.
                if (statistics := executor.statistics) is not None:
                    link.send(AtWork(statistics))
                link.send(Committed(events[-1].seq))

        director = Director(
            campaign.engine,
            campaign.store,
            executor,
            news=campaign.events,
            source=campaign.source,
            solver=campaign.solver,
            keep_going=spec.keep_going,
            observers=[told, plugins.events_committed],
        )
        link.send(Committed(campaign.store.count))
        if campaign.opened:
            plugins.events_committed(campaign.opened)
        listener = threading.Thread(
            target=link.listen, args=(director,), name="commands", daemon=True
        )
        listener.start()
        gc.freeze()  # Looking for garbage in all this would hold up commands for 60 ms.
        if campaign.engine.views.progress.stopped is None:
            director.run()


def _log_commands(log: CommandLog, events: Sequence[Event]) -> None:
    """Write the command log; the store is the truth, so a failure is only told."""
    try:
        for event in events:
            log.apply(event)
    except StoreError as error:
        logger.error("%s It is completed at the next start.", error.message)  # noqa: TRY400


def open_campaign(
    spec: CampaignSpec, plugins: PluginManager, executor: Executor
) -> OpenCampaign:
    """Start the campaign of a spec, or take it up from its store.

    If another process has taken that store meanwhile, it begins elsewhere.
    """
    backend = pick_backend(plugins.backends, spec.backend)
    provenance = Provenance(
        backend=spec.backend,
        executor=spec.executor,
        plugins=plugins.loaded,
    )

    def begin(store: Path) -> OpenCampaign:
        assert spec.program is not None
        assert spec.config is not None
        return new_campaign(
            store,
            spec.program,
            spec.config,
            backend=backend,
            executor=executor,
            provenance=provenance,
            ancestors=spec.ancestors,
            corpus=spec.corpus,
            nice=spec.nice,
            root=spec.root,
            world=spec.world,
            solvers=plugins.solvers,
        )

    try:
        if spec.resume:
            return resume_campaign(
                spec.store,
                backend,
                executor,
                provenance,
                nice=spec.nice,
                root=spec.root,
                solvers=plugins.solvers,
            )
        return begin(spec.store)
    except StoreInUseError:
        if spec.otherwise is None:
            raise
        return begin(spec.otherwise)


class _Link:
    """The campaign's end of the pipe; two threads send."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def send(self, message: FromCampaign) -> None:
        """Tell the server; silence if it is gone, `listen` notices that."""
        with self._lock, contextlib.suppress(OSError):
            self._connection.send(message)

    def listen(self, director: Director) -> None:
        """Pass commands on until the server closes the pipe."""
        while True:
            try:
                message: ToCampaign = self._connection.recv()
            except (EOFError, OSError):
                director.request_stop(StopReason.Killed)
                return
            match message:
                case RequestStop(reason, at_once):
                    director.request_stop(StopReason[reason], at_once=at_once)
                case SubmitCommand():
                    self._submit(director, message)
                case RecordRefusal():
                    director.record_refusal(message.payload)

    def _submit(self, director: Director, command: SubmitCommand) -> None:
        try:
            receipt = director.accept(
                command.tool, command.args, command.message, key=command.key
            )
        except EchidnaMcpError as error:
            self.send(Refused(command.key, error.message, type(error)))
        else:
            self.send(Accepted(command.key, receipt.seq, receipt.round))
