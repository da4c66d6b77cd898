"""Seeded bugs on a real EVM: sequences run and judged, shrunk, and looked around.

`simpler` is the independent checker's list of variants. It knows nothing of
`echidna_mcp.fuzz`: it works on Python values by types of the ABI.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from math import gcd
from typing import Any, Final

from campaigns import small_config
from fuzz_support import sequence_measure
from native_backends import named
from seeded_bugs import SENDERS, Bug, Step, call, source
from solc import compile_solidity

from echidna_mcp.abi.encoding import decode_call, encode_call
from echidna_mcp.abi.types import Array, Elementary, Tuple
from echidna_mcp.fuzz.records import call_length
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.call_codec import Call, join, split
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.running import Runner
from echidna_mcp.rounds.shrinking import shrink
from echidna_mcp.rounds.tasks import RoundTask, ShrinkTask

NOISE: Final = 4
"""Calls that do not matter, around those that were found."""


@dataclass(frozen=True, slots=True)
class Lab:
    """A deployed contract with all bugs."""

    replica: Replica
    runner: Runner

    def encode(self, bug: Bug, steps: Sequence[Step]) -> bytes:
        """Return a sequence as campaigns have it."""
        return join(self._call(bug, step) for step in steps)

    def _call(self, bug: Bug, step: Step) -> Call:
        name = step.name if step.name == "noise" else f"{bug.name}_{step.name}"
        functions = self.replica.target.functions
        (number,) = (n for n, each in enumerate(functions) if each.name == name)
        return Call(
            function=number,
            sender=SENDERS[step.sender],
            value=step.value,
            time_delay=step.wait[0],
            block_delay=step.wait[1],
            tape=self.replica.codec.tape(
                number, encode_call(functions[number], step.args)
            ),
        )

    def decode(self, bug: Bug, sequence: bytes) -> tuple[Step, ...]:
        """Return what `encode` was given."""
        functions = self.replica.target.functions
        return tuple(
            Step(
                name=functions[each.function].name.removeprefix(f"{bug.name}_"),
                args=decode_call(
                    functions[each.function], self.replica.codec.calldata(each)
                ),
                sender=SENDERS.index(each.sender),
                value=each.value,
                wait=(each.time_delay, each.block_delay),
            )
            for each in split(sequence)
        )

    def inputs(self, bug: Bug, step: Step) -> Tuple:
        """Return the types of the arguments of a step."""
        return self.replica.target.functions[self._call(bug, step).function].inputs

    def test(self, bug: Bug) -> int:
        """Return the number of the property of a bug."""
        names = [each.name for each in self.replica.target.tests]
        return names.index(f"echidna_{bug.name}")

    def fails(self, bug: Bug, sequence: bytes) -> bool:
        """Whether a sequence shows the bug."""
        memory = bytearray(sequence)
        self.runner.begin()
        last, at = None, 0
        while at < len(memory):
            message = self.runner.aim(memory, at)
            assert message is not None
            last = self.runner.call(message)
            at += call_length(memory, at)
        test = self.replica.target.tests[self.test(bug)]
        return self.runner.verdict(test, last) is not None

    def measure(self, sequence: bytes) -> tuple[int, int, int, int]:
        """Return how simple a sequence is; see `fuzz_support.sequence_measure`."""
        tables = self.replica.tables(RoundTask(round=1, worker=0, budget=0))
        return sequence_measure(tables, bytearray(sequence), len(sequence))

    def shrunk(self, bug: Bug, sequence: bytes) -> tuple[bytes, int]:
        """Shrink as campaigns do; return the result, and after how many attempts."""
        tables = self.replica.tables(RoundTask(round=1, worker=0, budget=0))
        task = ShrinkTask(
            test=self.test(bug), sequence=sequence, cursor=0, improved=False, attempts=0
        )
        progress, _ = shrink(self.replica, self.runner, tables, task, 10**12)
        assert progress.done
        return progress.sequence, progress.attempts


@cache
def lab(backend: str, *, coupled: bool = True) -> Lab:
    """Deploy all bugs on a backend; see `native_backends.named`."""
    program = compile_solidity(source(), "Bugs", solc_args="--optimize")
    config = small_config(coupled_shrinking=coupled)
    replica = Replica(WorkerSetup(build_target(program, config), named(backend)))
    return Lab(replica, Runner(replica))


def littered(bug: Bug) -> list[Step]:
    """Return what was found among calls, senders and delays that do not matter."""
    rng = random.Random(bug.name)
    steps = list(bug.found)
    if not bug.settled:
        steps = [
            replace(step, sender=2, wait=(rng.randrange(99_999), rng.randrange(9)))
            for step in steps
        ]
    for _ in range(NOISE):
        # Nothing after the last one, and no delay: what was found may need its own.
        noise = call("noise", rng.getrandbits(256), rng.randbytes(40), sender=1)
        steps.insert(rng.randrange(len(steps)), replace(noise, value=rng.randrange(99)))
    return steps


# ------------------------------------------------------------------- simpler variants


def simpler(steps: Sequence[Step], types: Sequence[Tuple]) -> Iterator[list[Step]]:
    """Yield all variants one simplification away, and those of two things at once."""
    for count in (1, 2):
        for gone in combinations(range(len(steps)), count):
            if count < len(steps):
                yield [s for n, s in enumerate(steps) if n not in gone]
                yield without(steps, gone)
    places = list(places_of(steps, types))
    for place in places:
        for value in place.simpler():
            yield changed(steps, [(place, value)])
    for one, other in combinations(places, 2):
        for left, right in one.together(other):
            yield changed(steps, [(one, left), (other, right)])


def without(steps: Sequence[Step], gone: Sequence[int]) -> list[Step]:
    """Return the steps without some; those that follow wait for them as well."""
    kept, seconds, blocks = [], 0, 0
    for number, step in enumerate(steps):
        seconds, blocks = seconds + step.wait[0], blocks + step.wait[1]
        if number not in gone:
            kept.append(replace(step, wait=(seconds, blocks)))
            seconds = blocks = 0
    return kept


@dataclass(frozen=True, slots=True)
class Place:
    """A value in a sequence that can become simpler.

    Attributes:
        step: number of the step.
        path: `value`, `sender`, `wait` and an index, or indices into the arguments.
        now: what stands there.
        kind: `number`, `bool`, `rank`, `address`, `fixed`, `bytes` or `array`.
    """

    step: int
    path: tuple[Any, ...]
    now: Any
    kind: str

    def simpler(self) -> list[Any]:
        """Return simpler values."""
        now = self.now
        match self.kind:
            case "number":
                sizes = lower(abs(now))
                # The least number of a type has no positive one.
                positive = [-now] if now < 0 and -now & (-now - 1) else []
                return [*(-x if now < 0 else x for x in sizes), *positive]
            case "bool" | "rank":
                return [type(now)(each) for each in range(now)]
            case "address":
                rank = SENDERS.index(now) if now in SENDERS else len(SENDERS)
                return [0, *SENDERS[:rank]] if now else []
            case "fixed":
                return [
                    now[:n] + b"\0" + now[n + 1 :] for n, x in enumerate(now) if x
                ] + ([bytes(len(now))] if any(now) else [])
            case _:
                zeros = (
                    []
                    if self.kind == "array"
                    else [
                        now[:n] + b"\0" + now[n + 1 :] for n, x in enumerate(now) if x
                    ]
                )
                return self.cuts() + zeros

    def cuts(self) -> list[Any]:
        """Return a run without one of its elements, each in turn."""
        return [self.now[:n] + self.now[n + 1 :] for n in range(len(self.now))]

    def together(self, other: Place) -> Iterator[tuple[Any, Any]]:
        """Yield simpler values of two places at once."""
        a, b = self.now, other.now
        runs = ("array", "bytes")
        if self.kind == other.kind == "number" and a and b:
            for x, y in lower_pair(abs(a), abs(b)):
                yield (-x if a < 0 else x), (-y if b < 0 else y)
        elif self.kind in runs and other.kind in runs and len(a) == len(b):
            yield from zip(self.cuts(), other.cuts(), strict=True)
        elif self.kind in runs and b == len(a) and a and other.kind == "number":
            yield from ((cut, b - 1) for cut in self.cuts())
        elif other.kind in runs and a == len(b) and b and self.kind == "number":
            yield from ((a - 1, cut) for cut in other.cuts())
        elif self.kind == other.kind and a == b:
            yield from ((x, x) for x in self.simpler())
        elif {self.kind, other.kind} == {"rank", "address"}:
            rank, name = (a, b) if self.kind == "rank" else (b, a)
            if name == SENDERS[rank]:
                for less in range(rank):
                    pair = (less, SENDERS[less])
                    yield pair if self.kind == "rank" else pair[::-1]


def lower(size: int) -> list[int]:
    """Return numbers below one: small, a little less, parts, low and cleared bits."""
    found = {*range(min(size, 40)), *(size - n for n in (1, 2, 3, 10, 100))}
    found |= {size >> n for n in range(1, size.bit_length())}
    found |= {size % n for n in (*range(2, 130), 1_000, 10_000, DAY, 10**6, 10**18)}
    found |= {size & ((1 << n) - 1) for n in range(size.bit_length())}
    found |= {size & ~(1 << n) for n in range(size.bit_length())}
    return sorted(each for each in found if 0 <= each < size)


DAY: Final = 86_400


def lower_pair(a: int, b: int) -> list[tuple[int, int]]:
    """Return pairs below two numbers: less the same, divided, made equal."""
    low, common = min(a, b), gcd(a, b)
    found = {(a - n, b - n) for n in (1, 2, 3, low, low - 1, low // 2)}
    found |= {(a // n, b // n) for n in (2, 10, common)}
    found |= {(n, n) for n in (0, 1, 2, low)}
    return sorted(
        (x, y) for x, y in found if 0 <= x <= a and 0 <= y <= b and (x, y) != (a, b)
    )


def places_of(steps: Sequence[Step], types: Sequence[Tuple]) -> Iterator[Place]:
    """Yield what can become simpler."""
    for number, (step, inputs) in enumerate(zip(steps, types, strict=True)):
        yield Place(number, ("value",), step.value, "number")
        yield Place(number, ("sender",), step.sender, "rank")
        yield from (
            Place(number, ("wait", n), each, "number")
            for n, each in enumerate(step.wait)
        )
        yield from _values(number, (), inputs, step.args)


def _values(step: int, path: tuple[int, ...], kind: Any, now: Any) -> Iterator[Place]:
    match kind:
        case Tuple(members):
            for n, (member, each) in enumerate(zip(members, now, strict=True)):
                yield from _values(step, (*path, n), member, each)
        case Array(element, length):
            if length is None:
                yield Place(step, path, now, "array")
            for n, each in enumerate(now):
                yield from _values(step, (*path, n), element, each)
        case Elementary():
            yield Place(step, path, now, _kind_of(now, kind))


def _kind_of(now: Any, kind: Elementary) -> str:
    if isinstance(now, bool):
        return "bool"
    if isinstance(now, bytes):
        return "fixed" if kind.size else "bytes"
    return "address" if kind.name == "address" else "number"


def changed(steps: Sequence[Step], changes: Sequence[tuple[Place, Any]]) -> list[Step]:
    """Return the steps with other values in some places, the inner ones first."""
    result = list(steps)
    for place, value in sorted(changes, key=lambda each: -len(each[0].path)):
        step = result[place.step]
        match place.path:
            case ("value",):
                result[place.step] = replace(step, value=value)
            case ("sender",):
                result[place.step] = replace(step, sender=value)
            case ("wait", n):
                wait = (value, step.wait[1]) if n == 0 else (step.wait[0], value)
                result[place.step] = replace(step, wait=wait)
            case path:
                result[place.step] = replace(step, args=_put(step.args, path, value))
    return result


def _put(values: tuple[Any, ...], path: tuple[int, ...], value: Any) -> Any:
    if not path:
        return value
    if path[0] >= len(values):  # The other change has cut it off.
        return values
    inner = _put(values[path[0]], path[1:], value)
    return (*values[: path[0]], inner, *values[path[0] + 1 :])
