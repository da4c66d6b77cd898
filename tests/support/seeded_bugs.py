"""Sixty seeded bugs, each with the simplest sequence that shows it, proved by hand.

All are functions of one contract. In the Solidity of a bug `$` is a prefix of its own,
and `FAIL` falsifies its property. `found` is what a search might have found, without
what does not matter: the harness puts calls, senders and delays around it. `witness` is
minimal in the order of shrinking: fewer calls first, then shorter arguments, then a
smaller sum of all numbers and ranks of senders; `why` says why nothing is below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

SENDERS: Final = (0x10000, 0x20000, 0x30000)
BIG: Final = 0x3F1A_77C0_91B2_44D5_8E63_02FF_1C9A_6B70_D841_53E2
DAY: Final = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A call.

    Attributes:
        name: of the function, without the prefix of its bug.
        sender: index into `SENDERS`.
        value: wei.
        wait: seconds and blocks before it.
    """

    name: str
    args: tuple[Any, ...] = ()
    sender: int = 0
    value: int = 0
    wait: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bug:
    """A bug; see above.

    Attributes:
        settled: whether senders and delays of `found` matter, and stay as they are.
    """

    name: str
    solidity: str
    found: tuple[Step, ...]
    witness: tuple[Step, ...]
    why: str
    settled: bool = False


def call(name: str, *args: Any, **more: Any) -> Step:
    """Return a call, written shortly."""
    return Step(name=name, args=args, **more)


def one(  # noqa: PLR0917
    name: str,
    parameters: str,
    condition: str,
    found: list[Any],
    witness: list[Any],
    why: str,
) -> Bug:
    """Return a bug of one function whose arguments meet a condition."""
    return Bug(
        name=name,
        solidity=f"function $f({parameters}) public {{ if ({condition}) FAIL; }}",
        found=(call("f", *found),),
        witness=(call("f", *witness),),
        why=why,
    )


NUMBERS: Final = (
    one("threshold", "uint x", "x > 1234", [BIG], [1235], "the least one above"),
    one("ether", "uint x", "x > 1 ether", [BIG], [10**18 + 1], "the least one above"),
    one("window", "uint x", "x > 99 && x < 5000", [4711], [100], "the least one in it"),
    one("modulo_11", "uint x", "x % 11 == 3", [11 * BIG + 3], [3], "the remainder"),
    one("modulo_64", "uint x", "x % 64 == 2", [64 * BIG + 2], [2], "the remainder"),
    one("modulo_64_37", "uint x", "x % 64 == 37", [64 * BIG + 37], [37], "same"),
    one("modulo_97", "uint x", "x % 97 == 96", [97 * BIG + 96], [96], "same"),
    one("modulo_100", "uint x", "x % 100 == 57", [100 * BIG + 57], [57], "same"),
    one("cents", "uint x", "x % 1000 == 999", [1000 * BIG + 999], [999], "same"),
    one("odd", "uint x", "x % 2 == 1 && x > 500", [2 * BIG + 1], [501], "500 is even"),
    one(
        *("two_bits", "uint x", "x & 0x8010 == 0x8010", [BIG | 0x8010], [0x8010]),
        "both bits must be set, and no other one",
    ),
    one(
        *("high_bit", "uint x", "x >> 200 & 1 == 1", [2**200 + BIG], [2**200]),
        "a number with bit 200 is no less",
    ),
    one("low_byte", "uint x", "x & 0xff == 0x7f", [256 * BIG + 127], [127], "the byte"),
    one(
        "packed",
        "uint x",
        "x >> 128 == 7 && x % 2**128 == 9",
        [7 * 2**128 + 9],
        [7 * 2**128 + 9],
        "there is only one",
    ),
    one("not_zero", "uint8 x", "x != 0", [233], [1], "0 does not do"),
    one("square", "uint x", "x < 2**100 && x * x > 10**6", [2**90], [1001], "1000²"),
    one("negative", "int x", "x < -100", [-BIG], [-101], "the nearest to 0"),
    one("any_sign", "int x", "x > 100 || x < -100", [-BIG], [101], "101 before -101"),
    one("min_int", "int8 x", "x == -128", [-128], [-128], "there is only one"),
    one("signed_modulo", "int x", "x % 10 == 7", [10 * BIG + 7], [7], "the remainder"),
    one("enum", "uint8 k, bool b", "k == 3 && b", [3, True], [3, True], "only one"),
)

