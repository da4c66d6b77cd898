"""A whole campaign on a simulated machine: one seed, one story.

The campaign process, its executor, the confirmation, the server's link and hot code
are the real ones; threads, processes, pipes, disk and accidents are the seed's. What a
campaign decides must be what an undisturbed one decides, whatever happens to it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from campaigns import small_config
from delegated_backend import delegated
from native_backends import native
from schedule import Schedule, SimLock, SimQueue, StuckError, replaced
from simulated_machine import SimDisk, SimPipe, SimProcess, SimProcesses, wait_for
from simulated_target import everything

from echidna_mcp.campaign import fresh
from echidna_mcp.campaign.reliable import ReliableExecutor
from echidna_mcp.campaign.replay import Recording, read_recording, replay
from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.demo import load_demo
from echidna_mcp.errors import ReplayDivergedError, StoreError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.kernel.compiler import source
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.model import Program
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.tasks import RoundResult, TaskFailure
from echidna_mcp.server import campaign_process
from echidna_mcp.server.campaign_messages import (
    Accepted,
    CampaignSpec,
    Crashed,
    Refused,
    RequestStop,
    SubmitCommand,
)
from echidna_mcp.user_cache import ObjectCache
from echidna_mcp_plugins.executors import processes, threads
from echidna_mcp_plugins.native.hot import code as hot
from echidna_mcp_plugins.native.hot.build import HotObject, HotRequest, build_hot
from echidna_mcp_plugins.native.hot.mode import HOT_VARIABLE
from echidna_mcp_plugins.py_evm import PY_EVM

WATCHED = (
    *("core/echidna_mcp/campaign/", "echidna_mcp/server/campaign_process.py"),
    *(
        "echidna_mcp/events/store.py",
        "plugins/executors/",
        "echidna_mcp_plugins/py_evm/",
    ),
    *("native/hot/code.py", "native/searcher.py", "native/precompiles/host.py"),
    *("echidna_mcp_plugins/precompiles/", "simulated_faults", "<frozen importlib"),
)
"""Files at whose lines a thread may lose the processor."""

TASK_FILES = ("round.py", "running.py", "recorder.py", "judge.py", "searcher.py")
"""Files in whose midst an accident may happen to a task."""

COMMANDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("inject_transaction", {"sequence": ["deposit()", "deposit()"]}),
    ("prioritize_function", {"functionSignature": "deposit"}),
    ("clear_priorities", {}),
)


SMALL = small_config(workers=4, seq_len=12, round_budget=30_000, test_limit=600)
"""A campaign of four rounds."""
FINDING = small_config(
    seed=5, workers=8, seq_len=100, round_budget=30_000, test_limit=2_400
)
"""A campaign that finds the demo's bug, has it confirmed, and shrinks it."""
STRANGE = small_config(
    workers=3, seq_len=20, round_budget=200_000, test_limit=500, shrink_limit=10
)
"""A campaign that finds and shrinks that everything can be done."""


STRANGE_EVERY = 3
"""One of so many seeds has the strange target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What a seed makes happen.

    Attributes:
        accidents: how many tasks fail for no reason of theirs.
        deaths: how often the power is lost.
        commands: how many commands the agent gives.
        stops: whether the time limit comes before the end.
        is_strange: whether the target is `simulated_target`, not the demo.
    """

    executor: str
    hot: str
    accidents: int
    deaths: int
    commands: int
    stops: bool
    config: CampaignConfig
    is_strange: bool = False

    @property
    def program(self) -> Program:
        return everything() if self.is_strange else load_demo()

    @property
    def backend(self) -> BackendPlugin:
        return delegated(native()) if self.is_strange else native()

    @classmethod
    def of(cls, now: Schedule) -> Story:
        """Return the story of a seed."""
        chance = now.random
        executor = chance.choice(["inline", "threads:2", "threads:2", "threads:3"])
        if chance.randrange(5) == 0:
            executor = "processes:2"
        is_strange = now.seed % STRANGE_EVERY == 0
        config = SMALL if chance.randrange(8) else FINDING
        return cls(
            executor=executor,
            hot=chance.choice(["off", "off", "background", "background", "at-once"]),
            accidents=chance.choice([0, 0, 1, 2]),
            deaths=chance.choice([0, 0, 0, 1, 2]),
            commands=chance.choice([0, 0, 1, 3]),
            stops=chance.randrange(5) == 0,
            config=STRANGE if is_strange else config,
            is_strange=is_strange,
        )


