"""Prompts as plugins provide them: they set an agent to work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from echidna_mcp.tools.tool import ToolContext

if TYPE_CHECKING:
    from echidna_mcp.catalogue.completion import Candidates

Render: TypeAlias = Callable[[Mapping[str, str], ToolContext], str]
"""Returns the text from the arguments and the campaign as it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptArgument:
    """One argument; always text.

    Attributes:
        name: as a client sends it.
        description: what to write.
        required: whether the prompt means nothing without it.
        values: candidates for its completion.
    """

    name: str
    description: str
    required: bool = False
    values: Candidates | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A task for an agent, written when somebody asks for it.

    Attributes:
        name: unique among all prompts.
        title: what a person reads in a menu.
        description: what the agent will do.
        arguments: in the order in which a person is asked for them.
        render: writes the message. Raises `InvalidInputError` for bad arguments.
    """

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...] = ()
    render: Render
