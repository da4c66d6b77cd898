"""A hash that was set before the sequence began is compared as what it is the hash of,
where that is a word or a text that the campaign has seen."""

from __future__ import annotations

from typing import Final

import pytest
from campaigns import small_config
from eth_abi import encode
from eth_hash.auto import keccak
from made_contract import MADE, MADE_KEY
from native_backends import named
from solc import compile_solidity
from stored_calls import stored_call

from echidna_mcp.campaign.start_state import start_state
from echidna_mcp.program.target import build_target
from echidna_mcp.solving import preimages
from echidna_mcp.solving.exploring import Exploration
from echidna_mcp.solving.jobs import Answer, Job, Origin
from echidna_mcp.solving.preimages import Preimages, Seen
from echidna_mcp.solving.running import Shadow
from echidna_mcp_plugins.solvers.bitwuzla import BITWUZLA

pytestmark = pytest.mark.solc
pytest.importorskip("bitwuzla")

KEY: Final = 0xFEEDFACECAFEBEEF1234567890ABCDEF55
OTHER: Final = 0x1122334455667788
HOLDER: Final = 0xA11CEA11CEA11CEA11CEA11CEA11CEA11CEA11CE
LONG: Final = b"a text that is longer than one word of memory"

Case = tuple[str, str, str, tuple[object, ...], tuple[object, ...]]
"""What the hash is of where it is set, the parameters of the guard, what that hashes,
the arguments that a job begins with, and those that open it."""
CASES: Final[dict[str, Case]] = {
    "a word": ("abi.encode(KEY)", "uint256 a", "abi.encode(a)", (0,), (KEY,)),
    "a word of storage": (
        "abi.encode(born)",
        "uint256 a",
        "abi.encode(a)",
        (0,),
        (int.from_bytes(keccak(b"born"), "big") // 7,),
    ),
    "a word that is computed": (
        "abi.encode(KEY)",
        "uint256 a",
        "abi.encode(a ^ 0x1234)",
        (0,),
        (KEY ^ 0x1234,),
    ),
    "an address": (
        "abi.encodePacked(HOLDER)",
        "address a",
        "abi.encodePacked(a)",
        ("0x" + 40 * "0",),
        (f"0x{HOLDER:040x}",),
    ),
    "a number of 64 bits": (
        "abi.encodePacked(OTHER)",
        "uint64 a",
        "abi.encodePacked(a)",
        (0,),
        (OTHER,),
    ),
    "four bytes": (
        "abi.encodePacked(bytes4(0xbadc0de5))",
        "bytes4 a",
        "abi.encodePacked(a)",
        (bytes(4),),
        (bytes.fromhex("badc0de5"),),
    ),
    "four bytes in a word": (
        "abi.encode(bytes4(0xbadc0de5))",
        "bytes4 a",
        "abi.encode(a)",
        (bytes(4),),
        (bytes.fromhex("badc0de5"),),
    ),
    "a word between known ones": (
        "abi.encode(address(this), KEY, uint8(3))",
        "uint256 a",
        "abi.encode(this, a, uint8(3))",
        (0,),
        (KEY,),
    ),
    "two words": (
        "abi.encode(KEY, HOLDER)",
        "uint256 a, address b",
        "abi.encode(a, b)",
        (0, "0x" + 40 * "0"),
        (KEY, f"0x{HOLDER:040x}"),
    ),
    "two numbers side by side": (
        "abi.encodePacked(HOLDER, OTHER)",
        "address a, uint64 b",
        "abi.encodePacked(a, b)",
        ("0x" + 40 * "0", 0),
        (f"0x{HOLDER:040x}", OTHER),
    ),
    "who calls": (
        "abi.encode(address(0x30000), KEY)",
        "uint256 a",
        "abi.encode(msg.sender, a)",
        (0,),
        (KEY,),
    ),
    "a short text": (
        'bytes("open sesame")',
        "string calldata a",
        "bytes(a)",
        ("xxxxxxxxxxx",),
        ("open sesame",),
    ),
    "a long text": ("bytes(LONG)", "bytes calldata a", "a", (b"x" * 45,), (LONG,)),
    "an encoded text": (
        "abi.encode(uint256(7), LONG)",
        "string calldata a",
        "abi.encode(uint256(7), a)",
        ("x" * 45,),
        (LONG.decode(),),
    ),
    "a hash of a hash": (
        "abi.encode(keccak256(bytes(LONG)))",
        "bytes calldata a",
        "abi.encode(keccak256(a))",
        (b"x" * 45,),
        (LONG,),
    ),
}
GUARDED: Final = """
contract Guarded {{
    uint256 constant KEY = {key:#x};
    uint64 constant OTHER = {other:#x};
    address constant HOLDER = address(uint160(0x00{holder:040x}));
    string constant LONG = "{long}";
    bytes32 immutable lock;
    uint256 born = uint256(keccak256("born")) / 7;
    bool opened;
    constructor() {{ lock = keccak256({set}); }}
    function open({parameters}) external {{
        if (keccak256({hashed}) == lock) opened = true;
    }}
    function echidna_shut() external view returns (bool) {{ return !opened; }}
}}
"""


def guarded(case: Case) -> str:
    return GUARDED.format(
        key=KEY,
        other=OTHER,
        holder=HOLDER,
        long=LONG.decode(),
        set=case[0],
        parameters=case[1],
        hashed=case[2],
    )


def answered(
    source: str, name: str, data: bytes = b"", words: tuple[int, ...] = ()
) -> tuple[Answer, bytes]:
    """Return what a job makes of one call of `open`, and the selector of that."""
    target = build_target(compile_solidity(source, name), small_config())
    function = next(f for f in target.functions if f.signature.startswith("open("))
    job = Job(
        number=0,
        round=4,
        origin=Origin((0,)),
        calls=(stored_call(function.signature, function.selector + data),),
        covered={},
        tests=(0,),
        spared=frozenset(),
        words=words,
    )
    shadow = Shadow(target, start_state(named("compiled"), target))
    return Exploration(shadow, BITWUZLA.solve, job).answer(), function.selector


def sent(answer: Answer) -> list[bytes]:
    (sequence,) = answer.sequences
    return [bytes.fromhex(call["calldata"][2:]) for call in sequence]


@pytest.mark.parametrize("name", CASES)
def test_what_was_seen_opens_what_knows_its_hash(name: str) -> None:
    case = CASES[name]
    types = [each.split()[0] for each in case[1].split(", ")]
    answer, selector = answered(guarded(case), "Guarded", encode(types, case[3]))
    (data,) = sent(answer)
    assert data == selector + encode(types, case[4])
    (sender,) = (call["sender"] for call in answer.sequences[0])
    assert (int(sender, 16) == 0x30000) == (name == "who calls")


UNKNOWN: Final = {
    "the hash of nothing": ("uint256 a", "abi.encode(a)", encode(["uint256"], [0])),
    "of another length": ("bytes calldata a", "a", encode(["bytes"], [b"x" * 44])),
    "of three words": (
        "uint256 a, uint256 b, uint256 c",
        "abi.encode(a, b, c)",
        bytes(96),
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_nobody_has_seen_stays_shut(name: str) -> None:
    parameters, hashed, data = UNKNOWN[name]
    source = guarded(("KEY ^ OTHER", parameters, hashed, (), ()))
    source = source.replace("keccak256(KEY ^ OTHER)", "bytes32(KEY ^ OTHER)")
    answer, _ = answered(source, "Guarded", data)
    assert answer.tried
    assert {verdict for _, verdict in answer.tried} == {"unsat"}
    assert not answer.sequences


def looked_up() -> tuple[Seen, bytes, int]:
    """Return what is seen of a target, a word that is not, and its hash."""
    target = build_target(compile_solidity(guarded(CASES["a word"])), small_config())
    seen = Seen(target, start_state(named("compiled"), target))
    unseen = keccak(b"unseen")
    return seen, unseen, int.from_bytes(keccak(unseen), "big")


def test_what_is_known_does_not_depend_on_earlier_jobs() -> None:
    seen, unseen, digest = looked_up()
    found = (*range(1_000, 1_600), int.from_bytes(unseen, "big"))
    for _ in range(2):
        assert Preimages(seen, found).find(digest, (32,)) == unseen
        assert Preimages(seen, found[:-1]).find(digest, (32,)) is None


def test_a_job_pays_for_what_it_hashes_once() -> None:
    seen, _, digest = looked_up()
    known = Preimages(seen)
    bills = []
    for _ in range(2):
        assert known.find(digest, (32,)) is None
        bills.append(known.bill())
    assert bills[0] >= len(seen.words)
    assert bills[1] == 0
    # Another job pays the same, whatever is remembered.
    again = Preimages(seen)
    again.find(digest, (32,))
    assert again.bill() == bills[0]


def test_a_job_looks_up_no_more_than_so_much(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, _, _ = looked_up()
    word = KEY.to_bytes(32, "big")
    for limit, expected in ((1, word), (0, None)):
        monkeypatch.setattr(preimages, "_MOST_TRIED", limit)
        known = Preimages(seen)
        assert known.find(int.from_bytes(keccak(word), "big"), (32,)) == expected


def test_words_that_the_campaign_has_come_upon_are_among_them() -> None:
    found, _ = answered(MADE, "Made", bytes(64), (5, MADE_KEY))
    *_, data = sent(found)
    a, b = (int.from_bytes(data[at : at + 32], "big") for at in (4, 36))
    assert (a + b * 3) % (1 << 256) == MADE_KEY
    nothing, _ = answered(MADE, "Made", bytes(64), (5, MADE_KEY + 1))
    assert data not in [call for s in nothing.sequences for call in s]
    opened = [verdict for _, verdict in nothing.tried]
    assert opened.count("sat") == 1