SHAPES: Final = (
    one("true", "bool a, bool b", "a", [True, True], [True, False], "a must be true"),
    one("both", "bool a, bool b", "a == b", [True, True], [False, False], "simplest"),
    one("zero", "address a", "a != address(1)", [0xABCD], [0], "0 is the simplest"),
    one("someone", "address a", "a != address(0)", [BIG], [SENDERS[0]], "rank 1"),
    one(
        *("same_address", "address a, address b", "a == b"),
        *([0xABCDEF, 0xABCDEF], [0, 0], "both 0"),
    ),
    one(
        *("byte_pair", "bytes8 b", "b[2] == 'c' && b[3] == 'd'", [b"abcdefgh"]),
        *([b"\0\0cd\0\0\0\0"], "the other bytes are 0"),
    ),
    one(
        *("packed_words", "bytes32 b", "uint128(uint256(b)) == 5"),
        *([bytes(range(1, 17)) + (5).to_bytes(16, "big")],),
        *([bytes(31) + b"\5"], "only the low half counts, and it has one byte"),
    ),
    one(
        *("same_key", "bytes32 a, bytes32 b", "a == b", [b"k" * 32, b"k" * 32]),
        *([bytes(32), bytes(32)], "both 0"),
    ),
    one(
        *("needle", "bytes memory b", "b.length > 2 && has(b, 0x40)"),
        *([bytes(range(40, 90))], [b"\0\0\x40"], "three bytes, one of them not 0"),
    ),
    one(
        *("long_text", "string memory s", "bytes(s).length > 4", [b"hello, world"]),
        *([bytes(5)], "five bytes of 0"),
    ),
    one(
        *("sum", "uint[] memory a", "a.length > 1 && a[0] + a[1] == 1"),
        *([(0, 1, 77, 5)], [(0, 1)], "two elements, of which the sum is 1"),
    ),
    one(
        *("large_ones", "uint[] memory a", "above(a, 510) > 1"),
        *([tuple(range(500, 520))], [(511, 511)], "two elements above 510"),
    ),
    one(
        *("permit", "P memory p", "p.owner != address(0) && p.v == 28 && p.amount > 9"),
        *([(BIG, 5, 500, 28, b"r" * 32)], [(SENDERS[0], 0, 10, 28, bytes(32))]),
        "every member that counts is least, the others are 0",
    ),
    one(
        *("zeros", "uint[3] memory a", "a[0] > a[2] && a[1] == 0"),
        *([(BIG, 0, BIG - 1)], [(1, 0, 0)], "1 is the least above 0"),
    ),
)

COUPLED: Final = (
    one("next", "uint x, uint y", "y == x + 1", [BIG, BIG + 1], [0, 1], "from 0"),
    one(
        "far",
        "uint x, uint y",
        "x < 2**200 && y == x + 500000",
        [BIG, BIG + 500000],
        [0, 500000],
        "x is 0",
    ),
    one(
        "floor",
        "uint x, uint y",
        "x > 50 && y == x + 3 && y < 2**200",
        [BIG, BIG + 3],
        [51, 54],
        "x is the least above 50",
    ),
    one("equal", "uint x, uint y", "x == y && x > 0", [BIG, BIG], [1, 1], "above 0"),
    one(
        "double",
        "uint x, uint y",
        "x > 0 && x < 2**200 && y == 2 * x",
        [12345, 24690],
        [1, 2],
        "x is the least above 0",
    ),
    one(
        "fee",
        "uint x, uint y",
        "x > 0 && x < 2**200 && x * 3 == y * 1000",
        [10**18, 3 * 10**15],
        [1000, 3],
        "1000 and 3 have no common divisor",
    ),
    one(
        "chain",
        "uint x, uint y, uint z",
        "z == y + 1 && y == x + 1 && x < 2**200",
        [BIG, BIG + 1, BIG + 2],
        [0, 1, 2],
        "from 0",
    ),
    one("mirror", "int x, int y", "x == -y && x > 0", [BIG, -BIG], [1, -1], "above 0"),
    one(
        *("same_length", "uint[] memory a, address[] memory b"),
        "a.length == b.length && a.length > 0",
        *([(1, 2, 3), (5, 6, 7)], [(0,), (0,)], "one element each"),
    ),
    one(
        *("counted", "uint[] memory a, uint n", "a.length == n && n > 0"),
        *([(9, 8, 7, 6), 4], [(0,), 1], "one element, counted"),
    ),
    one(
        *("text_length", "string memory s, uint n", "bytes(s).length == n && n > 1"),
        *([b"abcdefghijkl", 12], [b"\0\0", 2], "two bytes, counted"),
    ),
    one(
        *("aligned", "uint[] memory a, uint[] memory b"),
        "a.length == b.length && above(a, 99) > 0",
        *([(1, 2, 300), (4, 5, 6)], [(100,), (0,)], "one element each"),
    ),
    one(
        "three_equal",
        "uint x, uint y, uint z",
        "x == y && y == z && x > 9",
        [BIG, BIG, BIG],
        [10, 10, 10],
        "the least above 9",
    ),
)

