"""What becomes of a campaign that goes on, or is large: does it cost as before?

    python tests/bench/bench_growth.py [rounds] [start] [corpus] [contracts]

Without words all parts. Everything is processor time, on the native backend with the
inline executor. Hot code is not compiled: when that happens depends on the clock.

* rounds: a campaign of 10,000 rounds, in turn with one of the same seed that has run
  100. Rounds are as short as some milliseconds, so that what a round costs beside its
  search can be seen; with rounds of the usual length it is a hundredth of that.
* start: what it takes to take up stored campaigns of more and more rounds.
* corpus: the same with more and more sequences in the corpus, and what a round and the
  answers of a server take then.
* contracts: start, rounds and answers with more and more contracts that are called.

Behind what grows stands the exponent by which it has grown since the row before: 1 is
linear.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from math import log
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from bench_native import SOURCES, compile_contract, config_of
from bench_targets import TOKEN
from watched import Measured, Server, begun, taken_up

from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.identity import runtime_key
from echidna_mcp.program.model import Program
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.coverage import CoverageDelta
from echidna_mcp_plugins.compilers.solidity.npm_solc import find_package
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs
from echidna_mcp_plugins.native.hot.mode import HOT_VARIABLE

BUDGET: Final = 100_000
"""Work units of a task: some hundred calls."""
YOUNG, OLD = 100, 10_000
PAIRS, WINDOW = 20, 10
ROUNDS = (1_000, 3_000, 10_000)
CORPORA = (5_000, 15_000, 50_000)
CONTRACTS = (50, 150, 500)
TIMES: Final = 9
T = TypeVar("T")

WORLD: Final = """
contract World {
    function touch(uint8 n) external pure returns (uint8) { require(n < 9); return n; }
    function echidna_true() external pure returns (bool) { return true; }
}
"""


def fresh(row: Callable[..., T], *given: Any) -> T:
    """Return what a function measures in a process of its own.

    What was freed before would hide how much memory it takes.
    """
    spawn = get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=_without_hot) as pool:
        return pool.submit(row, *given).result()


def _without_hot() -> None:
    os.environ[HOT_VARIABLE] = "off"


def token() -> tuple[Program, CampaignConfig]:
    """Return a campaign that never ends."""
    package = find_package(SOURCES)
    assert package is not None, "run `npm install --prefix tests` first"
    program = compile_contract("Token", package.parent / "@openzeppelin")
    return program, replace(config_of("Token"), round_budget=BUDGET)


def memory() -> float:
    """Return the memory of this process, in MB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Rows:
    """Prints rows of what grows, with exponents.

    Args:
        of: what there is more of in each row.
        columns: what is measured.
    """

    def __init__(self, of: str, *columns: str) -> None:
        self._before: tuple[int, tuple[float, ...]] | None = None
        print("| " + " | ".join([of, *columns]) + " |")
        print("|---" * (1 + len(columns)) + "|")

    def add(self, size: int, *figures: float) -> None:
        """Print a row."""
        cells = [f"{size:,}", *(f"{each:.4g}" for each in figures)]
        if self._before is not None:
            times = log(size / self._before[0])
            for number, (old, new) in enumerate(
                zip(self._before[1], figures, strict=True), 1
            ):
                if old > 0 and new > 0:
                    cells[number] += f" ({log(new / old) / times:.2f})"
        self._before = (size, figures)
        print("| " + " | ".join(cells) + " |", flush=True)


# -------------------------------------------------------------------------- rounds


