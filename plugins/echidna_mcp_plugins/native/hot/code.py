"""Hot code: machine code of blocks that run often, put in while a campaign runs.

At the beginning of a task the searcher asks whether it is time to compile
(`HotBlocks`). The code is built in a process of its own, or found in the cache of the
user, where another campaign, process or node has put it; some later task puts it into
the streams of its machine. So when that happens depends on the clock, and nothing that
a campaign finds depends on it: compiled blocks do what the handlers that they replace
do. If the compiler fails, a warning is logged and the interpreter goes on.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias, cast

from echidna_mcp.background import begin
from echidna_mcp.errors import EchidnaMcpError
from echidna_mcp.kernel.language.memory import load64
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.mode import Mode
from echidna_mcp.user_cache import user_cache
from echidna_mcp_plugins.native.host.library import native_code
from echidna_mcp_plugins.native.host.world import code_bytes
from echidna_mcp_plugins.native.hot.build import HotObject, HotRequest, build_hot
from echidna_mcp_plugins.native.hot.child import build_elsewhere
from echidna_mcp_plugins.native.hot.mode import HotMode
from echidna_mcp_plugins.native.hot.traces import MOST_TOKENS
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_PROGRAM,
    ACCOUNT_ROW,
    BLOCK_ENTERED,
    BLOCK_ROW,
    BLOCK_START,
    PROGRAM_BLOCK_COUNT,
    PROGRAM_BLOCKS,
    PROGRAM_STREAM,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import Fork

logger = logging.getLogger(__name__)

FIRST_WORK = 50_000_000
"""Work units of searching before anything is looked at: a fraction of a second."""
PATIENCE = 4
"""A quarter more work comes before each further look."""
BLOCK_ENTRIES = 240_000
"""How often a block must be entered until compiled code has saved the processor time
that compiling it has taken: 4 ms, and 17 ns are saved each time; 5 of a small token, 28
of Aave's pool."""
BUILD_ENTRIES = 20_000_000
"""The same for the start of the compiler, which takes 0.4 s, of all blocks together."""
PROSPECT = 4
"""How many times as long as until now a campaign may be expected to go on. Nobody knows
when it ends."""
MOST_PROGRAMS = 32
"""How many programs are compiled at once: a factory may have made thousands."""
_BUILDER = "echidna-mcp-hot-code"
GROWTH = 2
"""At once, a program is compiled again when half as many more of its blocks ran."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """Compiled blocks of a program, in this process.

    Attributes:
        starts: program counters of the blocks.
        patches: index from the beginning of a stream on, and what is to stand there.
    """

    starts: frozenset[int]
    patches: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Before:
    """How often blocks of a program had been entered before they are counted.

    Attributes:
        work: for how many units of work had been searched by then.
        entered: by where they start.
    """

    work: int
    entered: Mapping[int, int]


ProgramKey: TypeAlias = tuple[bytes, Fork]
"""SHA-256 of the code, and the rules by which it was decoded."""
Wanted: TypeAlias = tuple[bytes, Fork, frozenset[int]]
"""Code, the rules, and program counters of its hot blocks."""


class HotCode:
    """The compiled blocks of one process, by program. Any thread may use it."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._building = threading.Lock()
        self._compiled: dict[ProgramKey, Compiled] = {}
        self._busy: set[ProgramKey] = set()
        self._refused: set[ProgramKey] = set()
        self.changes = 0
        """How often something that is compiled was added."""

    def find(self, key: ProgramKey) -> Compiled | None:
        """Return what is compiled of a program."""
        return self._compiled.get(key)

    def may_build(self, key: ProgramKey) -> bool:
        """Whether a program is neither being compiled nor refused."""
        with self._lock:
            return key not in self._busy and key not in self._refused

    def build(
        self,
        code: bytes,
        fork: Fork,
        starts: frozenset[int],
        tokens: int = MOST_TOKENS,
    ) -> None:
        """Compile blocks of a program in this process, and wait for that.

        One at a time, in a thread that does nothing else: those that run tasks neither
        parse nor compile.

        Raises:
            KernelBuildError: LLVM refuses the IR.
        """
        request = self._request(code, fork, starts, tokens)
        with self._building:
            made = begin(lambda: build_hot(request), _BUILDER).result()
        self._add(key_of(code, fork), made)

    def build_later(self, programs: Sequence[Wanted], *, pays: bool) -> None:
        """Have blocks compiled, unless that is being done or has failed.

        Args:
            programs: what to compile of each. One process compiles all: to start one
                takes about as long as to compile a small contract.
            pays: whether to compile; else only what others have compiled is taken, as
                it is of programs without any blocks.
        """
        requests: dict[ProgramKey, HotRequest] = {}
        with self._lock:
            for code, fork, starts in programs:
                key = key_of(code, fork)
                if key not in self._busy and key not in self._refused:
                    self._busy.add(key)
                    requests[key] = self._request(code, fork, starts, MOST_TOKENS)
        if requests:
            threading.Thread(
                target=self._work, args=(requests, pays), name=_BUILDER, daemon=True
            ).start()

    def _work(self, requests: Mapping[ProgramKey, HotRequest], pays: bool) -> None:
        """Load what is kept of programs, and compile the rest if that pays.

        If that fails, each program is worked on by itself, and only those are refused
        that fail again.
        """
        try:
            missing = self._load(requests)
            if missing and pays:
                self._build(missing)
        except (EchidnaMcpError, OSError) as error:
            if len(requests) > 1:
                for key, request in requests.items():
                    self._work({key: request}, pays)
                return
            logger.warning(
                "A contract stays interpreted, because it can't be compiled: %s", error
            )
            with self._lock:
                self._refused.update(requests)
        finally:
            with self._lock:
                self._busy.difference_update(requests)

    def _load(
        self, requests: Mapping[ProgramKey, HotRequest]
    ) -> dict[ProgramKey, HotRequest]:
        """Add what is kept if it is more than is here; return what is to be compiled.

        That is all that is hot of a program, here and wherever it was compiled.
        """
        missing = {}
        for key, request in requests.items():
            found = user_cache().get(request.key(self._library.key))
            wanted = request
            if found is not None:
                kept = cast("HotObject", pickle.loads(found))  # noqa: S301 - ours
                compiled = self._compiled.get(key)
                if compiled is None or len(kept.starts) > len(compiled.starts):
                    self._add(key, kept)
                    continue  # What is still wanted then whoever asks knows.
                starts = {*request.starts, *kept.starts}
                wanted = replace(request, starts=tuple(sorted(starts)))
                if len(starts) == len(kept.starts):
                    continue
            if wanted.starts:
                missing[key] = wanted
        return missing

    def _build(self, requests: Mapping[ProgramKey, HotRequest]) -> None:
        """Compile programs in one process, and keep the code.

        Raises:
            KernelBuildError: it has failed, for one of them at least.
            OSError: no process can be started.
        """
        built = build_elsewhere(list(requests.values()))
        for (key, request), made in zip(requests.items(), built, strict=True):
            user_cache().put(request.key(self._library.key), pickle.dumps(made))
            self._add(key, made)

    def _request(
        self, code: bytes, fork: Fork, starts: frozenset[int], tokens: int
    ) -> HotRequest:
        return HotRequest(
            code=code,
            fork=fork,
            starts=tuple(sorted(starts)),
            tokens=tokens,
            checked=self._library.mode == "checked",
            shared=dict(self._library.shared),
        )

    def _add(self, key: ProgramKey, made: HotObject) -> None:
        addresses = self._library.add_object(
            made.code, [symbol for symbol, _ in made.roots]
        )
        patches = tuple((head, addresses[symbol]) for symbol, head in made.roots)
        with self._lock:
            self._compiled[key] = Compiled(frozenset(made.starts), patches)
            self.changes += 1


