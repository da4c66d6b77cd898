"""Calls, creations and destruction: the native backend against the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import pytest
from eth._utils.address import (
    generate_contract_address,
    generate_safe_contract_address,
)
from eth_hash.auto import keccak
from evm_assembler import assemble, creation_code
from hypothesis import example, given
from hypothesis import strategies as st
from twins import Twins

from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.backend import (
    Authorization,
    BackendConfig,
    BlockContext,
    CallResult,
    Message,
    Status,
)
from echidna_mcp.evm.fork import ForkName
from echidna_mcp.kernel.language.memory import MASK64, MASK256
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.host.capacity import Capacity
from echidna_mcp_plugins.native.opcodes.creations import (
    creation_address,
    salted_address,
)
from echidna_mcp_plugins.py_evm.backend import PyEvmBackend

SENDER = 0x10000
CALLER = 0xA0
MIDDLE = 0xA1
ECHO, REVERTER, FAILING, LOGGING, WRITER, PLAIN, DESIGNATED = range(0xB0, 0xB7)
NOBODY = 0x999
RICH = 10**18
GAS = 3_000_000
LEVELS = (GAS, 100_000, 60_000, 45_000, 33_000, 24_000, 21_100)

Accounts = Mapping[int, Mapping[str, Any]]


def account(code: bytes, balance: int = RICH, **more: Any) -> dict[str, Any]:
    return {"balance": balance, "nonce": 1, "code": code, **more}


def call(
    to: int | str,
    name: str = "CALL",
    *,
    value: int = 0,
    gas: int | str = "GAS",
    sizes: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> bytes:
    """Return code that calls; `sizes` are input offset and size, then output's."""
    start, size, into, room = sizes
    values = [value] if name in {"CALL", "CALLCODE"} else []
    return assemble(room, into, size, start, *values, to, gas, name)


def report(at: int = 0x400) -> bytes:
    """Return code that writes the top of the stack, return data and gas to memory."""
    return assemble(
        *(at, "MSTORE", "RETURNDATASIZE", at + 32, "MSTORE", "GAS", at + 64, "MSTORE"),
        *("RETURNDATASIZE", 0, at + 96, "RETURNDATACOPY"),
    )


FILLED = assemble((1 << 256) - 0x1234567890, 0, "MSTORE", 0xABCDEF, 32, "MSTORE")
END = assemble(0x600, 0, "RETURN")

LIBRARY: Accounts = {
    ECHO: account(
        assemble(
            "CALLDATASIZE",
            0,
            0,
            "CALLDATACOPY CALLER CALLDATASIZE MSTORE",
            "CALLVALUE CALLDATASIZE 0x20 ADD MSTORE",
            "ADDRESS CALLDATASIZE 0x40 ADD MSTORE",
            "SELFBALANCE CALLDATASIZE 0x60 ADD MSTORE",
            "RETURNDATASIZE CALLDATASIZE 0x80 ADD MSTORE",
            "CALLDATASIZE 0xa0 ADD",
            0,
            "RETURN",
        )
    ),
    REVERTER: account(assemble(0x77, 0, "MSTORE", 1, 1, "SSTORE", 37, 3, "REVERT")),
    FAILING: account(assemble(1, 1, "SSTORE INVALID")),
    LOGGING: account(assemble(5, 32, 1, "LOG1") + call(REVERTER) + assemble("STOP")),
    WRITER: account(assemble(7, 0, "SSTORE", 0, 1, "SSTORE", 3, 4, 9, "LOG1")),
    PLAIN: account(b"", nonce=0),
}


def twins(
    accounts: Accounts,
    *,
    fork: ForkName = "cancun",
    limit: int = 24576,
    mode: Any = "plain",
) -> Twins:
    """Return both backends with the library and some more accounts."""
    config = BackendConfig(
        block=BlockContext(coinbase=0xC0), max_code_size=limit, fork=fork
    )
    both = Twins(config, PyEvmBackend, partial(NativeBackend, mode=mode))
    for address, parts in {**LIBRARY, **accounts}.items():
        both.set_account(address, **parts)
    return both


