"""Fresh values and fresh calls.

Every function here writes a canonical tape at `pos` and returns its end. `limit` is the
end of the room; it always leaves at least `minimum` bytes.
"""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ARRAY,
    KIND_ARRAY_FIXED,
    KIND_BYTES,
    KIND_STRING,
    KIND_UINT,
    NODE_ARG,
    NODE_KIND,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.fuzz.calldata import encode_calldata, encoded_size, write_selector
from echidna_mcp.fuzz.integers import least, synthesize_integer
from echidna_mcp.fuzz.ladders.near import least256
from echidna_mcp.fuzz.layout import (
    CALL_HEADER,
    FLAG_CREATED,
    FLAG_EMPTY,
    FLAG_PAYABLE,
    FLAG_RAW,
    FUNCTION_FLAGS,
    FUNCTION_NODE,
    FUNCTION_SELECTOR,
    FUNCTION_WORDS,
    MAX_ARRAY_LENGTH,
    MAX_CALL_BYTES,
    MOST_INSTANCES,
    MOST_PASSED_OVER,
)
from echidna_mcp.fuzz.leaf import (
    dictionary_word,
    draw_sender,
    generate_address,
    generate_leaf,
    pick_sender,
    uses_dictionary,
)
from echidna_mcp.fuzz.records import (
    call_function,
    copy_range,
    set_call_delays,
    set_call_instance,
    set_call_length,
    set_override_after,
    write_header,
)
from echidna_mcp.fuzz.rng import at_most, below, next64, next256
from echidna_mcp.fuzz.tables import (
    FIXTURE_COUNT,
    FIXTURE_START,
    FIXTURE_WORDS,
    PEER_COUNT,
    PEER_FIRST,
    PEER_WORDS,
    FuzzTables,
)
from echidna_mcp.fuzz.tape import FAIL, minimum, padded, seal_bytes
from echidna_mcp.kernel.language.memory import (
    MASK256,
    Bytes,
    Words,
    store256,
    u64,
    u256,
    wrap64,
    wrap256,
)

PAYLOAD_WORDS = 8
"""Words that `bytes` have at most as encoded arguments."""
LONG_BYTES = 256
"""Length up to which `bytes` and `string` grow now and then."""
LETTERS_MASK = 0x0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F
LETTERS_BASE = 0x6161616161616161616161616161616161616161616161616161616161616161


def fill_random(rng: Words, kind: u64, out: Bytes, pos: u64, size: u64) -> None:
    """Write `size` random bytes and some more up to a word's end.

    Three quarters of the strings are made of the letters a to p, for people's sake.
    """
    letters = 0
    if kind == KIND_STRING and next64(rng) & 3 != 0:
        letters = 1
    for index in range(padded(size) >> 5):
        word = next256(rng)
        if letters != 0:
            word = (word & LETTERS_MASK) + LETTERS_BASE
        store256(out, pos + index * 32, word)


def generate_chunk(tables: FuzzTables, rng: Words, out: Bytes, pos: u64) -> u64:
    """Write `bytes` made of the significant bytes of a dictionary word.

    The word is read left-aligned if it ends with a zero byte, else as a number.
    """
    word = dictionary_word(tables, rng)
    size = 32
    if word & 255 == 0:
        while size != 0 and (word >> (256 - size * 8)) & 255 == 0:
            size = size - 1
    else:
        while word >> 248 == 0:
            word = word << 8
            size = size - 1
    store256(out, pos + 32, word)
    return seal_bytes(out, pos, size)


def generate_embedded_call(
    tables: FuzzTables, rng: Words, out: Bytes, pos: u64, limit: u64
) -> u64:
    """Write `bytes` that are calldata for a function of the target, or `FAIL`.

    For contracts that execute what they are given (multicall, timelocks, wallets).
    """
    entry = below(rng, tables.function_count) * FUNCTION_WORDS
    if tables.functions[entry + FUNCTION_FLAGS] & (FLAG_RAW | FLAG_EMPTY) != 0:
        return FAIL
    node = tables.functions[entry + FUNCTION_NODE]
    room = MAX_CALL_BYTES - CALL_HEADER
    outer = tables.calling
    tables.calling = entry // FUNCTION_WORDS
    generate_value(tables, rng, node, tables.scratch, 0, room, 1)
    tables.calling = outer
    size = 4 + encoded_size(tables.types, node, tables.scratch, 0)
    if pos + 32 + padded(size) > limit:
        return FAIL
    write_selector(out, pos + 32, tables.functions[entry + FUNCTION_SELECTOR])
    encode_calldata(tables.types, node, tables.scratch, 0, out, pos + 36)
    return seal_bytes(out, pos, size)


