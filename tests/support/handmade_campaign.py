"""A campaign without an EVM: real views, engine and tools over handmade findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from echidna_mcp.abi.call_text import parse_call
from echidna_mcp.abi.encoding import encode_call
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.errors import CampaignTerminatedError
from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.events.payloads import EventType
from echidna_mcp.program.model import (
    Contract,
    FunctionSource,
    Program,
    SourceFile,
    Span,
)
from echidna_mcp.program.sourcemap import MapEntry, encode_map
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.digest import initial_digest
from echidna_mcp.rounds.engine import Engine
from echidna_mcp.rounds.tasks import Counters, RoundResult
from echidna_mcp.tools.tool import Receipt, ToolContext
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.event_log import EventLog

ALICE = "0x" + "aa" * 20
BOB = "0x" + "bb" * 20

SOURCE = """\
contract Vault {
  function deposit() public payable { if (msg.value > 9) { total += msg.value; } }
  function pause() public onlyOwner { paused = true; }
  function never() public { total = 0; }
}
contract Helper { function help() public { } }
interface Token { function transfer(address to, uint256 amount) external; }
"""


def _span(text: str) -> Span:
    return Span(0, SOURCE.encode().index(text.encode()), len(text.encode()))


def _entry(text: str) -> MapEntry:
    span = _span(text)
    return MapEntry(span.start, span.length, span.file)


def _function(
    name: str, *types: str, mutability: str = "nonpayable", **more: Any
) -> dict[str, Any]:
    inputs = [
        {"name": f"p{index}", "type": type_name}
        for index, type_name in enumerate(types)
    ]
    return {
        "type": "function",
        "name": name,
        "inputs": inputs,
        "outputs": [],
        "stateMutability": mutability,
        **more,
    }


BOOL_OUTPUT = [{"name": "", "type": "bool"}]
POINTS = {
    "name": "points",
    "type": "tuple[]",
    "components": [{"name": "x", "type": "uint8"}, {"name": "label", "type": "string"}],
}

ABI = (
    _function("deposit", mutability="payable"),
    _function("pause"),
    _function("never"),
    _function("transfer", "address", "uint256"),
    _function("transfer", "address", "uint256", "bytes"),
    _function("plot", inputs=[POINTS]),
    _function("note", "string"),
    _function("echidna_solvent", mutability="view", outputs=BOOL_OUTPUT),
    _function("echidna_true", mutability="view", outputs=BOOL_OUTPUT),
)

# PUSH1 0, PUSH1 6, JUMPI, STOP, JUMPDEST, STOP, STOP: `deposit`, then the two others.
VAULT_CODE = bytes.fromhex("6000 6006 57 00 5b 00 00".replace(" ", ""))
VAULT_MAP = encode_map(
    [
        _entry("deposit"),
        _entry("deposit"),
        _entry("if (msg.value > 9)"),
        _entry("msg.value > 9"),
        _entry("total += msg.value"),
        _entry("paused = true"),
        _entry("total = 0"),
    ]
)

VAULT = Contract(
    name="Vault",
    source="src/Vault.sol",
    abi=ABI,
    creation_code=bytes.fromhex("60ff60ff") + VAULT_CODE,
    runtime_code=VAULT_CODE,
    runtime_map=VAULT_MAP,
    functions=(
        FunctionSource(signature="deposit()", span=_span("function deposit()")),
        FunctionSource(
            signature="pause()",
            span=_span("function pause()"),
            modifiers=("onlyOwner",),
        ),
    ),
    branches=(_span("if (msg.value > 9)"),),
)
HELPER = Contract(
    name="Helper",
    source="src/Vault.sol",
    abi=(_function("help"),),
    creation_code=bytes.fromhex("60aa60aa01"),
    runtime_code=bytes.fromhex("60aa01"),
    runtime_map=encode_map([_entry("help"), _entry("help")]),
)
TOKEN = Contract(
    name="Token", source="src/Vault.sol", abi=(), creation_code=b"", runtime_code=b""
)


def make_program(*contracts: Contract) -> Program:
    return Program(
        contracts=contracts or (HELPER, TOKEN, VAULT),
        main=VAULT.qualified_name,
        sources=(SourceFile("src/Vault.sol", SOURCE),),
        compiler="by hand",
    )


class HandmadeCampaign:
    """Rounds run nothing; what they find is put in by hand, as events.

    It is its own command port. Commands go through the real engine.
    """

    def __init__(self, program: Program | None = None, **config: Any) -> None:
        self.program = program or make_program()
        self.target = build_target(
            self.program, replace(CampaignConfig(workers=3, seed=42), **config)
        )
        self.views = CampaignViews(self.target)
        self.logs = EventLog()
        self.events: list[Event] = []
        self.engine = Engine(self.views, CallCodec(self.target))
        started = {
            "engine": "0",
            "program": self.program.to_json(),
            "programDigest": self.program.digest,
            "config": self.target.config.to_json(),
            "plugins": [],
            "backend": "none",
            "executor": "none",
            "stateDigest": initial_digest(self.target),
        }
        self.add("CampaignStarted", started)
        for worker in range(self.target.config.workers):
            self.add("WorkerStarted", {"reason": "started"}, worker)

    def context(self, corpus_dir: Path) -> ToolContext:
        return ToolContext.create(self.views, self, self.logs, corpus_dir)

    # ---------------------------------------------------------------- events

    def add(
        self,
        event_type: EventType,
        payload: Mapping[str, Any],
        worker: int | None = None,
    ) -> Event:
        """Store an event and fold it everywhere."""
        new = NewEvent(
            type=event_type,
            round=self.views.progress.round + (event_type == "CommandAccepted"),
            payload=payload,
            worker=worker,
        )
        self.views.apply(new)
        return self._store(new)

    def _store(self, new: NewEvent) -> Event:
        seconds, micros = divmod(len(self.events), 1_000_000)
        event = Event(
            seq=len(self.events) + 1,
            type=new.type,
            version=new.version,
            round=new.round,
            worker=new.worker,
            at=f"2026-01-02T{seconds // 3600:02}:{seconds // 60 % 60:02}"
            f":{seconds % 60:02}.{micros:06}Z",
            payload=new.payload,
            digest=b"",
        )
        self.events.append(event)
        self.logs.apply(event)
        return event

    def call(
        self,
        text: str,
        *,
        sender: str = ALICE,
        value: int = 0,
        result: str | None = "STOP",
        time_delay: int = 0,
        block_delay: int = 0,
    ) -> dict[str, Any]:
        """Return a JSON call as events hold it; `result` None for one not executed."""
        parsed = parse_call(text, self.target.functions)
        arguments: Any = parsed.arguments
        call = {
            "function": parsed.function.signature,
            "calldata": "0x" + encode_call(parsed.function, arguments).hex(),
            "sender": sender,
            "value": str(value),
            "timeDelay": time_delay,
            "blockDelay": block_delay,
        }
        return call if result is None else {**call, "gasUsed": 30_000, "result": result}

    def extend(
        self,
        calls: Sequence[Mapping[str, Any]],
        *,
        worker: int = 0,
        command: int | None = None,
    ) -> Event:
        """Add a sequence to the corpus."""
        payload = {
            "entry": len(self.views.corpus),
            "calls": list(calls),
            "injected": command is not None,
            "newPoints": 1,
        }
        if command is not None:
            payload["command"] = command
        return self.add("CorpusExtended", payload, worker)

    def cover(
        self, counters: Sequence[int], key: str = "", *, worker: int = 0
    ) -> Event:
        """Mark program counters as executed."""
        key = key or f"{VAULT.qualified_name}/runtime"
        known = self.views.coverage.covered().get(key, [])
        points = len(set(counters) - set(known))
        payload = {
            "points": points,
            "total": self.views.coverage.points + points,
            "visited": [[key, 0, list(counters)]],
            "results": [],
        }
        return self.add("CoverageIncreased", payload, worker)

    def falsify(self, name: str, *calls: str, worker: int = 0, **more: Any) -> Event:
        """Falsify a test."""
        payload = {
            "property": name,
            "counterexample": list(calls),
            "calls": [self.call(text, result=None, **more) for text in calls],
            "gasUsed": 60_000,
            "reason": "returned false",
        }
        return self.add("PropertyFalsified", payload, worker)

    def dispute(self, name: str, *calls: str, worker: int = 0, **more: Any) -> Event:
        """Let two EVMs disagree on a test."""
        payload = {
            "property": name,
            "counterexample": list(calls),
            "calls": [self.call(text, result=None, **more) for text in calls],
            "backend": "fast",
            "claim": "the test fails: returned false (700 gas)",
            "reference": "slow",
            "answer": "the test passes",
        }
        return self.add("FalsificationDisputed", payload, worker)

    def shrink(
        self, name: str, *calls: str, attempts: int = 10, done: bool = True, **more: Any
    ) -> Event:
        """Simplify the reproducer of a test."""
        payload = {
            "property": name,
            "counterexample": list(calls),
            "calls": [self.call(text, result=None, **more) for text in calls],
            "attempts": attempts,
            "done": done,
            "reason": "returned false",
        }
        return self.add("ReproducerShrunk", payload, 0)

    def run_round(self, calls: int = 0) -> list[Event]:
        """Apply the commands that are due and commit a round."""
        plan = self.engine.plan()
        functions = [calls] + [0] * (len(self.target.functions) - 1)
        results = [RoundResult(worker=task.worker) for task in plan.tasks]
        counters = Counters(calls=calls, sequences=1, functions=functions)
        results[0] = RoundResult(worker=0, counters=counters)
        return [self._store(new) for new in self.engine.merge(plan, results)]

    def stop(self, reason: str = "TestLimitReached") -> None:
        """End the campaign."""
        for worker in range(self.target.config.workers):
            self.add("WorkerStopped", {"reason": reason}, worker)
        payload = {
            "reason": reason,
            "message": "The test limit was reached.",
            "totalCalls": self.views.progress.calls,
            "stateDigest": self.views.progress.state_digest,
        }
        self.add("CampaignStopped", payload)

    # --------------------------------------------------------------- commands

    def refused(self, tool: str, args: Any, code: str, message: str) -> None:
        """Store a failed call; see `CommandPort`."""
        payload = {"tool": tool, "args": args, "code": code, "message": message}
        self.add("CommandRefused", payload)

    async def submit(
        self,
        tool: str,
        args: Mapping[str, Any],
        message: str,
        *,
        key: str | None = None,
    ) -> Receipt:
        """Accept a command, as the director does."""
        if self.views.progress.stopped is not None:
            raise CampaignTerminatedError("Campaign stopped.")
        payload = {"tool": tool, "args": dict(args), "message": message}
        if key is not None:
            payload["key"] = key
        event = self.add("CommandAccepted", payload)
        return Receipt(event.seq, event.round)
