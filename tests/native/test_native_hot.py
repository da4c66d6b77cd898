"""Compiled blocks do what the interpreter does, and nothing depends on the compiler."""

from __future__ import annotations

import pickle
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from campaigns import small_config, started
from corpus_contracts import corpus_program
from evm_assembler import assemble
from extreme_contracts import CHILD
from hot_backend import HotBackend
from hypothesis import given, settings
from hypothesis import strategies as st
from native_backends import native
from solc import compile_solidity

from echidna_mcp.errors import ConfigError, KernelBuildError
from echidna_mcp.evm.backend import BackendConfig, CallResult, Message, Watch
from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp.kernel.library.mode import Mode
from echidna_mcp.user_cache import ObjectCache
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.host.library import native_code
from echidna_mcp_plugins.native.hot import child as hot_child
from echidna_mcp_plugins.native.hot import code as hot
from echidna_mcp_plugins.native.hot.blocks import read_blocks
from echidna_mcp_plugins.native.hot.build import HotObject, HotRequest, build_hot
from echidna_mcp_plugins.native.hot.code import HotCode, key_of
from echidna_mcp_plugins.native.hot.mode import HOT_VARIABLE, chosen_hot_mode
from echidna_mcp_plugins.native.hot.share import Share
from echidna_mcp_plugins.native.hot.traces import (
    MOST_TOKENS,
    MOST_TOKENS_ALTOGETHER,
    write_roots,
)
from echidna_mcp_plugins.native.state.rules import Fork

pytestmark = pytest.mark.digests

SENDER, TARGET = 0x10000, 0xC0DE
WORD = 2**256
words = st.one_of(
    st.integers(0, WORD - 1),
    st.integers(0, 255).map(lambda bit: 1 << bit),
    st.sampled_from([0, 1, 2**64 - 1, 2**64, 2**128 - 1, 2**128, WORD - 1]),
)


def code_of(*items: str | int | bytes) -> bytes:
    return assemble(*items, 0, "MSTORE", 32, 0, "RETURN")


def run(
    backend: NativeBackend, code: bytes, *arguments: int, gas: int = 1_000_000
) -> CallResult:
    backend.set_account(TARGET, code=code)
    data = b"".join(each.to_bytes(32, "big") for each in arguments)
    message = Message(sender=SENDER, to=TARGET, data=data, gas=gas)
    return backend.call(message, Watch(coverage=True))


@pytest.fixture(scope="module")
def backends() -> tuple[NativeBackend, NativeBackend]:
    return NativeBackend(BackendConfig()), HotBackend(BackendConfig())


# -------------------------------------------------------------------------- blocks


def test_blocks_are_read_back_as_they_are_entered():
    code = assemble("@over JUMPI", 1, "over:", 2, "ADD STOP", "dead: STOP", 5)
    blocks = read_blocks(code, Fork.CANCUN)
    over, dead = sorted(blocks.jumpdests)
    first = blocks.by_start[0]
    assert first.follower is not None
    assert [first.follower.start, over, dead] == sorted(blocks.by_start)[1:]
    assert first.follower.follower is blocks.by_start[over]
    assert blocks.by_start[over].follower is None
    assert [block.number for block in blocks.by_start.values()] == [0, 1, 2, 3]


def test_code_that_may_run_past_its_end_stops_there():
    (block,) = read_blocks(assemble(1, 2, "ADD"), Fork.CANCUN).by_start.values()
    assert block.follower is not None
    assert block.follower.tokens == []


# -------------------------------------------------------------------------- results