def generate_text(
    tables: FuzzTables, rng: Words, node: u64, out: Bytes, pos: u64, limit: u64
) -> u64:
    """Write one of the fixtures of a `bytes` or `string`, or return `FAIL`.

    Half of the values of a parameter that has fixtures are such, as far as they fit.
    """
    place = node // NODE_WORDS * FIXTURE_WORDS
    count = tables.fixture_places[place + FIXTURE_COUNT]
    if count == 0 or next64(rng) & 1 != 0:
        return FAIL
    chosen = tables.fixture_places[place + FIXTURE_START] + below(rng, count)
    return copy_text(tables.texts, tables.text_bounds, chosen, out, pos, limit)


def generate_literal(
    tables: FuzzTables, rng: Words, out: Bytes, pos: u64, limit: u64
) -> u64:
    """Write one of the texts of the source as it is, or return `FAIL`."""
    chosen = below(rng, tables.literal_count)
    return copy_text(tables.literals, tables.literal_bounds, chosen, out, pos, limit)


def copy_text(
    texts: Bytes, bounds: Words, chosen: u64, out: Bytes, pos: u64, limit: u64
) -> u64:
    """Write one of some tapes, or return `FAIL` if there is no room for it."""
    start = bounds[chosen]
    end = bounds[chosen + 1]
    if pos + (end - start) > limit:
        return FAIL
    return copy_range(texts, start, end, out, pos)


def generate_payload(
    tables: FuzzTables, rng: Words, out: Bytes, pos: u64, room: u64
) -> u64:
    """Write `bytes` of whole words, such as arguments are encoded to.

    For contracts that decode what they are given. Of eight words three are small
    numbers, offsets and lengths among them, one is an address, two are constants, one
    is a sender, and one any number.
    """
    count = least(1 + below(rng, PAYLOAD_WORDS), room >> 5)
    for index in range(count):
        draw = next64(rng)
        choice = draw & 7
        word = wrap256((draw >> 8) & 255)
        if choice == 0:
            word = word & 3
        elif choice == 1:
            word = (word & 7) << 5
        elif choice == 3:
            word = generate_address(tables, rng)
        elif choice == 4:
            word = pick_sender(tables, rng)
        elif choice == 5:
            word = synthesize_integer(rng, KIND_UINT, 256)
        elif choice > 5 and tables.dictionary_count != 0:
            word = dictionary_word(tables, rng)
        store256(out, pos + 32 + index * 32, word)
    return seal_bytes(out, pos, count * 32)


