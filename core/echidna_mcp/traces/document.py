"""Traces as JSON values, for tools."""

from __future__ import annotations

from typing import Any, assert_never

from echidna_mcp.abi.render import render_address
from echidna_mcp.traces.model import (
    CallTrace,
    Inner,
    LogTrace,
    MessageTrace,
    Named,
    SourceLine,
    StorageChange,
    Trace,
)


def trace_document(trace: Trace, *, deployment: bool) -> dict[str, Any]:
    """Return a trace as JSON values.

    `deployment` has what came before the sequence, null unless it is wanted. `calls`
    are those of the sequence, null for one that is left out; `question` is the call by
    which the test is judged, null if it is judged by the calls themselves.
    """
    question = trace.question
    return {
        "subject": trace.subject,
        "reason": trace.reason or None,
        "deployment": [_message(each) for each in trace.deployment]
        if deployment
        else None,
        "calls": [None if each is None else _message(each) for each in trace.messages],
        "question": None if question is None else _message(question),
    }


def _message(message: MessageTrace) -> dict[str, Any]:
    return {
        "sender": render_address(message.sender),
        "timeDelay": message.time_delay,
        "blockDelay": message.block_delay,
        "status": message.status.name,
        "gasUsed": message.gas_used,
        "failure": [_source(each) for each in message.failure],
        "trace": None if message.call is None else _call(message.call),
    }


def _source(place: SourceLine) -> dict[str, Any]:
    return {
        "path": place.path,
        "line": place.line,
        "source": [{"line": number, "text": text} for number, text in place.around],
    }


def _call(call: CallTrace) -> dict[str, Any]:
    return {
        "kind": call.kind,
        "contract": call.contract,
        "function": call.function,
        "arguments": _values(call.arguments),
        "address": render_address(call.address),
        "caller": render_address(call.caller),
        "value": str(call.value),
        "gasUsed": call.gas_used,
        "static": call.static,
        "mocked": call.mocked,
        "console": None if call.console is None else list(call.console),
        "status": call.status.name,
        "results": _values(call.results),
        "reason": call.reason or None,
        "overruled": call.overruled or None,
        "inner": [_inner(each) for each in call.inner],
        "hidden": call.hidden,
    }


def _inner(inner: Inner) -> dict[str, Any]:
    match inner:
        case CallTrace():
            return _call(inner)
        case LogTrace():
            return {
                "kind": "log",
                "name": inner.name or None,
                "arguments": _values(inner.arguments),
            }
        case StorageChange():
            return {
                "kind": "storage",
                "name": inner.name,
                "before": inner.before,
                "after": inner.after,
            }
        case _:
            assert_never(inner)


def _values(values: tuple[Named, ...]) -> list[dict[str, str]]:
    return [{"name": each.name, "value": each.value} for each in values]
