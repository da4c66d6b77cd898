"""The one way to get a prompt, whatever the transport."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from echidna_mcp.catalogue.completion import Completion, complete
from echidna_mcp.errors import InvalidInputError, PromptNotFoundError
from echidna_mcp.tools.display import clean, shown
from echidna_mcp.tools.unique import by_name
from echidna_mcp.wording import closest, listed

if TYPE_CHECKING:
    from echidna_mcp.catalogue.prompt import Prompt
    from echidna_mcp.tools.stage import Stage


class PromptService:
    """Lists, renders and completes prompts.

    Args:
        prompts: with different names.
        stage: brings what they may use.

    Raises:
        PluginError: two prompts have the same name.
    """

    def __init__(self, prompts: Sequence[Prompt], stage: Stage) -> None:
        self._stage = stage
        self._prompts = by_name("a prompt named", prompts, lambda each: each.name)

    @property
    def all(self) -> tuple[Prompt, ...]:
        """All prompts, in order of name."""
        return tuple(self._prompts.values())

    async def render(self, name: str, arguments: Mapping[str, str]) -> str:
        """Return the text of a prompt.

        Raises:
            PromptNotFoundError: there is none of that name; the message names others.
            InvalidInputError: an argument is missing, unknown or wrong.
            ToolTimeoutError: the campaign takes too long to start.
            CampaignNotStartedError: there is no campaign.
        """
        prompt = self._prompts.get(name)
        if prompt is None:
            close = closest(clean(name), self._prompts)
            raise PromptNotFoundError(
                f"There is no prompt {shown(name)}; "
                f"choose from {listed(close or list(self._prompts), 'or') or 'none'}.",
                prompt=clean(name),
            )
        _check(prompt, arguments)
        return prompt.render(arguments, await self._stage.context())

    def complete(self, name: str, argument: str, typed: str) -> Completion:
        """Complete an argument; nothing if there is no such prompt or argument."""
        prompt = self._prompts.get(name)
        for each in () if prompt is None else prompt.arguments:
            if each.name == argument:
                return complete(each.values, typed, self._stage.now)
        return Completion()


def _check(prompt: Prompt, arguments: Mapping[str, str]) -> None:
    names = [argument.name for argument in prompt.arguments]
    for name in arguments:
        if name not in names:
            raise InvalidInputError(
                f"The prompt {prompt.name} has no argument {shown(name)}; "
                f"it takes {listed(names) or 'none'}.",
                argument=clean(name),
            )
    for argument in prompt.arguments:
        if argument.required and not arguments.get(argument.name, "").strip():
            raise InvalidInputError(
                f"The prompt {prompt.name} needs {argument.name}: "
                f"{argument.description}",
                argument=argument.name,
            )
