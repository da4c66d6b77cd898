from __future__ import annotations

from pathlib import Path

import pytest
from solc import require_solc

from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs
from echidna_mcp_plugins.compilers.solidity.unused_units import unused_units

CONSOLE = """
pragma solidity ^0.8.0;
import {Other} from "./Other.sol";
/* The contract Fake { } is none. */
library Console {
    string constant TEXT = "struct {";
    function log(uint value) internal pure returns (uint) {
        if (value > 1) { return value; }
        return 2;
    }
}
"""


@pytest.mark.parametrize(
    ("main", "is_used"),
    [
        ('import {Console} from "console.sol"; contract A {}', False),
        ('import "console.sol"; contract A { /* Console */ }', False),
        ('import "console.sol"; contract A { string s = "Console"; }', False),
        ('import "console.sol"; contract A { uint MyConsole; }', False),
        ('import {Console as C} from "console.sol"; contract A {}', False),
        ('import {Console as C} from "console.sol"; using C for uint;', True),
        ('import "console.sol"; contract A { uint i = Console.log(3); }', True),
        ('import * as All from "console.sol"; using All.Console for uint;', True),
    ],
)
def test_a_library_is_used_where_its_name_is(main: str, *, is_used: bool):
    sources = {"a.sol": main, "console.sol": CONSOLE}
    found = unused_units(sources, ["a.sol"])
    assert found == (frozenset() if is_used else {"console.sol"})


def test_a_library_is_used_by_whatever_name_it_comes_along():
    sources = {
        "console.sol": CONSOLE,
        "console2.sol": 'import {Console as Console2} from "console.sol";',
        "a.sol": 'import {Console2 as C} from "console2.sol"; using C for uint;',
    }
    assert not unused_units(sources, ["a.sol"])
    sources["a.sol"] = 'import {Console2 as C} from "console2.sol"; contract A {}'
    assert unused_units(sources, ["a.sol"]) == {"console.sol"}


@pytest.mark.parametrize(
    "other",
    [
        *("contract B {}", "interface B {}", "struct B { uint i; }"),
        *("uint constant B = 1;", "function b() {}", "type B is uint;"),
        *("using Console for uint;", "error B(uint i);", "library {"),
    ],
)
def test_units_that_define_more_than_libraries_may_always_be_used(other: str):
    sources = {"a.sol": "contract A {}", "console.sol": CONSOLE + other}
    assert not unused_units(sources, ["a.sol"])


def test_what_is_meant_itself_counts_as_used():
    assert not unused_units({"console.sol": CONSOLE}, ["console.sol"])


@pytest.mark.solc
def test_only_functions_of_unused_libraries_are_not_known(tmp_path: Path):
    console = CONSOLE.replace('import {Other} from "./Other.sol";', "")
    (tmp_path / "console.sol").write_text(console)
    (tmp_path / "idle.sol").write_text(console.replace("Console", "Idle"))
    unused = functions_of_program(tmp_path / "Main.sol", MAIN)
    assert unused == {"Main": ["log", "run(uint256)"], "Console": ["log"], "Idle": []}
    named = MAIN.replace("function", "using Idle for bool; function")
    assert functions_of_program(tmp_path / "Main.sol", named) == unused | {
        "Idle": ["log"]
    }


MAIN = """
    pragma solidity ^0.8.0;
    import {Console as C} from "./console.sol";
    import {Idle} from "./idle.sol";
    contract Main { function run(uint i) public pure { C.log(i); } }
"""


def functions_of_program(main: Path, text: str) -> dict[str, list[str]]:
    require_solc()
    main.write_text(text)
    program = SolcJs().compile(CompileRequest(target=main))
    return {
        contract.name: sorted(each.signature for each in contract.functions)
        for contract in program.contracts
    }