DIVISIONS: dict[str, Callable[[int, int], bytes]] = {
    "variable": lambda _x, _y: code_of(
        32,
        "CALLDATALOAD",
        0,
        "CALLDATALOAD DIV",
        32,
        "CALLDATALOAD",
        0,
        "CALLDATALOAD MOD ADD",
    ),
    "by a constant": lambda _x, y: code_of(
        y, 0, "CALLDATALOAD DIV", y, 0, "CALLDATALOAD MOD ADD"
    ),
    "of a product": lambda _x, _y: code_of(
        32, "CALLDATALOAD", 0, "CALLDATALOAD DUP2 DUP2 MUL DIV ADD"
    ),
    "of a product by the other factor": lambda _x, _y: code_of(
        32, "CALLDATALOAD DUP1", 0, "CALLDATALOAD MUL DIV"
    ),
    "of constants": lambda x, y: code_of(y, x, "DIV", y, x, "MOD ADD"),
}


@pytest.mark.parametrize("kind", sorted(DIVISIONS))
@settings(max_examples=25)
@given(x=words, y=words)
def test_division_by_shortcuts_gives_the_same(backends, kind, x, y):
    code = DIVISIONS[kind](x, y)
    interpreted, compiled = (run(each, code, x, y) for each in backends)
    assert interpreted == compiled


@pytest.mark.parametrize("base", [0, 2, 256, WORD - 1])
@pytest.mark.parametrize("exponent", [0, 1, 31, 255, 256, 1 << 200])
@pytest.mark.parametrize("gas", [21_200, 100_000])
def test_powers_of_constants_cost_and_give_the_same(backends, base, exponent, gas):
    code = code_of(exponent, base, "EXP", 0, "CALLDATALOAD DIV")
    interpreted, compiled = (run(each, code, 77, gas=gas) for each in backends)
    assert interpreted == compiled


LOOP = code_of(
    0,
    0,
    "CALLDATALOAD",
    "again: DUP1 ISZERO @done JUMPI",
    1,
    "SWAP1 SUB SWAP1",
    "@back DUP2 @double JUMP",
    "back: SWAP1 POP",
    "@after DUP2 @double JUMP",
    "after: SWAP1 POP SWAP1 @again JUMP",
    "double: DUP1 ADD",
    1,
    "ADD SWAP1 JUMP",
    "done: POP",
)


@pytest.mark.parametrize("turns", [0, 1, 2, 7, 500])
def test_loops_and_internal_functions_give_the_same(backends, turns):
    interpreted, compiled = (run(each, LOOP, turns) for each in backends)
    assert interpreted.status.succeeded
    assert interpreted == compiled


CHAIN = (
    0,
    "CALLDATALOAD @first JUMP",
    "third: DUP1 DUP1 DUP1 ADD ADD POP @fourth JUMP",
    "first:",
    7,
    "MUL",
    "second: DUP1 ADD @third JUMP",
    "fourth: DUP1 ISZERO @over JUMPI",
    "over: DUP1",
    64,
    "MSTORE",
    "fifth: GAS XOR",
)
"""Blocks that follow each other whatever happens, and some that may not."""


@pytest.mark.parametrize("coverage", [False, True])
@pytest.mark.parametrize("code", [code_of(*CHAIN), LOOP], ids=["chain", "loop"])
def test_gas_ends_at_the_same_place(backends, code, coverage):
    succeeded = set()
    for gas in range(21_064, 21_500):
        results = []
        for backend in backends:
            backend.set_account(TARGET, code=code)
            data = (1).to_bytes(32, "big")
            message = Message(sender=SENDER, to=TARGET, data=data, gas=gas)
            results.append(backend.call(message, Watch(coverage=coverage)))
        assert results[0] == results[1]
        succeeded.add(results[0].status.succeeded)
    assert succeeded == {False, True}


@pytest.mark.parametrize("coverage", [False, True])
def test_the_stack_overflows_at_the_same_place(backends, coverage):
    succeeded = set()
    for height in range(1_015, 1_025):
        code = code_of(*["PUSH0"] * height, *CHAIN)
        results = []
        for backend in backends:
            backend.set_account(TARGET, code=code)
            message = Message(sender=SENDER, to=TARGET, data=b"", gas=1_000_000)
            results.append(backend.call(message, Watch(coverage=coverage)))
        assert results[0] == results[1]
        succeeded.add(results[0].status.succeeded)
    assert succeeded == {False, True}


# ------------------------------------------------------------------------ campaigns


