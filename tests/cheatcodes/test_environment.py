"""Variables: those that were set, and those that the campaign has been told."""

from __future__ import annotations

from cheat_answers import ask, calldata, new_cheats, refusal, variables

from echidna_mcp.cheatcodes.host import Answer, Site
from echidna_mcp.evm.outside import Outside, Request


def test_the_environment_of_the_process_is_not_read(monkeypatch):
    monkeypatch.setenv("OF_THE_PROCESS", "1")
    outside = Outside()
    cheats = new_cheats(outside=outside)
    data = calldata("envExists(string)", ["OF_THE_PROCESS"])
    assert cheats.answer(Site(1, 0x1234), data) == Answer(ok=False)
    assert outside.missing == Request(kind="variable", arguments=("OF_THE_PROCESS",))
    assert cheats.refusals == ()


def test_a_variable_that_is_not_set_is_told_by_its_name():
    assert refusal(new_cheats(), "envUint(string)", "LIMIT") == (
        'vm.envUint: environment variable "LIMIT" not found'
    )


def test_a_default_does_not_stand_for_an_answer_that_is_missing():
    outside = Outside()
    cheats = new_cheats(outside=outside)
    data = calldata("envOr(string,uint256)", ["LIMIT", 7])
    assert cheats.answer(Site(1, 0x1234), data) == Answer(ok=False)
    assert outside.missing is not None


def test_a_variable_of_the_campaign_is_read_and_can_be_set():
    cheats = new_cheats(outside=variables(LIMIT="2 ether"))
    assert ask(cheats, "envUint(string)", "LIMIT") == [2 * 10**18]
    ask(cheats, "setEnv(string,string)", "LIMIT", "3")
    assert ask(cheats, "envUint(string)", "LIMIT") == [3]


def test_what_was_set_goes_back_with_the_sequence():
    cheats = new_cheats(outside=variables(LIMIT="2"))
    mark = cheats.mark()
    ask(cheats, "setEnv(string,string)", "LIMIT", "3")
    ask(cheats, "setEnv(string,string)", "OTHER", "4")
    cheats.restore(mark)
    assert ask(cheats, "envUint(string)", "LIMIT") == [2]
    assert cheats.held.environment == {}


def test_a_text_of_variables_that_would_fill_the_memory_is_refused():
    cheats = new_cheats(outside=variables(A="a" * 10_000))
    text = "${A}" * 10_000
    assert "more than" in refusal(cheats, "resolveEnv(string)", text)
