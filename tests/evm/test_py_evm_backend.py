"""What the seam promises beyond plain transactions."""

from __future__ import annotations

import gc
import tracemalloc

import pytest
from eth_hash.auto import keccak
from evm_assembler import assemble, creation_code

from echidna_mcp.evm.backend import (
    BackendConfig,
    BlockContext,
    CallResult,
    Message,
    Status,
    Watch,
)
from echidna_mcp_plugins.py_evm import register_backends
from echidna_mcp_plugins.py_evm.backend import PyEvmBackend

SENDER = 0x10000
TARGET = 0xA1
COUNTER = assemble("0x0 SLOAD 0x1 ADD DUP1 0x0 SSTORE 0x0 MSTORE 0x20 0x0 RETURN")


def backend_with(*codes: bytes, block: BlockContext | None = None) -> PyEvmBackend:
    """Return a world with the codes at TARGET, TARGET + 1, ..."""
    backend = PyEvmBackend(BackendConfig(block=block or BlockContext()))
    for position, code in enumerate(codes):
        message = Message(sender=1, to=None, data=creation_code(code))
        result = backend.deploy(message, address=TARGET + position)
        assert result.status == Status.STOP
        assert result.output == code
    return backend


def call(
    backend: PyEvmBackend, *, to: int = TARGET, gas: int = 12_500_000
) -> CallResult:
    message = Message(sender=SENDER, to=to, data=b"", gas=gas)
    return backend.call(message, Watch(coverage=True))


def test_the_plugin_offers_the_backend_by_name() -> None:
    (plugin,) = register_backends()
    assert plugin.name == "py-evm"
    assert plugin.create(BackendConfig()).snapshot() == 0


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("STOP", Status.STOP),
        ("0x1 0x0 MSTORE 0x20 0x0 RETURN", Status.RETURN_TRUE),
        ("0x20 0x0 RETURN", Status.RETURN_FALSE),
        ("0x2 0x0 MSTORE 0x20 0x0 RETURN", Status.STOP),
        ("0x1 0x0 MSTORE 0x21 0x0 RETURN", Status.STOP),
        ("0x0 0x0 REVERT", Status.REVERT),
        ("INVALID", Status.INVALID_OPCODE),
        ("loop: @loop JUMP", Status.OUT_OF_GAS),
        ("0x1 0x0 NOT MSTORE", Status.OUT_OF_GAS),
        ("POP", Status.HALT),
        ("loop: 0x0 @loop JUMP", Status.HALT),
        ("0x7 JUMP", Status.HALT),
        ("0x4 JUMP 0x5b", Status.HALT),
        ("0x1 0x0 0x0 RETURNDATACOPY", Status.HALT),
    ],
)
def test_each_end_of_the_top_frame_has_its_status(code: str, status: Status) -> None:
    backend = backend_with(assemble(code))
    result = call(backend)
    assert result.status == status
    if status in {Status.OUT_OF_GAS, Status.INVALID_OPCODE, Status.HALT}:
        assert result.gas_used == 12_500_000
        assert result.output == b""


@pytest.mark.parametrize("opcode", [0x0C, 0x21, 0x4B, 0xB0, 0xEF, 0xFE])
def test_undefined_opcodes_are_invalid_and_counted(opcode: int) -> None:
    result = call(backend_with(bytes([0x5F, opcode])))
    assert result.status == Status.INVALID_OPCODE
    assert result.steps == 2
    assert result.last is not None
    assert result.last[1] == 1


def test_too_little_gas_for_the_message_itself_is_out_of_gas() -> None:
    backend = backend_with(COUNTER)
    for gas in (0, 20_999):
        result = call(backend, gas=gas)
        assert (result.status, result.gas_used) == (Status.OUT_OF_GAS, gas)
        assert (result.steps, result.last, result.visits) == (0, None, ())


