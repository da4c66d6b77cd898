"""Tools as plugins provide them: a contract document and a handler for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from echidna_mcp.errors import InvalidInputError
from echidna_mcp.tools.display import shown
from echidna_mcp.tools.executions import ExecutionLog
from echidna_mcp.tools.principal import LOCAL, Principal
from echidna_mcp.tools.retelling import Retelling
from echidna_mcp.views.history import HistoryView

if TYPE_CHECKING:
    from pathlib import Path

    from echidna_mcp.contracts.toolspec import ToolSpec
    from echidna_mcp.reports.call_texts import CallTexts
    from echidna_mcp.reports.coverage_reports import CoverageReports
    from echidna_mcp.reports.machines import ExecutorStatistics
    from echidna_mcp.rounds.backend import BackendPlugin
    from echidna_mcp.views.campaign import CampaignViews
    from echidna_mcp.views.event_log import EventLog


@dataclass(frozen=True, slots=True)
class Receipt:
    """A command was accepted.

    Attributes:
        seq: position of the `CommandAccepted` event in the store.
        round: the round at which the command takes effect.
    """

    seq: int
    round: int


class CommandPort(Protocol):
    """The way to the campaign: the only thing a tool can write to."""

    async def submit(
        self,
        tool: str,
        args: Mapping[str, Any],
        message: str,
        *,
        key: str | None = None,
    ) -> Receipt:
        """Queue a command for the next round boundary and wait until it is stored.

        Args:
            tool: `inject_transaction`, `prioritize_function` or `clear_priorities`.
            args: arguments as validated by the contract document, defaults filled.
            message: one line for the command log.
            key: names the command, so that to submit it again does nothing twice; None
                if each call is one of its own.

        Raises:
            InvalidInputError: the key is that of another command.
            CampaignTerminatedError: the campaign has ended.
        """
        ...

    def refused(self, tool: str, args: Any, code: str, message: str) -> None:
        """Have it stored that a call of a control tool failed (FR-010).

        Nobody waits for that.

        Args:
            args: what was sent, as JSON values of bounded size.
            code, message: of the error.
        """
        ...


@dataclass(frozen=True, slots=True)
class KeyedCommands:
    """The way to the campaign for a call whose client has named its command."""

    port: CommandPort
    key: str

    async def submit(
        self,
        tool: str,
        args: Mapping[str, Any],
        message: str,
        *,
        key: str | None = None,
    ) -> Receipt:
        """Queue the command under its name; see `CommandPort.submit`."""
        return await self.port.submit(tool, args, message, key=key or self.key)

    def refused(self, tool: str, args: Any, code: str, message: str) -> None:
        """Have a failed call stored; see `CommandPort.refused`."""
        self.port.refused(tool, args, code, message)


def key_is_taken(key: str, tool: str) -> InvalidInputError:
    """Return what to raise if a command comes under the name of another one."""
    return InvalidInputError(
        f"The key {shown(key)} is that of another call, of {tool}; take a new key for "
        "each new call, and the same only to make a call again.",
        key=key,
    )


Progress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]
"""Tells the caller how far a call is: done, total if known, and a sentence."""


async def _unheard(_done: float, _total: float | None, _message: str | None) -> None:
    """Nobody wants to know."""


@dataclass(slots=True)
class Paging:
    """Where an answer begins and where the next one goes on, if one is not enough.

    Both are opaque to clients: they send back what they got.

    Attributes:
        cursor: what the client sent; None for the first page.
        following: what it has to send for the next page; None if there is none.
    """

    cursor: str | None = None
    following: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What the handler of any tool may use, with a campaign or without.

    Attributes:
        principal: who calls.
        tools: what the tools are that the principal can call.
        directories: what tools were told to read or keep their own data in, by name.
        executions: the latest calls of tools.
        read_only: nothing may be written, not even where a tool may write.
        lifetime: what a handler enters here is left when the tools are closed.
        key: the client's name for this call, if it gave one: the same call again has
            the same.
        warnings: what a handler wants the caller to know beside its result; each call
            has its own list, and transports send it as metadata of the result.
        meta: further metadata of the result, JSON values; likewise.
        paging: of this call.
        progress: tells the caller of a call that takes long how far it is; does nothing
            if the caller does not want to know.
    """

    principal: Principal = LOCAL
    tools: tuple[ToolSpec, ...] = ()
    directories: Mapping[str, Path] = field(default_factory=dict)
    executions: ExecutionLog = field(default_factory=ExecutionLog)
    read_only: bool = False
    lifetime: AsyncExitStack = field(default_factory=AsyncExitStack)
    key: str | None = None
    warnings: list[str] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    paging: Paging = field(default_factory=Paging)
    progress: Progress = _unheard


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext(CallContext):
    """What the handler of a tool may use that needs a campaign.

    Attributes:
        views: the campaign as of the last commit; read only.
        commands: the way to the campaign.
        logs: the newest events.
        reports: line and branch coverage, and LCOV.
        texts: stored calls as Solidity-like text.
        corpus_dir: the only directory in which a tool may write.
        history: how the counters of the campaign grew.
        retelling: what stored sequences do.
        machines: asked what the machines of the campaign did; None if it has none to
            speak of.
    """

    views: CampaignViews
    commands: CommandPort
    logs: EventLog
    reports: CoverageReports
    texts: CallTexts
    corpus_dir: Path
    retelling: Retelling
    history: HistoryView = field(default_factory=HistoryView)
    machines: Callable[[], ExecutorStatistics | None] = lambda: None

    @classmethod
    def create(
        cls,
        views: CampaignViews,
        commands: CommandPort,
        logs: EventLog,
        corpus_dir: Path,
        *,
        history: HistoryView | None = None,
        machines: Callable[[], ExecutorStatistics | None] = lambda: None,
        executions: ExecutionLog | None = None,
        read_only: bool = False,
        tools: tuple[ToolSpec, ...] = (),
        backend: BackendPlugin | None = None,
    ) -> ToolContext:
        """Return a context with caches of its own; keep it as long as the views.

        Sequences can be executed again on `backend`, that of the campaign, if given.
        """
        # Here, because they take long to import: a campaign starts without them.
        from echidna_mcp.reports.call_texts import CallTexts  # noqa: PLC0415
        from echidna_mcp.reports.coverage_reports import (  # noqa: PLC0415
            CoverageReports,
        )

        return cls(
            views=views,
            commands=commands,
            logs=logs,
            history=HistoryView() if history is None else history,
            machines=machines,
            executions=ExecutionLog() if executions is None else executions,
            reports=CoverageReports(views.target),
            texts=CallTexts(views.target),
            retelling=Retelling(views, backend),
            corpus_dir=corpus_dir,
            read_only=read_only,
            tools=tools,
        )


Handler: TypeAlias = Callable[[Any, Any], Awaitable[Any]]
"""Takes the generated input dataclass and the context; returns the generated output.

The context is a `ToolContext` if the tool needs a campaign, else a `CallContext`."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a plugin offers.

    Attributes:
        spec: what it is, from its contract document.
        input_type: the generated dataclass that validated arguments become.
        handler: what it does.
    """

    spec: ToolSpec
    input_type: type[Any]
    handler: Handler
