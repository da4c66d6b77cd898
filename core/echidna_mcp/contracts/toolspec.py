"""Specifications of tools, whichever dialect described them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self, TypeAlias

_DRAFT_07 = "http://json-schema.org/draft-07/schema#"

SafetyLevel: TypeAlias = Literal["read-only", "safe-write", "destructive"]

FAMILY: Final = "echidna"
"""The family of tools that steer and watch campaigns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolExample:
    """A valid call of a tool and what it can give."""

    input: Mapping[str, Any]
    output: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool, independent of the dialect of its contract document.

    The framework sets no rule for names; a dialect may. Schemas are draft-07 and
    self-contained, and carry no `$schema`: clients refuse tools that declare a dialect.

    Attributes:
        name: how agents call it.
        title: how people read it.
        description: what an agent needs to choose it.
        category: a group of tools, such as `observe`.
        safety_level: whether it changes nothing, adds, or takes away.
        tier: who may call it.
        input_schema: schema of the arguments, an object.
        output_schema: schema of the result, any JSON value.
        errors: codes that a call can end with.
        examples: valid calls.
        timeout_ms: deadline of the handler, in milliseconds.
        idempotent: calling it twice has the effect of calling it once.
        open_world: it reaches beyond the campaign.
        family: whose errors its failures are rendered as.
        aliases: further names by which it can be called.
        redacted: arguments of which nothing is recorded but hash and size.
        needs_campaign: its handler uses the campaign, so there must be one.
        meta: JSON values that clients see beside the description, as `_meta`.
    """

    name: str
    title: str
    description: str
    category: str
    safety_level: SafetyLevel
    tier: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    errors: tuple[str, ...]
    examples: tuple[ToolExample, ...] = ()
    timeout_ms: int = 100
    idempotent: bool = False
    open_world: bool = False
    family: str = FAMILY
    aliases: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    needs_campaign: bool = True
    meta: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, for bundles and `echidna-mcp tools --json`."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "category": self.category,
            "safetyLevel": self.safety_level,
            "tier": self.tier,
            "inputSchema": dict(self.input_schema),
            "outputSchema": dict(self.output_schema),
            "errors": list(self.errors),
            "examples": [
                {"input": dict(each.input), "output": each.output}
                for each in self.examples
            ],
            "timeoutMs": self.timeout_ms,
            "annotations": {
                "readOnlyHint": self.read_only,
                "destructiveHint": self.destructive,
                "idempotentHint": self.idempotent,
                "openWorldHint": self.open_world,
            },
            "family": self.family,
            "aliases": list(self.aliases),
            "redacted": list(self.redacted),
            "needsCampaign": self.needs_campaign,
            "meta": dict(self.meta),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Return what `to_json` was called on."""
        return cls(
            name=document["name"],
            title=document["title"],
            description=document["description"],
            category=document["category"],
            safety_level=document["safetyLevel"],
            tier=document["tier"],
            input_schema=document["inputSchema"],
            output_schema=document["outputSchema"],
            errors=tuple(document["errors"]),
            examples=tuple(ToolExample(**each) for each in document["examples"]),
            timeout_ms=document["timeoutMs"],
            idempotent=document["annotations"]["idempotentHint"],
            open_world=document["annotations"]["openWorldHint"],
            family=document["family"],
            aliases=tuple(document["aliases"]),
            redacted=tuple(document["redacted"]),
            needs_campaign=document["needsCampaign"],
            meta=document["meta"],
        )

    @property
    def read_only(self) -> bool:
        """Whether it changes nothing."""
        return self.safety_level == "read-only"

    @property
    def destructive(self) -> bool:
        """Whether it takes something away."""
        return self.safety_level == "destructive"


def declared(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema of a `ToolSpec` that says which dialect it is in."""
    return {"$schema": _DRAFT_07, **schema}
