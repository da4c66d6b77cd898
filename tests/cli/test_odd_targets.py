"""Contracts of unusual shape are fuzzed like any other, and replay."""

from __future__ import annotations

import json

import pytest
from command_line import HOLDS, SMALL, artifact, function, invoke, parameter

FALLBACK = {"type": "fallback", "stateMutability": "payable"}
RECEIVE = {"type": "receive", "stateMutability": "payable"}


def nested(depth: int) -> dict[str, object]:
    """Return a parameter of structs in arrays in structs."""
    if depth == 0:
        return parameter("bytes[2]")
    members = [parameter("string"), nested(depth - 1), parameter("int8[][3]")]
    return parameter("tuple[]" if depth % 2 else "tuple", members)


SHAPES = {
    "only fallback": [FALLBACK],
    "only receive": [RECEIVE],
    "fallback and receive": [FALLBACK, RECEIVE],
    "deeply nested structs": [function("deep", [nested(6)])],
    "a large parameter": [function("large", [parameter("uint256[100]")])],
    "every parameter at once": [
        function(
            "many",
            [
                *(parameter(f"uint{bits}") for bits in range(8, 257, 8)),
                *(parameter(f"bytes{size}") for size in range(1, 33)),
                *(parameter(kind) for kind in ("bytes", "string", "address", "bool")),
            ],
        )
    ],
    "300 functions": [
        function(f"f{number}", [parameter("uint256")]) for number in range(300)
    ],
    "overloads": [
        function("f", [parameter(f"uint{bits}")]) for bits in range(8, 257, 8)
    ],
    "a library-like name": [function("_"), function("a$b")],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_fuzzed_and_replays(here, shape):
    artifact(here / "C.json", [*SHAPES[shape], HOLDS])
    words = ("run", "C.json", "--seed", 5, "--corpus-dir", "s", *SMALL)
    done = invoke(*words, "--format", "json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["calls"] >= 40
    replayed = invoke("replay", "s", "--executor", "inline")
    assert (replayed.code, replayed.err) == (0, "")


@pytest.mark.parametrize(
    ("entry", "hint"),
    [
        ("Good.pok(uint256)", "did you mean Good.poke(uint256)?"),
        ("poke", "they are written as in Good."),
        ("Other.nothing()", "is no function of Good; they are written as in Good."),
    ],
)
def test_a_filter_that_names_nothing_is_told(here, target, entry, hint):
    (here / "c.yaml").write_text(f"filterFunctions: ['{entry}']\n")
    done = invoke("run", target, "--config", "c.yaml", "--seed", 1, *SMALL)
    assert done.code == 0
    (warning,) = [x for x in done.err.splitlines() if x.startswith("Warning: ")]
    assert warning.startswith(f"Warning: filterFunctions: {entry} is no function of")
    assert hint in warning


def test_a_filter_that_names_a_function_is_not(here, target):
    (here / "c.yaml").write_text("filterFunctions: ['Good.echidna_holds()']\n")
    done = invoke("run", target, "--config", "c.yaml", "--seed", 1, *SMALL)
    assert "Warning" not in done.err
