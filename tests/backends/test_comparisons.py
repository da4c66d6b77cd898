"""What messages compare: the rules of the seam, and that backends tell the same."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from evm_assembler import assemble, creation_code
from native_backends import REFERENCE, named
from paired_calls import paired_results, replica_pair

from echidna_mcp.evm.backend import (
    MOST_COMPARISONS,
    BackendConfig,
    CallResult,
    ComparisonKind,
    EvmBackend,
    Message,
    Status,
    Watch,
)

pytestmark = pytest.mark.digests

CEILING = 1 << 256
CALLER, CALLEE = 0xA1, 0xA2
EQUAL, LESS = ComparisonKind.EQUAL, ComparisonKind.LESS
SHIFT = 32
"""`Comparison.site` has the size of the code above so many bits."""

CONTRACTS = ("MagicChain", "MagicNested", "NestedTypes", "SmallIntegers", "TryCatch")
CALLS = 250


@pytest.fixture(params=[REFERENCE, "compiled", "checked", "plain"])
def backend(request) -> EvmBackend:
    return named(request.param).create(BackendConfig())


def run(backend: EvmBackend, *code: str | int | bytes, data: bytes = b"") -> CallResult:
    backend.set_account(CALLER, code=assemble(*code))
    message = Message(sender=1, to=CALLER, data=data)
    return backend.call(message, Watch(comparisons=True))


def compared(
    backend: EvmBackend, *code: str | int | bytes
) -> list[tuple[ComparisonKind, int, int]]:
    return told(run(backend, *code))


def told(result: CallResult) -> list[tuple[ComparisonKind, int, int]]:
    """Return what was compared, without where."""
    return [each[:3] for each in result.comparisons]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("EQ", EQUAL),
        ("LT", LESS),
        ("GT", ComparisonKind.GREATER),
        ("SLT", ComparisonKind.SIGNED_LESS),
        ("SGT", ComparisonKind.SIGNED_GREATER),
    ],
)
@pytest.mark.parametrize(
    ("left", "right"), [(5, 7), (7, 5), (9, 9), (0, CEILING - 1), (1 << 255, 1)]
)
def test_comparing_opcodes_tell_their_operands(backend, name, kind, left, right):
    # From the stack, and with a constant as the operand on top.
    assert compared(backend, right, left, "DUP1 POP", name) == [(kind, left, right)]
    assert compared(backend, right, "DUP1 POP", left, name) == [(kind, left, right)]


def test_a_comparison_is_told_with_the_block_entered_last_and_the_size_of_its_code(
    backend,
):
    inner = assemble("a: 0x1 0x2 EQ POP STOP")
    backend.set_account(CALLEE, code=inner)
    call = f"0x0 0x0 0x0 0x0 0x0 {CALLEE:#x} GAS CALL POP"
    code = assemble("0x3 0x4 EQ POP @a JUMP a: 0x5 0x6 LT POP", call, "0x7 0x8 LT POP")
    backend.set_account(CALLER, code=code)
    message = Message(sender=1, to=CALLER, data=b"")
    found = backend.call(message, Watch(comparisons=True)).comparisons
    own, block = len(code) << SHIFT, code.index(0x5B)
    # A call ends its block; what follows is another one.
    behind = code.index(0xF1) + 1
    assert [each.site for each in found] == [
        *(own, own | block),
        len(inner) << SHIFT,
        own | behind,
    ]


def test_how_many_comparisons_there_were_is_told_though_not_all_are_kept(backend):
    made = MOST_COMPARISONS + 36
    code = b"".join(assemble(1, number + 2, "LT POP") for number in range(made))
    result = run(backend, code)
    assert result.compared == made
    assert len(result.comparisons) == MOST_COMPARISONS


def test_nothing_else_is_a_comparison(backend):
    code = "0x1 ISZERO 0x3 ADD 0x2 MUL 0x9 SUB 0x7 XOR 0x1 AND 0x8 OR 0x5 DIV"
    assert compared(backend, 4, code) == []


@pytest.mark.parametrize("value", [2, 1 << 64, CEILING - 1])
@pytest.mark.parametrize("before", ["0x0 ADD", "DUP1", "0x1 MUL", "0x5 POP", "end:"])
@pytest.mark.parametrize("rest", ["", "ISZERO ISZERO @end JUMPI"])
def test_an_iszero_of_a_number_compares_with_0(backend, value, before, rest):
    end = "" if before == "end:" else "end:"
    code = (value, value, before, "ISZERO", rest, end, "STOP")
    told = compared(backend, *code)
    assert told[0] == (EQUAL, value, 0)


@pytest.mark.parametrize("value", [0, 1])
def test_an_iszero_of_what_may_be_an_outcome_compares_nothing(backend, value):
    assert compared(backend, value, "ISZERO ISZERO @end JUMPI end: STOP") == []


@pytest.mark.parametrize("name", ["SUB", "XOR"])
def test_an_iszero_of_a_difference_compares_nothing_more(backend, name):
    assert compared(backend, 5, 9, name, "ISZERO") == []
    assert compared(backend, 5, 9, name, "ISZERO @end JUMPI end: STOP") == [
        (EQUAL, 9, 5)
    ]


@pytest.mark.parametrize("name", ["SUB", "XOR"])
@pytest.mark.parametrize(
    "rest",
    [
        "@end JUMPI",
        "ISZERO @end JUMPI",
        "ISZERO ISZERO ISZERO @end JUMPI",
        "PUSH0 JUMPI",
        b"\x60\x00\x57",
        b"\x7f" + bytes(32) + b"\x57",
    ],
)
def test_sub_and_xor_that_decide_a_jump_are_comparisons(backend, name, rest):
    code = (5, 9, name, rest, "end: STOP")
    assert compared(backend, *code) == [(EQUAL, 9, 5)]
    assert compared(backend, 9, 9, name, rest, "end: STOP") == [(EQUAL, 9, 9)]


@pytest.mark.parametrize("name", ["SUB", "XOR"])
@pytest.mark.parametrize(
    "rest",
    [
        "end:",
        "@end JUMP end:",
        "NOT @end JUMPI end:",
        "end: @end JUMPI",
        "ISZERO end: @end JUMPI",
        "DUP1 @end JUMPI end:",
        "0x3 @end JUMPI end:",
        "PC JUMPI",
        "ISZERO",
        b"\x60",
        b"\x60\x00",
        b"\x7f\x00\x57",
    ],
)
def test_any_other_sub_or_xor_is_none(backend, name, rest):
    code = assemble(0, 0, 0, 5, 9, name, rest)
    backend.set_account(CALLER, code=code)
    message = Message(sender=1, to=CALLER, data=b"", gas=50_000)
    assert backend.call(message, Watch(comparisons=True)).comparisons == ()


def test_the_last_comparisons_are_kept_in_order(backend):
    count = MOST_COMPARISONS + 6
    code = b"".join(assemble(1, number + 2, "LT POP") for number in range(count))
    kept = [(LESS, number + 2, 1) for number in range(6, count)]
    assert compared(backend, code) == kept


def test_comparisons_of_all_frames_count_even_of_reverted_ones(backend):
    inner = assemble(1, 2, "EQ POP 0x0 0x0 REVERT")
    backend.set_account(CALLEE, code=inner)
    call = f"0x0 0x0 0x0 0x0 0x0 {CALLEE:#x} GAS CALL POP"
    code = (3, 4, "EQ POP", call, 5, 6, "EQ POP 0x0 0x0 REVERT")
    result = run(backend, *code)
    assert result.status is Status.REVERT
    assert told(result) == [(EQUAL, 4, 3), (EQUAL, 2, 1), (EQUAL, 6, 5)]


def test_comparisons_of_a_constructor_count(backend):
    init = assemble(1, 2, "EQ POP") + creation_code(b"")
    memory = int.from_bytes(init.ljust(32, b"\0"), "big")
    found = compared(backend, memory, 0, "MSTORE", len(init), 0, 0, "CREATE POP")
    assert found == [(EQUAL, 2, 1)]


def test_a_block_that_is_not_entered_compares_nothing(backend):
    backend.set_account(CALLER, code=assemble(1, 2, "EQ end: 0x1 0x2 LT POP POP POP"))
    found = backend.call(
        Message(sender=1, to=CALLER, data=b""), Watch(comparisons=True)
    )
    assert found.status is Status.HALT
    assert told(found) == [(EQUAL, 2, 1)]


def test_they_are_told_only_to_who_asks_and_change_nothing_else(backend):
    code = assemble(5, 9, "SUB @a JUMPI a: 0x1 0x2 EQ 0x3 0x4 LT ADD 0x0 MSTORE")
    backend.set_account(CALLER, code=code + assemble("0x20 0x0 RETURN"))
    message = Message(sender=1, to=CALLER, data=b"")
    silent = [backend.call(message, Watch(coverage=True)) for _ in range(2)]
    asked = [
        backend.call(message, Watch(coverage=True, comparisons=True)) for _ in range(2)
    ]
    assert silent[0].comparisons == ()
    assert told(asked[0]) == [(EQUAL, 9, 5), (EQUAL, 2, 1), (LESS, 4, 3)]
    after = backend.call(message, Watch(coverage=True))
    for result in (*silent, *asked, after):
        assert replace(result, comparisons=(), compared=0) == silent[0]
    assert backend.code_of_hash(asked[0].visits[0].code_hash)[: len(code)] == code


# -------------------------------------------------------------------------- contracts


@pytest.mark.parametrize("solc_args", ["", "--optimize --via-ir"])
@pytest.mark.parametrize("name", CONTRACTS)
def test_calls_of_contracts_compare_the_same_on_both_backends(name, solc_args):
    kinds = set()
    replicas = replica_pair(CONTRACTS, name, solc_args, seq_len=50)
    asked = Watch(coverage=True, comparisons=True)
    for one, other in paired_results(replicas, CALLS, asked):
        assert _comparable(one) == _comparable(other)
        kinds |= {each.kind for each in one.comparisons}
    assert kinds >= {EQUAL, LESS}


def _comparable(result: CallResult) -> CallResult:
    """Return a result without visits; a replica's native backend tells new ones."""
    return cast("CallResult", replace(result, visits=()))