def digests(directory: Path, calls: int = 150) -> list[str]:
    """Return the digests of a campaign on the native backend."""
    config = small_config(workers=1, round_budget=4_000, seq_len=40)
    program = corpus_program("Token")
    with started(directory, program, config, backend=native()) as running:
        while running.views.progress.calls < calls:
            running.rounds(1)
        return [
            event.payload["stateDigest"]
            for event in running.events
            if event.type == "RoundCommitted"
        ]


@pytest.fixture
def code(monkeypatch, tmp_path) -> HotCode:
    """Return an empty hot code that searchers use, and that keeps nothing elsewhere."""
    library = native_code("compiled").library
    assert library is not None
    made = HotCode(library)
    monkeypatch.setattr(hot, "hot_code", lambda _mode: made)
    monkeypatch.setattr(hot, "user_cache", partial(ObjectCache, tmp_path / "cache"))
    for limit in ("FIRST_WORK", "BUILD_ENTRIES", "BLOCK_ENTRIES"):
        monkeypatch.setattr(hot, limit, 0)
    return made


def token() -> tuple[bytes, Fork]:
    return corpus_program("Token").main_contract.runtime_code, Fork.OSAKA


def test_a_campaign_whose_blocks_are_compiled_gives_the_same_digests(
    monkeypatch, tmp_path, code
):
    monkeypatch.setenv(HOT_VARIABLE, "off")
    expected = digests(tmp_path / "off")
    assert code.find(key_of(*token())) is None
    monkeypatch.setenv(HOT_VARIABLE, "at-once")
    assert digests(tmp_path / "on") == expected
    assert code.find(key_of(*token())) is not None


BROOD = (
    CHILD
    + """
contract Brood {
    Child[] private children;

    constructor() {
        for (uint256 i = 0; i < 6; i++) children.push(new Child(i));
    }

    function poke() external {
        for (uint256 i = 0; i < children.length; i++) children[i].poke();
    }

    function breed(uint256 number) external {
        new Child(number + 6).poke();
    }

    function echidna_holds() external view returns (bool) {
        return children.length == 6;
    }
}
"""
)


@pytest.mark.solc
def test_of_a_factory_some_contracts_are_compiled_at_once_the_largest_first(
    monkeypatch, tmp_path, code
):
    monkeypatch.setenv(HOT_VARIABLE, "at-once")
    monkeypatch.setattr(hot, "MOST_PROGRAMS", 2)
    program = compile_solidity(BROOD, "Brood")
    runtime = program.main_contract.runtime_code
    config = small_config(workers=1, round_budget=4_000, seq_len=20)
    counts = [0]
    with started(tmp_path, program, config, backend=native()) as running:
        for _ in range(12):
            running.rounds(1)
            # The target's own code may be compiled again as more of it is known.
            counts.append(len(code._compiled))
            assert counts[-1] - counts[-2] <= 2
    assert code.find(key_of(runtime, Fork.OSAKA)) is not None
    assert counts[1] == 1
    # The children of the constructor in the end, and none of those that calls made.
    assert counts[-1] == 7


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_blocks_are_compiled_in_another_process_and_kept(monkeypatch, tmp_path, code):
    monkeypatch.setenv(HOT_VARIABLE, "background")
    digests(tmp_path / "first", calls=100)
    until(lambda: code.find(key_of(*token())))
    assert list((tmp_path / "cache").glob("*.obj"))
    # What is there now is used, and no compiler is needed for what is kept.
    monkeypatch.setattr(hot_child, "COMMAND", (sys.executable, "-c", "1 / 0"))
    monkeypatch.setenv(HOT_VARIABLE, "off")
    expected = digests(tmp_path / "off")
    monkeypatch.setenv(HOT_VARIABLE, "background")
    assert digests(tmp_path / "second") == expected