def test_calls_to_accounts_without_code_succeed() -> None:
    backend = backend_with()
    result = backend.call(Message(sender=SENDER, to=0x999, data=b"\1\0", value=3))
    assert (result.status, result.gas_used) == (Status.STOP, 21_000 + 16 + 4)
    assert backend.balance(0x999) == 3


def test_precompiles_answer_top_level_calls() -> None:
    result = backend_with().call(Message(sender=SENDER, to=4, data=b"hello"))
    assert result.output == b"hello"
    assert result.steps == 0


def test_value_is_minted_unless_the_message_fails() -> None:
    backend = backend_with(b"\x00", assemble("INVALID"))
    for to in (TARGET, TARGET + 1):
        backend.call(Message(sender=SENDER, to=to, data=b"", value=7))
    assert backend.balance(TARGET) == 7
    assert backend.balance(TARGET + 1) == 0
    assert backend.balance(SENDER) == 0


def test_the_clock_advances_even_when_the_message_reverts() -> None:
    now = assemble("TIMESTAMP 0x0 MSTORE NUMBER 0x20 MSTORE 0x40 0x0 REVERT")
    backend = backend_with(now, block=BlockContext(timestamp=100, number=10))
    start = backend.snapshot()
    for round_ in (1, 2):
        message = Message(
            sender=SENDER, to=TARGET, data=b"", time_delay=5, block_delay=2
        )
        output = backend.call(message).output
        assert int.from_bytes(output[:32], "big") == 100 + 5 * round_
        assert int.from_bytes(output[32:], "big") == 10 + 2 * round_
    backend.restore(start)
    assert int.from_bytes(call(backend).output[:32], "big") == 100


def test_a_snapshot_stays_valid_and_later_ones_do_not() -> None:
    backend = backend_with(COUNTER)
    first = backend.snapshot()
    call(backend)
    second = backend.snapshot()
    for _ in range(3):
        call(backend)
        backend.restore(second)
        assert backend.storage(TARGET, 0) == 1
    for _ in range(3):
        backend.restore(first)
        assert backend.storage(TARGET, 0) == 0
        call(backend)
    with pytest.raises(IndexError):
        backend.restore(second)


def test_deployments_choose_addresses_like_create() -> None:
    backend = backend_with()
    sender = 0x6AC7EA33F8831EA9DCC53393AAA88B25A785DBF0
    message = Message(sender=sender, to=None, data=creation_code(b"\x00"))
    first, second = (backend.deploy(message).created for _ in range(2))
    assert first == 0xCD234A471B72BA2F1CCF0A70FCABA648A5EECD8D
    assert second == 0x343C43A37D37DFF08AE8C4A11544C718ABB4FCF8


def test_a_taken_address_is_refused() -> None:
    backend = backend_with(COUNTER)
    message = Message(sender=SENDER, to=None, data=creation_code(b"\x00"), value=1)
    result = backend.deploy(message, address=TARGET)
    assert (result.status, result.gas_used) == (Status.HALT, message.gas)
    assert (backend.code(TARGET), backend.balance(TARGET)) == (COUNTER, 0)


def test_a_failed_deployment_uses_up_no_nonce() -> None:
    backend = backend_with()
    bad = backend.deploy(Message(sender=SENDER, to=None, data=b"\xfe"))
    good = backend.deploy(Message(sender=SENDER, to=None, data=b""))
    assert bad.status == Status.INVALID_OPCODE
    assert good.created == bad.created


def test_code_that_is_too_large_is_refused() -> None:
    backend = PyEvmBackend(BackendConfig(max_code_size=32))
    ends = [
        backend.deploy(Message(sender=SENDER, to=None, data=init)).status
        for init in (
            assemble("0x20 0x0 RETURN"),
            assemble("0x21 0x0 RETURN"),
            bytes(64),
            bytes(65),
        )
    ]
    assert ends == [
        Status.RETURN_FALSE,
        Status.OUT_OF_GAS,
        Status.STOP,
        Status.OUT_OF_GAS,
    ]


