"""Specifications of tools, whichever dialect described them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

_DRAFT_07 = "http://json-schema.org/draft-07/schema#"

SafetyLevel: TypeAlias = Literal["read-only", "safe-write", "destructive"]


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

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, for `echidna-mcp tools --json`."""
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
            "timeoutMs": self.timeout_ms,
            "annotations": {
                "readOnlyHint": self.read_only,
                "destructiveHint": self.destructive,
                "idempotentHint": self.idempotent,
                "openWorldHint": self.open_world,
            },
        }

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
