"""What is a test of which kind, what is refused, and what is told to be left out."""

from __future__ import annotations

from typing import Any

import pytest
from solc import compile_solidity

from echidna_mcp.cli.request.unasked import unasked_functions
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.errors import TargetError
from echidna_mcp.program.target import FuzzTarget, build_target
from echidna_mcp.program.world import ALONE, Placement, World

pytestmark = pytest.mark.solc

SET = "uint x; function set(uint y) external { x = y; }"
OTHER = f"""contract Other {{ {SET}
    function echidna_other() external view returns (bool) {{ return x != 7; }}
    function optimize_gain() external view returns (int256) {{ return int256(x); }}
}}"""
FINE = "function echidna_fine() external view returns (bool) { return x != 7; }"
BEST = "function echidna_best() external view returns (int256) { return int256(x); }"
GAIN = "function optimize_gain() external view returns (int256) { return int256(x); }"
DESTRUCTION = [
    ("Target contract is not self-destructed", "destruction"),
    ("No contract can be self-destructed", "any_destruction"),
]
ALL = "property,assertion,optimization"


def target(body: str, mode: str, world: World = ALONE, **config: Any) -> FuzzTarget:
    """Return a target that has these functions, and one to be called."""
    program = compile_solidity(f"contract C {{ {SET} {body} }}\n{OTHER}", "C")
    return build_target(program, CampaignConfig(test_mode=mode, **config), world)


def checked(built: FuzzTarget) -> list[tuple[str, str]]:
    return [(test.name, test.kind) for test in built.tests]


def called(built: FuzzTarget) -> list[str]:
    return [function.signature for function in built.functions]


def left_out(body: str, mode: str, **config: Any) -> list[str]:
    return [*unasked_functions(target(body, mode, **config))]


def other_placed() -> World:
    contracts = target("", "exploration").program.contracts
    (name,) = (each.qualified_name for each in contracts if each.name == "Other")
    return World(placements=(Placement(contract=name, address=0x99, tested=True),))


def test_values_are_named_by_either_prefix():
    built = target(BEST + GAIN, "optimization")
    assert checked(built) == [
        ("echidna_best", "optimization"),
        ("optimize_gain", "optimization"),
    ]
    # They are asked, and no sequence calls them.
    assert called(built) == ["set(uint256)"]


def test_the_prefixes_are_those_that_are_wanted():
    wanted = {"prefix": "best_", "value_prefix": "gain_"}
    body = (BEST + GAIN).replace("echidna_", "best_").replace("optimize_", "gain_")
    built = target(body, "optimization", **wanted)
    assert checked(built) == [
        ("best_best", "optimization"),
        ("gain_gain", "optimization"),
    ]
    with pytest.raises(TargetError, match="starts with 'best_' or 'gain_'; add val"):
        target(BEST + GAIN, "optimization", **wanted)


def test_with_one_prefix_the_type_tells_properties_from_values():
    built = target(FINE + BEST, "property,optimization")
    assert checked(built) == [
        ("echidna_fine", "property"),
        ("echidna_best", "optimization"),
    ]
    assert called(built) == ["set(uint256)"]


def test_what_only_has_the_prefix_of_values_is_called_if_none_are_wanted():
    built = target(FINE + GAIN, "property,assertion")
    assert ("optimize_gain()", "assertion") in checked(built)
    assert called(built) == ["optimize_gain()", "set(uint256)"]


def test_no_prefix_of_values_makes_none():
    with pytest.raises(TargetError, match="no function that starts with 'echidna_' or"):
        target(GAIN, "optimization", value_prefix="")
    assert checked(target(BEST + GAIN, "optimization", value_prefix="")) == [
        ("echidna_best", "optimization")
    ]


def test_all_kinds_are_checked_together():
    built = target(
        FINE + BEST + GAIN, f"{ALL},overflow", test_destruction=True, panic_codes=(1, 2)
    )
    assert checked(built) == [
        ("echidna_fine", "property"),
        ("set(uint256)", "assertion"),
        ("AssertionFailed(..)", "assertion_log"),
        ("echidna_best", "optimization"),
        ("optimize_gain", "optimization"),
        ("Integer (over/under)flow", "overflow"),
        *DESTRUCTION,
    ]


@pytest.mark.parametrize("mode", ["exploration", "property", "overflow"])
def test_destruction_is_tested_in_every_mode_that_is_asked_to(mode: str):
    assert checked(target(FINE, mode, test_destruction=True))[-2:] == DESTRUCTION
    assert not set(DESTRUCTION) & set(checked(target(FINE, mode)))


def test_overflow_and_destruction_need_no_function_of_a_name():
    assert checked(target("", "overflow")) == [("Integer (over/under)flow", "overflow")]
    assert checked(target("", "property", test_destruction=True)) == DESTRUCTION


def test_values_of_other_contracts_are_named_by_them():
    built = target(BEST, "property,optimization", other_placed())
    assert checked(built) == [
        ("Other.echidna_other", "property"),
        ("echidna_best", "optimization"),
        ("Other.optimize_gain", "optimization"),
    ]