def test_a_compiler_that_aborts_is_told_and_the_campaign_goes_on(
    monkeypatch, tmp_path, code, caplog
):
    abort = "import os, sys; sys.stderr.write('Assertion failed'); os.abort()"
    monkeypatch.setattr(hot_child, "COMMAND", (sys.executable, "-c", abort))
    monkeypatch.setenv(HOT_VARIABLE, "off")
    expected = digests(tmp_path / "off")
    monkeypatch.setenv(HOT_VARIABLE, "background")
    assert digests(tmp_path / "on") == expected

    def told() -> list[str]:
        # A compiler of an earlier test may end only now.
        texts = [record.getMessage() for record in caplog.records]
        return [text for text in texts if "Assertion failed" in text]

    until(told)
    (text,) = told()
    assert "stays interpreted" in text
    # It is not tried again.
    code.build_later([(*token(), frozenset({0}))], pays=True)
    time.sleep(0.3)
    assert len(told()) == 1


def test_what_can_not_pay_for_itself_is_not_compiled(monkeypatch, tmp_path, code):
    asked: list[bool] = []
    monkeypatch.setattr(code, "build_later", lambda _, *, pays: asked.append(pays))
    monkeypatch.setenv(HOT_VARIABLE, "background")
    monkeypatch.setattr(hot, "BUILD_ENTRIES", 1)
    monkeypatch.setattr(hot, "BLOCK_ENTRIES", 1_000_000)
    digests(tmp_path / "short", calls=1_500)
    assert asked
    assert not any(asked)
    monkeypatch.setattr(hot, "BLOCK_ENTRIES", 1)
    digests(tmp_path / "long", calls=1_500)
    assert any(asked)


def test_a_machine_that_gets_every_second_task_does_half_of_the_campaign():
    share = Share(workers=4)
    for round_ in range(5, 25):
        for _ in range(2):
            share.count(round_)
    assert share.machines == 2


def test_a_machine_that_gets_every_task_does_the_campaign_alone():
    share = Share(workers=4)
    for round_ in range(1, 20):
        for _ in range(4):
            share.count(round_)
    assert share.machines == 1


def test_of_programs_that_are_compiled_together_one_may_fail(monkeypatch, code, caplog):
    bad = assemble("STOP")

    def build(requests: list[HotRequest]) -> list[HotObject]:
        if any(request.code == bad for request in requests):
            raise KernelBuildError("LLVM aborts.")
        return [build_hot(request) for request in requests]

    monkeypatch.setattr(hot, "build_elsewhere", build)
    start = frozenset({0})
    code.build_later([(bad, Fork.OSAKA, start), (*token(), start)], pays=True)
    until(lambda: code.find(key_of(*token())))
    until(lambda: "LLVM aborts." in caplog.text)
    assert code.find(key_of(bad, Fork.OSAKA)) is None


def blocks_of(code: bytes, fork: Fork) -> list[int]:
    return sorted(read_blocks(code, fork).by_start)


def test_what_others_have_compiled_is_taken_even_if_compiling_would_not_pay(
    monkeypatch, tmp_path, code
):
    program, fork = token()
    starts = blocks_of(program, fork)[:12]
    code.build_later([(program, fork, frozenset(starts))], pays=False)
    until(lambda: not code._busy)
    assert code.find(key_of(program, fork)) is None
    code.build_later([(program, fork, frozenset(starts))], pays=True)
    until(lambda: code.find(key_of(program, fork)))
    other = HotCode(code._library)
    near = frozenset(blocks_of(program, fork)[1:14])
    monkeypatch.setattr(hot_child, "COMMAND", (sys.executable, "-c", "1 / 0"))
    other.build_later([(program, fork, near)], pays=True)
    until(lambda: other.find(key_of(program, fork)))
    assert other.find(key_of(program, fork)).starts == frozenset(starts)


