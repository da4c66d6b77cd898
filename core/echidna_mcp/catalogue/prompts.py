"""The one way to get a prompt, whatever the transport."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from echidna_mcp.catalogue.completion import Completion, complete
from echidna_mcp.errors import InvalidInputError, PluginError, PromptNotFoundError
from echidna_mcp.tools.display import clean, listed, shown

if TYPE_CHECKING:
    from echidna_mcp.catalogue.prompt import Prompt
    from echidna_mcp.tools.tool import ToolContext


class PromptService:
    """Lists, renders and completes prompts.

    Args:
        prompts: with different names.
        context: what they may use.

    Raises:
        PluginError: two prompts have the same name.
    """

    def __init__(self, prompts: Sequence[Prompt], context: ToolContext) -> None:
        self._context = context
        self._prompts: dict[str, Prompt] = {}
        for prompt in sorted(prompts, key=lambda each: each.name):
            if prompt.name in self._prompts:
                raise PluginError(
                    f"Two enabled plugins offer a prompt named {prompt.name!r}; "
                    "enable one of them."
                )
            self._prompts[prompt.name] = prompt

    @property
    def all(self) -> tuple[Prompt, ...]:
        """All prompts, in order of name."""
        return tuple(self._prompts.values())

    def render(self, name: str, arguments: Mapping[str, str]) -> str:
        """Return the text of a prompt.

        Raises:
            PromptNotFoundError: there is none of that name; the message names others.
            InvalidInputError: an argument is missing, unknown or wrong.
        """
        prompt = self._prompts.get(name)
        if prompt is None:
            close = difflib.get_close_matches(clean(name), self._prompts, n=3)
            raise PromptNotFoundError(
                f"There is no prompt {shown(name)}; "
                f"choose from {listed(close or list(self._prompts), 'or') or 'none'}.",
                prompt=clean(name),
            )
        _check(prompt, arguments)
        return prompt.render(arguments, self._context)

    def complete(self, name: str, argument: str, typed: str) -> Completion:
        """Complete an argument; nothing if there is no such prompt or argument."""
        prompt = self._prompts.get(name)
        for each in () if prompt is None else prompt.arguments:
            if each.name == argument:
                return complete(each.values, typed, self._context)
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
