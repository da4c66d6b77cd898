"""The graph of the agent.

    look ──▶ focus ──▶ think ──▶ act ──▶ verify ──▶ leave ──▶ look … ──▶ report
                         ▲                  │
                         └── not yet ◀──────┘

Only `think` asks the model, and its only tool is inject_transaction: what to look at,
when to give up and what is true in the end is decided by plain code.
"""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode

from echidna_mcp_coverage_agent import prompts
from echidna_mcp_coverage_agent.campaign import Campaign, Function, refusal
from echidna_mcp_coverage_agent.report import Attempt, report
from echidna_mcp_coverage_agent.source import annotated

INJECT = "inject_transaction"
_FULL = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long the agent goes on.

    Attributes:
        functions: that it looks after, the least covered first.
        attempts: sequences for one function.
        seconds: to wait for a sequence to run.

    """

    functions: int = 5
    attempts: int = 4
    seconds: float = 60.0

    @property
    def steps(self) -> int:
        """Nodes that a run passes through at most."""
        return 3 + self.functions * (3 + 3 * self.attempts)


class State(TypedDict, total=False):
    """What the nodes pass on.

    Attributes:
        messages: with the model, about the function in question.
        start, coverage: of every function, at first and when last looked at.
        function: in question; None if there is none left.
        seen: size of the corpus when it was last looked at.
        tried: sequences for this function.
        left: functions that are done, one way or the other.
        attempts: all sequences.
        report: the end.

    """

    messages: Annotated[list[AnyMessage], add_messages]
    start: dict[Function, float]
    coverage: dict[Function, float]
    function: Function | None
    seen: int
    tried: int
    left: Annotated[list[Function], operator.add]
    attempts: Annotated[list[Attempt], operator.add]
    report: str


Update: TypeAlias = dict[str, Any]


class _Nodes:
    """What the nodes do, on one campaign with one model."""

    def __init__(
        self, campaign: Campaign, model: BaseChatModel, source: Path, limits: Limits
    ) -> None:
        self._campaign = campaign
        self._model = model.bind_tools([campaign.tool(INJECT)])
        self._source = source
        self._limits = limits

    async def look(self, state: State) -> Update:
        """Find the function with the least coverage."""
        coverage = await self._campaign.coverage()
        left = state.get("left", [])
        open_ = [f for f in coverage if coverage[f] < _FULL and f not in left]
        if len(left) >= self._limits.functions:
            open_ = []
        return {
            "start": state.get("start", coverage),
            "coverage": coverage,
            "function": min(open_, key=lambda f: (coverage[f], f), default=None),
            "tried": 0,
        }

    async def focus(self, state: State) -> Update:
        """Let the fuzzer work on the function, and put it before the model."""
        function = _in_question(state)
        answer = await self._campaign.ask(
            "prioritize_function", functionSignature=function[1]
        )
        percent = state["coverage"][function]
        task = prompts.task(
            function, percent, answer["message"], await self._annotated()
        )
        return {
            "seen": await self._campaign.corpus_size(),
            "messages": [SystemMessage(prompts.SYSTEM), HumanMessage(task)],
        }

    async def think(self, state: State) -> Update:
        """Ask the model for a sequence."""
        return {"messages": [await self._model.ainvoke(state["messages"])]}

    async def verify(self, state: State) -> Update:
        """See what the sequences did that the model has just asked for."""
        function = _in_question(state)
        before = state["coverage"][function]
        asked = _asked(state["messages"])
        ran = [calls for calls, answer in asked if answer.status != "error"]
        async with asyncio.timeout(self._limits.seconds):
            for calls in ran:
                await self._campaign.wait_for(calls[0], state["seen"])
        coverage = await self._campaign.coverage()
        after = coverage.get(function, before)
        attempts = [
            Attempt(
                function=function,
                calls=calls,
                before=before,
                after=after,
                refused=refusal(answer) if answer.status == "error" else None,
            )
            for calls, answer in asked
        ]
        update: Update = {
            "coverage": coverage,
            "seen": await self._campaign.corpus_size(),
            "tried": state["tried"] + len(attempts),
            "attempts": attempts,
        }
        if ran and after < _FULL:
            told = prompts.verdict(function, before, after, await self._annotated())
            update["messages"] = [HumanMessage(told)]
        return update

    async def leave(self, state: State) -> Update:
        """Let every function have its share again, and go on to another."""
        await self._campaign.ask("clear_priorities")
        return {
            "left": [_in_question(state)],
            "messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)],
        }

    async def report(self, state: State) -> Update:
        """Write down what changed."""
        end = await self._campaign.coverage()
        return {"report": report(state["start"], end, state.get("attempts", []))}

    def after_look(self, state: State) -> Literal["focus", "report"]:
        return "report" if state["function"] is None else "focus"

    def after_think(self, state: State) -> Literal["act", "leave"]:
        last = state["messages"][-1]
        return "act" if isinstance(last, AIMessage) and last.tool_calls else "leave"

    def after_verify(self, state: State) -> Literal["think", "leave"]:
        reached = state["coverage"].get(_in_question(state), _FULL) >= _FULL
        spent = state["tried"] >= self._limits.attempts
        return "leave" if reached or spent else "think"

    async def _annotated(self) -> str:
        return annotated(self._source, await self._campaign.lines())


def coverage_agent(
    campaign: Campaign, model: BaseChatModel, source: Path, limits: Limits
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the agent as a graph; invoke it with an empty state.

    Args:
        campaign: to work on.
        model: any chat model that calls tools.
        source: the file that is fuzzed, or the directory of all.
        limits: when to stop.

    """
    nodes = _Nodes(campaign, model, source, limits)
    graph = StateGraph(State)
    graph.add_node("look", nodes.look)
    graph.add_node("focus", nodes.focus)
    graph.add_node("think", nodes.think)
    # Errors of the tool are messages, so that the model can repair its call.
    graph.add_node("act", ToolNode([campaign.tool(INJECT)]))
    graph.add_node("verify", nodes.verify)
    graph.add_node("leave", nodes.leave)
    graph.add_node("report", nodes.report)
    graph.add_edge(START, "look")
    graph.add_conditional_edges("look", nodes.after_look, ["focus", "report"])
    graph.add_edge("focus", "think")
    graph.add_conditional_edges("think", nodes.after_think, ["act", "leave"])
    graph.add_edge("act", "verify")
    graph.add_conditional_edges("verify", nodes.after_verify, ["think", "leave"])
    graph.add_edge("leave", "look")
    graph.add_edge("report", END)
    return graph.compile()


