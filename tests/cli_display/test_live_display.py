from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from handmade_campaign import VAULT, HandmadeCampaign, make_program
from rich.console import Console

from echidna_mcp.cli.display.live import REFRESH_SECONDS, LiveReporter
from echidna_mcp.cli.display.machines import no_machines
from echidna_mcp.reports.machines import ExecutorStatistics, NodeStatistics

if TYPE_CHECKING:
    from echidna_mcp.cli.display.machines import Machines

HOSTILE = "\x1b]0;evil\x07[bold red]x[/]\r\n\u202e"
CLEAR = "\x1b[2K"
SHOW_CURSOR = "\x1b[?25h"


class Terminal:
    """A live reporter on a terminal of text, and a clock to turn."""

    def __init__(
        self, campaign: HandmadeCampaign, machines: Machines = no_machines
    ) -> None:
        self.campaign = campaign
        self.stream = io.StringIO()
        self.now = 100.0
        self.reporter = LiveReporter(
            campaign.views, self.stream, lambda: self.now, machines
        )

    def report(self, since: int = 0) -> str:
        """Report events; what this wrote."""
        before = len(self.stream.getvalue())
        self.reporter.events(self.campaign.events[since:])
        return self.stream.getvalue()[before:]

    def picture(self, width: int = 100) -> str:
        console = Console(file=io.StringIO(), width=width, color_system=None)
        with console.capture() as capture:
            console.print(self.reporter.picture())
        return capture.get()


@pytest.fixture
def campaign() -> HandmadeCampaign:
    return HandmadeCampaign()


@pytest.fixture
def terminal(campaign: HandmadeCampaign) -> Terminal:
    return Terminal(campaign)


def test_the_picture_shows_machines(campaign: HandmadeCampaign) -> None:
    busy = NodeStatistics(tasks=40, seconds=8.0, calls=16_000, workers=4)
    nodes = {f"alpha{number}": busy for number in range(8)}
    nodes["gone"] = NodeStatistics(tasks=1, seconds=1.0, calls=10)
    told = [ExecutorStatistics(nodes=nodes, lost=1)]
    terminal = Terminal(campaign, lambda: told[-1])
    campaign.run_round(calls=1)
    terminal.report()
    lines = [" ".join(line.split()) for line in terminal.picture().splitlines()]
    assert "│ alpha0 4 workers · 8,000 calls/s │" in lines
    assert "│ … and 2 more 8 workers · 16,000 calls/s │" in lines
    assert "│ Lost 1 machine, 1 worker │" in lines
    assert not any("gone" in line for line in lines)
    told.append(None)
    assert "alpha0" not in terminal.picture()


def test_the_picture_shows_the_figures(
    campaign: HandmadeCampaign, terminal: Terminal
) -> None:
    campaign.cover([0, 2, 4, 5])
    campaign.extend([campaign.call("deposit()"), campaign.call("pause()")])
    campaign.run_round(calls=1234)
    terminal.now += 2
    terminal.report()
    picture = terminal.picture()
    for figure in (
        "src/Vault.sol:Vault",
        "Seed",
        "1,234 of 50,000",
        "4 points · 33.3% lines",
        "1 sequence · 2 transactions",
        "Dictionary",
        "3 running",
        "fuzzing",
        "617",
        "0:02",
        "echidna_true: passing",
        "Worker 0: New coverage: 4 points, 1 sequence in corpus",
    ):
        assert figure in picture


def test_a_falsified_test_shows_its_reproducer_cut_to_size(
    campaign: HandmadeCampaign, terminal: Terminal
) -> None:
    campaign.falsify("echidna_true", "deposit()", *["pause()"] * 20)
    picture = terminal.picture()
    assert "falsified: returned false (shrinking, 0 attempts)" in picture
    assert picture.count("Vault.pause()") == 7
    assert "… and 13 more" in picture
    assert picture.index("echidna_true") < picture.index("echidna_solvent")


def test_a_disputed_test_stands_before_those_that_pass(
    campaign: HandmadeCampaign, terminal: Terminal
) -> None:
    campaign.dispute("echidna_true", "deposit()")
    picture = terminal.picture()
    assert picture.index("echidna_true: disputed") < picture.index("echidna_solvent")


def test_many_tests_are_summed_up() -> None:
    names = [f"check{number}" for number in range(20)]
    abi = [{"type": "function", "name": name, "inputs": []} for name in names]
    program = make_program(replace(VAULT, abi=tuple(abi)))
    picture = Terminal(HandmadeCampaign(program, test_mode="assertion")).picture()
    assert picture.count(": passing") == 8
    assert "… and 13 more passing" in picture