def rounds() -> None:
    """Compare a campaign of many rounds with one of few."""
    program, config = token()
    with ExitStack() as stack:
        places = [
            Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(2)
        ]
        old = stack.enter_context(begun(places[0], program, config))
        old.rounds(YOUNG)
        before = memory()
        held = [before]
        for _ in range(9):
            old.rounds((OLD - YOUNG) // 9)
            held.append(memory())
        young = stack.enter_context(begun(places[1], program, config))
        young.rounds(YOUNG)
        pairs = [(young.rounds(WINDOW), old.rounds(WINDOW)) for _ in range(PAIRS)]
    print(
        f"After {OLD:,} rounds, by after {YOUNG}; medians of {PAIRS} pairs of windows"
    )
    figures: Mapping[str, Callable[[Measured], float]] = {
        "calls per second": lambda each: each.rate,
        "a round beside its tasks": lambda each: each.beside,
        "tasks beside their search": lambda each: each.around,
    }
    for name, figure in figures.items():
        found = [(figure(few), figure(many)) for few, many in pairs]
        ratio = statistics.median(many / few for few, many in found)
        few, many = (statistics.median(each) for each in zip(*found, strict=True))
        print(f"  {name:<28} {ratio:6.3f}   {few:,.2f} -> {many:,.2f}")
    print(f"  memory                       {held[-1] / before:6.3f}   MB:", end="")
    print("".join(f" {each:.1f}" for each in held))


# --------------------------------------------------------------------------- start


class Start(NamedTuple):
    """Seconds until a campaign is taken up, its first round, those of its server."""

    fold: float
    round: float
    server: float
    megabytes: float


def start_of(directory: Path) -> Start:
    """Take up a campaign."""
    _warm_up()
    before, begin = memory(), time.process_time()
    with taken_up(directory) as campaign:
        folded = time.process_time()
        campaign.server.catch_up()
        served = time.process_time()
        campaign.rounds(1)
        ran = time.process_time()
        held = memory() - before
    return Start(folded - begin, ran - served, served - folded, held)


def start() -> None:
    """Take up campaigns of more and more rounds."""
    program, config = token()
    with ExitStack() as stack:
        whole = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        # Rounds of some calls have events as all others have.
        with begun(whole, program, replace(config, round_budget=20_000)) as campaign:
            campaign.rounds(max(ROUNDS))
        rows = Rows("rounds", "taken up, s", "first round, s", "server, s")
        for count in ROUNDS:
            part = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            _copy(store_path(whole), store_path(part), count)
            rows.add(count, *fresh(start_of, part)[:3])


def _copy(source: Path, to: Path, last: int) -> None:
    """Write the first rounds of a campaign into a store of their own."""
    with EventStore.read_only(source) as events, EventStore.create(to) as store:
        store.append([_new(e) for e in events.read() if e.round <= last])


def _new(event: Event) -> NewEvent:
    return NewEvent(
        type=event.type,
        round=event.round,
        payload=event.payload,
        worker=event.worker,
        version=event.version,
    )


# -------------------------------------------------------------------------- corpus


def corpus() -> None:
    """Take up campaigns with more and more sequences, and ask servers of them."""
    program, config = token()
    rows = Rows(
        *("sequences", "taken up, s", "first round, s", "server, s", "memory, MB"),
        *("round beside tasks, ms", "tasks beside search, ms"),
        *("show_coverage, ms", "dashboard, ms", "find_transaction, ms"),
    )
    for count in CORPORA:
        with tempfile.TemporaryDirectory() as directory:
            place = Path(directory)
            with begun(place, program, config) as campaign:
                campaign.rounds(40)
            _enlarge(store_path(place), count)
            rows.add(count, *fresh(start_of, place), *fresh(_of_corpus, place))


def _of_corpus(place: Path) -> tuple[float, ...]:
    with taken_up(place) as campaign:
        campaign.rounds(10)
        ran = campaign.rounds(40)
        return ran.beside, ran.around, *asyncio.run(asked(campaign.server))


def _enlarge(path: Path, count: int) -> None:
    """Add sequences of calls that the campaign has, as if it had found them."""
    chance = random.Random(1)
    with EventStore.open(path) as store:
        events = list(store.read())
        kept = [each.payload for each in events if each.type == "CorpusExtended"]
        calls = [call for each in kept for call in each["calls"]]
        last = next(e for e in reversed(events) if e.type == "RoundCommitted")
        for number, first in enumerate(range(len(kept), count, 50), last.round + 1):
            found = [
                NewEvent(
                    type="CorpusExtended",
                    round=number,
                    worker=entry % 8,
                    payload={
                        "entry": entry,
                        "calls": chance.choices(
                            calls, k=chance.choice((3, 5, 8, 12, 19))
                        ),
                        "injected": False,
                        "newPoints": 0,
                    },
                )
                for entry in range(first, min(first + 50, count))
            ]
            store.append([*found, replace(_new(last), round=number)])


# ----------------------------------------------------------------------- contracts


def contracts() -> None:
    """Start campaigns with more and more contracts, and ask servers of them."""
    rows = Rows(
        *("contracts", "start, s", "calls per second", "memory, MB"),
        *("round beside tasks, ms", "tasks beside search, ms"),
        *("show_coverage, ms", "dashboard, ms", "find_transaction, ms"),
    )
    for count in CONTRACTS:
        rows.add(count, *fresh(_of_contracts, *world(count)))


def _of_contracts(program: Program, config: CampaignConfig) -> tuple[float, ...]:
    _warm_up()
    before = memory()
    with tempfile.TemporaryDirectory() as directory:
        begin = time.process_time()
        with begun(Path(directory), program, config) as campaign:
            took = time.process_time() - begin
            campaign.rounds(150)
            ran = campaign.rounds(30)
            held = memory() - before
            answers = asyncio.run(asked(campaign.server))
    return took, ran.rate, held, ran.beside, ran.around, *answers


def _warm_up() -> None:
    """Import and load what every campaign needs."""
    with tempfile.TemporaryDirectory() as directory, begun(Path(directory), *token()):
        pass


def world(count: int) -> tuple[Program, CampaignConfig]:
    """Return a campaign that calls so many tokens, each with code of its own."""
    source = "".join(TOKEN.format(number=number) for number in range(count)) + WORLD
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as directory:
        path = Path(directory, "World.sol")
        path.write_text(source, "utf-8")
        program = SolcJs().compile(CompileRequest(target=path, contract="World"))
    return program, CampaignConfig(
        all_contracts=True,
        exclude_view_pure=True,
        test_limit=None,
        seed=1,
        round_budget=BUDGET,
        deploy_contracts=tuple((0x100_0000 + n, f"Token{n}") for n in range(count)),
    )


# -------------------------------------------------------------------------- answers


async def asked(server: Server) -> tuple[float, float, float]:
    """Return milliseconds until a tool, the dashboard, and another tool have answers.

    Before each a contract has been covered further; medians.
    """
    context, plugins = server.context(), PluginManager.load()
    stage = Stage(context)
    tools = ToolService(list(plugins.tools.values()), stage)
    catalogue = Catalogue(tools, stage, tuple(plugins.resources.values()))

    async def page() -> None:
        for name in ("", "/coverage", "/functions", "/history", "/events"):
            await catalogue.resources.read(f"echidna://campaign{name}")

    async def tool(name: str, arguments: dict[str, Any]) -> None:
        outcome = await tools.call(name, arguments)
        assert outcome.error is None, outcome.error

    return (
        await _milliseconds(server.views, lambda: tool("show_coverage", {})),
        await _milliseconds(server.views, page),
        await _milliseconds(
            server.views,
            lambda: tool("find_transaction_in_corpus", {"minValue": "0"}),
        ),
    )


async def _milliseconds(
    views: CampaignViews, ask: Callable[[], Awaitable[None]]
) -> float:
    taken = []
    for _ in range(TIMES):
        _cover(views)
        begin = time.process_time()
        await ask()
        taken.append((time.process_time() - begin) * 1000)
    return statistics.median(taken)


def _cover(views: CampaignViews) -> None:
    """Have one more program counter of a contract covered."""
    coverage = views.coverage
    key = runtime_key(views.target.callees[-1].contract)
    bits = coverage.bits().get(key, 0)
    place = next(at for at in range(1 << 16) if not bits >> (8 * at) & 1)
    delta = CoverageDelta(((key, 0, 1 << (8 * place)),))
    payload = {"points": 1, "total": coverage.points + 1, **delta.to_json()}
    views.apply(NewEvent(type="CoverageIncreased", round=1, payload=payload, worker=0))


PARTS: Final[Mapping[str, Callable[[], None]]] = {
    "rounds": rounds,
    "start": start,
    "corpus": corpus,
    "contracts": contracts,
}


def main(*names: str) -> None:
    """Print the figures of some parts; of all if none is named."""
    before = os.environ.get(HOT_VARIABLE)
    os.environ[HOT_VARIABLE] = "off"
    try:
        for name in names or PARTS:
            PARTS[name]()
    finally:
        os.environ.pop(HOT_VARIABLE)
        if before is not None:
            os.environ[HOT_VARIABLE] = before


if __name__ == "__main__":
    main(*sys.argv[1:])