def is_enough(done: int, known: int) -> bool:
    """Whether so many compiled blocks of a program will do, of those that are known."""
    return known <= done + done // GROWTH


def key_of(code: bytes, fork: Fork) -> ProgramKey:
    """Return what names a program."""
    return hashlib.sha256(code).digest(), fork


@cache
def hot_code(mode: Mode) -> HotCode:
    """Return the compiled blocks of this process in a mode other than plain Python."""
    library = native_code(mode).library
    assert library is not None
    return HotCode(library)


class HotBlocks:
    """Decides what is compiled for one machine, and puts it in."""

    def __init__(self, machine: Machine, code: HotCode, mode: HotMode) -> None:
        self._m = machine
        self._code = code
        self._mode = mode
        self._wait = FIRST_WORK if mode == "background" else 0
        self._rows: list[int] | None = None
        self._before: dict[int, Before] = {}
        self._forgotten = machine.forgotten
        self._kept_end = 0
        """Where the streams end that are never forgotten."""
        self._work = 0
        self._keys: dict[int, ProgramKey] = {}
        self._ready: list[tuple[int, Compiled]] = []
        self._changes = 0

    def begin(self, work: int, left: int, machines: int) -> None:
        """Between two tasks: compile if it is time, put in what is ready.

        The first task begins in the start state. The accounts of that stay what they
        are, and so do their programs; what sequences add is not looked at.

        Args:
            work: units of work for which this machine has searched.
            left: after how many more of all machines the campaign ends at the latest.
            machines: how many times as much as this one all do together.
        """
        if self._rows is None:
            self._rows = self._kept_programs()
            self._kept_end = self._m.kept_stream_end
            for row in self._rows:
                self._before[row] = Before(work, entered_blocks(self._m, row))
        if self._forgotten != self._m.forgotten:
            self._forgotten = self._m.forgotten
            self._count_anew()
        self._work = work
        if work >= self._wait:
            self._wait = work + work // PATIENCE if self._mode == "background" else 0
            if self._mode == "at-once":
                self._compile_all()
            else:
                self._compile(work, left, machines)
        if self._changes != self._code.changes:
            self._changes = self._code.changes
            self._ready = [
                (row, compiled)
                for row in self._rows or ()
                if (compiled := self._code.find(self._key(row))) is not None
            ]
        for row, compiled in self._ready:
            # Code that was forgotten may not have been decoded again.
            if load64(self._m.programs, row + PROGRAM_STREAM):
                install(self._m, row, compiled)

    def _compile_all(self) -> None:
        """Compile all that was entered, the largest programs first."""
        wanted: list[Wanted] = []
        for row in self._rows or ():
            done = self._done(row)
            starts = done.union(entered_blocks(self._m, row))
            if not is_enough(len(done), len(starts)):
                wanted.append((*self._program(row), starts))
        wanted.sort(key=lambda program: -len(program[2]))
        for program in wanted[:MOST_PROGRAMS]:
            self._code.build(*program)

    def _compile(self, work: int, left: int, machines: int) -> None:
        """Have compiled what pays, and take what others have compiled.

        A block is hot if it alone pays: if it will be entered often enough. A program
        is compiled if that pays for all its blocks, for those as well that are compiled
        already, since it is compiled as a whole.

        Args:
            work, left, machines: see `begin`.
        """
        prospect = min(PROSPECT * work * machines, left)
        found: list[tuple[int, int, Wanted]] = []
        for row in self._rows or ():
            if not self._code.may_build(self._key(row)):
                continue
            done, expected = self._done(row), self._expected(row, work, prospect)
            hot = {
                start: times
                for start, times in expected.items()
                if start not in done and times >= BLOCK_ENTRIES
            }
            gain = sum(hot.values()) - BLOCK_ENTRIES * (len(done) + len(hot))
            starts = done.union(hot) if hot and gain >= 0 else frozenset[int]()
            if starts or (expected and not done):
                wanted = (*self._program(row), starts)
                found.append((gain, sum(expected.values()), wanted))
        found.sort(key=lambda each: each[:2], reverse=True)
        del found[MOST_PROGRAMS:]
        if found:
            gains = sum(gain for gain, _all, wanted in found if wanted[2])
            pays = gains >= BUILD_ENTRIES
            self._code.build_later([wanted for *_order, wanted in found], pays=pays)

    def _expected(self, row: int, work: int, prospect: int) -> dict[int, int]:
        """Return how often blocks of a program will be entered, by start.

        As often, for their work, as since they were counted anew.
        """
        before = self._before[row]
        since = work - before.work
        if since <= 0:
            return {}
        return {
            start: more * prospect // since
            for start, times in entered_blocks(self._m, row).items()
            if (more := times - before.entered.get(start, 0)) > 0
        }

    def _count_anew(self) -> None:
        """Begin again with programs that were forgotten, and are decoded as needed.

        That was in the last task; what it has done before counts as if it had come
        after, which is too little rather than too much.
        """
        m = self._m
        for row in self._rows or ():
            stream = load64(m.programs, row + PROGRAM_STREAM)
            if not stream or stream >= self._kept_end:
                self._before[row] = Before(self._work, {})

    def _done(self, row: int) -> frozenset[int]:
        """Return where the blocks of a program begin that are compiled."""
        compiled = self._code.find(self._key(row))
        return frozenset() if compiled is None else compiled.starts

    def _program(self, row: int) -> tuple[bytes, Fork]:
        return code_bytes(self._m, row), Fork(self._m.fork)

    def _kept_programs(self) -> list[int]:
        """Return rows of programs of the accounts of the start state, ascending."""
        m = self._m
        rows = {
            load64(m.accounts, account + ACCOUNT_PROGRAM)
            for account in range(ACCOUNT_ROW, m.account_end, ACCOUNT_ROW)
        }
        return sorted(row for row in rows if 0 < row < m.kept_program_end)

    def _key(self, row: int) -> ProgramKey:
        key = self._keys.get(row)
        if key is None:
            code = code_bytes(self._m, row)
            key = self._keys[row] = key_of(code, Fork(self._m.fork))
        return key


def install(m: Machine, program: int, compiled: Compiled) -> None:
    """Put compiled blocks into the stream of a program; between messages only."""
    stream = load64(m.programs, program + PROGRAM_STREAM)
    head, address = compiled.patches[0]
    if m.stream[stream + head] != address:
        for head, address in compiled.patches:
            m.stream[stream + head] = address


def entered_blocks(m: Machine, program: int) -> dict[int, int]:
    """Return how often the interpreter has entered blocks of a program, by start."""
    first = load64(m.programs, program + PROGRAM_BLOCKS)
    end = first + load64(m.programs, program + PROGRAM_BLOCK_COUNT) * BLOCK_ROW
    return {
        load64(m.blocks, row + BLOCK_START): times
        for row in range(first, end, BLOCK_ROW)
        if (times := load64(m.blocks, row + BLOCK_ENTERED))
    }
