"""Calls through the tool service: typed, timed, recorded, and never an exception."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import fields, replace
from pathlib import Path

import pytest
from jsonschema import Draft7Validator
from no_campaign import empty_context

from echidna_mcp._generated.inputs import ReadLogsInput
from echidna_mcp._generated.tools import (
    FIELD_NAMES,
    INPUT_TYPES,
    clear_priorities_tool,
    dump_lcov_tool,
    find_transaction_in_corpus_tool,
    get_corpus_size_tool,
    inject_transaction_tool,
    read_logs_tool,
)
from echidna_mcp.contracts import load_bundle
from echidna_mcp.contracts.naming import field_name
from echidna_mcp.errors import (
    CallSyntaxError,
    CampaignTerminatedError,
    EchidnaMcpError,
    PluginError,
    StoreError,
)
from echidna_mcp.tools.envelope import STATUS
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage

ERROR = Draft7Validator(
    json.loads(
        (Path(__file__).parents[2] / "contracts" / "error.json").read_text("utf-8")
    )
)


@pytest.fixture
def context():
    return empty_context()


def raising(error):
    async def handler(_args, _context):
        raise error

    return handler


def giving(value):
    async def handler(_args, _context):
        return value

    return handler


def failure(outcome):
    """Return the error of an outcome, checked against the required envelope."""
    assert outcome.is_error
    assert outcome.content is None
    ERROR.validate(outcome.error)
    assert json.loads(outcome.text) == outcome.error
    outcome.text.encode()
    return outcome.error["error"]


async def echo(args, _context):
    return {"events": [], "totalCount": args.count, "args": repr(args)}


# ------------------------------------------------------------------ typed input


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (None, ReadLogsInput()),
        ({}, ReadLogsInput(count=100, event_type=None, worker_id=None)),
        ({"count": 50}, ReadLogsInput(count=50)),
        ({"count": 50.0}, ReadLogsInput(count=50)),
        (
            {"eventType": "WorkerStopped", "workerId": 0},
            ReadLogsInput(event_type="WorkerStopped", worker_id=0),
        ),
    ],
)
async def test_arguments_become_the_typed_input_with_defaults(
    context, arguments, expected
):
    seen = []

    async def handler(args, _context):
        seen.append(args)
        return {"events": [], "totalCount": 0}

    outcome = await ToolService([read_logs_tool(handler)], Stage(context)).call(
        "read_logs", arguments
    )
    assert not outcome.is_error
    assert seen == [expected]
    assert type(seen[0].count) is int


async def test_arrays_become_tuples_that_a_handler_cannot_change(context):
    seen = []

    async def handler(args, _context):
        seen.append(args)
        return {"success": True, "message": "", "injectedCount": 1}

    service = ToolService([inject_transaction_tool(handler)], Stage(context))
    await service.call("inject_transaction", {"sequence": ["f()"]})
    assert seen[0].sequence == ("f()",)
    assert seen[0].sender is None
    assert seen[0].value == "0"


def test_the_emitted_field_names_are_the_rule_and_the_fields():
    assert set(FIELD_NAMES) == set(INPUT_TYPES) == set(load_bundle().tools)
    for name, names in FIELD_NAMES.items():
        assert all(field == field_name(json_name) for json_name, field in names.items())
        declared = {field.name for field in fields(INPUT_TYPES[name])}
        assert set(names.values()) == declared


# ------------------------------------------------------------------ results


async def test_content_is_also_text(context):
    service = ToolService(
        [
            get_corpus_size_tool(giving({"size": 50})),
            dump_lcov_tool(giving("TN:\nSF:Ä.sol\n")),
        ],
        Stage(context),
        strict_output=True,
    )
    outcome = await service.call("get_corpus_size", {})
    assert (outcome.content, outcome.text) == ({"size": 50}, '{"size":50}')
    outcome = await service.call("dump_lcov", {})
    assert outcome.content == outcome.text == "TN:\nSF:Ä.sol\n"


async def test_each_call_has_its_own_warnings(context):
    async def handler(_args, given):
        given.warnings.append("a snapshot")
        return ""

    service = ToolService([dump_lcov_tool(handler)], Stage(context))
    for _ in range(2):
        outcome = await service.call("dump_lcov", {})
        assert outcome.warnings == ("a snapshot",)
    assert context.warnings == []


@pytest.mark.parametrize(
    "output", [{"size": -1}, {}, [], float("nan"), {"size": {1, 2}}, "\ud800", None]
)
async def test_strict_output_refuses_what_the_document_does_not_promise(
    context, output, caplog
):
    tools = [get_corpus_size_tool(giving(output))]
    service = ToolService(tools, Stage(context), strict_output=True)
    assert (
        failure(await service.call("get_corpus_size", {}))["code"] == "INTERNAL_ERROR"
    )
    assert caplog.records[0].exc_info


@pytest.mark.parametrize("output", [{"size": float("nan")}, {"size": b"1"}, "\udfff"])
async def test_a_result_that_cannot_be_sent_is_an_internal_error(
    context, output, caplog
):
    service = ToolService([get_corpus_size_tool(giving(output))], Stage(context))
    assert (
        failure(await service.call("get_corpus_size", {}))["code"] == "INTERNAL_ERROR"
    )
    assert len(caplog.records) == 1


# ------------------------------------------------------------------ failures


@pytest.mark.parametrize(
    ("tool", "arguments", "path", "words"),
    [
        ("read_logs", {"count": True}, "count", ["'count'", "an integer", "got true"]),
        ("read_logs", {"count": "9"}, "count", ["an integer", 'got "9"']),
        ("read_logs", {"count": 2501}, "count", ["1 to 2500", "got 2501"]),
        ("read_logs", {"count": 1.5}, "count", ["an integer", "got 1.5"]),
        ("read_logs", {"workerId": -1}, "workerId", ["at least 0", "got -1"]),
        ("read_logs", {"eventType": "x"}, "eventType", ['"WorkerStarted"', 'got "x"']),
        ("read_logs", {"cuont": 1}, "cuont", ["did you mean 'count'", "eventType"]),
        ("read_logs", {"count": None}, "count", ["an integer", "got null"]),
        ("read_logs", [], "", ["an object", "got an empty array"]),
        ("read_logs", "count", "", ["an object", 'got "count"']),
        ("read_logs", 5, "", ["an object", "got 5"]),
        ("get_corpus_size", {"a": 1}, "a", ['takes no "a"', "it takes none"]),
        (
            "find_transaction_in_corpus",
            {},
            "",
            ["at least one of functionSignature, sender or minValue"],
        ),
        (
            "find_transaction_in_corpus",
            {"sender": "0x" + "1" * 40 + "\n"},
            "sender",
            ["^0x[0-9a-fA-F]{40}$"],
        ),
        ("inject_transaction", {}, "sequence", ["needs 'sequence'", "an array"]),
        ("inject_transaction", {"sequence": []}, "sequence", ["1 to 100 items"]),
        (
            "inject_transaction",
            {"sequence": ["f()"] * 101},
            "sequence",
            ["1 to 100 items", "got an array of 101 items"],
        ),
        (
            "inject_transaction",
            {"sequence": ["f()", "nonsense"]},
            "sequence[1]",
            ["for example", "transfer(", 'got "nonsense"'],
        ),
        (
            "inject_transaction",
            {"sequence": ["f()"], "value": "0x1"},
            "value",
            ["^[0-9]+$", "ETH value in wei"],
        ),
    ],
)
async def test_invalid_input_says_which_argument_what_is_wrong_and_what_is_expected(
    context, tool, arguments, path, words
):
    service = ToolService(
        [
            read_logs_tool(echo),
            get_corpus_size_tool(echo),
            find_transaction_in_corpus_tool(echo),
            inject_transaction_tool(echo),
        ],
        Stage(context),
    )
    error = failure(await service.call(tool, arguments))
    assert error["code"] == "INVALID_INPUT"
    assert error["details"]["path"] == path
    assert error["details"]["expected"]
    assert tool in error["message"]
    for word in words:
        assert word in error["message"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("read_log", "did you mean read_logs?"),
        ("fuzz_it", "the tools are dump_lcov and read_logs."),
        ("", "the tools are dump_lcov and read_logs."),
        ("\ud800" * 5000, "the tools are dump_lcov and read_logs."),
        (None, "There is no tool null;"),
        (["read_logs"], "There is no tool an array of 1 items;"),
    ],
)
async def test_an_unknown_tool_is_answered_with_the_closest(context, name, words):
    service = ToolService([read_logs_tool(echo), dump_lcov_tool(echo)], Stage(context))
    error = failure(await service.call(name, {}))
    assert error["code"] == "TOOL_NOT_FOUND"
    assert words in error["message"]
    assert error["details"]["available"] == ["dump_lcov", "read_logs"]
    assert len(error["message"]) < 500


class OwnError(EchidnaMcpError):
    code = "OUT_OF_COFFEE"


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (CallSyntaxError("Argument 1 is no address.", position=9), "PARSE_ERROR"),
        (CampaignTerminatedError("The campaign has ended."), "CAMPAIGN_TERMINATED"),
        (StoreError("The store can't be read."), "INTERNAL_ERROR"),
        (OwnError("Brew some."), "INTERNAL_ERROR"),
    ],
)
async def test_expected_errors_reach_the_caller_as_they_are(
    context, raised, code, caplog
):
    service = ToolService([clear_priorities_tool(raising(raised))], Stage(context))
    error = failure(await service.call("clear_priorities", {}))
    assert error == {
        "code": code,
        "message": raised.message,
        "details": {**raised.details, "status": STATUS[code]},
    }
    assert caplog.records == []


async def test_a_code_that_a_document_names_is_kept(context):
    tool = clear_priorities_tool(raising(OwnError("Brew some.")))
    tool = replace(tool, spec=replace(tool.spec, errors=("OUT_OF_COFFEE",)))
    outcome = await ToolService([tool], Stage(context)).call("clear_priorities", {})
    assert outcome.error["error"]["code"] == "OUT_OF_COFFEE"


@pytest.mark.parametrize(
    "raised",
    [
        RuntimeError("secret"),
        ValueError("secret"),
        RecursionError("secret"),
        TimeoutError("secret"),
        KeyError("secret"),
        SystemExit("secret"),
        asyncio.CancelledError("secret"),
        ExceptionGroup("secret", [ValueError("secret")]),
    ],
)
async def test_any_other_exception_is_logged_and_not_told(context, raised, caplog):
    service = ToolService([clear_priorities_tool(raising(raised))], Stage(context))
    outcome = await service.call("clear_priorities", {})
    error = failure(outcome)
    assert error["code"] == "INTERNAL_ERROR"
    assert "secret" not in outcome.text
    assert "Traceback" not in outcome.text
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.exc_info[1] is raised
    assert error["details"]["execution"] in record.getMessage()
    (execution,) = service.executions.recent()
    assert str(execution.exec_id) == error["details"]["execution"]


async def test_a_handler_that_is_not_async_is_an_internal_error(context, caplog):
    def handler(_args, _context):
        return {"size": 1}

    service = ToolService([get_corpus_size_tool(handler)], Stage(context))
    assert (
        failure(await service.call("get_corpus_size", {}))["code"] == "INTERNAL_ERROR"
    )


async def test_details_of_any_kind_can_be_sent(context):
    loop = {}
    loop["self"] = loop
    raised = CallSyntaxError(
        "\ud800" + "x" * 5000,
        nan=float("nan"),
        big=10**6000,
        deep=loop,
        raw=b"1",
        text="y" * 5000,
        many=list(range(1000)),
        keys={1: 2, "\udc00": 3},
    )
    service = ToolService([clear_priorities_tool(raising(raised))], Stage(context))
    outcome = await service.call("clear_priorities", {})
    failure(outcome)
    assert len(outcome.text) < 5000
    json.loads(outcome.text, parse_constant=pytest.fail)


# ------------------------------------------------------------------ deadline


def slow_tool(handler, timeout_ms):
    tool = get_corpus_size_tool(handler)
    return replace(tool, spec=replace(tool.spec, timeout_ms=timeout_ms))


async def test_a_slow_tool_is_cut_off_at_its_deadline(context):
    cancelled = asyncio.Event()

    async def handler(_args, _context):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    service = ToolService([slow_tool(handler, 20)], Stage(context))
    error = failure(await service.call("get_corpus_size", {}))
    assert error["code"] == "EXECUTION_TIMEOUT"
    assert "get_corpus_size did not answer within 20 ms" in error["message"]
    assert error["details"] == {
        "tool": "get_corpus_size",
        "timeoutMs": 20,
        "status": 504,
    }
    assert cancelled.is_set()
    (execution,) = service.executions.recent()
    assert 0.015 < execution.duration < 5
    assert execution.error == "EXECUTION_TIMEOUT"


async def test_a_client_that_leaves_cancels_its_call(context):
    started = asyncio.Event()

    async def handler(_args, _context):
        started.set()
        await asyncio.sleep(60)

    service = ToolService([slow_tool(handler, 60_000)], Stage(context))
    task = asyncio.create_task(service.call("get_corpus_size", {}))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (execution,) = service.executions.recent()
    assert (execution.success, execution.error) == (False, "CANCELLED")


async def test_calls_run_side_by_side(context):
    gate = asyncio.Barrier(3)

    async def handler(_args, _context):
        await gate.wait()
        return {"size": 1}

    service = ToolService([slow_tool(handler, 5_000)], Stage(context))
    outcomes = await asyncio.gather(
        *(service.call("get_corpus_size", {}) for _ in range(3))
    )
    assert [outcome.content for outcome in outcomes] == [{"size": 1}] * 3


# ------------------------------------------------------------------ registry


def test_specs_are_sorted_by_name(context):
    tools = [read_logs_tool(echo), dump_lcov_tool(echo), get_corpus_size_tool(echo)]
    names = [spec.name for spec in ToolService(tools, Stage(context)).specs()]
    assert names == ["dump_lcov", "get_corpus_size", "read_logs"]


def test_two_tools_of_one_name_are_refused(context):
    with pytest.raises(PluginError, match="named 'read_logs'"):
        ToolService([read_logs_tool(echo), read_logs_tool(echo)], Stage(context))