STATES: Final = (
    Bug(
        name="amounts",
        solidity="uint $a; function $in(uint x) public { $a = x; }"
        "function $out(uint x) public { if (x > 0 && x == $a) FAIL; }",
        found=(call("in", BIG), call("out", BIG)),
        witness=(call("in", 1), call("out", 1)),
        why="both calls are needed, and 0 is refused",
    ),
    Bug(
        name="one_more",
        solidity="uint $a; function $in(uint128 x) public { $a = x; }"
        "function $out(uint x) public { if (x == $a + 1) FAIL; }",
        found=(call("in", 10**20), call("out", 10**20 + 1)),
        witness=(call("out", 1),),
        why="nothing need be put in; 0 + 1 is taken out",
    ),
    Bug(
        name="three_steps",
        solidity="uint $s; function $a() public { if ($s == 0) $s = 1; }"
        "function $b() public { if ($s == 1) $s = 2; }"
        "function $c() public { if ($s == 2) FAIL; }",
        found=(call("a"), call("c"), call("b"), call("a"), call("c")),
        witness=(call("a"), call("b"), call("c")),
        why="each step needs the one before",
    ),
    Bug(
        name="undone",
        solidity="uint $n; uint $m; function $up() public { $n++; $m++; }"
        "function $down() public { $n--; $m++; }"
        "function $check() public { if ($n == 0 && $m > 1) FAIL; }",
        found=tuple(map(call, ("up", "up", "down", "down", "check"))),
        witness=tuple(map(call, ("up", "down", "check"))),
        why="down needs up, m > 1 needs both",
    ),
    Bug(
        name="reentrancy",
        solidity="Bank $bank = new Bank(); uint $own; uint $taken; bool $inside;"
        "function $save() public payable"
        " { $bank.deposit{value: msg.value}(address(1)); }"
        "function $deposit() public payable"
        " { $own += msg.value; $bank.deposit{value: msg.value}(address(this)); }"
        "function $rob() public { $taken = 0; $inside = false; $bank.withdraw();"
        " if ($taken > $own) FAIL; }"
        "receive() external payable { $taken += msg.value;"
        " if (!$inside) { $inside = true; $bank.withdraw(); } }",
        found=(
            call("save", value=10**18, sender=1),
            call("save", value=5, sender=2),
            call("deposit", value=10**17, sender=2),
            call("deposit", value=10**16, sender=1),
            call("rob", sender=2),
            call("rob", sender=1),
        ),
        witness=(call("save", value=1), call("deposit", value=1), call("rob")),
        why="somebody else's money, money of its own, and taking that twice",
        settled=True,
    ),
    Bug(
        name="governance",
        solidity="uint $quorum; uint $votes; uint $queued;"
        "function $setQuorum(uint q) public { if (q > 0) $quorum = q; }"
        "function $vote(uint p, uint weight) public { if (p > 0) $votes += weight; }"
        "function $execute() public { if ($quorum > 0 && $votes == $quorum) FAIL; }",
        found=(call("setQuorum", 4), call("vote", 7, 4), call("execute")),
        witness=(call("setQuorum", 1), call("vote", 1, 1), call("execute")),
        why="a quorum of 1 is the least, and 1 vote for proposal 1 is as much",
    ),
    Bug(
        name="later",
        solidity="uint $t; function $start() public { $t = block.timestamp; }"
        "function $end() public { if ($t > 0 && block.timestamp >= $t + 1 days)"
        " FAIL; }",
        found=(call("start"), call("end", wait=(3 * DAY, 99))),
        witness=(call("start"), call("end", wait=(DAY, 0))),
        why="a day must pass after the start",
        settled=True,
    ),
    Bug(
        name="later_by_others",
        solidity="uint $t; function $start() public { $t = block.timestamp; }"
        "function $tick() public {}"
        "function $end() public { if ($t > 0 && block.timestamp >= $t + 1 hours)"
        " FAIL; }",
        found=(
            call("start"),
            call("tick", wait=(2400, 5)),
            call("end", wait=(1800, 7)),
        ),
        witness=(call("start"), call("end", wait=(3600, 0))),
        why="the hour goes over to the call that is left",
        settled=True,
    ),
    Bug(
        name="blocks",
        solidity="uint $t; function $start() public { $t = block.number; }"
        "function $end() public { if ($t > 0 && block.number > $t + 10) FAIL; }",
        found=(call("start"), call("end", wait=(50, 300))),
        witness=(call("start"), call("end", wait=(0, 11))),
        why="more than ten blocks",
        settled=True,
    ),
    Bug(
        name="paid",
        solidity="function $f(uint x) public payable"
        " { if (msg.value > 100 && x == msg.value) FAIL; }",
        found=(call("f", 10**18, value=10**18),),
        witness=(call("f", 101, value=101),),
        why="the least wei above 100, and as much as argument",
    ),
    Bug(
        name="two_senders",
        solidity="address $a; function $f() public { $a = msg.sender; }"
        "function $g() public { if ($a != address(0) && $a != msg.sender) FAIL; }",
        found=(call("f", sender=1), call("g", sender=2)),
        witness=(call("f", sender=0), call("g", sender=1)),
        why="two senders; their ranks are 0 and 1 in either order",
        settled=True,
    ),
)

