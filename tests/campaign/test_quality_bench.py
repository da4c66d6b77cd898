"""What `tests/bench/bench_quality.py` counts, and how it asks forge for the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "bench"))

from forge_campaign import NoCampaignError, read_ended
from forge_case import foundry_test, settings, why_not
from processor_time import Watched, watch_for
from quality_cases import Case, cases_in
from quality_outcomes import NEVER, Outcome, told

# What forge 1.7.1 has said, each campaign by itself.
FELL = """\
No files changed, compilation skipped

Ran 1 test for test/Case.t.sol:CaseTest
[FAIL:  echidna_whole]
\t[Sequence] (original: 4, shrunk: 4)
\t\tsender=0x0000000000000000000000000000000000020000 \
addr=[test/Case.t.sol:CaseTarget]0xA647ff3c36cFab592509E13860ab8c4F28781a66 \
warp=534869 roll=29395 calldata=wait() args=[]
\t\tsender=0x0000000000000000000000000000000000020000 \
addr=[test/Case.t.sol:CaseTarget]0xA647ff3c36cFab592509E13860ab8c4F28781a66 \
warp=77845 roll=25903 calldata=give(uint256) args=[101]
 invariant_case() (runs: 0, calls: 0, reverts: 1)

╭------------+----------+-------+---------+----------╮
| Contract   | Selector | Calls | Reverts | Discards |
+====================================================+
| CaseTarget | give     | 2     | 0       | 0        |
|------------+----------+-------+---------+----------|
| CaseTarget | pay      | 1     | 1       | 0        |
|------------+----------+-------+---------+----------|
| CaseTarget | wait     | 1     | 0       | 0        |
╰------------+----------+-------+---------+----------╯

Suite result: FAILED. 0 passed; 1 failed; 0 skipped; finished in 14.96ms \
(14.42ms CPU time)

Ran 1 test suite in 17.52ms (14.96ms CPU time): 0 tests passed, 1 failed, 0 skipped \
(1 total tests)

Failing tests:
Encountered 1 failing test in test/Case.t.sol:CaseTest
[FAIL:  echidna_whole]
\t[Sequence] (original: 4, shrunk: 4)
 invariant_case() (runs: 0, calls: 0, reverts: 1)

Encountered a total of 1 failing tests, 0 tests succeeded
"""
HELD = """\
No files changed, compilation skipped

Ran 1 test for test/Case.t.sol:CaseTest
[PASS] invariant_case() (runs: 33, calls: 3300, reverts: 1313)

╭------------+-----------------+-------+---------+----------╮
| Contract   | Selector        | Calls | Reverts | Discards |
+===========================================================+
| CaseTarget | casePay_pay     | 685   | 565     | 0        |
|------------+-----------------+-------+---------+----------|
| CaseTarget | casePay_receive | 638   | 312     | 0        |
|------------+-----------------+-------+---------+----------|
| CaseTarget | give            | 712   | 0       | 0        |
|------------+-----------------+-------+---------+----------|
| CaseTarget | pay             | 666   | 436     | 0        |
|------------+-----------------+-------+---------+----------|
| CaseTarget | wait            | 644   | 0       | 0        |
╰------------+-----------------+-------+---------+----------╯

