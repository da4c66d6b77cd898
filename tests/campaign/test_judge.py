"""When a test counts as falsified (Echidna's rules)."""

from __future__ import annotations

import pytest
from campaigns import py_evm, small_config
from solc import compile_solidity

from echidna_mcp.errors import DeploymentError, TargetError
from echidna_mcp.evm.backend import BackendConfig, Message
from echidna_mcp.program.target import ASSERTION_LOG_TEST, build_target
from echidna_mcp.rounds.caller import Called
from echidna_mcp.rounds.deployment import deploy
from echidna_mcp.rounds.judge import Judge

pytestmark = pytest.mark.solc

SOURCE = """
pragma solidity ^0.8.0;
contract Inner {
    event AssertionFailed(string what);
    function say() external { emit AssertionFailed("inner"); revert(); }
    function panic() external pure { assert(false); }
}
contract T {
    event AssertionFailed(uint256 code);
    event Other(uint256 code);
    uint256 x;
    Inner inner = new Inner();
    function set(uint256 y) public { x = y; }
    function failing(uint256 y) public pure { assert(y != 1); }
    function invalid() public pure { assembly { invalid() } }
    function overflow(uint8 y) public pure returns (uint8) { return y + 255; }
    function refuse() public pure { revert("assertion failed: 1 != 2"); }
    function plain() public pure { revert("no"); }
    function log(bool really) public {
        if (really) emit AssertionFailed(1); else emit Other(1);
    }
    function nested() public { try inner.say() {} catch {} }
    function swallowed() public view { try inner.panic() {} catch {} }
    function echidna_small() public view returns (bool) { return x < 10; }
    function echidna_reverts() public view returns (bool) {
        require(x != 11, "eleven"); return true;
    }
    function echidna_revert_always() public view returns (bool) {
        require(x == 12); return true;
    }
    function echidna_burns() public view returns (bool) {
        while (x == 13) {} return true;
    }
}
"""


class Judged:
    """A deployed contract, and what its tests say after a call."""

    def __init__(self, source: str, **config) -> None:
        self.target = build_target(
            compile_solidity(source, "T"), small_config(**config)
        )
        self.backend = py_evm().create(BackendConfig())
        deploy(self.backend, self.target)
        self.judge = Judge(self.target, self.backend)

    def falsified_by(self, signature: str, *words: int) -> dict[str, str]:
        function = self.target.functions[self.target.function_index[signature]]
        data = function.selector + b"".join(w.to_bytes(32, "big") for w in words)
        result = self.backend.call(
            Message(sender=0x10000, to=self.target.config.contract_addr, data=data)
        )
        return {
            test.name: verdict.reason
            for test in self.target.tests
            if (verdict := self.judge.falsified(test, Called(result, 0, data)))
        }


@pytest.fixture
def properties():
    return Judged(SOURCE)


@pytest.fixture
def assertions():
    return Judged(SOURCE, test_mode="assertion")


@pytest.mark.parametrize(
    ("value", "falsified"),
    [
        (9, {}),
        (10, {"echidna_small": "returned false"}),
        (
            11,
            {
                "echidna_small": "returned false",
                "echidna_reverts": 'reverted: Error("eleven")',
            },
        ),
        (
            12,
            {
                "echidna_small": "returned false",
                "echidna_revert_always": "ended with RETURN_TRUE",
            },
        ),
        (
            13,
            {
                "echidna_small": "returned false",
                "echidna_burns": "ended with OUT_OF_GAS",
            },
        ),
    ],
)
def test_a_property_holds_if_it_returns_true_or_reverts_when_it_must(
    properties, value, falsified
):
    assert properties.falsified_by("set(uint256)", value) == falsified


def test_a_property_is_not_judged_after_a_call_that_reverted(properties):
    properties.falsified_by("set(uint256)", 10)
    assert properties.falsified_by("plain()") == {}


def test_judging_changes_nothing(properties):
    before = properties.falsified_by("set(uint256)", 10)
    assert properties.falsified_by("set(uint256)", 10) == before


def test_a_property_is_judged_in_the_initial_state(properties):
    verdicts = [
        properties.judge.falsified(test, None) for test in properties.target.tests
    ]
    assert verdicts == [None] * 4


