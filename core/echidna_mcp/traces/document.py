"""Traces as JSON values, for tools."""

from __future__ import annotations

from functools import partial
from typing import Any, assert_never

from echidna_mcp.abi.render import render_address
from echidna_mcp.evm.frames import StorageWrite
from echidna_mcp.traces.model import (
    CallTrace,
    DestructionTrace,
    Inner,
    LogTrace,
    MessageTrace,
    Named,
    SourceLine,
    StorageChange,
    Trace,
)


def trace_document(
    trace: Trace, *, deployment: bool, raw: bool = False
) -> dict[str, Any]:
    """Return a trace as JSON values.

    `confirmed` is what the reference has said when the sequence was found, null if that
    is not stored. `deployment` has what came before the sequence, null unless it is
    wanted. `calls` are those of the sequence, null for one that is left out; `question`
    is the call by which the test is judged, null if it is judged by the calls
    themselves.

    Args:
        trace: it.
        deployment: whether that is wanted.
        raw: whether calls and logs have their bytes as well: `data` and `output`, null
            for the code of creations; `topics` and `data`; the `slot` of a change of
            storage and its `words`, before and after.
    """
    message = partial(_message, raw=raw)
    question = trace.question
    return {
        "subject": trace.subject,
        "reason": trace.reason or None,
        "confirmed": trace.confirmation or None,
        "deployment": [message(each) for each in trace.deployment]
        if deployment
        else None,
        "calls": [None if each is None else message(each) for each in trace.messages],
        "question": None if question is None else message(question),
    }


def _message(message: MessageTrace, *, raw: bool) -> dict[str, Any]:
    return {
        "sender": render_address(message.sender),
        "timeDelay": message.time_delay,
        "blockDelay": message.block_delay,
        "status": message.status.name,
        "gasUsed": message.gas_used,
        "failure": [_source(each) for each in message.failure],
        "trace": None if message.call is None else _call(message.call, raw=raw),
    }


def _source(place: SourceLine) -> dict[str, Any]:
    return {
        "path": place.path,
        "line": place.line,
        "source": [{"line": number, "text": text} for number, text in place.around],
    }


def _call(call: CallTrace, *, raw: bool) -> dict[str, Any]:
    return {
        "kind": call.kind,
        "contract": call.contract,
        "function": call.function,
        "arguments": _values(call.arguments),
        "address": render_address(call.address),
        "callee": render_address(call.callee),
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
        "inner": [_inner(each, raw=raw) for each in call.inner],
        "hidden": call.hidden,
        **(_raw_call(call) if raw else {}),
    }


def _raw_call(call: CallTrace) -> dict[str, Any]:
    is_code = call.creates and call.status.succeeded
    return {
        "data": None if call.creates else f"0x{call.data.hex()}",
        "output": None if is_code else f"0x{call.output.hex()}",
    }


def _inner(inner: Inner, *, raw: bool) -> dict[str, Any]:
    match inner:
        case CallTrace():
            return _call(inner, raw=raw)
        case LogTrace():
            return {
                "kind": "log",
                "name": inner.name or None,
                "arguments": _values(inner.arguments),
                **(_raw_log(inner) if raw else {}),
            }
        case StorageChange():
            return {
                "kind": "storage",
                "name": inner.name,
                "before": inner.before,
                "after": inner.after,
                **(_raw_change(inner.write) if raw else {}),
            }
        case DestructionTrace():
            return {
                "kind": "selfdestruct",
                "heir": inner.heir,
                "address": render_address(inner.address),
                "value": str(inner.amount),
            }
        case _:
            assert_never(inner)


def _raw_log(log: LogTrace) -> dict[str, Any]:
    return {
        "topics": [f"0x{topic.hex()}" for topic in log.topics],
        "data": f"0x{log.data.hex()}",
    }


def _raw_change(write: StorageWrite) -> dict[str, Any]:
    return {
        "slot": f"{write.slot:#x}",
        "words": [f"{write.before:#x}", f"{write.after:#x}"],
    }


def _values(values: tuple[Named, ...]) -> list[dict[str, str]]:
    return [{"name": each.name, "value": each.value} for each in values]
