"""Which constants belong to a function, found in the code that real compilers make."""

from __future__ import annotations

import re

import pytest
from corpus_contracts import NAMES, SOLIDITY, SOURCES, corpus_program, lone_program
from solc import require_solc

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.program.dictionary.constants import push_constants
from echidna_mcp.program.dictionary.function_constants import (
    Blocks,
    constants_of_functions,
)
from echidna_mcp.program.target import build_target

SETTINGS = ("", "--optimize", "--via-ir", "--via-ir --optimize")


def called(program):
    """Return the runtime code of the main contract, and its callable functions."""
    first = build_target(program, CampaignConfig(test_mode="exploration")).callees[0]
    functions = [f for f in first.functions if f.kind == "function"]
    return first.contract.runtime_code, functions


def constants_of(program):
    """Return the constants of each callable function by its name."""
    code, functions = called(program)
    selectors = tuple(int.from_bytes(f.selector, "big") for f in functions)
    found = constants_of_functions(code, selectors)
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


@pytest.mark.parametrize("name", NAMES)
def test_every_function_is_found_where_the_code_chooses_it(name):
    code, functions = called(corpus_program(name))
    entries = Blocks(code).entries()
    missing = [
        f.signature for f in functions if int(f.selector.hex(), 16) not in entries
    ]
    assert missing == []


@pytest.mark.parametrize("settings", SETTINGS[1:])
def test_every_function_is_found_however_it_was_compiled(settings):
    require_solc()
    for name in ("Dozen", "Token", "Signals", "Tariffs"):
        code, functions = called(lone_program(name, settings))
        entries = Blocks(code).entries()
        assert all(int(f.selector.hex(), 16) in entries for f in functions)


@pytest.mark.parametrize("name", SOLIDITY)
def test_constants_are_pushed_by_the_code_and_are_numbers(name):
    program = corpus_program(name)
    pushed = set(push_constants(called(program)[0]))
    found = {each for own in constants_of(program).values() for each in own}
    assert found <= pushed
    assert not any(each < 256 or each >= 1 << 160 for each in found)
    assert not any(each & (each + 1) == 0 or each.bit_count() == 1 for each in found)
