"""Stored sequences run once more on an EVM: what each covers and falsifies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.backend import Message
from echidna_mcp.evm.outside import Answers, Outside
from echidna_mcp.fuzz.records import call_length
from echidna_mcp.program.identity import CodeIndex
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.caller import Called, Caller
from echidna_mcp.rounds.deployment import deployed_world
from echidna_mcp.rounds.judge import Judge
from echidna_mcp.rounds.recorder import Recorder, keys_of
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.coverage import CoverageDelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What a sequence did.

    Attributes:
        calls: how many it made.
        failed: how many of them failed.
        falsified: why each test is falsified, by name.
        values: the greatest value of each optimization test that has one, by name.
        coverage: all that its calls cover.
        lost: why it ended early; empty if it did not.
    """

    calls: int
    failed: int
    falsified: Mapping[str, str]
    values: Mapping[str, int]
    coverage: CoverageDelta
    lost: str = ""


class Player:
    """The target of a campaign, deployed to run sequences one after the other."""

    def __init__(
        self, target: FuzzTarget, answers: Answers, plugin: BackendPlugin
    ) -> None:
        """Deploy.

        Args:
            target: whose plan is carried out.
            answers: what the outside has answered; nobody is asked again.
            plugin: makes the EVM.

        Raises:
            DeploymentError, NotReproducibleError: see `deployed_world`.
        """
        plugin.load()
        self._target = target
        self._evm, deployed = deployed_world(plugin, target, Outside(answers))
        self._start = self._evm.snapshot()
        self._caller = Caller(target, CallCodec(target), self._evm)
        self._judge = Judge(target, self._evm)
        self._codes = CodeIndex(target.program)
        self._keys = keys_of(deployed, self._codes, self._evm)
        self._bare = CampaignViews(target)

    def play(self, sequence: bytes) -> Played:
        """Run a sequence from the start state, and judge all tests after each call."""
        evm, target = self._evm, self._target
        evm.restore(self._start)
        self._caller.begin()
        recorder = self._recorder()
        watch = replace(self._caller.watch, coverage=True, **target.config.news)
        played = _Tally({}, {})
        lost = ""
        last: Called | None = None
        try:
            self._judge_all(None, played)
            for message in self._messages(sequence):
                result = evm.call(message, watch)
                last = self._caller.made(message, result)
                played.calls += 1
                played.failed += not result.status.succeeded
                recorder.record(result)
                self._judge_all(last, played)
        except CapacityError as error:
            lost = error.message
        return Played(
            calls=played.calls,
            failed=played.failed,
            falsified=played.falsified,
            values=played.values,
            coverage=recorder.take(),
            lost=lost,
        )

    def _messages(self, sequence: bytes) -> Iterator[Message]:
        """Yield the messages, each when those before it are made."""
        calls, at = bytearray(sequence), 0
        while at < len(calls):
            message = self._caller.aim(calls, at)
            if message is not None:
                yield message
            at += call_length(calls, at)

    def _judge_all(self, last: Called | None, played: _Tally) -> None:
        for test in self._target.tests:
            verdict = self._judge.falsified(test, last)
            if verdict is None:
                continue
            if verdict.value is None:
                played.falsified.setdefault(test.name, verdict.reason)
            else:
                before = played.values.get(test.name, verdict.value)
                played.values[test.name] = max(before, verdict.value)

    def _recorder(self) -> Recorder:
        return Recorder(self._bare, self._codes, self._evm, self._keys, enabled=True)


@dataclass(slots=True)
class _Tally:
    """What has been seen of a sequence so far."""

    falsified: dict[str, str]
    values: dict[str, int]
    calls: int = 0
    failed: int = 0