def test_block_hashes_are_those_of_the_number_in_decimal() -> None:
    code = assemble("0x0 CALLDATALOAD BLOCKHASH 0x0 MSTORE 0x20 0x0 RETURN")
    backend = backend_with(code, block=BlockContext(number=1000))
    for block, known in [(999, 1), (744, 1), (743, 0), (1000, 0), (1 << 255, 0)]:
        data = block.to_bytes(32, "big")
        output = backend.call(Message(sender=SENDER, to=TARGET, data=data)).output
        assert output == (keccak(str(block).encode()) if known else bytes(32))


def test_block_and_message_are_visible_to_code() -> None:
    names = "COINBASE GASLIMIT DIFFICULTY CHAINID BASEFEE BLOBBASEFEE ORIGIN GASPRICE"
    code = b"".join(
        assemble(name, 32 * position, "MSTORE")
        for position, name in enumerate(names.split())
    )
    block = BlockContext(coinbase=9, gas_limit=8, prev_randao=7, chain_id=6, base_fee=5)
    backend = backend_with(code + assemble("0x100 0x0 RETURN"), block=block)
    message = Message(sender=SENDER, to=TARGET, data=b"", gas_price=4)
    output = backend.call(message).output
    words = [int.from_bytes(output[at : at + 32], "big") for at in range(0, 256, 32)]
    assert words == [9, 8, 7, 6, 5, 0, SENDER, 4]


def test_transient_storage_and_warm_slots_end_with_the_message() -> None:
    code = assemble("0x0 TLOAD 0x1 0x0 TSTORE 0x5 SLOAD POP 0x0 MSTORE 0x20 0x0 RETURN")
    backend = backend_with(code)
    results = [call(backend) for _ in range(2)]
    assert [result.status for result in results] == [Status.RETURN_FALSE] * 2
    assert results[0].gas_used == results[1].gas_used


def test_only_contracts_of_the_same_message_die() -> None:
    killer = assemble("0x999 SELFDESTRUCT")
    backend = backend_with(killer)
    backend.set_balance(TARGET, 5)
    assert call(backend).status == Status.STOP
    assert backend.code(TARGET) == killer
    assert (backend.balance(TARGET), backend.balance(0x999)) == (0, 5)
    born_dead = backend.deploy(Message(sender=SENDER, to=None, data=killer, value=2))
    assert born_dead.created is not None
    assert backend.balance(0x999) == 7
    again = backend.deploy(
        Message(sender=SENDER, to=None, data=b""), address=born_dead.created
    )
    assert again.status == Status.STOP


def test_logs_of_reverted_frames_are_kept_apart_in_order_of_emission() -> None:
    def log(number: int) -> str:
        return f"{number:#x} 0x0 MSTORE8 0x1 0x0 LOG0"

    inner = assemble(log(2), "0x0 0x0 REVERT")
    call_inner = "0x0 0x0 0x0 0x0 0x0 0xa2 GAS CALL POP"
    middle = assemble(log(1), call_inner, log(3), "INVALID")
    outer = assemble(log(8), "0x0 0x0 0x0 0x0 0x0 0xa3 0xffff CALL POP", log(9))
    backend = backend_with(outer, inner, middle)
    result = call(backend)
    assert result.status.succeeded
    assert [entry.data for entry in result.logs] == [b"\x08", b"\x09"]
    assert [entry.data for entry in result.dropped_logs] == [b"\x01", b"\x02", b"\x03"]
    assert [entry.address for entry in result.dropped_logs] == [0xA3, 0xA2, 0xA3]


def test_topics_are_words() -> None:
    backend = backend_with(assemble("0x2 0x1 0x0 0x0 LOG2"))
    (log,) = call(backend).logs
    assert log.topics == ((1).to_bytes(32, "big"), (2).to_bytes(32, "big"))


