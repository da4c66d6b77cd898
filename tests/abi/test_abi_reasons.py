from __future__ import annotations

from typing import Any

import pytest
from eth_abi.abi import encode
from eth_hash.auto import keccak
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.abi.log import events_of, log_text
from echidna_mcp.abi.revert import MAX_REASON, errors_of, revert_reason
from echidna_mcp.evm.backend import Log

ERRORS = errors_of(
    [
        {
            "type": "error",
            "name": "InsufficientBalance",
            "inputs": [
                {"name": "who", "type": "address"},
                {"name": "needed", "type": "uint256"},
            ],
        },
        {"type": "error", "name": "Paused", "inputs": []},
        {"type": "function", "name": "f", "inputs": []},
    ]
)
TRANSFER = {
    "type": "event",
    "name": "Transfer",
    "inputs": [
        {"name": "from", "type": "address", "indexed": True},
        {"name": "to", "type": "address", "indexed": True},
        {"name": "value", "type": "uint256", "indexed": False},
    ],
}


def error_data(signature: str, types: list[str], values: list[Any]) -> bytes:
    return keccak(signature.encode())[:4] + encode(types, values)


def test_no_data_is_no_reason() -> None:
    assert revert_reason(b"", ()) is None


def test_require_messages_are_quoted() -> None:
    data = error_data("Error(string)", ["string"], ["low balance"])
    assert revert_reason(data, ()) == 'Error("low balance")'


def test_require_messages_without_padding_are_read() -> None:
    data = error_data("Error(string)", ["string"], ["low balance"])
    assert revert_reason(data[: 4 + 64 + 11], ()) == 'Error("low balance")'


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (0x01, "Panic(0x01): assertion failed"),
        (0x11, "Panic(0x11): arithmetic overflow or underflow"),
        (0x12, "Panic(0x12): division or modulo by zero"),
        (0x32, "Panic(0x32): array index out of bounds"),
        (0x99, "Panic(0x99): unknown code"),
    ],
)
def test_panic_codes_have_names(code: int, text: str) -> None:
    assert revert_reason(error_data("Panic(uint256)", ["uint256"], [code]), ()) == text


def test_custom_errors_show_their_arguments() -> None:
    who = "0x" + "11" * 20
    data = error_data(
        "InsufficientBalance(address,uint256)", ["address", "uint256"], [who, 7]
    )
    assert revert_reason(data, ERRORS) == f"InsufficientBalance({who}, 7)"
    assert revert_reason(keccak(b"Paused()")[:4], ERRORS) == "Paused()"
    assert revert_reason(data, ()) == "0x" + data.hex()


def test_an_error_with_broken_arguments_is_shown_as_data() -> None:
    data = keccak(b"InsufficientBalance(address,uint256)")[:4] + b"\xff" * 64
    assert revert_reason(data, ERRORS) == "0x" + data.hex()


@given(st.binary(max_size=200), st.sampled_from(["", "08c379a0", "4e487b71"]))
def test_any_data_gives_a_text(data: bytes, selector: str) -> None:
    output = bytes.fromhex(selector) + data
    reason = revert_reason(output, ERRORS)
    assert (reason is None) == (not output)


def test_long_reasons_are_cut() -> None:
    reason = revert_reason(bytes(10_000), ())
    assert reason is not None
    assert len(reason) == MAX_REASON + 1


def test_logs_show_indexed_and_plain_arguments_in_order() -> None:
    topics = (
        keccak(b"Transfer(address,address,uint256)"),
        (1).to_bytes(32, "big"),
        (2).to_bytes(32, "big"),
    )
    log = Log(5, topics, encode(["uint256"], [3]))
    assert (
        log_text(log, events_of([TRANSFER])) == f"Transfer(0x{1:040x}, 0x{2:040x}, 3)"
    )


def test_the_event_with_the_right_number_of_topics_is_chosen() -> None:
    indexed = [{**p, "indexed": True} for p in TRANSFER["inputs"]]  # type: ignore[call-overload]
    events = events_of([TRANSFER, {**TRANSFER, "inputs": indexed}])
    topic = keccak(b"Transfer(address,address,uint256)")
    log = Log(5, (topic, *((i).to_bytes(32, "big") for i in (1, 2, 3))), b"")
    assert log_text(log, events).endswith(", 3)")


def test_indexed_strings_are_shown_as_hashes() -> None:
    inputs = [
        {"name": "s", "type": "string", "indexed": True},
        {"name": "t", "type": "string", "indexed": False},
    ]
    events = events_of([{"type": "event", "name": "Named", "inputs": inputs}])
    log = Log(5, (events[0].topic, keccak(b"x")), encode(["string"], ["y"]))
    assert log_text(log, events) == f'Named(0x{keccak(b"x").hex()}, "y")'


def test_unknown_and_broken_logs_are_shown_raw() -> None:
    events = events_of([TRANSFER])
    assert log_text(Log(5, (), b"\1"), events) == "log([], 0x01)"
    broken = Log(5, (events[0].topic, b"\xff" * 32, b"\xff" * 32), b"")
    topics = ", ".join("0x" + topic.hex() for topic in broken.topics)
    assert log_text(broken, events) == f"log([{topics}], 0x)"