def run(
    accounts: Accounts, *, gas: Sequence[int] = LEVELS, **config: Any
) -> list[CallResult]:
    """Call `CALLER` with several amounts of gas, in the same state."""
    both = twins(accounts, **config)
    start = both.snapshot()
    results = []
    for amount in gas:
        both.restore(start)
        message = Message(sender=SENDER, to=CALLER, data=b"\1\2\3", gas=amount, value=9)
        results.append(both.call(message))
    return results


def word(result: CallResult, at: int) -> int:
    return int.from_bytes(result.output[at : at + 32], "big")


# -------------------------------------------------------------------------- addresses


@given(st.integers(0, (1 << 160) - 1), st.integers(0, MASK64))
@example(0, 0)
@example(1, 127)
@example(1, 128)
@example(1, 255)
@example(1, 256)
@example((1 << 160) - 1, MASK64)
def test_creation_address_is_that_of_py_evm(sender: int, nonce: int) -> None:
    expected = generate_contract_address(sender.to_bytes(20, "big"), nonce)  # type: ignore[arg-type]
    assert creation_address(sender, nonce).to_bytes(20, "big") == expected


@given(st.integers(0, (1 << 160) - 1), st.integers(0, MASK256), st.binary(max_size=99))
def test_salted_address_is_that_of_py_evm(sender: int, salt: int, code: bytes) -> None:
    expected = generate_safe_contract_address(sender.to_bytes(20, "big"), salt, code)  # type: ignore[arg-type]
    code_hash = int.from_bytes(keccak(code), "big")
    assert salted_address(sender, salt, code_hash).to_bytes(20, "big") == expected


# ------------------------------------------------------------------------------ calls

TARGETS = [ECHO, REVERTER, FAILING, LOGGING, WRITER, PLAIN, NOBODY, CALLER, 1, 2, 4, 9]


@pytest.mark.parametrize("name", ["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"])
@pytest.mark.parametrize("target", TARGETS)
def test_calls_equal_the_reference(name: str, target: int) -> None:
    values = [0, 5, RICH + 10] if name in {"CALL", "CALLCODE"} else [0]
    statuses = set()
    for value, gas in product(values, ["GAS", 0, 5_000]):
        results = run({CALLER: account(once(name, target, value, gas))})
        statuses |= {result.status for result in results}
    assert Status.OUT_OF_GAS in statuses
    assert any(status.succeeded for status in statuses)


def once(name: str, target: int, value: int, gas: int | str) -> bytes:
    """Return a caller that calls unless it is called by itself."""
    body = (
        FILLED
        + call(4, sizes=(0, 9, 0, 9))
        + call(target, name, value=value, gas=gas, sizes=(3, 50, 20, 40))
    )
    return assemble("CALLER", CALLER, "EQ @end JUMPI", body, report(), END, "end: STOP")


@pytest.mark.parametrize("name", ["CALL", "DELEGATECALL", "STATICCALL"])
@pytest.mark.parametrize(
    "action",
    [
        call(ECHO, value=0),
        call(ECHO, value=1),
        call(ECHO, "CALLCODE", value=1),
        call(WRITER),
        call(WRITER, "DELEGATECALL"),
        call(4, value=1),
        assemble(1, 1, "SSTORE", 1),
        assemble(1, 1, "TSTORE", 1),
        assemble(0, 0, "LOG0", 1),
        assemble(0, 0, 0, "CREATE"),
        assemble(0, 0, 0, 0, "CREATE2"),
        assemble(ECHO, "SELFDESTRUCT"),
    ],
)
def test_static_frames_change_nothing(name: str, action: bytes) -> None:
    results = run(
        {
            CALLER: account(call(MIDDLE, name) + report() + END),
            MIDDLE: account(action + report() + END),
        },
        gas=(GAS,),
    )
    assert all(result.status.succeeded for result in results)


def test_logs_of_reverted_frames_are_dropped_in_order() -> None:
    code = assemble(1, 0, 0, "LOG1", call(LOGGING), 2, 0, 0, "LOG1", call(MIDDLE))
    both = assemble(7, 33, 1, "LOG1", call(WRITER), 8, 0, 0, "LOG1 INVALID")
    (result,) = run({CALLER: account(code), MIDDLE: account(both)}, gas=(GAS,))
    assert [int.from_bytes(log.topics[0], "big") for log in result.logs] == [1, 5, 2]
    topics = [int.from_bytes(log.topics[0], "big") for log in result.dropped_logs]
    assert topics == [7, 3, 8]