SELF: Final = Bug(
    name="names_itself",
    solidity="function $f(address a) public"
    " { if (a == msg.sender && a != address(0)) FAIL; }",
    found=(call("f", SENDERS[2], sender=2),),
    witness=(call("f", SENDERS[0]),),
    why="the first sender, named by itself",
    settled=True,
)

BUGS: Final = (SELF, *NUMBERS, *SHAPES, *COUPLED, *STATES)
HELPERS: Final = """
struct P { address owner; uint nonce; uint amount; uint8 v; bytes32 r; }
function has(bytes memory b, bytes1 x) internal pure returns (bool) {
  for (uint i; i < b.length; i++) if (b[i] == x) return true;
  return false;
}
function above(uint[] memory a, uint x) internal pure returns (uint n) {
  for (uint i; i < a.length; i++) if (a[i] > x) n++;
}
uint noises;
function noise(uint x, bytes memory) public payable { noises += x % 7; }
"""


BANK: Final = """
contract Bank {
  mapping(address => uint) due;
  function deposit(address who) public payable { due[who] += msg.value; }
  function withdraw() public {
    (bool done,) = msg.sender.call{value: due[msg.sender]}("");
    require(done);
    due[msg.sender] = 0;
  }
}
"""


def source() -> str:
    """Return the contract `Bugs`."""
    parts = []
    for bug in BUGS:
        flag = f"broken_{bug.name}"
        parts.append(
            bug.solidity.replace("$", f"{bug.name}_").replace("FAIL", f"{flag} = true")
            + f"\nbool {flag};\nfunction echidna_{bug.name}() public view returns"
            + f" (bool) {{ return !{flag}; }}"
        )
    return BANK + "contract Bugs {" + HELPERS + "\n".join(parts) + "}"
