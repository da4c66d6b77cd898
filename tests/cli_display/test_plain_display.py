from __future__ import annotations

import io
import re

import pytest
from handmade_campaign import BOB, HandmadeCampaign
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.display.live import LiveReporter
from echidna_mcp.cli.display.plain import STATUS_SECONDS, PlainReporter
from echidna_mcp.cli.display.reporter import Reporter, SilentReporter, make_reporter
from echidna_mcp.cli.display.status import WINDOW, CallRate
from echidna_mcp.wording import counted

HOSTILE = "\x1b]0;evil\x07[bold]x[/]\r\n\u202e\x9b31m"


class Bench:
    """A plain reporter that reports each new event once, and a clock to turn."""

    def __init__(self, campaign: HandmadeCampaign) -> None:
        self.campaign = campaign
        self.stream = io.StringIO()
        self.now = 100.0
        self.reporter = PlainReporter(campaign.views, self.stream, lambda: self.now)
        self.seen = len(campaign.events)

    def lines(self) -> list[str]:
        """Report what is new; the lines that this wrote, without their times."""
        before = len(self.stream.getvalue())
        self.reporter.events(self.campaign.events[self.seen :])
        self.seen = len(self.campaign.events)
        written = self.stream.getvalue()[before:].splitlines()
        return [
            re.sub(r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d\d\] ", "", w)
            for w in written
        ]


@pytest.fixture
def campaign() -> HandmadeCampaign:
    return HandmadeCampaign()


@pytest.fixture
def bench(campaign: HandmadeCampaign) -> Bench:
    return Bench(campaign)


@pytest.mark.parametrize(
    ("output_format", "is_tty", "kind"),
    [
        (None, True, LiveReporter),
        (None, False, PlainReporter),
        ("text", True, PlainReporter),
        ("text", False, PlainReporter),
        ("json", True, SilentReporter),
        ("none", False, SilentReporter),
    ],
)
def test_the_format_and_the_stream_choose_the_reporter(
    campaign: HandmadeCampaign, output_format: None, is_tty: bool, kind: type[Reporter]
) -> None:
    stream = io.StringIO()
    reporter = make_reporter(output_format, campaign.views, stream, is_tty)
    assert type(reporter) is kind
    reporter.events(campaign.events)
    reporter.close()
    reporter.close()
    assert (stream.getvalue() == "") == (kind is SilentReporter)


def test_times_are_those_of_the_events(campaign: HandmadeCampaign) -> None:
    stream = io.StringIO()
    PlainReporter(campaign.views, stream, lambda: 0.0).events(campaign.events)
    assert stream.getvalue() == (
        "[2026-01-02 00:00:00.00] [campaign] Fuzzing src/Vault.sol:Vault with seed 42\n"
    )


def test_new_coverage_is_told_once_a_worker_and_commit(bench: Bench) -> None:
    for worker, counters in ((1, [0]), (2, [2]), (1, [4, 5]), (1, [4])):
        bench.campaign.cover(counters, worker=worker)
        bench.campaign.extend([bench.campaign.call("deposit()")], worker=worker)
    assert bench.lines() == [
        "[Worker 1] New coverage: 4 points, 4 sequences in corpus",
        "[Worker 2] New coverage: 2 points, 4 sequences in corpus",
    ]


def test_a_falsified_test_comes_with_its_calls(bench: Bench) -> None:
    bench.campaign.falsify("echidna_true", "deposit()", "pause()", worker=2, value=7)
    assert bench.lines() == [
        "[Worker 2] Test echidna_true falsified! returned false",
        "  Call sequence:",
        "    Vault.deposit() Value: 7",
        "    Vault.pause() Value: 7",
    ]


def test_shrinking_is_told_step_by_step(bench: Bench) -> None:
    bench.campaign.falsify("echidna_true", "deposit()", "pause()", "never()")
    bench.lines()
    bench.campaign.shrink("echidna_true", "deposit()", "pause()", done=False)
    bench.campaign.shrink("echidna_true", "pause()", attempts=1200)
    assert bench.lines() == [
        "[Worker 0] Test echidna_true shrunk to 2 calls",
        "[Worker 0] Test echidna_true is fully shrunk: 1 call after 1200 attempts",
        "  Call sequence:",
        "    Vault.pause()",
    ]


def test_shrinking_that_the_limit_ended_says_so(bench: Bench) -> None:
    bench.campaign.falsify("echidna_true", "deposit()", "pause()")
    bench.lines()
    limit = bench.campaign.views.target.config.shrink_limit
    bench.campaign.shrink("echidna_true", "pause()", attempts=limit)
    assert bench.lines()[0] == (
        "[Worker 0] Test echidna_true is shrunk to 1 call by 5000 attempts, which is "
        "shrinkLimit"
    )