def test_a_frame_that_fails_gives_back_storage_warmth_and_refund() -> None:
    body = assemble(0, 1, "SSTORE", 1, 2, "SSTORE", NOBODY, "BALANCE", 0, 0, "REVERT")
    again = assemble(1, "SLOAD", 2, "SLOAD", NOBODY, "BALANCE GAS", 0, "MSTORE")
    code = call(MIDDLE, "DELEGATECALL") + again + END
    words = {1: 5}
    run({CALLER: account(code, storage=words), MIDDLE: account(body)})


def descent(name: str) -> bytes:
    """Return code that returns how many frames fit below, itself included."""
    return assemble(
        call(CALLER, name, sizes=(0, 0, 0, 32)),
        *("POP", 0, "MLOAD", 1, "ADD", 0, "MSTORE", 32, 0, "RETURN"),
    )


@pytest.mark.parametrize("name", ["CALL", "DELEGATECALL", "STATICCALL", "CALLCODE"])
def test_calls_go_1024_deep(name: str) -> None:
    (result,) = run({CALLER: account(descent(name))}, gas=(10**11,))
    assert word(result, 0) == 1025


def test_creations_go_1024_deep() -> None:
    again = "CODESIZE 0x0 0x0 CODECOPY CODESIZE 0x0 0x0 CREATE"
    init = assemble(again, "DUP1 @end JUMPI RETURNDATASIZE 0x1 SSTORE end: STOP")
    both = twins({})
    result = both.deploy(Message(sender=SENDER, to=None, data=init, gas=10**14))
    assert result.status is Status.STOP
    accounts = dict(both.first.accounts())
    deepest = [a for a, state in accounts.items() if state.storage]
    assert len(accounts) == 1025 + 1 + len(LIBRARY)
    assert not deepest, "what is too deep clears the return data"


def test_a_call_that_is_too_deep_clears_the_return_data_and_keeps_its_gas() -> None:
    # At the bottom the identity precompile is called, then too deep a call.
    code = assemble(
        *("CALLDATASIZE @down JUMPI", "down:", 7, 0, "MSTORE"),
        *(call(4, sizes=(0, 32, 0, 32)), "POP"),
        *(call(CALLER, sizes=(0, 4, 0x200, 0x80)), "@end JUMPI"),
        *("GAS", 0, "MSTORE RETURNDATASIZE", 32, "MSTORE", 64, 0, "RETURN"),
        *("end: RETURNDATASIZE", 0, 0, "RETURNDATACOPY RETURNDATASIZE", 0, "RETURN"),
    )
    (result,) = run({CALLER: account(code)}, gas=(10**11,))
    assert len(result.output) == 64
    assert word(result, 32) == 0


# -------------------------------------------------------------------------- creations

RUNTIME = assemble(0x55, 0, "MSTORE", 32, 0, "RETURN")
INITS = {
    "empty": b"",
    "stops": assemble(1, 1, "SSTORE"),
    "deploys": creation_code(RUNTIME),
    "reserved": creation_code(b"\xef" + RUNTIME),
    "largest": assemble(100, 0, "RETURN"),
    "too large": assemble(101, 0, "RETURN"),
    "reverts": assemble(1, 1, "SSTORE", 0x99, 0, "MSTORE", 32, 0, "REVERT"),
    "fails": assemble(1, 1, "SSTORE INVALID"),
    "destroys itself": assemble("CALLER SELFDESTRUCT"),
    "burns": assemble("ADDRESS SELFDESTRUCT"),
    "reads": assemble(
        *(
            "CALLDATASIZE",
            0,
            "MSTORE CALLVALUE",
            32,
            "MSTORE SELFBALANCE",
            64,
            "MSTORE",
        ),
        *("CODESIZE", 96, "MSTORE", call(4), 128, "MSTORE", 99, 1, "RETURN"),
    ),
    "creates": assemble(0, 0, 1, "CREATE", 0, "MSTORE", 32, 0, "RETURN"),
    "longest": assemble("STOP") + bytes(199),
    "too long": assemble("STOP") + bytes(200),
}