@pytest.mark.parametrize(
    ("body", "mode", "told"),
    [
        ("", "property", "that starts with 'echidna_'; add properties, or choose"),
        (
            "",
            "optimization",
            "that starts with 'echidna_' or 'optimize_'; add values that are to be max",
        ),
        (
            "",
            "property,optimization",
            "that starts with 'echidna_' or 'optimize_'; add properties, or choose",
        ),
        (BEST, "property", "The property C.echidna_best() must return one bool."),
        (
            FINE,
            "optimization",
            "The value C.echidna_fine() that is to be maximized must be one int256.",
        ),
        *(
            (
                f"function optimize_x() external {result}",
                "optimization",
                "C.optimize_x(): a value has no arguments and is one int256.",
            )
            for result in (
                "{}",
                "pure returns (bool) { return true; }",
                "pure returns (uint256) { return 1; }",
                "pure returns (int128) { return 1; }",
                "pure returns (int256, int256) { return (1, 1); }",
            )
        ),
        (
            "function echidna_x() external pure returns (uint256) { return 1; }",
            "property,optimization",
            "The property C.echidna_x() must return one bool, or one int256.",
        ),
        (
            (
                "function optimize_x(uint y) external pure returns (int256) "
                "{ return int256(y); }"
            ),
            "optimization",
            (
                "exploration. C.optimize_x(uint256): a value has no arguments and is "
                "one int256."
            ),
        ),
        (
            (
                "function echidna_x(uint y) external pure returns (int256) "
                "{ return int256(y); }"
            ),
            "property,optimization",
            (
                "C.echidna_x(uint256) takes arguments; a function that starts with "
                "'echidna_' must take none."
            ),
        ),
    ],
)
def test_what_is_no_test_of_its_kind_is_refused(body: str, mode: str, told: str):
    with pytest.raises(TargetError) as caught:
        target(body, mode)
    assert told in caught.value.message


@pytest.mark.parametrize("mode", ["assertion", "overflow", "assertion,overflow"])
def test_properties_and_values_that_a_mode_leaves_out_are_told(mode: str):
    properties = (
        f"Properties are not checked in {mode} mode: C.echidna_fine; "
        f"--test-mode property,{mode} checks them as well."
    )
    values = (
        f"Nothing is maximized in {mode} mode: C.echidna_best; "
        f"--test-mode {mode},optimization does that as well."
    )
    assert left_out(FINE, mode) == [properties]
    assert left_out(BEST, mode, value_prefix="echidna_") == [values]
    assert left_out(FINE + BEST, mode, test_destruction=True) == [properties, values]
    assert left_out("", mode) == []
    assert left_out(FINE.replace("echidna_", "f_"), mode) == []


def test_nothing_is_left_out_where_all_is_checked_or_nothing():
    for mode in (ALL, "property,optimization", "exploration"):
        assert left_out(FINE + BEST + GAIN, mode) == []


def test_values_by_their_own_prefix_are_told_as_well():
    assert left_out(FINE + GAIN, "property") == [
        (
            "Nothing is maximized in property mode: C.optimize_gain; "
            "--test-mode property,optimization does that as well."
        )
    ]


def test_what_is_named_as_a_value_and_is_none_is_called_and_told():
    odd = "function optimize_odd(uint y) external { x = y; }"
    built = target(FINE + GAIN + odd, ALL)
    assert "optimize_odd(uint256)" in called(built)
    assert [*unasked_functions(built)] == [
        (
            "No value to maximize, but called as other functions: "
            "C.optimize_odd(uint256); a value takes no arguments and returns one "
            "int256."
        )
    ]


def test_a_value_in_property_mode_is_refused_with_the_way_to_maximize_it():
    with pytest.raises(TargetError) as caught:
        target(BEST, "property")
    assert caught.value.message.endswith("choose --test-mode optimization.")


def test_tests_of_other_contracts_are_not_told_to_be_left_out():
    built = target(FINE, ALL, other_placed())
    assert ("Other.echidna_other", "property") in checked(built)
    assert [*unasked_functions(built)] == []


def test_two_prefixes_may_be_one():
    built = target(FINE + BEST, "property,optimization", value_prefix="echidna_")
    assert checked(built) == [
        ("echidna_fine", "property"),
        ("echidna_best", "optimization"),
    ]


def test_several_prefixes_name_tests_with_commas_between():
    more = FINE.replace("echidna_", "crytic_")
    never = "function crytic_revert_() external pure returns (bool) { revert(); }"
    built = target(
        FINE + more + never + GAIN + GAIN.replace("optimize_", "max_"),
        "property,optimization",
        prefix="echidna_,crytic_",
        value_prefix="optimize_,max_",
    )
    assert sorted(checked(built)) == [
        ("crytic_fine", "property"),
        ("crytic_revert_", "property"),
        ("echidna_fine", "property"),
        ("max_gain", "optimization"),
        ("optimize_gain", "optimization"),
    ]
    assert [test.name for test in built.tests if test.inverted] == ["crytic_revert_"]
    assert called(built) == ["set(uint256)"]


def test_if_nothing_is_named_so_all_prefixes_are_told():
    with pytest.raises(TargetError, match="starts with 'a_' or 'b_'; add properties"):
        target("", "property", prefix="a_,b_")