Suite result: ok. 1 passed; 0 failed; 0 skipped; finished in 1.04s (1.04s CPU time)
"""
FELL_AT_ONCE = """\
Ran 1 test for test/Case.t.sol:CaseTest
[FAIL: failed to set up invariant testing environment: echidna_set_up] \
invariant_case() (runs: 0, calls: 0, reverts: 0)
Suite result: FAILED. 0 passed; 1 failed; 0 skipped; finished in 9.40ms \
(6.65ms CPU time)
"""
NOT_SET_UP = """\
Ran 1 test for test/Case.t.sol:CaseTest
[FAIL: EvmError: Revert] setUp() (gas: 0)
Suite result: FAILED. 0 passed; 1 failed; 0 skipped; finished in 512.59µs \
(0.00ns CPU time)
"""
NAMES = ("echidna_paid", "echidna_whole", "echidna_set_up")


def test_a_campaign_that_found_a_bug_has_its_name_and_all_calls():
    ended = read_ended(FELL, NAMES)
    assert (ended.fallen, ended.calls) == ({"echidna_whole"}, 4)


def test_a_campaign_whose_time_is_over_has_the_calls_of_its_last_run_too():
    ended = read_ended(HELD, NAMES)
    assert (ended.fallen, ended.calls) == (set(), 685 + 638 + 712 + 666 + 644)


def test_properties_may_fall_before_the_first_call():
    ended = read_ended(FELL_AT_ONCE, NAMES)
    assert (ended.fallen, ended.calls) == ({"echidna_set_up"}, 0)


def test_several_properties_may_fall_with_one_call():
    both = FELL.replace("[FAIL:  echidna_whole]", "[FAIL:  echidna_paid echidna_whole]")
    assert read_ended(both, NAMES).fallen == {"echidna_paid", "echidna_whole"}


@pytest.mark.parametrize(
    "output", ["", NOT_SET_UP, FELL.replace(" echidna_whole", "EvmError: OutOfGas")]
)
def test_what_is_no_campaign_is_not_taken_for_one_without_bugs(output: str):
    with pytest.raises(NoCampaignError):
        read_ended(output, NAMES)


def outcome(*found: tuple[float, int], calls=20_000, seconds=60.0, false=()) -> Outcome:
    names = (f"echidna_{number}" for number in range(len(found)))
    return Outcome(dict(zip(names, found, strict=True)), false, calls, seconds)


EIGHT = frozenset(f"echidna_{number}" for number in range(8))


def test_bugs_are_told_by_time_and_by_calls_with_their_spread():
    soon = outcome((1.0, 500), (2.0, 900), (10.0, 5_000), (29.0, 20_000))
    later = outcome((16.0, 9_000), (31.0, 15_000), calls=30_000, seconds=61.0)
    assert told("maze-1", "ours", EIGHT, [soon, later], 60.0).splitlines() == [
        (
            "maze-1            ours         3 (2-4) of 8; "
            "at 25% of the time 1.5 (0-3); at 50% of the time 2.5 (1-4); "
            "calls 25,000 (20,000-30,000); "
            "60.5 (60.0-61.0) s spent"
        ),
        " " * 31 + "calls until a quarter 7,950 (900-15,000), half never (20,000-never)"
        ", three quarters never, all never of the bugs",
        " " * 31 + "bugs by calls 1,000: 1 (0-2), 10,000: 2 (1-3)",
    ]


def test_a_single_bug_is_told_with_the_least_and_the_most():
    runs = [outcome((1.0, 500)), outcome((3.0, 700)), outcome((8.0, 9_000)), outcome()]
    assert told("T1", "ours", {"echidna_0"}, runs, 60.0) == (
        "T1                ours         found with 3 of 4 seeds; "
        "after 3.0 (1.0-8.0) s; after 700 (500-9,000) calls; "
        "calls 20,000 (20,000-20,000); 60.0 (60.0-60.0) s spent"
    )


def test_what_fell_after_the_time_does_not_count():
    late = [outcome((60.1, 500), seconds=61.0)]
    assert "found with 0 of 1 seeds" in told("T1", "ours", {"echidna_0"}, late, 60.0)


def test_what_is_no_bug_is_told_and_not_counted():
    wrong = [outcome((1.0, 500), false=("echidna_0",))]
    lines = told("maze-1", "ours", frozenset(), wrong, 60.0).splitlines()
    assert "0 (0-0) of 0" in lines[0]
    assert lines[-1].split() == ["FALSE:", "echidna_0"]


@pytest.mark.parametrize(("bugs", "calls"), [(1, 5), (2, 7), (3, NEVER), (9, NEVER)])
def test_calls_until_so_many_bugs(bugs: int, calls: float):
    assert outcome((1.0, 7), (0.5, 5)).calls_until(bugs) == calls


@pytest.mark.parametrize(
    ("moment", "spent"), [(9.0, 0.0), (10.0, 0.0), (10.5, 0.2), (13.0, 2.4), (99.0, 5)]
)
def test_a_moment_has_the_processor_time_that_was_spent_till_then(
    moment: float, spent: float
):
    watched = Watched("", 5.0, [(10.0, 0.0), (11.0, 0.4), (12.0, 0.4), (14.0, 4.4)])
    assert watched.at(moment) == pytest.approx(spent)


def test_a_command_that_goes_on_ends_with_its_time(tmp_path: Path):
    program = "import os; print(os.environ['SAID'], flush=True)\nwhile True: pass"
    words = [sys.executable, "-c", program]
    watched = watch_for(words, tmp_path, 0.4, {"SAID": "once"})
    assert watched.output == "once\n"
    assert 0.4 <= watched.seconds < 5
    moments, spent = zip(*watched.samples, strict=True)
    assert [*moments] == sorted(moments)
    assert [*spent] == sorted(spent)
    assert watched.at(moments[-1]) == spent[-1] == watched.seconds


SOURCE = """\
pragma solidity ^0.8.20;

