"""Prompts that the suite asks for."""

from __future__ import annotations

import mcp.types as wire

from echidna_mcp_conformance.fixture import Context, embedded, image, text
from echidna_mcp_conformance.requiring import filled, form

_Result = wire.GetPromptResult | wire.InputRequiredResult


def _messages(*contents: wire.ContentBlock) -> wire.GetPromptResult:
    return wire.GetPromptResult(
        messages=[wire.PromptMessage(role="user", content=each) for each in contents]
    )


async def _simple(_c: Context, _p: wire.GetPromptRequestParams) -> _Result:
    return _messages(text("This is a simple prompt for testing."))


async def _with_arguments(_c: Context, params: wire.GetPromptRequestParams) -> _Result:
    given = params.arguments or {}
    return _messages(
        text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")
    )


async def _with_resource(_c: Context, params: wire.GetPromptRequestParams) -> _Result:
    uri = (params.arguments or {})["resourceUri"]
    return _messages(
        embedded(uri, "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above."),
    )


async def _with_image(_c: Context, _p: wire.GetPromptRequestParams) -> _Result:
    return _messages(image(), text("Please analyze the image above."))


async def _requiring(_c: Context, params: wire.GetPromptRequestParams) -> _Result:
    given = filled(params, "user_context")
    if given:
        return _messages(text(f"Use this context: {given['context']}"))
    question = form("What context should the prompt use?", context="string")
    return wire.InputRequiredResult(input_requests={"user_context": question})


def _prompt(name: str, *arguments: str) -> wire.Prompt:
    return wire.Prompt(
        name=name,
        description=f"Fixture of the conformance suite: {name}.",
        arguments=[
            wire.PromptArgument(name=each, description=each, required=True)
            for each in arguments
        ],
    )


PROMPTS = (
    _prompt("test_simple_prompt"),
    _prompt("test_prompt_with_arguments", "arg1", "arg2"),
    _prompt("test_prompt_with_embedded_resource", "resourceUri"),
    _prompt("test_prompt_with_image"),
    _prompt("test_input_required_result_prompt"),
)
ANSWERS = {
    "test_simple_prompt": _simple,
    "test_prompt_with_arguments": _with_arguments,
    "test_prompt_with_embedded_resource": _with_resource,
    "test_prompt_with_image": _with_image,
    "test_input_required_result_prompt": _requiring,
}
