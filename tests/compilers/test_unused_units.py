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
    assert unused_units(sources, ["a.sol"]) == {"console2.sol"}
    sources["a.sol"] = 'import {Console2 as C} from "console2.sol"; contract A {}'
    assert unused_units(sources, ["a.sol"]) == {"console.sol", "console2.sol"}


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
    assert not unused_units({"vm.sol": VM}, ["vm.sol"])


VM = """
pragma solidity ^0.8.0;
import {Other as All} from "./Other.sol"; /* contract */
interface Safe { struct Log { bytes data; } function log() external; }
interface Vm is Safe, All.Inner { event Sent(uint i); }
"""


def test_interfaces_have_no_code_whoever_names_them():
    sources = {"a.sol": "contract A is Vm, Safe {}", "vm.sol": VM}
    assert unused_units(sources, ["a.sol"]) == {"vm.sol"}


@pytest.mark.parametrize(
    "other",
    [
        *("contract B is Safe {}", "library B {}", "abstract contract B {}"),
        *("uint constant B = 1;", "function b() {}", "struct B { uint i; }"),
        *("using {f} for B global;", "error B(uint i);", "interface {"),
    ],
)
def test_units_that_define_more_than_interfaces_may_have_code(other: str):
    sources = {"a.sol": "contract A is Vm {}", "vm.sol": VM + other}
    assert not unused_units(sources, ["a.sol"])


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


@pytest.mark.solc
def test_without_trees_of_interfaces_the_program_is_the_same(tmp_path: Path):
    interfaces = """
        pragma solidity ^0.8.0;
        interface Base { function run(uint i) external; }
        interface Both is Base { error Bad(); event Ran(); }
    """
    main = """
        pragma solidity ^0.8.0;
        REST
        contract Main is Both {
            function run(uint i) public { if (i > 7) revert Bad(); emit Ran(); }
        }
        contract Test is Main { function test() external {} }
    """
    (tmp_path / "both.sol").write_text(interfaces)
    apart = functions_of_program(
        tmp_path / "apart.sol", main.replace("REST", 'import "./both.sol";')
    )
    together = functions_of_program(
        tmp_path / "together.sol", main.replace("REST", interfaces.split(";", 1)[1])
    )
    assert apart == together
    assert apart == {"Main": ["run(uint256)"], "Test": ["run(uint256)", "test()"]}


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
