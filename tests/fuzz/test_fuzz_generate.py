from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from fuzz_support import (
    DICTIONARY,
    SENDERS,
    TARGET,
    inputs_of,
    interfaces,
    node_of,
    stream,
    tables_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.abi.encoding import decode_arguments, encode_arguments
from echidna_mcp.abi.type_program import NODE_NEXT, NODE_WORDS
from echidna_mcp.abi.types import Tuple, compile_types
from echidna_mcp.errors import ConfigError, TargetError
from echidna_mcp.fuzz.calldata import encode_calldata
from echidna_mcp.fuzz.generate import choose_function, generate_call, generate_value
from echidna_mcp.fuzz.layout import CALL_HEADER, FLAG_PAYABLE, MAX_CALL_BYTES
from echidna_mcp.fuzz.leaf import draw_sender, pick_sender
from echidna_mcp.fuzz.mutate import mutate_value
from echidna_mcp.fuzz.mutate_call import fill_arguments, mutate_call
from echidna_mcp.fuzz.records import (
    call_block_delay,
    call_function,
    call_length,
    call_sender,
    call_time_delay,
    call_value,
)
from echidna_mcp.fuzz.simplify import simplify_call
from echidna_mcp.fuzz.tables import (
    OFTEN,
    FuzzTables,
    call_fits,
    calldata_capacity,
    make_tables,
)
from echidna_mcp.fuzz.tape import is_canonical
from echidna_mcp.kernel.language.memory import Bytes, Words, words

PAD = 64

CallChange = Callable[[FuzzTables, Words, Bytes, int, Bytes, int], int]


def call_of(tables: FuzzTables, rng: Words, function: int = 0) -> bytearray:
    record = bytearray(b"\xaa" * (MAX_CALL_BYTES + PAD))
    end = generate_call(tables, rng, function, record, 0)
    assert set(record[MAX_CALL_BYTES:]) == {0xAA}
    return record[:end]


def arguments_of(tables: FuzzTables, inputs: Tuple, record: Bytes) -> tuple[Any, ...]:
    data = bytearray(calldata_capacity(tables.types))
    node = node_of(tables, call_function(record, 0))
    end = encode_calldata(tables.types, node, record, CALL_HEADER, data, 0)
    arguments = decode_arguments(inputs, bytes(data[:end]))
    assert encode_arguments(inputs, arguments) == data[:end]
    return arguments


def check_call(tables: FuzzTables, inputs: list[Tuple], record: Bytes) -> None:
    """Assert everything that a record must be."""
    assert call_length(record, 0) == len(record) <= MAX_CALL_BYTES
    function = call_function(record, 0)
    node = node_of(tables, function)
    assert is_canonical(tables.types, node, record, CALL_HEADER, len(record)) == 1
    arguments_of(tables, inputs[function], record)
    assert call_sender(record, 0) in SENDERS
    assert call_value(record, 0) <= tables.max_value
    assert call_time_delay(record, 0) <= tables.max_time_delay
    assert call_block_delay(record, 0) <= tables.max_block_delay


def values_of(name: str, count: int = 2000, **settings: Any) -> list[Any]:
    inputs = inputs_of(name)
    tables, rng = tables_of(inputs, **settings), stream(11)
    return [arguments_of(tables, inputs, call_of(tables, rng))[0] for _ in range(count)]


@settings(deadline=None)
@given(interfaces(), st.integers(0, 2**256 - 1), st.booleans())
def test_fresh_calls_are_canonical_and_bounded(
    inputs: list[Tuple], seed: int, known: bool
):
    lists: dict[str, Any] = {} if known else {"dictionary": (), "addresses": ()}
    tables = tables_of(*inputs, flags=[FLAG_PAYABLE] * len(inputs), **lists)
    rng = stream(seed)
    for function in range(len(inputs)):
        for _ in range(3):
            check_call(tables, inputs, call_of(tables, rng, function))


@pytest.mark.parametrize("change", [mutate_call, simplify_call])
@settings(deadline=None)
@given(inputs=interfaces(), seed=st.integers(0, 2**64 - 1))
def test_changed_calls_are_canonical_and_bounded(
    change: CallChange, inputs: list[Tuple], seed: int
):
    tables = tables_of(*inputs, flags=[FLAG_PAYABLE] * len(inputs))
    rng = stream(seed)
    record = call_of(tables, rng, choose_function(tables, rng))
    for _ in range(20):
        out = bytearray(b"\xbb" * (MAX_CALL_BYTES + PAD))
        before = bytes(record)
        end = change(tables, rng, record, 0, out, 0)
        assert before == record
        assert set(out[end:]) == {0xBB}
        record = out[:end]
        check_call(tables, inputs, record)


@settings(deadline=None)
@given(interfaces(), st.integers(0, 2**64 - 1), st.integers(0, 7))
def test_open_arguments_are_chosen_and_others_kept(
    inputs: list[Tuple], seed: int, holes: int
):
    tables = tables_of(*inputs)
    record = call_of(tables, stream(seed))
    out = bytearray(MAX_CALL_BYTES + PAD)
    end = fill_arguments(tables, stream(seed + 1), holes, record, 0, out, 0)
    check_call(tables, inputs, out[:end])
    assert out[8:CALL_HEADER] == record[8:CALL_HEADER]
    old = arguments_of(tables, inputs[0], record)
    new = arguments_of(tables, inputs[0], out[:end])
    for index, (one, two) in enumerate(zip(old, new, strict=True)):
        assert one == two or holes >> index & 1


def test_an_open_argument_takes_many_values():
    inputs = inputs_of("uint256", "uint256")
    tables, rng = tables_of(inputs), stream(5)
    record, out = call_of(tables, rng), bytearray(MAX_CALL_BYTES)
    seen = set()
    for _ in range(50):
        end = fill_arguments(tables, rng, 2, record, 0, out, 0)
        seen.add(arguments_of(tables, inputs, out[:end])[1])
    assert len(seen) > 20


@pytest.mark.parametrize("bits", [8, 16, 64, 72, 128, 248, 256])
def test_integers_reach_both_ends_and_both_signs(bits: int):
    top = (1 << (bits - 1)) - 1
    signed = values_of(f"int{bits}", dictionary=())
    assert {-top - 1, top, -1, 0, 1} <= set(signed)
    assert all(-top - 1 <= v <= top for v in signed)
    negative = sum(v < 0 for v in signed)
    assert 800 < negative < 1200
    unsigned = values_of(f"uint{bits}", dictionary=())
    assert {0, 1, 2 * top, 2 * top + 1} <= set(unsigned)
    assert all(0 <= v <= 2 * top + 1 for v in unsigned)


def test_integers_are_small_large_and_near_powers_of_two():
    seen = values_of("uint256", dictionary=())
    powers = {(1 << e) + d for e in range(256) for d in (-1, 0, 1)}
    assert sum(v < 1024 for v in seen) > 200
    assert sum(v >> 240 > 0 for v in seen) > 500
    assert sum(v > 1024 and v in powers for v in seen) > 100
    assert len({v.bit_length() for v in seen}) > 150


def test_dictionary_values_come_as_often_as_asked():
    for freq, low, high in [(0, 0, 5), (400, 720, 880), (1000, 2000, 2000)]:
        marks = tuple(10**40 + n for n in range(5))
        seen = values_of("uint256", dictionary=marks, dict_freq=freq)
        assert low <= sum(v in marks for v in seen) <= high


def test_constants_that_do_not_fit_are_passed_over():
    seen = values_of("uint8", dictionary=(3, 300), dict_freq=1000)
    assert sum(v == 3 for v in seen) > 1700
    # -5 fits int8 as the sign-extended word that a compiler pushes.
    signed = values_of("int8", dictionary=((1 << 256) - 5,), dict_freq=1000)
    assert set(signed) == {-5}


def test_addresses_are_mostly_known_ones():
    seen = Counter(values_of("address"))
    known = sum(seen[a] for a in (0, TARGET, *SENDERS))
    assert 0.85 < known / 2000 < 0.97
    assert all(seen[a] > 200 for a in (0, TARGET, *SENDERS))


def test_bools_are_fair():
    assert 900 < sum(values_of("bool")) < 1100


def test_fixed_bytes_take_constants_however_they_are_stored():
    seen = set(values_of("bytes4", dictionary=(0x11223344, 0xA9059CBB << 224)))
    assert {bytes.fromhex("11223344"), bytes.fromhex("a9059cbb")} <= seen
    assert len(seen) > 500


def test_bytes_have_all_short_lengths_and_some_long_ones():
    lengths = Counter(map(len, values_of("bytes")))
    assert set(range(33)) <= set(lengths)
    assert sum(n for size, n in lengths.items() if size > 64) > 10
    assert max(lengths) < 700


def test_bytes_are_encoded_arguments_if_payloads_are_wanted():
    def share(*, payloads: bool) -> float:
        found = values_of("bytes", payloads=payloads)
        whole = [each for each in found if len(each) > 32 and len(each) % 32 == 0]
        return len(whole) / len(found)

    assert share(payloads=True) > share(payloads=False) + 0.1


def test_texts_of_the_source_are_a_quarter_of_the_texts_and_stand_in_words():
    text = b"a text of more than one word: thirty-six"
    tape = len(text).to_bytes(32, "big") + text + bytes(24)
    for name in ("string", "bytes"):
        counts = Counter(values_of(name, literals=(tape,)))
        assert 0.15 < counts[text] / counts.total() < 0.35
    for size in (4, 32):
        counts = Counter(values_of(f"bytes{size}", literals=(tape,)))
        assert 0.03 < counts[text[:size]] / counts.total() < 0.2
        assert text[:size] not in values_of(f"bytes{size}")


def test_up_to_half_of_the_constants_are_those_of_the_function_alone():
    inputs = [inputs_of("uint256")] * 3
    own = [(777_777,), (), tuple(range(888_001, 888_007))]
    tables, rng = tables_of(*inputs, own=own, dict_freq=1000), stream(5)
    drawn = [
        Counter(
            arguments_of(tables, inputs[function], call_of(tables, rng, function))[0]
            for _ in range(1000)
        )
        for function in range(3)
    ]
    assert 90 < drawn[0][777_777] < 160
    assert 420 < sum(drawn[2][each] for each in own[2]) < 580
    assert all(50 < drawn[2][each] < 120 for each in own[2])
    assert not drawn[1].keys() & {777_777, *own[2]}
    assert not drawn[0].keys() & set(own[2])
    assert 777_777 not in drawn[2]
    assert set(DICTIONARY[:7]) <= drawn[0].keys()


def test_delays_and_wei_are_constants_of_the_function_at_times():
    inputs = inputs_of("uint64")
    tables, rng = (
        tables_of(inputs, flags=[FLAG_PAYABLE], own=[(54_321,) * 4]),
        stream(6),
    )
    records = [call_of(tables, rng) for _ in range(1000)]
    assert sum(call_value(record, 0) == 54_321 for record in records) > 50
    assert sum(call_time_delay(record, 0) == 54_321 for record in records) > 50
    none, rng = tables_of(inputs, flags=[FLAG_PAYABLE]), stream(6)
    others = [call_of(none, rng) for _ in range(1000)]
    assert not any(54_321 in (call_value(r, 0), call_time_delay(r, 0)) for r in others)


def test_calldata_in_bytes_has_the_constants_of_the_function_that_it_calls():
    inputs = [inputs_of("bytes", "uint256"), inputs_of("uint256")]
    own = [(777_777,) * 4, (888_888,) * 4]
    tables, rng = tables_of(*inputs, own=own, dict_freq=1000), stream(7)
    calls = [arguments_of(tables, inputs[0], call_of(tables, rng)) for _ in range(2000)]
    behind = [
        (data[4:], number)
        for data, number in calls
        if data[:4] == bytes.fromhex("a0000001") and len(data) == 36
    ]
    embedded = Counter(int.from_bytes(data, "big") for data, _ in behind)
    assert len(behind) > 100
    assert 0.4 < embedded[888_888] / len(behind) < 0.6
    assert embedded[777_777] == 0
    # What comes after it is of the outer function again.
    numbers = Counter(number for _, number in behind)
    assert 0.35 < numbers[777_777] / len(behind) < 0.65
    assert numbers[888_888] == 0


def test_bytes_can_be_calldata_of_the_target():
    inputs = [inputs_of("bytes"), inputs_of("address", "uint256")]
    tables, rng = tables_of(*inputs), stream(2)
    embedded = 0
    for _ in range(300):
        (data,) = arguments_of(tables, inputs[0], call_of(tables, rng))
        if data[:4] == bytes.fromhex("a0000001") and len(data) == 68:
            decode_arguments(inputs[1], data[4:])
            embedded += 1
    assert embedded > 20


def test_strings_hold_constants_and_letters():
    seen = values_of("string")
    assert sum(v == b"hello" for v in seen) > 10
    letters = sum(bool(v) and set(v) <= set(b"abcdefghijklmnop") for v in seen)
    assert letters > 800


def test_half_of_the_texts_are_fixtures_where_there_are_some():
    inputs = inputs_of("bytes", "string", "bytes")
    tapes = [
        text_tape(b"first"),
        text_tape(b"x" * 40),
        text_tape(b"y" * MAX_CALL_BYTES),
    ]
    types, [node] = compile_types([inputs])
    second = types[node + NODE_WORDS + NODE_NEXT]
    tables = make_tables(
        types=types,
        functions=words([node, 0, 0xA0000000]),
        senders=SENDERS,
        texts={second: tapes},
    )
    rng = stream(4)
    drawn = [arguments_of(tables, inputs, call_of(tables, rng)) for _ in range(600)]
    counts = Counter(text for _, text, _ in drawn)
    assert 60 < counts[b"first"] < 140
    assert 60 < counts[b"x" * 40] < 140
    # One for which there is no room is never taken.
    assert not any(text.startswith(b"yyyy") for text in counts)
    assert not any(b"first" in (one, other) for one, _, other in drawn)


def text_tape(text: bytes) -> bytes:
    return len(text).to_bytes(32, "big") + text + bytes(-len(text) % 32)


def test_arrays_have_all_lengths_and_shrink_with_depth():
    flat = Counter(map(len, values_of("uint8[]")))
    assert set(range(33)) == set(flat)
    nested = values_of("uint8[][]")
    assert max(len(inner) for outer in nested for inner in outer) == 8


@pytest.mark.parametrize(
    "name",
    ["uint256[500]", "uint256[400][]", "string[32][]", "bytes[100][]", "uint8[][][]"],
)
def test_calls_never_outgrow_a_record(name: str):
    inputs = inputs_of(name, "bytes", name)
    program, nodes = compile_types([inputs])
    if not call_fits(program, nodes[0]):
        inputs = inputs_of(name)
    tables = tables_of(inputs)
    rng = stream(1)
    sizes = []
    for _ in range(30):
        record = call_of(tables, rng)
        for _ in range(3):
            out = bytearray(b"\xbb" * (MAX_CALL_BYTES + PAD))
            end = mutate_call(tables, rng, record, 0, out, 0)
            assert set(out[MAX_CALL_BYTES:]) == {0xBB}
            record = out[:end]
            check_call(tables, [inputs], record)
            sizes.append(len(record))
    assert max(sizes) > 1000


def test_values_keep_to_any_room_that_is_enough():
    inputs = inputs_of("string[]", "bytes", "uint8[2][]")
    tables, rng = tables_of(inputs), stream(8)
    node = node_of(tables)
    for room in (96, 128, 160, 256, 512):
        source = bytearray(96)
        for _ in range(40):
            out = bytearray(2048)
            end = generate_value(tables, rng, node, out, 0, room, 0)
            assert end <= room
            assert is_canonical(tables.types, node, out, 0, end) == 1
            source = out[:end]
            out = bytearray(2048)
            end = mutate_value(tables, rng, node, source, 0, out, 0, room, 0)
            assert end <= room
            assert is_canonical(tables.types, node, out, 0, end) == 1


def test_only_payable_calls_carry_value():
    tables = tables_of(
        inputs_of(), inputs_of(), flags=[0, FLAG_PAYABLE], dictionary=(5, 2**200)
    )
    rng = stream(4)
    free = [call_value(call_of(tables, rng, 0), 0) for _ in range(200)]
    paid = Counter(call_value(call_of(tables, rng, 1), 0) for _ in range(2000))
    assert set(free) == {0}
    assert min(paid[0], paid[1], paid[5], paid[tables.max_value]) > 100
    assert paid[2**200 % (10**20 + 1)] > 100
    assert len(paid) > 100


@pytest.mark.parametrize("maximum", [0, 1, 2**64 - 1, 2**64, 2**256 - 1])
def test_value_keeps_to_any_maximum(maximum: int):
    tables = tables_of(inputs_of(), flags=[FLAG_PAYABLE], max_value=maximum)
    rng = stream(4)
    seen = [call_value(call_of(tables, rng), 0) for _ in range(200)]
    assert max(seen) == maximum
    assert min(seen) == 0


def test_half_of_the_calls_come_without_delay_and_none_with_one_alone():
    tables, rng = tables_of(inputs_of(), dictionary=()), stream(9)
    pairs = [
        (call_time_delay(r, 0), call_block_delay(r, 0))
        for r in (call_of(tables, rng) for _ in range(1000))
    ]
    assert 430 < pairs.count((0, 0)) < 570
    assert all((a == 0) == (b == 0) for a, b in pairs)
    assert max(a for a, _ in pairs) > 590_000
    assert max(b for _, b in pairs) > 59_000


def test_a_delay_that_is_switched_off_leaves_the_other():
    tables, rng = tables_of(inputs_of(), max_block_delay=0, dictionary=()), stream(9)
    records = [call_of(tables, rng) for _ in range(200)]
    assert {call_block_delay(r, 0) for r in records} == {0}
    assert sum(call_time_delay(r, 0) > 0 for r in records) > 60


def test_senders_and_functions_are_uniform():
    tables, rng = tables_of(*[inputs_of()] * 4), stream(6)
    senders = Counter(call_sender(call_of(tables, rng), 0) for _ in range(3000))
    functions = Counter(choose_function(tables, rng) for _ in range(4000))
    assert all(880 < senders[s] < 1120 for s in SENDERS)
    assert all(880 < functions[f] < 1120 for f in range(4))


def test_where_anybody_may_send_half_are_known_and_nobody_is_barred():
    barred = (0, 1, 7, SENDERS[0] + 1)
    tables = tables_of(inputs_of(), barred=barred, addresses=(*barred, TARGET))
    rng = stream(3)
    drawn = [draw_sender(tables, rng) for _ in range(4000)]
    known = sum(each in SENDERS for each in drawn)
    assert 0.5 < known / len(drawn) < 0.75
    assert not set(barred).intersection(drawn)
    assert TARGET in drawn
    assert len(set(drawn)) > 300
    assert max(drawn) < 1 << 160


def test_where_only_known_ones_send_nothing_else_is_drawn():
    one, two = stream(3), stream(3)
    tables = tables_of(inputs_of())
    drawn = [draw_sender(tables, one) for _ in range(100)]
    assert drawn == [pick_sender(tables, two) for _ in range(100)]
    assert one == two


def test_nine_choices_in_ten_are_prioritized():
    tables, rng = tables_of(*[inputs_of()] * 5, priority=[4, 2]), stream(6)
    seen = Counter(choose_function(tables, rng) for _ in range(10_000))
    assert 0.88 < (seen[2] + seen[4]) / 10_000 < 0.92
    assert min(seen.values()) > 250
    everything = tables_of(*[inputs_of()] * 2, priority=[0, 1])
    assert {choose_function(everything, rng) for _ in range(100)} == {0, 1}


def test_mutations_step_flip_and_jump():
    inputs = inputs_of("int64")
    tables, rng = tables_of(inputs, dictionary=(777,)), stream(3)
    record = call_of(tables, rng)
    record[CALL_HEADER:] = (1000).to_bytes(32, "big")
    seen = Counter()
    out = bytearray(MAX_CALL_BYTES)
    for _ in range(5000):
        end = mutate_call(tables, rng, record, 0, out, 0)
        seen[arguments_of(tables, inputs, out[:end])[0]] += 1
    wanted = {999, 1001, -1000, 2000, 500, 777, 1000 ^ (1 << 40), -(2**63), 2**63 - 1}
    assert wanted <= set(seen)
    assert sum(n for v, n in seen.items() if 1016 < v < 2000) > 200


def test_array_mutations_change_length_order_and_elements():
    inputs = inputs_of("uint8[]")
    tables, rng = tables_of(inputs), stream(3)
    words_ = [3, 10, 20, 30]
    record = call_of(tables, rng)[:CALL_HEADER]
    record += b"".join(w.to_bytes(32, "big") for w in words_)
    out = bytearray(MAX_CALL_BYTES)
    seen = set()
    for _ in range(3000):
        end = mutate_call(tables, rng, record, 0, out, 0)
        seen.add(arguments_of(tables, inputs, out[:end])[0])
    assert {(20, 10, 30), (10, 30), (10,), (), (10, 20, 20, 30), (11, 20, 30)} <= seen
    assert any(len(v) == 4 and v[1:] == (10, 20, 30) for v in seen)


def test_simplified_calls_reach_the_simplest_value():
    inputs = inputs_of("uint256", "bytes", "uint8[]", "bool")
    tables, rng = tables_of(inputs), stream(12)
    record = call_of(tables, rng)
    out = bytearray(MAX_CALL_BYTES)
    for _ in range(200):
        end = simplify_call(tables, rng, record, 0, out, 0)
        assert end <= len(record)
        record = out[:end]
    assert arguments_of(tables, inputs, record) == (0, b"", (), False)
    assert call_time_delay(record, 0) == 0


def test_parameters_that_never_fit_are_refused_with_a_reason():
    with pytest.raises(TargetError, match="number 1 take more than 16384 bytes"):
        tables_of(inputs_of("uint256"), inputs_of("uint256[510]"))
    assert tables_of(inputs_of("uint256[509]")).function_count == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"senders": ()}, "no sender"),
        ({"max_value": 2**256}, "maxValue"),
        ({"max_time_delay": 2**60}, "maxTimeDelay"),
        ({"max_block_delay": -1}, "maxBlockDelay"),
        ({"seq_len": 0}, "seqLen"),
    ],
)
def test_numbers_out_of_range_are_refused(settings: dict[str, Any], message: str):
    with pytest.raises(ConfigError, match=message):
        tables_of(inputs_of(), **settings)


def test_a_target_without_functions_is_refused():
    with pytest.raises(TargetError, match="no function"):
        tables_of()


def test_priorities_outside_of_the_table_are_ignored():
    tables = tables_of(inputs_of(), inputs_of(), priority=[7, 1, 1])
    assert list(tables.priority) == [1]
    assert list(tables.others) == [0]


def test_functions_that_are_called_seldom_have_an_eighth_where_others_are():
    lists = [inputs_of()] * 4
    tables = tables_of(*lists, seldom=[1, 2], unborn=[3])
    rng, count = stream(7), Counter[int]()
    for _ in range(17_000):
        count[choose_function(tables, rng)] += 1
    assert set(count) == {0, 1, 2}
    for each in (1, 2):
        assert count[0] / count[each] == pytest.approx(OFTEN, rel=0.15)
    alone = tables_of(*lists, seldom=[1, 2], unborn=[0, 3])
    assert alone.others_count == 2