@pytest.mark.parametrize("height", [24, 40, 70])
def test_news_stay_on_the_screen_however_much_was_found(
    monkeypatch: pytest.MonkeyPatch, height: int
) -> None:
    monkeypatch.setenv("LINES", str(height))
    names = [f"check{number}" for number in range(30)]
    abi = [{"type": "function", "name": name, "inputs": []} for name in names]
    program = make_program(replace(VAULT, abi=tuple(abi)))
    campaign = HandmadeCampaign(program, test_mode="assertion")
    for name in names:
        campaign.falsify(f"{name}()", *[f"{name}()"] * 4)
    terminal = Terminal(campaign)
    terminal.report()
    picture = terminal.picture()
    lines = picture.splitlines()
    assert "check29() falsified!" in lines[-2]
    assert len(lines) <= height
    assert "check0(): falsified" in picture
    if height < 60:
        assert "… and " in picture
    else:
        assert all(f"{name}(): falsified" in picture for name in names)
        assert "Vault.check0()" in picture


async def test_the_state_tells_of_waiting_commands_and_of_the_end(
    campaign: HandmadeCampaign, terminal: Terminal
) -> None:
    await campaign.submit("clear_priorities", {}, "Cleared")
    assert "fuzzing, 1 command waiting" in terminal.picture()
    campaign.run_round()
    campaign.add("StopRequested", {"reason": "TimeLimitReached"})
    assert "finishing" in terminal.picture()
    campaign.stop("Killed")
    assert "The campaign was asked to stop." in terminal.picture()
    assert "3 stopped" in terminal.picture()


def test_routine_news_wait_and_rare_news_do_not(
    campaign: HandmadeCampaign, terminal: Terminal
) -> None:
    assert terminal.report() != ""
    seen = len(campaign.events)
    campaign.cover([0])
    campaign.run_round()
    assert terminal.report(seen) == ""
    terminal.now += REFRESH_SECONDS
    assert "New coverage: 1 point" in terminal.report(seen)
    seen = len(campaign.events)
    campaign.cover([2])
    campaign.falsify("echidna_true", "deposit()")
    assert "echidna_true falsified!" in terminal.report(seen)


def test_hostile_text_is_shown_and_not_obeyed(
    campaign: HandmadeCampaign, terminal: Terminal
) -> None:
    event = campaign.falsify("echidna_true", "pause()")
    record = campaign.views.properties.records["echidna_true"]
    record.reason = HOSTILE
    record.counterexample = (HOSTILE,)
    written = terminal.report(event.seq - 1)
    assert "\x1b]" not in written
    assert "\x07" not in written
    assert "\u202e" not in written
    assert written.count(r"\x1b]0;evil\x07[bold red]x[/]\r\n\u202e") == 2


@pytest.mark.parametrize("width", [20, 40, 80, 300])
def test_every_width_is_kept(
    campaign: HandmadeCampaign, terminal: Terminal, width: int
) -> None:
    campaign.falsify("echidna_true", 'note("' + "long " * 99 + '")')
    terminal.report()
    assert {len(line) for line in terminal.picture(width).splitlines()} == {width}


def test_closing_clears_the_picture_and_shows_the_cursor_once(
    campaign: HandmadeCampaign, terminal: Terminal
) -> None:
    terminal.report()
    before = len(terminal.stream.getvalue())
    terminal.reporter.close()
    closing = terminal.stream.getvalue()[before:]
    assert SHOW_CURSOR in closing
    assert CLEAR in closing
    terminal.reporter.close()
    assert terminal.report() == ""
    assert terminal.stream.getvalue()[before:] == closing


def test_closing_before_the_first_event_writes_nothing(terminal: Terminal) -> None:
    terminal.reporter.close()
    assert terminal.stream.getvalue() == ""


def test_a_program_without_source_has_a_picture() -> None:
    bare = HandmadeCampaign().program
    contracts = [
        type(contract)(
            name=contract.name,
            source=contract.source,
            abi=contract.abi,
            creation_code=contract.creation_code,
            runtime_code=contract.runtime_code,
        )
        for contract in bare.contracts
    ]
    terminal = Terminal(HandmadeCampaign(make_program(*contracts)))
    assert "0 points" in terminal.picture()
    assert "%" not in terminal.picture()
