"""The one way to call a tool, whatever the transport."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from jsonschema import Draft7Validator

from echidna_mcp.contracts.toolspec import ToolSpec
from echidna_mcp.errors import (
    EchidnaMcpError,
    InvalidInputError,
    PermissionDeniedError,
    PluginError,
    ToolNotFoundError,
    ToolTimeoutError,
)
from echidna_mcp.tools.deadline import DeadlineExceededError, within
from echidna_mcp.tools.display import clean, sendable, shown
from echidna_mcp.tools.envelope import CODES
from echidna_mcp.tools.executions import ExecutionLog, ToolExecution
from echidna_mcp.tools.inputs import InputBuilder
from echidna_mcp.tools.principal import LOCAL, Principal
from echidna_mcp.tools.redaction import Redaction
from echidna_mcp.tools.rendering import OWN, ErrorRenderer, Failure
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import (
    CallContext,
    KeyedCommands,
    Paging,
    Progress,
    Tool,
)
from echidna_mcp.tools.unique import by_name
from echidna_mcp.tools.validation import ArgumentValidator
from echidna_mcp.wording import closest, did_you_mean, listed

_KEY = re.compile(r"[ -~]{1,128}")
"""The name that a client gives a command; a UUID has 36 characters."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What a call gave: a result or an error body, never both.

    Attributes:
        text: the content or the error as text: JSON, or the content itself if that is
            text. Always encodes as UTF-8.
        content: the output as JSON values, or None.
        error: the error body of the tool's family, or None.
        failure: what that body says, or None.
        warnings: what the tool wants the caller to know beside its result.
        meta: further metadata, JSON values.
        next_cursor: with what to ask for the rest; None if this is all.
    """

    text: str
    content: Any = None
    error: dict[str, Any] | None = None
    failure: Failure | None = None
    warnings: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    next_cursor: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return self.error is not None


@dataclass(frozen=True, slots=True)
class _Call:
    """Who called, what was sent, unchecked, and the name of the execution."""

    principal: Principal
    arguments: object
    progress: Progress | None
    key: object
    cursor: object
    exec_id: UUID


class ToolService:
    """Looks up, validates, times, calls and records.

    Attributes:
        executions: the latest calls and their latency.
    """

    def __init__(
        self,
        tools: Sequence[Tool],
        stage: Stage,
        *,
        renderers: Mapping[str, ErrorRenderer] | None = None,
        base: CallContext | None = None,
        strict_output: bool = False,
    ) -> None:
        """Prepare tools for calls.

        Args:
            tools: tools with different names and aliases.
            stage: brings what handlers may use that need a campaign.
            renderers: how failures look, by family; ours need none.
            base: what all others may use; what belongs to a call is added.
            strict_output: check results against the output schema. Costs up to tens of
                milliseconds for a large result; meant for tests and authors of tools.

        Raises:
            PluginError: two tools have the same name or alias, or there is no renderer
                for the family of one.
        """
        named = by_name("a tool named", tools, lambda tool: tool.spec.name)
        known = {OWN.name: OWN, **(renderers or {})}
        self._callables = {
            name: _Callable(tool, _renderer(tool.spec, known), strict_output)
            for name, tool in named.items()
        }
        self._aliases = _aliases([tool.spec for tool in named.values()])
        self._stage = stage
        self.executions = ExecutionLog()
        base = CallContext() if base is None else base
        self._base = replace(base, executions=self.executions)

    async def close(self) -> None:
        """Leave what handlers have entered for as long as there are tools."""
        await self._base.lifetime.aclose()

    def specs(self, principal: Principal | None = None) -> tuple[ToolSpec, ...]:
        """Return what the tools are, sorted by name.

        Args:
            principal: who asks, and is shown none that are not there for them.
        """
        specs = (callable_.spec for callable_ in self._callables.values())
        if principal is None:
            return tuple(specs)
        return tuple(spec for spec in specs if principal.may_call(spec.tier))

    async def call(
        self,
        name: str,
        arguments: object,
        progress: Progress | None = None,
        *,
        key: object = None,
        cursor: object = None,
        principal: Principal = LOCAL,
    ) -> ToolOutcome:
        """Call a tool and wait for its outcome.

        Never raises, except for the cancellation of the calling task.

        Args:
            name: name or alias of a tool.
            arguments: any value that a client sent; None means no arguments.
            progress: told how far a long call is, if anybody wants to know.
            key: any value by which a client names its command, so that to make the
                call again does nothing twice; None if it names none.
            cursor: the `next_cursor` of an outcome to go on from; None to begin.
            principal: who calls.
        """
        callable_ = None
        if isinstance(name, str):
            callable_ = self._callables.get(self._aliases.get(name, name))
        if callable_ is None:
            return self._not_found(name, principal)
        exec_id, start, clock = uuid4(), datetime.now(UTC), time.perf_counter()
        code: str | None = "CANCELLED"
        result = ""
        try:
            call = _Call(principal, arguments, progress, key, cursor, exec_id)
            outcome = await self._outcome(callable_, call)
            result = callable_.recorded_result(outcome)
            code = None if outcome.failure is None else outcome.failure.code
            if outcome.failure is not None:
                self._tell_refused(callable_.spec, arguments, outcome.failure)
        finally:
            self.executions.record(
                ToolExecution(
                    exec_id=exec_id,
                    tool=name,
                    start=start,
                    end=datetime.now(UTC),
                    duration=time.perf_counter() - clock,
                    success=code is None,
                    description=_described(
                        name, callable_.redaction.of_arguments(arguments)
                    ),
                    error=code,
                    result=result,
                )
            )
        return outcome

    async def _outcome(self, callable_: _Callable, call: _Call) -> ToolOutcome:
        spec = callable_.spec
        meta: Mapping[str, Any] = {}
        try:
            _check_tier(spec, call.principal)
            typed = callable_.typed(call.arguments)
            context = await self._context(spec, call)
            meta = context.meta
            return await callable_(typed, context)
        except EchidnaMcpError as error:
            known = error.code in CODES or error.code in spec.errors
            code = error.code if known else EchidnaMcpError.code
            outcome = callable_.failed(code, error.message, error.details)
            return replace(outcome, meta=meta)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise  # the client has gone
            return callable_.broken(call.exec_id, error)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - none may stop us
            return callable_.broken(call.exec_id, error)

    async def _context(self, spec: ToolSpec, call: _Call) -> CallContext:
        """Return what the handler of a call may use."""
        name, cursor = _key(call.key), _cursor(call.cursor)
        context: CallContext
        if not spec.needs_campaign:
            context = self._base
        else:
            campaign = await self._stage.context(call.progress)
            if name is not None:
                named = KeyedCommands(campaign.commands, name)
                campaign = replace(campaign, commands=named)
            context = replace(
                campaign,
                directories=self._base.directories,
                lifetime=self._base.lifetime,
            )
        context = replace(
            context,
            principal=call.principal,
            key=name,
            meta={},
            tools=self.specs(call.principal),
            warnings=[],
            paging=Paging(cursor),
        )
        if call.progress is not None:
            context = replace(context, progress=call.progress)
        return context

    def _tell_refused(
        self, spec: ToolSpec, arguments: object, failure: Failure
    ) -> None:
        """Have a failed call of a control tool stored, if there is a campaign."""
        context = self._stage.now
        if spec.category == "control" and context is not None:
            context.commands.refused(
                spec.name, sendable(arguments), failure.code, failure.message
            )

    def _not_found(self, name: object, principal: Principal) -> ToolOutcome:
        names = [spec.name for spec in self.specs(principal)]
        text = clean(name, 64) if isinstance(name, str) else ""
        close = closest(text, names, cutoff=0.5)
        hint = did_you_mean(close, f"the tools are {listed(names) or 'none'}.")
        return _failed(
            self._stranger(names),
            Failure(
                tool=text,
                code=ToolNotFoundError.code,
                message=f"There is no tool {shown(name)}; {hint}",
                details={"tool": name, "closest": close, "available": names},
            ),
        )

    def _stranger(self, names: Sequence[str]) -> ErrorRenderer:
        """Return how to say that there is no tool: in the words of the only family."""
        renderers = {self._callables[name].renderer for name in names}
        return renderers.pop() if len(renderers) == 1 else OWN


class _Callable:
    """A tool with everything that is prepared once."""

    def __init__(
        self, tool: Tool, renderer: ErrorRenderer, strict_output: bool
    ) -> None:
        self.spec = tool.spec
        self.renderer = renderer
        self.redaction = Redaction(tool.spec)
        self._handler = tool.handler
        self._arguments = ArgumentValidator(tool.spec)
        self._input = InputBuilder(tool.input_type)
        self._output = Draft7Validator(tool.spec.output_schema)
        self._strict = strict_output

    def typed(self, arguments: object) -> Any:
        """Return validated arguments as the dataclass that the handler takes."""
        return self._input.build(self._arguments.check(arguments))

    def failed(
        self, code: str, message: str, details: Mapping[str, Any]
    ) -> ToolOutcome:
        """Return the outcome of a call that failed."""
        failure = Failure(
            tool=self.spec.name, code=code, message=message, details=details
        )
        return _failed(self.renderer, failure)

    def broken(self, exec_id: UUID, error: BaseException) -> ToolOutcome:
        """Log an exception; tell the caller nothing but where to look."""
        tool = self.spec.name
        _logger.error("tool %s failed (execution %s)", tool, exec_id, exc_info=error)
        return self.failed(
            EchidnaMcpError.code,
            f"{tool} failed unexpectedly; "
            f"the server's log explains it under execution {exec_id}.",
            {"tool": tool, "execution": str(exec_id)},
        )

    def recorded_result(self, outcome: ToolOutcome) -> str:
        """Return the beginning of an outcome, without what may not be recorded."""
        hidden = self.redaction.of_result(outcome.content)
        same = hidden is outcome.content
        return clean(outcome.text if same else _text(sendable(hidden)))

    async def __call__(self, typed: Any, context: CallContext) -> ToolOutcome:
        try:
            content = await within(
                self.spec.timeout_ms / 1000, partial(self._handler, typed, context)
            )
        except DeadlineExceededError:
            harmless = self.spec.safety_level == "read-only"
            advice = (
                "try again, or ask for less."
                if harmless
                else "it may have had its effect, so look before you try again."
            )
            raise ToolTimeoutError(
                f"{self.spec.name} did not answer within {self.spec.timeout_ms} ms; "
                f"{advice}",
                tool=self.spec.name,
                timeoutMs=self.spec.timeout_ms,
            ) from None
        text = _text(content)
        if self._strict:
            # Validates what the client will see: a tuple is an array on the wire.
            self._output.validate(content if content is text else json.loads(text))
        return ToolOutcome(
            text=text,
            content=content,
            warnings=tuple(context.warnings),
            meta=context.meta,
            next_cursor=context.paging.following,
        )


def _described(name: str, arguments: object) -> str:
    """Return a call in a line: the tool, and what it was given."""
    given = sendable(arguments) if isinstance(arguments, Mapping) else {}
    told = json.dumps(given, ensure_ascii=False, separators=(", ", ": "))
    return clean(f"{name} {told}" if given else name)


def _key(key: object) -> str | None:
    """Return the name of a command; raise if it is none."""
    if key is None:
        return None
    if isinstance(key, str) and _KEY.fullmatch(key):
        return key
    raise InvalidInputError(
        "An idempotency key is a text of 1 to 128 printable ASCII characters, not "
        f"{shown(key)}.",
        key=sendable(key),
    )


def _cursor(cursor: object) -> str | None:
    """Return where an answer is to go on; raise if that can't be."""
    if cursor is None or isinstance(cursor, str):
        return cursor
    raise InvalidInputError(
        f"A cursor is the text that the answer before gave, not {shown(cursor)}.",
        cursor=sendable(cursor),
    )