def test_where_more_is_hot_than_others_have_compiled_all_is_compiled(tmp_path, code):
    program, fork = token()
    every = blocks_of(program, fork)
    code.build_later([(program, fork, frozenset(every[:6]))], pays=True)
    until(lambda: code.find(key_of(program, fork)))
    other = HotCode(code._library)
    # What is kept is taken at first; what pays beside that is another question.
    for expected in (every[:6], every[:20]):
        other.build_later([(program, fork, frozenset(every[4:20]))], pays=True)
        until(lambda: not other._busy)
        assert other.find(key_of(program, fork)).starts == frozenset(expected)
    late = HotCode(code._library)
    late.build_later([(program, fork, frozenset(every[:2]))], pays=False)
    until(lambda: late.find(key_of(program, fork)))
    assert late.find(key_of(program, fork)).starts == frozenset(every[:20])


def test_kept_code_that_can_not_be_linked_is_told(code, caplog):
    program, fork = token()
    starts = frozenset({0})
    name = code._request(program, fork, starts, MOST_TOKENS).key(code._library.key)
    kept = HotObject(starts=(0,), code=b"no object file", roots=(("root", 0),))
    hot.user_cache().put(name, pickle.dumps(kept))
    code.build_later([(program, fork, starts)], pays=True)
    until(lambda: "stays interpreted" in caplog.text)
    assert code.find(key_of(program, fork)) is None


def test_the_compiling_process_ends_with_its_parent():
    with Popen(hot_child.COMMAND, stdin=PIPE, stdout=PIPE, stderr=PIPE) as child:
        assert child.stdin
        child.stdin.close()
        assert child.wait(300) != 0


def test_a_compiler_that_is_gone_before_it_is_asked_is_an_error(monkeypatch):
    class LateTimer(threading.Timer):
        """Starts when the child, which begins meanwhile, has ended."""

        def start(self):
            time.sleep(0.5)
            super().start()

    command = (sys.executable, "-S", "-c", "import sys; sys.exit('gone')")
    monkeypatch.setattr(hot_child, "COMMAND", command)
    monkeypatch.setattr(hot_child.threading, "Timer", LateTimer)
    request = HotRequest(assemble("STOP"), Fork.CANCUN, (0,), MOST_TOKENS, False, {})
    with pytest.raises(KernelBuildError, match="status 1: gone"):
        hot_child.build_elsewhere([request])


def test_code_that_llvm_refuses_is_an_error(monkeypatch):
    monkeypatch.setattr(hot_child, "COMMAND", (sys.executable, "-c", "1 / 0"))
    request = HotRequest(assemble("STOP"), Fork.CANCUN, (0,), MOST_TOKENS, False, {})
    with pytest.raises(KernelBuildError, match="ZeroDivisionError"):
        hot_child.build_elsewhere([request])


@pytest.mark.parametrize("mode", ["compiled", "checked"])
def test_the_same_request_gives_the_same_code(mode: Mode):
    library = native_code(mode).library
    assert library is not None
    request = HotRequest(
        LOOP, Fork.CANCUN, (0,), MOST_TOKENS, mode == "checked", dict(library.shared)
    )
    assert build_hot(request) == build_hot(request)
    assert request.key("a") == request.key("a") != request.key("b")


def test_an_unknown_mode_is_refused(monkeypatch):
    monkeypatch.setenv(HOT_VARIABLE, "sometimes")
    with pytest.raises(ConfigError, match="at-once"):
        chosen_hot_mode()


def test_code_with_countless_paths_is_compiled_within_bounds():
    """Each block may go to any other one, so trees alone would have no end."""
    count = 600
    jumps = [
        part
        for i in range(count)
        for part in (f"l{i}:", i, f"CALLDATALOAD @l{i * 7 % count} JUMPI")
    ]
    blocks = read_blocks(assemble(*jumps, "STOP"), Fork.CANCUN)
    library = native_code("compiled").library
    assert library is not None
    unit = Unit(beside=library.shared)
    roots = write_roots(unit, blocks, frozenset(blocks.by_start), MOST_TOKENS)
    tokens = sum(len(block.tokens) + 1 for block in blocks.by_start.values())
    assert len(roots) >= count
    passed = unit.render().count("add i64 %v") // 2
    assert passed < 2 * (MOST_TOKENS_ALTOGETHER + tokens)