@dataclass(slots=True)
class Outcome:
    """What a simulation ended with.

    Attributes:
        problems: what must not be; empty if all is well.
        digests: state digest after each round.
        log: who ran when, as a number: equal for equal seeds.
    """

    story: Story
    problems: list[str] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    log: int = 0
    steps: int = 0
    accidents: int = 0
    deaths: int = 0
    commands: int = 0


class Simulation:
    """One seed.

    Args:
        seed: decides everything.
        backend: what tasks run on; the undisturbed campaign runs on the story's.
        changes: what else is to be replaced in the product: (object, name, value).
        imports: whether an import by a thread that runs tasks is a problem.
        story: members of `Story` that are to be so, whatever the seed says.
    """

    def __init__(
        self,
        seed: int,
        *,
        backend: BackendPlugin | None = None,
        changes: tuple[tuple[Any, str, Any], ...] = (),
        imports: bool = True,
        **story: Any,
    ) -> None:
        self.now = Schedule(seed, WATCHED)
        made = Story.of(self.now)
        self.story = replace(made, **story)
        self.outcome = Outcome(self.story)
        self._backend = backend or self.story.backend
        self._changes = changes
        self._imports = imports
        self._disk = SimDisk(self.now)
        self._machine = SimProcesses(self.now)
        self._left = self.story.accidents
        self._left_fresh = int(self.now.random.randrange(4) == 0)
        self._crashes = 0
        self._deaths = sorted(
            self.now.random.randrange(200, 20_000) for _ in range(self.story.deaths)
        )
        self._store: Path
        self._copies = 0
        self._accepted: list[tuple[Accepted, SubmitCommand]] = []
        self._running = False
        self._sent: dict[str, SubmitCommand] = {}

    def run(self) -> Outcome:
        """Run it, compare it with an undisturbed campaign."""
        outcome = self.outcome
        with tempfile.TemporaryDirectory() as scratch, self._installed():
            self._store = store_path(Path(scratch, "0"))
            self._store.parent.mkdir()
            self.now.on_line = self._on_line
            self.now.on_step = self._on_step
            try:
                self.now.run(self._serve)
                self._judge()
            except StuckError as error:
                outcome.problems.append(str(error))
        outcome.log = hash(tuple(map(_number, self.now.log)))
        outcome.steps = self.now.steps
        gc.collect()  # EVMs reserve much address space.
        return outcome

    # ---------------------------------------------------------------- the server

    def _serve(self) -> None:
        """Be the server: start the campaign, and again until it has ended."""
        threading.current_thread().name = "server"
        for _ in range(12):
            if self._campaign():
                return
        self.outcome.problems.append("the campaign does not end")

    def _campaign(self) -> bool:
        """Run the campaign process until it is gone; return whether it had ended."""
        known = _last(self._store) is not None
        spec = CampaignSpec(
            store=self._store,
            plugins="default",
            backend="native",
            executor=self.story.executor,
            keep_going=True,
            resume=known,
            program=None if known else self.story.program,
            config=None if known else self.story.config,
        )
        ours, theirs = SimPipe.pair(self.now)
        process = self._machine.Process(
            target=campaign_process.campaign_main, args=(theirs,), name="campaign"
        )
        self._running = True
        process.start()
        ours.send(spec)
        agent = threading.Thread(target=self._command, args=(ours,), name="agent")
        agent.start()
        while True:
            try:
                message = ours.recv()
            except EOFError:
                break
            match message:
                case Accepted(key):
                    self._accepted.append((message, self._sent[key]))
                case Refused(None, text):
                    self.outcome.problems.append(f"refused: {text}")
                case Crashed(text) if self._crashes:
                    self._crashes -= 1  # The second attempt was made to fail, too.
                case Crashed(text):
                    self.outcome.problems.append(text)
        self._running = False
        ours.close()
        process.join()
        agent.join()
        return _last(self._store) == "CampaignStopped"

    def _command(self, pipe: SimPipe) -> None:
        """Be the agent: give commands at any moment, maybe ask for the end."""
        chance = self.now.random
        for _ in range(self.story.commands):
            for _ in range(chance.randrange(400)):
                self.now.step()
            tool, args = chance.choice(COMMANDS)
            key = f"key {len(self._sent) + 1}"
            command = SubmitCommand(key, tool, args, "simulated")
            self._sent[key] = command
            with contextlib.suppress(OSError):
                pipe.send(command)
        if self.story.stops:
            for _ in range(chance.randrange(600)):
                self.now.step()
            with contextlib.suppress(OSError):
                pipe.send(RequestStop("TimeLimitReached"))

    # ------------------------------------------------------------------ accidents

    def _on_line(self, thread: Any, frame: FrameType) -> None:
        """Let an accident happen to the task that runs, if it is time."""
        name = frame.f_code.co_filename
        if not name.endswith(TASK_FILES) or thread.process is None:
            return
        left = self._left_fresh if _is_fresh(thread) else self._left
        if left and self.now.random.randrange(400) == 0 and _in_attempt(frame):
            if _is_fresh(thread):
                self._left_fresh -= 1
                self._crashes += 1
            else:
                self._left -= 1
            self.outcome.accidents += 1
            thread.fault = MemoryError

    def _on_step(self) -> None:
        """Lose the power, if it is time."""
        if self._deaths and self.now.steps >= self._deaths[0] and self._running:
            del self._deaths[0]
            self.outcome.deaths += 1
            self._copies += 1
            place = self._store.parent.parent / str(self._copies)
            if self._store.exists():
                self._store = self._disk.after_power_loss(self._store, place)
            else:
                place.mkdir()
                self._store = store_path(place)
            self.now.doom(lambda thread: thread.process is not None)

    # ------------------------------------------------------------------ the truth

    def _judge(self) -> None:
        outcome = self.outcome
        verify_campaign(self._store)
        with EventStore.read_only(self._store) as store:
            events = list(store.read())
        by_seq = {event.seq: event for event in events}
        for answer, command in self._accepted:
            event = by_seq.get(answer.seq)
            if event is None or event.type != "CommandAccepted":
                outcome.problems.append(
                    f"a command that was answered is lost: {answer}"
                )
            elif (event.round, event.payload["args"]) != (answer.round, command.args):
                outcome.problems.append(f"another command stands at {answer.seq}")
        outcome.commands = len(self._accepted)
        outcome.problems += [
            f"{event.type} in round {event.round}: {event.payload}"
            for event in events
            if event.type in {"TaskAbandoned", "FalsificationDisputed"}
        ]
        recording = read_recording(events)
        outcome.digests = [recording.digests[n] for n in sorted(recording.digests)]
        contradiction = TRUTH.contradiction(recording, self.story)
        if contradiction is not None:
            outcome.problems.append(contradiction)

    @contextlib.contextmanager
    def _installed(self) -> Iterator[None]:
        """Put the simulated machine under the product."""

        def nothing(*_: object) -> None:
            pass

        hot.hot_code.cache_clear()
        native().load()  # A simulated death in the midst of an import would stay.
        PY_EVM.load()
        PluginManager.load()
        imports = _ImportWatch(self)
        before = logging.root.manager.disable
        logging.disable(logging.WARNING)
        if self._imports:
            sys.meta_path.insert(0, imports)

        def again(executor: ReliableExecutor, failed: TaskFailure) -> RoundResult:
            return self._note_failure(executor, failed)

        def commit(store: EventStore, rows: Any, *, durable: bool) -> None:
            self._disk.watch(store, rows, durable=durable)

        try:
            with (
                environment(HOT_VARIABLE, self.story.hot),
                replaced(
                    (campaign_process, "pick_backend", lambda *_: self._backend),
                    (gc, "freeze", nothing),
                    (threads, "SimpleQueue", SimQueue),
                    (threads, "lower_priority", nothing),
                    (processes, "lower_priority", nothing),
                    (processes, "multiprocessing", self._machine),
                    (processes, "wait", wait_for(self.now)),
                    (processes, "_ignore_signals", nothing),
                    (processes, "interrupts_blocked", nullcontext),
                    (fresh, "multiprocessing", self._machine),
                    (fresh, "interrupts_blocked", nullcontext),
                    (fresh, "signal", _Deaf),
                    (source, "_PARSING", SimLock()),
                    (hot, "FIRST_WORK", 60_000),
                    (hot, "BUILD_ENTRIES", 0),
                    (hot, "BLOCK_ENTRIES", 0),
                    # What one run keeps would be there at once in the next.
                    (hot, "user_cache", partial(ObjectCache, None)),
                    (hot, "build_hot", self._build),
                    (hot, "build_elsewhere", self._build_elsewhere),
                    (EventStore, "_commit", commit),
                    (ReliableExecutor, "_again", again),
                    *self._changes,
                ),
            ):
                yield
        finally:
            if self._imports:
                sys.meta_path.remove(imports)
            logging.disable(before)
            hot.hot_code.cache_clear()

    def _note_failure(
        self, executor: ReliableExecutor, failed: TaskFailure
    ) -> RoundResult:
        """Run a task again; it may have failed only because we made it."""
        if not any(ours in failed.reason for ours in ("MemoryError", "DeathError")):
            self.outcome.problems.append(f"a task failed by itself: {failed.reason}")
        return _AGAIN(executor, failed)

    def _build(self, request: HotRequest) -> HotObject:
        """Build hot code: what is parsed for it is modelled, LLVM runs once."""
        with source._PARSING:
            self.now.parse("pass")
        key = request.key(""), request.starts
        if key not in _BUILT:
            parsing = (source, "_PARSING", nullcontext())
            with self.now.apart(), replaced(parsing):
                _BUILT[key] = build_hot(request)
        return _BUILT[key]

    def _build_elsewhere(self, requests: Sequence[HotRequest]) -> list[HotObject]:
        self.now.step()
        me = self.now.current
        assert me is not None
        before, me.process = me.process, object()
        try:
            return [self._build(each) for each in requests]
        finally:
            me.process = before
            self.now.step()