async def test_commands_stops_and_losses_are_told(bench: Bench) -> None:
    campaign = bench.campaign
    await campaign.submit("clear_priorities", {}, "Cleared 0 prioritized functions")
    await campaign.submit("inject_transaction", {"sequence": ["gone()"]}, "From a log.")
    campaign.run_round()
    campaign.add("TaskAbandoned", {"reason": "the process died"}, 1)
    campaign.add("SequencesAbandoned", {"reason": "no room", "sequences": 2}, 0)
    campaign.add("StopRequested", {"reason": "TimeLimitReached"})
    campaign.stop()
    assert bench.lines() == [
        "[campaign] Command for round 1: Cleared 0 prioritized functions",
        "[campaign] Command for round 1: From a log",
        (
            "[campaign] Command 2 has no effect: There is no function `gone`; "
            "there are: plot((uint8,string)[]), never(), note(string), "
            "pause(), transfer(address,uint256), transfer(address,uint256,bytes), "
            "deposit()."
        ),
        "[Worker 1] The task of this round was lost: the process died",
        "[Worker 0] Given up 2 sequences of this round: no room",
        "[campaign] The time limit was reached. Stopping.",
        "[campaign] The test limit was reached.",
    ]


def test_what_was_told_before_a_resumption_is_not_told_again(
    campaign: HandmadeCampaign,
) -> None:
    campaign.falsify("echidna_true", "deposit()")
    campaign.run_round()
    resumed = {"engine": "0", "backend": "none", "executor": "none"}
    campaign.add("CampaignResumed", resumed)
    bench = Bench(campaign)
    bench.seen = 0
    assert bench.lines() == ["[campaign] Resumed after round 1"]


def test_a_status_line_comes_every_few_seconds(bench: Bench) -> None:
    campaign = bench.campaign
    campaign.cover([0, 2, 4, 5])
    campaign.falsify("echidna_true", "deposit()")
    bench.now += STATUS_SECONDS - 0.1
    campaign.run_round(calls=600)
    assert not any("[status]" in line for line in bench.lines())
    bench.now += 0.1
    campaign.run_round(calls=600)
    (line,) = bench.lines()
    assert line == (
        "[status] tests: 1/2, fuzzing: 1200/50000, round: 2, cov: 4 (33.3% of lines), "
        "corpus: 0, shrinking echidna_true: 0 attempts (1 call), calls/s: 400"
    )
    assert bench.lines() == []


def test_a_campaign_without_limit_or_source_has_a_status_line() -> None:
    campaign = HandmadeCampaign(test_limit=None)
    bench = Bench(campaign)
    bench.now += STATUS_SECONDS
    assert "fuzzing: 0, " in bench.lines()[0]


def test_hostile_text_stays_on_its_line(bench: Bench) -> None:
    event = bench.campaign.falsify("echidna_true", "pause()")
    payload = {**event.payload, "reason": HOSTILE, "counterexample": [HOSTILE]}
    bench.campaign.events[-1] = type(event)(
        **{name: getattr(event, name) for name in event.__slots__}
        | {"payload": payload}
    )
    lines = bench.lines()
    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)
    assert r"\x1b]0;evil\x07[bold]x[/]\r\n\u202e\x9b31m" in lines[0]


def test_a_stream_without_unicode_gets_escapes(campaign: HandmadeCampaign) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    reporter = PlainReporter(campaign.views, stream, lambda: 0.0)
    campaign.falsify("echidna_true", 'note("é")')
    reporter.events(campaign.events)
    assert b'Vault.note("\\xe9")' in raw.getvalue()


@given(st.text())
def test_printable_text_has_no_power_over_a_terminal(text: str) -> None:
    assert printable(text).isprintable()
    if text.isprintable():
        assert printable(text) == text


def test_numbers_agree_with_their_nouns() -> None:
    assert [counted(n, "call") for n in (0, 1, 2, 12345)] == [
        "0 calls",
        "1 call",
        "2 calls",
        "12345 calls",
    ]


def test_the_rate_is_that_of_the_last_seconds() -> None:
    now = 0.0
    rate = CallRate(lambda: now, 1_000)
    assert rate.update(1_000) == 0
    now = 2.0
    assert rate.update(1_400) == 200
    for _ in range(10):
        now += WINDOW / 4
        last = rate.update(1_400)
    assert last == 0


def test_senders_are_named_when_they_differ(bench: Bench) -> None:
    campaign = bench.campaign
    event = campaign.falsify("echidna_true", "pause()", "pause()")
    event.payload["calls"][1]["sender"] = BOB
    event.payload["calls"][1]["timeDelay"] = 5
    event.payload["calls"][1]["blockDelay"] = 2
    second = bench.lines()[-1]
    assert second == (
        f"    Vault.pause() from: {BOB} Time delay: 5 seconds Block delay: 2"
    )
