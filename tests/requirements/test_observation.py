"""Requirements on what agents can see, over HTTP, each test named after its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from live_server import LiveServer, RawClient, live_server, stored, until

from echidna_mcp.views.event_log import CAPACITY
from echidna_mcp_plugins.transports.mcp_tools import CURSOR, NEXT_CURSOR

OPTIONS = (
    *("--workers", 3, "--round-budget", 2_000, "--seed", 2**60),
    *("--executor", "inline"),
)
PRIORITIZED = "deposit()"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A campaign with more events than the log holds, short rounds, big numbers."""
    directory = tmp_path_factory.mktemp("observed") / "campaign"
    with live_server(directory, *OPTIONS) as server:
        with RawClient(server.url) as client:
            client.call("prioritize_function", functionSignature=PRIORITIZED)
            full = {"totalCount": CAPACITY}
            until(
                lambda: full.items() <= client.call("read_logs", count=1).items(),
                "a full log",
            )
            until(
                lambda: (
                    not client.call("read_logs", eventType="WorkerStarted")["events"]
                ),
                "a log that the first events have left",
            )
        yield server


@pytest.fixture
def client(server: LiveServer) -> Iterator[RawClient]:
    with RawClient(server.url) as client:
        yield client


def result_of(client: RawClient, tool: str, **more: Any) -> dict[str, Any]:
    """Return a whole result, metadata included."""
    _, answer = client.send(tool, more.pop("arguments", {}), **more)
    assert not answer["result"].get("isError"), answer
    result: dict[str, Any] = answer["result"]
    return result


def test_fr_001_gives_2500_events_to_who_asks_for_them(client: RawClient) -> None:
    result = result_of(client, "read_logs", arguments={"count": 2500})
    events = result["structuredContent"]["events"]
    assert len(events) == 2500
    assert json.loads(result["content"][0]["text"])["events"] == events
    assert len(json.dumps(result)) < 1 << 20
    assert "in short" in result["_meta"]["warning"]
    assert NEXT_CURSOR not in result["_meta"]


def test_fr_001_tells_of_100_events_by_default_in_pages_of_10_000_characters(
    client: RawClient,
) -> None:
    newest, cursor = None, {}
    while newest is None or cursor:
        result = result_of(client, "read_logs", **cursor)
        text = result["content"][0]["text"]
        assert len(text) < 10_000
        seqs = [event["seq"] for event in json.loads(text)["events"]]
        newest = newest or seqs[0]
        following = result["_meta"].get(NEXT_CURSOR)
        cursor = {CURSOR: following} if following else {}
    assert newest - 100 < seqs[-1] < newest - 50


def test_fr_001_gives_100_events_of_a_type_within_25_000_tokens(
    client: RawClient,
) -> None:
    asked = {"eventType": "TransactionExecuted"}
    text = result_of(client, "read_logs", arguments=asked)["content"][0]["text"]
    assert len(json.loads(text)["events"]) == 100
    assert len(text.encode()) <= 40_200


def test_fr_001_gives_whole_data_page_by_page_to_who_names_a_type(
    client: RawClient,
) -> None:
    asked = {"count": 2500, "eventType": "TransactionExecuted"}
    result = result_of(client, "read_logs", arguments=asked)
    assert all("gasUsed" in e["data"] for e in result["structuredContent"]["events"])
    seqs = [event["seq"] for event in result["structuredContent"]["events"]]
    cursor = f"{seqs[0] + 1}.3"  # What an answer gives that had no room for more.
    again = result_of(client, "read_logs", arguments=asked, **{CURSOR: cursor})
    assert [e["seq"] for e in again["structuredContent"]["events"]] == seqs[:3]


def test_event_log_filters_select_from_its_2500_events(
    server: LiveServer, client: RawClient
) -> None:
    """The oldest are overwritten; they are in the store, and in the resource."""
    assert stored(server.directory, "WorkerStarted")
    result = result_of(client, "read_logs", arguments={"eventType": "WorkerStarted"})
    assert result["structuredContent"]["events"] == []
    told = result["_meta"]["warning"]
    assert "the resource echidna://campaign/events/WorkerStarted has them" in told