_AGAIN = ReliableExecutor._again


class _Deaf:
    """`signal` in a process that is a thread."""

    SIGINT, SIGTERM, SIG_IGN = signal.SIGINT, signal.SIGTERM, signal.SIG_IGN

    @staticmethod
    def signal(*_: object) -> None:
        pass


class _ImportWatch:
    """Notices what threads import that run tasks: they must not."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def find_spec(self, name: str, *_: object) -> None:
        thread = self._simulation.now.current
        if thread is not None and thread.name.startswith("echidna-mcp-worker-"):
            problems = self._simulation.outcome.problems
            problems.append(f"{thread.name} imports {name} while it runs tasks")


_BUILT: dict[tuple[str, tuple[int, ...]], HotObject] = {}


def _is_fresh(thread: Any) -> bool:
    return isinstance(thread.process, SimProcess) and "fresh" in thread.process._name


def _in_attempt(frame: FrameType | None) -> bool:
    """Whether a task runs here that somebody will run again if it fails."""
    while frame is not None:
        if frame.f_code.co_name in {"attempt", "run_alone", "_serve"}:
            return True
        frame = frame.f_back
    return False


def _number(name: str) -> int:
    return sum(ord(c) * 31**n for n, c in enumerate(name)) % 1_000_003


def _last(path: Path) -> str | None:
    """Return the type of the last event that is stored, if there is one."""
    if not path.exists():
        return None
    with (
        contextlib.suppress(StoreError),
        EventStore.read_only(path) as store,
    ):  # made, but empty
        last = store.last()
        return None if last is None else last.type
    return None


@contextlib.contextmanager
def environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


class Truth:
    """What undisturbed campaigns come to: one thread, no hot code, no accidents."""

    def __init__(self) -> None:
        self._known: dict[str, list[str]] = {}

    def contradiction(self, recording: Recording, of: Story) -> str | None:
        """Return at what a campaign differs from an undisturbed one, if it does."""
        digests = [recording.digests[n] for n in sorted(recording.digests)]
        story = {
            "program": of.program.digest,
            "config": recording.started.payload["config"],
            "commands": [(c.round, c.tool, c.args) for c in recording.commands],
            "stops": sorted(recording.stops.items()),
        }
        key = json.dumps(story, sort_keys=True)
        known = self._known.get(key, [])
        if known[: len(digests)] == digests:
            return None
        executor = make_executor(PluginManager.load().executors, "inline")
        try:
            with environment(HOT_VARIABLE, "off"):
                replay(recording, recording.commands, of.backend, executor)
        except ReplayDivergedError as error:
            return error.message
        finally:
            executor.close()
        self._known[key] = digests
        return None


TRUTH = Truth()