contract Helper {
}

contract Bank {
    function echidna_paid() public view returns (bool) { return true; }
    function echidna_sent()
        external
        view
        returns (bool)
    { return true; }
}
"""
ABI = [
    {"type": "constructor", "stateMutability": "payable", "inputs": []},
    {"type": "receive", "stateMutability": "payable"},
    {
        "type": "function",
        "name": "pay",
        "stateMutability": "payable",
        "inputs": [
            {"name": "kind", "type": "uint8", "internalType": "enum Bank.Kind"},
            {"name": "", "type": "tuple[]", "internalType": "struct Bank.Note[]"},
            {"name": "who", "type": "address", "internalType": "address payable"},
        ],
        "outputs": [{"name": "", "type": "bytes", "internalType": "bytes"}],
    },
    *(
        {
            "type": "function",
            "name": name,
            "stateMutability": "view",
            "inputs": [],
            "outputs": [{"name": "", "type": "bool", "internalType": "bool"}],
        }
        for name in ("echidna_paid", "echidna_sent")
    ),
]


def written(folder: Path, config: str = "") -> Case:
    (folder / "Bank.sol").write_text(SOURCE)
    if config:
        (folder / "echidna-Bank.yaml").write_text(config)
    (case,) = cases_in(folder)
    return case


def test_a_case_is_a_contract_with_properties(tmp_path: Path):
    case = written(tmp_path)
    assert (case.name, case.contract) == ("Bank", "Bank")
    assert case.properties == {"echidna_paid": False, "echidna_sent": True}
    assert case.feasible == case.properties.keys()


def test_a_maze_has_the_name_of_its_file_and_the_bugs_of_its_truth(tmp_path: Path):
    source = SOURCE.replace("echidna_paid", "echidna_7")
    (tmp_path / "maze-12.echidna.sol").write_text(source)
    (tmp_path / "maze-12.t.sol").write_text("contract Test {}")
    (tmp_path / "truth-12.json").write_text('{"feasible": [7]}')
    (case,) = cases_in(tmp_path)
    assert (case.name, case.feasible) == ("maze-12", {"echidna_7"})


CONFIG = """\
balanceAddr: 7000
balanceContract: 5
maxValue: 8000
sender: ['0xa']
"""


def test_the_test_of_forge_has_senders_ether_and_properties_of_the_case(tmp_path: Path):
    case = written(tmp_path, CONFIG)
    lines = {line.strip() for line in foundry_test(case, ABI).splitlines()}
    assert lines >= {
        "contract CaseTarget is Bank {",
        "if (open & (1 << 0) != 0 && !echidna_paid()) fallen |= 1 << 0;",
        "if (open & (1 << 1) != 0 && !this.echidna_sent()) fallen |= 1 << 1;",
        (
            "function casePay_pay(uint256 casePaid, Bank.Kind case0, "
            "Bank.Note[] memory case1, address payable case2) external "
            "returns (bytes memory) {"
        ),
        "return this.pay{value: _caseSends(casePaid)}(case0, case1, case2);",
        '(bool caseDone,) = address(this).call{value: _caseSends(casePaid)}("");',
        "paid = amount % 8001;",
        "target = new CaseTarget{value: 5}();",
        "CASE_CHEATS.deal(address(uint160(10)), 7000);",
        "found = new address[](1);",
        "found[0] = address(uint160(10));",
    }


def test_the_settings_of_forge_are_those_of_the_case(tmp_path: Path):
    text = settings(written(tmp_path, "seqLen: 30\nmaxTimeDelay: 9\n").config)
    lines = text.splitlines()
    assert {"depth = 30", "max_time_delay = 9", "shrink_run_limit = 0"} <= {*lines}


@pytest.mark.parametrize(
    ("config", "entry", "reason"),
    [
        ("", {}, None),
        ("allContracts: true\n", {}, "its configuration sets all_contracts"),
        ("", {"inputs": [{}]}, "its constructor takes arguments"),
        (
            "balanceContract: 5\n",
            {"stateMutability": "nonpayable"},
            "its constructor takes no ether",
        ),
        (
            "",
            {
                "type": "function",
                "name": "echidna_sent",
                "stateMutability": "nonpayable",
            },
            "echidna_sent changes the state",
        ),
    ],
)
def test_what_forge_has_no_counterpart_for_is_not_compared(
    tmp_path: Path, config: str, entry: dict, reason: str | None
):
    abi = [{**ABI[0], **entry}, *ABI[1:]]
    assert why_not(written(tmp_path, config), abi) == reason