@pytest.mark.parametrize(
    ("call", "falsified"),
    [
        (("failing(uint256)", 1), {"failing(uint256)"}),
        (("failing(uint256)", 2), set()),
        (("invalid()",), {"invalid()"}),
        (("overflow(uint8)", 1), set()),
        (("refuse()",), {"refuse()"}),
        (("plain()",), set()),
        (("log(bool)", 1), {"log(bool)", ASSERTION_LOG_TEST}),
        (("log(bool)", 0), set()),
        (("nested()",), {"nested()", ASSERTION_LOG_TEST}),
        (("swallowed()",), set()),
    ],
)
def test_an_assertion_fails_by_panic_one_invalid_or_log(assertions, call, falsified):
    assert set(assertions.falsified_by(*call)) == falsified


def test_assertion_mode_checks_every_function_that_can_be_called(assertions):
    names = {test.name for test in assertions.target.tests}
    assert ASSERTION_LOG_TEST in names
    assert "set(uint256)" in names
    assert not any(name.startswith("echidna_") for name in names)


def contract(body: str) -> str:
    return f"pragma solidity ^0.8.0; contract T {{ {body} }}"


@pytest.mark.parametrize(
    ("body", "config", "sentence"),
    [
        ("function f() public {}", {}, "no function that starts with 'echidna_'"),
        (
            "function echidna_a(uint x) public returns (bool) {}",
            {},
            "must take none",
        ),
        (
            "function f() public {} function echidna_a() public returns (uint) {}",
            {},
            "must return one bool",
        ),
        (
            "function echidna_a() public returns (bool) {} function f() public {}",
            {"filter_functions": ("T.f()",)},
            "no function that can be called",
        ),
        (
            "constructor(uint x) {} function f() public {}",
            {"test_mode": "exploration"},
            "takes arguments",
        ),
    ],
)
def test_what_can_not_be_fuzzed_is_refused_with_one_sentence(body, config, sentence):
    program = compile_solidity(contract(body), "T")
    with pytest.raises(TargetError, match=sentence) as caught:
        build_target(program, small_config(**config))
    assert caught.value.message.endswith(".")
    assert "\n" not in caught.value.message


def test_a_constructor_that_reverts_is_reported_with_its_reason():
    source = contract('constructor() { revert("not today"); } function f() public {}')
    program = compile_solidity(source, "T")
    target = build_target(program, small_config(test_mode="exploration"))
    with pytest.raises(DeploymentError, match="not today"):
        deploy(py_evm().create(BackendConfig()), target)


def test_custom_errors_are_called_by_their_names():
    declared = "error NotToday(uint256 day);"
    source = contract(
        f"{declared} constructor() {{ revert NotToday(5); }} function f() public {{}}"
    )
    target = build_target(
        compile_solidity(source, "T"), small_config(test_mode="exploration")
    )
    with pytest.raises(DeploymentError, match=r"reverted \(NotToday\(5\)\)"):
        deploy(py_evm().create(BackendConfig()), target)
    judged = Judged(
        contract(
            f"{declared} function f() public {{}}"
            "function echidna_day() public returns (bool) { revert NotToday(6); }"
        )
    )
    assert judged.falsified_by("f()") == {"echidna_day": "reverted: NotToday(6)"}


def test_set_up_of_a_foundry_contract_runs_before_the_campaign():
    source = contract(
        "bool public IS_TEST = true; uint x; function setUp() public { x = 7; }"
        "function f() public {} function echidna_seven() public returns (bool)"
        "{ return x == 7; }"
    )
    judged = Judged(source)
    assert judged.falsified_by("f()") == {}


def test_filters_and_view_functions_are_left_out_when_asked():
    program = compile_solidity(SOURCE, "T")
    black = small_config(filter_functions=("T.set(uint256)",))
    white = small_config(filter_functions=("T.set(uint256)",), filter_blacklist=False)
    views = small_config(exclude_view_pure=True)
    assert "set(uint256)" not in build_target(program, black).function_index
    assert list(build_target(program, white).function_index) == ["set(uint256)"]
    assert "failing(uint256)" not in build_target(program, views).function_index


@pytest.mark.parametrize(
    ("signature", "words", "reason"),
    [
        ("log(bool)", (1,), "logged AssertionFailed(1)"),
        ("nested()", (), 'logged AssertionFailed("inner")'),
    ],
)
def test_an_assertion_that_fails_through_a_log_says_what_was_logged(
    signature, words, reason
):
    judged = Judged(SOURCE, test_mode="assertion")
    assert judged.falsified_by(signature, *words)[signature] == reason
    assert set(judged.falsified_by(signature, *words).values()) == {reason}
