"""Random programs to deploy: libraries in chains, immutables, arguments, factories.

Every contract notes in its storage what its constructor saw, so that equal storage
means equal arguments, libraries, children and addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

HEADER = """
struct Pair { uint128 left; address right; }
struct Deep { Pair[] pairs; string note; bytes2[3] marks; }
contract Child {
    uint public immutable number; address public immutable parent; uint public kept;
    constructor(uint n) payable { number = n; parent = msg.sender; kept = ~n; }
}
contract Logic {
    uint public first; mapping(uint => uint) public more;
    function set(uint x) external { first = x; more[x] = x + 1; }
}
contract Proxy {
    address public immutable logic;
    constructor(address to, bytes memory data) {
        logic = to;
        (bool good, ) = to.delegatecall(data);
        require(good, "setting up failed");
    }
    fallback() external payable { (bool good, ) = logic.delegatecall(msg.data); good; }
}
"""
TYPES: dict[str, tuple[str, tuple[Any, ...]]] = {
    "uint8": ("uint8", (0, 255)),
    "int256": ("int256", (-1, -(2**255), 2**255 - 1)),
    "address": ("address", ("0x" + "12" * 20,)),
    "bool": ("bool", (True, False)),
    "bytes5": ("bytes5", ("0x0102030405",)),
    "bytes": ("bytes memory", ("0x", "0x" + "ab" * 70)),
    "string": ("string memory", ("", "a, (b) [c] \"d\" 'e' é")),
    "uint256[]": ("uint256[] memory", ([], [1, 2, 2**256 - 1])),
    "bool[2][]": ("bool[2][] memory", ([[True, False]],)),
    "Pair": ("Pair memory", ({"left": 7, "right": "0x" + "34" * 20},)),
    "Deep": (
        "Deep memory",
        (
            {
                "pairs": [{"left": "1e18", "right": "DeployedContract:Logic"}],
                "note": "deep",
                "marks": ["0x0001", "0x0203", "0x0405"],
            },
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Deployable:
    """A contract, and what its constructor is given."""

    name: str
    source: str
    arguments: dict[str, Any]


def random_deployable(seed: int) -> Deployable:
    """Return a contract `Main<seed>` with libraries of its own."""
    random = Random(seed)
    name = f"Main{seed}"
    libraries = random.randrange(4)
    lines = [_library(random, seed, number) for number in range(libraries)]
    kinds = random.sample(sorted(TYPES), random.randrange(4))
    arguments = {f"a{n}": random.choice(TYPES[kind][1]) for n, kind in enumerate(kinds)}
    parameters = ", ".join(f"{TYPES[kind][0]} a{n}" for n, kind in enumerate(kinds))
    body = [f"seen[{n}] = keccak256(abi.encode(a{n}));" for n in range(len(kinds))]
    body += [
        f"seen[{20 + number}] = bytes32(L{seed}_{number}.f({number} + 3));"
        for number in range(libraries)
    ]
    steps = {
        "child": "made = address(new Child(5));",
        "salted": "salted = address(new Child{salt: bytes32(uint(9))}(6));",
        "proxy": (
            "Logic logic = new Logic(); made = address(new Proxy(address(logic), "
            "abi.encodeCall(Logic.set, (77))));"
        ),
        "clone": "clone(address(this));",
        "paid": "seen[40] = bytes32(address(this).balance);",
        "chain": "seen[41] = bytes32(block.chainid ^ uint160(msg.sender));",
    }
    body += [steps[step] for step in random.sample(sorted(steps), random.randrange(5))]
    lines.append(
        f"""contract {name} {{
    uint public immutable fixedNumber; address public immutable self;
    mapping(uint => bytes32) seen; address made; address salted; address cloned;
    constructor({parameters}) payable {{
        fixedNumber = {random.randrange(2**64)}; self = address(this);
        {" ".join(body)}
    }}
    function clone(address of_) internal {{
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", of_,
            hex"5af43d82803e903d91602b57fd5bf3");
        address at; assembly {{ at := create(0, add(code, 32), mload(code)) }}
        require(at != address(0)); cloned = at;
    }}
    function poke() external {{ made = address(0); }}
}}"""
    )
    return Deployable(name, "\n".join(lines), arguments)


def _library(random: Random, seed: int, number: int) -> str:
    below = [n for n in range(number) if random.random() < 0.6]
    terms = " + ".join(["x * 3 + 1", *(f"L{seed}_{n}.f(x)" for n in below)])
    return (
        f"library L{seed}_{number} {{ "
        f"function f(uint x) public pure returns (uint) {{ return {terms}; }} }}"
    )