def generate_bytes(
    tables: FuzzTables,
    rng: Words,
    kind: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write a `bytes` or `string`; see the module."""
    room = limit - pos - 32
    choice = below(rng, 16)
    if choice < 4 and kind == KIND_BYTES and depth == 0:
        end = generate_embedded_call(tables, rng, out, pos, limit)
        if end != FAIL:
            return end
    if choice < 8 and room >= 32 and uses_dictionary(tables, rng) != 0:
        return generate_chunk(tables, rng, out, pos)
    if choice > 7 and choice < 12 and tables.literal_count != 0:
        end = generate_literal(tables, rng, out, pos, limit)
        if end != FAIL:
            return end
    if choice > 11 and choice < 15 and kind == KIND_BYTES and tables.payloads != 0:
        return generate_payload(tables, rng, out, pos, room)
    size = below(rng, MAX_ARRAY_LENGTH + 1)
    if choice == 15:
        size = below(rng, LONG_BYTES + 1)
    size = least(size, room)
    fill_random(rng, kind, out, pos + 32, size)
    return seal_bytes(out, pos, size)


def array_length(rng: Words, depth: u64) -> u64:
    """Return a length for a `T[]` that stands inside `depth` others.

    Up to 32, 8, 2 and then 1 elements; short arrays are more frequent.
    """
    most = 1
    if depth < 3:
        most = MAX_ARRAY_LENGTH >> (depth * 2)
    if below(rng, 8) != 0:
        most = below(rng, most + 1)
    return below(rng, most + 1)


def generate_elements(
    tables: FuzzTables,
    rng: Words,
    node: u64,
    count: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write `count` values of type `node`; see the module."""
    least_size = minimum(tables.types, node)
    end = pos
    for index in range(count):
        reserved = least_size * (count - 1 - index)
        end = generate_value(tables, rng, node, out, end, limit - reserved, depth + 1)
    return end


def generate_array(
    tables: FuzzTables,
    rng: Words,
    node: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write a `T[]`; see the module."""
    child = node + NODE_WORDS
    count = array_length(rng, depth)
    least_size = minimum(tables.types, child)
    if least_size != 0:
        count = least(count, (limit - pos - 32) // least_size)
    store256(out, pos, wrap256(count))
    return generate_elements(tables, rng, child, count, out, pos + 32, limit, depth)


def generate_members(
    tables: FuzzTables,
    rng: Words,
    node: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write the members of a tuple; see the module."""
    types = tables.types
    reserved = minimum(types, node)
    end = pos
    child = node + NODE_WORDS
    for _ in range(types[node + NODE_ARG]):
        reserved = reserved - minimum(types, child)
        end = generate_value(tables, rng, child, out, end, limit - reserved, depth)
        child = types[child + NODE_NEXT]
    return end


def generate_value(
    tables: FuzzTables,
    rng: Words,
    node: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write a value of type `node` at `pos`; return its end, at most `limit`.

    Args:
        depth: how many arrays the value stands inside.
    """
    kind = tables.types[node + NODE_KIND]
    if kind == KIND_BYTES or kind == KIND_STRING:
        if tables.text_count != 0:
            end = generate_text(tables, rng, node, out, pos, limit)
            if end != FAIL:
                return end
        return generate_bytes(tables, rng, kind, out, pos, limit, depth)
    if kind == KIND_ARRAY:
        return generate_array(tables, rng, node, out, pos, limit, depth)
    if kind == KIND_ARRAY_FIXED:
        count = tables.types[node + NODE_ARG]
        child = node + NODE_WORDS
        return generate_elements(tables, rng, child, count, out, pos, limit, depth)
    if kind < KIND_BYTES:
        store256(out, pos, generate_leaf(tables, rng, node))
        return pos + 32
    return generate_members(tables, rng, node, out, pos, limit, depth)


def generate_delay(tables: FuzzTables, rng: Words, maximum: u64) -> u64:
    """Return a delay up to `maximum`: 10 in 11 from the dictionary, else uniform."""
    if tables.dictionary_count != 0 and below(rng, 11) != 0:
        word = dictionary_word(tables, rng)
        if maximum == 0:
            return 0
        return wrap64(word % (wrap256(maximum) + 1))
    return below(rng, maximum + 1)


def generate_delays(tables: FuzzTables, rng: Words, out: Bytes, pos: u64) -> None:
    """Write both delays of the record at `pos`.

    Half of the calls come without delay. The others draw both, and if either is zero
    though it need not be, there is none (Echidna's rule).
    """
    seconds = 0
    blocks = 0
    most = tables.max_time_delay | tables.max_block_delay
    if most != 0 and next64(rng) & 1 != 0:
        seconds = generate_delay(tables, rng, tables.max_time_delay)
        blocks = generate_delay(tables, rng, tables.max_block_delay)
        if seconds == 0 and tables.max_time_delay != 0:
            blocks = 0
        elif blocks == 0 and tables.max_block_delay != 0:
            seconds = 0
    set_call_delays(out, pos, seconds, blocks)


def generate_wei(tables: FuzzTables, rng: Words) -> u256:
    """Return a value for a payable call, at most `max_value`.

    In 11: 10 from the dictionary or one of 0, 1 and the maximum, 1 uniform.
    """
    maximum = tables.max_value
    choice = below(rng, 11)
    if choice == 0:
        return at_most(rng, maximum)
    if choice == 1:
        return maximum
    if choice < 6 or tables.dictionary_count == 0:
        return least256(wrap256(next64(rng) & 1), maximum)
    word = dictionary_word(tables, rng)
    if maximum == MASK256:
        return word
    return word % (maximum + 1)


def wants_priority(tables: FuzzTables, rng: Words) -> u64:
    """Return 1 if the next call slot is for a prioritized function, else 0.

    Nine slots in ten, as long as there is any other function.
    """
    if tables.others_count == 0 or below(rng, 10) < 9:
        return 1
    return 0


def choose_among(tables: FuzzTables, rng: Words, prioritized: u64) -> u64:
    """Return a uniform function that is prioritized (1) or is not (0)."""
    if prioritized != 0:
        return tables.priority[below(rng, tables.priority_count)]
    return tables.others[below(rng, tables.others_count)]


def choose_function(tables: FuzzTables, rng: Words) -> u64:
    """Return the index of the function to call next."""
    if tables.priority_count == 0:
        return choose_among(tables, rng, 0)
    return choose_among(tables, rng, wants_priority(tables, rng))


def generate_call(
    tables: FuzzTables, rng: Words, function: u64, out: Bytes, pos: u64
) -> u64:
    """Write a whole call record for `function` at `pos`; return its end.

    Only payable functions get value.
    """
    tables.calling = function
    end = generate_fields(tables, rng, function, out, pos)
    if tables.overriding != 0 and below(rng, 1000) < tables.overriding:
        end = append_override(tables, rng, out, pos, end)
    tables.calling = tables.function_count
    return end


def generate_fields(
    tables: FuzzTables, rng: Words, function: u64, out: Bytes, pos: u64
) -> u64:
    """Write a call record without an override; see `generate_call`."""
    entry = function * FUNCTION_WORDS
    sender = draw_sender(tables, rng)
    value = wrap256(0)
    if tables.functions[entry + FUNCTION_FLAGS] & FLAG_PAYABLE != 0:
        value = generate_wei(tables, rng)
    node = tables.functions[entry + FUNCTION_NODE]
    start = pos + CALL_HEADER
    end = generate_value(tables, rng, node, out, start, pos + MAX_CALL_BYTES, 0)
    write_header(out, pos, end - pos, function, sender, value, 0, 0)
    if tables.functions[entry + FUNCTION_FLAGS] & FLAG_CREATED != 0:
        set_call_instance(out, pos, below(rng, MOST_INSTANCES))
    generate_delays(tables, rng, out, pos)
    return end


def append_override(
    tables: FuzzTables, rng: Words, out: Bytes, pos: u64, end: u64
) -> u64:
    """Give the record from `pos` to `end`, which has no override, a fresh one.

    In ten, 8 call the contract of the record and 2 any (Foundry's shares). Half of them
    pass over no call that they could replace, a quarter over one, and so on. Without
    room for the arguments there is none.

    Returns:
        The end of the record.
    """
    function = below(rng, tables.function_count)
    if below(rng, 10) < 8:
        peers = call_function(out, pos) * PEER_WORDS
        count = tables.peers[peers + PEER_COUNT]
        function = tables.peers[peers + PEER_FIRST] + below(rng, count)
    entry = function * FUNCTION_WORDS
    node = tables.functions[entry + FUNCTION_NODE]
    limit = pos + MAX_CALL_BYTES
    start = end + CALL_HEADER
    if start + minimum(tables.types, node) > limit:
        return end
    outer = tables.calling
    tables.calling = function
    stop = generate_value(tables, rng, node, out, start, limit, 0)
    tables.calling = outer
    zero = wrap256(0)
    write_header(out, end, stop - end, function, zero, zero, 0, 0)
    if tables.functions[entry + FUNCTION_FLAGS] & FLAG_CREATED != 0:
        set_call_instance(out, end, below(rng, MOST_INSTANCES))
    after = wrap64(0)
    while after < MOST_PASSED_OVER and next64(rng) & 1 != 0:
        after = after + 1
    set_override_after(out, end, after)
    set_call_length(out, pos, stop - pos, stop - end)
    return stop
