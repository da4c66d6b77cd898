"""Which constants belong to a function, found in the code that real compilers make."""

from __future__ import annotations

import re

import pytest
from corpus_contracts import NAMES, SOLIDITY, SOURCES, corpus_program, lone_program
from solc import require_solc

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.program.dictionary.constants import push_constants, written_words
from echidna_mcp.program.dictionary.function_constants import (
    Blocks,
    constants_of_functions,
)
from echidna_mcp.program.target import build_target

WITH_CONSTANTS = ("Lender", "Signals", "Tariffs", "Timelock")
JUMPI, JUMPDEST = 0x57, 0x5B
SETTINGS = ("", "--optimize", "--via-ir", "--via-ir --optimize")


def called(program):
    """Return the runtime code of the main contract, and functions with selectors."""
    first = build_target(program, CampaignConfig(test_mode="exploration")).callees[0]
    functions = [f for f in first.functions if f.kind == "function"]
    return first.contract.runtime_code, functions


def constants_of(program):
    """Return the constants of each callable function by its name."""
    code, functions = called(program)
    selectors = tuple(int.from_bytes(f.selector, "big") for f in functions)
    found = constants_of_functions(code, selectors, written_words(program))
    names = [f.signature.partition("(")[0] for f in functions]
    return dict(zip(names, found, strict=True))


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_function_has_what_it_compares_and_not_what_others_do(settings):
    source = (SOURCES / "Tariffs.sol").read_text("utf-8")
    written = {
        name: {int(each) for each in re.findall(r"zone == (\d+)", body)}
        for name, body in re.findall(r"function (\w+)(.*?)\n    }", source, re.DOTALL)
    }
    found = constants_of(lone_program("Tariffs", settings))
    others = set().union(*written.values()) - written["coaches"]
    assert len(written["coaches"]) == 10
    assert written["coaches"] <= set(found["coaches"])
    assert others.isdisjoint(found["coaches"])
    assert found["due"] == ()


def check_entries(program):
    """Assert that each function begins where a branch leads."""
    code, functions = called(program)
    entries = Blocks(code).entries()
    found = {f.signature: entries.get(int(f.selector.hex(), 16)) for f in functions}
    assert None not in found.values(), found
    assert len(set(found.values())) == len(found)
    assert all(code[at] == JUMPDEST or code[at - 1] == JUMPI for at in found.values())


@pytest.mark.parametrize("name", NAMES)
def test_every_function_is_found_where_the_code_chooses_it(name):
    check_entries(corpus_program(name))


@pytest.mark.parametrize("settings", SETTINGS[1:])
def test_every_function_is_found_however_it_was_compiled(settings):
    require_solc()
    for name in ("Dozen", "Signals", "Tariffs"):
        check_entries(lone_program(name, settings))


@pytest.mark.parametrize("settings", SETTINGS)
def test_messages_and_selectors_of_errors_are_no_constants(settings):
    require_solc()
    token = constants_of(lone_program("Token", settings))
    assert token["transfer"] == token["approve"] == token["name"] == ()
    assert constants_of(lone_program("CustomErrors", settings))["plain"] == ()
    lender = constants_of(lone_program("Lender", settings))
    assert not {0x4E487B71, 0x461BCD} & {
        each for own in lender.values() for each in own
    }


@pytest.mark.parametrize("settings", SETTINGS)
def test_times_are_constants_of_the_functions_that_add_them(settings):
    timelock = constants_of(lone_program("Timelock", settings))
    assert any(86_400 in own for own in timelock.values())
    assert not all(86_400 in own for own in timelock.values())


def test_selectors_of_what_is_called_are_no_constants_but_written_numbers_are():
    code = bytes.fromhex("631122334414600b5700005b633b9aca0063deadbeef00")
    known = constants_of_functions(code, (0x11223344,), frozenset({10**9}))
    assert known == ((10**9,),)
    assert constants_of_functions(code, (0x11223344,), frozenset()) == ((),)


def test_what_has_no_selector_has_no_constants():
    # A fallback that compares with 0 as a dispatcher would, and jumps to PUSH2 7777.
    code = bytes.fromhex("60008114600857005b5b611e6100")
    assert constants_of_functions(code, (0, None), frozenset()) == ((7777,), ())


@pytest.mark.parametrize("name", SOLIDITY)
def test_constants_are_pushed_by_the_code_and_are_numbers(name):
    program = corpus_program(name)
    pushed = set(push_constants(called(program)[0]))
    found = {each for own in constants_of(program).values() for each in own}
    assert found or name not in WITH_CONSTANTS
    assert found <= pushed
    assert not any(each < 256 or each >= 1 << 160 for each in found)
    assert not any(each & (each + 1) == 0 or each.bit_count() == 1 for each in found)