def test_recursion_reaches_the_limit_of_1024_frames() -> None:
    # Counts its frames in slot 0 and calls itself with all gas.
    code = assemble(
        "0x0 SLOAD 0x1 ADD 0x0 SSTORE 0x0 0x0 0x0 0x0 0x0 ADDRESS GAS CALL POP"
    )
    backend = backend_with(code)
    result = call(backend, gas=10**15)
    assert result.status == Status.STOP
    assert backend.storage(TARGET, 0) == 1025
    depths = [visit.depth for visit in result.visits]
    assert depths == list(range(64))


def test_creation_within_creation_reaches_the_limit() -> None:
    # Init code that creates itself again, from its own code.
    code = assemble("CODESIZE 0x0 0x0 CODECOPY CODESIZE 0x0 0x0 CREATE POP STOP")
    backend = backend_with()
    result = backend.deploy(
        Message(sender=SENDER, to=None, data=code, gas=10**15), Watch(coverage=True)
    )
    assert result.status == Status.STOP
    assert result.steps == 10 * 1025


def test_visits_name_creation_code_as_executed() -> None:
    init = creation_code(COUNTER)
    backend = backend_with()
    result = backend.deploy(
        Message(sender=SENDER, to=None, data=init), Watch(coverage=True)
    )
    (visit,) = result.visits
    assert visit.code_hash == keccak(init)
    assert backend.code_of_hash(visit.code_hash) == init
    assert backend.code_of_hash(keccak(COUNTER)) == COUNTER
    assert list(visit.counters) == [1, 0, 0, 1, 1, 0, 1, 1, 1, 1] + [0] * len(COUNTER)
    with pytest.raises(KeyError):
        backend.code_of_hash(bytes(32))


def test_runtime_code_is_found_by_hash_however_many_codes_were_executed() -> None:
    backend = backend_with(COUNTER)
    for salt in range(600):
        init = assemble(salt, "POP STOP")
        backend.deploy(Message(sender=SENDER, to=None, data=init))
    assert backend.code_of_hash(keccak(COUNTER)) == COUNTER
    with pytest.raises(KeyError):
        backend.code_of_hash(keccak(assemble(0, "POP STOP")))


def test_without_coverage_nothing_is_recorded() -> None:
    result = backend_with(COUNTER).call(Message(sender=SENDER, to=TARGET, data=b""))
    assert result.status == Status.RETURN_TRUE
    assert (result.visits, result.last, result.steps) == ((), None, 12)


def test_evicted_programs_leave_no_reference_cycles() -> None:
    backend = backend_with(COUNTER)
    gc.collect()
    gc.disable()
    try:
        for salt in range(1000):
            code = assemble(salt, "POP 0x0 0x0 REVERT")
            backend.deploy(
                Message(sender=SENDER, to=None, data=code), Watch(coverage=True)
            )
            backend.call(Message(sender=SENDER, to=TARGET, data=b"", gas=21_010))
        assert gc.collect() < 50
    finally:
        gc.enable()


def test_memory_stays_flat_over_many_sequences() -> None:
    # Reads and writes a slot named by the calldata, calls an address named by it, and
    # creates a contract whose code depends on it.
    code = assemble(
        "0x0 CALLDATALOAD DUP1 DUP1 SSTORE DUP1 SLOAD POP",
        "0x0 0x0 0x0 0x0 0x0 DUP6 0xffff CALL POP",
        "0x0 MSTORE 0x1 0x20 0x0 0x0 CREATE2 POP",
    )
    backend = backend_with(code)
    start = backend.snapshot()

    def sequences(first: int, count: int) -> int:
        for index in range(first, first + count):
            if index % 20 == 0:
                backend.restore(start)
            data = (index + (1 << 200)).to_bytes(32, "big")
            backend.call(Message(sender=SENDER + index, to=TARGET, data=data))
        backend.restore(start)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        warm = sequences(0, 1000)
        grown = sequences(1000, 2000) - warm
    finally:
        tracemalloc.stop()
    assert grown < 20_000
