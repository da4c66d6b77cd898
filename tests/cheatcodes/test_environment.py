"""Variables: those of the campaign and those that were set, never the process's."""

from __future__ import annotations

from cheat_answers import ask, new_cheats, refusal


def test_the_environment_of_the_process_is_not_read(monkeypatch):
    monkeypatch.setenv("OF_THE_PROCESS", "1")
    cheats = new_cheats()
    assert ask(cheats, "envExists(string)", "OF_THE_PROCESS") == [False]
    assert refusal(cheats, "envUint(string)", "OF_THE_PROCESS") == (
        'vm.envUint: environment variable "OF_THE_PROCESS" not found'
    )


def test_a_variable_of_the_campaign_is_read_and_can_be_set():
    cheats = new_cheats(environment=(("LIMIT", "2 ether"),))
    assert ask(cheats, "envUint(string)", "LIMIT") == [2 * 10**18]
    ask(cheats, "setEnv(string,string)", "LIMIT", "3")
    assert ask(cheats, "envUint(string)", "LIMIT") == [3]


def test_what_was_set_goes_back_with_the_sequence():
    cheats = new_cheats(environment=(("LIMIT", "2"),))
    mark = cheats.mark()
    ask(cheats, "setEnv(string,string)", "LIMIT", "3")
    ask(cheats, "setEnv(string,string)", "OTHER", "4")
    cheats.restore(mark)
    assert ask(cheats, "envUint(string)", "LIMIT") == [2]
    assert ask(cheats, "envExists(string)", "OTHER") == [False]


def test_a_text_of_variables_that_would_fill_the_memory_is_refused():
    cheats = new_cheats(environment=(("A", "a" * 10_000),))
    text = "${A}" * 10_000
    assert "more than" in refusal(cheats, "resolveEnv(string)", text)
