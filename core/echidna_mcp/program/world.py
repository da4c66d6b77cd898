"""The world of a campaign: which contracts are called, and who calls them.

Where only the target is called that is known from program and config. Else it depends
on what is deployed, and on what the target's getters answer; `rounds.exploration` finds
out, once, and `CampaignStarted` holds the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from echidna_mcp.evm.outside import Reply, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A contract that sequences call.

    Attributes:
        contract: its qualified name.
        address: where it is; None for those that sequences create.
        selectors: of its functions that may be called; None for all that the config
            allows.
        tested: whether its functions are tested.
    """

    contract: str
    address: int | None = None
    selectors: tuple[bytes, ...] | None = None
    tested: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return JSON values from which `from_json` makes an equal one."""
        told: dict[str, Any] = {"contract": self.contract}
        if self.address is not None:
            told["address"] = f"0x{self.address:040x}"
        if self.selectors is not None:
            told["selectors"] = [f"0x{each.hex()}" for each in self.selectors]
        if self.tested:
            told["tested"] = True
        return told

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Placement:
        """Return the placement that `to_json` described."""
        address, selectors = data.get("address"), data.get("selectors")
        return cls(
            contract=data["contract"],
            address=None if address is None else int(address, 16),
            selectors=None
            if selectors is None
            else tuple(bytes.fromhex(each[2:]) for each in selectors),
            tested=data.get("tested", False),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """Values that a test contract of Foundry has for certain parameters.

    Attributes:
        name: of the parameters, as `fixture_name` writes it.
        type: of the values, in parentheses.
        values: ABI encoding of each.
        is_text: whether they are `bytes` or `string`, and fuzz tests are given them.
            In campaigns from before there was that, they are for table tests alone.
    """

    name: str
    type: str
    values: tuple[bytes, ...]
    is_text: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return JSON values from which `from_json` makes an equal fixture."""
        values = [f"0x{each.hex()}" for each in self.values]
        told = {"name": self.name, "type": self.type, "values": values}
        return {**told, "isText": True} if self.is_text else told

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Fixture:
        """Return the fixture that `to_json` described."""
        values = tuple(bytes.fromhex(each[2:]) for each in data["values"])
        return cls(
            name=data["name"],
            type=data["type"],
            values=values,
            is_text=data.get("isText", False),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What is called beside, or instead of, the target.

    Attributes:
        placements: in the order in which functions are numbered; the target is among
            them if it is called.
        senders: who calls, if the target's getters say so; else empty.
        excluded_senders: who never calls, where senders may have any address.
        fixtures: values for parameters of certain names.
        steps: what the target is sent after its `setUp()`, each in a transaction of
            its own: how the one test of the campaign begins (`beforeTestSetup`).
        answers: what the deployment has asked the outside of the campaign for, in the
            order in which it did.
    """

    placements: tuple[Placement, ...] = ()
    senders: tuple[int, ...] = ()
    excluded_senders: tuple[int, ...] = ()
    fixtures: tuple[Fixture, ...] = ()
    steps: tuple[bytes, ...] = ()
    answers: tuple[tuple[Request, Reply], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return JSON values; nothing for a world in which the target is alone."""
        if self == ALONE:
            return {}
        told: dict[str, Any] = {}
        if self.placements:
            told["targets"] = [each.to_json() for each in self.placements]
        if self.fixtures:
            told["fixtures"] = [each.to_json() for each in self.fixtures]
        if self.steps:
            told["steps"] = [f"0x{each.hex()}" for each in self.steps]
        if self.senders:
            told["senders"] = [f"0x{each:040x}" for each in self.senders]
        if self.excluded_senders:
            excluded = [f"0x{each:040x}" for each in self.excluded_senders]
            told["excludedSenders"] = excluded
        if self.answers:
            told["answers"] = [
                {**request.to_json(), **reply.to_json()}
                for request, reply in self.answers
            ]
        return told

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> World:
        """Return the world that `to_json` described; other members don't matter."""
        return cls(
            placements=tuple(map(Placement.from_json, data.get("targets", ()))),
            senders=tuple(int(each, 16) for each in data.get("senders", ())),
            excluded_senders=tuple(
                int(each, 16) for each in data.get("excludedSenders", ())
            ),
            fixtures=tuple(map(Fixture.from_json, data.get("fixtures", ()))),
            steps=tuple(bytes.fromhex(each[2:]) for each in data.get("steps", ())),
            answers=tuple(
                (Request.from_json(each), Reply.from_json(each))
                for each in data.get("answers", ())
            ),
        )


def shown_plan(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a plan as it is shown to others: what the outside said may be a secret.

    Args:
        data: what `FuzzTarget.to_json` gave.
    """
    shown = dict(data)
    if "answers" in data:
        shown["answers"] = [
            Request.from_json(answer).to_json() for answer in data["answers"]
        ]
    return shown


ALONE: Final = World()
"""The target is called, by the senders of the config, and nothing else is."""
