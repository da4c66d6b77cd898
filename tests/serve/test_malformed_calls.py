"""SC-008 on a live server: malformed input gives an ErrorResponse and nothing else.

What a call is made of comes from the input schemas and from around them. What a schema
accepts is malformed only if it can mean nothing to the campaign, so those parts are
made here, by hand, from text that is no call, no signature, no amount, no path.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from live_server import RawClient, until
from mcp import Client
from tool_results import TOOLS, check_error, error_of

from echidna_mcp.contracts import load_bundle

pytestmark = [pytest.mark.solc, pytest.mark.servers]

SPECS = load_bundle().tools
INPUTS_A_TOOL = 200
AT_ONCE = 20

Arguments = dict[str, Any]

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**300), 2**300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | st.sampled_from(["0x", "-1", "1e18", "f(", "f()", "\0", "💥" * 300, "9" * 400])
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=5,
)

# A bracket that nothing opens, a NUL, a type that is none: no call and no signature.
NO_ARGUMENT = st.sampled_from(
    ["0xZZ", "]", "1..2", '"open', "'", "1 foot", "0x123g", ",", "(1", "{", "-", "\0"]
)
BROKEN_CALL = st.builds(
    "{}({})".format,
    st.sampled_from(["add", "unlock", "deposit", "note", "nobody", "retire"]),
    st.builds("{}, {}".format, NO_ARGUMENT, TEXT) | NO_ARGUMENT,
)
WRONG_CALL = st.sampled_from(
    [
        "unlock()",
        "unlock(-1)",
        f"unlock({2**256})",
        "unlock(true)",
        'unlock("1")',
        "unlock([1])",
        "unlock(1, 2)",
        "add(1)",
        "deposit(1)",
        "note(7)",
        f"retire(0x{'11' * 21})",
        "retire(1)",
        "nobody()",
        "echidna_pays_everyone()",
        "constructor()",
    ]
)
NO_SIGNATURE = st.builds(
    "{}({})".format,
    st.sampled_from(["add", "unlock", "nobody"]),
    st.sampled_from(
        ["uint257", "int0", "bytes33", "uint256 x y", "uint256[0]", "u int", "1", "]"]
    )
    | st.builds("{}]".format, TEXT),
)
NO_AMOUNT = st.sampled_from(["", "-1", "1.5", "0x10", "1 ether", "٣", "9" * 80])
NO_PATH = st.builds("/{}".format, TEXT) | st.sampled_from(
    ["", ".", "..", "a/../../b.info", "a.sh", "a\0.info", "campaign.db", "x/" * 2000]
)
ADDRESS = "0x0000000000000000000000000000000000010000"


def one_wrong(**members: st.SearchStrategy[str]) -> st.SearchStrategy[Arguments]:
    """Return arguments with one of the members."""
    return st.one_of(
        *(st.fixed_dictionaries({name: value}) for name, value in members.items())
    )


# Accepted by the schema, refused by what the tool knows.
MEANINGLESS: dict[str, st.SearchStrategy[Arguments]] = {
    "show_coverage": one_wrong(contract=TEXT.map("No {}".format)),
    "dump_lcov": one_wrong(outputPath=NO_PATH),
    "find_transaction_in_corpus": one_wrong(
        functionSignature=NO_SIGNATURE, minValue=NO_AMOUNT
    ),
    "inject_transaction": st.fixed_dictionaries(
        {"sequence": st.lists(BROKEN_CALL | WRONG_CALL, min_size=1, max_size=3)}
    )
    | st.just({"sequence": ["deposit()"], "value": str(2**256)})
    | st.just({"sequence": ['note("' + "x" * 200_000 + '")']}),
    "prioritize_function": one_wrong(functionSignature=NO_SIGNATURE)
    | st.just({"functionSignature": f"f({'uint256,' * 500}bool)"}),
}


def around(name: str) -> st.SearchStrategy[Arguments]:
    """Return real arguments with some spoilt or added; most are refused by schema."""
    known = list(SPECS[name].input_schema.get("properties", {}))
    example = dict(SPECS[name].examples[0].input)
    spoilt = st.dictionaries(st.sampled_from([*known, "more", ""]), JUNK, min_size=1)
    return spoilt.map(lambda junk: {**example, **junk}) | st.dictionaries(
        TEXT | st.sampled_from([*known, "sender", "value"]), JUNK, max_size=3
    )


def malformed(name: str) -> list[Arguments]:
    """Return different malformed arguments, the same at every run."""
    accepts = Draft7Validator(SPECS[name].input_schema).is_valid
    refused = around(name).filter(lambda arguments: not accepts(arguments))
    strategy = MEANINGLESS.get(name, st.nothing()) | refused
    found: list[Arguments] = []

    @settings(
        max_examples=2 * INPUTS_A_TOOL,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(arguments: Arguments) -> None:
        if arguments not in found:
            found.append(arguments)

    collect()
    return found[:INPUTS_A_TOOL]


async def in_batches(calls: list[Callable[[], Any]]) -> list[Any]:
    answers: list[Any] = []
    for start in range(0, len(calls), AT_ONCE):
        batch = (call() for call in calls[start : start + AT_ONCE])
        answers += await asyncio.gather(*batch)
    return answers


@pytest.fixture(scope="module")
def going_on(lab):
    """The campaign goes on after all of it, and took no command from it."""
    commands = len(lab.commands)
    with RawClient(lab.url) as client:
        before = client.call("show_coverage")["round"]
    yield
    assert len(lab.commands) == commands
    with RawClient(lab.url) as client:
        until(lambda: client.call("show_coverage")["round"] > before + 2, "more rounds")
    assert "Traceback" not in lab.stderr


@pytest.mark.parametrize("name", TOOLS)
async def test_every_malformed_input_gives_an_error_response(lab, going_on, name):
    inputs = malformed(name)
    assert len(inputs) == INPUTS_A_TOOL
    async with Client(lab.url) as client:
        answers = await in_batches(
            [lambda one=one: client.call_tool(name, one) for one in inputs]
        )
    for arguments, answer in zip(inputs, answers, strict=True):
        assert answer.is_error, (arguments, answer)
        error = error_of(answer)
        assert error["code"] in {"INVALID_INPUT", "PARSE_ERROR"}, (arguments, error)
        assert len(str(error)) < 8_000
    schema = Draft7Validator(SPECS[name].input_schema)
    passed_the_schema = sum(schema.is_valid(arguments) for arguments in inputs)
    assert (passed_the_schema >= 20) == (name in MEANINGLESS)


# What the official client would not send.
UNSPEAKABLE = [
    b'{"count": NaN}',
    b'{"count": 1e999}',
    b'{"count": ' + b"9" * 5_000 + b"}",
    b'{"count": "\\ud800"}',
    b'{"count": "\xff"}',
    b'{"a":' * 2_000 + b"1" + b"}" * 2_000,
    b'{"count": 1, "count": "x"}',
    b"[1, 2]",
    b'"text"',
    b"7",
    b"{",
]


@pytest.mark.parametrize("arguments", UNSPEAKABLE, ids=lambda raw: repr(raw[:20]))
def test_what_is_no_request_is_refused_too(lab, going_on, arguments):
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_logs",'
        b'"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
        b'"io.modelcontextprotocol/clientCapabilities":{}},"arguments":%b}}' % arguments
    )
    with RawClient(lab.url) as client:
        status, answer = client.post(body, "read_logs")
        if "error" in answer:  # no tool was called
            assert 400 <= status < 500
            assert answer["error"]["code"] in {-32700, -32600, -32602}
        else:
            assert answer["result"]["isError"]
            check_error(_envelope(answer["result"]))
        assert client.call("get_corpus_size")["size"] > 0


def test_a_tool_that_there_is_not(lab, going_on):
    with RawClient(lab.url) as client:
        _, answer = client.send("read_log", {})
    error = check_error(_envelope(answer["result"]))
    assert error["code"] == "TOOL_NOT_FOUND"
    assert "read_logs" in error["details"]["closest"]


def _envelope(result: dict[str, Any]) -> Any:
    return json.loads(result["content"][0]["text"])