def creator(init: bytes, name: str, value: int, after: bytes = b"") -> bytes:
    """Return code that creates from its own tail and reports."""
    salt = [42] if name == "CREATE2" else []

    def whole(start: int) -> bytes:
        return assemble(
            *(
                b"\x61" + len(init).to_bytes(2, "big"),
                b"\x61" + start.to_bytes(2, "big"),
            ),
            *(0, "CODECOPY", *salt, b"\x61" + len(init).to_bytes(2, "big"), 0, value),
            *(name, "DUP1 EXTCODEHASH", 0x3A0, "MSTORE", after, report(), END),
        )

    return whole(len(whole(0))) + init


@pytest.mark.parametrize("name", ["CREATE", "CREATE2"])
@pytest.mark.parametrize("init", INITS)
def test_creations_equal_the_reference(name: str, init: str) -> None:
    for value in (0, 3):
        results = run(
            {CALLER: account(creator(INITS[init], name, value))},
            gas=(GAS, 120_000, 100_000, 90_000, 80_000, 70_000, 60_000, 50_000),
            limit=100,
        )
        assert results[-1].status is Status.OUT_OF_GAS
        assert results[0].status.succeeded == (init != "too long")


@pytest.mark.parametrize("name", ["CREATE", "CREATE2"])
@pytest.mark.parametrize("obstacle", ["code", "nonce", "storage", "balance"])
def test_only_code_nonce_and_storage_are_in_the_way(name: str, obstacle: str) -> None:
    init = INITS["deploys"]
    where = creation_address(CALLER, 1)
    if name == "CREATE2":
        where = salted_address(CALLER, 42, int.from_bytes(keccak(init), "big"))
    parts: dict[str, Any] = {
        "code": {"code": b"\x00"},
        "nonce": {"nonce": 1},
        "storage": {"storage": {1: 1}},
        "balance": {"balance": 77},
    }[obstacle]
    code = creator(init, name, 1)
    (result, *_) = run({CALLER: account(code), where: parts})
    assert (word(result, 0x400) == 0) == (obstacle != "balance")
    assert (result.gas_used > GAS * 9 // 10) == (obstacle != "balance")


@pytest.mark.parametrize("name", ["CREATE", "CREATE2"])
@pytest.mark.parametrize(
    ("nonce", "value"), [(MASK64, 0), (MASK64 - 1, 0), (1, RICH * 2)]
)
def test_creations_that_can_not_begin_cost_little(
    name: str, nonce: int, value: int
) -> None:
    # There is return data to be cleared.
    code = FILLED + call(4, sizes=(0, 9, 0, 9)) + creator(b"", name, value)
    parts = account(code, nonce=nonce)
    (result, *_) = run({CALLER: {**parts, "nonce": nonce}})
    assert (word(result, 0x400) == 0) == (nonce != MASK64 - 1)
    assert word(result, 0x420) == 0
    assert result.gas_used < 100_000


@pytest.mark.parametrize("name", ["CREATE", "CREATE2"])
@pytest.mark.parametrize("size", [1 << 32, 1 << 58, 1 << 64, MASK256])
def test_creation_code_beyond_all_gas_is_out_of_gas(name: str, size: int) -> None:
    salt = [1] if name == "CREATE2" else []
    (result,) = run({CALLER: account(assemble(*salt, size, 0, 0, name))}, gas=(10**9,))
    assert result.status is Status.OUT_OF_GAS


# ------------------------------------------------------------------------ destruction

HEIRS = [NOBODY, CALLER, MIDDLE, PLAIN, 4, 0xC0]


@pytest.mark.parametrize("heir", HEIRS)
@pytest.mark.parametrize("balance", [0, 11])
def test_old_contracts_only_give_their_balance_away(heir: int, balance: int) -> None:
    destroy = account(assemble(1, 1, "SSTORE", heir, "SELFDESTRUCT"), balance)
    code = call(MIDDLE) + assemble(MIDDLE, "BALANCE", 0, "MSTORE") + report() + END
    both = run({CALLER: account(code), MIDDLE: destroy})
    assert both[0].status.succeeded
    run({CALLER: destroy})


@pytest.mark.parametrize("heir", ["ADDRESS", "CALLER", NOBODY])
@pytest.mark.parametrize("after", [b"", call(WRITER), assemble(0, 0, "REVERT")])
def test_new_contracts_vanish_at_the_end_of_the_message(
    heir: str | int, after: bytes
) -> None:
    """The contract is called twice, gets more wei, and is created again later."""
    runtime = assemble(1, 1, "SSTORE", heir, "SELFDESTRUCT")
    poke = assemble(0, 0, 0, 0, 5, "DUP6 GAS CALL POP")
    code = creator(creation_code(runtime), "CREATE2", 3, poke + poke + after)
    both = twins({CALLER: account(code)})
    for _ in range(3):
        result = both.call(Message(sender=SENDER, to=CALLER, data=b"", gas=GAS))
        assert result.status.succeeded == (after != assemble(0, 0, "REVERT"))
    code_hash = int.from_bytes(keccak(creation_code(runtime)), "big")
    assert both.first.code(salted_address(CALLER, 42, code_hash)) == b""


def test_a_contract_whose_creation_was_reverted_is_not_new() -> None:
    runtime = assemble("CALLER SELFDESTRUCT")
    inner = creator(creation_code(runtime), "CREATE2", 3, assemble(0, 0, "REVERT"))
    code = call(MIDDLE, "DELEGATECALL") + creator(creation_code(runtime), "CREATE2", 1)
    run({CALLER: account(code), MIDDLE: account(inner)})


# --------------------------------------------------------------------------- messages


@pytest.mark.parametrize("target", [*TARGETS, 0, 0x0A, 0x0B])
@pytest.mark.parametrize("fork", ["cancun", "prague"])
def test_messages_to_all_kinds_of_account(target: int, fork: ForkName) -> None:
    both = twins({CALLER: account(b"\x5b")}, fork=fork)
    for data, gas in product([b"", b"\0\1", bytes(213)], [GAS, 24_000, 21_000, 20_999]):
        both.call(Message(sender=SENDER, to=target, data=data, gas=gas, value=3))


@pytest.mark.parametrize("fork", ["cancun", "prague"])
@pytest.mark.parametrize("init", INITS)
def test_deployments_of_all_kinds(init: str, fork: ForkName) -> None:
    both = twins(
        {0xD3: {"storage": {1: 1}}, 0xD4: {"nonce": MASK64}}, fork=fork, limit=100
    )
    start = both.snapshot()
    for gas in (GAS, 80_000, 75_000, 60_000, 54_000, 53_000, 52_000):
        both.restore(start)
        for sender, address in product(
            [SENDER, 0xD4], [None, 0xD1, 0xD1, ECHO, 0xD3, 2]
        ):
            message = Message(
                sender=sender, to=None, data=INITS[init], gas=gas, value=2
            )
            both.deploy(message, address=address)


def test_value_is_minted_and_kept_only_if_the_message_succeeds() -> None:
    both = twins({})
    for target in (PLAIN, REVERTER, FAILING, WRITER):
        both.call(Message(sender=SENDER, to=target, data=b"", value=5, gas=GAS))
    assert both.second.balance(PLAIN) == RICH + 5
    assert both.second.balance(REVERTER) == both.second.balance(FAILING) == RICH
    both.set_account(PLAIN, balance=MASK256)
    both.call(Message(sender=SENDER, to=PLAIN, data=b"", value=2, gas=GAS))
    assert both.second.balance(PLAIN) == 1


@pytest.mark.parametrize("fork", ["cancun", "prague"])
def test_access_lists_are_paid_and_warm(fork: ForkName) -> None:
    code = assemble(ECHO, "BALANCE", 1, "SLOAD", 2, "SLOAD GAS", 0, "MSTORE") + END
    both = twins({CALLER: account(code)}, fork=fork)
    lists = [
        ((CALLER, (1,)),),
        ((ECHO, ()), (CALLER, (1, 2, 1))),
        ((NOBODY, (1, 2)), (CALLER, ())),
    ]
    for access_list, gas in product(lists, [GAS, 31_000, 28_000, 26_000]):
        message = Message(
            sender=SENDER, to=CALLER, data=b"\1", gas=gas, access_list=access_list
        )
        both.call(message)
        both.deploy(
            Message(
                sender=SENDER, to=None, data=code, gas=gas * 2, access_list=access_list
            )
        )


def test_refunds_are_capped_and_the_floor_holds() -> None:
    clear = assemble(*(item for i in range(8) for item in (0, i, "SSTORE")))
    for fork in ("cancun", "prague"):
        both = twins(
            {CALLER: account(clear, storage=dict.fromkeys(range(8), 1))},
            fork=fork,  # type: ignore[arg-type]
        )
        start = both.snapshot()
        for data in (b"", b"\1" * 100, b"\1" * 2000, bytes(4000)):
            both.restore(start)
            both.call(Message(sender=SENDER, to=CALLER, data=data, gas=GAS))
            both.call(Message(sender=SENDER, to=CALLER, data=data, gas=60_000))


# ------------------------------------------------------------------------ delegations


def designation(address: int) -> bytes:
    return bytes.fromhex("ef0100") + address.to_bytes(20, "big")


@pytest.mark.parametrize("name", ["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"])
@pytest.mark.parametrize("to", [ECHO, REVERTER, PLAIN, NOBODY, 4, DESIGNATED, 0xB7])
def test_delegations_run_code_from_elsewhere(name: str, to: int) -> None:
    accounts = {
        DESIGNATED: account(designation(to)),
        0xB7: account(designation(ECHO)),
        CALLER: account(
            FILLED + call(DESIGNATED, name, sizes=(3, 50, 20, 40)) + report() + END
        ),
    }
    for fork in ("cancun", "prague"):
        run(accounts, fork=fork)
        both = twins(accounts, fork=fork)  # type: ignore[arg-type]
        for gas in LEVELS:
            both.call(
                Message(sender=SENDER, to=DESIGNATED, data=b"\5", gas=gas, value=1)
            )


def test_authorizations_stay_when_the_message_fails() -> None:
    both = twins({DESIGNATED: account(designation(ECHO))}, fork="prague")
    cases = [
        Authorization(authority=NOBODY, address=WRITER, nonce=0),
        Authorization(authority=NOBODY, address=0, nonce=1, chain_id=1),
        Authorization(authority=DESIGNATED, address=WRITER, nonce=1),
        Authorization(authority=DESIGNATED, address=FAILING, nonce=1),
        Authorization(authority=ECHO, address=WRITER, nonce=1),
        Authorization(authority=None, address=WRITER, nonce=1),
        Authorization(authority=PLAIN, address=WRITER, nonce=0, chain_id=2),
        Authorization(authority=PLAIN, address=WRITER, nonce=MASK64),
        Authorization(authority=PLAIN, address=WRITER, nonce=0),
    ]
    for each, target, gas in product(
        cases, [NOBODY, DESIGNATED, FAILING], [GAS, 46_000, 45_999]
    ):
        both.call(
            Message(
                sender=SENDER, to=target, data=b"", gas=gas, authorizations=(each, each)
            )
        )
    assert both.second.code(NOBODY) == b""
    assert both.second.code(PLAIN) == designation(WRITER)


# --------------------------------------------------------------------------- capacity


def test_a_full_machine_undoes_the_message_from_any_depth() -> None:
    grow = assemble(1, 1, "SSTORE", 1, 1 << 16, "MSTORE", call(CALLER), "STOP")
    backend = NativeBackend(
        BackendConfig(max_code_size=24576),
        mode="plain",
        capacity=Capacity(memory=1 << 20),
    )
    for address, parts in {**LIBRARY, CALLER: account(grow)}.items():
        backend.set_account(address, **parts)
    before = dict(backend.accounts())
    for _ in range(2):
        with pytest.raises(CapacityError):
            backend.call(Message(sender=SENDER, to=CALLER, data=b"", gas=GAS, value=1))
        assert dict(backend.accounts()) == before
        result = backend.call(Message(sender=SENDER, to=LOGGING, data=b"", gas=GAS))
        assert result.status is Status.STOP
        assert len(result.logs) == 1


# -------------------------------------------------------------------------- all modes


@pytest.mark.parametrize("mode", ["compiled", "checked"])
def test_compiled_frames_equal_the_reference(mode: str) -> None:
    few = partial(run, gas=(GAS, 45_000), mode=mode)
    for name, target in product(["CALL", "DELEGATECALL"], TARGETS):
        few({CALLER: account(once(name, target, 0, "GAS"))})
    for name, init in product(["CREATE", "CREATE2"], INITS.values()):
        few({CALLER: account(creator(init, name, 1))}, limit=100)
    (result,) = run({CALLER: account(descent("CALL"))}, gas=(10**11,), mode=mode)
    assert word(result, 0) == 1025