async def raise_coverage(
    campaign: Campaign, model: BaseChatModel, source: Path, limits: Limits | None = None
) -> str:
    """Run the agent and return its report; it leaves no priorities behind.

    Args:
        campaign: to work on.
        model: any chat model that calls tools.
        source: the file that is fuzzed, or the directory of all.
        limits: when to stop; those of `Limits` if not given.

    """
    limits = limits or Limits()
    agent = coverage_agent(campaign, model, source, limits)
    try:
        end = await agent.ainvoke({}, {"recursion_limit": limits.steps})
    except BaseException:
        await campaign.ask("clear_priorities")
        raise
    text = end["report"]
    assert isinstance(text, str)  # noqa: S101 (what the node returns)
    return text


def _in_question(state: State) -> Function:
    function = state["function"]
    assert function is not None  # noqa: S101 (else the graph has ended)
    return function


def _asked(
    messages: Sequence[AnyMessage],
) -> list[tuple[tuple[str, ...], ToolMessage]]:
    """Return the sequences of the model's last message, with the answers."""
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    last = next(m for m in reversed(messages) if isinstance(m, AIMessage))
    return [
        (_calls(call["args"]), answers[call["id"] or ""]) for call in last.tool_calls
    ]


def _calls(arguments: dict[str, Any]) -> tuple[str, ...]:
    """Return the calls of a sequence, whatever a model made of it."""
    sequence = arguments.get("sequence")
    return tuple(map(str, sequence)) if isinstance(sequence, list) else ()