def test_fr_002_tells_the_share_of_bytecode_that_is_covered(client: RawClient) -> None:
    answer = client.call("show_coverage")
    covered = sum(each["coveredInstructions"] for each in answer["contracts"])
    total = sum(each["totalInstructions"] for each in answer["contracts"])
    assert 0 < covered < total
    assert answer["bytecodeCoverage"] == pytest.approx(100 * covered / total, abs=0.06)
    for each in answer["contracts"]:
        share = 100 * each["coveredInstructions"] / each["totalInstructions"]
        assert each["bytecodeCoverage"] == pytest.approx(share, abs=0.06)


def test_us1_3_tells_length_coverage_and_source_of_each_sequence(
    server: LiveServer, client: RawClient
) -> None:
    client.call("inject_transaction", sequence=["deposit()", "deposit()"], value="5")
    found: list[dict[str, Any]] = []

    def injected() -> bool:
        matches = client.call("find_transaction_in_corpus", minValue="5")["matches"]
        # Others may have taken over the call with its value.
        ours = ("5", "injected")
        found[:] = [e for e in matches if (e["value"], e["source"]) == ours]
        return bool(found)

    until(injected, "the injected sequence")
    assert {each["sequenceLength"] for each in found} == {2}
    first = client.call("inspect_corpus_transactions")["transactions"][0]
    assert first["source"] == "fuzzed"
    (extended, *_) = stored(server.directory, "CorpusExtended")
    assert first["coverageDelta"] == extended.payload["newPoints"] > 0
    assert first["sequenceLength"] == len(extended.payload["calls"])


def test_sc_003_can_be_measured_though_the_corpus_does_not_grow(
    server: LiveServer, client: RawClient
) -> None:
    for tool in ("inspect_corpus_transactions", "show_coverage"):
        answer = client.call(tool)
        counts = {each["signature"]: each for each in answer["functionCalls"]}
        total = sum(each["calls"] for each in counts.values())
        assert total > 1000
        most = answer["functionCalls"][0]
        assert most["signature"] == PRIORITIZED
        assert most["share"] == pytest.approx(100 * most["calls"] / total, abs=0.01)
        (applied,) = stored(server.directory, "CommandApplied")[:1]
        assert answer["functionCallsSince"] == applied.round


def test_numbers_leave_the_program_so_that_every_reader_takes_them_for_what_they_are(
    server: LiveServer, client: RawClient
) -> None:
    """Addresses are lower-case hexadecimal, amounts decimal text."""
    (started,) = stored(server.directory, "CampaignStarted")
    assert started.payload["config"]["seed"] == 2**60
    for tool in ("read_logs", "inspect_corpus_transactions", "show_coverage"):
        structured = result_of(client, tool)["structuredContent"]
        assert max(_integers(structured)) < 2**53


def _integers(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _integers(each)
    elif isinstance(value, int):
        yield value


def test_fr_007_takes_every_value_that_its_schema_describes(client: RawClient) -> None:
    most = str(2**256 - 1)
    client.call("inject_transaction", sequence=["deposit()"], value=most)
    client.call("find_transaction_in_corpus", minValue=most)


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "status"),
    [
        ("read_logs", {"count": 0}, "INVALID_INPUT", 400),
        ("inject_transaction", {"sequence": ["depositt()"]}, "PARSE_ERROR", 400),
        ("unknown_tool", {}, "TOOL_NOT_FOUND", 404),
    ],
)
def test_errors_carry_the_status_of_the_table(
    client: RawClient, tool: str, arguments: Any, code: str, status: int
) -> None:
    http_status, answer = client.send(tool, arguments)
    assert http_status == 200
    error = json.loads(answer["result"]["content"][0]["text"])["error"]
    assert (error["code"], error["details"]["status"]) == (code, status)
