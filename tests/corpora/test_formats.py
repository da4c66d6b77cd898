"""Files of Echidna, Medusa and Foundry: read, and written as they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from abi_strategies import functions, values
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.abi.codec import encode
from echidna_mcp.abi.function import AbiFunction, functions_of
from echidna_mcp.corpora.directory import read_corpus
from echidna_mcp.corpora.layouts import FOREIGN_FORMATS, LAYOUTS
from echidna_mcp.corpora.model import (
    EntryError,
    Interfaces,
    StoredCall,
    StoredFunction,
    without_waits,
)

GOLDEN = Path(__file__).parent / "golden"
ORDER = {
    "type": "function",
    "name": "order",
    "inputs": [
        {
            "name": "lines",
            "type": "tuple[]",
            "components": [
                {"name": "urgent", "type": "bool"},
                {"name": "amount", "type": "uint256"},
            ],
        },
        {"name": "note", "type": "string"},
        {"name": "kind", "type": "bytes2"},
        {"name": "to", "type": "address"},
        {"name": "sign", "type": "int8"},
    ],
}
INTERFACES = Interfaces(functions_of([ORDER]))


def golden(name: str, purpose: str) -> list[Path]:
    layout, directory = LAYOUTS[name], GOLDEN / name
    return [x.path for x in layout.files(directory) if x.purpose == purpose]


CANONICAL = [
    *(("echidna", path) for path in (GOLDEN / "echidna").glob("*/*")),
    *(("medusa", path) for path in (GOLDEN / "medusa").glob("*/*")),
    *(("foundry", path) for path in (GOLDEN / "foundry" / "Vault").glob("*/*/*/*")),
]


def test_there_is_a_golden_file_of_each_format():
    assert {name for name, _ in CANONICAL} == set(FOREIGN_FORMATS)


@pytest.mark.parametrize(
    ("name", "path"), CANONICAL, ids=[f"{n}-{p.name[:12]}" for n, p in CANONICAL]
)
def test_a_canonical_file_is_written_back_byte_for_byte(name, path):
    text = path.read_bytes().decode()
    layout = LAYOUTS[name]
    calls = layout.read(text, INTERFACES)
    assert layout.write(calls) == text


def test_echidnas_arguments_carry_their_types():
    (path,) = golden("echidna", "coverage")
    every, raw, nothing, created = LAYOUTS["echidna"].read(path.read_text(), INTERFACES)
    assert every.function.signature == (
        "all(uint8,address,bool,bytes3,bytes,string,(address,int16)[],bool[][2],"
        "function)"
    )
    assert every.arguments[3:6] == (
        b"\0D\x1d",
        b'\x0eH\xc81"\\\x7f\xff',
        b"caf\xc3\xa9\n",
    )
    assert every.arguments[6:8] == (((1, -32768),), ((), (False,)))
    assert (raw.calldata.hex(), nothing.calldata) == ("a9059cbb", b"")
    assert (created.kind, created.calldata) == ("create", b"`\0")


def test_echidnas_waiting_is_a_delay_of_the_next_call_for_others():
    (path,) = golden("echidna", "reproducer")
    call, wait = LAYOUTS["echidna"].read(path.read_text(), INTERFACES)
    assert (call.time_delay, call.block_delay, call.value) == (420078, 15369, 1)
    assert wait.kind == "wait"
    folded, seconds = without_waits([wait, wait, call, wait])
    assert [(x.time_delay, x.block_delay) for x in folded] == [(420088, 15371)]
    assert seconds == 5
    for name in ("medusa", "foundry"):
        with pytest.raises(EntryError):
            LAYOUTS[name].write([wait])


def test_echidnas_older_files_are_read():
    (path,) = golden("echidna", "reproducer")
    older = {
        "call": "_call",
        "src": "_src",
        "dst": "_dst",
        "gas": "_gas'",
        "gasprice": "_gasprice'",
        "value": "_value",
        "delay": "_delay",
    }
    calls = [
        {older[key]: hex(value) if key == "gas" else value for key, value in x.items()}
        for x in json.loads(path.read_text())
    ]
    read = LAYOUTS["echidna"].read
    assert read(json.dumps(calls), INTERFACES) == read(path.read_text(), INTERFACES)


def test_medusas_structs_are_in_the_order_of_the_abi():
    (path,) = golden("medusa", "coverage")
    order, deploy = LAYOUTS["medusa"].read(path.read_text(), INTERFACES)
    assert order.arguments == (
        ((True, 7),),
        "a <b> & é".encode(),
        b"\0\xff",
        0xFB6916095CA1DF60BB79CE92CE3EA74C37C5D359,
        -128,
    )
    assert (order.value, order.block_delay, order.time_delay) == (31, 1, 360624)
    assert deploy.calldata.hex() == "946c3724"


def test_medusas_calldata_counts_where_the_abi_is_not_known():
    (path,) = golden("medusa", "coverage")
    text = path.read_text()
    known = LAYOUTS["medusa"].read(text, INTERFACES)
    unknown = LAYOUTS["medusa"].read(text, Interfaces(()))
    assert [x.calldata for x in unknown] == [x.calldata for x in known]
    calls = json.loads(text)
    del calls[0]["call"]["data"]
    without = json.dumps(calls)
    assert LAYOUTS["medusa"].read(without, INTERFACES) == known
    with pytest.raises(EntryError, match="takes a struct, and no contract"):
        LAYOUTS["medusa"].read(without, Interfaces(()))


def test_foundrys_failures_are_reproducers_of_their_tests():
    corpus = read_corpus(GOLDEN / "foundry", INTERFACES)
    assert corpus.problems == ()
    told = [(x.file, x.purpose, x.contract, x.test) for x in corpus.sequences]
    entry = "Vault/invariant_solvent/worker0/corpus"
    assert told == [
        (
            *("invariant/failures/Vault/invariant_solvent", "reproducer"),
            *("Vault", "invariant_solvent"),
        ),
        ("fuzz/failures/Vault/testFuzz_x", "reproducer", "Vault", "testFuzz_x"),
        (
            f"{entry}/26dd1140-abcd-4625-9826-a655e50a7423-1795596558.json",
            *("coverage", "Vault", "invariant_solvent"),
        ),
    ]
    invariant, fuzz, kept = (x.calls for x in corpus.sequences)
    assert [(x.time_delay, x.block_delay) for x in invariant] == [(0x371, 8)]
    assert (fuzz[0].sender, fuzz[0].target) == (None, None)
    assert [x.value for x in kept] == [6, 0]


@st.composite
def calls(draw: st.DrawFn, function: AbiFunction) -> StoredCall:
    address, word = st.integers(0, (1 << 160) - 1), st.integers(0, (1 << 256) - 1)
    arguments = draw(st.tuples(*map(values, function.inputs.members)))
    return StoredCall(
        sender=draw(address),
        target=draw(address),
        function=StoredFunction(function.name, function.inputs),
        calldata=function.selector + encode(function.inputs, arguments),
        value=draw(word),
        time_delay=draw(st.integers(0, (1 << 64) - 1)),
        block_delay=draw(st.integers(0, (1 << 64) - 1)),
        gas=draw(st.integers(0, (1 << 63) - 1)),
        gas_price=draw(word),
        nonce=draw(st.integers(0, 1 << 63)),
    )


def told(call: StoredCall, name: str) -> tuple[object, ...]:
    """What a format keeps of a call."""
    kept = (call.sender, call.target, call.calldata, call.value)
    kept += (call.time_delay, call.block_delay)
    if name != "foundry":
        kept += (call.gas, call.gas_price)
    return (*kept, call.nonce) if name == "medusa" else kept


@pytest.mark.parametrize("name", FOREIGN_FORMATS)
@given(data=st.data())
@settings(max_examples=100)
def test_what_is_written_is_read_as_it_was_and_written_again_alike(name, data):
    known = data.draw(st.lists(functions(), min_size=1, max_size=3))
    sequence = [data.draw(calls(data.draw(st.sampled_from(known)))) for _ in range(3)]
    layout, interfaces = LAYOUTS[name], Interfaces(known)
    text = layout.write(sequence)
    again = layout.read(text, interfaces)
    assert [told(x, name) for x in again] == [told(x, name) for x in sequence]
    assert layout.write(again) == text


GARBAGE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("call", "tag", "contents", "delay", "src", "dst", "gas", "to"),
                    *("gasprice", "value", "from", "data", "dataAbiValues", "sender"),
                    *("methodSignature", "inputValues", "calldata", "call_sequence"),
                ]
            ),
            inner,
            max_size=6,
        )
    ),
)


def read_or_refused(name: str, text: str) -> bool:
    """Whether a text is read as calls, or refused by the end of a sentence."""
    try:
        calls = LAYOUTS[name].read(text, INTERFACES)
    except EntryError as error:
        return str(error)[:1].islower() and not str(error).endswith(".")
    return all(isinstance(each, StoredCall) for each in calls)


@pytest.mark.parametrize("name", FOREIGN_FORMATS)
@given(garbage=st.lists(GARBAGE, max_size=3))
def test_no_json_leads_to_anything_but_a_sentence(name, garbage):
    assert read_or_refused(name, json.dumps(garbage))


@pytest.mark.parametrize("name", FOREIGN_FORMATS)
@given(data=st.data())
@settings(max_examples=200)
def test_no_damage_to_a_file_leads_to_anything_but_a_sentence(name, data):
    path = data.draw(st.sampled_from([p for n, p in CANONICAL if n == name]))
    damaged = json.loads(path.read_text())
    at, key = damaged, None
    holder = damaged
    while isinstance(at, (list, dict)) and at:
        holder = at
        key = data.draw(
            st.sampled_from(list(at) if isinstance(at, dict) else range(len(at)))
        )
        at = at[key]
        if data.draw(st.booleans()):
            break
    holder[key] = data.draw(GARBAGE)
    assert read_or_refused(name, json.dumps(damaged))


def test_deep_arrays_of_a_file_are_refused_by_a_sentence():
    deep: object = {"tag": "AbiBoolType"}
    for _ in range(100):
        deep = {"tag": "AbiArrayDynamicType", "contents": deep}
    (path,) = golden("echidna", "reproducer")
    calls = json.loads(path.read_text())
    calls[0]["call"]["contents"][1] = [
        {"tag": "AbiArrayDynamic", "contents": [deep, []]}
    ]
    with pytest.raises(EntryError, match="lie in one another"):
        LAYOUTS["echidna"].read(json.dumps(calls), INTERFACES)
