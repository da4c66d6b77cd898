"""Each documented option of Echidna decides what it is said to, alike on both EVMs.

A file is read as `run --config` reads it. Where an option decides a verdict, its row
(`documented_rows`) says what the verdicts are without it as well, so that an option
that does nothing is noticed.
"""

from __future__ import annotations

from typing import Final

import pytest
from documented import KEYS, SHOWN_BY_THE_COMMAND, played, settings_of, wishes_of
from documented_rows import TABLE, Row, names
from native_backends import REFERENCE

from echidna_mcp.errors import EchidnaMcpError

pytestmark = pytest.mark.solc

REFUSALS: Final = (
    ("codeSize", "Modes", "codeSize: 2000", "bytes, but codeSize allows 2000; raise"),
    ("codeSize", "Modes", "codeSize: 1000", "bytes, but codeSize allows 2000; raise"),
    ("balanceContract", "Modes", "balanceContract: 1", "takes no wei, but balanceC"),
    ("contractAddr", "Modes", 'contractAddr: "0x11"', "no precompiled contract has"),
    *(
        (key, "Modes", f'{key}: [["0x100", "60"]]', "no precompiled contract has")
        for key in ("deployContracts", "deployBytecodes")
    ),
    ("filterBlacklist", "Modes", "filterBlacklist: false", "must name the functions"),
    ("testMode", "Modes", "testMode: overflows", "did you mean `overflow`?"),
    ("testMode", "Modes", "testMode: optimization", "must be one int256"),
    ("testMode", "Gas", "testMode: foundry", "There is no test of Foundry here"),
    ("prefix", "Modes", "prefix: fuzz_", "starts with 'fuzz_'; add properties"),
    *(
        (key, "Pays", f"{key}: 0x1{'0' * 64}", f"`{key}` must be")
        for key in ("maxGasprice", "maxTimeDelay", "maxBlockDelay", "maxValue")
    ),
    ("rpcUrl", "Modes", "rpcUrl: http://127.0.0.1", "`rpcUrl` is not supported yet."),
    ("rpcBlock", "Modes", "rpcBlock: 1", "`rpcBlock` is not supported yet."),
)
"""Key, contract, the lines that are refused, and what the message says."""

IDLE: Final = {
    "projectName": "projectName: Vault",
    "server": "server: 8080",
    "allEvents": "allEvents: true",
    "etherscanApiKey": "etherscanApiKey: abc",
    "disableOnchainSources": "disableOnchainSources: true",
    "symExecNSolvers": "symExecNSolvers: 2",
    "symExecTimeout": "symExecTimeout: 31",
    "symExecMaxIters": "symExecMaxIters: 6",
    "symExecAskSMTIters": "symExecAskSMTIters: 2",
    "symExecTargets": "symExecTargets: [set]",
    "symExecMaxExplore": "symExecMaxExplore: 11",
}
"""Keys that change nothing that is tested, with other values than by default."""

SOLVING: Final = {
    "symExec: true": "bitwuzla",
    "symExec: false": "",
    "symExec: true\nsymExecSMTSolver: z3": "z3",
    "symExec: true\nsymExecSMTSolver: cvc5": "bitwuzla",
    "symExec: true\nsolver: off": "",
}
"""Lines, and the solver that a campaign has with them."""

LEFT_OUT: Final = {
    "rpcUrl": "no campaign begins on a live chain yet",
    "rpcBlock": "the same",
    "etherscanApiKey": "only sources of a live chain need it",
    "disableOnchainSources": "the same",
    **dict.fromkeys(
        (key for key in IDLE if key.startswith("symExec")),
        "the solver has a budget of its own",
    ),
}
"""Keys that do not work here, and why. The tests show that they say so."""


def test_no_documented_key_is_left_out() -> None:
    shown = {row.key for row in TABLE} | {key for key, *_ in REFUSALS} | {*IDLE}
    shown |= {"symExec", "symExecSMTSolver"}  # `test_who_solves`
    assert shown | SHOWN_BY_THE_COMMAND == KEYS
    working = KEYS - {*LEFT_OUT}
    assert {key for key in IDLE if key in working} == {
        "projectName",
        "server",
        "allEvents",
    }


@pytest.mark.parametrize(("key", "contract", "text", "told"), REFUSALS)
def test_what_can_not_be_is_refused_in_a_sentence(
    key: str, contract: str, text: str, told: str
) -> None:
    with pytest.raises(EchidnaMcpError) as caught:
        played(contract, text)
    assert told in caught.value.message
    assert played(contract, "")


@pytest.mark.parametrize("key", IDLE)
def test_what_does_nothing_says_so(key: str) -> None:
    loaded = settings_of("Modes", IDLE[key]).loaded
    (told,) = loaded.unhonoured
    assert told.endswith(f"line 1: `{key}` is not supported yet and does nothing.")
    assert loaded.campaign == settings_of("Modes", "").loaded.campaign


@pytest.mark.parametrize("lines", SOLVING)
def test_who_solves(lines: str) -> None:
    if SOLVING[lines]:
        pytest.importorskip(SOLVING[lines])
    (wish,) = wishes_of("Magic", lines)
    assert wish.config.solver == SOLVING[lines]
    assert ("cvc5, which is no solver here" in "".join(wish.unhonoured)) == (
        "cvc5" in lines
    )


@pytest.mark.parametrize("key", ["disableSlither", "solcLibs"])
def test_what_need_not_do_anything_does_nothing(key: str) -> None:
    (row,) = (row for row in TABLE if row.key == key)
    assert settings_of(row.contract, row.text).loaded.unhonoured == ()
    assert row.with_it()[0].digests == row.without_it()[0].digests


@pytest.mark.parametrize("row", TABLE, ids=str)
def test_the_option_decides_what_it_is_said_to(row: Row) -> None:
    found = frozenset[str]().union(*(run.falsified for run in row.with_it()))
    assert found == names(row.fails)
    if row.without is None and row.shows is None:
        return
    if row.without is not None:
        assert names(row.without) != names(row.fails)
        (other,) = row.without_it()
        assert other.falsified == names(row.without)
    if row.shows is not None:
        (run,), (other,) = row.with_it(), row.without_it()
        assert row.shows(run, other)


@pytest.mark.digests
@pytest.mark.parametrize("row", TABLE, ids=str)
def test_both_evms_find_the_same(row: Row) -> None:
    found = [(run.digests, run.falsified) for run in row.with_it()]
    assert found == [(run.digests, run.falsified) for run in row.with_it(REFERENCE)]