def _text(content: Any) -> str:
    """Return content as text; raise if it is no JSON or no Unicode."""
    text = (
        content
        if isinstance(content, str)
        else json.dumps(
            content, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
    )
    text.encode()
    return text


def _check_tier(spec: ToolSpec, principal: Principal) -> None:
    """Refuse a call of a tool that is not there for a principal.

    Raises:
        PermissionDeniedError: names both tiers.
    """
    if not principal.may_call(spec.tier):
        raise PermissionDeniedError(
            f"{spec.name} is for the tier {spec.tier}, and yours is {principal.tier}; "
            "ask whoever runs the server for a token of that tier.",
            tool=spec.name,
            requiredTier=spec.tier,
            currentTier=principal.tier,
        )


def _aliases(specs: Sequence[ToolSpec]) -> dict[str, str]:
    """Return the names of tools by their aliases.

    Raises:
        PluginError: two tools answer to the same.
    """
    names = {spec.name: spec.name for spec in specs}
    aliases: dict[str, str] = {}
    for spec in specs:
        for alias in spec.aliases:
            other = {**names, **aliases}.get(alias, spec.name)
            if other != spec.name:
                raise PluginError(
                    f"The tools {other} and {spec.name} both answer to {alias!r}; "
                    "leave one of their plugins out of --plugins.",
                    tools=[other, spec.name],
                )
            if alias != spec.name:
                aliases[alias] = spec.name
    return aliases


def _renderer(spec: ToolSpec, known: Mapping[str, ErrorRenderer]) -> ErrorRenderer:
    if spec.family not in known:
        raise PluginError(
            f"No enabled plugin renders the errors of {spec.name}, which is of the "
            f"family {spec.family!r}; enable one that does with --plugins.",
            family=spec.family,
        )
    return known[spec.family]


def _failed(renderer: ErrorRenderer, failure: Failure) -> ToolOutcome:
    body = renderer.render(failure)
    return ToolOutcome(text=_text(body), error=body, failure=failure)
